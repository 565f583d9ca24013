/*
 * export_test.c -- every export computes what apply does. Each step of calibrator/map.h is put into
 * maps of every scope and input, and so is every method; tests/export/run compiles or runs the
 * exported files, and their results are compared with plain loops (ref/map.c).
 */
#include "support.h"

#include "calibrator/calibrator.h"
#include "data/predictions.h"
#include "export/export.h"
#include "ref/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 200, STEPS_MAX = 3, MAPS_MAX = 384, SKIPPED = 77 };

/* ---- Maps of all steps. */

typedef struct {
  const char *name;
  size_t classes;
  crd_input input;
  bool normalise;
  crd__calibrator_reach reach;
  crd__calibrator_op ops[STEPS_MAX]; /* up to CRD__OPS */
} recipe;

typedef struct {
  recipe recipe;
  crd__data_floor floor;
} floored_recipe;

#define L CRD_INPUT_LOGITS
#define P CRD_INPUT_PROBABILITIES
#define C CRD_INPUT_PAIRS
static const recipe recipes[] = {
  { "softmax", 3, L, false, CRD__ROWS, { CRD__SOFTMAX, CRD__OPS } },
  { "softmax_p", 7, P, false, CRD__ROWS, { CRD__SOFTMAX, CRD__OPS } },
  { "scale", 5, L, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
  { "scale_two", 2, P, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
  { "scale_pairs", 2, C, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
  { "diagonal", 4, L, false, CRD__ROWS, { CRD__DIAGONAL, CRD__SOFTMAX, CRD__OPS } },
  { "affine", 4, L, true, CRD__ROWS, { CRD__AFFINE, CRD__SOFTMAX, CRD__OPS } },
  { "affine_p", 3, P, false, CRD__ROWS, { CRD__AFFINE, CRD__SOFTMAX, CRD__OPS } },
  { "bent", 4, L, true, CRD__ROWS, { CRD__BENT, CRD__SOFTMAX, CRD__OPS } },
  { "bent_p", 3, P, false, CRD__ROWS, { CRD__BENT, CRD__SOFTMAX, CRD__OPS } },
  { "bent_pairs", 2, C, false, CRD__ROWS, { CRD__SCALE, CRD__BENT, CRD__SOFTMAX } },
  { "two_maps", 3, L, false, CRD__ROWS, { CRD__DIAGONAL, CRD__AFFINE, CRD__SOFTMAX } },
  { "mix", 6, L, false, CRD__ROWS, { CRD__MIX, CRD__OPS } },
  { "mix_pairs", 2, C, false, CRD__ROWS, { CRD__DIAGONAL, CRD__MIX, CRD__OPS } },
  { "logistic", 3, L, false, CRD__ALL_EVENTS, { CRD__LOGISTIC, CRD__OPS } },
  { "logistic_two", 2, L, false, CRD__ALL_EVENTS, { CRD__LOGISTIC, CRD__OPS } },
  { "logistic_pairs", 2, C, false, CRD__ALL_EVENTS, { CRD__LOGISTIC, CRD__OPS } },
  { "logistic_top", 5, P, false, CRD__TOP_EVENT, { CRD__LOGISTIC, CRD__OPS } },
  { "beta", 4, P, false, CRD__ALL_EVENTS, { CRD__BETA, CRD__OPS } },
  { "beta_pairs", 2, C, false, CRD__ALL_EVENTS, { CRD__BETA, CRD__OPS } },
  { "beta_top", 2, L, false, CRD__TOP_EVENT, { CRD__BETA, CRD__OPS } },
  { "steps", 3, L, false, CRD__ALL_EVENTS, { CRD__STEPS, CRD__OPS } },
  { "steps_pairs", 2, C, false, CRD__ALL_EVENTS, { CRD__STEPS, CRD__OPS } },
  { "steps_top", 6, L, false, CRD__TOP_EVENT, { CRD__STEPS, CRD__OPS } },
  { "lines", 4, L, false, CRD__ALL_EVENTS, { CRD__LINES, CRD__OPS } },
  { "lines_two", 2, P, false, CRD__ALL_EVENTS, { CRD__LINES, CRD__OPS } },
  { "lines_top", 3, L, false, CRD__TOP_EVENT, { CRD__LINES, CRD__OPS } },
  { "odds_steps", 3, L, false, CRD__ALL_EVENTS, { CRD__ODDS, CRD__STEPS, CRD__OPS } },
  { "odds_pairs", 2, C, false, CRD__ALL_EVENTS, { CRD__ODDS, CRD__STEPS, CRD__OPS } },
  { "odds_lines_top", 4, P, false, CRD__TOP_EVENT, { CRD__ODDS, CRD__LINES, CRD__OPS } },
  { "shared", 5, L, false, CRD__SHARED_EVENT, { CRD__LINES, CRD__OPS } },
  { "shared_two", 2, P, false, CRD__SHARED_EVENT, { CRD__LINES, CRD__OPS } },
  { "shared_beta", 3, L, false, CRD__SHARED_EVENT, { CRD__BETA, CRD__OPS } },
  { "shared_pairs", 2, C, false, CRD__SHARED_EVENT, { CRD__LOGISTIC, CRD__LINES, CRD__OPS } },
  { "shared_falls", 4, L, false, CRD__SHARED_EVENT, { CRD__LOGISTIC, CRD__STEPS, CRD__OPS } },
  { "binned", 3, L, false, CRD__ALL_EVENTS, { CRD__LOGISTIC, CRD__STEPS, CRD__OPS } },
  { "binned_top", 3, L, false, CRD__TOP_EVENT, { CRD__BETA, CRD__LINES, CRD__STEPS } },
};
static const floored_recipe floored_recipes[] = {
  { { "floor", 4, P, false, CRD__ROWS, { CRD__AFFINE, CRD__SOFTMAX, CRD__OPS } }, { 1e-3, 1e-3 } },
  { { "floor_two", 2, P, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
    { 6e-8, 1e-300 } },
  { { "floor_odds", 3, P, false, CRD__ALL_EVENTS, { CRD__BETA, CRD__OPS } }, { 1e-9, 1e-9 } },
  { { "floor_top", 5, P, false, CRD__TOP_EVENT, { CRD__LOGISTIC, CRD__OPS } }, { 1e-4, 1e-4 } },
  { { "floor_pairs", 2, C, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
    { 1e-7, 1e-4 } },
  { { "tiny_pairs", 2, C, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
    { 1e-22, 1e-9 } },
};
#undef L
#undef P
#undef C
enum { FLOORED = sizeof floored_recipes / sizeof *floored_recipes };
enum { RECIPES = sizeof recipes / sizeof *recipes };

/* Coefficients of one step of event e. Events of the last class have zeros only: where all are zero
 * a row becomes uniform. */
static void add_step(crd_context *ctx, crd__calibrator_map *map, crd__calibrator_op op, size_t e) {
  double a[256], b[256];
  const size_t n = map->classes, length = 3 + e;
  const bool rows = op <= CRD__MIX;
  static const size_t counts[CRD__OPS][2] = { [CRD__SCALE] = { 1, 0 },
                                              [CRD__MIX] = { 3, 3 },
                                              [CRD__LOGISTIC] = { 2, 0 },
                                              [CRD__BETA] = { 3, 0 } };
  size_t na = counts[op][0], nb = counts[op][1];
  if (op == CRD__AFFINE) na = n * n;
  if (op == CRD__DIAGONAL) na = n;
  if (op == CRD__AFFINE || op == CRD__DIAGONAL) nb = n;
  if (op == CRD__STEPS || op == CRD__LINES) na = nb = length;
  if (op == CRD__STEPS) nb++;
  if (op == CRD__BENT) na = nb = 5;
  for (size_t i = 0; i < 256; i++) {
    a[i] = .9 + .4 * sin(1.3 * (double)i + (double)e);
    b[i] = .5 * cos(2.1 * (double)i + (double)e);
  }
  for (size_t i = 0; op == CRD__AFFINE && i < na; i++)
    a[i] = (i % (n + 1) == 0 ? 1.1 : 0) + .1 * sin((double)i);
  for (size_t i = 0; !rows && na == length && i < length; i++)
    a[i] = ((double)i + .6 + .1 * (double)e) / ((double)length + 1.7);
  for (size_t i = 0; !rows && nb && i < nb; i++)
    b[i] = e == 0 && i == 0 ? 0 : ((double)i + .3 * sin((double)(i + e)) + .4) / ((double)nb + 1);
  for (size_t i = 0; op == CRD__BENT && i < na; i++) {
    a[i] = (double)(i * i) / 4 - 3; /* between rows' log p, and on both sides of 0 */
    b[i] = 1.5 * a[i] - .4 * cos((double)i);
  }
  for (size_t i = 0; op == CRD__LINES && i < nb; i++) b[i] = 1.5 * b[i] - .1; /* beyond [0, 1] */
  if (op == CRD__MIX) memcpy(a, (double[]){ .6, .3, .1 }, 3 * sizeof *a);
  if (op == CRD__MIX) memcpy(b, (double[]){ .8, 1.7, 0 }, 3 * sizeof *b);
  if (crd__calibrator_map_add(ctx, map, op, a, na, b, nb) != CRD_OK) fail_msg("no memory");
}

static crd__calibrator_map make_map(crd_context *ctx, const recipe *r) {
  crd__calibrator_map map = { .alloc = ctx->alloc,
                              .classes = r->classes,
                              .input = r->input,
                              .normalise = r->normalise,
                              .floor = crd__data_floor_standard(r->input),
                              .reach = r->reach };
  const size_t parts = r->reach == CRD__ALL_EVENTS && r->classes > 2 ? r->classes : 1;
  for (size_t e = 0; e < parts; e++) {
    for (size_t i = 0; i < STEPS_MAX && r->ops[i] != CRD__OPS; i++)
      add_step(ctx, &map, r->ops[i], e);
    crd__calibrator_map_next(&map);
  }
  return map;
}

/* ---- Rows: float32, so that formats of float32 read the same rows. */

static size_t inputs_of(const crd__calibrator_map *map) {
  return map->input == CRD_INPUT_PAIRS ? 1 : map->classes;
}

static size_t outputs_of(const crd__calibrator_map *map) { /* plus the predicted class */
  return map->input == CRD_INPUT_PAIRS ? 1 : map->classes + 1;
}

static void make_rows(const crd__calibrator_map *map, double *rows) {
  const size_t n = inputs_of(map);
  if (n == 0) fail_msg("a map of no classes");
  test_data data = make_data((test_recipe){ ROWS, n < 2 ? 2 : n, 5, 3, .7, 0, false, false });
  for (size_t i = 0; i < ROWS; i++) {
    double *const row = rows + i * n, sum = 0;
    for (size_t k = 0; k < n; k++) row[k] = (float)data.scores[i * (n < 2 ? 2 : n) + k];
    if (i % 20 == 0) row[i / 20 % n] += 25; /* nearly certain */
    if (i % 20 == 1) row[n - 1] = row[0];   /* a tie */
    if (map->input == CRD_INPUT_LOGITS) continue;
    for (size_t k = 0; k < n; k++) sum += exp(row[k]);
    for (size_t k = 0; k < n; k++)
      row[k] = (float)(n < 2 ? 1 / (1 + exp(-row[k])) : exp(row[k]) / sum);
    if (i == 2) row[n - 1] = 0;
    if (i == 3 && n == 1) row[0] = 1;
    if (i == 40) row[i / 20 % n] = 1.00001F; /* rounded up from nearly 1 */
    for (size_t k = 0; i % 7 == 5 && k < n; k++) row[k] = (float)(rint(row[k] * 1000) / 1000);
  }
  free_data(&data);
}

/* ---- Files for the runner: NAME.EXT, NAME.in (rows), NAME.dims; it writes NAME.out. */

typedef struct {
  crd_context *ctx;
  const char *format, *extension;
  double tolerance;
  char folder[256];
  size_t count;
  char names[MAPS_MAX][64];
  double *expected[MAPS_MAX];
  size_t cells[MAPS_MAX], width[MAPS_MAX];
} session;

static void path_of(const session *s, const char *name, const char *extension, char out[400]) {
  snprintf(out, 400, "%s/%s.%s", s->folder, name, extension);
}

static void put_file(const session *s, const char *name, const char *extension, const void *bytes,
                     size_t count) {
  char path[400];
  path_of(s, name, extension, path);
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  fclose(file);
}

/* The first half of the rows are those of `seen`, unless it is NULL. */
static void prepare(session *s, const char *name, const crd__calibrator_map *map,
                    const double *seen) {
  const size_t in = inputs_of(map), out = outputs_of(map), at = s->count++;
  assert_true(at < MAPS_MAX && map->classes <= REF_CLASSES_MAX);
  double *const rows = calloc(ROWS * in, sizeof *rows);
  double *const expected = s->expected[at] = calloc(ROWS * out, sizeof *expected);
  char dims[64];
  crd__text text;
  crd__text_init(&text, &s->ctx->alloc);
  if (crd__export_map(s->ctx, map, s->format, "a test", &text) != CRD_OK)
    fail_msg("%s as %s: %s", name, s->format, crd_context_message(s->ctx));
  make_rows(map, rows);
  if (seen) memcpy(rows, seen, ROWS / 2 * in * sizeof *rows);
  for (size_t i = 0; i < ROWS; i++) {
    const size_t top = ref_map(map, rows + i * in, expected + i * out);
    if (map->input != CRD_INPUT_PAIRS) expected[i * out + out - 1] = (double)top;
  }
  snprintf(s->names[at], sizeof s->names[at], "%s", name);
  s->cells[at] = ROWS * out;
  s->width[at] = out;
  snprintf(dims, sizeof dims, "%zu %zu\n", in, out);
  put_file(s, name, s->extension, text.bytes, text.length);
  put_file(s, name, "in", rows, ROWS * in * sizeof *rows);
  put_file(s, name, "dims", dims, strlen(dims));
  crd__text_clear(&text);
  free(rows);
}

static void compare(const session *s, size_t at) {
  char path[400];
  double *const found = calloc(s->cells[at] + 1, sizeof *found);
  path_of(s, s->names[at], "out", path);
  FILE *const file = fopen(path, "rb");
  if (!file) fail_msg("%s as %s: no result", s->names[at], s->format);
  assert_int_equal(fread(found, sizeof *found, s->cells[at] + 1, file), s->cells[at]);
  fclose(file);
  for (size_t i = 0; i < s->cells[at]; i++)
    if (!(fabs(found[i] - s->expected[at][i]) <= s->tolerance))
      fail_msg("%s as %s: row %zu, value %zu is %.17g, expected %.17g", s->names[at], s->format,
               i / s->width[at], i % s->width[at], found[i], s->expected[at][i]);
  free(found);
}

/* Returns false if the tool that runs such files is missing. */
static bool run(const session *s) {
  char command[700];
  snprintf(command, sizeof command, "%s/tests/export/run %s %s", CREDENCE_SOURCE, s->format,
           s->folder);
  const int status = system(command);
  if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) return false;
  assert_int_equal(status, 0);
  return true;
}

/* ---- Methods. */

static crd_predictions *predictions_of(crd_context *ctx, const test_data *data,
                                       const double *confidence, const unsigned char *correct) {
  crd_predictions *p = NULL;
  crd_predictions_parts parts = {
    .scores = crd_array_matrix(data->scores, CRD_F64, data->rows, data->classes),
    .labels = crd_array_matrix(data->labels, CRD_I64, data->rows, 1),
    .features = data_features(data),
    .input = CRD_INPUT_LOGITS,
  };
  if (confidence) {
    parts.scores = crd_array_matrix(confidence, CRD_F64, data->rows, 1);
    parts.correct = crd_array_matrix(correct, CRD_U8, data->rows, 1);
    parts.labels.data = NULL;
    parts.input = CRD_INPUT_PAIRS;
  }
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* The method's map computes the same as the method. */
static void check_words(crd_context *ctx, const crd_calibrator *c, const crd__calibrator_map *map,
                        const test_data *data, const crd_predictions *p, const double *confidence) {
  const size_t n = c->classes ? c->classes : 1;
  double out[REF_CLASSES_MAX], applied[REF_CLASSES_MAX];
  for (size_t i = 0; i < data->rows; i++) {
    size_t predicted = 0;
    if (crd_calibrator_apply(ctx, c, p, i, 1, applied, NULL, &predicted) != CRD_OK)
      fail_msg("%s", crd_context_message(ctx));
    const size_t top = ref_map(map, confidence ? confidence + i : data->scores + i * n, out);
    if (!confidence) assert_int_equal(top, predicted);
    for (size_t k = 0; k < n; k++)
      if (!near(out[k], applied[k], 1e-12))
        fail_msg("%s: row %zu, class %zu: the map gives %.17g, apply %.17g", c->method->info.name,
                 i, k, out[k], applied[k]);
  }
}

/* Methods that steps of map.h cannot express; all others must have a map. */
static const struct {
  const char *method, *settings; /* settings: NULL for any */
} unsaid[] = {
  { "density-ratio", NULL }, /* needs features, and all rows of the fit */
  { "intra-order-preserving", "form=order-invariant" },
  { "matrix-odir", "compat=kull2019" }, /* averages of models */
  { "dirichlet-odir", "compat=kull2019" },
};

static bool is_unsaid(const char *method, const char *settings) {
  for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++) {
    if (strcmp(unsaid[i].method, method) != 0) continue;
    if (!unsaid[i].settings || (settings && !strcmp(settings, unsaid[i].settings))) return true;
  }
  return false;
}

/* Rows repeat, so that steps of a curve end where many rows are, and exports are run on such rows.
 */
static void prepare_method(session *s, size_t method, const char *settings, size_t classes) {
  test_data data =
      make_data((test_recipe){ ROWS, classes ? classes : 2, 9, 2, .7, 60, false, false });
  double confidence[ROWS];
  unsigned char correct[ROWS];
  char name[64];
  for (size_t i = 0; i < ROWS * data.classes; i++) data.scores[i] = (float)data.scores[i];
  for (size_t i = 0; i < ROWS; i++) {
    confidence[i] = (double)(i * 7919 % 31 + 1) / 32;
    correct[i] = i % 5 > 1;
  }
  crd_predictions *const p = predictions_of(s->ctx, &data, classes ? NULL : confidence, correct);
  crd_calibrator *c = NULL;
  crd__calibrator_map map;
  if (crd_calibrator_fit(s->ctx, crd_method_at(method)->name, settings, p, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(s->ctx));
  const crd_status status = crd__calibrator_map_make(s->ctx, c, &map);
  if (status != (is_unsaid(crd_method_at(method)->name, settings) ? CRD_EUSAGE : CRD_OK))
    fail_msg("%s(%s): %s", crd_method_at(method)->name, settings ? settings : "",
             crd_context_message(s->ctx));
  snprintf(name, sizeof name, "%.30s_%zu_%zu", crd_method_at(method)->name, s->count, classes);
  if (status == CRD_OK) {
    check_words(s->ctx, c, &map, &data, p, classes ? NULL : confidence);
    prepare(s, name, &map, classes ? data.scores : confidence);
  }
  crd__calibrator_map_clear(&map);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  free_data(&data);
}

/* The same on probabilities (or confidences) with exact zeros, which are clipped to a fitted
 * minimum. They are multiples of 1/64 that sum to 1, so that no curve through them is steep. */
static void round_data(test_data *data, double *confidence) {
  const size_t n = data->classes;
  for (size_t i = 0; i < ROWS; i++) {
    double *const row = data->scores + i * n, sum = 0, rest = 1;
    for (size_t k = 0; k < n; k++) sum += row[k] = exp(2 * row[k]);
    for (size_t k = 0; k < n; k++) rest -= row[k] = rint(64 * row[k] / sum) / 64;
    row[crd__calibrator_argmax(row, n)] += rest;
    confidence[i] = row[1];
  }
}

static void prepare_rounded(session *s, size_t method, size_t classes) {
  test_data data =
      make_data((test_recipe){ ROWS, classes ? classes : 2, 9, 2, .7, 60, false, false });
  double confidence[ROWS];
  unsigned char correct[ROWS];
  crd_calibrator *c = NULL;
  crd__calibrator_map map;
  char name[64];
  round_data(&data, confidence);
  for (size_t i = 0; i < ROWS; i++) correct[i] = data.labels[i] == 1;
  crd_predictions *const p = predictions_of(s->ctx, &data, classes ? NULL : confidence, correct);
  if (classes) p->parts.input = CRD_INPUT_PROBABILITIES;
  if (crd_calibrator_fit(s->ctx, crd_method_at(method)->name, NULL, p, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(s->ctx));
  snprintf(name, sizeof name, "%.30s_%zu_%zu", crd_method_at(method)->name, s->count, classes);
  if (crd__calibrator_map_make(s->ctx, c, &map) == CRD_OK) {
    assert_true(c->method->as_is || map.floor.first > 1e-10);
    check_words(s->ctx, c, &map, &data, p, classes ? NULL : confidence);
    prepare(s, name, &map, classes ? data.scores : confidence);
  }
  crd__calibrator_map_clear(&map);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  free_data(&data);
}

/* Every choice of the setting besides its default. */
static void prepare_setting(session *s, size_t method, const crd_setting_info *setting) {
  char pair[128];
  for (const char *word = setting->words; word && *word; word += strspn(word, " ")) {
    const size_t length = strcspn(word, " "), name = strlen(setting->name) + 1;
    snprintf(pair, sizeof pair, "%s=%.*s", setting->name, (int)length, word);
    if (strcmp(pair + name, setting->standard) != 0) prepare_method(s, method, pair, 4);
    word += length;
  }
}

static void prepare_methods(session *s) {
  for (size_t m = 0; m < crd_method_count(); m++) {
    const crd_method_info *const info = crd_method_at(m);
    prepare_method(s, m, NULL, 0);
    prepare_method(s, m, NULL, 2);
    prepare_method(s, m, NULL, 4);
    prepare_rounded(s, m, 0);
    prepare_rounded(s, m, 2);
    prepare_rounded(s, m, 4);
    for (size_t i = 0; i < info->setting_count; i++) prepare_setting(s, m, &info->settings[i]);
  }
}

/* ---- One format. */

static void check_format(crd_context *ctx, const char *format, double tolerance) {
  session s = { .ctx = ctx, .format = format, .extension = format, .tolerance = tolerance };
  char command[700];
  temporary_path(s.folder, format);
  snprintf(command, sizeof command, "rm -rf %s && mkdir -p %s", s.folder, s.folder);
  assert_int_equal(system(command), 0);
  for (size_t i = 0; i < RECIPES; i++) {
    crd__calibrator_map map = make_map(ctx, &recipes[i]);
    prepare(&s, recipes[i].name, &map, NULL);
    crd__calibrator_map_clear(&map);
  }
  for (size_t i = 0; i < FLOORED; i++) {
    crd__calibrator_map map = make_map(ctx, &floored_recipes[i].recipe);
    map.floor = floored_recipes[i].floor;
    prepare(&s, floored_recipes[i].recipe.name, &map, NULL);
    crd__calibrator_map_clear(&map);
  }
  prepare_methods(&s);
  if (run(&s))
    for (size_t i = 0; i < s.count; i++) compare(&s, i);
  for (size_t i = 0; i < s.count; i++) free(s.expected[i]);
  snprintf(command, sizeof command, "rm -rf %s", s.folder);
  assert_int_equal(system(command), 0);
}

static void c_computes_the_same(void **state) { check_format(*state, "c", 1e-12); }
/* Results are float32. */
static void onnx_computes_the_same(void **state) { check_format(*state, "onnx", 1e-6); }
static void js_computes_the_same(void **state) { check_format(*state, "js", 1e-12); }

static void sql_computes_the_same(void **state) { check_format(*state, "sql", 1e-12); }

static void other_formats_are_refused(void **state) {
  crd__calibrator_map map = make_map(*state, &recipes[0]);
  crd__text text;
  crd__text_init(&text, &((crd_context *)*state)->alloc);
  assert_int_equal(crd__export_map(*state, &map, "fortran", "", &text), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(*state), "no export format is called 'fortran'"));
  crd__text_clear(&text);
  crd__calibrator_map_clear(&map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(c_computes_the_same),       cmocka_unit_test(onnx_computes_the_same),
    cmocka_unit_test(js_computes_the_same),      cmocka_unit_test(sql_computes_the_same),
    cmocka_unit_test(other_formats_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
