/* paired.h -- metrics of the predicted class alone, and their differences on the same rows. */
#ifndef CRD_CLAMP_PAIRED_H
#define CRD_CLAMP_PAIRED_H

#include "clamp/pass.h"

/* Which rows there are. */
typedef struct {
  size_t count;
  double *weights; /* NULL: all 1 */
  int64_t *units;  /* rows with the same number vary together (units.h); NULL: none do */
} crd__clamp_rows;

/* The predicted class of each row: its probability, and 1 if it is the true class. */
typedef struct {
  double *confidence;
  int64_t *correct;
} crd__clamp_tops;

/* Allocates. Release with clear, also after failure. */
crd_status crd__clamp_tops_make(crd_context *ctx, size_t rows, crd__clamp_tops *out);
void crd__clamp_tops_clear(const crd_allocator *alloc, crd__clamp_tops *tops);
/* Sets the rows from `first` on to those of logits at a temperature. */
void crd__clamp_tops_fill(const crd__clamp_pass *pass, const float *logits, double temperature,
                          size_t first, crd__clamp_tops *tops);

/* Allocates, and sets the rows of a dataset from `first` on; `units` only if it has groups. */
crd_status crd__clamp_rows_make(crd_context *ctx, size_t count, const crd_dataset *data,
                                crd__clamp_rows *out);
crd_status crd__clamp_rows_fill(crd_context *ctx, const crd_dataset *data, size_t first,
                                int64_t *units, crd__clamp_rows *rows);
void crd__clamp_rows_clear(const crd_allocator *alloc, crd__clamp_rows *rows);

/* Computes the expected calibration error with 15 bins. */
crd_status crd__clamp_ece(crd_context *ctx, const crd__clamp_rows *rows,
                          const crd__clamp_tops *tops, double *ece);
/* Computes the difference of a metric, `after` minus `before`, and its 95 % interval. */
crd_status crd__clamp_difference(crd_context *ctx, const char *metric, const crd__clamp_rows *rows,
                                 const crd__clamp_tops *before, const crd__clamp_tops *after,
                                 crd_clamp_change *out);

#endif
