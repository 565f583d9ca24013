/*
 * learned.c -- learned epochs by training method: a line per training method, the thirds of its
 * rows, and in JSON the histograms of their largest logits.
 */
#include "report/calibratability/learned.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/decimal.h"
#include "report/json_parts.h"
#include "report/plain.h"
#include "report/series_parts.h"

#include <math.h>
#include <stdio.h>

/* ---- The table: one of a series, whose candidates are the training methods. */

enum { COLUMNS = 4, THIRDS_WIDTH = 26 };
static const crd_metric_info headings[COLUMNS] = {
  { .name = "rho", .direction = CRD_NEITHER_IS_BETTER },
  { .name = "max logit", .direction = CRD_NEITHER_IS_BETTER },
  { .name = "its std", .direction = CRD_NEITHER_IS_BETTER },
  { .name = "never learned", .direction = CRD_NEITHER_IS_BETTER },
};
static const crd_metric_info *const heading_list[COLUMNS] = { &headings[0], &headings[1],
                                                              &headings[2], &headings[3] };

void crd__report_learned_clear(const crd_allocator *alloc, crd__report_learned *sheet) {
  crd__free(alloc, sheet->candidates);
  crd__free(alloc, sheet->values);
  crd__free(alloc, sheet->names);
}

crd_status crd__report_learned_make(crd_context *ctx, const crd_learned *results,
                                    crd__report_learned *out) {
  const crd_learned *const l = results;
  *out = (crd__report_learned){ .results = l };
  crd_status status = crd__new(ctx, l->count, sizeof *out->candidates, "a table", &out->candidates);
  if (status == CRD_OK)
    status = crd__new(ctx, l->count, COLUMNS * sizeof *out->values, "a table", &out->values);
  if (status == CRD_OK)
    status = crd__new(ctx, l->count, sizeof *out->names, "a table", &out->names);
  if (status != CRD_OK) {
    crd__report_learned_clear(&ctx->alloc, out);
    return status;
  }
  for (size_t i = 0; i < l->count; i++) {
    const crd_learned_training *const item = &l->items[i];
    crd_series_value *const values = out->values + i * COLUMNS;
    values[0] = item->rho;
    values[1] = item->mean;
    values[2] = item->std;
    values[3] = item->never;
    crd__utf8_brief(item->name, out->names[i], sizeof *out->names);
    out->candidates[i] = (crd_series_candidate){ .name = out->names[i], .values = values };
  }
  out->table = (crd_series_summary){ .runs = 1,
                                     .metric_count = COLUMNS,
                                     .metrics = heading_list,
                                     .count = l->count,
                                     .candidates = out->candidates };
  return CRD_OK;
}

/* ---- Sentences. */

static void add_caption(crd__text *out, const crd_learned *l) {
  crd__text_add(out, "Mean and standard deviation over the runs (");
  for (size_t i = 0; i < l->count; i++) {
    if (i) crd__text_add(out, ", ");
    crd__report_text_add_plain(out, l->items[i].name, 0);
    crd__text_addf(out, " %zu", l->items[i].runs);
  }
  crd__text_add(out, "). rho: Spearman's correlation of the learned epoch of a training row (never "
                     "learned: last) and its largest logit; near 0 where a network does not "
                     "distinguish rows that were learned early from those learned late. max logit, "
                     "its std: mean and standard deviation of the rows' largest logits.");
}

/* ---- Thirds as text. */

static void add_epochs(crd__text *out, const crd_learned_third *t) {
  if (t->from) crd__text_addf(out, "epoch%s %u", t->to > t->from ? "s" : "", t->from);
  if (t->to > t->from) crd__text_addf(out, " to %u", t->to);
  if (t->never) crd__text_addf(out, "%snever", t->from ? ", or " : "");
}

static void add_third(crd__text *out, const crd_learned_third *t,
                      const crd_report_options *options) {
  char mean[CRD__NUMBER_SIZE], std[CRD__NUMBER_SIZE], rows[32];
  crd__text epochs;
  if (!t->rows) return;
  crd__text_init(&epochs, out->alloc);
  add_epochs(&epochs, t);
  crd__text_add(out, "  ");
  crd__report_text_add_column(out, epochs.bytes ? epochs.bytes : "", THIRDS_WIDTH, options->ascii);
  snprintf(rows, sizeof rows, "%zu rows", t->rows);
  crd__text_addf(out, "%15s   max logit %s", rows, crd__report_decimal_format(mean, t->mean, 4));
  if (!isnan(t->std)) crd__text_addf(out, " +- %s", crd__report_decimal_format(std, t->std, 4));
  crd__text_add(out, "\n");
  out->failed |= epochs.failed;
  crd__text_clear(&epochs);
}

