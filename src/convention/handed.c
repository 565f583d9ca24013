/*
 * handed.c -- predictions as a peer would get them.
 *
 * Rows are checked by the row reader, then read again as stored: probabilities are not normalised.
 * Peers that take probabilities get the softmax of logits in float64; those that take logits
 * compute it in the precision of the logits. In float32 that is PyTorch's softmax on a processor
 * with vectors of 16: differences from the maximum, exponentials, their sum in 16 lanes (sequential
 * with fewer classes) and the product with its reciprocal, each rounded to float32. This decides
 * how many confidences are exactly 1. The last digit of PyTorch's exponential is not reproduced;
 * two or three confidences in a hundred differ in it.
 */
#include "convention/handed.h"
#include "base/memory.h"
#include "data/array.h"
#include "math/sort.h"

#include <math.h>

enum { LANES = 16 };

/* Through memory: where gcc 12 vectorises two such conversions of neighbours, it drops them. */
double crd__convention_single(double value) {
  const volatile float single = (float)value;
  return single;
}

double crd__convention_input_round(const crd__convention_input *h, double value) {
  return h->single ? crd__convention_single(value) : value;
}

/* A single score is that of class 1; class 0 has the rest. */
static double score(const crd__convention_input *h, size_t i, size_t k) {
  const crd_array *const scores = &h->predictions->parts.scores;
  const size_t at = crd__data_row_at(h->predictions, i);
  if (crd__data_cols(scores) == h->classes) return crd__data_array_number(scores, at, k);
  const double given = crd__data_array_number(scores, at, 0);
  return k == 1 ? given : h->logits ? 0 : crd__convention_input_round(h, 1 - given);
}

/* exp(z - m) in the peer's precision. */
static double power(const crd__convention_input *h, size_t i, size_t k) {
  const double below = crd__convention_input_round(h, score(h, i, k) - h->top[i]);
  return crd__convention_input_round(h, exp(below));
}

double crd__convention_input_probability(const crd__convention_input *h, size_t i, size_t k) {
  if (!h->logits) return score(h, i, k);
  if (!h->single) return power(h, i, k) / h->mass[i];
  const double reciprocal = crd__convention_input_round(h, 1 / h->mass[i]);
  return crd__convention_input_round(h, power(h, i, k) * reciprocal);
}

/* The sum over the classes, in the order of a vector of 16 lanes. */
static double add_up(const crd__convention_input *h, size_t i) {
  const size_t width = h->classes < LANES ? 1 : LANES;
  double lanes[LANES] = { 0 };
  for (size_t k = 0; k < h->classes; k++)
    lanes[k % width] = crd__convention_input_round(h, lanes[k % width] + power(h, i, k));
  for (size_t half = width / 2; half > 0; half /= 2)
    for (size_t j = 0; j < half; j++)
      lanes[j] = crd__convention_input_round(h, lanes[j] + lanes[j + half]);
  return lanes[0];
}

static void take_softmax(crd__convention_input *h, size_t i) {
  h->top[i] = score(h, i, 0);
  for (size_t k = 1; k < h->classes; k++) h->top[i] = fmax(h->top[i], score(h, i, k));
  h->mass[i] = add_up(h, i);
}

/* Different logits may round to the same probability: then the first of them is predicted. */
static void take_scores(crd__convention_input *h, size_t i) {
  static const double same = 1e-5; /* logits at most this far apart may have equal probabilities */
  if (h->logits) take_softmax(h, i);
  double best = -1;
  size_t argmax = 0;
  for (size_t k = 0; k < h->classes; k++) {
    if (h->logits && score(h, i, k) < h->top[i] - same) continue;
    const double p = crd__convention_input_probability(h, i, k);
    if (p > best) {
      best = p;
      argmax = k;
    }
  }
  h->above = h->above || best > 1;
  h->confidence[i] = h->positive ? crd__convention_input_probability(h, i, 1) : best;
  h->correct[i] = h->label[i] == (h->positive ? 1 : argmax);
}

static crd_status take_block(crd_context *ctx, void *self, const crd__data_rows *rows) {
  crd__convention_input *const h = self;
  (void)ctx;
  for (size_t j = 0; j < rows->count; j++) {
    const size_t i = rows->first + j;
    h->weight[i] = rows->weight[j];
    if (rows->label) {
      h->label[i] = rows->label[j];
      take_scores(h, i);
    } else {
      h->confidence[i] = crd__convention_input_round(h, rows->confidence[j]);
      h->correct[i] = rows->correct[j];
    }
  }
  return CRD_OK;
}

/* Returns whether a peer that guesses the kind takes the scores for logits. If it gets one of two
 * columns, a softmax was already applied. */
static bool looks_like_logits(const crd__convention_input *h) {
  const crd_array *const scores = &h->predictions->parts.scores;
  if (h->positive && crd__data_cols(scores) > 1) return h->logits;
  for (size_t i = 0; i < h->rows; i++)
    for (size_t k = 0; k < crd__data_cols(scores); k++) {
      const double value = crd__data_array_number(scores, crd__data_row_at(h->predictions, i), k);
      if (value < 0 || value > 1) return true;
    }
  return false;
}

