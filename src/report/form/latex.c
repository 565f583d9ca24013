/* latex.c -- a LaTeX table; needs the package booktabs. Reasons and notes become comments. */
#include "report/decimal.h"
#include "report/form.h"
#include "report/grid/grid.h"
#include "report/operating.h"
#include "report/plain.h"
#include "report/shift.h"

#include <math.h>
#include <string.h>

/* Characters that are commands of LaTeX, or other characters in its usual fonts. */
static const struct {
  char character;
  const char *command;
} commands[] = {
  { '%', "\\%" },
  { '_', "\\_" },
  { '&', "\\&" },
  { '#', "\\#" },
  { '$', "\\$" },
  { '{', "\\{" },
  { '}', "\\}" },
  { '\\', "\\textbackslash{}" },
  { '~', "\\textasciitilde{}" },
  { '^', "\\textasciicircum{}" },
  { '<', "\\textless{}" },
  { '>', "\\textgreater{}" },
  { '|', "\\textbar{}" },
};

static const char *command_of(char character) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (commands[i].character == character) return commands[i].command;
  return NULL;
}

void crd__report_latex_add(crd__text *out, const char *string) {
  crd__text plain;
  crd__text_init(&plain, out->alloc);
  crd__report_text_add_plain(&plain, string, 0);
  for (size_t i = 0; i < plain.length; i++) {
    const char *const command = command_of(plain.bytes[i]);
    if (command) crd__text_add(out, command);
    else crd__text_add_bytes(out, &plain.bytes[i], 1);
  }
  out->failed |= plain.failed;
  crd__text_clear(&plain);
}

static void add_comment(crd__text *out, const char *subject, const char *sentence) {
  crd__text_addf(out, "%% %s: ", subject);
  crd__report_text_add_plain(out, sentence, 0);
  crd__text_add(out, "\n");
}

/* 1.234e-07 is set as 1.234 * 10^-7. */
static void add_number(crd__text *out, const char *number) {
  const size_t mantissa = strcspn(number, "e");
  crd__text_addf(out, "$%.*s", (int)mantissa, number);
  if (number[mantissa]) { /* "e-07": a sign, perhaps zeros, digits */
    const char *exponent = number + mantissa + 1;
    const char *sign = *exponent == '-' ? "-" : "";
    exponent += 1 + strspn(exponent + 1, "0");
    crd__text_addf(out, " \\cdot 10^{%s%s}", sign, exponent);
  }
  crd__text_add(out, "$");
}

static void add_cell(crd__text *out, const char *number) {
  crd__text_add(out, " & ");
  if (number) add_number(out, number);
  else crd__text_add(out, "--");
}

static void add_value(crd__text *out, double value) {
  char number[CRD__NUMBER_SIZE];
  add_cell(out, isfinite(value) ? crd__report_value_format(number, value) : NULL);
}

static void add_p(crd__text *out, double p) {
  char number[CRD__NUMBER_SIZE];
  add_cell(out, isnan(p) ? NULL : crd__report_p_format(number, p));
}

static void add_row(crd__text *out, const crd_result *r, const crd_metric_value *v,
                    const crd_report_options *options) {
  static const char *const arrows[] = { [CRD_LOWER_IS_BETTER] = " $\\downarrow$",
                                        [CRD_HIGHER_IS_BETTER] = " $\\uparrow$",
                                        [CRD_NEITHER_IS_BETTER] = "" };
  const crd__report_value_text text = crd__report_value_show(v, options);
  crd__report_latex_add(out, crd__report_title(v->metric));
  crd__report_latex_add(out, text.unit);
  crd__text_add(out, arrows[v->metric->direction]);
  add_cell(out, isfinite(v->value) ? text.value : NULL);
  if (r->resamples) add_cell(out, isfinite(v->low) ? text.low : NULL);
  if (r->resamples) add_cell(out, isfinite(v->high) ? text.high : NULL);
  if (crd__report_has_p(r)) add_p(out, v->p);
  crd__text_add(out, " \\\\\n");
}

/* Appends the values of another package to the table, below a rule. */
static void add_compat(crd__text *out, const crd_result *r) {
  crd__text_add(out, "\\midrule\n");
  for (size_t i = 0; i < r->compat->count; i++) {
    const crd_compat_value *const v = &r->compat->values[i];
    crd__report_latex_add(out, v->convention->metric);
    crd__text_addf(out, " (%s)", r->compat->peer->name);
    add_value(out, v->value);
    crd__text_add(out, r->resamples ? " & & \\\\\n" : " \\\\\n");
  }
}

/* Appends coverage and risk of the operating points, below a rule. */
static void add_operating(crd__text *out, const crd_result *r) {
  crd__text_add(out, "\\midrule\n");
  for (size_t i = 0; i < r->operating->count; i++) {
    const crd_operating_point *const p = &r->operating->items[i];
    for (size_t k = 0; k < 2; k++) {
      const crd_proportion *const one = k ? &p->risk : &p->coverage;
      crd__text_add(out, k ? "risk (target " : "coverage (target ");
      crd__report_operating_target(out, &p->target);
      crd__text_add(out, ")");
      add_value(out, one->value);
      if (r->resamples) add_value(out, one->low);
      if (r->resamples) add_value(out, one->high);
      crd__text_add(out, crd__report_has_p(r) ? " & \\\\\n" : " \\\\\n");
    }
  }
}

static void latex_write(const crd_result *r, const crd_report_options *options, crd__text *out) {
  for (size_t i = 0; i < r->value_count; i++) {
    if (r->values[i].reason)
      add_comment(out, crd__report_title(r->values[i].metric), r->values[i].reason);
  }
  for (size_t i = 0; i < r->note_count; i++) add_comment(out, "note", r->notes[i]);
  const bool p = crd__report_has_p(r);
  crd__text_add(out, CRD__LATEX_NEEDS);
  crd__text_addf(out, "\\begin{tabular}{lr%s%s}\n\\toprule\nMetric & Value%s%s \\\\\n\\midrule\n",
                 r->resamples ? "rr" : "", p ? "r" : "",
                 r->resamples ? " & \\multicolumn{2}{c}{95\\,\\%}" : "", p ? " & $p$" : "");
  for (size_t i = 0; i < r->value_count; i++) add_row(out, r, &r->values[i], options);
  if (r->compat) add_compat(out, r);
  if (r->operating) add_operating(out, r);
  crd__text_add(out, "\\bottomrule\n\\end{tabular}\n");
  crd__report_shift_latex(out, r);
}

const crd__report_form crd__report_form_latex = {
  .info = { .name = "latex", .summary = "a table for a paper (booktabs)" },
  .write = latex_write,
  .models = crd__report_models_latex,
  .contest = crd__report_contest_latex,
  .series = crd__report_series_latex,
  .calibratability = crd__report_calibratability_latex,
  .learned = crd__report_learned_latex,
};
