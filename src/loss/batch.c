/*
 * batch.c -- reads logits and targets, and computes the quantities that terms use.
 *
 * One pass over the rows, each independently: softmax and sums by the row kernels, in float64
 * whatever the type of the logits, so every number of threads gives the same bits. Small quantities
 * are never differences of large ones: 1 - p of the largest p is summed over the other classes.
 */
#include "base/number.h"
#include "base/parallel.h"
#include "data/array.h"
#include "loss/loss.h"

#include <math.h>
#include <string.h>

/* CHUNK: logits per chunk; with fewer, threads cost more than they save. */
enum { CHUNK = 1 << 16, BLOCK = 16 };

typedef struct {
  const crd_array *logits;
  const crd_targets *targets;
  crd__loss_scratch *s;
  const crd__math_row_kernels *kernels;
  bool shares;
} reading;

static crd_status bad_logit(crd_context *ctx, const reading *r, size_t row) {
  for (size_t k = 0; k < r->s->classes; k++) {
    const double z = r->s->logits[row * r->s->classes + k];
    if (!isfinite(z))
      return crd__fail(ctx, CRD_EINPUT, "logits row %zu, class %zu is %s, expected a finite number",
                       row, k,
                       isnan(z) ? "NaN"
                       : z > 0  ? "infinite"
                                : "minus infinity");
  }
  return CRD_OK;
}

static crd_status read_label(crd_context *ctx, const reading *r, size_t row) {
  int64_t label;
  const bool whole = crd__data_array_integer(&r->targets->labels, row, 0, &label);
  if (whole && r->targets->has_ignored && label == r->targets->ignored) {
    r->s->weight[row] = 0;
    label = 0; /* any class: the weight is 0 */
  }
  if (!whole) return crd__fail(ctx, CRD_EINPUT, "labels row %zu is not a class index", row);
  if (label < 0 || (uint64_t)label >= r->s->classes)
    return crd__fail(ctx, CRD_EINPUT, "labels row %zu is %lld, allowed are 0 to %zu", row,
                     (long long)label, r->s->classes - 1);
  r->s->label[row] = (size_t)label;
  return CRD_OK;
}

static crd_status read_shares(crd_context *ctx, const reading *r, size_t row) {
  double *const t = r->s->target + row * r->s->classes;
  double sum = 0;
  for (size_t k = 0; k < r->s->classes; k++) {
    t[k] = crd__data_array_number(&r->targets->labels, row, k);
    if (!(t[k] >= 0 && t[k] <= 1))
      return crd__fail(ctx, CRD_EINPUT,
                       "labels row %zu, class %zu is not a probability from 0 to 1", row, k);
    sum += t[k];
  }
  if (fabs(sum - 1) > 1e-4)
    return crd__fail(ctx, CRD_EINPUT, "labels row %zu: class probabilities do not sum to 1", row);
  for (size_t k = 0; k < r->s->classes; k++) t[k] /= sum; /* so that gradients sum to 0 */
  return CRD_OK;
}

static crd_status read_weight(crd_context *ctx, const reading *r, size_t row) {
  const crd_array *const weights = &r->targets->weights;
  r->s->weight[row] = weights->data ? crd__data_array_number(weights, row, 0) : 1;
  if (r->s->weight[row] >= 0 && isfinite(r->s->weight[row])) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "weights row %zu is negative or not finite", row);
}

static crd_status check_history(crd_context *ctx, const crd_targets *targets, size_t row) {
  if (!targets->history.data) return CRD_OK;
  const double count = crd__data_array_number(&targets->history, row, 0);
  if (count >= targets->history_low && count <= targets->epochs && isfinite(targets->epochs))
    return CRD_OK;
  char found[CRD__NUMBER_SIZE], low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  return crd__fail(ctx, CRD_EINPUT, "history row %zu is %s, allowed are %s to %s, its epochs", row,
                   crd__number_format(found, count), crd__number_format(low, targets->history_low),
                   crd__number_format(high, targets->epochs));
}

/* Returns 1 - confidence, summed over the other classes. */
static double others(const crd__loss_scratch *s, size_t row) {
  const double *const p = s->p + row * s->classes;
  const size_t j = s->predicted[row];
  return crd__loss_sum(p, j) + crd__loss_sum(p + j + 1, s->classes - j - 1);
}

static double rest_of(const crd__loss_scratch *s, size_t row, size_t k) {
  return k == s->predicted[row] ? s->confidence_rest[row] : 1 - s->p[row * s->classes + k];
}