static crd_status allocate(crd_context *ctx, crd__convention_input *h) {
  const size_t rows = h->rows, scores = h->classes ? rows : 0, softmax = h->logits ? rows : 0;
  const size_t cells = (rows > h->bins ? rows : h->bins) + h->bins + 2;
  const struct {
    void *at;
    size_t count, size;
  } arrays[] = {
    { &h->confidence, rows, sizeof *h->confidence },
    { &h->weight, rows, sizeof *h->weight },
    { &h->correct, rows, sizeof *h->correct },
    { &h->label, scores, sizeof *h->label },
    { &h->column, scores, sizeof *h->column },
    { &h->is, scores, sizeof *h->is },
    { &h->top, softmax, sizeof *h->top },
    { &h->mass, softmax, sizeof *h->mass },
    { &h->records, rows, 2 * sizeof *h->records },
    { &h->edges, cells, sizeof *h->edges },
    { &h->cells, cells, sizeof *h->cells },
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    CRD_TRY(crd__new(ctx, arrays[i].count, arrays[i].size, "a peer's numbers", arrays[i].at));
  return crd__metric_ranking_reserve(ctx, &ctx->alloc, &h->ranking, rows,
                                     (crd__metric_record_kind){ .weighted = h->weighted });
}

/* Counts distinct labels, all of which are below `classes`. */
static crd_status count_labels(crd_context *ctx, crd__convention_input *h) {
  unsigned char *seen;
  CRD_TRY(crd__new(ctx, h->classes, sizeof *seen, "labels", &seen));
  for (size_t i = 0; h->classes && i < h->rows; i++) {
    h->labels += !seen[h->label[i]];
    seen[h->label[i]] = 1;
    if (h->label[i] >= h->beyond) h->beyond = h->label[i] + 1;
  }
  crd__free(&ctx->alloc, seen);
  return CRD_OK;
}

static void rank(crd__convention_input *h) {
  const crd__data_rows rows = { .count = h->rows,
                                .confidence = h->confidence,
                                .correct = h->correct,
                                .hit = h->correct,
                                .weight = h->weight };
  crd__metric_ranking_put(&h->ranking, 0, &rows, 0);
  h->ranking.count = h->rows;
  crd__metric_ranking_sort(&h->ranking);
}

crd_status crd__convention_input_make(crd_context *ctx, const crd_predictions *predictions,
                                      const crd__convention_preprocessing *custom, size_t bins,
                                      crd__convention_input *out) {
  const crd_predictions_parts *const parts = &predictions->parts;
  const bool half = parts->scores.dtype == CRD_F16, logits = parts->input == CRD_INPUT_LOGITS;
  *out = (crd__convention_input){ .predictions = predictions,
                                  .rows = predictions->rows,
                                  .classes = predictions->classes,
                                  .bins = bins,
                                  .single = (half || parts->scores.dtype == CRD_F32) &&
                                            (custom->torch || !logits),
                                  .logits = logits,
                                  .weighted = parts->weights.data != NULL };
  const bool asked = parts->binary == CRD_BINARY_POS && custom->event == CRD__EVENT_ASKED;
  out->positive = out->classes == 2 && (asked || custom->event == CRD__EVENT_POSITIVE);
  if (custom->guesses && out->classes) out->logits = looks_like_logits(out);
  CRD_TRY(allocate(ctx, out));
  CRD_TRY(crd__data_rows_walk(ctx, predictions, 0, take_block, out));
  CRD_TRY(count_labels(ctx, out));
  for (size_t i = 0; custom->adjust && i < out->rows; i++)
    out->confidence[i] = custom->adjust(out, out->confidence[i]);
  rank(out);
  return CRD_OK;
}

void crd__convention_input_clear(const crd_allocator *alloc, crd__convention_input *h) {
  void *const owned[] = { h->confidence, h->weight, h->correct, h->label, h->column, h->is,
                          h->top,        h->mass,   h->records, h->edges, h->cells };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(alloc, owned[i]);
  crd__metric_ranking_clear(alloc, &h->ranking);
}

crd__convention_samples crd__convention_input_top(const crd__convention_input *h) {
  return (crd__convention_samples){ .value = h->confidence, .is = h->correct, .count = h->rows };
}

crd__convention_samples crd__convention_input_class(crd__convention_input *h, size_t k) {
  for (size_t i = 0; i < h->rows; i++) {
    h->column[i] = crd__convention_input_probability(h, i, k);
    h->is[i] = h->label[i] == k;
  }
  return (crd__convention_samples){ .value = h->column, .is = h->is, .count = h->rows };
}

size_t crd__convention_input_distinct(crd__convention_input *h, const double *values) {
  size_t distinct = 0;
  for (size_t i = 0; i < h->rows; i++) {
    h->records[2 * i] = crd__math_sort_key(values[i]);
    h->records[2 * i + 1] = 0;
  }
  crd__math_sort_records(h->records, h->rows, 2);
  for (size_t i = 0; i < h->rows; i++)
    distinct += i == 0 || h->records[2 * i] != h->records[2 * i - 2];
  return distinct;
}
