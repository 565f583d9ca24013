/*
 * rows.h -- read predictions block by block, as the quantities that metrics need.
 *
 * From logits z (m the largest, S = sum exp(z - m)), or from probabilities p (S their sum):
 *   confidence  1/S, or max p / S, of the predicted class (argmax, lowest index on ties)
 *   nll         log S - (z_y - m), or log S - log max(p_y, 1e-300)
 *   entropy     log S - sum exp(z - m)(z - m) / S, or log S - sum p log p / S
 *   brier       sum over classes of (p_k - [k = y])^2, between 0 and 2
 * Every value is checked here, where its row is known: the only place that reports invalid rows.
 */
#ifndef CRD_DATA_ROWS_H
#define CRD_DATA_ROWS_H

#include "data/predictions.h"
#include "math/rows.h"

#include <stdbool.h>

/* Quantities that a reader computes beyond confidence, correctness and weight. */
enum {
  CRD__NEED_NLL = 1 << 0,
  CRD__NEED_ENTROPY = 1 << 1,
  CRD__NEED_BRIER = 1 << 2,
  CRD__NEED_PROBABILITIES = 1 << 3,
};

enum { CRD__BLOCK_ROWS = 512 }; /* the most rows of one read */

typedef struct {
  size_t first, count;  /* rows first .. first+count-1 of the predictions */
  const size_t *number; /* row numbers, if not first, first+1 ...; else NULL */
  size_t classes;       /* 0: confidence pairs, or a ranking */
  const double *weight; /* all 1 unless weighted */
  bool weighted;
  const uint64_t *cluster;      /* key of each row's cluster; NULL: rows are independent */
  const double *confidence;     /* of the predicted class; of class 1 with CRD_BINARY_POS; of a
                                   ranking any finite number */
  const unsigned char *correct; /* the event that the confidence predicts occurred */
  const unsigned char *hit;     /* the predicted class is the true class */
  const size_t *label;          /* NULL: confidence pairs, or a ranking */
  const double *nll, *entropy, *brier;
  const double *probabilities; /* count x classes */
  const double *recalibrated;  /* losses after recalibration, count x CRD__LOSSES; NULL: unknown */
  size_t floored;              /* rows whose nll has a probability of 0 */
} crd__data_rows;

/* Returns the row number of the i-th of these rows, which resamples and rankings use. */
static inline size_t crd__data_row_number(const crd__data_rows *rows, size_t i) {
  return rows->number ? rows->number[i] : rows->first + i;
}

typedef struct crd__data_row_reader crd__data_row_reader;

/* Creates a reader for one thread. */
crd_status crd__data_row_reader_create(crd_context *ctx, const crd_predictions *predictions,
                                       unsigned needs, crd__data_row_reader **out);
void crd__data_row_reader_destroy(crd__data_row_reader *reader);
/* Returns the maximal number of rows of one read. */
size_t crd__data_row_reader_capacity(const crd__data_row_reader *reader);
/* Reads rows; valid until the next read. CRD_EINPUT names the first invalid row. */
crd_status crd__data_row_reader_read(crd_context *ctx, crd__data_row_reader *reader, size_t first,
                                     size_t count, crd__data_rows *out);

/* Takes one block of rows; a failure ends the walk. */
typedef crd_status crd__data_rows_take(crd_context *ctx, void *self, const crd__data_rows *rows);
/* Reads rows from .. to-1 block by block, in order, and hands each block to `take`. Fails like the
 * reader and like `take`. */
crd_status crd__data_row_reader_walk(crd_context *ctx, crd__data_row_reader *reader, size_t from,
                                     size_t to, crd__data_rows_take *take, void *self);
/* Does the same for all rows, with a reader of its own; can be interrupted. */
crd_status crd__data_rows_walk(crd_context *ctx, const crd_predictions *predictions, unsigned needs,
                               crd__data_rows_take *take, void *self);

/* Reads labels of rows first .. first+count-1: class indices or one-hot rows. CRD_EINPUT names the
 * first invalid one. */
crd_status crd__data_labels_read(crd_context *ctx, const crd_predictions *predictions, size_t first,
                                 size_t count, size_t *out);

/*
 * Compares true classes row by row: by name where both call their classes by the same names,
 * perhaps in another order, else by index; of confidence pairs, labels as they are. Sets *same to
 * whether both have labels of the same rows that all agree, and *row to the first row with
 * different labels; SIZE_MAX: none, or they cannot be compared. Fails like crd__data_labels_read.
 */
crd_status crd__data_labels_compare(crd_context *ctx, const crd_predictions *a,
                                    const crd_predictions *b, bool *same, size_t *row);

/* Returns the index of a row in its file, where rows that were left out count too. */
size_t crd__data_row_in_file(const crd_predictions *predictions, size_t row);

/* Returns whether the row's label is CRD_IGNORE_LABEL, for predictions with keep_ignored. */
bool crd__data_label_is_ignored(const crd_predictions *predictions, size_t row);

/* Reads weights of these rows, all 1 if there are none. */
void crd__data_weights_read(const crd_predictions *predictions, size_t first, size_t count,
                            double *out);

/* Reads one row of features; CRD_EINPUT if one is not finite. */
crd_status crd__data_features_row(crd_context *ctx, const crd_predictions *predictions, size_t row,
                                  double *out);

/* Fails with CRD_EINPUT if there are no labels (or, for confidence pairs, neither `correct` nor two
 * labels). */
crd_status crd__data_labels_require(crd_context *ctx, const crd_predictions *predictions);

/* Fails with CRD_EINPUT and file, array and row: "dump.npz: logits row 4711, class 3 is NaN". */
crd_status crd__data_row_fail(crd_context *ctx, const crd_predictions *predictions,
                              const char *array, size_t row, const char *format, ...)
    CRD_PRINTF(5, 6);

/* Returns "NaN", "infinite" or "minus infinity" for a value that is not finite. */
const char *crd__data_not_finite(double value);

/* Fails with CRD_EINPUT unless the row, summarised by the probabilities kernel, is finite, within
 * [0, 1] and sums to 1, within the predictions' tolerance. */
crd_status crd__data_probabilities_check(crd_context *ctx, const crd_predictions *predictions,
                                         size_t row, const crd__math_row_summary *summary);

/* Checks a row of logits, which must be finite, or of probabilities, as above. */
crd_status crd__data_scores_check(crd_context *ctx, const crd_predictions *predictions, size_t row,
                                  const crd__math_row_summary *summary);

/* Returns score rows in a type that the kernels read, in the columns that are stored. `scratch`
 * holds count x cols. */
const void *crd__data_stored_rows(const crd_predictions *predictions, size_t first, size_t count,
                                  double *scratch, crd__math_row_type *type);
/* Does the same, with binary scores as rows of two classes. `scratch` holds count x classes. */
const void *crd__data_score_rows(const crd_predictions *predictions, size_t first, size_t count,
                                 double *scratch, crd__math_row_type *type);

#endif
