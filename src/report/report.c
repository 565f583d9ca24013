/*
 * report.c -- the frame of the output forms: finds one by name, writes into memory, and then all
 * bytes to the output at once. No form computes anything, so all forms agree.
 */
#include "report/form.h"

#include "base/nearest.h"
#include "base/options.h"
#include "report/calibratability/learned.h"
#include "report/calibratability/sheet.h"

#include <math.h>
#include <string.h>

static const crd__report_form *const forms[] = {
#define FORM(name) &crd__report_form_##name,
#include "report/form/list.h"
#undef FORM
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

size_t crd_report_count(void) { return FORM_COUNT; }

const crd_report_form *crd_report_at(size_t index) {
  return index < FORM_COUNT ? &forms[index]->info : NULL;
}

const char *crd__report_direction_word(crd_direction direction) {
  static const char *const words[] = {
    [CRD_LOWER_IS_BETTER] = "lower", [CRD_HIGHER_IS_BETTER] = "higher", [CRD_NEITHER_IS_BETTER] = ""
  };
  return words[direction];
}

bool crd__report_judges_class_1(const crd_result *result) {
  return result->classes == 2 && result->binary == CRD_BINARY_POS;
}

const crd_metric_value *crd__report_finite_value(const crd_result *result, const char *metric) {
  const crd_metric_value *const v = crd_result_value(result, metric);
  return v && isfinite(v->value) ? v : NULL;
}

bool crd__report_has_p(const crd_result *result) {
  for (size_t i = 0; i < result->value_count; i++)
    if (!isnan(result->values[i].p)) return true;
  return false;
}

static const char *name_at(const void *self, size_t index) {
  (void)self;
  return index < FORM_COUNT ? forms[index]->info.name : NULL;
}

static crd_status find(crd_context *ctx, const char *name, const crd__report_form **out) {
  static const crd__names names = { .unknown = "unknown form", .at = name_at };
  size_t index;
  CRD_TRY(crd__names_find(ctx, &names, name, strlen(name), &index));
  *out = forms[index];
  return CRD_OK;
}

crd_status crd__report_deliver(crd_context *ctx, crd__text *text, crd_output *output) {
  crd_status status = crd__text_status(ctx, text);
  if (status == CRD_OK) status = crd_output_write(ctx, output, text->bytes, text->length);
  crd__text_clear(text);
  return status;
}

static crd_status read_options(crd_context *ctx, const crd_report_options *options,
                               crd_report_options *own) {
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_report_options, options, own));
  if (own->digits <= 9) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%u significant digits, allowed are 1 .. 9", own->digits);
}

crd_status crd_report_write(crd_context *ctx, const crd_result *result, const char *form,
                            const crd_report_options *options, crd_output *output) {
  const crd__report_form *found = NULL;
  crd_report_options own;
  CRD_TRY(read_options(ctx, options, &own));
  CRD_TRY(find(ctx, form, &found));
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  found->write(result, &own, &text);
  return crd__report_deliver(ctx, &text, output);
}

/* Fails with EUSAGE unless all results have the same metrics. */
static crd_status check_models(crd_context *ctx, const crd_named_result *models, size_t count) {
  if (count == 0)
    return crd__fail(ctx, CRD_EUSAGE, "a table of no models cannot be written, it needs one");
  const crd_result *const first = models[0].result;
  for (size_t i = 1; i < count; i++) {
    const crd_result *const r = models[i].result;
    bool same = r->value_count == first->value_count;
    for (size_t m = 0; same && m < first->value_count; m++)
      same = r->values[m].metric == first->values[m].metric;
    if (!same)
      return crd__fail(ctx, CRD_EUSAGE, "%s has other metrics than %s, expected the same",
                       models[i].name, models[0].name);
  }
  return CRD_OK;
}

crd_status crd_results_write(crd_context *ctx, const crd_named_result *models, size_t count,
                             const char *form, const crd_report_options *options,
                             crd_output *output) {
  const crd__report_form *found = NULL;
  crd_report_options own;
  CRD_TRY(read_options(ctx, options, &own));
  CRD_TRY(find(ctx, form, &found));
  CRD_TRY(check_models(ctx, models, count));
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  found->models(&(crd__report_models){ models, count }, &own, &text);
  return crd__report_deliver(ctx, &text, output);
}

crd_status crd_diagnosis_write(crd_context *ctx, const crd_diagnosis *diagnosis, const char *form,
                               const crd_report_options *options, crd_output *output) {
  const crd__report_form *found = NULL;
  crd_report_options own;
  CRD_TRY(read_options(ctx, options, &own));
  CRD_TRY(find(ctx, form, &found));
  if (!found->diagnose)
    return crd__fail(ctx, CRD_EUSAGE, "no diagnosis in the form '%s', allowed are text and json",
                     form);
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  found->diagnose(diagnosis, &own, &text);
  return crd__report_deliver(ctx, &text, output);
}

crd_status crd_contest_write(crd_context *ctx, const crd_contest *contest, const char *form,
                             const crd_report_options *options, crd_output *output) {
  const crd__report_form *found = NULL;
  crd_report_options own;
  CRD_TRY(read_options(ctx, options, &own));
  CRD_TRY(find(ctx, form, &found));
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  found->contest(contest, &own, &text);
  return crd__report_deliver(ctx, &text, output);
}

crd_status crd_series_write(crd_context *ctx, const crd_series_summary *series, const char *form,
                            const crd_report_options *options, crd_output *output) {
  const crd__report_form *found = NULL;
  crd_report_options own;
  CRD_TRY(read_options(ctx, options, &own));
  CRD_TRY(find(ctx, form, &found));
  if (series->runs == 0)
    return crd__fail(ctx, CRD_EUSAGE,
                     "a series without runs cannot be written, it needs at least one");
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  found->series(series, &own, &text);
  return crd__report_deliver(ctx, &text, output);
}

crd_status crd_calibratability_write(crd_context *ctx, const crd_calibratability *results,
                                     const char *form, const crd_report_options *options,
                                     crd_output *output) {
  const crd__report_form *found = NULL;
  crd_report_options own;
  crd__report_calibratability sheet;
  CRD_TRY(read_options(ctx, options, &own));
  CRD_TRY(find(ctx, form, &found));
  CRD_TRY(crd__report_calibratability_make(ctx, results, &sheet));
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  found->calibratability(&sheet, &own, &text);
  crd__report_calibratability_clear(&ctx->alloc, &sheet);
  return crd__report_deliver(ctx, &text, output);
}

crd_status crd_learned_write(crd_context *ctx, const crd_learned *results, const char *form,
                             const crd_report_options *options, crd_output *output) {
  const crd__report_form *found = NULL;
  crd_report_options own;
  crd__report_learned sheet;
  CRD_TRY(read_options(ctx, options, &own));
  CRD_TRY(find(ctx, form, &found));
  CRD_TRY(crd__report_learned_make(ctx, results, &sheet));
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  found->learned(&sheet, &own, &text);
  crd__report_learned_clear(&ctx->alloc, &sheet);
  return crd__report_deliver(ctx, &text, output);
}
