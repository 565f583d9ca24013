/* examine.c -- examines predictions in up to three passes: counts faults instead of failing. */
#include "doctor/examine.h"
#include "base/memory.h"
#include "data/array.h"
#include "metric/top_bins.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 };

extern const crd__metric crd__metric_ece;

/* The share of rows that must agree before scores are taken for another kind than recognised. */
static const double most = 0.9;

typedef struct {
  double *scratch; /* BLOCK x classes */
  crd__math_row_summary *summary;
  double *ones, *confidence;
  unsigned char *correct;
  size_t judged; /* elements of the two above */
  crd__doctor_hashes hashes;
  crd__data_row_reader *pairs; /* NULL: scores */
  crd__doctor_relating relating;
  double *probabilities; /* BLOCK x classes, of the third pass */
} workspace;

void crd__doctor_spots_add(crd__doctor_spots *spots, uint64_t row) {
  if (spots->count < CRD__SPOTS) spots->row[spots->count] = row;
  spots->count++;
}

/* ---- The first pass: stored scores and labels. */

static void look_at_infinite(crd__doctor_examination *x, size_t row) {
  const crd_array *const scores = &x->predictions->parts.scores;
  const size_t at = crd__data_row_at(x->predictions, row);
  crd__doctor_spots_add(&x->not_finite, x->predictions->parts.first_row + at);
  for (size_t k = 0; k < crd__data_cols(scores); k++) {
    const double value = crd__data_array_number(scores, at, k);
    if (isfinite(value)) continue;
    *(isnan(value) ? &x->nan : value > 0 ? &x->infinite : &x->minus_infinite) += 1;
    return;
  }
}

static void look_at_scores(crd__doctor_examination *x, size_t row, const crd__math_row_summary *s) {
  const crd_array *const scores = &x->predictions->parts.scores;
  const size_t at = crd__data_row_at(x->predictions, row);
  const uint64_t number = x->predictions->parts.first_row + at;
  const bool unit = crd__data_probability_fits(x->predictions, s->low) &&
                    crd__data_probability_fits(x->predictions, s->top);
  const bool sums = crd__data_cols(scores) > 1;
  const double deviation = sums ? fabs(s->mass - 1) : 0;
  crd__doctor_score_stats *const look = &x->look;
  look->rows++;
  look->low = fmin(look->low, s->low);
  look->high = fmax(look->high, s->top);
  look->percentages +=
      s->low >= 0 && s->top > 1.5 && s->top <= 100.001 && (!sums || fabs(s->mass - 100) <= 1);
  if (!unit) crd__doctor_spots_add(&look->outside, number);
  else if (deviation > x->predictions->tolerance) crd__doctor_spots_add(&look->off, number);
  else if (deviation > look->deviation) {
    look->deviation = deviation;
    look->deviation_row = number;
  }
  if (unit) {
    look->sum_low = fmin(look->sum_low, s->mass);
    look->sum_high = fmax(look->sum_high, s->mass);
  } else if (sums && s->top <= 0) {
    double mass = 0;
    for (size_t k = 0; k < crd__data_cols(scores); k++)
      mass += exp(crd__data_array_number(scores, at, k));
    look->log_probabilities += fabs(mass - 1) <= CRD__PROBABILITY_SLACK;
  }
}

/* Counts a bad label. The context has the error message: "FILE: labels row 17: found ...". */
static void add_bad_label(const crd_context *ctx, crd__doctor_examination *x, size_t row) {
  const crd_predictions_parts *const parts = &x->predictions->parts;
  crd__doctor_label_stats *const look = &x->labels;
  const char *const message = strstr(ctx->message, ": ");
  if (look->bad.count == 0 && message)
    snprintf(look->first_bad, sizeof look->first_bad, "%.250s", message + 2);
  crd__doctor_spots_add(&look->bad, parts->first_row + crd__data_row_at(x->predictions, row));
}

