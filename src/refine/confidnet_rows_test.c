/* confidnet_rows_test.c -- true class probabilities by hand; models and data that do not fit. */
#include "refine/confidnet_testing.h"

static crd__refine_source source_of(const scene *s) {
  return (
      crd__refine_source){ .model = s->model, .logits = "logits", .tensor = "h", .weighting = 3 };
}

static void check_row(const samples *s, const crd__refine_rows *rows, size_t i) {
  double z[CLASSES], mass = 0;
  plain_logits(s->inputs + i * INPUTS, z);
  const size_t top = plain_top(s->inputs + i * INPUTS);
  for (size_t k = 0; k < CLASSES; k++) mass += exp(z[k]);
  const bool correct = (int64_t)top == s->labels[i];
  const double mean = s->weighted ? 2 : 1, weight = s->weighted ? s->weights[i] : 1;
  NEAR(rows->tcp[i], exp(z[s->labels[i]]) / mass, 1e-6);
  NEAR(rows->top[i], exp(z[top]) / mass, 1e-6);
  assert_int_equal(rows->correct[i], correct);
  NEAR(rows->factors[i], weight / mean * (correct ? 1 : 3), 1e-12);
  for (size_t k = 0; k < CLASSES; k++) NEAR(rows->x[i * HIDDEN + k], z[k], 1e-6);
}

static void check_rows(crd_context *ctx, bool weighted) {
  scene s;
  crd__refine_rows rows;
  size_t wrong = 0;
  open_scene(ctx, &(design){ 0 }, SOME_WRONG, &s);
  s.training.weighted = weighted;
  crd_dataset_destroy(s.data);
  s.data = make_dataset(ctx, &s.training);
  const crd__refine_source source = source_of(&s);
  WORKS(ctx, crd__refine_rows_make(ctx, &source, s.data, &rows));
  assert_int_equal(rows.rows, ROWS);
  assert_int_equal(rows.features, HIDDEN);
  assert_int_equal(rows.classes, CLASSES);
  assert_true((rows.weights != NULL) == weighted);
  for (size_t i = 0; i < ROWS; i++) {
    check_row(&s.training, &rows, i);
    wrong += !rows.correct[i];
  }
  assert_int_equal(rows.errors, wrong);
  crd__refine_rows_clear(&ctx->alloc, &rows);
  close_scene(&s);
}

static void test_rows(void **state) {
  check_rows(*state, false);
  check_rows(*state, true);
}

/* ---- Names. */

static void test_names(void **state) {
  crd_model *plain = make_model(*state, &(design){ 0 });
  crd_model *soft = make_model(*state, &(design){ .last = "Softmax" });
  crd_model *bare = make_model(*state, &(design){ .bare = true });
  assert_string_equal(crd__refine_logits(plain, NULL), "logits");
  assert_string_equal(crd__refine_logits(soft, NULL), "logits");
  assert_string_equal(crd_confidnet_tensor(plain, NULL), "h");
  assert_string_equal(crd_confidnet_tensor(soft, NULL), "h");
  assert_string_equal(crd_confidnet_tensor(soft, "last"), "h");
  assert_null(crd_confidnet_tensor(bare, NULL));
  assert_null(crd_confidnet_tensor(plain, "h2"));
  crd_model_destroy(plain);
  crd_model_destroy(soft);
  crd_model_destroy(bare);
}

/* ---- Failures. */

static void refuse(crd_context *ctx, const scene *s, crd_status code, const char *words) {
  crd_confidnet *c = (crd_confidnet *)ctx;
  FAILS(ctx, code, crd_confidnet_create(ctx, s->model, s->data, s->held_out, NULL, &c), words);
  assert_null(c);
}

static void test_invalid_rows(void **state) {
  scene s;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  s.training.inputs[7 * INPUTS] = 3e38F; /* finite, but twice of it is not */
  refuse(*state, &s, CRD_ENUMERIC, "row 7: the network yields infinity");
  s.training.inputs[7 * INPUTS] = (float)NAN;
  refuse(*state, &s, CRD_ENUMERIC, "row 7: value 0 of input 'x' is NaN");
  s.training.inputs[7 * INPUTS] = 0;
  s.validation.inputs[3] = (float)INFINITY;
  refuse(*state, &s, CRD_ENUMERIC, "row 1: value 1 of input 'x' is infinite");
  close_scene(&s);
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  s.training.weighted = true;
  memset(s.training.weights, 0, sizeof s.training.weights);
  crd_dataset_destroy(s.data);
  s.data = make_dataset(*state, &s.training);
  refuse(*state, &s, CRD_EINPUT, "all weights are 0");
  close_scene(&s);
}

static void test_invalid_models(void **state) {
  static const struct {
    design design;
    const char *words;
  } cases[] = {
    { { .classes = 1 }, "'logits' is f32 with 2 dimensions and 1 values per row" },
    { { .bare = true }, "no Gemm or MatMul leads to 'h'" },
    { { .classes = 2 }, "small.onnx has 2 and no names" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene s;
    open_scene(*state, &cases[i].design, SOME_WRONG, &s);
    refuse(*state, &s, CRD_EINPUT, cases[i].words);
    close_scene(&s);
  }
}

static void test_invalid_names(void **state) {
  const crd_feed_options last = { .size = sizeof last, .output = "last" };
  scene s;
  crd_confidnet *c;
  open_scene(*state, &(design){ .last = "Softmax" }, SOME_WRONG, &s);
  FAILS(*state, CRD_EUSAGE,
        crd_confidnet_create(
            *state, s.model, s.data, s.held_out,
            &(crd_confidnet_options){ .size = sizeof(crd_confidnet_options), .tensor = "hh" }, &c),
        "'hh'");
  FAILS(*state, CRD_EINPUT,
        crd_confidnet_create(
            *state, s.model, s.data, s.held_out,
            &(crd_confidnet_options){ .size = sizeof(crd_confidnet_options), .feed = &last }, &c),
        "'last' holds probabilities, not logits");
  FAILS(*state, CRD_EUSAGE,
        crd_confidnet_create(*state, s.model, s.data, s.held_out,
                             &(crd_confidnet_options){ .size = sizeof(crd_confidnet_options),
                                                       .settings = "epoch=3" },
                             &c),
        "epoch");
  assert_null(c);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_rows), TEST(test_names), TEST(test_invalid_rows),
                                      TEST(test_invalid_models), TEST(test_invalid_names) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
