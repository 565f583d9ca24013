/*
 * into_test.c -- calibrators inserted into the graphs of other models. tests/export/run runs the
 * copies; their new outputs must be the map (ref/map.c) of the scores of the same run, and a copy
 * differs from its model only by the nodes that were added.
 */
#include "support.h"

#include "base/file.h"
#include "calibrator/calibrator.h"
#include "export/export.h"
#include "ref/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ROWS = 5, INPUTS = 2, CLASSES = 3, COPIES_MAX = 192, SKIPPED = 77 };
#define DATA CREDENCE_SOURCE "/tests/cli/data/"

/* The position of the scores in a row of outputs, and its length without the new ones. */
typedef struct {
  const char *path, *value;
  crd_input input;
  size_t scores, width;
  int opset; /* the model is copied with another operator set; 0: it is not */
} model;
static const model models[] = {
  { DATA "net.onnx", NULL, CRD_INPUT_PROBABILITIES, 0, 3, 0 },
  { DATA "linear.onnx", NULL, CRD_INPUT_LOGITS, 0, 3, 0 },
  { DATA "labels.onnx", "logits", CRD_INPUT_LOGITS, 1, 4, 0 },
  { DATA "linear.onnx", NULL, CRD_INPUT_LOGITS, 0, 3, 7 },
  { DATA "net.onnx", NULL, CRD_INPUT_PROBABILITIES, 0, 3, 9 },
  { DATA "labels.onnx", "logits", CRD_INPUT_LOGITS, 1, 4, 12 },
};
enum { MODELS = sizeof models / sizeof *models };

typedef struct {
  crd_context *ctx;
  char folder[256], old[256];
  size_t count;
  crd__calibrator_map maps[COPIES_MAX];
  const model *of[COPIES_MAX];
} session;

static void put_file(const session *s, size_t copy, const char *extension, const void *bytes,
                     size_t count) {
  char path[400];
  snprintf(path, sizeof path, "%s/%03zu.%s", s->folder, copy, extension);
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  fclose(file);
}

/* Fitted on random rows: the meaning of the scores does not matter here. */
static crd_calibrator *fit(crd_context *ctx, size_t method, crd_input input) {
  test_data data = make_data((test_recipe){ 60, CLASSES, 4, 1, .7, 0, false, false });
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data.scores, CRD_F64, data.rows, data.classes),
    .labels = crd_array_matrix(data.labels, CRD_I64, data.rows, 1),
    .input = input,
  };
  crd_predictions *p = NULL;
  crd_calibrator *c = NULL;
  for (size_t i = 0; input == CRD_INPUT_PROBABILITIES && i < data.rows; i++) {
    double *const row = data.scores + i * CLASSES, sum = 0;
    for (size_t k = 0; k < CLASSES; k++) sum += row[k] = exp(row[k]);
    for (size_t k = 0; k < CLASSES; k++) row[k] /= sum;
  }
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK ||
      crd_calibrator_fit(ctx, crd_method_at(method)->name, NULL, p, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  free_data(&data);
  return c;
}

/* Copies the model with its operator set, whose number is the last byte of these files. */
static const char *get_model(const session *s, const model *m) {
  crd__blob blob;
  if (!m->opset) return m->path;
  assert_int_equal(crd__blob_open(s->ctx, m->path, &blob), CRD_OK);
  FILE *const file = fopen(s->old, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(blob.bytes, 1, blob.length - 1, file), blob.length - 1);
  assert_int_equal(fputc(m->opset, file), m->opset);
  fclose(file);
  crd__blob_close(&s->ctx->alloc, &blob);
  return s->old;
}

/* Returns whether the model has all operators; if not, its operator set is named. */
static bool takes(const session *s, const crd_calibrator *c, const crd__calibrator_map *map,
                  const model *m) {
  crd_output *output = NULL;
  if (!m->opset || m->opset >= crd__export_onnx_opset(map)) return true;
  assert_int_equal(crd_output_open(s->ctx, "/dev/null", &output), CRD_OK);
  assert_int_equal(crd_calibrator_export_into(s->ctx, c, get_model(s, m), m->value, output),
                   CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(s->ctx), "the model has operator set 7; the nodes to "
                                                      "be added exist in operator sets 9 to 26"));
  crd_output_discard(output);
  return false;
}

