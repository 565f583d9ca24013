/* check_test.c -- correct gradients pass, wrong gradients with respect to inputs and parameters are
 * found, and kinks are not mistaken for errors. */
#include "io/testing.h"

#include "network/network.h"

#include <math.h>

/* y = W2 f(W1 x + b), with gradients that can be made wrong on purpose. */
enum { IN = 12, MIDDLE = 40, OUT = 5 };
typedef struct {
  float w1[MIDDLE][IN], b[MIDDLE], w2[OUT][MIDDLE];
  float g1[MIDDLE][IN], gb[MIDDLE], g2[OUT][MIDDLE];
  float x[IN], before[MIDDLE], middle[MIDDLE], y[OUT], gx[IN];
  float statistic;                         /* changed by each run */
  bool relu, noisy, broken, peaks;         /* broken: an output is NaN */
  float wrong_input, wrong_bias, wrong_w1; /* factors of these gradients */
  int runs;
  crd_array input, output, gradient;
  crd_parameter parameters[4];
} layers;

/* As a batch norm of two values that differ by sin(10^4 x): almost a sign, but for narrow steps. */
static float norm(float x) {
  const float d = sinf(1e4f * x);
  return d / sqrtf(d * d + 1e-5f);
}

static float norm_slope(float x) {
  const float d = sinf(1e4f * x), square = d * d + 1e-5f;
  return 1e4f * cosf(1e4f * x) * 1e-5f / (square * sqrtf(square));
}

static crd_status run(crd_context *ctx, void *self, const crd_array *inputs, size_t count) {
  layers *const n = self;
  (void)ctx, (void)count;
  memcpy(n->x, inputs->data, sizeof n->x);
  n->runs++;
  n->statistic = 0.9f * n->statistic + 1;
  memset(n->y, 0, sizeof n->y);
  for (size_t j = 0; j < MIDDLE; j++) {
    n->before[j] = n->b[j];
    for (size_t i = 0; i < IN; i++) n->before[j] += n->w1[j][i] * n->x[i];
    n->middle[j] = n->relu ? fmaxf(0, n->before[j]) : tanhf(n->before[j]);
    if (n->peaks) n->middle[j] = norm(n->before[j]);
    for (size_t k = 0; k < OUT; k++) n->y[k] += n->w2[k][j] * n->middle[j];
  }
  if (n->noisy) n->y[0] += 0.001f * (float)n->runs;
  if (n->broken) n->y[0] = NAN;
  return CRD_OK;
}

static crd_status backward(crd_context *ctx, void *self, const crd_array *gradient) {
  layers *const n = self;
  const float *const gy = gradient->data;
  (void)ctx;
  memset(n->gx, 0, sizeof n->gx);
  for (size_t j = 0; j < MIDDLE; j++) {
    float g = 0;
    for (size_t k = 0; k < OUT; k++) {
      g += n->w2[k][j] * gy[k];
      n->g2[k][j] += n->middle[j] * gy[k];
    }
    if (n->peaks) g *= norm_slope(n->before[j]);
    else g *= n->relu ? (float)(n->before[j] > 0) : 1 - n->middle[j] * n->middle[j];
    n->gb[j] += n->wrong_bias * g;
    for (size_t i = 0; i < IN; i++) {
      n->g1[j][i] += n->wrong_w1 * g * n->x[i];
      n->gx[i] += n->wrong_input * g * n->w1[j][i];
    }
  }
  return CRD_OK;
}

static const crd_array *input(const void *self, size_t index) {
  return index ? NULL : &((const layers *)self)->input;
}

static const crd_array *output(const void *self, size_t index) {
  return index ? NULL : &((const layers *)self)->output;
}

static const char *input_name(const void *self, size_t index) {
  (void)self, (void)index;
  return "x";
}

static const crd_array *input_gradient(const void *self, size_t index) {
  return index ? NULL : &((const layers *)self)->gradient;
}

static const crd_parameter *parameter(const void *self, size_t index) {
  return index < 4 ? &((const layers *)self)->parameters[index] : NULL;
}

