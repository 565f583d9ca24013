/*
 * rows.h -- predictions, row by row, in the quantities that metrics are made of.
 *
 * From logits z (m the largest, S = sum exp(z - m)), or from probabilities p (S their sum):
 *   confidence  1/S, or max p / S, of the predicted class (argmax, lowest index on ties)
 *   nll         log S - (z_y - m), or log S - log max(p_y, 1e-300)
 *   entropy     log S - sum exp(z - m)(z - m) / S, or log S - sum p log p / S
 *   brier       sum over classes of (p_k - [k = y])^2, between 0 and 2
 * Every value is checked here, where its row is known: the one place that names bad rows.
 */
#ifndef CRD_DATA_ROWS_H
#define CRD_DATA_ROWS_H

#include "data/predictions.h"
#include "math/rows.h"

#include <stdbool.h>

/* What a reader computes beyond confidence, correctness and weight. */
enum {
  CRD__NEED_NLL = 1 << 0,
  CRD__NEED_ENTROPY = 1 << 1,
  CRD__NEED_BRIER = 1 << 2,
  CRD__NEED_PROBABILITIES = 1 << 3,
};

enum { CRD__BLOCK_ROWS = 512 }; /* at most as many are read at once */

typedef struct {
  size_t first, count;  /* rows first .. first+count-1 of the predictions */
  const size_t *number; /* the row numbers, where these are not first, first+1 ...; else NULL */
  size_t classes;       /* 0: pairs */
  const double *weight; /* all 1 unless weighted */
  bool weighted;
  const uint64_t *cluster;      /* the key of each row's cluster; NULL: rows are independent */
  const double *confidence;     /* of the predicted class; of class 1 with CRD_BINARY_POS */
  const unsigned char *correct; /* the event that confidence speaks of came true */
  const unsigned char *hit;     /* the predicted class is the true one */
  const size_t *label;          /* NULL: pairs */
  const double *nll, *entropy, *brier;
  const double *probabilities; /* count x classes */
  size_t floored;              /* rows whose nll met a probability of 0 */
} crd__data_rows;

/* The number of the i-th of these rows, by which resamples and rankings know it. */
static inline size_t crd__data_row_number(const crd__data_rows *rows, size_t i) {
  return rows->number ? rows->number[i] : rows->first + i;
}

typedef struct crd__data_row_reader crd__data_row_reader;

/* Scratch memory of one thread. */
crd_status crd__data_row_reader_create(crd_context *ctx, const crd_predictions *predictions,
                                       unsigned needs, crd__data_row_reader **out);
void crd__data_row_reader_destroy(crd__data_row_reader *reader);
/* Rows that one read may ask for. */
size_t crd__data_row_reader_capacity(const crd__data_row_reader *reader);
/* Valid until the next read. EINPUT names the first bad row. */
crd_status crd__data_row_reader_read(crd_context *ctx, crd__data_row_reader *reader, size_t first,
                                     size_t count, crd__data_rows *out);

/* Labels of rows first .. first+count-1: class numbers below `classes`, or one-hot rows. */
crd_status crd__data_labels_read(crd_context *ctx, const crd_predictions *predictions, size_t first,
                                 size_t count, size_t *out);

/* Is the row's label CRD_IGNORE_LABEL? Only where such rows were to stay. */
bool crd__data_label_is_ignored(const crd_predictions *predictions, size_t row);

/* Weights of these rows, all 1 where there are none. */
void crd__data_weights_read(const crd_predictions *predictions, size_t first, size_t count,
                            double *out);

/* The features of a row, as they are; EINPUT names what is not finite. */
crd_status crd__data_features_row(crd_context *ctx, const crd_predictions *predictions, size_t row,
                                  double *out);

/* EINPUT when there are none (or, for pairs, nothing that says what was correct). */
crd_status crd__data_labels_require(crd_context *ctx, const crd_predictions *predictions);

/* EINPUT, with the file, the array and the row: "dump.npz: logits row 4711, class 3 is NaN". */
crd_status crd__data_row_fail(crd_context *ctx, const crd_predictions *predictions,
                              const char *array, size_t row, const char *format, ...)
    CRD_PRINTF(5, 6);

/* "NaN", "infinite" or "minus infinity", of what is no finite number. */
const char *crd__data_not_finite(double value);

/* EINPUT unless the row, summarised by the probabilities kernel, is finite, within [0, 1] and sums
 * to 1, both within the predictions' tolerance. */
crd_status crd__data_probabilities_check(crd_context *ctx, const crd_predictions *predictions,
                                         size_t row, const crd__math_row_summary *summary);

/* The same of logits, which must be finite, or of probabilities, as the predictions have it. */
crd_status crd__data_scores_check(crd_context *ctx, const crd_predictions *predictions, size_t row,
                                  const crd__math_row_summary *summary);

/* Score rows as the kernels want them, in the columns that are stored. `scratch` has room for count
 * x cols doubles. */
const void *crd__data_stored_rows(const crd_predictions *predictions, size_t first, size_t count,
                                  double *scratch, crd__math_row_type *type);
/* The same, but binary scores become rows of two classes. `scratch` has room
 * for count x classes doubles. */
const void *crd__data_score_rows(const crd_predictions *predictions, size_t first, size_t count,
                                 double *scratch, crd__math_row_type *type);

#endif
