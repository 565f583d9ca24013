/* windows.h -- positions of the windows of convolutions and pooling. */
#ifndef CRD_TESTS_REF_OP_WINDOWS_H
#define CRD_TESTS_REF_OP_WINDOWS_H

#include "ref/op.h"

typedef struct {
  size_t rank; /* number of spatial dimensions */
  int64_t size[CRD_RANK_MAX], stride[CRD_RANK_MAX], dilation[CRD_RANK_MAX];
  int64_t before[CRD_RANK_MAX], after[CRD_RANK_MAX]; /* padding */
  int64_t count[CRD_RANK_MAX];                       /* number of windows */
} ref_windows;

/* Place windows of `size` over inputs[0], whose first two dimensions are not spatial. */
ref_windows ref_windows_of(const ref_node *node, const int64_t *size);

#endif
