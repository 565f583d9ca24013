/* contest_table.c -- a contest as CSV, Markdown or LaTeX: one line per method. */
#include "report/contest_parts.h"
#include "report/grid/grid.h"
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

/* ---- Tables of values and intervals; the name of the chosen method is bold. */

static const crd_candidate *candidate_at(const void *self, size_t line) {
  return &((const crd_contest *)self)->candidates[line];
}

static const char *name_of(const void *self, size_t line) { return candidate_at(self, line)->name; }

static bool is_chosen(const void *self, size_t line) {
  return candidate_at(self, line) == ((const crd_contest *)self)->chosen;
}

static crd__report_column column_of(const void *self, size_t column) {
  return crd__report_metric_column(candidate_at(self, 0)->result->values[column].metric);
}

static crd__report_cell cell_of(const void *self, size_t line, size_t column) {
  const crd_result *const r = candidate_at(self, line)->result;
  const double none = (double)NAN;
  return (crd__report_cell){ .value = r ? r->values[column].value : none,
                             .low = r ? r->values[column].low : none,
                             .high = r ? r->values[column].high : none,
                             .std = none,
                             .failed = !r,
                             .comparable = true };
}

static crd__report_grid grid_of(const crd_contest *contest, const crd_report_options *options,
                                const char *corner) {
  return (crd__report_grid){ .self = contest,
                             .lines = contest->count,
                             .columns = contest->candidates[0].result->value_count,
                             .corner = corner,
                             .name = name_of,
                             .column = column_of,
                             .cell = cell_of,
                             .chosen = is_chosen,
                             .digits = options->digits,
                             .percent = options->percent != 0 };
}

void crd__report_contest_markdown(const crd_contest *contest, const crd_report_options *options,
                                  crd__text *out) {
  const crd__report_grid grid = grid_of(contest, options, "method");
  crd__report_grid_markdown(out, &grid);
  crd__report_operating_contest_markdown(out, contest);
  crd__text_addf(out, "\n%s\n", contest->verdict);
  crd__report_contest_shift_markdown(contest, out);
}

void crd__report_contest_latex(const crd_contest *contest, const crd_report_options *options,
                               crd__text *out) {
  const crd__report_grid grid = grid_of(contest, options, "Method");
  crd__text_addf(out, "%% %s\n", contest->verdict);
  crd__report_grid_latex(out, &grid);
  crd__report_contest_shift_latex(contest, out);
}
