/* sheet.c -- tables and sentences of calibratability. */
#include "report/calibratability/sheet.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/plain.h"

#include <math.h>
#include <stdio.h>

void crd__report_calibratability_clear(const crd_allocator *alloc,
                                       crd__report_calibratability *sheet) {
  void *const owned[] = { sheet->sizes,  sheet->headings,   (void *)sheet->heading_list,
                          sheet->names,  sheet->candidates, sheet->size_names,
                          sheet->values, sheet->differences };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(alloc, owned[i]);
}

/* ---- Tables. */

/* Training methods may have different numbers of runs: in a table, the number is 1 if all runs have
 * the value, and 2, which is not ranked, if some have. */
static crd_series_value shown(crd_series_value v, size_t all) {
  v.runs = v.runs == 0 ? 0 : v.runs == all ? 1 : 2;
  return v;
}

static crd_series_difference difference_of(const crd_calibratability_gap *gap) {
  return (crd_series_difference){
    .runs = 1, .mean = gap->value, .std = (double)NAN, .p = gap->p_corrected
  };
}

static void fill_table(crd__report_calibratability *s) {
  const crd_calibratability *const r = s->results;
  for (size_t k = 0; k < r->column_count; k++)
    s->headings[k] =
        (crd_metric_info){ .name = r->columns[k].name, .direction = r->columns[k].direction };
  for (size_t i = 0; i < r->count; i++) {
    const crd_trained *const item = &r->items[i];
    crd_series_value *const values = s->values + i * r->column_count;
    crd_series_difference *const differences = s->differences + i * r->column_count;
    for (size_t k = 0; k < r->column_count; k++) {
      values[k] = shown(item->values[k], item->runs);
      if (item->gaps) differences[k] = difference_of(&item->gaps[k]);
    }
    s->candidates[i] = (crd_series_candidate){
      .name = s->names[i], .values = values, .against_identity = item->gaps ? differences : NULL
    };
  }
  s->table = (crd_series_summary){ .runs = 1,
                                   .metric_count = r->column_count,
                                   .metrics = s->heading_list,
                                   .count = r->count,
                                   .candidates = s->candidates };
}

static void fill_sizes(crd__report_calibratability *s, size_t method) {
  const crd_calibratability *const r = s->results;
  crd_series_candidate *const candidates = s->candidates + (method + 1) * r->count;
  for (size_t i = 0; i < r->count; i++) {
    crd_series_value *const values =
        s->values + r->count * r->column_count + (method * r->count + i) * r->size_count;
    for (size_t k = 0; k < r->size_count; k++) {
      const size_t all = r->items[i].runs * (r->sizes[k] ? r->draws : 1);
      values[k] = shown(r->items[i].sized[method * r->size_count + k].ece, all);
    }
    candidates[i] = (crd_series_candidate){ .name = s->names[i], .values = values };
  }
  s->sizes[method] = (crd_series_summary){ .runs = 1,
                                           .metric_count = r->size_count,
                                           .metrics = s->heading_list + r->column_count,
                                           .count = r->count,
                                           .candidates = candidates };
}

static void name_sizes(crd__report_calibratability *s) {
  const crd_calibratability *const r = s->results;
  for (size_t k = 0; k < r->size_count; k++) {
    if (r->sizes[k]) snprintf(s->size_names[k], sizeof *s->size_names, "%zu rows", r->sizes[k]);
    else snprintf(s->size_names[k], sizeof *s->size_names, "all rows");
    s->headings[r->column_count + k] =
        (crd_metric_info){ .name = s->size_names[k], .direction = CRD_LOWER_IS_BETTER };
  }
}

