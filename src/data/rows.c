/* rows.c -- the row reader: combines kernels, labels and weights, block by block. */
#include "data/rows.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sum.h"
#include "data/array.h"

#include <math.h>
#include <string.h>

struct crd__data_row_reader {
  crd_allocator alloc;
  const crd_predictions *predictions;
  const crd__math_row_kernels *kernels;
  unsigned needs;
  size_t capacity;
  double *weight, *confidence, *nll, *entropy, *brier, *probabilities, *scratch, *recalibrated;
  unsigned char *correct, *hit;
  size_t *label;
  uint64_t *cluster;
  crd__math_row_summary *summary;
};

size_t crd__data_row_reader_capacity(const crd__data_row_reader *reader) {
  return reader->capacity;
}

/* A block of scores should stay in the L1 cache between the kernel and its users, but blocks of a
 * few rows would be all overhead. Users of all probabilities sum over columns, and gain from many
 * rows. */
static size_t block_rows(size_t classes, unsigned needs) {
  const size_t scores = needs & CRD__NEED_PROBABILITIES ? 1 << 19 : 1 << 13;
  const size_t rows = scores / (classes ? classes : 1);
  return rows < 16 ? 16 : rows > CRD__BLOCK_ROWS ? CRD__BLOCK_ROWS : rows;
}

void crd__data_row_reader_destroy(crd__data_row_reader *reader) {
  if (!reader) return;
  void *const owned[] = { reader->weight,      reader->confidence, reader->nll,
                          reader->entropy,     reader->brier,      reader->probabilities,
                          reader->scratch,     reader->correct,    reader->hit,
                          reader->label,       reader->summary,    reader->cluster,
                          reader->recalibrated };
  const crd_allocator alloc = reader->alloc;
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(&alloc, owned[i]);
  crd__free(&alloc, reader);
}

static crd_status allocate_block(crd_context *ctx, crd__data_row_reader *r) {
  const crd_predictions *const p = r->predictions;
  const size_t n = r->capacity, matrix = p->classes;
  const bool direct = p->classes == crd__data_cols(&p->parts.scores) &&
                      crd__data_array_is_direct(&p->parts.scores) && !p->picked && !p->clips;
  const bool all = r->needs & CRD__NEED_PROBABILITIES;
  size_t cells;
  if (!crd__size_mul(n, matrix ? matrix : 1, &cells))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for rows of %zu classes", matrix);
  const struct {
    void *at;
    size_t count, size;
  } arrays[] = {
    { &r->weight, n, sizeof *r->weight },
    { &r->confidence, n, sizeof *r->confidence },
    { &r->nll, n, sizeof *r->nll },
    { &r->entropy, n, sizeof *r->entropy },
    { &r->brier, n, sizeof *r->brier },
    { &r->correct, n, sizeof *r->correct },
    { &r->hit, n, sizeof *r->hit },
    { &r->label, n, sizeof *r->label },
    { &r->summary, n, sizeof *r->summary },
    { &r->cluster, p->cluster_keys ? n : 0, sizeof *r->cluster },
    { &r->recalibrated, p->recalibrated ? CRD__LOSSES * n : 0, sizeof *r->recalibrated },
    { &r->probabilities, all ? cells : 0, sizeof *r->probabilities },
    { &r->scratch, direct ? 0 : cells, sizeof *r->scratch },
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    CRD_TRY(crd__new(ctx, arrays[i].count, arrays[i].size, "a block of rows", arrays[i].at));
  for (size_t i = 0; i < n; i++) r->weight[i] = 1;
  return CRD_OK;
}

crd_status crd__data_row_reader_create(crd_context *ctx, const crd_predictions *predictions,
                                       unsigned needs, crd__data_row_reader **out) {
  *out = NULL;
  CRD_TRY(crd__data_labels_require(ctx, predictions));
  crd__data_row_reader *reader;
  CRD_TRY(crd__new(ctx, 1, sizeof *reader, "a row reader", &reader));
  reader->alloc = ctx->alloc;
  reader->predictions = predictions;
  reader->kernels = crd__math_row_kernels_best();
  reader->needs = needs;
  reader->capacity = block_rows(predictions->classes, needs);
  const crd_status status = allocate_block(ctx, reader);
  if (status == CRD_OK) *out = reader;
  else crd__data_row_reader_destroy(reader);
  return status;
}

/* Gathers picked rows, in the type of the array or, if it cannot be read directly, converted. Sets
 * *type. */
static const void *picked_rows(const crd_predictions *p, size_t first, size_t count,
                               double *scratch, crd__math_row_type *type) {
  const crd_array *const scores = &p->parts.scores;
  const size_t bytes = crd_dtype_size(scores->dtype) * crd__data_cols(scores);
  const bool direct = crd__data_array_is_direct(scores);
  *type = CRD__ROW_F64; /* of no rows */
  for (size_t i = 0; i < count; i++) {
    const void *const row = crd__data_array_rows(scores, crd__data_row_at(p, first + i), 1,
                                                 scratch + i * crd__data_cols(scores), type);
    if (direct) memcpy((char *)scratch + i * bytes, row, bytes);
  }
  return scratch;
}

const void *crd__data_stored_rows(const crd_predictions *predictions, size_t first, size_t count,
                                  double *scratch, crd__math_row_type *type) {
  return predictions->picked
             ? picked_rows(predictions, first, count, scratch, type)
             : crd__data_array_rows(&predictions->parts.scores, first, count, scratch, type);
}

/* Reads rows of a file in which some values exceed [0, 1], and clips them. */
static const void *clipped_rows(const crd_predictions *p, size_t first, size_t count,
                                double *scratch, crd__math_row_type *type) {
  const crd_array *const scores = &p->parts.scores;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < crd__data_cols(scores); k++)
      scratch[i * crd__data_cols(scores) + k] = crd__data_probability_clip(
          crd__data_array_number(scores, crd__data_row_at(p, first + i), k));
  *type = CRD__ROW_F64;
  return scratch;
}

