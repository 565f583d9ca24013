/*
 * isotonic.c -- isotonic regression: the nondecreasing curve of least squared error.
 *
 * Pool adjacent violators: rows of equal probability start as one block, and a block whose event
 * frequency is not above that of the block before is merged with it. Frequencies are compared as
 * products of sums, which without weights are integers, hence exact. O(n) after sorting.
 *
 * Between the fitted probabilities the curve is linear (as in scikit-learn) or keeps the value of
 * the block below (step). Only the ends of the blocks are stored, which define it completely.
 *
 * Zadrozny, Elkan: Transforming classifier scores into accurate multiclass probability estimates
 * (2002).
 */
#include "calibrator/method/isotonic.h"
#include "base/memory.h"

#include <math.h>

enum { SCOPE, INTERPOLATION };
static const crd_setting_info settings[] = {
  [SCOPE] = CRD__SCOPE("one-vs-rest"),
  [INTERPOLATION] = { .name = "interpolation",
                      .help = "between the fitted probabilities: linear, or a step function",
                      .standard = "linear",
                      .words = "linear step" },
};

static bool violates(const crd__calibrator_block *before, const crd__calibrator_block *after) {
  return before->hits * after->weight >= after->hits * before->weight;
}

crd_status crd__calibrator_isotonic_blocks(crd_context *ctx, const crd__calibrator_samples *samples,
                                           crd__calibrator_block **out, size_t *count) {
  crd__calibrator_block *blocks;
  size_t n = 0;
  CRD_TRY(crd__new(ctx, samples->count, sizeof *blocks, "blocks", &blocks));
  for (size_t i = 0; i < samples->count; i++) {
    blocks[n++] = (crd__calibrator_block){ i, i, samples->weight[i], samples->hits[i] };
    for (; n > 1 && violates(&blocks[n - 2], &blocks[n - 1]); n--) {
      blocks[n - 2].last = blocks[n - 1].last;
      blocks[n - 2].weight += blocks[n - 1].weight;
      blocks[n - 2].hits += blocks[n - 1].hits;
    }
  }
  *out = blocks;
  *count = n;
  return CRD_OK;
}

/* Builds the curve through the blocks' ends; with `steps`, a block extends to just before the next.
 */
static void draw(const crd__calibrator_samples *samples, const crd__calibrator_block *blocks,
                 size_t count, bool steps, crd__calibrator_curve *curve) {
  for (size_t b = 0; b < count; b++) {
    const double value = blocks[b].hits / blocks[b].weight;
    const double from = b && steps ? curve->x[curve->count - 1] : samples->x[blocks[b].first];
    const double to = b + 1 < count && steps
                          ? crd__calibrator_samples_below(samples, blocks[b + 1].first)
                          : samples->x[blocks[b].last];
    crd__calibrator_curve_add_step(curve, from, to, value);
  }
}

/* Returns the mean squared error. */
static double error_of(const crd__calibrator_block *blocks, size_t count, size_t rows) {
  double sum = 0;
  for (size_t b = 0; b < count; b++)
    sum += blocks[b].hits * (1 - blocks[b].hits / blocks[b].weight);
  return sum / (double)rows;
}

crd_status crd__calibrator_isotonic_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                        bool steps, crd__calibrator_fitted *out) {
  crd__calibrator_samples samples = { 0 };
  crd__calibrator_curve curve = { 0 };
  crd__calibrator_block *blocks = NULL;
  size_t count = 0;
  crd_status status = crd__calibrator_samples_make(ctx, data, data->probability, &samples);
  if (status == CRD_OK) status = crd__calibrator_isotonic_blocks(ctx, &samples, &blocks, &count);
  if (status == CRD_OK) status = crd__calibrator_curve_create(ctx, 2 * count, &curve);
  if (status == CRD_OK) {
    draw(&samples, blocks, count, steps, &curve);
    out->certificate = (crd_certificate){ .converged = 1,
                                          .objective = error_of(blocks, count, samples.rows),
                                          .gradient_norm = NAN };
    status = crd__calibrator_curve_learn(ctx, crd__calibrator_curve_learns, &curve, out);
  }
  crd__free(&ctx->alloc, blocks);
  crd__calibrator_curve_clear(&ctx->alloc, &curve);
  crd__calibrator_samples_clear(&ctx->alloc, &samples);
  return status;
}

static crd_status isotonic_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                               crd__calibrator_fitted *out) {
  return crd__calibrator_isotonic_fit(ctx, data, data->settings[INTERPOLATION] != 0, out);
}

static crd_status isotonic_describe(crd_context *ctx, const crd__calibrator_model *model,
                                    size_t part, crd__calibrator_map *out) {
  const bool steps = model->settings[INTERPOLATION] != 0;
  return (steps ? crd__calibrator_curve_describe_steps : crd__calibrator_curve_describe)(ctx, model,
                                                                                         part, out);
}

static const crd__calibrator_event_method event = { .fit = isotonic_fit,
                                                    .apply = crd__calibrator_curve_apply,
                                                    .describe = isotonic_describe };

const crd__calibrator_method crd__calibrator_method_isotonic = {
  .info = { .name = "isotonic",
            .summary = "isotonic regression, one curve per class",
            .meaning = "Fits any monotone curve, without parameters: it needs some thousand rows, "
                       "gives equal probabilities to rows that differed, and exact zeros and "
                       "ones. With one-vs-rest, predictions may change.",
            .reference = "Zadrozny, Elkan 2002, Transforming classifier scores into accurate "
                         "multiclass probability estimates",
            .standard = SIZE_MAX,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .as_is = true,
  .learns = crd__calibrator_curve_learns,
  .event = &event,
};
