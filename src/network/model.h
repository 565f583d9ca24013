/* model.h -- the struct behind crd_model. */
#ifndef CRD_NETWORK_MODEL_H
#define CRD_NETWORK_MODEL_H

#include "base/text.h"
#include "credence/network.h"
#include "onnx/file.h"

struct crd_model {
  crd_allocator alloc;
  crd__onnx_file *file;
  void *bytes; /* of a model made in memory; NULL: borrowed or mapped */
};

/* Opens a model from bytes that it then owns; `name` is the file's name in error messages. Empties
 * `bytes` also on failure. */
crd_status crd__network_model_adopt(crd_context *ctx, const char *name, crd__text *bytes,
                                    crd_model **out);
/* Do so with the name of another model, if the edit of it had this status; else return the status.
 */
crd_status crd__network_model_finish(crd_context *ctx, crd_status status, const crd_model *from,
                                     crd__text *bytes, crd_model **out);

#endif
