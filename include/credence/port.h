/* credence/port.h -- inputs, outputs, weights and metadata of a model. */
#ifndef CREDENCE_PORT_H
#define CREDENCE_PORT_H

#include "credence/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An input or output of a model. */
typedef struct {
  const char *name;
  crd_dtype dtype;
  int known; /* non-zero: the file gives the rank */
  size_t rank;
  int64_t dims[CRD_RANK_MAX];          /* -1: free */
  const char *dim_names[CRD_RANK_MAX]; /* of free dimensions; NULL: unnamed */
} crd_port;

/* An entry of a model's metadata. */
typedef struct {
  const char *key, *value; /* value NULL: remove the key */
} crd_metadata;

/* New values of a float32 initialiser. */
typedef struct {
  const char *name;
  const float *values;
  size_t count;
} crd_weights;

#ifdef __cplusplus
}
#endif
#endif
