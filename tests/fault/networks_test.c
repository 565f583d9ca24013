/*
 * networks_test.c -- networks opened, surveyed, compiled and run while every allocation fails once.
 *
 * oneDNN's own allocations do not fail; its objects must nevertheless be destroyed, which the
 * sanitizers check.
 */
#include "sweep.h"

#include "base/context.h"
#include "modelkit/modelkit.h"

#include "conform/operator_cases.h"

#include <stdlib.h>

typedef struct {
  const void *bytes;
  size_t length;
} model_bytes;

/* Zeros of the shape and type of an input. */
static crd_array zeros(const crd_array *like) {
  crd_array tensor = *like;
  tensor.data = calloc(crd_array_count(like) + 1, crd_dtype_size(like->dtype));
  assert_non_null(tensor.data);
  return tensor;
}

static crd_status run(crd_context *ctx, crd_network *network) {
  crd_array inputs[NET_INPUTS_MAX];
  size_t count = 0;
  for (const crd_array *t; (t = crd_network_input(network, count));) inputs[count++] = zeros(t);
  const crd_status status = crd_network_run(ctx, network, inputs, count);
  for (size_t i = 0; i < count; i++) free((void *)(uintptr_t)inputs[i].data);
  return status;
}

static crd_status compile_and_run(crd_context *ctx, const crd_model *model) {
  crd_network *network;
  const crd_compile_options options = { .size = sizeof options, .batch = 2 };
  const crd_status status = crd_network_compile(ctx, model, &options, &network);
  assert_true((status == CRD_OK) == (network != NULL));
  CRD_TRY(status);
  const crd_status ran = run(ctx, network);
  crd_network_destroy(network);
  return ran;
}

static crd_status survey(crd_context *ctx, const crd_model *model) {
  const crd_compile_options options = { .size = sizeof options, .batch = 2 };
  const crd_survey *found;
  size_t batch;
  const crd_status status = crd_survey_make(ctx, model, NULL, &found);
  assert_true((status == CRD_OK) == (found != NULL));
  crd_survey_destroy(found);
  return status == CRD_OK ? crd_survey_batch(ctx, model, &options, 1000, &batch) : status;
}

static crd_status use(crd_context *ctx, const void *what,
                      crd_status (*with)(crd_context *ctx, const crd_model *model)) {
  const model_bytes *const m = what;
  crd_model *model;
  const crd_status opened = crd_model_open_memory(ctx, "m.onnx", m->bytes, m->length, &model);
  assert_true((opened == CRD_OK) == (model != NULL));
  CRD_TRY(opened);
  const crd_status status = with(ctx, model);
  crd_model_destroy(model);
  return status;
}

static crd_status open_and_run(crd_context *ctx, const void *what) {
  return use(ctx, what, compile_and_run);
}

static crd_status open_and_survey(crd_context *ctx, const void *what) {
  return use(ctx, what, survey);
}

/* ---- Every operator: its first case, run with inputs given, surveyed with inputs in the model. */

static bool is_first(size_t number) {
  size_t i = 0;
  while (strcmp(cases[i].op, cases[number].op) != 0) i++;
  return i == number;
}

static void every_operator(void **state) {
  if (!crd_operator_at(0)) {
    cannot_test_networks("operators");
    return;
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (!is_first(i)) continue;
    for (int all = 0; all < 2; all++) {
      crd__text model;
      crd__text_init(&model, &((const crd_context *)*state)->alloc);
      net_model_of(&cases[i], i, all, &model);
      const model_bytes m = { model.bytes, model.length };
      sweep(all ? open_and_survey : open_and_run, &m, cases[i].op);
      crd__text_clear(&model);
    }
  }
}

/* ---- Whole networks: fused nodes, other layouts, computed shapes. */

static void whole_networks(void **state) {
  static const char *const names[] = { "tangle-opset11", "text-opset17-dynamic" };
  static char bytes[1 << 16];
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names && crd_operator_at(0); i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/tests/networks/%s.onnx", CREDENCE_SOURCE, names[i]);
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const model_bytes m = { bytes, length };
    sweep(open_and_run, &m, names[i]);
    sweep(open_and_survey, &m, names[i]);
  }
}

/* A survey of unsupported nodes stores why. */
static void unsupported_nodes(void **state) {
  static char bytes[4096];
  (void)state;
  FILE *const file = fopen(CREDENCE_SOURCE "/tests/cli/data/strange.onnx", "rb");
  assert_non_null(file);
  const size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  const model_bytes m = { bytes, length };
  if (crd_operator_at(0)) sweep(open_and_survey, &m, "strange.onnx");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(unsupported_nodes),
    cmocka_unit_test(every_operator),
    cmocka_unit_test(whole_networks),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
