/* learnt.h -- the learnt parameters of a method: named arrays, each a list of parts of any length.
 */
#ifndef CRD_CALIBRATOR_LEARNT_H
#define CRD_CALIBRATOR_LEARNT_H

#include "base/context.h"
#include "credence/calibrator.h"

/* A scalar is one part of length 1; a matrix has as many parts as rows; isotonic curves have as
 * many parts as classes. Saving, loading, exporting and freeing are written once, for all methods.
 */
typedef struct {
  crd_allocator alloc;
  crd_learnt *items; /* names, starts and values are owned */
  size_t count;
} crd__calibrator_learnt;

void crd__calibrator_learnt_clear(crd__calibrator_learnt *learnt);
/* Appends a copy of `values` as one more part of `name`. ENOMEM. */
crd_status crd__calibrator_learn(crd_context *ctx, crd__calibrator_learnt *learnt, const char *name,
                                 const double *values, size_t count);
/* Returns a part, and sets *count (may be NULL) to its length. Name and part must exist. */
const double *crd__calibrator_recall(const crd__calibrator_learnt *learnt, const char *name,
                                     size_t part, size_t *count);
/* Returns the array of that name; NULL if there is none. */
const crd_learnt *crd__calibrator_learnt_find(const crd__calibrator_learnt *learnt,
                                              const char *name);

#endif
