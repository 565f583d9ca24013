/* shift_table.c -- shifted sets as CSV, Markdown or LaTeX: one line per metric. */
#include "report/decimal.h"
#include "report/shift.h"

#include <math.h>

/* ---- CSV. */

static void add_csv(crd__text *out, const crd_shift *s, size_t metric, const char *before) {
  const crd_metric_value *const v = &s->result->values[metric];
  const crd_difference *const d = &s->difference->items[metric];
  crd__text_addf(out, "%s%s", before, v->metric->name);
  crd__report_csv_number(out, v->value);
  crd__report_csv_number(out, v->low);
  crd__report_csv_number(out, v->high);
  crd__report_csv_number(out, v->p);
  crd__text_add(out, ",");
  if (v->reason) crd__text_add_field(out, v->reason);
  crd__text_add(out, ",");
  crd__text_add_field(out, s->name);
  crd__report_csv_number(out, d->value);
  crd__report_csv_number(out, d->low);
  crd__report_csv_number(out, d->high);
  crd__report_csv_number(out, d->p);
  crd__text_add(out, "\n");
}

void crd__report_shift_csv(crd__text *out, const crd_result *r, const char *before) {
  for (size_t i = 0; r->shift && i < r->shift->count; i++)
    for (size_t m = 0; m < r->value_count; m++) add_csv(out, &r->shift->items[i], m, before);
}

/* ---- Markdown. */

void crd__report_shift_markdown(crd__text *out, const crd_result *r) {
  for (size_t i = 0; r->shift && i < r->shift->count; i++) {
    const crd_shift *const s = &r->shift->items[i];
    crd__text_add(out, "\n| metric | original | ");
    crd__report_markdown_add(out, s->name);
    crd__text_add(out, " | difference | 95 % interval |\n|:--|--:|--:|--:|:--|\n");
    for (size_t m = 0; m < r->value_count; m++) {
      char a[CRD__NUMBER_SIZE], b[CRD__NUMBER_SIZE], d[CRD__NUMBER_SIZE];
      char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
      const crd_difference *const change = &s->difference->items[m];
      crd__text_add(out, "| ");
      crd__report_markdown_add(out, change->metric->name);
      crd__text_addf(out, " | %s | %s | %s | ", crd__report_value_format(a, r->values[m].value),
                     crd__report_value_format(b, s->result->values[m].value),
                     crd__report_value_format(d, change->value));
      if (!isnan(change->low))
        crd__text_addf(out, "%s … %s ", crd__report_value_format(low, change->low),
                       crd__report_value_format(high, change->high));
      crd__text_add(out, "|\n");
    }
    crd__text_add(out, "\n");
    crd__text sentence;
    crd__text_init(&sentence, out->alloc);
    crd__report_shift_sentence(&sentence, r, s);
    if (!sentence.failed) crd__report_markdown_add(out, sentence.bytes);
    out->failed |= sentence.failed;
    crd__text_clear(&sentence);
    crd__text_add(out, "\n");
  }
}

/* ---- LaTeX: four decimals, so that the table fits a column. */

static void add_cell(crd__text *out, double value) {
  char number[CRD__NUMBER_SIZE];
  if (isfinite(value)) crd__text_addf(out, " & $%s$", crd__report_decimal_format(number, value, 4));
  else crd__text_add(out, " & --");
}

void crd__report_shift_latex(crd__text *out, const crd_result *r) {
  for (size_t i = 0; r->shift && i < r->shift->count; i++) {
    const crd_shift *const s = &r->shift->items[i];
    crd__text_add(out, "\\begin{tabular}{lrrrrr}\n\\toprule\nMetric & Original & ");
    crd__report_latex_add(out, s->name);
    crd__text_add(out, " & Difference & \\multicolumn{2}{c}{95\\,\\%} \\\\\n\\midrule\n");
    for (size_t m = 0; m < r->value_count; m++) {
      const crd_difference *const change = &s->difference->items[m];
      crd__report_latex_add(out, change->metric->name);
      add_cell(out, r->values[m].value);
      add_cell(out, s->result->values[m].value);
      add_cell(out, change->value);
      add_cell(out, change->low);
      add_cell(out, change->high);
      crd__text_add(out, " \\\\\n");
    }
    crd__text_add(out, "\\bottomrule\n\\end{tabular}\n");
  }
}
