/* zoo_test.c -- the table of architectures, and expressions and shapes that are refused. */
#include "io/testing.h"

#include "zoo/zoo.h"

static void entries_are_found(void **state) {
  (void)state;
  assert_true(crd_architecture_count() >= 14);
  assert_null(crd_architecture_at(crd_architecture_count()));
  assert_null(crd_architecture_find("resnet21"));
  for (size_t i = 0; i < crd_architecture_count(); i++) {
    const crd_architecture_info *const a = crd_architecture_at(i);
    assert_ptr_equal(crd_architecture_find(a->name), a);
    assert_true(*a->summary && *a->reference && strlen(a->name) <= 10);
  }
  assert_int_equal(crd_architecture_find("text-cnn")->input, CRD_SAMPLES_TEXTS);
  assert_int_equal(crd_architecture_find("mlp")->input, CRD_SAMPLES_VECTORS);
  assert_int_equal(crd_architecture_find("wrn")->input, CRD_SAMPLES_IMAGES);
}

#define IMAGE(k, c, h, w)                                                                          \
  {                                                                                                \
    .size = sizeof(crd_architecture_shape), .classes = (k), .rank = 3, .dims = {(c), (h), (w) }    \
  }
static const struct {
  const char *network;
  crd_architecture_shape shape;
  const char *message;
} faults[] = {
  { "resnet2", IMAGE(10, 3, 32, 32), "no network is called 'resnet2'; did you mean 'resnet" },
  { "transformer", IMAGE(10, 3, 32, 32), "'transformer'; crd_architecture_at lists them all" },
  { "", IMAGE(10, 3, 32, 32), "expected the name of a network" },
  { "wrn(depth=16,width=4", IMAGE(10, 3, 32, 32), "found the end, expected ')'" },
  { "wrn + mlp", IMAGE(10, 3, 32, 32), "at character 5 found '+ mlp', expected the end" },
  { "wrn(deep=16)", IMAGE(10, 3, 32, 32), "wrn has no setting 'deep'; it has depth, width" },
  { "wrn(depth=17)", IMAGE(10, 3, 32, 32), "wrn: depth=17, allowed are 10, 16, 22, 28" },
  { "mlp(hidden=0)", IMAGE(10, 3, 32, 32), "hidden=0, allowed are integers from 1 to 1048576" },
  { "lenet5(pooling=sum)", IMAGE(10, 3, 32, 32), "pooling=sum, allowed are: max average" },
  { "resnet20", IMAGE(1, 3, 32, 32), "resnet20: classes is 1, allowed are 2 to 2147483647" },
  { "resnet20", IMAGE(0, 3, 32, 32), "resnet20: classes is 0" },
  { "resnet20", IMAGE(10, 3, 7, 32), "images are 7 x 32, at least 8 x 8 are needed" },
  { "lenet5", IMAGE(10, 1, 12, 11), "images are 12 x 11, at least 12 x 12 are needed" },
  { "cnn", IMAGE(10, 0, 32, 32), "dimension 0 of a sample is 0" },
  { "cnn", IMAGE(10, -3, 32, 32), "dimension 0 of a sample is -3" },
  { "cnn", IMAGE(10, 3, 65536, 65536), "dimension 2 of a sample is 65536" },
  { "cnn", IMAGE(10, 3, INT64_MAX, INT64_MAX), "dimension 1 of a sample is 9223372036854775807" },
  { "cnn",
    { .size = sizeof(crd_architecture_shape), .classes = 10, .rank = 1, .dims = { 5 } },
    "cnn takes images (channels, height, width)" },
  { "mlp",
    { .size = sizeof(crd_architecture_shape), .classes = 10 },
    "mlp takes samples of any shape; the samples have 0 dimensions" },
  { "mlp",
    { .size = sizeof(crd_architecture_shape), .classes = 10, .rank = CRD_RANK_MAX },
    "the samples have 8 dimensions" },
  { "head",
    { .size = sizeof(crd_architecture_shape), .classes = 10, .rank = 2, .dims = { 5, 5 } },
    "head takes features (channels) or" },
  { "text-cnn",
    { .size = sizeof(crd_architecture_shape), .classes = 10, .rank = 1, .dims = { 5 } },
    "words is 0, allowed are 2 to" },
  { "text-cnn",
    { .size = sizeof(crd_architecture_shape), .classes = 10, .rank = 1, .dims = { 5 }, .words = 1 },
    "words is 1, allowed" },
  { "text-cnn", IMAGE(10, 3, 32, 32), "text-cnn takes texts (tokens); the samples have 3" },
  { "mlp",
    { .size = sizeof(crd_architecture_shape), .classes = 10, .rank = 1, .dims = { 5 }, .words = 9 },
    "not texts" },
  { "mlp",
    { .size = sizeof(crd_architecture_shape), .classes = 2147483647, .rank = 1, .dims = { 5 } },
    "mlp: it would have more than 500000000 parameters, which no .onnx file holds" },
  { "mlp(hidden=1048576,1048576)",
    { .size = sizeof(crd_architecture_shape), .classes = 2, .rank = 1, .dims = { 5 } },
    "more than 5000" },
  { "text-cnn",
    { .size = sizeof(crd_architecture_shape),
      .classes = 2,
      .rank = 1,
      .dims = { 5 },
      .words = 2147483647 },
    "more than 5000" },
};

static void faults_are_named(void **state) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    crd_model *model = (crd_model *)(void *)state; /* anything but NULL */
    uint64_t parameters = 1;
    FAILS(*state, CRD_EUSAGE,
          crd_architecture_build(*state, faults[i].network, &faults[i].shape, &model),
          faults[i].message);
    assert_null(model);
    FAILS(*state, CRD_EUSAGE,
          crd_architecture_parameters(*state, faults[i].network, &faults[i].shape, &parameters),
          faults[i].message);
    assert_int_equal(parameters, 0);
  }
}

static void interrupts_stop_it(void **state) {
  const crd_architecture_shape shape = IMAGE(10, 3, 32, 32);
  crd_model *model;
  crd_context_interrupt(*state);
  assert_int_equal(crd_architecture_build(*state, "resnet8", &shape, &model), CRD_EINTERRUPTED);
  assert_null(model);
  WORKS(*state, crd_architecture_build(*state, "resnet8", &shape, &model));
  crd_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(entries_are_found), TEST(faults_are_named),
                                      TEST(interrupts_stop_it) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
