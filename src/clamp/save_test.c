/* save_test.c -- clamps as files: read back unchanged, equal bytes, invalid files. */
#include "clamp/testing.h"

static const char *save(crd_context *ctx, const crd_clamp *clamp, const char *name) {
  const char *const path = scratch_path(name);
  crd_output *output;
  WORKS(ctx, crd_output_open(ctx, path, &output));
  WORKS(ctx, crd_clamp_save(ctx, clamp, output));
  WORKS(ctx, crd_output_commit(ctx, output));
  return path;
}

static crd_clamp *load(crd_context *ctx, const char *path) {
  crd_clamp *clamp;
  WORKS(ctx, crd_clamp_load(ctx, path, &clamp));
  return clamp;
}

/* Returns the text of a file. */
static size_t read_text(const char *path, char text[static 1 << 14]) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(text, 1, (1 << 14) - 1, file);
  fclose(file);
  text[length] = '\0';
  return length;
}

static void check_equal(const crd_clamp_summary *a, const crd_clamp_summary *b) {
  assert_true(a->rank == b->rank && a->count == b->count);
  assert_memory_equal(a->dims, b->dims, a->rank * sizeof *a->dims);
  assert_memory_equal(a->delta, b->delta, a->count * sizeof *a->delta);
  assert_true(same_bits(a->temperature, b->temperature) && same_bits(a->gamma, b->gamma));
  assert_true(same_bits(a->lambda, b->lambda) && same_bits(a->weight, b->weight));
  assert_true(same_bits(a->objective, b->objective) && same_bits(a->scaling, b->scaling));
  assert_true(same_bits(a->temperature_objective, b->temperature_objective));
  assert_true(same_bits(a->delta_norm, b->delta_norm) && same_bits(a->residual, b->residual));
  assert_true(same_bits(a->gradient_norm, b->gradient_norm));
  assert_true(isnan(a->predicted_gain) ? isnan(b->predicted_gain)
                                       : same_bits(a->predicted_gain, b->predicted_gain));
  assert_true(isnan(a->measured_gain) ? isnan(b->measured_gain)
                                      : same_bits(a->measured_gain, b->measured_gain));
  assert_true(a->classes == b->classes && a->rows == b->rows && a->channels == b->channels);
  assert_string_equal(a->settings, b->settings);
  assert_true(!a->tensor == !b->tensor && (!a->tensor || strcmp(a->tensor, b->tensor) == 0));
  for (size_t i = 0; i < a->channels; i++)
    assert_true(same_bits(a->mean[i], b->mean[i]) && same_bits(a->std[i], b->std[i]));
}

static void saved_clamps_read_back(void **state) {
  static const char *const settings[] = { "lambda=0.1,gamma=1", "lambda=infinite",
                                          "start=entropy,lambda=0.01" };
  static scene s;
  static char first[1 << 14], second[1 << 14];
  crd_encoding *encoding;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  WORKS(*state, crd_encoding_learn(*state, s.data, NULL, &encoding));
  for (size_t i = 0; i < 6; i++) {
    const crd_clamp_options options = { .size = sizeof options,
                                        .settings = settings[i % 3],
                                        .encoding = i < 3 ? NULL : encoding,
                                        .tensor = i % 2 ? "a \"tensor\"" : NULL };
    crd_clamp *clamp;
    WORKS(*state, crd_clamp_fit(*state, s.network, s.data, &options, &clamp));
    const char *const path = save(*state, clamp, "clamp.json");
    crd_clamp *const read = load(*state, path);
    const char *const again = save(*state, read, "again.json");
    check_equal(crd_clamp_describe(clamp), crd_clamp_describe(read));
    assert_true((crd_clamp_describe(read)->tensor != NULL) == (i % 2 > 0));
    assert_int_equal(crd_clamp_describe(read)->channels, i < 3 ? 0 : INPUTS);
    assert_true(i % 3 != 1 || isinf(crd_clamp_describe(read)->lambda));
    assert_true(read_text(path, first) == read_text(again, second));
    assert_string_equal(first, second);
    crd_clamp_destroy(clamp);
    crd_clamp_destroy(read);
    unlink(path);
    unlink(again);
  }
  crd_encoding_destroy(encoding);
  close_scene(&s);
}

