/*
 * clamped_test.c -- clamps in stored networks: the probabilities of the copy are
 * softmax(f(x + delta) / T) of the network itself.
 */
#include "clamp/stored_testing.h"

#include "base/random.h"
#include "modelkit/modelkit.h"

#include <math.h>

static const double temperature = 1.7;

/* Runs the part of a model that computes a value. The engine has no ArgMax, which `predicted` is.
 */
static crd_network *run_to(crd_context *ctx, const crd_model *model, const char *value,
                           const void *input, size_t rows) {
  const crd_compile_options options = { .size = sizeof options, .batch = rows };
  crd_model *part;
  crd_network *network;
  WORKS(ctx, crd_model_cut(ctx, model, value, CRD_PART_BEFORE, &part));
  WORKS(ctx, crd_network_compile(ctx, part, &options, &network));
  crd_array x = *crd_network_input(network, 0);
  x.data = input;
  WORKS(ctx, crd_network_run(ctx, network, &x, 1));
  crd_model_destroy(part);
  return network;
}

static double element(const crd_array *array, size_t i) {
  if (array->dtype == CRD_F64) return ((const double *)array->data)[i];
  assert_int_equal(array->dtype, CRD_F32);
  return ((const float *)array->data)[i];
}

static void compare(const crd_array *z, const crd_array *q) {
  const size_t rows = (size_t)z->dims[0], classes = (size_t)z->dims[1];
  assert_int_equal(crd_array_count(q), rows * classes);
  for (size_t r = 0; r < rows; r++) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) sum += exp(element(z, r * classes + k) / temperature);
    for (size_t k = 0; k < classes; k++) {
      const double expected = exp(element(z, r * classes + k) / temperature) / sum;
      assert_true(fabs(element(q, r * classes + k) - expected) < 1e-6);
    }
  }
}

static void check(crd_context *ctx, const char *name) {
  char stem[NET_STEM_MAX];
  crd_model *copy;
  snprintf(stem, sizeof stem, NET_FOLDER "/%s", name);
  crd_model *const model = net_open_stored(ctx, stem);
  crd_array_file *const file = net_beside(ctx, stem, ".x.npy");
  const crd_array *const x = crd_array_file_array(file);
  const crd_port *const out = crd_model_output(model, 0);
  const size_t all = crd_array_count(x), rows = (size_t)x->dims[0], count = all / rows;
  float *const delta = calloc(count + 1, sizeof *delta), *const moved = malloc(all * sizeof *moved);
  if (!delta || !moved || !count) fail_msg("no memory, or no input");
  for (size_t i = 0; i < count; i++) delta[i] = (float)(0.1 * crd__random_normal(9, 0, i));
  for (size_t i = 0; i < all; i++) moved[i] = ((const float *)x->data)[i] + delta[i % count];
  crd_clamp *const clamp =
      stored_clamp(ctx, (size_t)out->dims[1], temperature, x->rank, x->dims, delta);
  WORKS(ctx, crd_clamp_into(ctx, clamp, model, NULL, NULL, &copy));
  crd_network *const plain = run_to(ctx, model, out->name, moved, rows);
  crd_network *const clamped = run_to(ctx, copy, "probabilities", x->data, rows);
  compare(crd_network_output(plain, 0), crd_network_output(clamped, 0));
  crd_network_destroy(plain);
  crd_network_destroy(clamped);
  crd_model_destroy(copy);
  crd_clamp_destroy(clamp);
  crd_array_file_destroy(file);
  crd_model_destroy(model);
  free(delta);
  free(moved);
}

static void stored_networks(void **state) {
  static const char *const names[] = { "squeezenet-opset17", "mixer-opset17-dynamic",
                                       "resnet50-opset13-dynamic" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) check(*state, names[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(stored_networks) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
