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

void crd__report_series_markdown(const crd_series_summary *s, const crd_report_options *options,
                                 crd__text *out) {
  crd__report_series_add_markdown(out, s, "method", options);
  crd__report_series_add_caption(out, s);
  crd__text_add(out, " Bold: the best mean of its column; underlined: the second.\n");
  crd__report_series_add_choices(out, s);
  crd__text_add(out, "\n");
}

void crd__report_series_latex(const crd_series_summary *s, const crd_report_options *options,
                              crd__text *out) {
  crd__text_add(out, "% ");
  crd__report_series_add_caption(out, s);
  crd__text_add(out, "\n% Bold: the best mean of its column; underlined: the second.\n% ");
  crd__report_series_add_choices(out, s);
  crd__text_add(out, "\n");
  crd__report_series_add_latex(out, s, "Method", options);
}
