/* predicate.h -- unary functions to bool, and of the bits of integers. */
#ifndef CRD_ENGINE_KERNEL_PREDICATE_H
#define CRD_ENGINE_KERNEL_PREDICATE_H

#include "credence/array.h"

typedef enum {
  CRD__IS_NAN,
  CRD__IS_INFINITE, /* either infinity */
  CRD__IS_TOP,      /* +infinity */
  CRD__IS_BOTTOM,   /* -infinity */
  CRD__IS_NOTHING,  /* false for every x */
  CRD__NOT,         /* x is bool */
  CRD__COMPLEMENT,  /* all bits of an integer inverted; the result has the type of x */
} crd__kernel_predicate_id;

/* Compute y = f(x) for n elements of this type; y may be x if its elements are as large. */
void crd__kernel_predicate(unsigned threads, crd__kernel_predicate_id id, crd_dtype dtype, size_t n,
                           const void *x, void *y);

#endif
