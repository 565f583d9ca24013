/* support.c -- fixtures shared by several tests. */
#include "support.h"

#include "base/random.h"
#include "io/write.h"

#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

crd_context *test_context(void) {
  crd_context *ctx = NULL;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  return ctx;
}

int open_context(void **state) {
  *state = test_context();
  return 0;
}

int close_context(void **state) {
  crd_context_destroy(*state);
  return 0;
}

bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

bool near(double a, double b, double tolerance) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

static void *failing_resize(void *self, void *memory, size_t bytes) {
  test_allocator *const state = self;
  if (bytes == 0) {
    state->live -= memory != NULL;
    free(memory);
    return NULL;
  }
  const long call = state->calls++;
  if (state->fail_at >= 0 &&
      (call == state->fail_at || (state->persistent && call > state->fail_at)))
    return NULL;
  state->live += memory == NULL;
  return realloc(memory, bytes);
}

crd_allocator failing_allocator(test_allocator *state) {
  return (crd_allocator){ failing_resize, state };
}

static double normal(uint64_t seed, uint64_t index) { /* Box-Muller */
  const double u = 1 - crd__random_uniform(seed, 1, index);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * crd__random_uniform(seed, 2, index));
}

static size_t argmax(const double *row, size_t count) {
  size_t best = 0;
  for (size_t k = 1; k < count; k++)
    if (row[k] > row[best]) best = k;
  return best;
}

test_data make_data(test_recipe r) {
  test_data d = { .rows = r.rows, .classes = r.classes, .positive = r.positive };
  d.scores = calloc(r.rows * r.classes, sizeof *d.scores);
  d.labels = calloc(r.rows, sizeof *d.labels);
  d.weights = r.weighted ? calloc(r.rows, sizeof *d.weights) : NULL;
  assert_non_null(d.scores);
  assert_non_null(d.labels);
  if (r.classes < 2) fail_msg("%zu classes, data need two", r.classes);
  d.features = calloc(r.rows * TEST_FEATURES, sizeof *d.features);
  assert_non_null(d.features);
  for (size_t i = 0; i < r.rows * TEST_FEATURES; i++)
    d.features[i] = crd__random_uniform(r.seed, 6, i) - 0.25;
  for (size_t i = 0; i < r.rows * r.classes; i++)
    d.scores[i] = r.spread * normal(r.seed, r.distinct ? i % (r.distinct * r.classes) : i);
  for (size_t i = 0; i < r.rows; i++) {
    const size_t best = argmax(d.scores + i * r.classes, r.classes);
    const bool right = crd__random_uniform(r.seed, 3, i) < r.accuracy;
    const size_t other = (size_t)(crd__random_bits(r.seed, 4, i) % (r.classes - 1)) + 1;
    d.labels[i] = (int64_t)(right ? best : (best + other) % r.classes);
    if (d.weights) d.weights[i] = (double)(crd__random_bits(r.seed, 5, i) % 4);
  }
  if (d.weights) d.weights[0] = 1; /* never all 0 */
  return d;
}

void free_data(test_data *data) {
  free(data->scores);
  free(data->labels);
  free(data->weights);
  free(data->features);
  *data = (test_data){ 0 };
}

crd_array data_features(const test_data *data) {
  return crd_array_matrix(data->features, CRD_F64, data->rows, TEST_FEATURES);
}

crd_predictions *data_predictions(crd_context *ctx, const test_data *data, size_t from, size_t to) {
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data->scores, CRD_F64, data->rows, data->classes),
    .labels = crd_array_matrix(data->labels, CRD_I64, data->rows, 1),
    .input = CRD_INPUT_LOGITS,
    .binary = data->positive ? CRD_BINARY_POS : CRD_BINARY_TOP,
    .name = "data",
  };
  if (data->weights) parts.weights = crd_array_matrix(data->weights, CRD_F64, data->rows, 1);
  parts.scores = crd_array_slice(parts.scores, from, to);
  parts.labels = crd_array_slice(parts.labels, from, to);
  parts.features = crd_array_slice(data_features(data), from, to);
  parts.weights = data->weights ? crd_array_slice(parts.weights, from, to) : parts.weights;
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static crd_evidence *gather(crd_context *ctx, crd_predictions *p, size_t from,
                            const crd_evaluate_options *options) {
  crd_evidence *evidence = NULL;
  if (crd_evidence_gather(ctx, p, options, from, &evidence) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return evidence;
}

crd_evidence *data_evidence(crd_context *ctx, const test_data *data, size_t from, size_t to,
                            const crd_evaluate_options *options) {
  return gather(ctx, data_predictions(ctx, data, from, to), from, options);
}

crd_evidence *pairs_evidence(crd_context *ctx, const double *confidence,
                             const unsigned char *correct, size_t rows,
                             const crd_evaluate_options *options) {
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(confidence, CRD_F64, rows, 1),
                                        .correct = crd_array_matrix(correct, CRD_U8, rows, 1),
                                        .input = CRD_INPUT_PAIRS,
                                        .name = "pairs" };
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return gather(ctx, p, 0, options);
}

double value_of(const crd_result *result, const char *metric) {
  const crd_metric_value *const v = crd_result_value(result, metric);
  if (!v) fail_msg("no metric %s in the result", metric);
  return v ? v->value : 0;
}

