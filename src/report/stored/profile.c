/* profile.c -- reads a profile; the requested parts are those that have their keys. */
#include "report/fields.h"
#include "report/stored/stored.h"

#include <math.h>

/* Reads an array of structs that is stored as an object of columns. */
static crd_status read_columns(crd__report_reader *r, const json_t *object, const char *key,
                               const crd__report_record *record, void *items, size_t *count) {
  const json_t *const json = json_object_get(object, key);
  const size_t back = crd__report_enter(r, key);
  CRD_TRY(crd__report_object_check(r, json, record, ""));
  CRD_TRY(crd__report_columns_read(r, json, record, items, count));
  crd__report_leave(r, back);
  return CRD_OK;
}

static crd_status check_bins(crd__report_reader *r, const crd_fine_bins *b) {
  for (size_t i = 0; i < b->count; i++) {
    const unsigned index = b->items[i].index;
    if (index < b->bins && (i == 0 || index > b->items[i - 1].index)) continue;
    crd__report_enter(r, "index");
    crd__report_enter_item(r, i);
    return crd__report_reader_fail(r, "found %u, allowed are ascending indices below %u", index,
                                   b->bins);
  }
  return CRD_OK;
}

static crd_status read_bins(crd__report_reader *r, const json_t *object, crd_fine_bins *out) {
  const json_t *const json = json_object_get(object, "bins");
  const bool weighted = json_object_get(json, "weight");
  const size_t back = crd__report_enter(r, "bins");
  crd_fine_bin *items;
  CRD_TRY(crd__report_object_check(r, json, &crd__report_record_fine_weighted, "bins"));
  CRD_TRY(crd__report_member_read(r, json, "bins", &crd__report_kind_small, &out->bins));
  CRD_TRY(crd__report_columns_read(
      r, json, weighted ? &crd__report_record_fine_weighted : &crd__report_record_fine, &items,
      &out->count));
  for (size_t i = 0; !weighted && i < out->count; i++) items[i].weight = (double)items[i].rows;
  out->items = items;
  CRD_TRY(check_bins(r, out));
  crd__report_leave(r, back);
  return CRD_OK;
}

/* ---- Parts. */

static crd_status read_fine(crd__report_reader *r, const json_t *json, const crd_result *whole,
                            crd_profile *out) {
  (void)whole;
  return read_bins(r, json, &out->bins);
}

static crd_status read_curves(crd__report_reader *r, const json_t *json, const crd_result *whole,
                              crd_profile *out) {
  (void)whole;
  for (size_t i = 0; crd__report_profile_curve(i); i++) {
    crd_curve *const curve = (void *)((char *)out + crd__report_profile_curve(i)->offset);
    CRD_TRY(read_columns(r, json, crd__report_profile_curve(i)->key, &crd__report_record_point,
                         &curve->points, &curve->count));
  }
  return CRD_OK;
}

static crd_status read_by_bins(crd__report_reader *r, const json_t *json, const crd_result *whole,
                               crd_profile *out) {
  (void)whole;
  return read_columns(r, json, "by_bins", &crd__report_record_by_bins, &out->by_bins,
                      &out->by_bins_count);
}

static crd_status read_smooth(crd__report_reader *r, const json_t *object, const crd_result *whole,
                              crd_profile *out) {
  const json_t *const json = json_object_get(object, "smooth");
  const size_t back = crd__report_enter(r, "smooth");
  (void)whole;
  CRD_TRY(crd__report_object_check(r, json, &crd__report_record_smooth, "bandwidth"));
  CRD_TRY(crd__report_member_read(r, json, "bandwidth", &crd__report_kind_number,
                                  &out->smooth_bandwidth));
  CRD_TRY(crd__report_columns_read(r, json, &crd__report_record_smooth, &out->smooth,
                                   &out->smooth_count));
  crd__report_leave(r, back);
  return CRD_OK;
}

