/* json.c -- calibratability as one JSON object, with the values of every run. */
#include "base/json_text.h"
#include "report/calibratability/sheet.h"
#include "report/json_parts.h"

static const char *const kinds[CRD_CALIBRATABILITY_KINDS] = {
  [CRD_CALIBRATABILITY_METRIC] = "metric",
  [CRD_CALIBRATABILITY_AFTER] = "ece-after",
  [CRD_CALIBRATABILITY_ORACLE] = "oracle-ece",
  [CRD_CALIBRATABILITY_HEADROOM] = "headroom",
  [CRD_CALIBRATABILITY_TEMPERATURE] = "temperature",
  [CRD_CALIBRATABILITY_ORACLE_TEMPERATURE] = "oracle-temperature",
};

static void add_number(crd__text *out, const char *key, double value) {
  crd__text_addf(out, ", \"%s\": ", key);
  crd__json_add_number(out, value);
}

/* Adds the members of a value, without braces. */
static void add_value(crd__text *out, const crd_series_value *v, size_t count) {
  crd__text_addf(out, "\"runs\": %zu", v->runs);
  add_number(out, "mean", v->mean);
  add_number(out, "std", v->std);
  crd__text_add(out, ", \"values\": [");
  for (size_t i = 0; i < count; i++) {
    if (i) crd__text_add(out, ", ");
    crd__json_add_number(out, v->values[i]);
  }
  crd__text_add(out, "]");
}

static void add_gap(crd__text *out, const crd_calibratability_gap *gap) {
  crd__text_add(out, ", \"gap\": {\"value\": ");
  crd__json_add_number(out, gap->value);
  add_number(out, "t", gap->t);
  add_number(out, "freedom", gap->freedom);
  add_number(out, "p", gap->p);
  add_number(out, "p_pooled", gap->p_pooled);
  add_number(out, "p_corrected", gap->p_corrected);
  if (gap->reason) {
    crd__text_add(out, ", \"reason\": ");
    crd__json_add_string(out, gap->reason);
  }
  crd__text_add(out, "}");
}

static void add_columns(crd__text *out, const crd_calibratability *r) {
  crd__text_add(out, ",\n  \"columns\": [");
  for (size_t k = 0; k < r->column_count; k++) {
    crd__text_addf(out, "%s\n    {\"name\": ", k ? "," : "");
    crd__json_add_string(out, r->columns[k].name);
    crd__text_addf(out, ", \"kind\": \"%s\"", kinds[r->columns[k].kind]);
    if (r->columns[k].method) {
      crd__text_add(out, ", \"method\": ");
      crd__json_add_string(out, r->columns[k].method);
    }
    crd__text_add(out, "}");
  }
  crd__text_add(out, "\n  ]");
}

static void add_sizes(crd__text *out, const crd_calibratability *r, const crd_trained *item) {
  if (!r->size_count) return;
  crd__text_add(out, ",\n      \"sizes\": [");
  for (size_t m = 0; m < r->method_count; m++)
    for (size_t k = 0; k < r->size_count; k++) {
      const size_t count = item->runs * r->draws;
      crd__text_addf(out, "%s\n        {\"method\": ", m || k ? "," : "");
      crd__json_add_string(out, r->methods[m]);
      if (r->sizes[k]) crd__text_addf(out, ", \"rows\": %zu, ", r->sizes[k]);
      else crd__text_add(out, ", \"rows\": null, ");
      add_value(out, &item->sized[m * r->size_count + k].ece, count);
      crd__text_add(out, "}");
    }
  crd__text_add(out, "\n      ]");
}

static void add_training(crd__text *out, const crd_calibratability *r, const crd_trained *item) {
  crd__text_add(out, "{\n      \"name\": ");
  crd__json_add_string(out, item->name);
  crd__text_addf(out, ",\n      \"runs\": %zu,\n      \"values\": {", item->runs);
  for (size_t k = 0; k < r->column_count; k++) {
    crd__text_addf(out, "%s\n        ", k ? "," : "");
    crd__json_add_string(out, r->columns[k].name);
    crd__text_add(out, ": {");
    add_value(out, &item->values[k], item->runs);
    if (item->gaps) add_gap(out, &item->gaps[k]);
    crd__text_add(out, "}");
  }
  crd__text_add(out, "\n      }");
  add_sizes(out, r, item);
  crd__text_add(out, "\n    }");
}

void crd__report_calibratability_json(const crd__report_calibratability *sheet,
                                      const crd_report_options *options, crd__text *out) {
  const crd_calibratability *const r = sheet->results;
  crd__report_json_begin(out, "calibratability");
  crd__text_add(out, "\n  \"baseline\": ");
  crd__json_add_string(out, r->items[0].name);
  crd__text_addf(out, ",\n  \"bins\": %u,\n  \"classes\": ", r->bins);
  if (r->classes) crd__text_addf(out, "%zu", r->classes);
  else crd__text_add(out, "null");
  crd__text_addf(out, ",\n  \"calibrate_rows\": {\"min\": %zu, \"max\": %zu}",
                 r->calibrate_rows_min, r->calibrate_rows_max);
  crd__text_addf(out, ",\n  \"n\": {\"min\": %zu, \"max\": %zu}", r->test_rows_min,
                 r->test_rows_max);
  if (r->size_count) crd__text_addf(out, ",\n  \"draws\": %u", r->draws);
  add_columns(out, r);
  crd__text_add(out, ",\n  \"trainings\": [");
  for (size_t i = 0; i < r->count; i++) {
    crd__text_add(out, i ? ",\n    " : "\n    ");
    add_training(out, r, &r->items[i]);
  }
  crd__text_add(out, "\n  ]");
  crd__report_json_warnings(out, r->notes, r->note_count, "\n  ");
  crd__report_json_along(out, options, "\n  ");
  crd__text_add(out, "\n}\n");
}