static crd_predictions *open_pairs(crd_context *ctx, test_pairs pairs) {
  crd_predictions *p = NULL;
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores =
                                      crd_array_matrix(pairs.confidence, CRD_F64, pairs.rows, 1),
                                  .correct = crd_array_matrix(pairs.correct, CRD_U8, pairs.rows, 1),
                                  .input = CRD_INPUT_PAIRS };
  if (pairs.weights) parts.weights = crd_array_matrix(pairs.weights, CRD_F64, pairs.rows, 1);
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

crd_calibrator *fit_pairs(crd_context *ctx, const char *method, const char *settings,
                          test_pairs pairs) {
  crd_predictions *const p = open_pairs(ctx, pairs);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, settings, p, &c) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  crd_predictions_destroy(p);
  return c;
}

double calibrated(crd_context *ctx, const crd_calibrator *calibrator, double confidence) {
  double out = (double)NAN;
  crd_predictions *const p =
      open_pairs(ctx, (test_pairs){ 1, &confidence, (const unsigned char[]){ 1 }, NULL });
  if (crd_calibrator_apply(ctx, calibrator, p, 0, 1, &out, NULL, NULL) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return out;
}

void cannot_test(const char *name, const char *reason, ...) {
  const char *const required = getenv("CREDENCE_REQUIRE_DATA");
  char text[1000];
  va_list args;
  va_start(args, reason);
  vsnprintf(text, sizeof text, reason, args);
  va_end(args);
  printf("SKIP %s: %s\n", name, text);
  if (required && *required) fail_msg("%s: %s, required by CREDENCE_REQUIRE_DATA", name, text);
}

void cannot_test_networks(const char *name) {
  static const char reason[] = "built without networks";
  if (strcmp(CREDENCE_NN, "OFF") == 0) printf("SKIP %s: %s\n", name, reason);
  else cannot_test(name, reason);
}

void cannot_test_images(const char *name) {
  static const char reason[] = "built without libpng or libjpeg";
  static bool told = false;
  const bool chosen = strcmp(CREDENCE_PNG, "OFF") == 0 || strcmp(CREDENCE_JPEG, "OFF") == 0;
  if (chosen && !told) printf("SKIP %s: %s\n", name, reason);
  if (!chosen) cannot_test(name, reason);
  told = true;
}

#ifdef CREDENCE_LEAN
static const bool lean = true;
#else
static const bool lean = false;
#endif

bool lean_refuses(const char *path) {
  if (!lean || (!strstr(path, ".gz") && !strstr(path, "deflated"))) return false;
  printf("SKIP %s: a lean build\n", path);
  return true;
}

const char *shared_folder(void) {
  const char *const folder = getenv("CREDENCE_SHARED");
  return folder ? folder : CREDENCE_SOURCE "/../shared";
}

bool is_there(const char *test, const char *path) {
  if (access(path, R_OK) == 0) return true;
  cannot_test(test, "%s is missing", path);
  return false;
}

size_t open_descriptors(void) {
  size_t count = 0;
  for (int fd = 0; fd < 256; fd++) count += fcntl(fd, F_GETFD) != -1;
  return count;
}

const char *temporary_path(char path[256], const char *name) {
  const char *const folder = getenv("TMPDIR");
  snprintf(path, 256, "%s/credence-test-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
  return path;
}

static const char *const file_names[] = { "p.npy", "p.npz", "p.safetensors",
                                          "p.csv", "p.tsv", "p.csv.gz" };
enum { FILES = sizeof file_names / sizeof *file_names };

const char *test_file_name(size_t index) { return index < FILES ? file_names[index] : NULL; }

/* Sets the path of the labels that belong to a file of a single array. */
static bool labels_path(char labels[300], const char *path) {
  snprintf(labels, 300, "%s-labels.npy", path);
  return strstr(path, ".npy") != NULL;
}

void write_test_file(size_t index, const test_data *data, char path[256]) {
  char labels[300];
  crd_context *const ctx = test_context();
  const crd__io_array scores = {
    .name = "logits", .view = crd_array_matrix(data->scores, CRD_F64, data->rows, data->classes)
  };
  const crd__io_array truth = { .name = "labels",
                                .view = crd_array_matrix(data->labels, CRD_I64, data->rows, 1) };
  const crd__io_array both[] = { scores, truth };
  temporary_path(path, file_names[index]);
  const bool apart = labels_path(labels, path);
  if (crd__io_bundle_write(ctx, path, both, apart ? 1 : 2) != CRD_OK ||
      (apart && crd__io_bundle_write(ctx, labels, &truth, 1) != CRD_OK))
    fail_msg("%s", crd_context_message(ctx));
  crd_context_destroy(ctx);
}

crd_status open_test_file(crd_context *ctx, const char *path, crd_predictions **out) {
  char labels[300];
  const bool apart = labels_path(labels, path);
  return crd_predictions_open(
      ctx, path,
      &(crd_open_options){ .size = sizeof(crd_open_options), .labels = apart ? labels : NULL },
      out);
}

void remove_test_file(const char *path) {
  char labels[300];
  labels_path(labels, path);
  unlink(path);
  unlink(labels);
}

const char *comma_locale(void) {
  static char folder[] = "/tmp/credence-locale-XXXXXX";
  char command[200];
  const char *found = setlocale(LC_NUMERIC, "de_DE.UTF-8");
  if (found || !mkdtemp(folder)) return found;
  snprintf(command, sizeof command,
           "localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
  setenv("LOCPATH", folder, 1);
  if (system(command) == 0) found = setlocale(LC_NUMERIC, "de_DE.UTF-8");
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command) != 0) printf("%s stays\n", folder);
  return found;
}
