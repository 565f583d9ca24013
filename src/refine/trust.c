/*
 * trust.c -- fits a TrustScore (credence/refine.h): training rows sorted by class.
 *
 * The authors' code finds the nearest other class by comparing distances, and takes the predicted
 * class itself where the two are equal; here it is found by its index. Their code also counts the
 * second nearest row, since its queries may be training rows: that is the setting neighbour=2.
 */
#include "refine/trust.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/settings.h"
#include "base/table.h"
#include "data/array.h"
#include "data/predictions.h"
#include "io/bundle.h"
#include "io/keys.h"
#include "io/pred.h"

#include <math.h>

enum { CLASSES_MAX = 1000000 };

static const crd_setting_info settings[CRD__TRUST_SETTINGS] = {
  [CRD__TRUST_K] = { .name = "k",
                     .help = "rows that define how dense a region is, the row itself included",
                     .standard = "10",
                     .low = 1,
                     .high = 1000,
                     .whole = 1 },
  [CRD__TRUST_ALPHA] = { .name = "alpha",
                         .help = "fraction of each class that is left out, from its sparsest "
                                 "regions",
                         .standard = "0",
                         .low = 0,
                         .high = 0.999 },
  [CRD__TRUST_NEIGHBOUR] = { .name = "neighbour",
                             .help = "which nearest row counts: 1, as in the paper; 2, as in its "
                                     "code, if the queries are training rows",
                             .standard = "1",
                             .low = 1,
                             .high = 100,
                             .whole = 1 },
};

static const crd__setting_table table = { "trust", CRD__TRUST_SETTINGS, settings };

CRD_TABLE(trust_setting, crd_setting_info, CRD__TRUST_SETTINGS, &settings[index])

void crd_trust_destroy(crd_trust *trust) {
  if (!trust) return;
  const crd_allocator alloc = trust->alloc;
  crd__free(&alloc, trust->features);
  crd__free(&alloc, trust->counts);
  crd__free(&alloc, trust);
}

const crd_trust_summary *crd_trust_describe(const crd_trust *trust) { return &trust->summary; }

/* ---- The rows. */

crd_status crd__refine_feature_check(crd_context *ctx, const char *name, size_t row, size_t column,
                                     double value) {
  char text[CRD__NUMBER_SIZE];
  if (fabs(value) <= CRD__TRUST_FEATURE_MAX) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%.400s: features row %zu, column %zu: found %s, allowed are numbers of "
                   "magnitude up to 1e150",
                   name, row, column, crd__number_format(text, value));
}

/* Reads a label; *out is SIZE_MAX for a row to leave out. */
static crd_status read_label(crd_context *ctx, const crd_trust_rows *rows, size_t row,
                             size_t *out) {
  int64_t label;
  char text[CRD__NUMBER_SIZE];
  *out = SIZE_MAX;
  if (!crd__data_array_integer(&rows->labels, row, 0, &label))
    return crd__fail(ctx, CRD_EINPUT, "%.400s: labels row %zu: found %s, expected an integer",
                     rows->name, row,
                     crd__number_format(text, crd__data_array_number(&rows->labels, row, 0)));
  if (label == CRD_IGNORE_LABEL) return CRD_OK;
  if (label < 0 || label >= CLASSES_MAX)
    return crd__fail(ctx, CRD_EINPUT,
                     "%.400s: labels row %zu: found class %lld, allowed are 0 .. "
                     "%d",
                     rows->name, row, (long long)label, CLASSES_MAX - 1);
  *out = (size_t)label;
  return CRD_OK;
}

static crd_status check_shapes(crd_context *ctx, crd_trust_rows *rows) {
  if (!rows->name) rows->name = "training rows";
  if (!rows->features.data || !rows->labels.data)
    return crd__fail(ctx, CRD_EINPUT, "%.400s: no %s, TrustScore needs features and labels",
                     rows->name, rows->features.data ? "labels" : "features");
  CRD_TRY(crd__data_matrix(ctx, rows->name, "features", &rows->features));
  CRD_TRY(crd__data_matrix(ctx, rows->name, "labels", &rows->labels));
  if (crd__data_cols(&rows->labels) != 1)
    return crd__fail(ctx, CRD_EINPUT, "%.400s: labels have %zu columns, expected one", rows->name,
                     crd__data_cols(&rows->labels));
  if (crd__data_rows_of(&rows->labels) != crd__data_rows_of(&rows->features))
    return crd__fail(ctx, CRD_EINPUT, "%.400s: %zu labels for %zu rows of features", rows->name,
                     crd__data_rows_of(&rows->labels), crd__data_rows_of(&rows->features));
  if (crd__data_cols(&rows->features) == 0)
    return crd__fail(ctx, CRD_EINPUT, "%.400s: features have no columns, expected at least one",
                     rows->name);
  return CRD_OK;
}

