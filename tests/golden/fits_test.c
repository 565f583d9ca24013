/*
 * fits_test.c -- temperatures, weights and biases that torch and netcal return
 * (tests/golden/make-fits ran them) against our `compat` settings, and whether the certificates are
 * true.
 *
 * The bundled file is checked everywhere; the others are looked for at CREDENCE_SHARED and skipped
 * where absent.
 */
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAPS = 64, FILE_MAPS = 4 }; /* in maps.json */

static json_t *load(const char *path) {
  json_error_t error;
  json_t *const root = json_load_file(path, 0, &error);
  if (!root) fail_msg("%s: %s", path, error.text);
  return root;
}

static json_t *fixtures(void) { return load(CREDENCE_SOURCE "/tests/golden/fits.json"); }
static json_t *maps(void) { return load(CREDENCE_SOURCE "/tests/golden/maps.json"); }

static crd_status fit_by(crd_context *ctx, const char *method, const crd_predictions *p,
                         const char *name, crd_calibrator **out) {
  char settings[64];
  snprintf(settings, sizeof settings, "compat=%s", name);
  return crd_calibrator_fit(ctx, method, settings, p, out);
}

static crd_status fit(crd_context *ctx, const crd_predictions *p, const char *name,
                      crd_calibrator **out) {
  return fit_by(ctx, "temperature", p, name, out);
}

/* ---- Data: integers over a power of 2. */

typedef struct {
  const char *name;
  size_t rows, classes;
  bool logits;
  double *doubles;
  float *floats;
  int64_t *labels;
} dataset;

static dataset make_dataset(const json_t *c) {
  const json_t *const scores = json_object_get(c, "scores"), *const labels =
                                                                 json_object_get(c, "labels");
  const double scale = json_number_value(json_object_get(c, "scale"));
  dataset d = { .name = json_string_value(json_object_get(c, "name")),
                .rows = json_array_size(labels),
                .classes = (size_t)json_integer_value(json_object_get(c, "classes")),
                .logits = strcmp(json_string_value(json_object_get(c, "input")), "logits") == 0 };
  const size_t cells = d.rows * d.classes;
  assert_int_equal(json_array_size(scores), cells);
  d.doubles = calloc(cells, sizeof *d.doubles);
  d.floats = calloc(cells, sizeof *d.floats);
  d.labels = calloc(d.rows, sizeof *d.labels);
  for (size_t i = 0; i < cells; i++) {
    d.doubles[i] = json_number_value(json_array_get(scores, i)) / scale;
    d.floats[i] = (float)d.doubles[i];
  }
  for (size_t i = 0; i < d.rows; i++)
    d.labels[i] = (int64_t)json_integer_value(json_array_get(labels, i));
  return d;
}

static void free_dataset(dataset *d) {
  free(d->doubles);
  free(d->floats);
  free(d->labels);
}

static crd_predictions *predictions_of(crd_context *ctx, const dataset *d, bool single) {
  crd_predictions *p = NULL;
  const void *const data = single ? (const void *)d->floats : (const void *)d->doubles;
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data, single ? CRD_F32 : CRD_F64, d->rows, d->classes),
    .labels = crd_array_matrix(d->labels, CRD_I64, d->rows, 1),
    .input = d->logits ? CRD_INPUT_LOGITS : CRD_INPUT_PROBABILITIES
  };
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* ---- Values of the packages. */

/* SciPy stops at a derivative of 1e-5; torch's steps are reproduced one by one. */
static double slack(const char *name) { return strcmp(name, "netcal") == 0 ? 5e-5 : 1e-9; }

/* The mean loss of softmax(z / T) by definition; sets *slope to its derivative with respect to 1/T.
 */
static double loss_of(const dataset *d, double temperature, double *slope) {
  double loss = 0;
  *slope = 0;
  for (size_t i = 0; i < d->rows; i++) {
    const double *const s = d->doubles + i * d->classes;
    double top = -INFINITY, mass = 0, mean = 0;
    for (size_t k = 0; k < d->classes; k++) top = fmax(top, d->logits ? s[k] : log(s[k]));
    const double own = (d->logits ? s[d->labels[i]] : log(s[d->labels[i]])) - top;
    for (size_t k = 0; k < d->classes; k++) {
      const double z = (d->logits ? s[k] : log(s[k])) - top;
      mass += exp(z / temperature);
      mean += z * exp(z / temperature);
    }
    loss += (log(mass) - own / temperature) / (double)d->rows;
    *slope += (mean / mass - own) / (double)d->rows;
  }
  return loss;
}

static void check_certificate(const dataset *d, const char *name, const crd_calibrator *c) {
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  double slope;
  const double loss = loss_of(d, crd_calibrator_learnt(c, 0)->values[0], &slope);
  assert_true(near(certificate->objective, loss, 1e-12));
  assert_true(near(certificate->gradient_norm, fabs(slope), 1e-10));
  assert_int_equal(certificate->converged != 0, fabs(slope) <= 1e-5);
  assert_true(strncmp(certificate->note, name, strlen(name)) == 0);
  assert_non_null(strstr(certificate->note, "the maximum of the likelihood is at"));
}

