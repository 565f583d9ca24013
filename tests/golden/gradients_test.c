/*
 * gradients_test.c -- gradients of the networks in tests/networks against torch.autograd in float64
 * (tools/make-networks): of a frozen network with respect to its input, in training with respect to
 * its parameters too.
 *
 * tests/long/gradients runs this over another folder; then no gradient that a network can have may
 * be missing, and the error of each is printed. For every network: two runs give the same bits,
 * gradients with respect to parameters accumulate until they are cleared, the gradient of an input
 * that the batch shares is the sum over its rows, and no step allocates.
 */
#include "io/bundle.h"
#include "modelkit/modelkit.h"
#include "support.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000 };
/* Relative to the largest element of the same tensor; for sums in another order; and where the true
 * gradient is 0 (a bias before a normalization that subtracts the mean), relative to the largest of
 * all. */
static const double tolerance = 1e-3, sum_tolerance = 1e-5, rest_tolerance = 1e-5;
static const double logit_tolerance = 1e-4;

typedef struct {
  crd_context *ctx;
  const char *stem, *name;
  crd_model *model;
  crd_array_file *x_array, *cotangent_array;
  const crd_array *x, *cotangent;
} specimen;

static specimen open_specimen(crd_context *ctx, const char *stem) {
  specimen s = { .ctx = ctx, .stem = stem, .name = net_name(stem) };
  s.model = net_open_stored(ctx, stem);
  s.x_array = net_beside(ctx, stem, ".x.npy");
  s.cotangent_array = net_beside(ctx, stem, ".gradients.safetensors#cotangent");
  s.x = crd_array_file_array(s.x_array);
  s.cotangent = crd_array_file_array(s.cotangent_array);
  return s;
}

static void close_specimen(specimen *s) {
  crd_array_file_destroy(s->x_array);
  crd_array_file_destroy(s->cotangent_array);
  crd_model_destroy(s->model);
}

static void must(const specimen *s, crd_status status) {
  if (status != CRD_OK) fail_msg("%s: %s", s->name, crd_context_message(s->ctx));
}

static crd_network *compile(const specimen *s, crd_mode mode, int shared) {
  crd_network *network = NULL;
  const crd_compile_options options = {
    .size = sizeof options, .batch = (size_t)s->x->dims[0], .mode = mode, .shared_gradient = shared
  };
  must(s, crd_network_compile(s->ctx, s->model, &options, &network));
  return network;
}

static void step(const specimen *s, crd_network *network) {
  must(s, crd_network_run(s->ctx, network, s->x, 1));
  must(s, crd_network_backward(s->ctx, network, s->cotangent));
}

/* ---- The contents of the file. */

static const char prefix[] = "training.";

static crd__io_bundle *open_gradients(const specimen *s) {
  char path[NET_STEM_MAX + 32];
  crd__io_bundle *bundle = NULL;
  snprintf(path, sizeof path, "%s.gradients.safetensors", s->stem);
  must(s, crd__io_bundle_open(s->ctx, path, NULL, &bundle));
  return bundle;
}

static bool has(const specimen *s, const char *start) {
  crd__io_bundle *const bundle = open_gradients(s);
  bool any = false;
  for (size_t i = 0; i < bundle->count; i++)
    any = any || !strncmp(bundle->entries[i].name, start, strlen(start));
  crd__io_bundle_destroy(bundle);
  return any;
}

/* ---- Comparison. */

static double largest(const float *values, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs((double)values[i]));
  return most;
}

/* Returns the largest difference. */
static double compare(const specimen *s, const char *what, const float *ours, const float *theirs,
                      size_t count, double allowed) {
  size_t worst = 0;
  double most = -1;
  for (size_t i = 0; i < count; i++) {
    const double off = fabs((double)ours[i] - (double)theirs[i]);
    if (off <= most) continue; /* continues to the failure if NaN */
    most = isnan(off) ? INFINITY : off;
    worst = i;
  }
  if (most > allowed)
    fail_msg("%s, gradient with respect to %s: %.9g, not %.9g at %zu of %zu (allowed is a "
             "difference of %.2g)",
             s->name, what, (double)ours[worst], (double)theirs[worst], worst, count, allowed);
  return most;
}

static const crd_array *input_gradient(const specimen *s, const crd_network *network) {
  const crd_array *const g = crd_network_input_gradient(network, 0);
  if (!g || !g->data) fail_msg("%s has no gradient with respect to its input", s->name);
  assert_int_equal(g->dtype, CRD_F32);
  assert_int_equal(g->rank, s->x->rank);
  assert_null(crd_network_input_gradient(network, 1));
  return g;
}