static void clear(void *self) {
  layers *const n = self;
  memset(n->g1, 0, sizeof n->g1);
  memset(n->gb, 0, sizeof n->gb);
  memset(n->g2, 0, sizeof n->g2);
}

static void destroy(void *self) { (void)self; }

static const crd__network_kind kind = { run,       backward,   input,
                                        output,    input_name, input_gradient,
                                        parameter, clear,      destroy };

static crd_network *make(crd_context *ctx, layers *n, bool relu) {
  crd_network *network;
  uint64_t at = 0;
  *n = (layers){ .relu = relu, .wrong_input = 1, .wrong_bias = 1, .wrong_w1 = 1 };
  for (size_t j = 0; j < MIDDLE; j++) {
    for (size_t i = 0; i < IN; i++) n->w1[j][i] = (float)sin((double)++at) * 0.4f;
    for (size_t k = 0; k < OUT; k++) n->w2[k][j] = (float)sin((double)++at) * 0.3f;
    n->b[j] = (float)sin((double)++at) * 0.1f;
  }
  n->input = n->gradient = (crd_array){ .dtype = CRD_F32, .rank = 1, .dims = { IN } };
  n->output = (crd_array){ .data = n->y, .dtype = CRD_F32, .rank = 1, .dims = { OUT } };
  n->gradient.data = n->gx;
  n->parameters[0] = (crd_parameter){
    "w1", { .dtype = CRD_F32, .rank = 2, .dims = { MIDDLE, IN } }, MIDDLE * IN, n->w1[0], n->g1[0]
  };
  n->parameters[1] = (crd_parameter){
    "b", { .dtype = CRD_F32, .rank = 1, .dims = { MIDDLE } }, MIDDLE, n->b, n->gb
  };
  n->parameters[2] = (crd_parameter){
    "mean", { .dtype = CRD_F32, .rank = 0, .dims = { 0 } }, 1, &n->statistic, NULL
  };
  n->parameters[3] = (crd_parameter){
    "w2", { .dtype = CRD_F32, .rank = 2, .dims = { OUT, MIDDLE } }, OUT * MIDDLE, n->w2[0], n->g2[0]
  };
  WORKS(ctx, crd__network_wrap(ctx, &kind, n, &network));
  return network;
}

/* Return the number of directions that fail; the verdict must fit. */
static size_t failed(crd_context *ctx, crd_network *network, crd_check_subject subject) {
  const crd_check_options options = { .size = sizeof options, .subject = subject };
  const crd_check *check;
  WORKS(ctx, crd_network_check(ctx, network, &options, &check));
  assert_int_equal(check->count, 20);
  size_t found = 0;
  for (size_t i = 0; i < check->count; i++) {
    const crd_check_direction *const d = &check->directions[i];
    found += d->error > 1e-2;
    assert_true(d->error <= check->directions[check->worst].error);
    assert_true(isfinite(d->backward) && isfinite(d->difference) && d->step > 0);
    assert_true(d->doubt < 2e-3);
  }
  assert_int_equal(found, check->failed);
  assert_int_equal(check->verdict, found ? CRD_CHECK_WRONG : CRD_CHECK_RIGHT);
  crd_check_destroy(check);
  return found;
}

static void right_gradients_pass(void **state) {
  for (int relu = 0; relu < 2; relu++) {
    layers n;
    crd_network *const network = make(*state, &n, relu);
    assert_int_equal(failed(*state, network, CRD_CHECK_INPUTS), 0);
    assert_int_equal(failed(*state, network, CRD_CHECK_PARAMETERS), 0);
    crd_network_destroy(network);
  }
}

/* An error of 4 % is seen along nearly every direction, in gradients of either kind. */
static void wrong_gradients_are_found(void **state) {
  for (int relu = 0; relu < 2; relu++) {
    layers n;
    crd_network *const network = make(*state, &n, relu);
    n.wrong_input = 1.04f;
    assert_true(failed(*state, network, CRD_CHECK_INPUTS) > 5);
    assert_int_equal(failed(*state, network, CRD_CHECK_PARAMETERS), 0);
    n.wrong_input = 0;
    assert_int_equal(failed(*state, network, CRD_CHECK_INPUTS), 20);
    n.wrong_input = -1000;
    assert_true(failed(*state, network, CRD_CHECK_INPUTS) > 15);
    n.wrong_input = 1;
    n.wrong_w1 = 1.1f;
    assert_true(failed(*state, network, CRD_CHECK_PARAMETERS) > 5);
    crd_network_destroy(network);
  }
}