static crd_status allocate(crd_context *ctx, crd__report_calibratability *s) {
  const crd_calibratability *const r = s->results;
  const size_t headings = r->column_count + r->size_count;
  const struct {
    void *at;
    size_t count, size;
  } arrays[] = {
    { &s->sizes, r->method_count, sizeof *s->sizes },
    { &s->headings, headings, sizeof *s->headings },
    { &s->heading_list, headings, sizeof(crd_metric_info *) },
    { &s->names, r->count, sizeof *s->names },
    { &s->candidates, r->count * (1 + r->method_count), sizeof *s->candidates },
    { &s->values, r->count * (r->column_count + r->method_count * r->size_count),
      sizeof *s->values },
    { &s->differences, r->count * r->column_count, sizeof *s->differences },
    { &s->size_names, r->size_count, sizeof *s->size_names },
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    CRD_TRY(crd__new(ctx, arrays[i].count, arrays[i].size, "a table", arrays[i].at));
  return CRD_OK;
}

crd_status crd__report_calibratability_make(crd_context *ctx, const crd_calibratability *results,
                                            crd__report_calibratability *out) {
  *out = (crd__report_calibratability){ .results = results };
  const crd_status status = allocate(ctx, out);
  if (status != CRD_OK) {
    crd__report_calibratability_clear(&ctx->alloc, out);
    return status;
  }
  for (size_t i = 0; i < results->count; i++)
    crd__utf8_brief(results->items[i].name, out->names[i], sizeof *out->names);
  for (size_t k = 0; k < results->column_count + results->size_count; k++)
    out->heading_list[k] = &out->headings[k];
  fill_table(out);
  name_sizes(out);
  for (size_t m = 0; results->size_count && m < results->method_count; m++) fill_sizes(out, m);
  return CRD_OK;
}

/* ---- Sentences. */

static void add_rows(crd__text *out, size_t min, size_t max) {
  crd__text_addf(out, "%zu", min);
  if (max != min) crd__text_addf(out, " to %zu", max);
}

void crd__report_calibratability_add_caption(crd__text *out, const crd_calibratability *r) {
  crd__text_add(out, "Mean and standard deviation over the runs (");
  for (size_t i = 0; i < r->count; i++) {
    if (i) crd__text_add(out, ", ");
    crd__report_text_add_plain(out, r->items[i].name, 0);
    crd__text_addf(out, " %zu", r->items[i].runs);
  }
  crd__text_add(out, "), each fitted on ");
  add_rows(out, r->calibrate_rows_min, r->calibrate_rows_max);
  crd__text_add(out, " rows and tested on ");
  add_rows(out, r->test_rows_min, r->test_rows_max);
  crd__text_addf(out, " others; ECE with %u bins.", r->bins);
}

void crd__report_calibratability_add_columns(crd__text *out, const crd_calibratability *r) {
  if (r->method_count)
    crd__text_add(out,
                  "after METHOD: ECE after post-hoc calibration (T of METHOD: its temperature). ");
  crd__text_add(out,
                "oracle ece: the lowest ECE of all temperatures 0.01 to 10, chosen on the test "
                "rows themselves (oracle T), a lower bound of temperature scaling and no "
                "result of calibration. headroom: ece - oracle ece.");
}

static bool is_tested(const crd_calibratability *r) {
  for (size_t i = 1; i < r->count; i++)
    for (size_t k = 0; k < r->column_count; k++)
      if (!isnan(r->items[i].gaps[k].p)) return true;
  return false;
}

bool crd__report_calibratability_add_test(crd__text *out, const crd_calibratability *r) {
  if (!is_tested(r)) return false;
  crd__text_addf(out,
                 "p < 0.05 in Welch's two-sample t-test over the runs, corrected for %zu training "
                 "method%s",
                 r->count - 1, r->count == 2 ? "" : "s");
  return true;
}

void crd__report_calibratability_add_sizes(crd__text *out, const crd_calibratability *r,
                                           size_t method) {
  crd__text_addf(out,
                 "ECE after %s by the number of calibration rows: mean and standard deviation over "
                 "%u draw%s of each run's rows",
                 r->methods[method], r->draws, r->draws == 1 ? "" : "s");
}
