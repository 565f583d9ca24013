/* series_json.c -- a series as one JSON object, with the values of every run. */
#include "base/json_text.h"
#include "report/form.h"
#include "report/json_parts.h"

static void add_number(crd__text *out, const char *key, double value) {
  crd__text_addf(out, ", \"%s\": ", key);
  crd__json_add_number(out, value);
}

static void add_value(crd__text *out, const crd_series_value *v, size_t runs) {
  crd__text_addf(out, "{\"runs\": %zu", v->runs);
  add_number(out, "mean", v->mean);
  add_number(out, "std", v->std);
  crd__text_add(out, ", \"values\": [");
  for (size_t r = 0; r < runs; r++) {
    if (r) crd__text_add(out, ", ");
    crd__json_add_number(out, v->values[r]);
  }
  crd__text_add(out, "]}");
}

static void add_metrics(crd__text *out, const crd_series_summary *s,
                        const crd_series_candidate *c) {
  crd__text_add(out, ",\n      \"metrics\": {");
  for (size_t m = 0; m < s->metric_count; m++) {
    crd__text_addf(out, "%s\n        \"%s\": ", m ? "," : "", s->metrics[m]->name);
    add_value(out, &c->values[m], s->runs);
  }
  crd__text_add(out, "\n      }");
}

static void add_against(crd__text *out, const char *key, const crd_series_summary *s,
                        const crd_series_difference *against) {
  if (!against) return;
  crd__text_addf(out, ",\n      \"%s\": {", key);
  for (size_t m = 0; m < s->metric_count; m++) {
    crd__text_addf(out, "%s\n        \"%s\": {\"runs\": %zu", m ? "," : "", s->metrics[m]->name,
                   against[m].runs);
    add_number(out, "mean", against[m].mean);
    add_number(out, "std", against[m].std);
    add_number(out, "p", against[m].p);
    crd__text_add(out, "}");
  }
  crd__text_add(out, "\n      }");
}

static void add_candidate(crd__text *out, const crd_series_summary *s,
                          const crd_series_candidate *c) {
  crd__text_add(out, "{\n      \"name\": ");
  crd__json_add_string(out, c->name);
  crd__text_addf(out, ",\n      \"chosen\": %zu,\n      \"failures\": %zu", c->chosen, c->failures);
  if (c->failure) {
    crd__text_add(out, ",\n      \"failure\": ");
    crd__json_add_string(out, c->failure);
  }
  crd__text_addf(out, ",\n      \"unconverged\": %zu,\n      \"seconds\": ", c->unconverged);
  add_value(out, &c->seconds, s->runs);
  if (c->temperature.runs) {
    crd__text_add(out, ",\n      \"temperature\": ");
    add_value(out, &c->temperature, s->runs);
  }
  add_metrics(out, s, c);
  add_against(out, "against_identity", s, c->against_identity);
  add_against(out, "against_temperature", s, c->against_temperature);
  crd__text_add(out, "\n    }");
}

static void add_head(crd__text *out, const crd_series_summary *s) {
  static const char *const tests[] = {
    [CRD_SERIES_INDEPENDENT] = "paired-t", [CRD_SERIES_SPLITS] = "corrected-resampled-t"
  };
  crd__report_json_begin(out, "series");
  crd__text_add(out, "\n  \"calibrate\": ");
  crd__json_add_string(out, s->calibrate_name);
  crd__text_add(out, ",\n  \"test\": ");
  crd__json_add_string(out, s->test_name);
  crd__text_addf(out, ",\n  \"runs\": %zu,\n  \"caption\": ", s->runs);
  crd__json_add_string(out, s->caption);
  crd__text_addf(out, ",\n  \"difference_test\": \"%s\"", tests[s->kind]);
  crd__text_addf(out, ",\n  \"calibrate_rows\": {\"min\": %zu, \"max\": %zu}",
                 s->calibrate_rows_min, s->calibrate_rows_max);
  crd__text_addf(out, ",\n  \"n\": {\"min\": %zu, \"max\": %zu}", s->test_rows_min,
                 s->test_rows_max);
  crd__text_addf(out, ",\n  \"folds\": %u,\n  \"methods\": [", s->folds);
}

void crd__report_series_json(const crd_series_summary *s, const crd_report_options *options,
                             crd__text *out) {
  add_head(out, s);
  for (size_t i = 0; i < s->count; i++) {
    crd__text_add(out, i ? ",\n    " : "\n    ");
    add_candidate(out, s, &s->candidates[i]);
  }
  crd__text_add(out, "\n  ]");
  crd__report_json_warnings(out, s->notes, s->note_count, "\n  ");
  crd__report_json_along(out, options, "\n  ");
  crd__text_add(out, "\n}\n");
}