/* ---- Invalid files. */

static const char valid[] =
    "{\"credence\": \"clamp\", \"version\": 1, \"classes\": 3, \"rows\": 10, \"settings\": \"\", "
    "\"temperature\": 1.5, \"lambda\": 1, \"weight\": 2, \"mean\": [0.5], \"std\": [0.25], "
    "\"shape\": [2, 1], \"delta\": [0.5, -1]}";

static void other_texts_fail(void **state) {
  static const struct {
    const char *from, *to, *words;
  } bad[] = {
    { "\"clamp\"", "\"calibrator\"", "not a Credence clamp: 'credence' is not \"clamp\"" },
    { "\"credence\"", "\"other\"", "not a Credence clamp: 'credence' is not" },
    { "\"version\": 1", "\"version\": 2", "not a Credence clamp: its version is not 1" },
    { "\"classes\": 3", "\"classes\": 0", "'classes' is missing or not a positive integer" },
    { "\"classes\": 3", "\"classes\": 1e300", "'classes' is missing or not a positive integer" },
    { "\"rows\": 10", "\"rows\": -5", "'rows' is missing or not a positive integer" },
    { "\"rows\": 10", "\"rows\": \"10\"", "'rows' is missing or not a positive integer" },
    { "\"temperature\": 1.5", "\"temperature\": 0", "'temperature' is missing or not positive" },
    { "\"temperature\": 1.5", "\"temperature\": -1", "'temperature' is missing or not positive" },
    { "\"temperature\": 1.5", "\"temperature\": \"1\"", "'temperature' is not a number" },
    { "\"temperature\": 1.5", "\"temperatur\": 1.5", "'temperature' is missing or not positive" },
    { "\"temperature\": 1.5", "\"temperature\": 1e999", "line 1: real number overflow" },
    { "\"mean\": [0.5]", "\"mean\": 0.5", "'mean' is missing" },
    { "\"mean\": [0.5]", "\"mean\": [null]", "element 0 of 'mean' is not a number" },
    { "\"mean\": [0.5]", "\"mean\": [0.5, 1]", "'mean' and 'std' differ in length" },
    { "\"std\": [0.25]", "\"std\": [0]", "'std' is not positive" },
    { "\"std\": [0.25]", "\"std\": [-1]", "'std' is not positive" },
    { "\"shape\": [2, 1]", "\"shape\": []", "'shape' is missing or too long" },
    { "\"shape\": [2, 1]", "\"shape\": 2", "'shape' is missing or too long" },
    { "\"shape\": [2, 1]", "\"shape\": [1, 1, 1, 1, 1, 1, 1, 2]",
      "'shape' is missing or too long" },
    { "\"shape\": [2, 1]", "\"shape\": [-2, -1]", "'shape' is not positive integers" },
    { "\"shape\": [2, 1]", "\"shape\": [2.0]", "'shape' is not positive integers" },
    { "\"shape\": [2, 1]", "\"shape\": [4611686018427387904, 8]", "'shape' is not positive" },
    { "\"shape\": [2, 1]", "\"shape\": [3]", "'delta' does not have 'shape'" },
    { "\"delta\": [0.5, -1]", "\"delta\": {}", "'delta' is missing" },
    { "\"delta\": [0.5, -1]", "\"delta\": [0.5, \"x\"]", "element 1 of 'delta' is not a number" },
    { "\"delta\": [0.5, -1]", "\"delta\": [0.5, 1e39]", "element 1 of 'delta'" },
    { "\"delta\": [0.5, -1]", "\"delta\": [0.5, -1], \"delta\": [1, 2]", "line 1: duplicate" },
    { "\"lambda\": 1", "\"lambda\": \"x\"", "'lambda'" },
    { "\"lambda\": 1", "\"lambda\": -1", "'lambda'" },
    { "\"settings\": \"\"", "\"settings\": 5", "'settings'" },
    { "\"rows\": 10", "\"rows\": 10, \"tensor\": 5", "'tensor' is not a name" },
  };
  crd_clamp_destroy(load(*state, put_text("valid.json", valid)));
  unlink(scratch_path("valid.json"));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[1024];
    const char *const at = strstr(valid, bad[i].from);
    crd_clamp *clamp = (crd_clamp *)state;
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - valid), valid, bad[i].to,
             at + strlen(bad[i].from));
    const char *const path = put_text("bad.json", text);
    const crd_status status = crd_clamp_load(*state, path, &clamp);
    const char *const message = crd_context_message(*state);
    if (status != CRD_EINPUT || !strstr(message, bad[i].words) || !strstr(message, path))
      fail_msg("%s: status %d: %s", bad[i].to, (int)status, message);
    assert_null(clamp);
    unlink(path);
  }
}