/* Reads an array of objects with the record's members and bins; `at` is the offset of the bins. */
static crd_status read_items(crd__report_reader *r, const json_t *object, const char *key,
                             const crd__report_record *record, size_t at, void *out,
                             size_t *count) {
  const json_t *list;
  char *items;
  CRD_TRY(crd__report_array_get(r, object, key, &list));
  const size_t back = crd__report_enter(r, key);
  *count = json_array_size(list);
  CRD_TRY(crd__report_reader_alloc(r, *count, record->size, &items));
  *(void **)out = items;
  for (size_t i = 0; i < *count; i++) {
    const json_t *const json = json_array_get(list, i);
    char *const item = items + i * record->size;
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(crd__report_object_check(r, json, record, "bins"));
    CRD_TRY(crd__report_members_read(r, json, record, item));
    CRD_TRY(read_bins(r, json, (void *)(item + at)));
    crd__report_leave(r, here);
  }
  crd__report_leave(r, back);
  return CRD_OK;
}

static crd_status read_temperatures(crd__report_reader *r, const json_t *json,
                                    const crd_result *whole, crd_profile *out) {
  crd_temperature_point *items;
  (void)whole;
  CRD_TRY(read_items(r, json, "temperatures", &crd__report_record_temperature,
                     offsetof(crd_temperature_point, bins), &items, &out->temperature_count));
  for (size_t i = 0; i < out->temperature_count; i++) {
    if (items[i].temperature > (i ? items[i - 1].temperature : 0)) continue;
    crd__report_enter(r, "temperatures");
    crd__report_enter_item(r, i);
    return crd__report_reader_fail(r, "temperatures must be above 0 and ascending");
  }
  out->temperatures = items;
  return CRD_OK;
}

static crd_status read_classes(crd__report_reader *r, const json_t *json, const crd_result *whole,
                               crd_profile *out) {
  crd_class_profile *items;
  CRD_TRY(read_items(r, json, "classes", &crd__report_record_class,
                     offsetof(crd_class_profile, bins), &items, &out->class_count));
  for (size_t i = 0; i < out->class_count; i++) {
    if (items[i].number < whole->classes) continue;
    crd__report_enter(r, "classes");
    crd__report_enter_item(r, i);
    return crd__report_reader_fail(r, "found class %zu, allowed are 0 .. %zu", items[i].number,
                                   whole->classes ? whole->classes - 1 : 0);
  }
  out->classes = items;
  return CRD_OK;
}

static crd_status read_groups(crd__report_reader *r, const json_t *json, const crd_result *whole,
                              crd_profile *out) {
  return crd__report_groups_read(r, json, whole, NULL, &out->groups);
}

/* Each part and the key that shows it is present. */
static const struct {
  const char *key;
  unsigned part;
  crd_status (*read)(crd__report_reader *reader, const json_t *profile, const crd_result *whole,
                     crd_profile *out);
} parts[] = {
  { "bins", CRD_PROFILE_BINS, read_fine },
  { "roc", CRD_PROFILE_CURVES, read_curves },
  { "by_bins", 0, read_by_bins },
  { "smooth", CRD_PROFILE_SMOOTH, read_smooth },
  { "temperatures", CRD_PROFILE_TEMPERATURES, read_temperatures },
  { "classes", CRD_PROFILE_CLASSES, read_classes },
  { "groups", CRD_PROFILE_GROUPS, read_groups },
};

crd_status crd__report_profile_read(crd__report_reader *r, const json_t *object,
                                    const crd_result *whole, const crd_profile **out) {
  const json_t *const json = json_object_get(object, "profile");
  crd_profile *profile;
  *out = NULL;
  if (!json) return CRD_OK;
  const size_t back = crd__report_enter(r, "profile");
  CRD_TRY(crd__report_object_check(r, json, NULL,
                                   "bins roc precision_right precision_wrong risk_coverage "
                                   "risk_coverage_best density_right density_wrong by_bins smooth "
                                   "temperatures classes groups"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *profile, &profile));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!json_object_get(json, parts[i].key)) continue;
    profile->parts |= parts[i].part;
    CRD_TRY(parts[i].read(r, json, whole, profile));
  }
  crd__report_leave(r, back);
  *out = profile;
  return CRD_OK;
}
