/*
 * mixup.c -- mixup of a batch with itself: x~ = l x + (1 - l) x', t~ = l t + (1 - l) t'.
 *
 * One l ~ Beta(a, a) per batch, as g1 / (g1 + g2) of two gamma variates of shape a. These are drawn
 * as logarithms (with shape 0.2 one in a hundred is below 1e-10, with shape 0.001 nearly half
 * underflow, and 0 / 0 is undefined), and only their difference is needed:
 *
 *   l = 1 / (1 + exp(log g2 - log g1))
 *
 * For shapes from 1 on: g = d v, v = (1 + x / sqrt(9 d))^3, d = a - 1/3, x normal, with rejection;
 * d cancels. Below 1: a variate of shape a + 1, times U^(1/a).
 * Zhang, Cisse, Dauphin, Lopez-Paz: mixup: beyond empirical risk minimization (ICLR 2018);
 * Marsaglia, Tsang: A simple method for generating gamma variables (ACM TOMS 26, 2000).
 */
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "data/array.h"
#include "math/sort.h"

#include "credence/loss.h"

#include <math.h>
#include <string.h>

enum { STREAM = 0x6d697875 /* "mixu" */, WORDS = 2 };

/* With a larger alpha, lambda is 1/2 to three digits, and d (1 - v + log v) would lose precision.
 */
static const double most_alpha = 1e6;
static const double turn = 6.283185307179586;

/* ---- Random numbers of a batch: a sequence for lambda, one per row for partners. */

typedef struct {
  uint64_t seed, stream, index;
} source;

static double uniform(source *s) { /* in (0, 1] */
  return 1 - crd__random_uniform(s->seed, s->stream, s->index++);
}

static size_t below(const source *s, size_t row, size_t limit) {
  return (size_t)(crd__random_bits(s->seed, ~s->stream, row) % limit);
}

static double normal(source *s) {
  const double radius = sqrt(-2 * log(uniform(s)));
  return radius * cos(turn * uniform(s));
}

/* Returns log(g / d) of a gamma variate g, for shapes from 1 on. */
static double log_gamma_variate(source *s, double shape) {
  const double d = shape - 1.0 / 3, slope = 1 / sqrt(9 * d);
  for (;;) {
    const double x = normal(s), u = uniform(s);
    if (!(slope * x > -1)) continue;
    const double log_v = 3 * log1p(slope * x);
    if (log(u) < x * x / 2 + d * (log_v - expm1(log_v))) return log_v;
  }
}

static double draw_lambda(source *s, double alpha) {
  if (alpha <= 0) return 1;
  const double shape = alpha < 1 ? alpha + 1 : alpha;
  const double first = log_gamma_variate(s, shape), second = log_gamma_variate(s, shape);
  double difference = second - first;
  if (alpha < 1) {
    const double boost = log(uniform(s));
    difference += (log(uniform(s)) - boost) / alpha; /* no inf - inf, however small alpha is */
  }
  return 1 / (1 + exp(difference));
}

/* ---- Partners. */

static void shuffle(const source *s, size_t rows, size_t *partner) {
  for (size_t i = 0; i < rows; i++) { /* Fisher-Yates, inside-out */
    const size_t j = below(s, i, i + 1);
    partner[i] = partner[j];
    partner[j] = i;
  }
}

static crd_status read_classes(crd_context *ctx, const crd_array *labels, uint64_t *records) {
  for (size_t i = 0; i < crd__data_rows_of(labels); i++) {
    int64_t label;
    if (!crd__data_array_integer(labels, i, 0, &label))
      return crd__fail(ctx, CRD_EINPUT, "labels row %zu is not a class index", i);
    records[WORDS * i] = (uint64_t)label;
    records[WORDS * i + 1] = i;
  }
  crd__math_sort_records(records, crd__data_rows_of(labels), WORDS);
  return CRD_OK;
}

/* Sorted by class, the rows of other classes are those before and after a block. */
static void pair_across(const source *s, size_t rows, const uint64_t *records, size_t *partner) {
  for (size_t from = 0, to; from < rows; from = to) {
    for (to = from + 1; to < rows && records[WORDS * to] == records[WORDS * from];) to++;
    const size_t others = rows - (to - from);
    for (size_t i = from; i < to; i++) {
      const size_t row = (size_t)records[WORDS * i + 1], at = others ? below(s, row, others) : i;
      const size_t place = others && at >= from ? at + (to - from) : at;
      partner[row] = (size_t)records[WORDS * place + 1];
    }
  }
}

static crd_status pair_classes(crd_context *ctx, const source *s, const crd_array *labels,
                               size_t *partner) {
  uint64_t *records;
  size_t words;
  if (crd__data_cols(labels) != 1)
    return crd__fail(ctx, CRD_EUSAGE, "pairs of different classes need labels, found %zu columns",
                     crd__data_cols(labels));
  if (!crd__size_mul(crd__data_rows_of(labels), WORDS, &words)) words = SIZE_MAX;
  CRD_TRY(crd__new(ctx, words, sizeof *records, "pairs", &records));
  const crd_status status = read_classes(ctx, labels, records);
  if (status == CRD_OK) pair_across(s, crd__data_rows_of(labels), records, partner);
  crd__free(&ctx->alloc, records);
  return status;
}