/* Whatever is left of a file, and whatever byte is changed: a clamp, or a message. */
static void damaged_files_fail(void **state) {
  char text[sizeof valid];
  crd_clamp *clamp;
  for (size_t length = 0; length + 1 < sizeof valid; length++) {
    const char *const path = put_file("cut.json", valid, length);
    FAILS(*state, CRD_EINPUT, crd_clamp_load(*state, path, &clamp), path);
    assert_null(clamp);
    unlink(path);
  }
  for (size_t i = 0; i + 1 < sizeof valid; i++) {
    memcpy(text, valid, sizeof valid);
    text[i] = (char)(i % 3 == 0 ? '[' : i % 3 == 1 ? '9' : '\xff');
    const char *const path = put_file("changed.json", text, sizeof valid - 1);
    const crd_status status = crd_clamp_load(*state, path, &clamp);
    assert_true(status == CRD_OK ||
                (status == CRD_EINPUT && strstr(crd_context_message(*state), path)));
    assert_true((status == CRD_OK) == (clamp != NULL));
    crd_clamp_destroy(clamp);
    unlink(path);
  }
  FAILS(*state, CRD_EINPUT, crd_clamp_load(*state, "/nowhere/clamp.json", &clamp),
        "/nowhere/clamp.json");
}

/* From memory as from a file, under a name that messages begin with. */
static void memory_is_read_like_a_file(void **state) {
  char text[1 << 14], again[1 << 14];
  crd_clamp *clamp;
  WORKS(*state, crd_clamp_load_memory(*state, "the state", valid, sizeof valid - 1, &clamp));
  const char *const path = save(*state, clamp, "memory.json");
  crd_clamp *const same = load(*state, path);
  const size_t length = read_text(path, text);
  unlink(path);
  const char *const copy = save(*state, same, "memory.json");
  assert_int_equal(read_text(copy, again), length);
  assert_memory_equal(text, again, length);
  unlink(copy);
  crd_clamp_destroy(clamp);
  crd_clamp_destroy(same);
  FAILS(*state, CRD_EINPUT, crd_clamp_load_memory(*state, "the state", valid, 9, &clamp),
        "the state: ");
  assert_null(clamp);
}

/* Nesting without end is no stack overflow. */
static void deep_files_fail(void **state) {
  static char deep[1 << 20];
  crd_clamp *clamp;
  memset(deep, '[', sizeof deep);
  const char *const path = put_file("deep.json", deep, sizeof deep);
  FAILS(*state, CRD_EINPUT, crd_clamp_load(*state, path, &clamp), "line 1: maximum parsing depth");
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(saved_clamps_read_back), TEST(other_texts_fail),
                                      TEST(damaged_files_fail), TEST(memory_is_read_like_a_file),
                                      TEST(deep_files_fail) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
