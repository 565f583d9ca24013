/* nearest.h -- find an entry of a table by its name; the error message suggests the nearest one. */
#ifndef CRD_BASE_NEAREST_H
#define CRD_BASE_NEAREST_H

#include "base/context.h"

/* The names of a table. */
typedef struct {
  const char *unknown; /* how the error message begins: "no metric is called" */
  const char *lister;  /* where to find all names if none is close, "crd_metric_at" (context.h,
                          crd__spell); NULL: the message lists them */
  const char *(*at)(const void *self, size_t index); /* NULL past the last */
  const void *self;
} crd__names;

/* Returns the index of a name of `length` bytes; SIZE_MAX if the table has none like it. */
size_t crd__names_index(const crd__names *names, const char *name, size_t length);
/* Sets *index to the index of a name of `length` bytes. Fails with EUSAGE if the table has none
 * like it: "no metric is called 'eec'; did you mean 'ece'?" */
crd_status crd__names_find(crd_context *ctx, const crd__names *names, const char *name,
                           size_t length, size_t *index);

#endif
