/*
 * profile_json.c -- a profile as JSON, one line per curve or set of bins, and the provenance of a
 * result. Fine bins hold exact sums: merging them gives the same values as the program would.
 */
#include "base/json_text.h"
#include "report/fields.h"
#include "report/json_parts.h"

#include <stdio.h>

static bool has_own_weights(const crd_fine_bins *b) {
  for (size_t i = 0; i < b->count; i++)
    if (b->items[i].weight != (double)b->items[i].rows) return true;
  return false;
}

static void add_bins(crd__text *out, const crd_fine_bins *b) {
  crd__text_addf(out, "\"bins\": {\"bins\": %u, ", b->bins);
  crd__report_columns_write(
      out, has_own_weights(b) ? &crd__report_record_fine_weighted : &crd__report_record_fine,
      b->items, b->count);
  crd__text_add(out, "}");
}

static void add_columns(crd__text *out, const char *key, const crd__report_record *record,
                        const void *items, size_t count) {
  crd__text_addf(out, "\"%s\": {", key);
  crd__report_columns_write(out, record, items, count);
  crd__text_add(out, "}");
}

/* ---- Parts. The caller has begun a line for each. */

static void add_fine(crd__text *out, const crd_profile *p, const char *indent) {
  (void)indent;
  add_bins(out, &p->bins);
}

static void add_curves(crd__text *out, const crd_profile *p, const char *indent) {
  for (size_t i = 0; crd__report_profile_curve(i); i++) {
    const crd_curve *const curve =
        (const void *)((const char *)p + crd__report_profile_curve(i)->offset);
    if (i) crd__text_addf(out, ",%s", indent);
    add_columns(out, crd__report_profile_curve(i)->key, &crd__report_record_point, curve->points,
                curve->count);
  }
}

static void add_smooth(crd__text *out, const crd_profile *p, const char *indent) {
  (void)indent;
  crd__text_add(out, "\"smooth\": {\"bandwidth\": ");
  crd__json_add_number(out, p->smooth_bandwidth);
  crd__text_add(out, ", ");
  crd__report_columns_write(out, &crd__report_record_smooth, p->smooth, p->smooth_count);
  crd__text_add(out, "}");
}

/* Writes a temperature or a class, with its bins. */
static void add_item(crd__text *out, const char *begin, const crd__report_record *record,
                     const void *item, const crd_fine_bins *bins) {
  crd__text_addf(out, "%s  {", begin);
  crd__report_members_write(out, record, item);
  crd__text_add(out, ", ");
  add_bins(out, bins);
  crd__text_add(out, "}");
}

static void add_temperatures(crd__text *out, const crd_profile *p, const char *indent) {
  crd__text_add(out, "\"temperatures\": [");
  for (size_t i = 0; i < p->temperature_count; i++) {
    if (i) crd__text_add(out, ",");
    add_item(out, indent, &crd__report_record_temperature, &p->temperatures[i],
             &p->temperatures[i].bins);
  }
  crd__text_addf(out, "%s]", p->temperature_count ? indent : "");
}

static void add_classes(crd__text *out, const crd_profile *p, const char *indent) {
  crd__text_add(out, "\"classes\": [");
  for (size_t i = 0; i < p->class_count; i++) {
    if (i) crd__text_add(out, ",");
    add_item(out, indent, &crd__report_record_class, &p->classes[i], &p->classes[i].bins);
  }
  crd__text_addf(out, "%s]", p->class_count ? indent : "");
}

static void add_by_bins(crd__text *out, const crd_profile *p, const char *indent) {
  (void)indent;
  add_columns(out, "by_bins", &crd__report_record_by_bins, p->by_bins, p->by_bins_count);
}

static void add_groups(crd__text *out, const crd_profile *p, const char *indent) {
  crd__text_add(out, "\"groups\": ");
  crd__report_json_groups(out, p->groups, indent);
}

/* Requested parts are written even if empty. Errors by number of bins belong to no part. */
static const struct {
  unsigned part;
  void (*add)(crd__text *out, const crd_profile *profile, const char *indent);
} parts[] = {
  { CRD_PROFILE_BINS, add_fine },
  { CRD_PROFILE_CURVES, add_curves },
  { 0, add_by_bins },
  { CRD_PROFILE_SMOOTH, add_smooth },
  { CRD_PROFILE_TEMPERATURES, add_temperatures },
  { CRD_PROFILE_CLASSES, add_classes },
  { CRD_PROFILE_GROUPS, add_groups },
};

void crd__report_json_profile(crd__text *out, const crd_profile *p, const char *indent) {
  char inner[32];
  bool any = false;
  if (!p) return;
  snprintf(inner, sizeof inner, "%s  ", indent);
  crd__text_addf(out, ",%s\"profile\": {", indent);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (parts[i].part ? !(p->parts & parts[i].part) : !p->by_bins_count) continue;
    crd__text_addf(out, "%s%s", any ? "," : "", inner);
    parts[i].add(out, p, inner);
    any = true;
  }
  crd__text_addf(out, "%s}", any ? indent : "");
}

/* ---- Diagnosis and provenance. */

static void add_provenance(crd__text *out, const crd_provenance *p, const char *indent) {
  crd__text_add(out, "{");
  crd__report_members_write(out, &crd__report_record_provenance, p);
  crd__text_add(out, ", \"sources\": [");
  for (size_t i = 0; i < p->source_count; i++) {
    crd__text_addf(out, "%s%s  {", i ? "," : "", indent);
    crd__report_members_write(out, &crd__report_record_source, &p->sources[i]);
    crd__text_add(out, "}");
  }
  crd__text_addf(out, "%s]}", p->source_count ? indent : "");
}

void crd__report_json_along(crd__text *out, const crd_report_options *options, const char *indent) {
  if (options->diagnosis) {
    crd__text_addf(out, ",%s\"diagnosis\": ", indent);
    crd__report_json_diagnosis(out, options->diagnosis, indent);
  }
  if (options->provenance) {
    crd__text_addf(out, ",%s\"provenance\": ", indent);
    add_provenance(out, options->provenance, indent);
  }
}
