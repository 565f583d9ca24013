/* minibatch.h -- SGD and Adam on mini-batches, as the paper and the authors' code fit. */
#ifndef CRD_CLAMP_MINIBATCH_H
#define CRD_CLAMP_MINIBATCH_H

#include "clamp/settings.h"
#include "clamp/solve.h"

/* Minimises from `point` on; delta and T are updated alike. An interrupt ends it, and is no
 * failure. */
crd_status crd__clamp_minibatch(crd_context *ctx, crd__clamp_pass *pass,
                                const crd__clamp_settings *settings, const crd__clamp_goal *goal,
                                const crd_clamp_options *options, crd__clamp_point *point);

#endif
