/*
 * conventions_test.c -- values that other packages compute (tests/golden/make-conventions ran them)
 * against our `compat` conventions, on data that both sides generate from integers.
 *
 * Every entry of the table of conventions must occur here, with a value in some case.
 */
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES_MAX = 1000 };

/* ---- The data of make-conventions, drawn in the same order. */

static double draw(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

typedef struct {
  const char *name, *kind;
  size_t rows, classes, labels;
  double spread, accuracy;
  bool single, positive, column, pairs;
  unsigned bins;
  uint64_t state;
  float *floats; /* one of the two is set; pairs: confidences */
  double *doubles;
  int64_t *label; /* pairs: whether the prediction is correct */
} dataset;

static void make_logits(dataset *d, double *row) {
  for (size_t k = 0; k < d->classes; k++) {
    double sum = draw(&d->state);
    sum += draw(&d->state);
    sum += draw(&d->state);
    row[k] = d->spread * (sum - 1.5);
  }
}

static void make_twentieths(dataset *d, double *row) {
  memset(row, 0, d->classes * sizeof *row);
  for (size_t i = 0; i < 20; i++) {
    const double u = draw(&d->state);
    row[(size_t)(u * u * u * (double)d->classes)]++;
  }
  for (size_t k = 0; k < d->classes; k++) row[k] /= 20;
}

static void make_smooth(dataset *d, double *row) {
  double total = 0;
  for (size_t k = 0; k < d->classes; k++) {
    const double u = draw(&d->state);
    row[k] = u * u * u * u * d->spread + 0.001;
    total += row[k];
  }
  for (size_t k = 0; k < d->classes; k++) row[k] /= total;
}

static void make_saturated(dataset *d, double *row) {
  if (!(draw(&d->state) < 0.4)) {
    make_smooth(d, row);
    return;
  }
  memset(row, 0, d->classes * sizeof *row);
  row[(size_t)(draw(&d->state) * (double)d->classes)] = 1;
}

static const struct {
  const char *kind;
  void (*make)(dataset *d, double *row);
} kinds[] = { { "logits", make_logits },
              { "twentieths", make_twentieths },
              { "probabilities", make_smooth },
              { "saturated", make_saturated } };

static double stored(const dataset *d, size_t at) {
  return d->single ? (double)d->floats[at] : d->doubles[at];
}

static void put(dataset *d, size_t at, double value) {
  if (d->single) d->floats[at] = (float)value;
  else d->doubles[at] = value;
}

static void store(dataset *d, size_t i, const double *row) {
  const size_t first = i * d->classes;
  size_t best = 0;
  for (size_t k = 0; k < d->classes; k++) {
    put(d, first + k, row[k]);
    if (stored(d, first + k) > stored(d, first + best)) best = k;
  }
  const bool right = draw(&d->state) < d->accuracy;
  const size_t other = (size_t)(draw(&d->state) * (double)d->labels);
  const size_t label = right && best < d->labels ? best : other;
  d->label[i] = (int64_t)label;
  if (d->column) put(d, i, stored(d, first + 1));
  if (d->pairs) {
    put(d, i, stored(d, first + best));
    d->label[i] = label == best;
  }
}

static size_t width(const dataset *d) { return d->column || d->pairs ? 1 : d->classes; }

static double sum_of(const dataset *d) {
  double sum = 0;
  for (size_t i = 0; i < d->rows * width(d); i++) sum += stored(d, i);
  return sum;
}

static double number(const json_t *object, const char *key) {
  const json_t *const value = json_object_get(object, key);
  if (!json_is_number(value)) fail_msg("no number %s", key);
  return json_number_value(value);
}

static bool is(const json_t *object, const char *key, const char *text) {
  return strcmp(json_string_value(json_object_get(object, key)), text) == 0;
}

static dataset make_dataset(const json_t *c) {
  dataset d = { .name = json_string_value(json_object_get(c, "name")),
                .kind = json_string_value(json_object_get(c, "kind")),
                .rows = (size_t)number(c, "rows"),
                .classes = (size_t)number(c, "classes"),
                .labels = (size_t)number(c, "labels"),
                .spread = number(c, "spread"),
                .accuracy = number(c, "accuracy"),
                .single = is(c, "type", "f32"),
                .positive = is(c, "binary", "pos"),
                .column = is(c, "shape", "column"),
                .pairs = is(c, "shape", "pairs"),
                .bins = (unsigned)number(c, "bins"),
                .state = (uint64_t)number(c, "seed") };
  double row[CLASSES_MAX];
  size_t kind = 0;
  assert_true(d.classes <= CLASSES_MAX);
  while (strcmp(kinds[kind].kind, d.kind) != 0) kind++;
  d.floats = calloc(d.rows * d.classes, sizeof *d.floats);
  d.doubles = calloc(d.rows * d.classes, sizeof *d.doubles);
  d.label = calloc(d.rows, sizeof *d.label);
  for (size_t i = 0; i < d.rows; i++) {
    kinds[kind].make(&d, row);
    store(&d, i, row);
  }
  if (!near(sum_of(&d), number(c, "sum"), 1e-9))
    fail_msg("%s: the data sum to %.15g, the script's to %.15g", d.name, sum_of(&d),
             number(c, "sum"));
  return d;
}

static void free_dataset(dataset *d) {
  free(d->floats);
  free(d->doubles);
  free(d->label);
}

static crd_predictions *predictions_of(crd_context *ctx, const dataset *d) {
  crd_predictions *p = NULL;
  const void *const data = d->single ? (const void *)d->floats : (const void *)d->doubles;
  const bool logits = strcmp(d->kind, "logits") == 0;
  const crd_array outcome = crd_array_matrix(d->label, CRD_I64, d->rows, 1);
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = crd_array_matrix(data, d->single ? CRD_F32 : CRD_F64,
                                                             d->rows, width(d)),
                                  .input = d->pairs ? CRD_INPUT_PAIRS
                                           : logits ? CRD_INPUT_LOGITS
                                                    : CRD_INPUT_PROBABILITIES,
                                  .binary = d->positive ? CRD_BINARY_POS : CRD_BINARY_TOP };
  *(d->pairs ? &parts.correct : &parts.labels) = outcome;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* ---- The comparison. */

/* The tolerance: float32 rounding for packages that sum in float32, else float64 rounding. */
static double slack(const dataset *d, const char *peer, const char *metric) {
  static const char *const lists[] = { "mce", "rmsce", "ace" };
  bool listed = false;
  for (size_t i = 0; i < 3; i++) listed |= strcmp(metric, lists[i]) == 0;
  const bool curve = listed || strcmp(metric, "ece") == 0 || strcmp(metric, "aece") == 0;
  const bool ranks = strncmp(metric, "au", 2) == 0;
  const bool logits = strcmp(d->kind, "logits") == 0;
  if (strcmp(peer, "torchmetrics") == 0) return 1e-6;
  if (strcmp(peer, "focal") == 0 && !listed) return 1e-6;
  if (strcmp(peer, "focal") == 0 && logits) return 1e-6;
  if (!d->single || logits) return 1e-9;
  if (strcmp(peer, "verified") == 0) return 1e-6;
  return strcmp(peer, "sklearn") == 0 && !curve && !ranks ? 1e-6 : 1e-9;
}

static void check(const dataset *d, const crd_compat_value *v, const json_t *expected) {
  const crd_convention *const c = v->convention;
  double allowed = slack(d, c->peer->name, c->metric);
  if (!expected) fail_msg("%s: no number for %s of %s", d->name, c->metric, c->peer->name);
  if (json_is_null(expected)) {
    if (!isnan(v->value) || !v->reason)
      fail_msg("%s: %s gives no %s, here it is %.15g", d->name, c->peer->name, c->metric, v->value);
    return;
  }
  const bool random = json_is_array(expected); /* a mean and its standard error */
  if (random) allowed += 5 * json_number_value(json_array_get(expected, 1));
  const double value = json_number_value(random ? json_array_get(expected, 0) : expected);
  if (!near(v->value, value, allowed))
    fail_msg("%s: %s of %s is %.15g, expected %.15g (%s)", d->name, c->metric, c->peer->name,
             v->value, value, v->reason ? v->reason : "no reason");
}

static json_t *fixtures(void) {
  json_error_t error;
  json_t *const root = json_load_file(CREDENCE_SOURCE "/tests/golden/conventions.json", 0, &error);
  if (!root) fail_msg("%s", error.text);
  return root;
}

static void numbers_of_the_peers(void **state) {
  json_t *const root = fixtures();
  size_t index;
  json_t *c;
  json_array_foreach(json_object_get(root, "cases"), index, c) {
    dataset d = make_dataset(c);
    crd_predictions *const p = predictions_of(*state, &d);
    for (size_t i = 0; i < crd_peer_count(); i++) {
      const char *const peer = crd_peer_at(i)->name;
      const json_t *const expected = json_object_get(json_object_get(c, "values"), peer);
      const crd_compat_table *table = NULL;
      if (crd_compat(*state, p, peer, d.bins, &table) != CRD_OK)
        fail_msg("%s", crd_context_message(*state));
      assert_int_equal(table->count, json_object_size(expected));
      for (size_t j = 0; j < table->count; j++)
        check(&d, &table->values[j],
              json_object_get(expected, table->values[j].convention->metric));
      crd_compat_destroy(table);
    }
    crd_predictions_destroy(p);
    free_dataset(&d);
  }
  assert_true(index > 20);
  json_decref(root);
}

/* Each entry is a known metric, has its texts, and has a value in most of the cases. */
static void every_row_has_numbers(void **state) {
  json_t *const root = fixtures();
  (void)state;
  for (size_t i = 0; i < crd_convention_count(); i++) {
    const crd_convention *const c = crd_convention_at(i);
    size_t index, numbers = 0;
    json_t *entry;
    if (!crd_metric_find(c->metric)) fail_msg("%s is not a metric", c->metric);
    assert_true(strlen(c->call) > 10 && strlen(c->why) > 10);
    json_array_foreach(json_object_get(root, "cases"), index, entry) {
      const json_t *const peer = json_object_get(json_object_get(entry, "values"), c->peer->name);
      const json_t *const value = json_object_get(peer, c->metric);
      numbers += value && !json_is_null(value);
    }
    if (2 * numbers < index)
      fail_msg("%s of %s: %zu values in %zu cases", c->metric, c->peer->name, numbers, index);
  }
  assert_null(crd_convention_at(crd_convention_count()));
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_of_the_peers),
    cmocka_unit_test(every_row_has_numbers),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