static crd_status look_at_label(crd_context *ctx, crd__doctor_examination *x, size_t row,
                                const crd__math_row_summary *s) {
  const crd_predictions *const p = x->predictions;
  crd__doctor_label_stats *const look = &x->labels;
  int64_t number = 0;
  size_t label;
  if (x->classes == 0) return CRD_OK;
  const crd_status status = crd__data_labels_read(ctx, p, row, 1, &label);
  if (status != CRD_OK && status != CRD_EINPUT) return status;
  if (status != CRD_OK) add_bad_label(ctx, x, row);
  if (crd__data_cols(&p->parts.labels) > 1) return CRD_OK;
  look->whole = look->whole &&
                crd__data_array_integer(&p->parts.labels, crd__data_row_at(p, row), 0, &number);
  if (number < look->low) look->low = number;
  if (number > look->high) look->high = number;
  if (!s->finite) return CRD_OK;
  look->rows++;
  look->hits += status == CRD_OK && label == s->argmax;
  look->hits_less += number > 0 && (uint64_t)number - 1 == s->argmax;
  return CRD_OK;
}

static crd_status look_at_block(crd_context *ctx, crd__doctor_examination *x, workspace *w,
                                size_t from, size_t count) {
  const crd_array *const scores = &x->predictions->parts.scores;
  crd__math_row_type type;
  const void *const rows = crd__data_stored_rows(x->predictions, from, count, w->scratch, &type);
  crd__math_row_kernels_best()->probabilities(rows, type, count, crd__data_cols(scores), 0,
                                              w->summary);
  for (size_t i = 0; i < count; i++) {
    const crd__math_row_summary *const s = &w->summary[i];
    CRD_TRY(look_at_label(ctx, x, from + i, s));
    if (!s->finite) {
      look_at_infinite(x, from + i);
      continue;
    }
    look_at_scores(x, from + i, s);
    if (x->classes) crd__doctor_hashes_add(&w->hashes, x->predictions, from + i, s);
  }
  return CRD_OK;
}

/*
 * Whether labels 1 .. K mean classes 0 .. K-1. With label K they must, unless accuracy gets worse;
 * without it, as in a part of a large file, if significantly more rows are correct with 1
 * subtracted (under the null hypothesis, each row that is correct either way is equally likely to
 * be either).
 */
static bool counts_from_one(const crd__doctor_examination *x, bool single) {
  static const double deviations = 4;
  const crd__doctor_label_stats *const look = &x->labels;
  const double less = (double)look->hits_less, as_is = (double)look->hits;
  if (look->low < 1 || look->high > (int64_t)x->classes) return false;
  if (look->low == 1 && look->high == (int64_t)x->classes) return single || less >= as_is;
  return !single && less - as_is > deviations * sqrt(less + as_is);
}

/* Decides what kind of scores and labels these are, after the first pass. */
static void settle(crd__doctor_examination *x) {
  const crd__doctor_score_stats *const look = &x->look;
  crd__doctor_label_stats *const labels = &x->labels;
  const double enough = most * (double)look->rows;
  const bool single = crd__data_cols(&x->predictions->parts.scores) == 1;
  x->percent = look->rows > 0 && (double)look->percentages >= enough;
  const uint64_t failing = look->outside.count + look->off.count;
  const bool rounded = look->outside.count == 0 && look->sum_low > 0.8 && look->sum_high < 1.2;
  if (x->predictions->recognised && look->rows > 0 &&
      ((double)(look->rows - failing) >= enough || (!single && (x->percent || rounded))))
    x->input = CRD_INPUT_PROBABILITIES;
  if (x->classes && !x->percent && 2 * look->outside.count > look->rows)
    x->input = CRD_INPUT_LOGITS; /* even if declared as probabilities */
  labels->from_one = x->classes && labels->whole && counts_from_one(x, single);
}

/* ---- The second pass: confidences. */