const void *crd__data_score_rows(const crd_predictions *predictions, size_t first, size_t count,
                                 double *scratch, crd__math_row_type *type) {
  const crd_array *const scores = &predictions->parts.scores;
  if (crd__data_cols(scores) == predictions->classes && predictions->clips)
    return clipped_rows(predictions, first, count, scratch, type);
  if (crd__data_cols(scores) == predictions->classes)
    return crd__data_stored_rows(predictions, first, count, scratch, type);
  const bool logits = predictions->parts.input == CRD_INPUT_LOGITS;
  for (size_t i = 0; i < count; i++) {
    const double stored =
        crd__data_array_number(scores, crd__data_row_at(predictions, first + i), 0);
    const double score = predictions->clips ? fmin(fmax(stored, 0), 1) : stored;
    scratch[2 * i] = logits ? 0 : 1 - score;
    scratch[2 * i + 1] = score;
  }
  *type = CRD__ROW_F64;
  return scratch;
}

const char *crd__data_not_finite(double value) {
  return isnan(value) ? "NaN" : value > 0 ? "infinite" : "minus infinity";
}

static crd_status name_bad_score(crd_context *ctx, const crd_predictions *p, size_t row) {
  const crd_array *const scores = &p->parts.scores;
  for (size_t k = 0; k < crd__data_cols(scores); k++) {
    const double value = crd__data_array_number(scores, crd__data_row_at(p, row), k);
    if (isfinite(value)) continue;
    const char *const what = crd__data_not_finite(value);
    char class[CRD__CLASS_TEXT];
    if (crd__data_cols(scores) == 1)
      return crd__data_row_fail(ctx, p, p->parts.scores_name, row,
                                " is %s, expected a finite number", what);
    return crd__data_row_fail(ctx, p, p->parts.scores_name, row,
                              ", class %s is %s, expected a finite number",
                              crd__data_class_text(p, k, class), what);
  }
  return crd__data_row_fail(ctx, p, p->parts.scores_name, row, " overflows");
}

/* Writes a value outside the bounds with enough digits to show that it is: never "0.99" for a value
 * below 0.99. */
static const char *write_outside(char text[CRD__NUMBER_SIZE], double value, double low,
                                 double high) {
  double shown;
  for (int digits = 6; digits < 17; digits++) {
    crd__number_brief(text, value, digits);
    if (crd__number_parse(text, strlen(text), &shown) && (shown < low || shown > high)) break;
  }
  return text;
}

