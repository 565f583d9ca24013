/*
 * series_table.c -- a series as CSV, Markdown or LaTeX. In the latter two there is one line per
 * method: the best mean of each column is bold, the second underlined.
 */
#include "report/form.h"
#include "report/series_parts.h"

#include <math.h>

/* ---- CSV: one line per method and metric, with the seconds and the temperature as metrics. */

static void add_difference(crd__text *out, const crd_series_difference *against, size_t metric) {
  crd__report_csv_number(out, against ? against[metric].mean : (double)NAN);
  crd__report_csv_number(out, against ? against[metric].std : (double)NAN);
  crd__report_csv_number(out, against ? against[metric].p : (double)NAN);
}

static void add_line(crd__text *out, const crd_series_candidate *c, const char *metric,
                     const crd_series_value *v) {
  crd__text_addf(out, "\"%s\",%s,%zu", c->name, metric, v->runs);
  crd__report_csv_number(out, v->mean);
  crd__report_csv_number(out, v->std);
}

static void add_others(crd__text *out, const crd_series_candidate *c) {
  crd__text_addf(out, ",%zu,%zu,%zu\n", c->chosen, c->failures, c->unconverged);
}

void crd__report_series_csv(const crd_series_summary *s, const crd_report_options *options,
                            crd__text *out) {
  (void)options;
  crd__text_add(out, "method,metric,runs,mean,std,difference,difference_std,p,"
                     "difference_temperature,difference_temperature_std,p_temperature,chosen,"
                     "failures,unconverged\n");
  for (size_t i = 0; i < s->count; i++) {
    const crd_series_candidate *const c = &s->candidates[i];
    for (size_t m = 0; m < s->metric_count; m++) {
      add_line(out, c, s->metrics[m]->name, &c->values[m]);
      add_difference(out, c->against_identity, m);
      add_difference(out, c->against_temperature, m);
      add_others(out, c);
    }
    add_line(out, c, "seconds", &c->seconds);
    crd__text_add(out, ",,,,,,");
    add_others(out, c);
    if (!c->temperature.runs) continue;
    add_line(out, c, "temperature", &c->temperature);
    crd__text_add(out, ",,,,,,");
    add_others(out, c);
  }
}

/* ---- Tables. */

typedef struct {
  const char *begin, *between, *end;                      /* of a line */
  const char *cell, *cell_end, *none;                     /* of a cell */
  const char *strong, *strong_end, *second, *second_end;  /* of a mean */
  const char *plus_minus, *arrow[3];                      /* by crd_direction */
  void (*add_escaped)(crd__text *out, const char *words); /* of names */
} marks;

static void add_cell(crd__text *out, const crd_series_summary *s, const marks *k, size_t candidate,
                     size_t column) {
  const crd__report_series_rank rank = crd__report_series_rank_of(s, candidate, column);
  const char *const open[] = {
    [CRD__SERIES_OTHER] = "", [CRD__SERIES_BEST] = k->strong, [CRD__SERIES_SECOND] = k->second
  };
  const char *const close[] = { [CRD__SERIES_OTHER] = "",
                                [CRD__SERIES_BEST] = k->strong_end,
                                [CRD__SERIES_SECOND] = k->second_end };
  const crd__report_series_cell cell = crd__report_series_cell_format(s, candidate, column);
  crd__text_add(out, k->between);
  if (!crd__report_series_value(s, candidate, column)->runs) {
    crd__text_add(out, k->none);
    return;
  }
  crd__text_addf(out, "%s%s%s%s", k->cell, open[rank], cell.mean, close[rank]);
  if (cell.has_std) crd__text_addf(out, "%s%s", k->plus_minus, cell.std);
  crd__text_add(out, k->cell_end);
}

