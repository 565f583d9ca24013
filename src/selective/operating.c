/* operating.c -- finds, measures and applies operating points. */
#include "credence/operating.h"
#include "base/arena.h"
#include "base/number.h"
#include "base/options.h"
#include "base/table.h"
#include "selective/bootstrap.h"
#include "selective/choose.h"
#include "selective/halves.h"
#include "selective/measure.h"
#include "selective/promise.h"

#include <math.h>

enum { RESAMPLES = 1000 };

const char *crd_guarantee_name(crd_guarantee guarantee) {
  static const char *const names[] = {
#define X(name, text) text,
    CRD_GUARANTEE_LIST(X)
#undef X
  };
  return CRD_NAME_AT(names, guarantee);
}

const char *crd_promise_name(crd_promise promise) {
  static const char *const names[] = { [CRD_PROMISE_HOLDS] = "holds",
                                       [CRD_PROMISE_BROKEN] = "broken",
                                       [CRD_PROMISE_UNDECIDED] = "undecided" };
  return CRD_NAME_AT(names, promise);
}

/* The table in the making, in its arena. */
typedef struct {
  crd_operating_table table;
  crd_operating_point *items;
} owner;

void crd_operating_destroy(const crd_operating_table *table) { crd__arena_free(table); }

static crd_status create(crd_context *ctx, size_t count, owner **out) {
  CRD_TRY(crd__arena_new(ctx, sizeof **out, "operating points", out));
  (*out)->table.count = count;
  const crd_status status =
      crd__arena_add(ctx, *out, count, sizeof *(*out)->items, "operating points", &(*out)->items);
  (*out)->table.items = (*out)->items;
  if (status != CRD_OK) crd__arena_free(*out);
  return status;
}

static crd_status check(crd_context *ctx, const crd_operating_options *options) {
  char value[CRD__NUMBER_SIZE];
  if (options->target_count == 0) return crd__fail(ctx, CRD_EUSAGE, "no target risk or coverage");
  for (size_t i = 0; i < options->target_count; i++) {
    const crd_target *const t = &options->targets[i];
    const bool risk = t->kind == CRD_TARGET_RISK;
    if (risk ? t->value >= 0 && t->value < 1 : t->value > 0 && t->value <= 1) continue;
    return crd__fail(ctx, CRD_EUSAGE, "%s %s, allowed are %s",
                     risk ? "target risk" : "target coverage", crd__number_format(value, t->value),
                     risk ? "0 or more, below 1" : "above 0, at most 1");
  }
  return CRD_OK;
}

/* Sets the threshold, or the reason why there is none; `chosen` NULL: rows cannot be split. */
static crd_status choose_one(crd_context *ctx, const owner *o, const crd__selective_sample *chosen,
                             const crd_target *target, crd_guarantee guarantee,
                             crd_operating_point *out) {
  crd__text text;
  size_t steps = 0;
  const bool tested = guarantee == CRD_GUARANTEE_HELD_OUT && target->kind == CRD_TARGET_RISK;
  if (chosen && tested) steps = crd__selective_choose_tested(chosen, target->value);
  else if (chosen) steps = crd__selective_choose_observed(chosen->counts, chosen->count, target);
  *out =
      (crd_operating_point){ .target = *target,
                             .threshold = steps ? chosen->steps[steps - 1].threshold : (double)NAN,
                             .promised = (double)NAN };
  if (steps) return CRD_OK;
  crd__text_init(&text, crd__arena_allocator(o));
  crd__selective_unreachable(&text, target, guarantee, chosen);
  out->reason = text.bytes;
  return crd__text_status(ctx, &text);
}

/* Measures a point whose threshold is set. */
static crd_status measure_one(crd_context *ctx, const owner *o, const crd__selective_sample *s,
                              unsigned resamples, crd_operating_point *out) {
  const size_t steps = crd__selective_steps_above(s, out->threshold);
  crd__selective_measure(s, steps, out);
  if (isnan(out->threshold)) return CRD_OK;
  if (steps == 0) CRD_TRY(crd__arena_text(ctx, o, "no measured row is accepted", &out->reason));
  return crd__selective_intervals(ctx, s, steps, resamples, out);
}

static crd_status fill(crd_context *ctx, const crd__selective_sample *chosen,
                       const crd__selective_sample *measured, const crd_operating_options *options,
                       owner *o) {
  const bool whole = options->guarantee == CRD_GUARANTEE_BOOTSTRAP;
  const unsigned resamples = options->resamples ? options->resamples : RESAMPLES;
  crd__text text;
  for (size_t i = 0; i < o->table.count; i++) {
    CRD_TRY(choose_one(ctx, o, chosen, &options->targets[i], options->guarantee, &o->items[i]));
    if (whole)
      crd__selective_measure(measured, crd__selective_steps_above(measured, o->items[i].threshold),
                             &o->items[i]);
    else CRD_TRY(measure_one(ctx, o, measured, resamples, &o->items[i]));
  }
  if (whole) CRD_TRY(crd__selective_bootstrap(ctx, measured, resamples, o->items, o->table.count));
  o->table.guarantee = options->guarantee;
  o->table.interval = crd__selective_interval(options->guarantee, measured);
  o->table.chosen_rows = chosen ? chosen->ranking.count : 0;
  o->table.measured_rows = measured->ranking.count;
  o->table.binary = measured->classes == 2;
  crd__text_init(&text, crd__arena_allocator(o));
  crd__selective_promise(&text, &o->table, measured, options->fitted);
  o->table.text = text.bytes;
  return crd__text_status(ctx, &text);
}