/* The bias is small compared with the weights; an error of its gradient is still found, also if the
 * gradient is 0. */
static void wrong_gradients_of_small_tensors_are_found(void **state) {
  layers n;
  crd_network *const network = make(*state, &n, false);
  n.wrong_bias = 0;
  assert_true(failed(*state, network, CRD_CHECK_PARAMETERS) > 5);
  n.wrong_bias = -1;
  assert_true(failed(*state, network, CRD_CHECK_PARAMETERS) > 5);
  crd_network_destroy(network);
}

static void nothing_is_changed(void **state) {
  layers n, before;
  crd_network *const network = make(*state, &n, true);
  n.statistic = 3;
  before = n;
  failed(*state, network, CRD_CHECK_PARAMETERS);
  failed(*state, network, CRD_CHECK_INPUTS);
  assert_memory_equal(n.w1, before.w1, sizeof n.w1);
  assert_memory_equal(n.b, before.b, sizeof n.b);
  assert_memory_equal(n.w2, before.w2, sizeof n.w2);
  assert_true(n.statistic == 3);
  assert_memory_equal(n.g1, before.g1, sizeof n.g1);
  assert_memory_equal(n.gb, before.gb, sizeof n.gb);
  crd_network_destroy(network);
}

/* At 0 without biases every unit is at its kink, and every step crosses kinks; the gradient there
 * may be either of the one-sided ones. */
static void kinks_are_crossed(void **state) {
  layers n;
  float x[IN] = { 0 };
  const crd_array at = { .data = x, .dtype = CRD_F32, .rank = 1, .dims = { IN } };
  const crd_check_options options = { .size = sizeof options, .inputs = &at, .input_count = 1 };
  const crd_check *check;
  crd_network *const network = make(*state, &n, true);
  memset(n.b, 0, sizeof n.b);
  WORKS(*state, crd_network_check(*state, network, &options, &check));
  assert_true(check->crossed > 15);
  assert_int_equal(check->verdict, CRD_CHECK_RIGHT);
  crd_check_destroy(check);
  n.wrong_input = 1.1f;
  WORKS(*state, crd_network_check(*state, network, &options, &check));
  assert_int_equal(check->verdict, CRD_CHECK_WRONG);
  crd_check_destroy(check);
  /* One unit at its kink, the others not. */
  for (size_t i = 0; i < IN; i++) x[i] = (float)cos((double)i);
  n.b[0] = 0;
  n.wrong_input = 1;
  for (size_t i = 0; i < IN; i++) n.b[0] -= n.w1[0][i] * x[i];
  WORKS(*state, crd_network_check(*state, network, &options, &check));
  assert_in_range(check->crossed, 1, 19);
  assert_int_equal(check->failed, 0);
  crd_check_destroy(check);
  crd_network_destroy(network);
}

/* Steps in float32 are too coarse for this tolerance. */
static void inconclusive_checks_are_reported(void **state) {
  layers n;
  const crd_check *check;
  const crd_check_options options = { .size = sizeof options, .tolerance = 1e-9, .directions = 2 };
  crd_network *const network = make(*state, &n, true);
  WORKS(*state, crd_network_check(*state, network, &options, &check));
  assert_int_equal(check->verdict, CRD_CHECK_UNDECIDED);
  assert_true(check->count == 2 && check->unsure == 2 && check->failed == 0);
  assert_true(check->limit > 1e-9);
  crd_check_destroy(check);
  crd_network_destroy(network);
}

