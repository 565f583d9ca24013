/* window.h -- the window that convolutions and pools move over their input. */
#ifndef CRD_GRAPH_OP_WINDOW_H
#define CRD_GRAPH_OP_WINDOW_H

#include "graph/op.h"

#define CRD__WINDOW_ATTRIBUTES                                                                     \
  { "auto_pad", CRD__ATTRIBUTE_STRING }, { "dilations", CRD__ATTRIBUTE_INTS },                     \
      { "kernel_shape", CRD__ATTRIBUTE_INTS }, { "pads", CRD__ATTRIBUTE_INTS }, {                  \
    "strides", CRD__ATTRIBUTE_INTS                                                                 \
  }

/* The window of a node over input `src` (batch, channels, space ...), and how many positions it has
 * in each spatial dimension. `kernel` NULL: the attribute kernel_shape. With the attribute
 * ceil_mode a last window may hang over the end; `end` then is as long as that needs. */
crd_status crd__graph_window_read(crd_context *ctx, const crd__graph_node *node,
                                  const crd__engine_tensor *src, const int64_t *kernel,
                                  crd__engine_window *window, int64_t *positions);
/* The whole of the space. */
crd__engine_window crd__graph_window_whole(const crd__engine_tensor *src);

#endif