static void same_shape(const crd_array *a, const crd_array *b) {
  assert_int_equal(a->rank, b->rank);
  for (size_t k = 0; k < a->rank; k++) assert_int_equal(a->dims[k], b->dims[k]);
}

static float *copy(const float *values, size_t count) {
  float *const out = malloc((count + 1) * sizeof *out);
  assert_non_null(out);
  memcpy(out, values, count * sizeof *out);
  return out;
}

/* ---- Frozen networks. */

static void check_shared(const specimen *s, const float *rows, size_t count) {
  crd_network *const network = compile(s, CRD_MODE_INPUT_GRADIENT, 1);
  const size_t batch = (size_t)s->x->dims[0], each = count / batch;
  float *const sum = calloc(each, sizeof *sum);
  assert_non_null(sum);
  for (size_t i = 0; i < each; i++) {
    double all = 0;
    for (size_t row = 0; row < batch; row++) all += (double)rows[row * each + i];
    sum[i] = (float)all;
  }
  step(s, network);
  const crd_array *const g = input_gradient(s, network);
  assert_int_equal(g->dims[0], 1);
  assert_int_equal(crd_array_count(g), each);
  compare(s, "the shared input", g->data, sum, each, sum_tolerance * largest(rows, count));
  crd_network_destroy(network);
  free(sum);
}

/* Compiling for a backward pass must not change the forward pass. */
static void check_logits(const specimen *s, const crd_network *network) {
  crd_array_file *const array = net_beside(s->ctx, s->stem, ".logits.npy");
  const crd_array *const theirs = crd_array_file_array(array);
  const size_t count = crd_array_count(theirs);
  compare(s, "(logits, not a gradient)", crd_network_output(network, 0)->data, theirs->data, count,
          logit_tolerance * largest(theirs->data, count));
  crd_array_file_destroy(array);
}

/* Returns the largest error relative to the largest element. */
static double check_frozen(const specimen *s) {
  crd_network *const network = compile(s, CRD_MODE_INPUT_GRADIENT, 0);
  crd_array_file *const array = net_beside(s->ctx, s->stem, ".gradients.safetensors#frozen.x");
  const crd_array *const theirs = crd_array_file_array(array);
  const size_t count = crd_array_count(theirs);
  step(s, network);
  check_logits(s, network);
  const crd_array *g = input_gradient(s, network);
  same_shape(g, s->x);
  const double most = largest(theirs->data, count);
  const double off = compare(s, "the input", g->data, theirs->data, count, tolerance * most);
  assert_null(crd_network_parameter(network, 0));
  float *const first = copy(g->data, count);
  step(s, network);
  g = input_gradient(s, network);
  if (memcmp(g->data, first, count * sizeof *first) != 0)
    fail_msg("%s: a second run gives other bits", s->name);
  check_shared(s, first, count);
  free(first);
  crd_array_file_destroy(array);
  crd_network_destroy(network);
  return off / most;
}

/* ---- Training. */

static size_t gradient_count(const crd_network *network) {
  const crd_parameter *p;
  size_t count = 0;
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++) count += p->gradient != NULL;
  return count;
}

static const crd_parameter *find_parameter(const specimen *s, const crd_network *network,
                                           const char *name) {
  const crd_parameter *p;
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++)
    if (!strcmp(p->name, name)) return p;
  fail_msg("%s has no parameter %s", s->name, name);
  return NULL;
}

/* Returns the largest error relative to the largest element; 0 if that is 0. */
static double compare_tensor(const specimen *s, const crd_network *network, const char *name,
                             const crd_array *theirs, double most) {
  const size_t count = crd_array_count(theirs);
  const double own = largest(theirs->data, count);
  const double allowed = own > 0 ? tolerance * own : rest_tolerance * most;
  if (!strcmp(name, "x"))
    return compare(s, "the input, in training", input_gradient(s, network)->data, theirs->data,
                   count, allowed) /
           own;
  const crd_parameter *const p = find_parameter(s, network, name);
  if (!p->gradient || p->count != count) fail_msg("%s: no gradient of %s", s->name, name);
  assert_int_equal(p->shape.rank, theirs->rank);
  for (size_t k = 0; k < p->shape.rank; k++) assert_int_equal(p->shape.dims[k], theirs->dims[k]);
  const double off = compare(s, name, p->gradient, theirs->data, count, allowed);
  return own > 0 ? off / own : 0;
}

/* Compares each array with ours; sets *worst to the largest error, returns the number of
 * parameters. */
