/* window.h -- the sliding window of convolutions and pooling. */
#ifndef CRD_GRAPH_OP_WINDOW_H
#define CRD_GRAPH_OP_WINDOW_H

#include "graph/op.h"

#define CRD__WINDOW_ATTRIBUTES                                                                     \
  { "auto_pad", CRD__ATTRIBUTE_STRING }, { "dilations", CRD__ATTRIBUTE_INTS },                     \
      { "kernel_shape", CRD__ATTRIBUTE_INTS }, { "pads", CRD__ATTRIBUTE_INTS }, {                  \
    "strides", CRD__ATTRIBUTE_INTS                                                                 \
  }

/* Read the window of a node over input `src` (batch, channels, space ...), and compute its number
 * of positions in each spatial dimension. `kernel` NULL: from the attribute kernel_shape. With
 * ceil_mode the last window may exceed the padded input; `end` is then extended. */
crd_status crd__graph_window_read(crd_context *ctx, const crd__graph_node *node,
                                  const crd__engine_tensor *src, const int64_t *kernel,
                                  crd__engine_window *window, int64_t *positions);
/* Read a list of `count` integers from `least` to 2^31; each is `standard` if it is left out. */
crd_status crd__graph_window_list(crd_context *ctx, const crd__graph_node *node, const char *name,
                                  size_t count, int64_t least, int64_t standard, int64_t *out);
/* Return a window over the whole spatial extent. */
crd__engine_window crd__graph_window_whole(const crd__engine_tensor *src);

#endif
