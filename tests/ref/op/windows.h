/* windows.h -- where the windows of convolutions and pools lie. */
#ifndef CRD_TESTS_REF_OP_WINDOWS_H
#define CRD_TESTS_REF_OP_WINDOWS_H

#include "ref/op.h"

typedef struct {
  size_t rank; /* spatial */
  int64_t size[CRD_RANK_MAX], stride[CRD_RANK_MAX], dilation[CRD_RANK_MAX];
  int64_t before[CRD_RANK_MAX], after[CRD_RANK_MAX]; /* padding */
  int64_t count[CRD_RANK_MAX];                       /* windows */
} ref_windows;

/* `size` of the kernel over inputs[0], of which the first two dimensions are not spatial. */
ref_windows ref_windows_of(const ref_node *node, const int64_t *size);

#endif