static void judge_row(crd__doctor_examination *x, workspace *w, double confidence, bool correct,
                      bool hit) {
  const double gap = confidence - correct;
  w->confidence[w->judged] = confidence;
  w->correct[w->judged++] = correct;
  x->usable++;
  x->right += correct;
  x->hits += hit;
  x->confidence += confidence;
  x->spread += fmax(confidence * (1 - confidence), 0);
  x->gap_square += gap * gap;
}

static void judge_probabilities(crd__doctor_examination *x, const void *rows,
                                crd__math_row_type type, size_t at, const crd__math_row_summary *s,
                                size_t label) {
  for (size_t k = 0; k < x->classes; k++) x->zeros += crd__math_row_score(rows, type, at + k) == 0;
  const double score = crd__math_row_score(rows, type, at + label);
  if (score > 0) x->nll -= log(score / s->mass);
}

/* Reads the true class of a row; returns false if its label is invalid. */
static bool true_class(crd_context *ctx, const crd__doctor_examination *x, size_t row,
                       size_t *out) {
  const crd_predictions *const p = x->predictions;
  int64_t number = 0;
  if (!x->labels.from_one) return crd__data_labels_read(ctx, p, row, 1, out) == CRD_OK;
  if (!crd__data_array_integer(&p->parts.labels, crd__data_row_at(p, row), 0, &number))
    return false;
  *out = (size_t)(number - 1);
  return true;
}

/* Reads rows of scores as the kind they are, and summarises each in w->summary. */
static const void *read_scores(const crd__doctor_examination *x, workspace *w, size_t from,
                               size_t count, crd__math_row_type *type) {
  crd_predictions seen = *x->predictions;
  const crd__math_row_kernels *const kernels = crd__math_row_kernels_best();
  seen.parts.input = x->input;
  const void *const rows = crd__data_score_rows(&seen, from, count, w->scratch, type);
  (x->input == CRD_INPUT_LOGITS ? kernels->logits : kernels->probabilities)(
      rows, *type, count, x->classes, 0, w->summary);
  return rows;
}

/* Returns whether a row is usable; sets its true class. */
static bool is_usable(crd_context *ctx, const crd__doctor_examination *x, size_t row,
                      const crd__math_row_summary *s, size_t *label) {
  if (!s->finite || !true_class(ctx, x, row, label)) return false;
  return x->input == CRD_INPUT_LOGITS || (s->low >= 0 && s->mass > 0);
}

static crd_status judge_scores(crd_context *ctx, crd__doctor_examination *x, workspace *w,
                               size_t from, size_t count) {
  const bool logits = x->input == CRD_INPUT_LOGITS;
  crd__math_row_type type;
  const void *const rows = read_scores(x, w, from, count, &type);
  for (size_t i = 0; i < count; i++) {
    const crd__math_row_summary *const s = &w->summary[i];
    size_t label;
    if (!is_usable(ctx, x, from + i, s, &label)) continue;
    const double own =
        crd__math_row_score(rows, type, i * x->classes + (x->positive ? 1 : s->argmax));
    const double confidence = (logits ? exp(own - s->top) : own) / s->mass;
    judge_row(x, w, confidence, x->positive ? label == 1 : label == s->argmax, label == s->argmax);
    x->labelled[label]++;
    x->predicted[s->argmax]++;
    x->full += logits ? s->mass == 1 : s->top >= (x->percent ? 100 : 1);
    if (logits) continue;
    judge_probabilities(x, rows, type, i * x->classes, s, label);
    if (crd__math_row_score(rows, type, i * x->classes + label) == 0)
      crd__doctor_spots_add(&x->impossible, x->predictions->parts.first_row +
                                                crd__data_row_at(x->predictions, from + i));
  }
  return CRD_OK;
}

