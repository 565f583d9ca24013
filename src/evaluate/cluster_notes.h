/* cluster_notes.h -- what to know of results whose rows are not independent. */
#ifndef CRD_EVALUATE_CLUSTER_NOTES_H
#define CRD_EVALUATE_CLUSTER_NOTES_H

#include "evaluate/cross.h"
#include "metric/evidence.h"

/* How intervals were drawn, and what does not hold for such rows. Nothing where rows are
 * independent. */
crd_status crd__cluster_notes_of_result(crd_context *ctx, const crd_evidence *evidence,
                                        const crd_allocator *alloc, crd__notes *notes);
/* The same of a contest, and whether patients are on both sides. */
crd_status crd__cluster_notes_of_contest(crd_context *ctx, const crd__rounds *rounds,
                                         const crd_evidence *tested, const crd_allocator *alloc,
                                         crd__notes *notes);

#endif
