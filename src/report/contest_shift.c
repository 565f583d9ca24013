/*
 * contest_shift.c -- the shifted sets of a contest: one table each, one line per method, and the
 * verdict. A value is marked '+' if it is better than the uncalibrated one on the same set beyond
 * chance, '-' if it is worse.
 */
#include "base/json_text.h"
#include "report/contest_parts.h"
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/json_parts.h"
#include "report/operating.h"
#include "report/plain.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 80, NAME_WIDTH = 20, VALUE_WIDTH = 10 };

/* The metrics of the tables: as many as fit. */
static const char *metric_at(size_t index) {
  static const char *const names[] = { "ece", "brier", "brier-top1", "nll", "auroc", NULL };
  return names[index];
}

/* ---- Text. */

static void add_heading(crd__text *out, const crd_result *first,
                        const crd_report_options *options) {
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s", NAME_WIDTH, "method");
  for (size_t k = 0; metric_at(k); k++)
    if (crd_result_value(first, metric_at(k)))
      crd__text_addf(out, " %*s ", VALUE_WIDTH, metric_at(k));
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
}

static void add_method(crd__text *out, const char *name, const crd_shifted_candidate *c,
                       const crd_report_options *options) {
  char number[CRD__NUMBER_SIZE];
  crd__text_add(out, "  ");
  crd__report_text_add_column(out, name, NAME_WIDTH, options->ascii);
  if (!c->result) {
    crd__text_add(out, " ");
    crd__report_text_add_wrapped(
        out, c->failure,
        &(crd__report_wrapping){ NAME_WIDTH + 3, NAME_WIDTH + 3, WIDTH, options->ascii });
    return;
  }
  for (size_t k = 0; metric_at(k); k++) {
    const crd_metric_value *const v = crd_result_value(c->result, metric_at(k));
    const crd_difference *const d = crd__report_difference_of(c->against_identity, metric_at(k));
    if (v)
      crd__text_addf(out, " %*s%c", VALUE_WIDTH, crd__report_value_format(number, v->value),
                     d ? crd__report_change_mark(d) : ' ');
  }
  crd__text_add(out, "\n");
}

void crd__report_contest_shift_text(const crd_contest *contest, const crd_report_options *options,
                                    crd__text *out) {
  for (size_t s = 0; s < contest->shift_count; s++) {
    const crd_contest_shift *const set = &contest->shift[s];
    crd__text_add(out, "\nShifted, ");
    crd__report_text_add_plain(out, set->name, options->ascii);
    crd__text_add(out, ": ");
    crd__report_text_add_plain(out, set->data_name, options->ascii);
    crd__text_addf(out, "\n%zu row%s, calibrators applied unchanged\n\n", set->rows,
                   set->rows == 1 ? "" : "s");
    add_heading(out, set->candidates[0].result, options);
    for (size_t i = 0; i < contest->count; i++)
      add_method(out, contest->candidates[i].name, &set->candidates[i], options);
    crd__text_add(out, "\n");
    crd__report_operating_methods_text(out, contest, set, options);
    crd__report_style_add(out, options, "1");
    crd__report_text_add_wrapped(out, set->verdict,
                                 &(crd__report_wrapping){ 0, 0, WIDTH, options->ascii });
    crd__report_style_add(out, options, "0");
  }
}

/* ---- CSV. */

static void add_csv(crd__text *out, const char *name, const crd_contest_shift *set,
                    const crd_shifted_candidate *c, size_t metric) {
  const crd_metric_value *const v = &c->result->values[metric];
  const crd_difference *const d = c->against_identity ? &c->against_identity->items[metric] : NULL;
  crd__text_addf(out, "\"%s\",%s", name, v->metric->name);
  crd__report_csv_number(out, v->value);
  crd__report_csv_number(out, v->low);
  crd__report_csv_number(out, v->high);
  crd__report_csv_number(out, d ? d->value : (double)NAN);
  crd__report_csv_number(out, d ? d->p : (double)NAN);
  crd__text_add(out, ",,,,");
  crd__text_add_field(out, set->name);
  crd__text_add(out, "\n");
}

void crd__report_contest_shift_csv(const crd_contest *contest, crd__text *out) {
  for (size_t s = 0; s < contest->shift_count; s++)
    for (size_t i = 0; i < contest->count; i++) {
      const crd_shifted_candidate *const c = &contest->shift[s].candidates[i];
      for (size_t m = 0; c->result && m < c->result->value_count; m++)
        add_csv(out, contest->candidates[i].name, &contest->shift[s], c, m);
    }
}

/* ---- Markdown and LaTeX. */

