/*
 * onnx_testdata_test.c -- networks against all the test data that ONNX publishes.
 *
 * Skipped cases are listed in onnx_testdata_left_out.txt with a reason, which may only be an
 * unsupported operator or type, or that other runtimes dispute them. A case that fails and is not
 * listed fails the test, and so does a listed case that passes or does not exist: a new skip shows
 * in a diff.
 *
 * Data of another version (CREDENCE_ONNX_TESTDATA; tests/long/onnx-data) has no list: there the
 * error message must give one of these reasons, an operator set beyond the newest, or training.
 */
#include "modelkit/testdata.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT_OUT_MAX = 2000, WHY = TESTDATA_WHY };

typedef struct {
  size_t count;
  struct {
    char line[300]; /* the name; after its NUL, the reason */
    bool seen;
  } rows[LEFT_OUT_MAX];
} left_out;

static void read_left_out(left_out *list) {
  FILE *const file = fopen(CREDENCE_SOURCE "/tests/conform/onnx_testdata_left_out.txt", "r");
  assert_non_null(file);
  for (list->count = 0; fgets(list->rows[list->count].line, sizeof list->rows->line, file);) {
    char *const line = list->rows[list->count].line, *const colon = strchr(line, ':');
    if (*line == '#') continue;
    if (!colon || (strncmp(colon, ": operator ", 11) != 0 && strncmp(colon, ": type ", 7) != 0 &&
                   strncmp(colon, ": disputed, ", 12) != 0))
      fail_msg("no reason: %s", line);
    *colon = 0;
    list->rows[list->count++].seen = false;
    assert_true(list->count < LEFT_OUT_MAX);
  }
  fclose(file);
}

static bool is_left_out(left_out *list, const char *name) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->rows[i].line, name) != 0) continue;
    list->rows[i].seen = true;
    return true;
  }
  return false;
}

/* Returns whether the tensor may hold a shape, axes or an option of a node; with `wide`, also
 * several factors. */
static bool may_shape(const ref_tensor *t, bool wide) {
  return t->rank == 0 || (t->rank == 1 && (wide || !ref_is_float(t->dtype)));
}

/* Which inputs are bound. */
typedef enum { NONE, SHAPES, FACTORS, BINDINGS } binding;

typedef struct {
  size_t given_count;
  crd_array all[TESTDATA_TENSORS_MAX], given[TESTDATA_TENSORS_MAX];
  void *bytes[TESTDATA_TENSORS_MAX];
} feed;

static feed open_feed(const testdata *data, binding bind) {
  feed f = { 0 };
  for (size_t i = 0; i < data->input_count; i++) {
    const ref_tensor *const t = &data->inputs[i];
    crd_array *const whole = &f.all[i];
    f.bytes[i] = net_store(t);
    *whole = (crd_array){ .data = f.bytes[i], .dtype = t->dtype, .rank = t->rank };
    memcpy(whole->dims, t->dims, sizeof whole->dims);
    if (bind && may_shape(t, bind == FACTORS)) continue;
    f.given[f.given_count++] = *whole;
    whole->data = NULL;
  }
  return f;
}

static void close_feed(feed *f, size_t count) {
  for (size_t i = 0; i < count; i++) free(f->bytes[i]);
}

static bool outputs_agree(const testdata *data, const crd_network *network, char why[WHY]) {
  for (size_t i = 0; i < data->output_count; i++) {
    const crd_array *const y = crd_network_output(network, i);
    if (!y) {
      snprintf(why, WHY, "there is no output %zu", i);
      return false;
    }
    ref_tensor got = net_load(y->dtype, y->rank, y->dims, y->data);
    const bool fine = testdata_agrees(&data->outputs[i], &got, why);
    free(got.values);
    if (!fine) return false;
  }
  return true;
}

/* Compiles with no input bound; where that fails, with inputs that hold shapes or factors
 * bound. */
static bool runs(crd_context *ctx, const crd_model *model, const testdata *data, char why[WHY]) {
  bool compiled = false, fine = false;
  for (binding bind = NONE; !compiled && bind < BINDINGS; bind++) {
    feed f = open_feed(data, bind);
    const crd_compile_options options = { .size = sizeof options,
                                          .inputs = f.all,
                                          .input_count = data->input_count };
    crd_network *network = NULL;
    compiled = crd_network_compile(ctx, model, &options, &network) == CRD_OK;
    fine = compiled && crd_network_run(ctx, network, f.given, f.given_count) == CRD_OK;
    if (!fine) snprintf(why, WHY, "%s", crd_context_message(ctx));
    fine = fine && outputs_agree(data, network, why);
    crd_network_destroy(network);
    close_feed(&f, data->input_count);
  }
  return fine;
}

static bool passes(crd_context *ctx, const char *name, char why[WHY]) {
  testdata data;
  crd_model *model = NULL;
  if (!testdata_open(ctx, name, &data, why)) return false;
  bool fine = crd_model_open(ctx, data.model, &model) == CRD_OK;
  if (!fine) snprintf(why, WHY, "%s", crd_context_message(ctx));
  fine = fine && runs(ctx, model, &data, why);
  crd_model_destroy(model);
  testdata_close(&data);
  return fine;
}

/* Returns whether the error message gives a reason to skip a case. */
static bool may_skip(const char *why) {
  static const char *const reasons[] = { "elements of ONNX's type ", "the model uses operator set ",
                                         "the model was exported for training" };
  const char *const found = strstr(why, "the operator ");
  char name[64];
  if (found && sscanf(found, "the operator %63s", name) == 1) {
    for (size_t i = 0; crd_operator_at(i); i++)
      if (strcmp(crd_operator_at(i)->name, name) == 0) return false;
    return true;
  }
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (strstr(why, reasons[i])) return true;
  return false;
}

/* Runs one case; returns whether its outcome is the expected one. */
static bool check_case(crd_context *ctx, left_out *list, const char *name, size_t *passed) {
  char why[WHY] = "";
  const bool fine = passes(ctx, name, why), listed = getenv("CREDENCE_ONNX_TESTDATA") == NULL;
  const bool left = listed ? is_left_out(list, name) : !fine && may_skip(why);
  *passed += fine;
  if (fine == left) print_error("%s: %s\n", name, fine ? "passes, but is listed as skipped" : why);
  return fine != left;
}

static void cases_pass(void **state) {
  static left_out list;
  if (!crd_operator_at(0)) {
    cannot_test_networks("onnx testdata");
    return;
  }
  if (!testdata_root()) {
    cannot_test("onnx testdata", "missing (Debian: libonnx-testdata)");
    return;
  }
  char **names;
  const size_t count = testdata_names(&names);
  size_t passed = 0, wrong = 0;
  if (!getenv("CREDENCE_ONNX_TESTDATA")) read_left_out(&list);
  for (size_t i = 0; i < count; i++) {
    wrong += !check_case(*state, &list, names[i], &passed);
    free(names[i]);
  }
  free(names);
  for (size_t i = 0; i < list.count; i++) {
    if (!list.rows[i].seen)
      print_error("%s: listed as skipped, but does not exist\n", list.rows[i].line);
    wrong += !list.rows[i].seen;
  }
  print_message("%zu of %zu pass\n", passed, count);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(cases_pass) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
