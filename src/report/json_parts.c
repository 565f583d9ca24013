/* json_parts.c -- metrics, differences, groups and bins as JSON. */
#include "report/json_parts.h"
#include "base/json_text.h"
#include "report/fields.h"

#include <math.h>
#include <stdio.h>

void crd__report_json_begin(crd__text *out, const char *kind) {
  crd__text_addf(out, "{\n  \"credence\": \"%s\",\n  \"version\": %d,", kind, CRD__JSON_VERSION);
}

void crd__report_json_shape(crd__text *out, const crd_result *r, const char *indent) {
  crd__text_addf(out, ",%s\"classes\": ", indent);
  crd__report_kind_some.write(out, &r->classes);
  crd__text_addf(out, ",%s\"input\": \"%s\"", indent, crd_input_name(r->input));
  if (r->classes == 2)
    crd__text_addf(out, ",%s\"binary\": \"%s\"", indent,
                   r->binary == CRD_BINARY_POS ? "pos" : "top");
  crd__text_addf(out, ",%s\"bins\": %zu,%s\"weighted\": ", indent, r->bin_count, indent);
  crd__report_kind_flag.write(out, &r->weighted);
}

void crd__report_json_metrics(crd__text *out, const crd_result *r, const char *indent) {
  crd__text_addf(out, ",%s\"metrics\": {", indent);
  for (size_t i = 0; i < r->value_count; i++) {
    crd_metric_value v = r->values[i];
    if (isfinite(v.value)) v.reason = NULL;
    else if (!v.reason) v.reason = CRD__NOT_FINITE;
    crd__text_addf(out, "%s%s  ", i ? "," : "", indent);
    crd__json_add_string(out, v.metric->name);
    crd__text_add(out, ": {");
    crd__report_members_write(out, &crd__report_record_metric, &v);
    crd__text_add(out, "}");
  }
  crd__text_addf(out, "%s}", r->value_count ? indent : "");
}

void crd__report_json_differences(crd__text *out, const crd_comparison *c, const char *indent) {
  crd__text_add(out, "{");
  for (size_t i = 0; i < c->count; i++) {
    crd__text_addf(out, "%s%s  ", i ? "," : "", indent);
    crd__json_add_string(out, c->items[i].metric->name);
    crd__text_add(out, ": {");
    crd__report_members_write(out, &crd__report_record_difference, &c->items[i]);
    crd__text_add(out, "}");
  }
  crd__text_addf(out, "%s}", indent);
}

void crd__report_json_clusters(crd__text *out, const crd_result *r, const char *indent) {
  if (!r->cluster) return;
  crd__text_addf(out, ",%s\"clusters\": {\"name\": ", indent);
  crd__json_add_string(out, r->cluster);
  crd__text_addf(out, ", \"count\": %zu}", r->clusters);
}

static void add_group(crd__text *out, const crd_group *group, const char *indent) {
  char inner[32];
  snprintf(inner, sizeof inner, "%s    ", indent);
  crd__text_addf(out, "%s  {%s", indent, inner);
  if (group->column) {
    crd__text_add(out, "\"column\": ");
    crd__json_add_string(out, group->column);
    crd__text_addf(out, ",%s", inner);
  }
  crd__text_add(out, "\"group\": ");
  if (group->name) crd__json_add_string(out, group->name);
  else crd__text_addf(out, "%lld", (long long)group->number);
  crd__text_addf(out, ",%s\"n\": %zu", inner, group->rows);
  if (group->result) crd__report_json_metrics(out, group->result, inner);
  else crd__text_addf(out, ",%s\"metrics\": null", inner);
  crd__text_addf(out, "%s  }", indent);
}

void crd__report_json_groups(crd__text *out, const crd_group_table *g, const char *indent) {
  crd__text_add(out, "[");
  for (size_t i = 0; g && i < g->count; i++) {
    if (i) crd__text_add(out, ",");
    add_group(out, &g->items[i], indent);
  }
  crd__text_addf(out, "%s]", g && g->count ? indent : "");
}

void crd__report_json_reliability(crd__text *out, const crd_result *r, const char *indent) {
  crd__text_addf(out, ",%s\"reliability\": [", indent);
  for (size_t i = 0; i < r->bin_count; i++) {
    crd__text_addf(out, "%s%s  {", i ? "," : "", indent);
    crd__report_members_write(out, &crd__report_record_bin, &r->bins[i]);
    crd__text_add(out, "}");
  }
  crd__text_addf(out, "%s]", r->bin_count ? indent : "");
}

void crd__report_json_warnings(crd__text *out, const char *const *notes, size_t count,
                               const char *indent) {
  crd__text_addf(out, ",%s\"warnings\": [", indent);
  for (size_t i = 0; i < count; i++) {
    crd__text_addf(out, "%s%s  ", i ? "," : "", indent);
    crd__json_add_string(out, notes[i]);
  }
  crd__text_addf(out, "%s]", count ? indent : "");
}
