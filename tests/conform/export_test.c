/*
 * export_test.c -- every export computes what apply does. Each step of calibrator/map.h is put into
 * maps of every scope and input, and so is every method; tests/export/run compiles or runs the
 * exported files, and their results are compared with plain loops (ref/map.c).
 */
#include "support.h"

#include "calibrator/calibrator.h"
#include "conform/export_maps.h"
#include "data/predictions.h"
#include "export/export.h"
#include "ref/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAPS_MAX = 384, SKIPPED = 77 };

/* ---- Files for the runner: NAME.EXT, NAME.in (rows), NAME.dims; it writes NAME.out. */

typedef struct {
  crd_context *ctx;
  const char *format, *extension;
  const char *way; /* how tests/export/run runs it; the format's name if NULL */
  crd_export_options options;
  bool header;
  double tolerance;
  char folder[256];
  size_t count;
  char names[MAPS_MAX][64];
  double *expected[MAPS_MAX], *allowed[MAPS_MAX];
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

/* Fills the allowed differences: the tolerance; in float32 also what moves by its resolution do to
 * the result, since at the end of a step it jumps. */
enum { MOVES = 2 };

static void move_tables(crd__calibrator_map *map, double move) {
  for (size_t i = 0; i < map->count; i++) {
    const crd__calibrator_step *const step = &map->steps[i];
    if (step->op != CRD__STEPS && step->op != CRD__LINES && step->op != CRD__BENT) continue;
    for (size_t k = 0; k < step->a.start[step->parts]; k++)
      step->a.values[k] += move * (1 + fabs(step->a.values[k]));
  }
}

static void allow(const session *s, const crd__calibrator_map *map, const double *rows, size_t at) {
  static const double moves[MOVES] = { 4e-6, -4e-6 };
  const size_t in = inputs_of(map), out = outputs_of(map);
  crd__calibrator_map moved = *map;
  for (size_t i = 0; i < ROWS * out; i++) s->allowed[at][i] = s->tolerance;
  for (size_t m = 0; s->options.float32 && m < MOVES; m++) {
    move_tables(&moved, moves[m]);
    for (size_t i = 0; i < ROWS; i++) {
      double row[REF_CLASSES_MAX + 1];
      const size_t top = ref_map(&moved, rows + i * in, row);
      if (map->input != CRD_INPUT_PAIRS) row[out - 1] = (double)top;
      for (size_t k = 0; k < out; k++)
        s->allowed[at][i * out + k] += 2 * fabs(row[k] - s->expected[at][i * out + k]);
    }
    move_tables(&moved, -moves[m]);
  }
}

/* The first half of the rows are those of `seen`, unless it is NULL. */
static void prepare(session *s, const char *name, const crd__calibrator_map *map,
                    const double *seen) {
  const size_t in = inputs_of(map), out = outputs_of(map), at = s->count++;
  assert_true(at < MAPS_MAX && map->classes <= REF_CLASSES_MAX);
  double *const rows = calloc(ROWS * in, sizeof *rows);
  double *const expected = s->expected[at] = calloc(ROWS * out, sizeof *expected);
  char dims[64];
  crd__text text, header;
  crd__text_init(&text, &s->ctx->alloc);
  crd__text_init(&header, &s->ctx->alloc);
  s->allowed[at] = calloc(ROWS * out, sizeof *expected);
  if (s->header) s->options.name = name; /* of C: all functions are linked into one program */
  if (crd__export_map(s->ctx, map, s->format, "a test", &s->options, &text,
                      s->header ? &header : NULL) != CRD_OK)
    fail_msg("%s as %s: %s", name, s->format, crd_context_message(s->ctx));
  make_rows(map, rows);
  /* Rows of the fit lie on the ends of its steps, which float32 cannot tell apart. */
  if (seen && !s->options.float32) memcpy(rows, seen, ROWS / 2 * in * sizeof *rows);
  for (size_t i = 0; i < ROWS; i++) {
    const size_t top = ref_map(map, rows + i * in, expected + i * out);
    if (map->input != CRD_INPUT_PAIRS) expected[i * out + out - 1] = (double)top;
  }
  allow(s, map, rows, at);
  snprintf(s->names[at], sizeof s->names[at], "%s", name);
  s->cells[at] = ROWS * out;
  s->width[at] = out;
  snprintf(dims, sizeof dims, "%zu %zu\n", in, out);
  put_file(s, name, s->extension, text.bytes, text.length);
  if (s->header) put_file(s, name, "h", header.bytes, header.length);
  put_file(s, name, "in", rows, ROWS * in * sizeof *rows);
  put_file(s, name, "dims", dims, strlen(dims));
  crd__text_clear(&text);
  crd__text_clear(&header);
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
    if (!(fabs(found[i] - s->expected[at][i]) <= s->allowed[at][i]))
      fail_msg("%s as %s: row %zu, value %zu is %.17g, expected %.17g", s->names[at], s->format,
               i / s->width[at], i % s->width[at], found[i], s->expected[at][i]);
  free(found);
}

/* Returns false if the tool that runs such files is missing. */
static bool run(const session *s) {
  char command[700];
  snprintf(command, sizeof command, "%s/tests/export/run %s %s", CREDENCE_SOURCE,
           s->way ? s->way : s->format, s->folder);
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
    .size = sizeof parts,
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

/* Writes an identifier. */
static void name_method(const session *s, size_t method, size_t classes, char name[64]) {
  snprintf(name, 64, "%.30s_%zu_%zu", crd_method_at(method)->name, s->count, classes);
  for (char *dash; (dash = strchr(name, '-')) != NULL;) *dash = '_';
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
  name_method(s, method, classes, name);
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
  name_method(s, method, classes, name);
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

/* Uses crd_export_at, so that a format runs with the extension of its files. */
static const char *extension_of(const char *format) {
  for (size_t i = 0; i < crd_export_count(); i++)
    if (strcmp(crd_export_at(i)->name, format) == 0) return crd_export_at(i)->extension;
  return NULL;
}

static void check(session *s) {
  crd_context *const ctx = s->ctx;
  char command[700];
  s->extension = extension_of(s->format);
  temporary_path(s->folder, s->way ? s->way : s->format);
  snprintf(command, sizeof command, "rm -rf %s && mkdir -p %s", s->folder, s->folder);
  assert_int_equal(system(command), 0);
  for (size_t i = 0; i < RECIPES; i++) {
    crd__calibrator_map map = make_map(ctx, &recipes[i]);
    prepare(s, recipes[i].name, &map, NULL);
    crd__calibrator_map_clear(&map);
  }
  for (size_t i = 0; i < FLOORED; i++) {
    crd__calibrator_map map = make_map(ctx, &floored_recipes[i].recipe);
    map.floor = floored_recipes[i].floor;
    prepare(s, floored_recipes[i].recipe.name, &map, NULL);
    crd__calibrator_map_clear(&map);
  }
  prepare_methods(s);
  if (run(s))
    for (size_t i = 0; i < s->count; i++) compare(s, i);
  for (size_t i = 0; i < s->count; i++) {
    free(s->expected[i]);
    free(s->allowed[i]);
  }
  snprintf(command, sizeof command, "rm -rf %s", s->folder);
  assert_int_equal(system(command), 0);
}

static void check_format(crd_context *ctx, const char *format, double tolerance) {
  session s = { .ctx = ctx, .format = format, .tolerance = tolerance };
  check(&s);
}

static void c_computes_the_same(void **state) {
  session s = { .ctx = *state, .format = "c", .header = true, .tolerance = 1e-12 };
  check(&s);
}

static void float32_computes_nearly_the_same(void **state) {
  session s = { .ctx = *state,
                .format = "c",
                .way = "float",
                .header = true,
                .options = { .size = sizeof s.options, .float32 = 1 },
                .tolerance = 1e-5 };
  check(&s);
}

/* Results are float32. */
static void onnx_computes_the_same(void **state) { check_format(*state, "onnx", 1e-6); }
static void js_computes_the_same(void **state) { check_format(*state, "js", 1e-12); }
static void sql_computes_the_same(void **state) { check_format(*state, "sql", 1e-12); }
static void numpy_computes_the_same(void **state) { check_format(*state, "numpy", 1e-12); }
static void json_computes_the_same(void **state) { check_format(*state, "json", 1e-12); }

/* ---- Refusals. */

static void refuses(crd_context *ctx, const crd__calibrator_map *map, const char *format,
                    const crd_export_options *options, bool with_header, const char *message) {
  crd__text text, header;
  crd__text_init(&text, &ctx->alloc);
  crd__text_init(&header, &ctx->alloc);
  const crd_status status =
      crd__export_map(ctx, map, format, "", options, &text, with_header ? &header : NULL);
  assert_int_equal(status, CRD_EUSAGE);
  if (!strstr(crd_context_message(ctx), message)) fail_msg("%s", crd_context_message(ctx));
  crd__text_clear(&text);
  crd__text_clear(&header);
}

static void other_formats_are_refused(void **state) {
  crd__calibrator_map map = make_map(*state, &recipes[0]);
  refuses(*state, &map, "fortran", NULL, false, "no export format is called 'fortran'");
  crd__calibrator_map_clear(&map);
}

static void options_of_other_formats_are_refused(void **state) {
  const crd_export_options named = { .size = sizeof named, .name = "net" },
                           small = { .size = sizeof small, .float32 = 1 };
  crd__calibrator_map map = make_map(*state, &recipes[0]);
  refuses(*state, &map, "sql", &named, false, "the format sql has no function that name could");
  refuses(*state, &map, "numpy", &small, false, "float32 needs the format c, found 'numpy'");
  refuses(*state, &map, "js", NULL, true, "a header needs the format c, found 'js'");
  crd__calibrator_map_clear(&map);
}

static void names_are_identifiers(void **state) {
  static const char *const wrong[] = {
    "",      "2net",
    "net-2", "net 2",
    "_net",  "n\xc3\xa4t",
    "net;",  "a123456789b123456789c123456789d123456789e123456789f123456789g123",
  };
  crd__calibrator_map map = make_map(*state, &recipes[0]);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    refuses(*state, &map, "c",
            &(crd_export_options){ .size = sizeof(crd_export_options), .name = wrong[i] }, false,
            "allowed are a letter and up to 62 further letters, digits and '_'");
  crd__calibrator_map_clear(&map);
}

/* Knots that float32 cannot tell apart would divide by 0. */
static void float32_must_represent_the_parameters(void **state) {
  const crd_export_options small = { .size = sizeof small, .float32 = 1 };
  crd__calibrator_map map = { .alloc = ((crd_context *)*state)->alloc,
                              .classes = 2,
                              .floor = crd__data_floor_standard(CRD_INPUT_LOGITS) };
  const double knots[] = { 1, 1 + 1e-12, 3 }, values[] = { 0, 1, 2 }, large = 1e39;
  assert_int_equal(crd__calibrator_map_add(*state, &map, CRD__BENT, knots, 3, values, 3), CRD_OK);
  assert_int_equal(crd__calibrator_map_add(*state, &map, CRD__SOFTMAX, NULL, 0, NULL, 0), CRD_OK);
  refuses(*state, &map, "c", &small, false, "two knots of the calibrator's curve are the same");
  crd__calibrator_map_clear(&map);
  map = make_map(*state, &recipes[2]);
  map.steps[0].a.values[0] = large;
  refuses(*state, &map, "c", &small, false, "is 1e+39, float32 has numbers up to 3.4e38");
  crd__calibrator_map_clear(&map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(c_computes_the_same),
    cmocka_unit_test(float32_computes_nearly_the_same),
    cmocka_unit_test(onnx_computes_the_same),
    cmocka_unit_test(js_computes_the_same),
    cmocka_unit_test(sql_computes_the_same),
    cmocka_unit_test(numpy_computes_the_same),
    cmocka_unit_test(json_computes_the_same),
    cmocka_unit_test(other_formats_are_refused),
    cmocka_unit_test(options_of_other_formats_are_refused),
    cmocka_unit_test(names_are_identifiers),
    cmocka_unit_test(float32_must_represent_the_parameters),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