/* Derivatives with narrow peaks: neither right nor wrong gradients are decided, and early. */
static void narrow_peaks_are_given_up(void **state) {
  for (uint64_t seed = 0; seed < 5; seed++)
    for (int wrong = 0; wrong < 2; wrong++) {
      layers n;
      const crd_check *check;
      crd_network *const network = make(*state, &n, false);
      n.peaks = true;
      n.wrong_input = wrong ? 1.5f : 1;
      crd_context_set_seed(*state, seed);
      WORKS(*state, crd_network_check(*state, network, NULL, &check));
      assert_int_equal(check->verdict, CRD_CHECK_UNDECIDED);
      assert_true(check->failed == 0 && check->unsure == 20 && isinf(check->limit));
      assert_true(n.runs < 1600); /* of up to 2900 */
      crd_check_destroy(check);
      crd_network_destroy(network);
    }
}

static void the_seed_decides(void **state) {
  layers n;
  crd_network *const network = make(*state, &n, false);
  const crd_check *one, *two, *other;
  WORKS(*state, crd_network_check(*state, network, NULL, &one));
  WORKS(*state, crd_network_check(*state, network, NULL, &two));
  crd_context_set_seed(*state, 1);
  WORKS(*state, crd_network_check(*state, network, NULL, &other));
  assert_memory_equal(one->directions, two->directions, 20 * sizeof *one->directions);
  for (size_t i = 0; i < 20; i++)
    assert_true(one->directions[i].backward != other->directions[i].backward);
  crd_check_destroy(one);
  crd_check_destroy(two);
  crd_check_destroy(other);
  crd_network_destroy(network);
}

static void unsupported_networks_fail(void **state) {
  layers n;
  const crd_check *check = (crd_check *)state;
  crd_network *const network = make(*state, &n, false);
  const crd_array wrong = { .data = n.x, .dtype = CRD_F32, .rank = 1, .dims = { IN + 1 } };
  crd_check_options options = { .size = sizeof options, .tolerance = 2 };
  FAILS(*state, CRD_EUSAGE, crd_network_check(*state, network, &options, &check), "at most 1");
  assert_null(check);
  options =
      (crd_check_options){ .size = sizeof(crd_check_options), .inputs = &wrong, .input_count = 1 };
  FAILS(*state, CRD_EUSAGE, crd_network_check(*state, network, &options, &check),
        "the input 'x' must be f32 of 12, found f32 of 13");
  const crd_array spread = { n.x, CRD_F32, 1, { IN }, .strides = { 2 * sizeof(float) } };
  options.inputs = &spread;
  FAILS(*state, CRD_EUSAGE, crd_network_check(*state, network, &options, &check),
        "the input 'x' must be C-contiguous");
  n.noisy = true;
  FAILS(*state, CRD_EUSAGE, crd_network_check(*state, network, NULL, &check), "as with dropout");
  n.broken = true;
  FAILS(*state, CRD_ENUMERIC, crd_network_check(*state, network, NULL, &check),
        "output is not finite");
  n.noisy = n.broken = false;
  n.wrong_input = INFINITY;
  FAILS(*state, CRD_ENUMERIC, crd_network_check(*state, network, NULL, &check),
        "a gradient is not finite");
  for (size_t i = 0; i < 4; i++) n.parameters[i].gradient = NULL;
  options =
      (crd_check_options){ .size = sizeof(crd_check_options), .subject = CRD_CHECK_PARAMETERS };
  FAILS(*state, CRD_EUSAGE, crd_network_check(*state, network, &options, &check),
        "no gradients with respect to its parameters");
  crd_context_interrupt(*state);
  FAILS(*state, CRD_EINTERRUPTED, crd_network_check(*state, network, NULL, &check), "interrupted");
  crd_network_destroy(network);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(right_gradients_pass),
                                      TEST(wrong_gradients_are_found),
                                      TEST(wrong_gradients_of_small_tensors_are_found),
                                      TEST(nothing_is_changed),
                                      TEST(kinks_are_crossed),
                                      TEST(inconclusive_checks_are_reported),
                                      TEST(narrow_peaks_are_given_up),
                                      TEST(the_seed_decides),
                                      TEST(unsupported_networks_fail) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