static double log_of(const crd__loss_scratch *s, size_t row, size_t k) {
  return crd__loss_log_of(rest_of(s, row, k), s->logits[row * s->classes + k], s->log_sum[row]);
}

static void look_at_label(crd__loss_scratch *s, size_t row) {
  const size_t y = s->label[row];
  s->label_rest[row] = rest_of(s, row, y);
  s->label_log[row] = log_of(s, row, y);
  s->correct[row] = y == s->predicted[row];
}

static void look_at_shares(crd__loss_scratch *s, size_t row) {
  const double *const t = s->target + row * s->classes;
  double sum = 0;
  for (size_t k = 0; k < s->classes; k++)
    if (t[k] > 0) sum += t[k] * log_of(s, row, k);
  s->label_log[row] = sum;
  s->label_rest[row] = (double)NAN;
  s->correct[row] = t[s->predicted[row]];
}

static crd_status read_row(crd_context *ctx, const reading *r, size_t row,
                           const crd__math_row_summary *sum) {
  crd__loss_scratch *const s = r->s;
  if (!sum->finite) return bad_logit(ctx, r, row);
  s->predicted[row] = sum->argmax;
  s->log_sum[row] = sum->top + log(sum->mass);
  s->confidence[row] = 1 / sum->mass;
  s->confidence_rest[row] = others(s, row);
  const double top_log = crd__loss_log_of(s->confidence_rest[row], 0, log(sum->mass));
  s->entropy[row] = fmax(0, -top_log - sum->mean / sum->mass);
  CRD_TRY(read_weight(ctx, r, row));
  CRD_TRY(check_history(ctx, r->targets, row));
  if (r->shares) {
    CRD_TRY(read_shares(ctx, r, row));
    look_at_shares(s, row);
  } else {
    CRD_TRY(read_label(ctx, r, row));
    look_at_label(s, row);
  }
  return CRD_OK;
}

/* Converts rows to float64, unless they are float64 in `out` already. */
static void widen(const void *rows, crd__math_row_type type, size_t cells, double *out) {
  if (rows == out) return;
  if (type == CRD__ROW_F64) memcpy(out, rows, cells * sizeof *out);
  else
    for (size_t i = 0; i < cells; i++) { /* perhaps not aligned */
      float single;
      memcpy(&single, (const char *)rows + i * sizeof single, sizeof single);
      out[i] = (double)single;
    }
}

/* A few rows at a time, which stay in the cache from one step to the next. */
static crd_status read_chunk(crd_context *local, void *arg, unsigned worker, size_t from,
                             size_t to) {
  const reading *const r = arg;
  const size_t classes = r->s->classes;
  (void)worker;
  for (size_t first = from; first < to; first += BLOCK) {
    const size_t count = to - first < BLOCK ? to - first : BLOCK, at = first * classes;
    crd__math_row_summary sums[BLOCK];
    crd__math_row_type type;
    const void *const rows =
        crd__data_array_rows(r->logits, first, count, r->s->logits + at, &type);
    r->kernels->resolve(rows, type, count, classes, sums, r->s->p + at);
    widen(rows, type, count * classes, r->s->logits + at);
    for (size_t i = 0; i < count; i++) CRD_TRY(read_row(local, r, first + i, &sums[i]));
  }
  return CRD_OK;
}

crd_status crd__loss_batch_read(crd_context *ctx, const crd_array *logits,
                                const crd_targets *targets, crd__loss_scratch *s,
                                crd__loss_batch *out) {
  reading r = { .logits = logits,
                .targets = targets,
                .s = s,
                .kernels = crd__math_row_kernels_best(),
                .shares = crd__data_cols(&targets->labels) > 1 };
  const size_t chunk = CHUNK / s->classes + 1;
  CRD_TRY(crd__parallel_for(ctx, NULL, s->rows, chunk, read_chunk, &r));
  double total = 0;
  for (size_t i = 0; i < s->rows; i++) total += s->weight[i];
  *out = (crd__loss_batch){ .rows = s->rows,
                            .classes = s->classes,
                            .p = s->p,
                            .logits = s->logits,
                            .log_sum = s->log_sum,
                            .label = r.shares ? NULL : s->label,
                            .target = r.shares ? s->target : NULL,
                            .label_log = s->label_log,
                            .label_rest = r.shares ? NULL : s->label_rest,
                            .predicted = s->predicted,
                            .confidence = s->confidence,
                            .confidence_rest = s->confidence_rest,
                            .entropy = s->entropy,
                            .correct = s->correct,
                            .weight = s->weight,
                            .total = total,
                            .targets = targets };
  return CRD_OK;
}
