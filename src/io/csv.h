/* csv.h -- tables: which column is what, and writing them. */
#ifndef CRD_IO_CSV_H
#define CRD_IO_CSV_H

#include "base/context.h"
#include "base/words.h"
#include "io/keys.h"
#include "io/write.h"

#define CRD__NOWHERE SIZE_MAX

/* Numbers go into a matrix whose first columns are the scores, so that they lie side by side. */
typedef struct {
  size_t columns;                   /* of the file */
  const crd__word *names;           /* one per column, or NULL without a header */
  size_t *to;                       /* file column -> matrix column, or NOWHERE */
  size_t scores, width;             /* matrix columns that are scores; all */
  size_t at[CRD__ROLE_COUNT];       /* matrix column of each other role, or NOWHERE */
  const char *key[CRD__ROLE_COUNT]; /* the name by which open will look for it */
  size_t groups, group_count;       /* matrix columns of groups: the first, how many */
  crd__word *group_names;           /* ... and the names by which open will look for them */
  const bool *fractions;            /* columns of numbers that are not whole; NULL: none known */
} crd__csv_plan;

/* Release with clear, also after failure. `names` are borrowed. */
crd_status crd__csv_plan_make(crd_context *ctx, const crd_open_options *options,
                              crd__csv_plan *plan);
void crd__csv_plan_clear(const crd_allocator *alloc, crd__csv_plan *plan);

/* With tabs when the name says tsv, else commas. Numbers in the shortest form that reads back the
 * same. All arrays must have the same rows. */
crd_status crd__csv_write(crd_context *ctx, const crd__sink *sink, const char *stem,
                          const crd__array *arrays, size_t count);

#endif