typedef struct {
  const char *begin, *between, *end, *none;
} marks;

static void add_rows(crd__text *out, const crd_contest *contest, const crd_contest_shift *set,
                     const marks *k) {
  const crd_result *const first = set->candidates[0].result;
  for (size_t i = 0; i < contest->count; i++) {
    const crd_result *const r = set->candidates[i].result;
    crd__text_addf(out, "%s%s", k->begin, contest->candidates[i].name);
    for (size_t m = 0; m < first->value_count; m++) {
      char number[CRD__NUMBER_SIZE];
      crd__text_addf(out, "%s%s", k->between,
                     r ? crd__report_value_format(number, r->values[m].value) : k->none);
    }
    crd__text_add(out, k->end);
  }
}

void crd__report_contest_shift_markdown(const crd_contest *contest, crd__text *out) {
  static const marks markdown = { "| ", " | ", " |\n", "failed" };
  for (size_t s = 0; s < contest->shift_count; s++) {
    const crd_contest_shift *const set = &contest->shift[s];
    const crd_result *const first = set->candidates[0].result;
    crd__text_add(out, "\n| ");
    crd__report_markdown_add(out, set->name);
    crd__text_add(out, " |");
    for (size_t m = 0; m < first->value_count; m++)
      crd__text_addf(out, " %s |", first->values[m].metric->name);
    crd__text_add(out, "\n|:--|");
    for (size_t m = 0; m < first->value_count; m++) crd__text_add(out, "--:|");
    crd__text_add(out, "\n");
    add_rows(out, contest, set, &markdown);
    crd__text_add(out, "\n");
    crd__report_markdown_add(out, set->verdict);
    crd__text_add(out, "\n");
  }
}

void crd__report_contest_shift_latex(const crd_contest *contest, crd__text *out) {
  static const marks latex = { "", " & ", " \\\\\n", "--" };
  for (size_t s = 0; s < contest->shift_count; s++) {
    const crd_contest_shift *const set = &contest->shift[s];
    const crd_result *const first = set->candidates[0].result;
    crd__text_add(out, "% ");
    crd__report_text_add_plain(out, set->verdict, 0);
    crd__text_add(out, "\n\\begin{tabular}{l");
    for (size_t m = 0; m < first->value_count; m++) crd__text_add(out, "r");
    crd__text_add(out, "}\n\\toprule\n");
    crd__report_latex_add(out, set->name);
    for (size_t m = 0; m < first->value_count; m++)
      crd__text_addf(out, " & %s", first->values[m].metric->name);
    crd__text_add(out, " \\\\\n\\midrule\n");
    add_rows(out, contest, set, &latex);
    crd__text_add(out, "\\bottomrule\n\\end{tabular}\n");
  }
}

/* ---- JSON. */

static void add_candidate(crd__text *out, const char *name, const crd_shifted_candidate *c) {
  static const char indent[] = "\n          ";
  crd__text_addf(out, "{%s\"name\": ", indent);
  crd__json_add_string(out, name);
  if (c->failure) {
    crd__text_addf(out, ",%s\"failure\": ", indent);
    crd__json_add_string(out, c->failure);
  }
  if (c->result) crd__report_json_metrics(out, c->result, indent);
  if (c->result) crd__report_json_operating(out, c->result->operating, indent);
  if (c->against_identity) {
    crd__text_addf(out, ",%s\"against_identity\": ", indent);
    crd__report_json_differences(out, c->against_identity, indent);
  }
  crd__text_add(out, "\n        }");
}

static void add_set(crd__text *out, const crd_contest *contest, const crd_contest_shift *set) {
  crd__json_add_string(out, set->name);
  crd__text_add(out, ": {\n      \"name\": ");
  crd__json_add_string(out, set->data_name);
  crd__text_addf(out, ",\n      \"n\": %zu,\n      \"methods\": [", set->rows);
  for (size_t i = 0; i < contest->count; i++) {
    crd__text_add(out, i ? ",\n        " : "\n        ");
    add_candidate(out, contest->candidates[i].name, &set->candidates[i]);
  }
  crd__text_add(out, "\n      ],\n      \"verdict\": ");
  crd__json_add_string(out, set->verdict);
  crd__text_add(out, "\n    }");
}

void crd__report_contest_shift_json(const crd_contest *contest, crd__text *out) {
  if (contest->shift_count == 0) return;
  crd__text_add(out, ",\n  \"shift\": {");
  for (size_t s = 0; s < contest->shift_count; s++) {
    crd__text_add(out, s ? ",\n    " : "\n    ");
    add_set(out, contest, &contest->shift[s]);
  }
  crd__text_add(out, "\n  }");
}
