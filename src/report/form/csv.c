/*
 * csv.c -- one line per metric: metric,value,low,high,p,reason (RFC 4180, except that lines end
 * with LF). With groups, their lines follow, and a first column names the group; if several columns
 * group the rows, another one before it names the column. With shifted sets, their lines follow,
 * and further columns name the set and the difference from the original.
 */
#include "report/groups.h"
#include "report/operating.h"
#include "report/shift.h"

#include <math.h>

void crd__report_csv_number(crd__text *out, double value) {
  crd__text_add(out, ",");
  if (isfinite(value)) crd__text_add_number(out, value);
}

/* A peer's numbers are metrics like "netcal:ece". */
static void add_compat(crd__text *out, const crd_compat_table *c, const char *before,
                       const char *after) {
  for (size_t i = 0; i < c->count; i++) {
    crd__text_addf(out, "%s%s:%s", before, c->peer->name, c->values[i].convention->metric);
    crd__report_csv_number(out, c->values[i].value);
    crd__text_add(out, ",,,,");
    if (c->values[i].reason) crd__text_add_field(out, c->values[i].reason);
    crd__text_addf(out, "%s\n", after);
  }
}

static void add_group(crd__text *out, const crd_group *group, bool mixed) {
  char number[CRD__GROUP_NAME_SIZE];
  if (mixed) {
    crd__text_add_field(out, crd__report_groups_heading(group));
    crd__text_add(out, ",");
  }
  crd__text_add_field(out, crd__report_group_name(group, number));
  crd__text_add(out, ",");
}

/* The values of a group, or (`group` NULL) of all rows, in lines that begin with `before` and end
 * with `after`. */
static void add_values(crd__text *out, const crd_result *r, const crd_group *group, bool mixed,
                       const char *before, const char *after) {
  for (size_t i = 0; i < r->value_count; i++) {
    const crd_metric_value *v = &r->values[i];
    if (group) add_group(out, group, mixed);
    else crd__text_add(out, before);
    crd__text_add_field(out, v->metric->name);
    crd__report_csv_number(out, v->value);
    crd__report_csv_number(out, v->low);
    crd__report_csv_number(out, v->high);
    crd__report_csv_number(out, v->p);
    crd__text_add(out, ",");
    if (v->reason) crd__text_add_field(out, v->reason);
    crd__text_addf(out, "%s\n", after);
  }
}

static void csv_write(const crd_result *r, const crd_report_options *options, crd__text *out) {
  (void)options;
  const bool mixed = r->groups && crd__report_groups_mixed(r->groups);
  const char *const before = mixed ? ",," : r->groups ? "," : "";
  const char *const after = r->shift ? CRD__SHIFT_CSV_NONE : "";
  crd__text_addf(out, "%s%smetric,value,low,high,p,reason%s\n", mixed ? "column," : "",
                 r->groups ? "group," : "", r->shift ? CRD__SHIFT_CSV_HEADING : "");
  add_values(out, r, NULL, mixed, before, after);
  if (r->compat) add_compat(out, r->compat, before, after);
  crd__report_operating_csv(out, r->operating, before, after);
  for (size_t i = 0; r->groups && i < r->groups->count; i++) {
    const crd_group *const group = &r->groups->items[i];
    if (group->result) add_values(out, group->result, group, mixed, before, after);
  }
  crd__report_shift_csv(out, r, before);
}

const crd__report_form crd__report_form_csv = {
  .info = { .name = "csv", .summary = "metric, value, interval, p and reason, for spreadsheets" },
  .write = csv_write,
  .models = crd__report_models_csv,
  .contest = crd__report_contest_csv,
  .series = crd__report_series_csv,
  .calibratability = crd__report_calibratability_csv,
  .learned = crd__report_learned_csv,
};
