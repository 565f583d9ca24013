/*
 * training_test.c -- a trainer created, stepped, saved and loaded while every allocation fails
 * once.
 *
 * The threads of loaders allocate too, at moments that vary: which allocation fails may differ from
 * run to run, what must hold does not.
 */
#include "sweep.h"

#include "onnx/graph.h"
#include "train/trainer.h"

#include <stdlib.h>

enum { ROWS = 6, INPUTS = 2, CLASSES = 2 };

static char model_bytes[1 << 12];
static size_t model_length;
static char path[256];

/* logits = x W */
static int make_model(void **state) {
  static const int64_t in[] = { -1, INPUTS }, out[] = { -1, CLASSES }, dims[] = { INPUTS, CLASSES };
  static const float weights[] = { 1, -1, 0.5, 2 };
  crd_context *const ctx = test_context();
  crd__onnx_graph g;
  crd__text bytes;
  (void)state;
  crd__onnx_graph_init(&g, &ctx->alloc);
  const crd__onnx_graph_value x = crd__onnx_graph_input_of(&g, "x", CRD__ONNX_FLOAT, in, 2);
  const crd__onnx_graph_value w = crd__onnx_graph_floats(&g, "w", weights, dims, 2);
  const crd__onnx_graph_value y = crd__onnx_graph_node_as(
      &g, "logits", "MatMul", (const crd__onnx_graph_value[]){ x, w }, 2, NULL);
  crd__onnx_graph_output_of(&g, y, CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  assert_int_equal(crd__onnx_graph_finish(ctx, &g, "linear", "", &bytes), CRD_OK);
  assert_true(bytes.length < sizeof model_bytes);
  memcpy(model_bytes, bytes.bytes, bytes.length);
  model_length = bytes.length;
  crd__text_clear(&bytes);
  crd__onnx_graph_clear(&g);
  crd_context_destroy(ctx);
  temporary_path(path, "training.checkpoint");
  return 0;
}

static int remove_file(void **state) {
  (void)state;
  unlink(path);
  return 0;
}

/* What a run needs, and what it leaves. */
typedef struct {
  crd_model *model;
  crd_dataset *data;
  crd_encoding *encoding;
  crd_trainer *trainer;
} school;

static crd_status prepare(crd_context *ctx, const crd_train_options *options, school *s) {
  static const float inputs[ROWS * INPUTS] = { 1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1 };
  static const int64_t labels[ROWS] = { 0, 1, 0, 1, 1, 0 };
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, INPUTS),
                                      .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1) };
  crd_train_options o = *options;
  CRD_TRY(crd_model_open_memory(ctx, "m.onnx", model_bytes, model_length, &s->model));
  CRD_TRY(crd_dataset_create(ctx, &arrays, &s->data));
  CRD_TRY(crd_encoding_learn(ctx, s->data, NULL, &s->encoding));
  const crd_monitor monitor = { .name = "same", .data = s->data };
  o.monitors = &monitor;
  o.monitor_count = o.best ? 1 : 0;
  const crd_status status =
      crd_trainer_create(ctx, s->model, s->data, s->encoding, &o, &s->trainer);
  assert_true((status == CRD_OK) == (s->trainer != NULL));
  return status;
}

static void clear(school *s) {
  crd_trainer_destroy(s->trainer);
  crd_encoding_destroy(s->encoding);
  crd_dataset_destroy(s->data);
  crd_model_destroy(s->model);
}

static crd_status take_epoch(crd_context *ctx, const school *s) {
  crd_epoch epoch;
  crd_model *model;
  int done;
  CRD_TRY(crd_trainer_epoch(ctx, s->trainer, &epoch, &done));
  const crd_status status = crd_trainer_model(ctx, s->trainer, &model);
  assert_true((status == CRD_OK) == (model != NULL));
  crd_model_destroy(model);
  return status;
}

static crd_status create_and_step(crd_context *ctx, const void *what) {
  school s = { 0 };
  crd_status status = prepare(ctx, what, &s);
  if (status == CRD_OK) status = crd__train_step(ctx, s.trainer);
  clear(&s);
  return status;
}

static crd_status whole_epoch(crd_context *ctx, const void *what) {
  school s = { 0 };
  crd_status status = prepare(ctx, what, &s);
  if (status == CRD_OK) status = take_epoch(ctx, &s);
  clear(&s);
  return status;
}

static crd_status save_and_load(crd_context *ctx, const void *what) {
  school s = { 0 };
  crd_status status = prepare(ctx, what, &s);
  if (status == CRD_OK) status = crd_trainer_save(ctx, s.trainer, path);
  if (status == CRD_OK) status = crd_trainer_load(ctx, s.trainer, path);
  clear(&s);
  return status;
}

static void creation_and_a_step(void **state) {
  static const crd_train_options plain = { .size = sizeof plain, .epochs = 1, .batch = 2 };
  static const crd_train_options rich = { .size = sizeof rich,
                                          .epochs = 1,
                                          .batch = 4,
                                          .keep_last = 1,
                                          .mixup = 0.5,
                                          .loss = "ce + crl",
                                          .evaluate_train = 1 };
  (void)state;
  sweep(create_and_step, &plain, "a step");
  sweep(create_and_step, &rich, "a step with everything");
}

static void an_epoch_with_its_evaluation(void **state) {
  static const crd_train_options options = {
    .size = sizeof options, .epochs = 1, .batch = 3, .best = "aurc"
  };
  (void)state;
  sweep(whole_epoch, &options, "an epoch");
}

static void checkpoints(void **state) {
  static const crd_train_options options = { .size = sizeof options, .epochs = 1, .batch = 3 };
  (void)state;
  sweep(save_and_load, &options, "a checkpoint");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(creation_and_a_step),
    cmocka_unit_test(an_epoch_with_its_evaluation),
    cmocka_unit_test(checkpoints),
  };
  return cmocka_run_group_tests(tests, make_model, remove_file);
}
