/* learnt.h -- what a method learnt: named arrays, each a list of parts of their own lengths. */
#ifndef CRD_CALIBRATOR_LEARNT_H
#define CRD_CALIBRATOR_LEARNT_H

#include "base/context.h"
#include "credence/calibrator.h"

/* A scalar is one part of length 1; a matrix has as many parts as rows; isotonic maps have as many
 * parts as classes. Saving, loading, exporting, freeing are written over this, once. */
typedef struct {
  crd_allocator alloc;
  crd_learnt *items; /* names, starts and values are owned */
  size_t count;
} crd__calibrator_learnt;

void crd__calibrator_learnt_clear(crd__calibrator_learnt *learnt);
/* One more part of `name`, copied. */
crd_status crd__calibrator_learn(crd_context *ctx, crd__calibrator_learnt *learnt, const char *name,
                                 const double *values, size_t count);
/* A part, with its length in *count (may be NULL). Both must be there. */
const double *crd__calibrator_recall(const crd__calibrator_learnt *learnt, const char *name,
                                     size_t part, size_t *count);
/* NULL when there is none of that name. */
const crd_learnt *crd__calibrator_learnt_find(const crd__calibrator_learnt *learnt,
                                              const char *name);

#endif