static void prepare(session *s, size_t method, const model *m) {
  const double rows[ROWS * INPUTS] = { .5, -1, 2, 1, -.25, .125, -3, 2, 1.5, 1.5 };
  const size_t at = s->count;
  char path[400], dims[64];
  crd_output *output = NULL;
  assert_true(at < COPIES_MAX);
  crd_calibrator *const c = fit(s->ctx, method, m->input);
  snprintf(path, sizeof path, "%s/%03zu.onnx", s->folder, at);
  assert_int_equal(crd__calibrator_map_make(s->ctx, c, &s->maps[at]), CRD_OK);
  if (!takes(s, c, &s->maps[at], m)) {
    crd__calibrator_map_clear(&s->maps[at]);
    crd_calibrator_destroy(c);
    return;
  }
  s->count++;
  assert_int_equal(crd_output_open(s->ctx, path, &output), CRD_OK);
  if (crd_calibrator_export_into(s->ctx, c, get_model(s, m), m->value, output) != CRD_OK)
    fail_msg("%s", crd_context_message(s->ctx));
  assert_int_equal(crd_output_commit(s->ctx, output), CRD_OK);
  snprintf(dims, sizeof dims, "%d %zu\n", INPUTS, m->width + CLASSES + 1);
  put_file(s, at, "dims", dims, strlen(dims));
  put_file(s, at, "in", rows, sizeof rows);
  s->of[at] = m;
  crd_calibrator_destroy(c);
}

static void compare(const session *s, size_t at) {
  const size_t width = s->of[at]->width + CLASSES + 1;
  double found[ROWS * 16], expected[CLASSES];
  char path[400];
  snprintf(path, sizeof path, "%s/%03zu.out", s->folder, at);
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(found, sizeof *found, ROWS * 16, file), ROWS * width);
  fclose(file);
  for (size_t i = 0; i < ROWS; i++) {
    const double *const row = found + i * width, *const new = row + s->of[at]->width;
    const size_t top = ref_map(&s->maps[at], row + s->of[at]->scores, expected);
    for (size_t k = 0; k < CLASSES; k++)
      if (!(fabs(new[k] - expected[k]) < 1e-6))
        fail_msg("copy %zu, row %zu, class %zu is %.17g, expected %.17g", at, i, k, new[k],
                 expected[k]);
    assert_true(new[CLASSES] == (double)top);
  }
}

/* The model's bytes before its graph's length and after its graph are in the copy. */
static void check_bytes(const session *s, size_t at) {
  char path[400];
  crd__blob old, new;
  snprintf(path, sizeof path, "%s/%03zu.onnx", s->folder, at);
  assert_int_equal(crd__blob_open(s->ctx, get_model(s, s->of[at]), &old), CRD_OK);
  assert_int_equal(crd__blob_open(s->ctx, path, &new), CRD_OK);
  const size_t tail = 6; /* the operator set's message, after the graph */
  const unsigned char *const graph = memchr(old.bytes, 0x3a, old.length);
  assert_memory_equal(old.bytes, new.bytes, (size_t)(graph - old.bytes) + 1);
  assert_memory_equal(old.bytes + old.length - tail, new.bytes + new.length - tail, tail);
  assert_true(new.length > old.length);
  crd__blob_close(&s->ctx->alloc, &old);
  crd__blob_close(&s->ctx->alloc, &new);
}

static void every_method_goes_into_models(void **state) {
  session s = { .ctx = *state };
  char command[700], copy[300];
  temporary_path(s.folder, "into");
  temporary_path(s.old, "old.onnx");
  snprintf(command, sizeof command, "rm -rf %s && mkdir -p %s", s.folder, s.folder);
  assert_int_equal(system(command), 0);
  for (size_t method = 0; method < crd_method_count(); method++)
    for (size_t i = 0; i < MODELS; i++) /* models have no features as output */
      if (!crd_method_at(method)->needs_features) prepare(&s, method, &models[i]);
  /* Insert into a copy again: the names of the first insertion are taken. */
  snprintf(copy, sizeof copy, "%s/001.onnx", s.folder);
  const model again = { copy, "scores", CRD_INPUT_LOGITS, 0, models[1].width + CLASSES + 1, 0 };
  prepare(&s, 0, &again);
  snprintf(command, sizeof command, "%s/tests/export/run onnx %s", CREDENCE_SOURCE, s.folder);
  const int status = system(command); /* prints its own reason if skipped */
  assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == SKIPPED));
  for (size_t i = 0; i < s.count; i++) {
    if (WEXITSTATUS(status) == 0) compare(&s, i);
    check_bytes(&s, i);
    crd__calibrator_map_clear(&s.maps[i]);
  }
  snprintf(command, sizeof command, "rm -rf %s %s", s.folder, s.old);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(every_method_goes_into_models) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