void crd__report_learned_text(const crd__report_learned *sheet, const crd_report_options *options,
                              crd__text *out) {
  const crd_learned *const l = sheet->results;
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  crd__report_series_add_tables(out, &sheet->table, "training", options);
  add_caption(&sentence, l);
  crd__report_series_add_sentence(out, &sentence, options);
  crd__text_clear(&sentence);
  for (size_t i = 0; i < l->count; i++) {
    crd__text_add(out, "\n  ");
    crd__report_text_add_plain(out, l->items[i].name, options->ascii);
    crd__text_add(out, ", rows by learned epoch\n");
    for (size_t k = 0; k < CRD_LEARNED_THIRDS; k++) add_third(out, &l->items[i].thirds[k], options);
  }
}

/* ---- JSON. */

static void add_number(crd__text *out, const char *key, double value) {
  crd__text_addf(out, ", \"%s\": ", key);
  crd__json_add_number(out, value);
}

static void add_value(crd__text *out, const char *key, const crd_series_value *v, size_t runs) {
  crd__text_addf(out, ",\n      \"%s\": {\"runs\": %zu", key, v->runs);
  add_number(out, "mean", v->mean);
  add_number(out, "std", v->std);
  crd__text_add(out, ", \"values\": [");
  for (size_t r = 0; r < runs; r++) {
    if (r) crd__text_add(out, ", ");
    crd__json_add_number(out, v->values[r]);
  }
  crd__text_add(out, "]}");
}

static void add_json_third(crd__text *out, const crd_learned *l, const crd_learned_third *t) {
  crd__text_addf(out, "{\"rows\": %zu", t->rows);
  if (t->from) crd__text_addf(out, ", \"from\": %u, \"to\": %u", t->from, t->to);
  else crd__text_add(out, ", \"from\": null, \"to\": null");
  crd__text_addf(out, ", \"never\": %zu", t->never);
  add_number(out, "mean", t->mean);
  add_number(out, "std", t->std);
  crd__text_add(out, ", \"counts\": [");
  for (unsigned b = 0; b < l->bins; b++)
    crd__text_addf(out, "%s%zu", b ? ", " : "", t->bins[b].rows);
  crd__text_add(out, "]}");
}

void crd__report_learned_json(const crd__report_learned *sheet, const crd_report_options *options,
                              crd__text *out) {
  const crd_learned *const l = sheet->results;
  crd__report_json_begin(out, "learned-epochs");
  crd__text_addf(out, "\n  \"bins\": %u", l->bins);
  crd__text_add(out, ",\n  \"low\": ");
  crd__json_add_number(out, l->low);
  crd__text_add(out, ",\n  \"high\": ");
  crd__json_add_number(out, l->high);
  crd__text_add(out, ",\n  \"trainings\": [");
  for (size_t i = 0; i < l->count; i++) {
    const crd_learned_training *const item = &l->items[i];
    crd__text_add(out, i ? ",\n    {\n      \"name\": " : "\n    {\n      \"name\": ");
    crd__json_add_string(out, item->name);
    crd__text_addf(out, ",\n      \"runs\": %zu", item->runs);
    add_value(out, "rho", &item->rho, item->runs);
    add_value(out, "max_logit_mean", &item->mean, item->runs);
    add_value(out, "max_logit_std", &item->std, item->runs);
    add_value(out, "never_learned", &item->never, item->runs);
    crd__text_add(out, ",\n      \"thirds\": [");
    for (size_t k = 0; k < CRD_LEARNED_THIRDS; k++) {
      crd__text_add(out, k ? ",\n        " : "\n        ");
      add_json_third(out, l, &item->thirds[k]);
    }
    crd__text_add(out, "\n      ]\n    }");
  }
  crd__text_add(out, "\n  ]");
  crd__report_json_along(out, options, "\n  ");
  crd__text_add(out, "\n}\n");
}

/* ---- Tables. */

void crd__report_learned_csv(const crd__report_learned *sheet, const crd_report_options *options,
                             crd__text *out) {
  (void)options;
  crd__text_add(out, "training,column,runs,mean,std\n");
  for (size_t i = 0; i < sheet->results->count; i++)
    for (size_t k = 0; k < COLUMNS; k++) {
      const crd_series_value *const v = &sheet->values[i * COLUMNS + k];
      crd__text_add_field(out, sheet->results->items[i].name);
      crd__text_addf(out, ",%s,%zu", headings[k].name, v->runs);
      crd__report_csv_number(out, v->mean);
      crd__report_csv_number(out, v->std);
      crd__text_add(out, "\n");
    }
}

void crd__report_learned_markdown(const crd__report_learned *sheet,
                                  const crd_report_options *options, crd__text *out) {
  crd__report_series_add_markdown(out, &sheet->table, "training", options);
  add_caption(out, sheet->results);
  crd__text_add(out, "\n");
}

void crd__report_learned_latex(const crd__report_learned *sheet, const crd_report_options *options,
                               crd__text *out) {
  crd__text_add(out, "% ");
  add_caption(out, sheet->results);
  crd__text_add(out, "\n");
  crd__report_series_add_latex(out, &sheet->table, "Training", options);
}
