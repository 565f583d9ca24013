/* table.c -- calibratability as CSV, Markdown or LaTeX. */
#include "report/calibratability/sheet.h"
#include "report/series_parts.h"

#include <math.h>

/* ---- CSV: one line per training method and column, then per post-hoc method and size. */

static void add_begin(crd__text *out, const char *training, const char *column, const char *method,
                      size_t rows) {
  crd__text_add_field(out, training);
  crd__text_add(out, ",");
  crd__text_add_field(out, column);
  crd__text_add(out, ",");
  if (method) crd__text_add_field(out, method);
  crd__text_add(out, ",");
  if (rows) crd__text_addf(out, "%zu", rows);
}

static void add_value(crd__text *out, const crd_series_value *v,
                      const crd_calibratability_gap *gap) {
  static const crd_calibratability_gap none = { .value = (double)NAN,
                                                .t = (double)NAN,
                                                .freedom = (double)NAN,
                                                .p = (double)NAN,
                                                .p_pooled = (double)NAN,
                                                .p_corrected = (double)NAN };
  if (!gap) gap = &none;
  crd__text_addf(out, ",%zu", v->runs);
  const double numbers[] = { v->mean,      v->std, gap->value,    gap->t,
                             gap->freedom, gap->p, gap->p_pooled, gap->p_corrected };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    crd__report_csv_number(out, numbers[i]);
  crd__text_add(out, "\n");
}

static void add_sizes(crd__text *out, const crd_calibratability *r, const crd_trained *item) {
  for (size_t m = 0; m < r->method_count; m++)
    for (size_t k = 0; k < r->size_count; k++) {
      const crd_sized *const sized = &item->sized[m * r->size_count + k];
      add_begin(out, item->name, "ece by size", r->methods[m], sized->rows);
      add_value(out, &sized->ece, NULL);
    }
}

void crd__report_calibratability_csv(const crd__report_calibratability *sheet,
                                     const crd_report_options *options, crd__text *out) {
  const crd_calibratability *const r = sheet->results;
  (void)options;
  crd__text_add(out, "training,column,method,rows,runs,mean,std,gap,t,freedom,p,p_pooled,"
                     "p_corrected\n");
  for (size_t i = 0; i < r->count; i++) {
    const crd_trained *const item = &r->items[i];
    for (size_t k = 0; k < r->column_count; k++) {
      add_begin(out, item->name, r->columns[k].name, r->columns[k].method, 0);
      add_value(out, &item->values[k], item->gaps ? &item->gaps[k] : NULL);
    }
    add_sizes(out, r, item);
  }
}

/* ---- Tables. */

static const char marks[] = " Bold: the best mean of its column; underlined: the second.";

void crd__report_calibratability_markdown(const crd__report_calibratability *sheet,
                                          const crd_report_options *options, crd__text *out) {
  const crd_calibratability *const r = sheet->results;
  crd__report_series_add_markdown(out, &sheet->table, "training", options);
  crd__report_calibratability_add_caption(out, r);
  crd__text_addf(out, "%s\n", marks);
  crd__report_calibratability_add_columns(out, r);
  crd__text_add(out, "\n");
  for (size_t m = 0; r->size_count && m < r->method_count; m++) {
    crd__text_add(out, "\n");
    crd__report_calibratability_add_sizes(out, r, m);
    crd__text_add(out, ":\n\n");
    crd__report_series_add_markdown(out, &sheet->sizes[m], "training", options);
  }
}

void crd__report_calibratability_latex(const crd__report_calibratability *sheet,
                                       const crd_report_options *options, crd__text *out) {
  const crd_calibratability *const r = sheet->results;
  crd__text_add(out, "% ");
  crd__report_calibratability_add_caption(out, r);
  crd__text_addf(out, "%s\n%% ", marks);
  crd__report_calibratability_add_columns(out, r);
  crd__text_add(out, "\n");
  crd__report_series_add_latex(out, &sheet->table, "Training", options);
  for (size_t m = 0; r->size_count && m < r->method_count; m++) {
    crd__text_add(out, "% ");
    crd__report_calibratability_add_sizes(out, r, m);
    crd__text_add(out, ".\n");
    crd__report_series_add_latex(out, &sheet->sizes[m], "Training", options);
  }
}