static crd_status judge_pairs(crd_context *ctx, crd__doctor_examination *x, workspace *w,
                              size_t from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    crd__data_rows rows;
    const crd_status status = crd__data_row_reader_read(ctx, w->pairs, from + i, 1, &rows);
    const double value = crd__data_array_number(&x->predictions->parts.scores,
                                                crd__data_row_at(x->predictions, from + i), 0);
    if (status == CRD_EINPUT && crd__data_probability_fits(x->predictions, value))
      add_bad_label(ctx, x, from + i);
    if (status == CRD_EINPUT) continue;
    CRD_TRY(status);
    judge_row(x, w, rows.confidence[0], rows.correct[0], rows.hit[0]);
    x->full += rows.confidence[0] >= 1;
  }
  return CRD_OK;
}

static crd_status judge_block(crd_context *ctx, crd__doctor_examination *x, workspace *w,
                              size_t from, size_t count) {
  w->judged = 0;
  CRD_TRY((x->classes ? judge_scores : judge_pairs)(ctx, x, w, from, count));
  const crd__data_rows rows = {
    .count = w->judged, .weight = w->ones, .confidence = w->confidence, .correct = w->correct
  };
  crd__metric_top_bins.add(
      x->bins, &(crd__metric_shape){ .classes = x->classes, .bins = CRD__DOCTOR_BINS }, &rows);
  return CRD_OK;
}

/* ---- The third pass, if accuracy is at chance level: probabilities of all classes. */

static crd_status relate_block(crd_context *ctx, crd__doctor_examination *x, workspace *w,
                               size_t from, size_t count) {
  crd__math_row_type type;
  const void *const rows = read_scores(x, w, from, count, &type);
  const bool logits = x->input == CRD_INPUT_LOGITS;
  if (logits)
    crd__math_row_kernels_best()->softmax(rows, type, count, x->classes, w->probabilities);
  for (size_t i = 0; i < count; i++) {
    double *const p = w->probabilities + i * x->classes;
    size_t label;
    if (!is_usable(ctx, x, from + i, &w->summary[i], &label)) continue;
    for (size_t k = 0; !logits && k < x->classes; k++)
      p[k] = crd__math_row_score(rows, type, i * x->classes + k) / w->summary[i].mass;
    crd__doctor_relate_row(&w->relating, p, x->classes, label);
  }
  return CRD_OK;
}

/* ---- All passes. */

typedef crd_status pass(crd_context *ctx, crd__doctor_examination *x, workspace *w, size_t from,
                        size_t count);

static crd_status walk(crd_context *ctx, crd__doctor_examination *x, workspace *w,
                       const char *stage, pass *take) {
  for (size_t from = 0; from < x->rows; from += BLOCK) {
    const size_t count = x->rows - from < BLOCK ? x->rows - from : BLOCK;
    CRD_TRY(crd__check_interrupt(ctx));
    crd__progress(ctx, stage, from, x->rows);
    CRD_TRY(take(ctx, x, w, from, count));
  }
  return CRD_OK;
}

static crd_status relate(crd_context *ctx, crd__doctor_examination *x, workspace *w) {
  const struct {
    void *at;
    size_t count;
  } arrays[] = { { &w->probabilities, BLOCK * x->classes },
                 { &w->relating.mean, x->classes },
                 { &w->relating.square, x->classes } };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    CRD_TRY(crd__new(ctx, arrays[i].count, sizeof(double), "an examination", arrays[i].at));
  CRD_TRY(walk(ctx, x, w, "looking at labels", relate_block));
  x->relation = crd__doctor_relate(x, &w->relating);
  return CRD_OK;
}

