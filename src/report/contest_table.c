/* contest_table.c -- a contest as CSV, Markdown or LaTeX: a line for each method. */
#include "report/decimal.h"
#include "report/form.h"

#include <math.h>

/* ---- CSV: a line for each method and metric. */

static void add_number(crd__text *out, double value) {
  crd__text_add(out, ",");
  if (isfinite(value)) crd__text_add_number(out, value);
}

void crd__contest_csv(const crd_contest *contest, const crd_report_options *options,
                      crd__text *out) {
  (void)options;
  crd__text_add(out, "method,metric,value,low,high,difference,p\n");
  for (size_t i = 0; i < contest->count; i++) {
    const crd_candidate *const c = &contest->candidates[i];
    for (size_t m = 0; c->result && m < c->result->value_count; m++) {
      const crd_metric_value *const v = &c->result->values[m];
      const crd_difference *const d = c->against_identity ? &c->against_identity->items[m] : NULL;
      crd__text_addf(out, "\"%s\",%s", c->name, v->metric->name);
      add_number(out, v->value);
      add_number(out, v->low);
      add_number(out, v->high);
      add_number(out, d ? d->value : (double)NAN);
      add_number(out, d ? d->p : (double)NAN);
      crd__text_add(out, "\n");
    }
  }
}

/* ---- Tables of values; the chosen method's line is set off. */

typedef struct {
  const char *begin, *between, *end, *strong, *weak, *none;
} marks;

static void add_rows(crd__text *out, const crd_contest *contest, const marks *k) {
  const crd_result *const first = contest->candidates[0].result;
  for (size_t i = 0; i < contest->count; i++) {
    char number[CRD__NUMBER_SIZE];
    const crd_candidate *const c = &contest->candidates[i];
    const bool chosen = c == contest->chosen;
    crd__text_addf(out, "%s%s%s%s", k->begin, chosen ? k->strong : "", c->name,
                   chosen ? k->weak : "");
    for (size_t m = 0; m < first->value_count; m++)
      crd__text_addf(out, "%s%s", k->between,
                     c->result ? crd__value_format(number, c->result->values[m].value) : k->none);
    crd__text_add(out, k->end);
  }
}

void crd__contest_markdown(const crd_contest *contest, const crd_report_options *options,
                           crd__text *out) {
  static const marks markdown = { "| ", " | ", " |\n", "**", "**", "failed" };
  const crd_result *const first = contest->candidates[0].result;
  (void)options;
  crd__text_add(out, "| method |");
  for (size_t m = 0; m < first->value_count; m++)
    crd__text_addf(out, " %s |", first->values[m].metric->name);
  crd__text_add(out, "\n|:--|");
  for (size_t m = 0; m < first->value_count; m++) crd__text_add(out, "--:|");
  crd__text_add(out, "\n");
  add_rows(out, contest, &markdown);
  crd__text_addf(out, "\n%s\n", contest->verdict);
}

void crd__contest_latex(const crd_contest *contest, const crd_report_options *options,
                        crd__text *out) {
  static const marks latex = { "", " & ", " \\\\\n", "\\textbf{", "}", "--" };
  const crd_result *const first = contest->candidates[0].result;
  (void)options;
  crd__text_addf(out, "%% %s\n\\begin{tabular}{l", contest->verdict);
  for (size_t m = 0; m < first->value_count; m++) crd__text_add(out, "r");
  crd__text_add(out, "}\n\\toprule\nMethod");
  for (size_t m = 0; m < first->value_count; m++)
    crd__text_addf(out, " & %s", first->values[m].metric->name);
  crd__text_add(out, " \\\\\n\\midrule\n");
  add_rows(out, contest, &latex);
  crd__text_add(out, "\\bottomrule\n\\end{tabular}\n");
}
