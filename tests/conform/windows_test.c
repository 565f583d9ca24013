/*
 * windows_test.c -- the number of window positions of a pool, against counting them.
 *
 * A window is placed at each multiple of the stride where all of it is within input and padding.
 * With ceil_mode one more may extend past the end, if it begins before the padding there. Tests
 * every small input, window, stride, dilation and padding.
 */
#include "modelkit/modelkit.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  int in, kernel, stride, dilation, begin, end, ceil;
} window;

static int count(const window *w) {
  const int reach = (w->kernel - 1) * w->dilation + 1, padded = w->begin + w->in + w->end;
  int positions = 0, at = 0;
  for (; at + reach <= padded; at += w->stride) positions++;
  const bool covered = at - w->stride + reach == padded;
  return positions + (w->ceil && !covered && at < w->begin + w->in);
}

/* Returns -1 if the node cannot be compiled. */
static int64_t ask(crd_context *ctx, const char *op, const window *w) {
  char inputs[40], attributes[200];
  crd__text bytes;
  crd_model *model = NULL;
  crd_network *network = NULL;
  int64_t found = -1;
  snprintf(inputs, sizeof inputs, "f32 1x2x%d", w->in);
  snprintf(attributes, sizeof attributes,
           "kernel_shape=[%d] strides=[%d] dilations=[%d] pads=[%d,%d] ceil_mode=%d", w->kernel,
           w->stride, w->dilation, w->begin, w->end, w->ceil);
  crd__text_init(&bytes, &ctx->alloc);
  net_model_of(&(net_words){ op, 19, inputs, attributes, 1 }, 1, false, &bytes);
  if (crd_model_open_memory(ctx, "pool.onnx", bytes.bytes, bytes.length, &model) == CRD_OK &&
      crd_network_compile(ctx, model, NULL, &network) == CRD_OK)
    found = crd_network_output(network, 0)->dims[2];
  crd_network_destroy(network);
  crd_model_destroy(model);
  crd__text_clear(&bytes);
  return found;
}

static size_t check(crd_context *ctx, const char *op, const window *w) {
  const int64_t found = ask(ctx, op, w);
  if (found == count(w)) return 0;
  print_error("%s: window of %d over %d, stride %d, dilation %d, padding %d and %d%s: %lld "
              "positions, expected %d: %s\n",
              op, w->kernel, w->in, w->stride, w->dilation, w->begin, w->end,
              w->ceil ? ", ceil_mode" : "", (long long)found, count(w), crd_context_message(ctx));
  return 1;
}

static void positions_are_counted(void **state) {
  size_t wrong = 0, asked = 0, edges = 0;
  if (!crd_operator_at(0)) {
    cannot_test_networks("windows");
    return;
  }
  for (int number = 0; number < 7 * 3 * 4 * 2 * 3 * 3 * 2; number++) {
    int rest = number;
    window w = { .in = 1 + rest % 7 };
    w.kernel = 1 + (rest /= 7) % 3;
    w.stride = 1 + (rest /= 3) % 4;
    w.dilation = 1 + (rest /= 4) % 2;
    w.begin = (rest /= 2) % 3;
    w.end = (rest /= 3) % 3;
    w.ceil = rest / 3 % 2;
    if (w.begin >= w.kernel || w.end >= w.kernel || count(&w) < 1 ||
        (w.kernel - 1) * w.dilation + 1 > w.begin + w.in + w.end)
      continue;
    asked++;
    edges += w.ceil && (count(&w) * w.stride == w.begin + w.in);
    wrong += check(*state, "MaxPool", &w) + check(*state, "AveragePool", &w);
  }
  assert_int_equal(wrong, 0);
  assert_true(asked > 500 && edges > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(positions_are_counted) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