crd_status crd_mixup_draw(crd_context *ctx, const crd_mixup_options *options,
                          const crd_array *given, double *lambda, size_t *partner) {
  crd_array labels = *given;
  crd_mixup_options own;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_mixup_options, options, &own));
  CRD_TRY(crd__data_matrix(ctx, "batch", "labels", &labels));
  source s = { .seed = ctx->seed, .stream = (uint64_t)STREAM << 32 ^ own.step };
  if (!(own.alpha <= most_alpha))
    return crd__fail(ctx, CRD_EUSAGE, "alpha is %g, allowed are numbers up to %g", own.alpha,
                     most_alpha);
  if (own.pairs == CRD_PAIRS_DIFFERENT_CLASS) CRD_TRY(pair_classes(ctx, &s, &labels, partner));
  else shuffle(&s, crd__data_rows_of(&labels), partner);
  *lambda = draw_lambda(&s, own.alpha);
  return CRD_OK;
}

/* ---- Mixing. */

static crd_status check_pairs(crd_context *ctx, size_t rows, double lambda, const size_t *partner) {
  if (!(lambda >= 0 && lambda <= 1))
    return crd__fail(ctx, CRD_EUSAGE, "lambda is %g, allowed are 0 to 1", lambda);
  for (size_t i = 0; i < rows; i++)
    if (partner[i] >= rows)
      return crd__fail(ctx, CRD_EUSAGE, "the partner of row %zu is %zu, allowed are 0 to %zu", i,
                       partner[i], rows - 1);
  return CRD_OK;
}

/* `count` numbers; views may be unaligned. */
static void mix_f32(const unsigned char *x, const unsigned char *y, double lambda, size_t count,
                    unsigned char *out) {
  for (size_t at = 0; at < count * sizeof(float); at += sizeof(float)) {
    float one, other;
    memcpy(&one, x + at, sizeof one);
    memcpy(&other, y + at, sizeof other);
    one = (float)(lambda * (double)one + (1 - lambda) * (double)other);
    memcpy(out + at, &one, sizeof one);
  }
}

static void mix_f64(const unsigned char *x, const unsigned char *y, double lambda, size_t count,
                    unsigned char *out) {
  for (size_t at = 0; at < count * sizeof(double); at += sizeof(double)) {
    double one, other;
    memcpy(&one, x + at, sizeof one);
    memcpy(&other, y + at, sizeof other);
    one = lambda * one + (1 - lambda) * other;
    memcpy(out + at, &one, sizeof one);
  }
}

crd_status crd_mixup_rows(crd_context *ctx, const crd_array *given, double lambda,
                          const size_t *partner, void *out) {
  crd_array matrix = *given;
  const crd_array *const rows = &matrix;
  CRD_TRY(crd__data_matrix(ctx, "batch", "rows", &matrix));
  if ((rows->dtype != CRD_F32 && rows->dtype != CRD_F64) || !crd__data_array_is_direct(rows))
    return crd__fail(ctx, CRD_EUSAGE, "rows to mix are %s, allowed are f32 and f64 in C order",
                     crd_dtype_name(rows->dtype));
  CRD_TRY(check_pairs(ctx, crd__data_rows_of(rows), lambda, partner));
  const size_t bytes = crd__data_cols(rows) * crd_dtype_size(rows->dtype);
  const unsigned char *const from = rows->data;
  for (size_t i = 0; i < crd__data_rows_of(rows); i++)
    (rows->dtype == CRD_F32 ? mix_f32 : mix_f64)(from + i * bytes, from + partner[i] * bytes,
                                                 lambda, crd__data_cols(rows),
                                                 (unsigned char *)out + i * bytes);
  return CRD_OK;
}

static crd_status class_of(crd_context *ctx, const crd_array *labels, size_t row, size_t classes,
                           size_t *out) {
  int64_t label;
  if (!crd__data_array_integer(labels, row, 0, &label))
    return crd__fail(ctx, CRD_EINPUT, "labels row %zu is not a class index", row);
  if (label < 0 || (uint64_t)label >= classes)
    return crd__fail(ctx, CRD_EINPUT, "labels row %zu is %lld, allowed are 0 to %zu", row,
                     (long long)label, classes - 1);
  *out = (size_t)label;
  return CRD_OK;
}

crd_status crd_mixup_labels(crd_context *ctx, const crd_array *given, size_t classes, double lambda,
                            const size_t *partner, double *out) {
  crd_array matrix = *given;
  const crd_array *const labels = &matrix;
  CRD_TRY(crd__data_matrix(ctx, "batch", "labels", &matrix));
  size_t own = 0, other = 0;
  if (crd__data_cols(labels) != 1 || classes == 0)
    return crd__fail(ctx, CRD_EUSAGE, "labels of %zu columns and %zu classes, expected 1 and more",
                     crd__data_cols(labels), classes);
  CRD_TRY(check_pairs(ctx, crd__data_rows_of(labels), lambda, partner));
  for (size_t i = 0; i < crd__data_rows_of(labels); i++)
    CRD_TRY(class_of(ctx, labels, i, classes, &own));
  memset(out, 0, crd__data_rows_of(labels) * classes * sizeof *out);
  for (size_t i = 0; i < crd__data_rows_of(labels); i++) {
    CRD_TRY(class_of(ctx, labels, i, classes, &own));
    CRD_TRY(class_of(ctx, labels, partner[i], classes, &other));
    out[i * classes + own] += lambda;
    out[i * classes + other] += 1 - lambda;
  }
  return CRD_OK;
}
