/* quantized.h -- for the references of operators on quantised tensors. */
#ifndef CRD_TESTS_REF_OP_QUANTIZED_H
#define CRD_TESTS_REF_OP_QUANTIZED_H

#include "ref/op.h"

/* Returns the nearest number of an integer type of 8 or 16 bits; 0 for NaN. */
double ref_saturate(crd_dtype dtype, double value);

#endif