static size_t compare_all(const specimen *s, const crd_network *network, double *worst) {
  crd__io_bundle *const bundle = open_gradients(s);
  size_t found = 0;
  double most = 0;
  *worst = 0;
  for (int compared = 0; compared < 2;
       compared++) /* the first pass finds the largest element of all */
    for (size_t i = 0; i < bundle->count; i++) {
      char ending[256];
      const char *const name = bundle->entries[i].name;
      if (strncmp(name, prefix, strlen(prefix)) != 0) continue;
      snprintf(ending, sizeof ending, ".gradients.safetensors#%s", name);
      crd_array_file *const array = net_beside(s->ctx, s->stem, ending);
      const crd_array *const theirs = crd_array_file_array(array);
      most = fmax(most, largest(theirs->data, crd_array_count(theirs)));
      if (compared)
        *worst = fmax(*worst, compare_tensor(s, network, name + strlen(prefix), theirs, most));
      found += compared && strcmp(name + strlen(prefix), "x") != 0;
      crd_array_file_destroy(array);
    }
  crd__io_bundle_destroy(bundle);
  return found;
}

/* Concatenates all gradients with respect to parameters. */
static float *collect(const crd_network *network, size_t *count) {
  const crd_parameter *p;
  float *all = NULL;
  *count = 0;
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++) {
    if (!p->gradient) continue;
    all = realloc(all, (*count + p->count) * sizeof *all);
    assert_non_null(all);
    memcpy(all + *count, p->gradient, p->count * sizeof *all);
    *count += p->count;
  }
  return all;
}

/* A second step doubles the gradients; after clearing, a step gives the bits of the first. */
static void check_sums(const specimen *s, crd_network *network) {
  size_t count, again;
  float *const once = collect(network, &count);
  step(s, network);
  float *const twice = collect(network, &again);
  for (size_t i = 0; i < count; i++) once[i] *= 2;
  compare(s, "all parameters, twice", twice, once, count, 0);
  for (size_t i = 0; i < count; i++) once[i] /= 2;
  crd_network_clear_gradients(network);
  free(twice);
  float *const none = collect(network, &again);
  assert_true(largest(none, count) == 0);
  step(s, network);
  float *const thrice = collect(network, &again);
  if (memcmp(once, thrice, count * sizeof *once) != 0)
    fail_msg("%s: after clearing, gradients are not the same bits", s->name);
  free(none);
  free(once);
  free(thrice);
}

/* Without normalization the mode does not matter: the gradient with respect to the input is that of
 * the frozen network. */
static double check_training(const specimen *s) {
  crd_network *const network = compile(s, CRD_MODE_TRAINING, 0);
  double worst;
  assert_non_null(crd_network_parameter(network, 0));
  step(s, network);
  assert_int_equal(compare_all(s, network, &worst), gradient_count(network));
  if (s->x->dtype != CRD_F32) assert_null(crd_network_input_gradient(network, 0));
  check_sums(s, network);
  crd_network_destroy(network);
  return worst;
}

static void check_no_input_gradient(const specimen *s) {
  crd_network *network = NULL;
  double worst;
  const crd_compile_options options = { .size = sizeof options,
                                        .batch = (size_t)s->x->dims[0],
                                        .mode = CRD_MODE_TRAINING,
                                        .parameters_only = 1 };
  must(s, crd_network_compile(s->ctx, s->model, &options, &network));
  step(s, network);
  assert_null(crd_network_input_gradient(network, 0));
  assert_int_equal(compare_all(s, network, &worst), gradient_count(network));
  crd_network_destroy(network);
}

static void check_network(const char *stem, bool all) {
  crd_context *const ctx = test_context();
  specimen s = open_specimen(ctx, stem);
  const bool frozen = has(&s, "frozen.x"), trained = has(&s, prefix);
  if (all && s.x->dtype == CRD_F32 && !(frozen && has(&s, "training.x")))
    fail_msg("%s: the file lacks gradients with respect to the input", s.name);
  if (all && !trained) fail_msg("%s: the file lacks gradients with respect to parameters", s.name);
  if (frozen) print_message("%s: frozen, off by %.1e\n", s.name, check_frozen(&s));
  if (trained) print_message("%s: in training, off by %.1e\n", s.name, check_training(&s));
  close_specimen(&s);
  crd_context_destroy(ctx);
}

static void test_network(void **state) { check_network(*state, false); }
static void test_whole_network(void **state) { check_network(*state, true); }

/* ---- Properties of any network, tested on one. */

