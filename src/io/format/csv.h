/* csv.h -- tables: the roles of their columns, and writing them. */
#ifndef CRD_IO_FORMAT_CSV_H
#define CRD_IO_FORMAT_CSV_H

#include "base/context.h"
#include "base/words.h"
#include "io/format/csv_sample.h"
#include "io/keys.h"
#include "io/write.h"

#define CRD__NOWHERE SIZE_MAX

/* How to store a table: in one matrix, whose first columns are the scores, so that these are
 * contiguous in each row. */
typedef struct {
  size_t columns;                   /* of the file */
  const crd__word *names;           /* one per column; NULL without a header */
  const crd__io_csv_sample *sample; /* the first rows */
  size_t *to;                       /* file column -> matrix column, or NOWHERE */
  size_t scores, width;             /* number of score columns, of all matrix columns */
  size_t at[CRD__ROLE_COUNT];       /* matrix column of each other role, or NOWHERE */
  const char *key[CRD__ROLE_COUNT]; /* name of the entry of each other role */
  size_t groups, group_count;       /* matrix columns of groups: first, number */
  crd__word *group_names;           /* names of their entries */
} crd__io_csv_plan;

/* Preliminary roles of columns, besides crd__io_role. */
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
  int *is;          /* role of each column of the file */
  const char **why; /* why a column is ignored */
} crd__io_csv_planner;

/* Assigns roles to the columns; `names` and `sample` are borrowed. Adds a note about ignored
 * columns. Release with clear, also after failure. */
crd_status crd__io_csv_plan_make(crd_context *ctx, const crd_open_options *options,
                                 crd__io_csv_plan *plan, crd__notes *notes);
void crd__io_csv_plan_clear(const crd_allocator *alloc, crd__io_csv_plan *plan);

/* Finds a column by name or by index from 0; fails with EINPUT if it does not exist. */
crd_status crd__io_csv_find(const crd__io_csv_planner *p, const char *text, size_t length,
                            size_t *out);
/* Takes the scores from the option `columns`, in its order: names, indices, ranges 1:11, patterns
 * prob_*. */
crd_status crd__io_csv_choose_scores(crd__io_csv_planner *p);
/* If some columns of numbers are scores by their names, or sum to 1, removes the others. */
crd_status crd__io_csv_narrow_scores(crd__io_csv_planner *p);

/* If each class has its own column of labels, adds a note with the options to use. */
crd_status crd__io_csv_note_labels(const crd__io_csv_planner *p, crd__notes *notes);

/* Writes a table, with tabs if the extension is tsv, else commas; numbers in the shortest form that
 * reads back the same. Fails with EUSAGE if the numbers of rows differ. */
crd_status crd__io_csv_write(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                             const crd__io_array *arrays, size_t count);

#endif