/* Checks probabilities: each in [0, 1], their sum near 1, within the tolerance. */
static crd_status check_probabilities(crd_context *ctx, const crd_predictions *p, size_t row,
                                      const crd__math_row_summary *s) {
  char text[CRD__NUMBER_SIZE], allowed[CRD__NUMBER_SIZE];
  const char *const array = p->parts.scores_name;
  const double least = -p->tolerance, most = 1 + p->tolerance;
  if (!(s->low >= least))
    return crd__data_row_fail(ctx, p, array, row, " holds %s, probabilities lie in [0, 1]",
                              write_outside(text, s->low, least, INFINITY));
  if (!(s->top <= most))
    return crd__data_row_fail(ctx, p, array, row, " holds %s, probabilities lie in [0, 1]",
                              write_outside(text, s->top, -INFINITY, most));
  if (!(fabs(s->mass - 1) <= p->tolerance))
    return crd__data_row_fail(ctx, p, array, row, " sums to %s, probabilities sum to 1 within %s",
                              write_outside(text, s->mass, 1 - p->tolerance, most),
                              crd__number_brief(allowed, p->tolerance, 6));
  return CRD_OK;
}

crd_status crd__data_probabilities_check(crd_context *ctx, const crd_predictions *p, size_t row,
                                         const crd__math_row_summary *s) {
  return s->finite ? check_probabilities(ctx, p, row, s) : name_bad_score(ctx, p, row);
}

crd_status crd__data_scores_check(crd_context *ctx, const crd_predictions *p, size_t row,
                                  const crd__math_row_summary *s) {
  if (p->parts.input != CRD_INPUT_LOGITS) return crd__data_probabilities_check(ctx, p, row, s);
  return s->finite ? CRD_OK : name_bad_score(ctx, p, row);
}

/* Computes the quantities of rows.h from the summary of one row. */
static void derive(crd__data_row_reader *r, size_t i, double score, crd__data_rows *out) {
  const crd__math_row_summary *const s = &r->summary[i];
  const bool logits = r->predictions->parts.input == CRD_INPUT_LOGITS;
  const double log_mass = r->needs & (CRD__NEED_NLL | CRD__NEED_ENTROPY) ? log(s->mass) : 0;
  if (r->needs & CRD__NEED_NLL) {
    const bool floored = !logits && score < CRD__LEAST_PROBABILITY;
    const double log_score =
        logits ? score - s->top : log(floored ? CRD__LEAST_PROBABILITY : score);
    r->nll[i] = fmax(0, log_mass - log_score);
    out->floored += floored;
  }
  if (r->needs & CRD__NEED_ENTROPY) r->entropy[i] = fmax(0, log_mass - s->mean / s->mass);
  if (r->needs & CRD__NEED_BRIER) {
    const double p = (logits ? exp(score - s->top) : score) / s->mass;
    r->brier[i] = fmax(0, (1 - p) * (1 - p) + (s->square / s->mass / s->mass - p * p));
  }
}

/* Reads a row's own confidence and predicted class. */
static crd_status read_top(crd_context *ctx, crd__data_row_reader *r, size_t row, size_t i) {
  const crd_predictions *const p = r->predictions;
  const size_t at = crd__data_row_at(p, row);
  char text[CRD__NUMBER_SIZE];
  int64_t predicted;
  const double confidence = crd__data_array_number(&p->parts.confidence, at, 0);
  if (!crd__data_probability_fits(p, confidence))
    return crd__data_row_fail(ctx, p, "confidence", row, ": found %s, confidences lie in [0, 1]",
                              crd__number_format(text, confidence));
  if (!crd__data_array_integer(&p->parts.predicted, at, 0, &predicted))
    return crd__data_row_fail(ctx, p, "predicted labels", row, " is not an integer");
  r->confidence[i] = fmin(fmax(confidence, 0), 1);
  r->hit[i] = r->correct[i] = predicted >= 0 && (uint64_t)predicted == r->label[i];
  return CRD_OK;
}

/* Probabilities whose sum is 1 up to rounding are not divided by it: rows that a calibrator made
 * equal would differ in their last digit, and ties would be lost. */
static void settle_mass(crd__math_row_summary *s, size_t classes) {
  if (fabs(s->mass - 1) <= 0x1p-52 * (double)classes) s->mass = 1;
}