/* Checks one value; returns false if it depends on random numbers and is skipped. */
static bool check(crd_context *ctx, const dataset *d, const char *name, const json_t *values,
                  bool single) {
  const json_t *const expected = json_object_get(values, single ? "float32" : "float64");
  const double value = json_number_value(expected),
               other = json_number_value(json_object_get(values, "float64"));
  /* We compute in float64: float32 results are compared where they follow the float64 ones.
   * netcal's float32 results are reproduced. */
  const bool rounded = single && strcmp(name, "netcal") != 0;
  if (!json_is_number(expected) || (rounded && fabs(value - other) > 1e-4)) return false;
  crd_predictions *const p = predictions_of(ctx, d, single);
  crd_calibrator *c = NULL;
  const crd_status status = fit(ctx, p, name, &c);
  crd_predictions_destroy(p);
  /* Where no temperature is optimal netcal ends below 0, or so close to it that nothing changes any
   * more; our certificate notes that instead. */
  if (strcmp(name, "netcal") == 0 && (value < 0 || value < 0.01)) {
    assert_int_equal(status, CRD_ENUMERIC);
    return true;
  }
  if (status != CRD_OK) fail_msg("%s: %s", d->name, crd_context_message(ctx));
  const double ours = crd_calibrator_learnt(c, 0)->values[0];
  if (!near(ours, value, rounded ? 1e-4 : slack(name)))
    fail_msg("%s: %s%s is %.15g, expected %.15g", d->name, name, single ? " (single)" : "", ours,
             value);
  if (!single && strcmp(d->name, "zeros") != 0) check_certificate(d, name, c);
  crd_calibrator_destroy(c);
  return true;
}

static void numbers_of_the_packages(void **state) {
  json_t *const root = fixtures(), *c, *values;
  size_t index, doubles = 0, singles = 0;
  const char *name;
  json_array_foreach(json_object_get(root, "cases"), index, c) {
    dataset d = make_dataset(c);
    json_object_foreach(json_object_get(c, "values"), name, values) {
      doubles += check(*state, &d, name, values, false);
      singles += check(*state, &d, name, values, true);
    }
    free_dataset(&d);
  }
  assert_int_equal(doubles, 46);
  assert_int_equal(singles, 35);
  json_decref(root);
}

/* ---- Maps: {"lambda": number or null, "theta": [W or its diagonal, then b]}. */

static void compare_map(const char *what, const crd_calibrator *c, const json_t *expected) {
  const json_t *const theta = json_object_get(expected, "theta"), *const lambda = json_object_get(
                                                                      expected, "lambda");
  size_t at = 0;
  for (size_t l = 0; l < 2; l++) {
    const crd_learnt *const part = crd_calibrator_learnt(c, l); /* w or W, then b */
    for (size_t i = 0; i < part->start[part->parts]; i++, at++) {
      const double value = json_number_value(json_array_get(theta, at));
      if (!near(part->values[i], value, 1e-9))
        fail_msg("%s: %s[%zu] is %.15g, expected %.15g", what, part->name, i, part->values[i],
                 value);
    }
  }
  assert_int_equal(at, json_array_size(theta));
  assert_int_equal(crd_calibrator_learnt(c, 2) != NULL, json_is_number(lambda));
  if (json_is_number(lambda))
    assert_true(near(crd_calibrator_learnt(c, 2)->values[0], json_number_value(lambda), 1e-12));
}

/* Returns how many maps were compared. */
static size_t check_maps(crd_context *ctx, const char *data, const crd_predictions *p,
                         const json_t *values) {
  const char *method, *name;
  json_t *names, *expected;
  size_t count = 0;
  json_object_foreach((json_t *)values, method, names) json_object_foreach(names, name, expected) {
    char what[200];
    crd_calibrator *c = NULL;
    snprintf(what, sizeof what, "%s: %s, %s", data, method, name);
    const crd_status status = fit_by(ctx, method, p, name, &c);
    if (status != CRD_OK) fail_msg("%s: %s", what, crd_context_message(ctx));
    compare_map(what, c, expected);
    crd_calibrator_destroy(c);
    count++;
  }
  return count;
}

static void maps_of_the_paper(void **state) {
  json_t *const root = fixtures(), *const expected = maps(), *c;
  size_t index, count = 0;
  json_array_foreach(json_object_get(root, "cases"), index, c) {
    const json_t *const values =
        json_object_get(expected, json_string_value(json_object_get(c, "name")));
    if (!values) continue;
    dataset d = make_dataset(c);
    crd_predictions *const p = predictions_of(*state, &d, false);
    count += check_maps(*state, d.name, p, values);
    crd_predictions_destroy(p);
    free_dataset(&d);
  }
  assert_int_equal(count, MAPS);
  json_decref(expected);
  json_decref(root);
}

/* ---- Real files. */

static const char bundled[] = "wideresnet-16-4-cifar-10";