static crd_status allocate(crd_context *ctx, crd__doctor_examination *x, workspace *w) {
  const crd__metric_shape shape = { .classes = x->classes, .bins = CRD__DOCTOR_BINS };
  const size_t classes = x->classes ? x->classes : 1;
  size_t cells, records;
  if (!crd__size_mul(BLOCK, classes, &cells)) cells = SIZE_MAX;
  if (!crd__size_mul(2, x->classes ? x->rows : 0, &records)) records = SIZE_MAX;
  const struct {
    void *at;
    size_t count, size;
  } arrays[] = {
    { &x->labelled, classes, sizeof *x->labelled },
    { &x->predicted, classes, sizeof *x->predicted },
    { &x->bins, crd__metric_top_bins.cells(&shape), sizeof *x->bins },
    { &w->scratch, cells, sizeof *w->scratch },
    { &w->summary, BLOCK, sizeof *w->summary },
    { &w->ones, BLOCK, sizeof *w->ones },
    { &w->confidence, BLOCK, sizeof *w->confidence },
    { &w->correct, BLOCK, sizeof *w->correct },
    { &w->hashes.records, records, sizeof *w->hashes.records },
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    CRD_TRY(crd__new(ctx, arrays[i].count, arrays[i].size, "an examination", arrays[i].at));
  for (size_t i = 0; i < BLOCK; i++) w->ones[i] = 1;
  return x->classes ? CRD_OK : crd__data_row_reader_create(ctx, x->predictions, 0, &w->pairs);
}

/*
 * The expected ECE if accuracy equalled confidence in every bin: sum_m (n_m / N) sqrt(2 C_m (1 -
 * C_m) / (pi n_m)). The noise floor of evaluation takes the variance from accuracy, which is 0 for
 * a bin whose few rows are all correct; with few rows this one is larger, and more realistic.
 */
static double calibrated_floor(const crd__doctor_examination *x) {
  static const double pi = 3.14159265358979323846;
  double error = 0;
  for (size_t m = 0; m < CRD__DOCTOR_BINS; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(x->bins, m);
    error += sqrt(2 * fmax(bin.confidence * (1 - bin.confidence), 0) * (double)bin.rows / pi);
  }
  return error / (double)x->usable;
}

static crd_status examine(crd_context *ctx, crd__doctor_examination *x, workspace *w) {
  CRD_TRY(allocate(ctx, x, w));
  CRD_TRY(walk(ctx, x, w, "looking at scores", look_at_block));
  settle(x);
  x->copies = crd__doctor_hashes_count(&w->hashes, x->predictions);
  CRD_TRY(walk(ctx, x, w, "judging confidences", judge_block));
  const crd__metric_facts facts = { .shape = { .classes = x->classes, .bins = CRD__DOCTOR_BINS },
                                    .weight = (double)x->usable,
                                    .cells = x->bins };
  if (x->usable == 0) return CRD_OK;
  if (crd__doctor_at_chance(x)) CRD_TRY(relate(ctx, x, w));
  x->ece = crd__metric_ece.finish(&facts).value;
  x->noise_floor = fmax(crd__metric_ece.noise_floor(&facts), calibrated_floor(x));
  return CRD_OK;
}

crd_status crd__doctor_examine(crd_context *ctx, const crd_predictions *predictions,
                               crd__doctor_examination *out) {
  workspace w = { 0 };
  *out = (crd__doctor_examination){
    .ctx = ctx,
    .predictions = predictions,
    .rows = predictions->rows,
    .classes = predictions->classes,
    .input = predictions->parts.input,
    .positive = predictions->parts.binary == CRD_BINARY_POS && predictions->classes == 2,
    .look = { .low = INFINITY, .high = -INFINITY, .sum_low = INFINITY, .sum_high = -INFINITY },
    .labels = { .whole = true, .low = INT64_MAX, .high = INT64_MIN },
  };
  CRD_TRY(crd__data_labels_require(ctx, predictions));
  const crd_status status = examine(ctx, out, &w);
  void *const owned[] = { w.scratch,       w.summary,       w.ones,
                          w.confidence,    w.correct,       w.hashes.records,
                          w.probabilities, w.relating.mean, w.relating.square };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(&ctx->alloc, owned[i]);
  crd__data_row_reader_destroy(w.pairs);
  return status;
}

void crd__doctor_examination_clear(const crd_allocator *alloc,
                                   crd__doctor_examination *examination) {
  crd__free(alloc, examination->labelled);
  crd__free(alloc, examination->predicted);
  crd__free(alloc, examination->bins);
}