static crd_status read_scores(crd_context *ctx, crd__data_row_reader *r, crd__data_rows *out) {
  const crd_predictions *const p = r->predictions;
  const bool logits = p->parts.input == CRD_INPUT_LOGITS;
  const bool positive = p->parts.binary == CRD_BINARY_POS && p->classes == 2;
  const bool own_top = p->parts.confidence.data && p->parts.predicted.data && !positive;
  const size_t first = out->first, count = out->count, classes = p->classes;
  const unsigned want = (r->needs & CRD__NEED_ENTROPY ? CRD__WANT_MEAN : 0u) |
                        (r->needs & CRD__NEED_BRIER ? CRD__WANT_SQUARE : 0u);
  crd__math_row_type type;
  const void *const rows = crd__data_score_rows(p, first, count, r->scratch, &type);
  (logits ? r->kernels->logits : r->kernels->probabilities)(rows, type, count, classes, want,
                                                            r->summary);
  CRD_TRY(crd__data_labels_read(ctx, p, first, count, r->label));
  for (size_t i = 0; i < count; i++) {
    crd__math_row_summary *const s = &r->summary[i];
    CRD_TRY(crd__data_scores_check(ctx, p, first + i, s));
    if (!logits) settle_mass(s, classes);
    const size_t y = r->label[i];
    r->hit[i] = s->argmax == y;
    r->correct[i] = positive ? y == 1 : r->hit[i];
    r->confidence[i] = (logits ? 1 : s->top) / s->mass;
    if (positive && s->argmax == 0) {
      const double score = crd__math_row_score(rows, type, i * classes + 1);
      r->confidence[i] = (logits ? exp(score - s->top) : score) / s->mass;
    }
    if (own_top) CRD_TRY(read_top(ctx, r, first + i, i));
    if (r->needs) derive(r, i, crd__math_row_score(rows, type, i * classes + y), out);
  }
  if (r->needs & CRD__NEED_PROBABILITIES)
    (logits ? r->kernels->softmax : r->kernels->normalise)(rows, type, count, classes,
                                                           r->probabilities);
  return CRD_OK;
}

/* Reads whether a pair is correct: given, or by comparing two labels. */
static crd_status read_correct(crd_context *ctx, const crd_predictions *p, size_t row,
                               unsigned char *out) {
  const crd_predictions_parts *const parts = &p->parts;
  const size_t at = crd__data_row_at(p, row);
  char text[CRD__NUMBER_SIZE];
  int64_t label, predicted;
  if (parts->correct.data) {
    const double value = crd__data_array_number(&parts->correct, at, 0);
    if (value != 0 && value != 1)
      return crd__data_row_fail(ctx, p, "correct", row, ": found %s, expected 0 or 1",
                                crd__number_format(text, value));
    *out = value == 1;
    return CRD_OK;
  }
  if (!crd__data_array_integer(&parts->labels, at, 0, &label))
    return crd__data_row_fail(ctx, p, parts->labels_name, row, " is not an integer");
  if (!crd__data_array_integer(&parts->predicted, at, 0, &predicted))
    return crd__data_row_fail(ctx, p, "predicted labels", row, " is not an integer");
  *out = label == predicted;
  return CRD_OK;
}

/* Reads a confidence, within [0, 1], or the value of a ranking, any finite number. */
static crd_status read_single(crd_context *ctx, const crd_predictions *p, size_t row, double *out) {
  const double value = crd__data_array_number(&p->parts.scores, crd__data_row_at(p, row), 0);
  const bool ranking = p->parts.input == CRD_INPUT_RANKING;
  char text[CRD__NUMBER_SIZE];
  *out = ranking ? value : fmin(fmax(value, 0), 1);
  if (ranking && isfinite(value)) return CRD_OK;
  if (ranking) return name_bad_score(ctx, p, row);
  if (crd__data_probability_fits(p, value)) return CRD_OK;
  return crd__data_row_fail(ctx, p, p->parts.scores_name, row,
                            ": found %s, confidences lie in [0, 1]",
                            crd__number_format(text, value));
}

static crd_status read_pairs(crd_context *ctx, crd__data_row_reader *r, const crd__data_rows *out) {
  const crd_predictions *const p = r->predictions;
  for (size_t i = 0; i < out->count; i++) {
    const size_t row = out->first + i;
    CRD_TRY(read_single(ctx, p, row, &r->confidence[i]));
    CRD_TRY(read_correct(ctx, p, row, &r->correct[i]));
    r->hit[i] = r->correct[i];
  }
  return CRD_OK;
}