/* Counts the rows of each class; at least two classes must have some. */
static crd_status count_classes(crd_context *ctx, const crd_trust_rows *rows, crd_trust *t) {
  const size_t count = crd__data_rows_of(&rows->features);
  size_t label, present = 0;
  for (size_t i = 0; i < count; i++) {
    CRD_TRY(read_label(ctx, rows, i, &label));
    if (label < SIZE_MAX && label >= t->summary.classes) t->summary.classes = label + 1;
  }
  CRD_TRY(crd__new(ctx, t->summary.classes, sizeof *t->counts, "classes", &t->counts));
  for (size_t i = 0; i < count; i++) {
    CRD_TRY(read_label(ctx, rows, i, &label));
    if (label == SIZE_MAX) continue;
    present += t->counts[label]++ == 0;
    t->summary.rows++;
  }
  if (present < 2)
    return crd__fail(ctx, CRD_EINPUT,
                     "%.400s: %zu of the classes %s rows, TrustScore compares at least 2",
                     rows->name, present, present == 1 ? "has" : "have");
  return CRD_OK;
}

/* Copies the rows, class by class. `next` are the indices at which those of each class begin. */
static crd_status copy_rows(crd_context *ctx, const crd_trust_rows *rows, crd_trust *t,
                            size_t *next) {
  const size_t width = t->summary.width;
  for (size_t c = 0, total = 0; c < t->summary.classes; c++) {
    next[c] = total;
    total += t->counts[c];
  }
  for (size_t i = 0; i < crd__data_rows_of(&rows->features); i++) {
    size_t label;
    CRD_TRY(read_label(ctx, rows, i, &label));
    if (label == SIZE_MAX) continue;
    double *const to = t->features + next[label]++ * width;
    for (size_t j = 0; j < width; j++) {
      to[j] = crd__data_array_number(&rows->features, i, j);
      CRD_TRY(crd__refine_feature_check(ctx, rows->name, i, j, to[j]));
    }
  }
  return CRD_OK;
}

static crd_status fill(crd_context *ctx, crd_trust_rows *rows, const char *text, crd_trust *t) {
  size_t cells, *next = NULL;
  CRD_TRY(crd__settings_standard(ctx, &table, t->set, NULL));
  CRD_TRY(crd__settings_read(ctx, &table, text, t->set, NULL));
  CRD_TRY(check_shapes(ctx, rows));
  CRD_TRY(count_classes(ctx, rows, t));
  t->summary.width = crd__data_cols(&rows->features);
  if (!crd__size_mul(t->summary.rows, t->summary.width, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *t->features, "features", &t->features));
  CRD_TRY(crd__new(ctx, t->summary.classes, sizeof *next, "classes", &next));
  const crd_status status = copy_rows(ctx, rows, t, next);
  crd__free(&ctx->alloc, next);
  CRD_TRY(status);
  t->summary.kept = t->summary.rows;
  t->summary.counts = t->counts;
  t->summary.k = t->set[CRD__TRUST_K];
  t->summary.alpha = t->set[CRD__TRUST_ALPHA];
  t->summary.neighbour = t->set[CRD__TRUST_NEIGHBOUR];
  return t->summary.alpha > 0 ? crd__refine_trust_filter(ctx, t) : CRD_OK;
}

crd_status crd_trust_fit(crd_context *ctx, const crd_trust_rows *rows, const char *text,
                         crd_trust **out) {
  crd_trust_rows own;
  crd_trust *t;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_trust_rows, rows, &own));
  CRD_TRY(crd__new(ctx, 1, sizeof *t, "a TrustScore", &t));
  t->alloc = ctx->alloc;
  const crd_status status = fill(ctx, &own, text, t);
  if (status == CRD_OK) *out = t;
  else crd_trust_destroy(t);
  return status;
}

/* ---- From a file. */

static crd_status take(crd_context *ctx, crd__io_bundle *bundle, const crd__io_specifier *spec,
                       crd__io_role role, crd_array *out) {
  size_t index;
  if (!crd__io_key_in(bundle, spec->group, role, crd__io_keys, &index)) return CRD_OK;
  return crd__io_bundle_matrix(ctx, bundle, index, out);
}

static crd_status fit_bundle(crd_context *ctx, crd__io_bundle *bundle,
                             const crd__io_specifier *spec, const char *path, const char *text,
                             crd_trust **out) {
  crd_trust_rows rows = { .size = sizeof rows, .name = path };
  size_t from = 0, to = 0;
  CRD_TRY(take(ctx, bundle, spec, CRD__FEATURES, &rows.features));
  CRD_TRY(take(ctx, bundle, spec, CRD__LABELS, &rows.labels));
  CRD_TRY(check_shapes(ctx, &rows));
  CRD_TRY(crd__io_specifier_rows(ctx, path, spec, crd__data_rows_of(&rows.features), &from, &to));
  rows.features = crd_array_slice(rows.features, from, to);
  rows.labels = crd_array_slice(rows.labels, from, to);
  return crd_trust_fit(ctx, &rows, text, out);
}

crd_status crd_trust_open(crd_context *ctx, const char *path, const char *text, crd_trust **out) {
  crd__io_specifier spec;
  crd__io_bundle *bundle = NULL;
  *out = NULL;
  CRD_TRY(crd__io_specifier_parse(ctx, path, &spec));
  const crd_open_options options = { .size = sizeof options, .features = 1 };
  crd_status status = crd__io_bundle_open(ctx, spec.file, &options, &bundle);
  if (status == CRD_OK) status = fit_bundle(ctx, bundle, &spec, path, text, out);
  crd__io_bundle_destroy(bundle);
  crd__io_specifier_clear(&ctx->alloc, &spec);
  return status;
}
