/* model.h -- the struct behind crd_model. */
#ifndef CRD_NETWORK_MODEL_H
#define CRD_NETWORK_MODEL_H

#include "credence/network.h"
#include "onnx/file.h"

struct crd_model {
  crd_allocator alloc;
  crd__onnx_file *file;
};

#endif