/* Bytes that the C library has allocated; 0 where unknown. */
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33) && !defined __SANITIZE_ADDRESS__
static size_t bytes_in_use(void) { return mallinfo2().uordblks; }
#else
static size_t bytes_in_use(void) { return 0; }
#endif

static void memory_is_flat(void **state) {
  (void)state;
  test_allocator counter = { .fail_at = -1 };
  const crd_allocator allocator = failing_allocator(&counter);
  crd_context *ctx;
  assert_int_equal(crd_context_create(&allocator, &ctx), CRD_OK);
  specimen s = open_specimen(ctx, NET_FOLDER "/tangle-opset11");
  crd_network *const network = compile(&s, CRD_MODE_TRAINING, 0);
  for (int i = 0; i < 3; i++) step(&s, network);
  const long calls = counter.calls;
  const size_t bytes = bytes_in_use();
  for (int i = 0; i < STEPS; i++) {
    step(&s, network);
    crd_network_clear_gradients(network);
  }
  assert_int_equal(counter.calls, calls);
  if (bytes_in_use() > bytes + 4096)
    fail_msg("%d steps allocated %zu bytes", STEPS, bytes_in_use() - bytes);
  crd_network_destroy(network);
  close_specimen(&s);
  crd_context_destroy(ctx);
  assert_int_equal(counter.live, 0);
}

static void gradients_are_refused(void **state) {
  (void)state;
  crd_context *const ctx = test_context();
  specimen s = open_specimen(ctx, NET_FOLDER "/tangle-opset11");
  crd_network *network = compile(&s, CRD_MODE_INFERENCE, 0);
  must(&s, crd_network_run(ctx, network, s.x, 1));
  assert_int_equal(crd_network_backward(ctx, network, s.cotangent), CRD_EUSAGE);
  assert_null(crd_network_input_gradient(network, 0));
  assert_null(crd_network_parameter(network, 0));
  crd_network_destroy(network);
  network = compile(&s, CRD_MODE_INPUT_GRADIENT, 0);
  must(&s, crd_network_run(ctx, network, s.x, 1));
  assert_int_equal(crd_network_backward(ctx, network, s.x), CRD_EUSAGE); /* another shape */
  crd_network_destroy(network);
  close_specimen(&s);
  crd_context_destroy(ctx);
}

/* Files that lost some of their arrays must not go unnoticed. */
static void most_networks_have_both(void **state) {
  static char stems[NET_STORED_MAX][NET_STEM_MAX];
  crd_context *const ctx = test_context();
  const size_t count = net_stored(NET_FOLDER, stems);
  size_t frozen = 0, trained = 0;
  (void)state;
  for (size_t i = 0; i < count; i++) {
    specimen s = open_specimen(ctx, stems[i]);
    frozen += has(&s, "frozen.x");
    trained += has(&s, prefix);
    close_specimen(&s);
  }
  assert_int_equal(count, 28);
  assert_int_equal(frozen, 25);
  assert_int_equal(trained, 18);
  crd_context_destroy(ctx);
}

static void input_gradients_are_left_out(void **state) {
  (void)state;
  crd_context *const ctx = test_context();
  specimen s = open_specimen(ctx, NET_FOLDER "/vit-opset17");
  check_no_input_gradient(&s);
  close_specimen(&s);
  crd_context_destroy(ctx);
}

/* Runs the networks of the given folder, or of this repository. */
static int run_networks(const char *folder, CMUnitTestFunction test) {
  static char stems[NET_STORED_MAX][NET_STEM_MAX];
  struct CMUnitTest tests[NET_STORED_MAX] = { { NULL, NULL, NULL, NULL, NULL } };
  const size_t count = net_stored(folder, stems);
  if (count == 0) {
    fprintf(stderr, "%s holds no .onnx file\n", folder);
    return 1;
  }
  for (size_t i = 0; i < count; i++)
    tests[i] = (struct CMUnitTest){ net_name(stems[i]), test, NULL, NULL, stems[i] };
  return _cmocka_run_group_tests("networks", tests, count, NULL, NULL);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(most_networks_have_both),
    cmocka_unit_test(memory_is_flat),
    cmocka_unit_test(gradients_are_refused),
    cmocka_unit_test(input_gradients_are_left_out),
  };
  if (!crd_operator_at(0)) {
    cannot_test_networks("gradients of PyTorch");
    return 0;
  }
  if (argc > 1) return run_networks(argv[1], test_whole_network);
  return cmocka_run_group_tests(tests, NULL, NULL) + run_networks(NET_FOLDER, test_network);
}