static void check_file(crd_context *ctx, const char *path, const json_t *values) {
  crd_predictions *p = NULL;
  const char *name;
  json_t *expected;
  if (crd_predictions_open(ctx, path, NULL, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  json_object_foreach((json_t *)values, name, expected) {
    crd_calibrator *c = NULL;
    const double value = json_number_value(expected);
    const crd_status status = fit(ctx, p, name, &c);
    if (value <= 0) assert_int_equal(status, CRD_ENUMERIC);
    else if (status != CRD_OK) fail_msg("%s", crd_context_message(ctx));
    else if (!near(crd_calibrator_learnt(c, 0)->values[0], value, slack(name)))
      fail_msg("%s: %s is %.15g, expected %.15g", path, name,
               crd_calibrator_learnt(c, 0)->values[0], value);
    crd_calibrator_destroy(c);
  }
  crd_predictions_destroy(p);
}

static void bundled_file(void **state) {
  json_t *const root = fixtures();
  const json_t *const values = json_object_get(json_object_get(root, "files"), bundled);
  assert_int_equal(json_object_size(values), 5);
  check_file(*state, CREDENCE_SOURCE "/examples/wideresnet-16-4-cifar-10.npz@:5000", values);
  json_decref(root);
}

static void bundled_maps(void **state) {
  json_t *const root = maps();
  crd_predictions *p = NULL;
  if (crd_predictions_open(*state, CREDENCE_SOURCE "/examples/wideresnet-16-4-cifar-10.npz@:5000",
                           NULL, &p) != CRD_OK)
    fail_msg("%s", crd_context_message(*state));
  assert_int_equal(check_maps(*state, bundled, p, json_object_get(root, bundled)), FILE_MAPS);
  crd_predictions_destroy(p);
  json_decref(root);
}

static void files_of_the_same_kind(void **state) {
  const char *name;
  json_t *const root = fixtures(), *values;
  json_object_foreach(json_object_get(root, "files"), name, values) {
    char path[600], half[620];
    if (strcmp(name, bundled) == 0) continue;
    snprintf(path, sizeof path, "%s/data/netcal/%s.npz", shared_folder(), name);
    if (!is_there(name, path)) continue;
    snprintf(half, sizeof half, "%s@:5000", path);
    check_file(*state, half, values);
  }
  json_decref(root);
}

/* ---- The table. */

static bool among(const char *words, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  return false;
}

static const crd_setting_info *compat_of(const crd_method_info *method) {
  for (size_t s = 0; s < method->setting_count; s++)
    if (strcmp(method->settings[s].name, "compat") == 0) return &method->settings[s];
  return NULL;
}

/* Returns whether there is a value to compare with. kull2019 is a protocol whose folds are ours: it
 * has plain loops instead (kull2019_test.c). */
static bool has_number(const json_t *root, const json_t *affine, const char *method,
                       const char *name) {
  const json_t *const first = json_array_get(json_object_get(root, "cases"), 0);
  const json_t *const map =
      json_object_get(affine, json_string_value(json_object_get(first, "name")));
  if (strcmp(name, "kull2019") == 0) return true;
  return strcmp(method, "temperature") == 0
             ? json_object_get(json_object_get(first, "values"), name) != NULL
             : json_is_object(json_object_get(json_object_get(map, method), name));
}

/* The choices of a method's `compat` setting are the entries that name the method, and "none". */
static void words_are_rows(void **state) {
  json_t *const root = fixtures(), *const affine = maps();
  (void)state;
  for (size_t m = 0; m < crd_method_count(); m++) {
    const crd_method_info *const method = crd_method_at(m);
    const crd_setting_info *const setting = compat_of(method);
    size_t length = strlen("none");
    for (size_t i = 0; i < crd_fit_convention_count(); i++) {
      const crd_fit_convention *const row = crd_fit_convention_at(i);
      if (!among(row->methods, method->name)) continue;
      if (!setting || !among(setting->words, row->name))
        fail_msg("%s has no choice %s", method->name, row->name);
      length += 1 + strlen(row->name);
      if (!has_number(root, affine, method->name, row->name))
        fail_msg("no number of %s for %s", row->name, method->name);
    }
    if (setting) assert_int_equal(strlen(setting->words), length);
  }
  for (size_t i = 0; i < crd_fit_convention_count(); i++) {
    const crd_fit_convention *const row = crd_fit_convention_at(i);
    assert_true(strlen(row->package) > 5 && strlen(row->call) > 5 && strlen(row->why) > 20);
    assert_true(strlen(row->methods) > 5);
  }
  assert_null(crd_fit_convention_at(crd_fit_convention_count()));
  json_decref(affine);
  json_decref(root);
}

/* Under sanitizers a thousand steps over the larger files take minutes. */
#ifdef __SANITIZE_ADDRESS__
enum { TESTS = 3 };
#else
enum { TESTS = 6 };
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(words_are_rows),    cmocka_unit_test(numbers_of_the_packages),
    cmocka_unit_test(maps_of_the_paper), cmocka_unit_test(bundled_file),
    cmocka_unit_test(bundled_maps),      cmocka_unit_test(files_of_the_same_kind),
  };
  return _cmocka_run_group_tests("golden fits of others", tests, TESTS, open_context,
                                 close_context);
}
