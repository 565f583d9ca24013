/* shape.h -- shapes of values inside a model, which files seldom record. */
#ifndef CRD_NETWORK_SHAPE_H
#define CRD_NETWORK_SHAPE_H

#include "network/model.h"

/* Set *out to type and shape of a value: as the file declares them, else inferred. Dimensions that
 * depend on free dimensions of the inputs are free. Names are borrowed from the model. Fails if a
 * node before it is unsupported. */
crd_status crd__network_shape(crd_context *ctx, const crd_model *model, int edge, crd_port *out);

#endif