/* `choose` may be `measure`, or NULL: rows that cannot be split. */
static crd_status find(crd_context *ctx, const crd_predictions *choose,
                       const crd_predictions *measure, const crd_operating_options *options,
                       const crd_operating_table **out) {
  crd__selective_sample chosen = { 0 }, measured = { 0 };
  owner *o;
  CRD_TRY(create(ctx, options->target_count, &o));
  const bool two = choose && choose != measure;
  crd_status status = crd__selective_sample_make(ctx, measure, &measured);
  if (status == CRD_OK && two) status = crd__selective_sample_make(ctx, choose, &chosen);
  if (status == CRD_OK)
    status = fill(ctx, two ? &chosen : choose ? &measured : NULL, &measured, options, o);
  crd__selective_sample_clear(&ctx->alloc, &chosen);
  crd__selective_sample_clear(&ctx->alloc, &measured);
  if (status == CRD_OK) *out = &o->table;
  else crd__arena_free(o);
  return status;
}

crd_status crd_operating_choose(crd_context *ctx, const crd_predictions *choose,
                                const crd_predictions *measure,
                                const crd_operating_options *options,
                                const crd_operating_table **out) {
  crd_operating_options chosen;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_operating_options, options, &chosen));
  CRD_TRY(check(ctx, &chosen));
  chosen.guarantee = CRD_GUARANTEE_HELD_OUT;
  return find(ctx, choose, measure, &chosen, out);
}

crd_status crd_operating_find(crd_context *ctx, const crd_predictions *predictions,
                              const crd_operating_options *options,
                              const crd_operating_table **out) {
  crd__selective_halves halves;
  crd_operating_options chosen;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_operating_options, options, &chosen));
  CRD_TRY(check(ctx, &chosen));
  chosen.fitted = 0;
  if (chosen.guarantee == CRD_GUARANTEE_BOOTSTRAP)
    return find(ctx, predictions, predictions, &chosen, out);
  CRD_TRY(crd__selective_halves_make(ctx, predictions, &halves));
  const crd_status status =
      find(ctx, halves.choose, halves.choose ? halves.measure : predictions, &chosen, out);
  crd__selective_halves_clear(&ctx->alloc, &halves);
  return status;
}

/* ---- Other rows. */

static void judge(crd_operating_point *p, const crd_operating_point *original) {
  p->promised = p->target.kind == CRD_TARGET_RISK ? p->target.value : original->risk.high;
  if (p->risk.high <= p->promised) p->promise = CRD_PROMISE_HOLDS;
  else if (p->risk.low > p->promised) p->promise = CRD_PROMISE_BROKEN;
  else p->promise = CRD_PROMISE_UNDECIDED;
}

static crd_status apply(crd_context *ctx, const crd_operating_table *table,
                        const crd__selective_sample *s, unsigned resamples, owner *o) {
  crd__text text;
  for (size_t i = 0; i < table->count; i++) {
    const crd_operating_point *const original = &table->items[i];
    crd_operating_point *const p = &o->items[i];
    *p = (crd_operating_point){ .target = original->target,
                                .threshold = original->threshold,
                                .promised = (double)NAN };
    CRD_TRY(measure_one(ctx, o, s, resamples ? resamples : RESAMPLES, p));
    if (isnan(p->threshold)) CRD_TRY(crd__arena_text(ctx, o, original->reason, &p->reason));
    else judge(p, original);
  }
  o->table.guarantee = table->guarantee;
  o->table.interval = crd__selective_interval(CRD_GUARANTEE_HELD_OUT, s);
  o->table.chosen_rows = table->chosen_rows;
  o->table.measured_rows = s->ranking.count;
  o->table.binary = s->classes == 2;
  crd__text_init(&text, crd__arena_allocator(o));
  crd__selective_promise_applied(&text, &o->table, s);
  o->table.text = text.bytes;
  return crd__text_status(ctx, &text);
}

crd_status crd_operating_apply(crd_context *ctx, const crd_operating_table *table,
                               const crd_predictions *other, unsigned resamples,
                               const crd_operating_table **out) {
  crd__selective_sample sample;
  owner *o;
  *out = NULL;
  CRD_TRY(create(ctx, table->count, &o));
  crd_status status = crd__selective_sample_make(ctx, other, &sample);
  if (status == CRD_OK) status = apply(ctx, table, &sample, resamples, o);
  crd__selective_sample_clear(&ctx->alloc, &sample);
  if (status == CRD_OK) *out = &o->table;
  else crd__arena_free(o);
  return status;
}