void crd__data_weights_read(const crd_predictions *p, size_t first, size_t count, double *out) {
  const crd_array *const weights = &p->parts.weights;
  for (size_t i = 0; i < count; i++)
    out[i] = weights->data
                 ? ldexp(crd__data_array_number(weights, crd__data_row_at(p, first + i), 0),
                         p->weight_shift)
                 : 1;
}

static crd_status check_terms(crd_context *ctx, const crd__data_row_reader *r,
                              const crd__data_rows *out) {
  if (!(r->needs & CRD__NEED_NLL)) return CRD_OK;
  for (size_t i = 0; i < out->count; i++) {
    char text[CRD__NUMBER_SIZE];
    if (crd__term_fits(r->weight[i] * r->nll[i])) continue;
    return crd__data_row_fail(ctx, r->predictions, r->predictions->parts.scores_name,
                              out->first + i,
                              ": negative log-likelihood %s exceeds 2^40, the largest allowed",
                              crd__number_brief(text, r->weight[i] * r->nll[i], 3));
  }
  return CRD_OK;
}

crd_status crd__data_row_reader_read(crd_context *ctx, crd__data_row_reader *reader, size_t first,
                                     size_t count, crd__data_rows *out) {
  const bool pairs = crd__data_is_top_only(reader->predictions);
  const uint64_t *const keys = reader->predictions->cluster_keys;
  const double *const losses = reader->predictions->recalibrated;
  *out = (crd__data_rows){ .first = first,
                           .count = count,
                           .number = reader->predictions->numbered
                                         ? reader->predictions->picked + first
                                         : NULL,
                           .classes = reader->predictions->classes,
                           .weight = reader->weight,
                           .weighted = reader->predictions->parts.weights.data != NULL,
                           .cluster = keys ? reader->cluster : NULL,
                           .confidence = reader->confidence,
                           .correct = reader->correct,
                           .hit = reader->hit,
                           .label = pairs ? NULL : reader->label,
                           .nll = reader->nll,
                           .entropy = reader->entropy,
                           .brier = reader->brier,
                           .probabilities = reader->probabilities,
                           .recalibrated = losses ? reader->recalibrated : NULL };
  if (out->weighted) crd__data_weights_read(reader->predictions, first, count, reader->weight);
  for (size_t i = 0; keys && i < count; i++)
    reader->cluster[i] = keys[crd__data_row_at(reader->predictions, first + i)];
  for (size_t i = 0; losses && i < count; i++)
    memcpy(reader->recalibrated + CRD__LOSSES * i,
           losses + CRD__LOSSES * crd__data_row_at(reader->predictions, first + i),
           CRD__LOSSES * sizeof *losses);
  CRD_TRY(pairs ? read_pairs(ctx, reader, out) : read_scores(ctx, reader, out));
  return pairs ? CRD_OK : check_terms(ctx, reader, out);
}

crd_status crd__data_row_reader_walk(crd_context *ctx, crd__data_row_reader *reader, size_t from,
                                     size_t to, crd__data_rows_take *take, void *self) {
  for (size_t first = from; first < to; first += reader->capacity) {
    crd__data_rows rows;
    const size_t left = to - first, count = left < reader->capacity ? left : reader->capacity;
    CRD_TRY(crd__data_row_reader_read(ctx, reader, first, count, &rows));
    CRD_TRY(take(ctx, self, &rows));
  }
  return CRD_OK;
}

typedef struct {
  crd__data_rows_take *take;
  void *self;
} walk;

static crd_status take_or_stop(crd_context *ctx, void *self, const crd__data_rows *rows) {
  const walk *const w = self;
  CRD_TRY(w->take(ctx, w->self, rows));
  return crd__check_interrupt(ctx);
}

crd_status crd__data_rows_walk(crd_context *ctx, const crd_predictions *predictions, unsigned needs,
                               crd__data_rows_take *take, void *self) {
  crd__data_row_reader *reader;
  walk w = { take, self };
  CRD_TRY(crd__data_row_reader_create(ctx, predictions, needs, &reader));
  const crd_status status =
      crd__data_row_reader_walk(ctx, reader, 0, predictions->rows, take_or_stop, &w);
  crd__data_row_reader_destroy(reader);
  return status;
}
