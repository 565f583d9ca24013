/* csv.h -- tables: which column is what, and writing them. */
#ifndef CRD_IO_FORMAT_CSV_H
#define CRD_IO_FORMAT_CSV_H

#include "base/context.h"
#include "base/words.h"
#include "io/format/csv_sample.h"
#include "io/keys.h"
#include "io/write.h"

#define CRD__NOWHERE SIZE_MAX

/* Numbers go into a matrix whose first columns are the scores, so that they lie side by side. */
typedef struct {
  size_t columns;                   /* of the file */
  const crd__word *names;           /* one per column, or NULL without a header */
  const crd__io_csv_sample *sample; /* what the columns hold */
  size_t *to;                       /* file column -> matrix column, or NOWHERE */
  size_t scores, width;             /* matrix columns that are scores; all */
  size_t at[CRD__ROLE_COUNT];       /* matrix column of each other role, or NOWHERE */
  const char *key[CRD__ROLE_COUNT]; /* the name by which open will look for it */
  size_t groups, group_count;       /* matrix columns of groups: the first, how many */
  crd__word *group_names;           /* ... and the names by which open will look for them */
} crd__io_csv_plan;

/* What a column is before all are known: a role, or one of these. */
enum {
  CRD__CSV_UNUSED = -1,
  CRD__CSV_PAIRS = CRD__ROLE_COUNT,
  CRD__CSV_PREDICTED,
  CRD__CSV_IGNORED
};

typedef struct {
  crd_context *ctx;
  const crd_open_options *options;
  crd__io_csv_plan *plan;
  int *is;          /* for each column of the file */
  const char **why; /* why a column is ignored */
} crd__io_csv_planner;

/* Release with clear, also after failure. `names` and `sample` are borrowed. Columns that are
 * ignored are noted. */
crd_status crd__io_csv_plan_make(crd_context *ctx, const crd_open_options *options,
                                 crd__io_csv_plan *plan, crd__notes *notes);
void crd__io_csv_plan_clear(const crd_allocator *alloc, crd__io_csv_plan *plan);

/* One column, by name or by number from 0. */
crd_status crd__io_csv_find(const crd__io_csv_planner *p, const char *text, size_t length,
                            size_t *out);
/* The user's choice of scores, in the user's order: names, numbers, ranges 1:11, patterns prob_*.
 */
crd_status crd__io_csv_choose_scores(crd__io_csv_planner *p);
/* Where some columns of numbers are scores by their names, or add up to 1, the others are none. */
crd_status crd__io_csv_narrow_scores(crd__io_csv_planner *p);

/* Where there is a column of labels for each class and none for all, say what to do. */
crd_status crd__io_csv_note_labels(const crd__io_csv_planner *p, crd__notes *notes);

/* With tabs when the name says tsv, else commas. Numbers in the shortest form that reads back the
 * same. All arrays must have the same rows. */
crd_status crd__io_csv_write(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                             const crd__io_array *arrays, size_t count);

#endif
