/* contest_table.c -- a contest as CSV, Markdown or LaTeX: one line per method. */
#include "report/contest_parts.h"
#include "report/decimal.h"
#include "report/form.h"
#include "report/operating.h"

#include <math.h>

/* ---- CSV: one line per method and metric. */

static void add_difference(crd__text *out, const crd_comparison *c, size_t metric) {
  crd__report_csv_number(out, c ? c->items[metric].value : (double)NAN);
  crd__report_csv_number(out, c ? c->items[metric].p : (double)NAN);
}

/* Empty without a certificate. */
static const char *says_converged(const crd_candidate *c) {
  if (!c->certificate) return "";
  return c->certificate->converged ? "yes" : "no";
}

void crd__report_contest_csv(const crd_contest *contest, const crd_report_options *options,
                             crd__text *out) {
  (void)options;
  crd__text_add(out, "method,metric,value,low,high,difference,p,difference_temperature,"
                     "p_temperature,converged");
  crd__text_add(out, contest->shift_count ? ",shift\n" : "\n");
  for (size_t i = 0; i < contest->count; i++) {
    const crd_candidate *const c = &contest->candidates[i];
    for (size_t m = 0; c->result && m < c->result->value_count; m++) {
      const crd_metric_value *const v = &c->result->values[m];
      crd__text_addf(out, "\"%s\",%s", c->name, v->metric->name);
      crd__report_csv_number(out, v->value);
      crd__report_csv_number(out, v->low);
      crd__report_csv_number(out, v->high);
      add_difference(out, c->against_identity, m);
      add_difference(out, c->against_temperature, m);
      crd__text_addf(out, ",%s%s\n", says_converged(c), contest->shift_count ? "," : "");
    }
  }
  crd__report_operating_contest_csv(out, contest);
  crd__report_contest_shift_csv(contest, out);
}

/* ---- Tables of values and intervals; the chosen method is bold. */

typedef struct {
  const char *begin, *between, *end, *strong, *weak, *none, *dash;
} marks;

static void add_value(crd__text *out, const marks *k, const crd_metric_value *v) {
  char number[CRD__NUMBER_SIZE];
  crd__text_add(out, crd__report_value_format(number, v->value));
  if (isnan(v->low) || isnan(v->high)) return;
  crd__text_addf(out, " (%s", crd__report_decimal_format(number, v->low, 4));
  crd__text_addf(out, "%s%s)", k->dash, crd__report_decimal_format(number, v->high, 4));
}

static void add_rows(crd__text *out, const crd_contest *contest, const marks *k) {
  const crd_result *const first = contest->candidates[0].result;
  for (size_t i = 0; i < contest->count; i++) {
    const crd_candidate *const c = &contest->candidates[i];
    const bool chosen = c == contest->chosen;
    crd__text_addf(out, "%s%s%s%s", k->begin, chosen ? k->strong : "", c->name,
                   chosen ? k->weak : "");
    for (size_t m = 0; m < first->value_count; m++) {
      crd__text_add(out, k->between);
      if (c->result) add_value(out, k, &c->result->values[m]);
      else crd__text_add(out, k->none);
    }
    crd__text_add(out, k->end);
  }
}

void crd__report_contest_markdown(const crd_contest *contest, const crd_report_options *options,
                                  crd__text *out) {
  static const marks markdown = { "| ", " | ", " |\n", "**", "**", "failed", "\xe2\x80\x93" };
  const crd_result *const first = contest->candidates[0].result;
  (void)options;
  crd__text_add(out, "| method |");
  for (size_t m = 0; m < first->value_count; m++)
    crd__text_addf(out, " %s |", first->values[m].metric->name);
  crd__text_add(out, "\n|:--|");
  for (size_t m = 0; m < first->value_count; m++) crd__text_add(out, "--:|");
  crd__text_add(out, "\n");
  add_rows(out, contest, &markdown);
  crd__report_operating_contest_markdown(out, contest);
  crd__text_addf(out, "\n%s\n", contest->verdict);
  crd__report_contest_shift_markdown(contest, out);
}

void crd__report_contest_latex(const crd_contest *contest, const crd_report_options *options,
                               crd__text *out) {
  static const marks latex = { "", " & ", " \\\\\n", "\\textbf{", "}", "--", "--" };
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
  crd__report_contest_shift_latex(contest, out);
}