static void add_lines(crd__text *out, const crd_series_summary *s, const marks *k) {
  for (size_t i = 0; i < s->count; i++) {
    const crd_series_candidate *const c = &s->candidates[i];
    crd__text_add(out, k->begin);
    k->add_escaped(out, c->name);
    if (c->failures) crd__text_addf(out, " (failed in %zu of %zu)", c->failures, s->runs);
    for (size_t column = 0; column < crd__report_series_columns(s); column++)
      add_cell(out, s, k, i, column);
    crd__text_add(out, k->end);
  }
}

static void add_headings(crd__text *out, const crd_series_summary *s, const marks *k) {
  for (size_t c = 0; c < crd__report_series_columns(s); c++) {
    crd__text_add(out, k->between);
    k->add_escaped(out, crd__report_series_heading(s, c));
    crd__text_add(out, k->arrow[crd__report_series_direction(s, c)]);
  }
}

void crd__report_series_add_markdown(crd__text *out, const crd_series_summary *s,
                                     const char *heading) {
  /* GitHub shows <ins>, and no <u>, as underlined. */
  static const marks markdown = {
    .begin = "| ",
    .between = " | ",
    .end = " |\n",
    .cell = "",
    .cell_end = "",
    .none = "failed",
    .strong = "**",
    .strong_end = "**",
    .second = "<ins>",
    .second_end = "</ins>",
    .plus_minus = " \xc2\xb1 ",
    .arrow = { [CRD_LOWER_IS_BETTER] = " \xe2\x86\x93",
               [CRD_HIGHER_IS_BETTER] = " \xe2\x86\x91",
               [CRD_NEITHER_IS_BETTER] = "" },
    .add_escaped = crd__report_markdown_add,
  };
  crd__text_addf(out, "| %s", heading);
  add_headings(out, s, &markdown);
  crd__text_add(out, " |\n|:--|");
  for (size_t c = 0; c < crd__report_series_columns(s); c++) crd__text_add(out, "--:|");
  crd__text_add(out, "\n");
  add_lines(out, s, &markdown);
  crd__text_add(out, "\n");
}

void crd__report_series_markdown(const crd_series_summary *s, const crd_report_options *options,
                                 crd__text *out) {
  (void)options;
  crd__report_series_add_markdown(out, s, "method");
  crd__report_series_add_caption(out, s);
  crd__text_add(out, " Bold: the best mean of its column; underlined: the second.\n");
  crd__report_series_add_choices(out, s);
  crd__text_add(out, "\n");
}

void crd__report_series_add_latex(crd__text *out, const crd_series_summary *s,
                                  const char *heading) {
  static const marks latex = {
    .begin = "",
    .between = " & ",
    .end = " \\\\\n",
    .cell = "$",
    .cell_end = "$",
    .none = "--",
    .strong = "\\mathbf{",
    .strong_end = "}",
    .second = "\\underline{",
    .second_end = "}",
    .plus_minus = " \\pm ",
    .arrow = { [CRD_LOWER_IS_BETTER] = " $\\downarrow$",
               [CRD_HIGHER_IS_BETTER] = " $\\uparrow$",
               [CRD_NEITHER_IS_BETTER] = "" },
    .add_escaped = crd__report_latex_add,
  };
  crd__text_add(out, "\\begin{tabular}{l");
  for (size_t c = 0; c < crd__report_series_columns(s); c++) crd__text_add(out, "r");
  crd__text_addf(out, "}\n\\toprule\n%s", heading);
  add_headings(out, s, &latex);
  crd__text_add(out, " \\\\\n\\midrule\n");
  add_lines(out, s, &latex);
  crd__text_add(out, "\\bottomrule\n\\end{tabular}\n");
}

void crd__report_series_latex(const crd_series_summary *s, const crd_report_options *options,
                              crd__text *out) {
  (void)options;
  crd__text_add(out, "% ");
  crd__report_series_add_caption(out, s);
  crd__text_add(out, "\n% Bold: the best mean of its column; underlined: the second.\n% ");
  crd__report_series_add_choices(out, s);
  crd__text_add(out, "\n");
  crd__report_series_add_latex(out, s, "Method");
}
