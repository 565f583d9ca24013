/*
 * bootstrap.c -- intervals of the risk of a threshold that was chosen on the same rows.
 *
 * The observed risk of a threshold chosen by the observed risk is too small. The bootstrap shows by
 * how much: resample b chooses its own threshold t_b, whose risk is R_b(t_b) on the resample and
 * R(t_b) on the data, as the threshold t of the data has the observed risk R(t) and an unknown one
 * on new rows. With the quantiles q of R_b(t_b) - R(t_b), the interval is
 *
 *   [R(t) - q_0.975, R(t) - q_0.025]
 *
 * the basic bootstrap interval of the whole procedure, and likewise for coverage and the other
 * proportions. Clustered rows are drawn by cluster. Resamples that have no threshold are left out.
 * Where all resamples agree, the interval is that of Clopper and Pearson (measure.c).
 *
 * Davison, Hinkley: Bootstrap methods and their application (1997), 5.2.
 */
#include "selective/bootstrap.h"
#include "base/memory.h"
#include "metric/resample.h"
#include "selective/choose.h"
#include "selective/measure.h"

#include <math.h>

typedef struct {
  const crd__selective_sample *sample;
  crd_operating_point *points;
  size_t count, resamples;
  unsigned char *draws;
  crd__selective_counts *drawn; /* of each step, in one resample */
  double *replicates;           /* by point, proportion and resample */
} procedure;

static double *replicate(const procedure *p, size_t point, size_t proportion) {
  return p->replicates + (point * CRD__PROPORTIONS + proportion) * p->resamples;
}

/* Adds up what the resample accepts at each step. */
static void draw_steps(const procedure *p, const unsigned char *draws) {
  const crd__selective_sample *const s = p->sample;
  crd__selective_counts sum = { 0 };
  size_t done = 0;
  for (size_t i = 0; i < s->count; i++) {
    for (; done < s->steps[i].rows; done++) {
      const size_t at = s->ranking.count - 1 - done;
      sum.cell[crd__selective_cell(s, at)] +=
          draws[at] * crd__metric_ranking_weight(&s->ranking, at);
    }
    p->drawn[i] = sum;
  }
}

static void compare(const procedure *p, size_t point, size_t index) {
  const crd__selective_sample *const s = p->sample;
  const size_t last = s->count - 1;
  const bool empty = !(crd__selective_counts_of(&p->drawn[last], CRD__ALL_ROWS) > 0);
  const size_t steps =
      empty ? 0 : crd__selective_choose_observed(p->drawn, s->count, &p->points[point].target);
  for (size_t i = 0; i < CRD__PROPORTIONS; i++)
    replicate(p, point, i)[index] =
        steps ? crd__selective_value(i, &p->drawn[steps - 1], &p->drawn[last]) -
                    crd__selective_value(i, &s->counts[steps - 1], &s->counts[last])
              : (double)NAN;
}

static crd_status repeat(crd_context *ctx, const procedure *p) {
  const size_t rows = p->sample->ranking.count;
  for (size_t first = 1; first <= p->resamples; first += CRD__RESAMPLES_AT_ONCE) {
    CRD_TRY(crd__check_interrupt(ctx));
    crd__metric_resample_draws(ctx->seed, first, &p->sample->ranking, p->draws);
    for (size_t j = 0; j < CRD__RESAMPLES_AT_ONCE && first + j <= p->resamples; j++) {
      draw_steps(p, p->draws + j * rows);
      for (size_t i = 0; i < p->count; i++) compare(p, i, first + j - 1);
    }
  }
  return CRD_OK;
}

static void set_intervals(const procedure *p, size_t point) {
  const size_t steps = crd__selective_steps_above(p->sample, p->points[point].threshold);
  for (size_t i = 0; i < crd__selective_proportion_count(p->sample); i++) {
    crd_proportion *const one = crd__selective_proportion(&p->points[point], i);
    if (isnan(one->value) || isnan(p->points[point].threshold)) continue;
    if (!crd__selective_quantiles(replicate(p, point, i), p->resamples, one->value, true, one))
      crd__selective_exact(p->sample, steps, i, one);
  }
}

crd_status crd__selective_bootstrap(crd_context *ctx, const crd__selective_sample *sample,
                                    unsigned resamples, crd_operating_point *points, size_t count) {
  procedure p = { .sample = sample, .points = points, .count = count, .resamples = resamples };
  const size_t rows = sample->ranking.count;
  if (sample->ranking.kind.clustered && sample->clusters.count < 2) return CRD_OK;
  crd_status status = crd__new(ctx, rows, CRD__RESAMPLES_AT_ONCE, "resampling", &p.draws);
  if (status == CRD_OK)
    status = crd__new(ctx, sample->count, sizeof *p.drawn, "resampling", &p.drawn);
  if (status == CRD_OK)
    status = crd__new(ctx, count * CRD__PROPORTIONS, resamples * sizeof *p.replicates, "resampling",
                      &p.replicates);
  if (status == CRD_OK) status = repeat(ctx, &p);
  for (size_t i = 0; status == CRD_OK && i < count; i++) set_intervals(&p, i);
  crd__free(&ctx->alloc, p.draws);
  crd__free(&ctx->alloc, p.drawn);
  crd__free(&ctx->alloc, p.replicates);
  return status;
}
