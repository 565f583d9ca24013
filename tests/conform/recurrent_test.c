/* recurrent_test.c -- recurrent layers in networks: outputs that are left out, lengths that a run
 * gives, and the same bits for every number of threads. */
#include "credence/network.h"

#include "modelkit/modelkit.h"
#include "support.h"

#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS "f32 4x9x3; f32 2x20x3; f32 2x20x5; f32 2x40; i32 9 = 4 3 0 1 2 4 4 1 3"
static const net_words words = { "LSTM", 14, INPUTS, "direction=bidirectional", 3 };

/* A network of the node alone, trained or not, and the bytes of its inputs. */
typedef struct {
  crd_context *ctx;
  net_task task;
  crd_model *model;
  crd_network *network;
  crd_array inputs[NET_INPUTS_MAX];
  void *bytes[NET_INPUTS_MAX];
  size_t count;
} trial;

/* Leave out the first `unnamed` outputs, and those from `outputs` on; `first` becomes the first of
 * the network. */
static void open_trial(crd_context *ctx, crd_mode mode, size_t unnamed, size_t outputs,
                       size_t first, trial *r) {
  const bool constant[NET_INPUTS_MAX] = { false };
  crd__text bytes;
  *r = (trial){ .ctx = ctx };
  net_task_open(&words, 1, &r->task);
  r->task.node.unnamed = unnamed;
  r->task.node.output_count = outputs;
  for (; r->count < r->task.node.input_count; r->count++) {
    r->bytes[r->count] = net_store(&r->task.inputs[r->count].tensor);
    r->inputs[r->count] = net_view(&r->task.inputs[r->count].tensor, r->bytes[r->count]);
  }
  crd__text_init(&bytes, &ctx->alloc);
  net_model(&r->task.node, constant, first, &bytes);
  if (crd_model_open_memory(ctx, "node.onnx", bytes.bytes, bytes.length, &r->model) != CRD_OK ||
      crd_network_compile(
          ctx, r->model,
          &(crd_compile_options){ .size = sizeof(crd_compile_options), .mode = mode },
          &r->network) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd__text_clear(&bytes);
}

static void close_trial(trial *r) {
  crd_network_destroy(r->network);
  crd_model_destroy(r->model);
  for (size_t i = 0; i < r->count; i++) free(r->bytes[i]);
  net_task_close(&r->task);
}

/* Run both passes; the gradient with respect to the first output is 1 everywhere. Returns all
 * gradients with respect to float32 inputs, one after the other. */
static float *differentiate(trial *r, size_t *count) {
  assert_int_equal(crd_network_run(r->ctx, r->network, r->inputs, r->count), CRD_OK);
  crd_array dy = *crd_network_output(r->network, 0);
  float *const ones = calloc(crd_array_count(&dy), sizeof *ones);
  for (size_t i = 0; i < crd_array_count(&dy); i++) ones[i] = 1;
  dy.data = ones;
  if (crd_network_backward(r->ctx, r->network, &dy) != CRD_OK)
    fail_msg("%s", crd_context_message(r->ctx));
  free(ones);
  float *all = NULL;
  *count = 0;
  for (size_t i = 0; i < r->count; i++) {
    const crd_array *const g = crd_network_input_gradient(r->network, i);
    if (!g) continue;
    all = realloc(all, (*count + crd_array_count(g)) * sizeof *all);
    memcpy(all + *count, g->data, crd_array_count(g) * sizeof *all);
    *count += crd_array_count(g);
  }
  return all;
}

/* All runs of outputs: Y alone, Y and Y_h, Y_h alone, ... */
static void outputs_may_be_left_out(void **state) {
  for (size_t from = 0; from < 3; from++)
    for (size_t to = from + 1; to <= 3; to++) {
      trial r, whole;
      char why[200] = "";
      size_t count[2];
      open_trial(*state, CRD_MODE_INFERENCE, from, to, from, &r);
      assert_int_equal(crd_network_run(*state, r.network, r.inputs, r.count), CRD_OK);
      for (size_t i = from; i < to; i++)
        if (!net_agrees(&r.task.node.outputs[i], crd_network_output(r.network, i - from), why))
          fail_msg("output %zu of %zu to %zu: %s", i, from, to, why);
      close_trial(&r);
      open_trial(*state, CRD_MODE_INPUT_GRADIENT, from, to, from, &r);
      open_trial(*state, CRD_MODE_INPUT_GRADIENT, 0, 3, from, &whole);
      float *const some = differentiate(&r, &count[0]), *const all =
                                                            differentiate(&whole, &count[1]);
      assert_int_equal(count[0], count[1]);
      assert_memory_equal(some, all, count[0] * sizeof *some);
      free(some);
      free(all);
      close_trial(&r);
      close_trial(&whole);
    }
}

static void lengths_are_checked(void **state) {
  static const int32_t wrong[] = { -1, 5 };
  trial r;
  open_trial(*state, CRD_MODE_INFERENCE, 0, 3, 0, &r);
  int32_t *const lengths = r.bytes[4];
  for (size_t i = 0; i < 2; i++) {
    char text[100];
    lengths[7] = wrong[i];
    assert_int_equal(crd_network_run(*state, r.network, r.inputs, r.count), CRD_EINPUT);
    snprintf(text, sizeof text, "(LSTM): the length of sequence 7 is %d; 0 to 4 are allowed",
             (int)wrong[i]);
    assert_non_null(strstr(crd_context_message(*state), text));
  }
  lengths[7] = 4;
  assert_int_equal(crd_network_run(*state, r.network, r.inputs, r.count), CRD_OK);
  close_trial(&r);
}

static void threads_do_not_matter(void **state) {
  float *first = NULL;
  size_t count = 0;
  for (unsigned threads = 1; threads <= 4; threads++) {
    trial r;
    size_t now;
    crd_context_set_threads(*state, threads);
    open_trial(*state, CRD_MODE_INPUT_GRADIENT, 0, 3, 0, &r);
    float *const gradient = differentiate(&r, &now);
    if (first) assert_memory_equal(gradient, first, count * sizeof *first);
    free(first);
    first = gradient;
    count = now;
    close_trial(&r);
  }
  assert_true(count > 0);
  free(first);
  crd_context_set_threads(*state, 0);
}

/* A learned initial state is a parameter, one of zeros is the default. */
static void zero_states_are_not_trained(void **state) {
  static const struct {
    const char *inputs;
    size_t parameters;
  } nodes[] = { { "f32 3x1x2; $ f32 1x8x2; $ f32 1x8x2; -; -; $ f32 1x1x2 = 0 0.5; "
                  "$ f32 1x1x2 = 1 0",
                  4 },
                { "f32 3x1x2; $ f32 1x8x2; $ f32 1x8x2; -; -; $ f32 1x1x2 = 0 0; "
                  "$ f32 1x1x2 = 1 0",
                  3 },
                { "f32 3x1x2; $ f32 1x8x2; $ f32 1x8x2; -; -; $ f32 1x1x2 = 0 0; "
                  "$ f32 1x1x2 = 0 0",
                  2 } };
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
    const net_words node = { "LSTM", 14, nodes[i].inputs, "", 1 };
    crd__text bytes;
    crd_model *model;
    crd_network *network;
    size_t count = 0;
    crd__text_init(&bytes, &((crd_context *)*state)->alloc);
    net_model_of(&node, 1, false, &bytes);
    assert_int_equal(crd_model_open_memory(*state, "node.onnx", bytes.bytes, bytes.length, &model),
                     CRD_OK);
    assert_int_equal(
        crd_network_compile(*state, model,
                            &(crd_compile_options){ .size = sizeof(crd_compile_options),
                                                    .mode = CRD_MODE_TRAINING },
                            &network),
        CRD_OK);
    while (crd_network_parameter(network, count)) count++;
    assert_int_equal(count, nodes[i].parameters);
    crd_network_destroy(network);
    crd_model_destroy(model);
    crd__text_clear(&bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(outputs_may_be_left_out),
    cmocka_unit_test(lengths_are_checked),
    cmocka_unit_test(threads_do_not_matter),
    cmocka_unit_test(zero_states_are_not_trained),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
