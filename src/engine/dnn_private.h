/* dnn_private.h -- shared by dnn.c, dnn_forward.c and dnn_back.c, the only files that call
 * oneDNN. */
#ifndef CRD_ENGINE_DNN_PRIVATE_H
#define CRD_ENGINE_DNN_PRIVATE_H

#include "engine/dnn.h"
#include "engine/dnn_2.h"

typedef struct {
  void *handle;
  void (*destroy)(const crd_allocator *alloc, void *handle);
} crd__engine_dnn_owned;

struct crd__engine_dnn {
  crd_allocator alloc;
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  crd__engine_dnn_owned *pool;
  size_t count, capacity;
};

/* oneDNN's algorithm for a unary function, and the one that computes the derivative from the result
 * (undef: none does, it is computed from the source). */
typedef struct {
  dnnl_alg_kind_t forward, from_result;
} crd__engine_dnn_algorithms;
/* By crd__engine_post_op.function. Functions without an algorithm have our own kernel only: oneDNN
 * 2.6 has neither erf nor hard_sigmoid, and its log has errors of 1e-6 near 1, where the logarithm
 * is near 0. */
extern const crd__engine_dnn_algorithms crd__engine_dnn_eltwises[];
extern const dnnl_alg_kind_t crd__engine_dnn_pools[]; /* by crd__engine_pool_kind */

/* Translate a oneDNN status, with an error message about `what`. EABSENT, without a message, if
 * there is no implementation. */
crd_status crd__engine_dnn_failed(crd_context *ctx, dnnl_status_t status, const char *what);
/* Create attributes: scratch memory from the caller, and post-ops. `after` may be NULL. */
crd_status crd__engine_dnn_attributes(crd_context *ctx, const crd__engine_post_ops *after,
                                      dnnl_primitive_attr_t *out);
/* Create a primitive. Takes over the description (into the pool) and destroys the attributes. */
crd_status crd__engine_dnn_primitive(crd_context *ctx, crd__engine_dnn *dnn, dnnl_status_t status,
                                     dnnl_primitive_desc_t description, dnnl_primitive_attr_t attr,
                                     const char *what, crd__engine_primitive *out);
/* Returns false if a convolution (source, weights, bias, destination) must be left to our own
 * kernel, because oneDNN would need gigabytes while it is created, for each padded position and for
 * each position of the kernel; or because a tensor has more than INT32_MAX elements, which oneDNN
 * counts in an int and then divides by. */
bool crd__engine_dnn_convolves(const crd__engine_layout layouts[4],
                               const crd__engine_window *window);
/* Convert dilations: oneDNN counts from 0. */
void crd__engine_dnn_dilations(const crd__engine_window *window, dnnl_dims_t out);

#endif
