/* array_test.c -- arrays as users give them: vectors, strides left out, slices, other byte orders.
 */
#include "data/array.h"

#include "support.h"

#include <math.h>

static void strides_may_be_left_out(void **state) {
  (void)state;
  const double x[24] = { 0 };
  const crd_array bare = { .data = x, .dtype = CRD_F64, .rank = 3, .dims = { 2, 3, 4 } };
  const crd_array full = crd__data_array_strided(bare);
  assert_true(full.strides[0] == 96 && full.strides[1] == 32 && full.strides[2] == 8);
  assert_int_equal(crd_array_count(&bare), 24);
  assert_true(crd__data_array_is_contiguous(&bare) && crd__data_array_is_contiguous(&full));
  crd_array turned = full;
  turned.strides[1] = 8;
  turned.strides[2] = 24;
  assert_false(crd__data_array_is_contiguous(&turned));
  turned = full;
  turned.swapped = 1;
  assert_false(crd__data_array_is_contiguous(&turned));
  const crd_array second = crd_array_slice(bare, 1, 2);
  assert_ptr_equal(second.data, x + 12);
  assert_int_equal(crd_array_count(&second), 12);
}

static void a_vector_is_one_column(void **state) {
  const float x[] = { 1, 2, 3, 4, 5, 6 };
  crd_array every_second = {
    .data = x, .dtype = CRD_F32, .rank = 1, .dims = { 3 }, .strides = { 2 * sizeof *x }
  };
  assert_int_equal(crd__data_matrix(*state, "f", "x", &every_second), CRD_OK);
  assert_int_equal(crd__data_rows_of(&every_second), 3);
  assert_int_equal(crd__data_cols(&every_second), 1);
  for (size_t i = 0; i < 3; i++)
    assert_true(crd__data_array_number(&every_second, i, 0) == (double)x[2 * i]);
}

static void other_ranks_are_refused(void **state) {
  const float x[8] = { 0 };
  crd_array cube = { .data = x, .dtype = CRD_F32, .rank = 3, .dims = { 2, 2, 2 } };
  crd_array scalar = { .data = x, .dtype = CRD_F32 };
  crd_array negative = { .data = x, .dtype = CRD_F32, .rank = 1, .dims = { -1 } };
  assert_int_equal(crd__data_matrix(*state, "f.npy", "weights", &cube), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state),
                      "f.npy: weights have 3 dimensions, expected 1 or 2");
  assert_int_equal(crd__data_matrix(*state, "f.npy", "weights", &scalar), CRD_EINPUT);
  assert_int_equal(crd__data_matrix(*state, "f.npy", "weights", &negative), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state),
                      "f.npy: dimension 0 of weights is -1, expected at least 0");
}

static void elements_of_every_type(void **state) {
  (void)state;
  const uint16_t brain[] = { 0x3f80, 0xc040, 0x80bf };
  crd_array m = crd_array_matrix(brain, CRD_BF16, 1, 3);
  assert_true(crd__data_array_number(&m, 0, 0) == 1 && crd__data_array_number(&m, 0, 1) == -3);
  assert_false(crd__data_array_is_integral(&m));
  m.swapped = 1;
  assert_true(crd__data_array_number(&m, 0, 2) == -1); /* 0xbf80 */
  const int64_t big[] = { INT64_MAX };
  const crd_array whole = crd_array_matrix(big, CRD_I64, 1, 1);
  int64_t found;
  assert_true(crd__data_array_integer(&whole, 0, 0, &found) && found == INT64_MAX);
  assert_true(crd__data_array_is_integral(&whole));
}

/* Predictions whose arrays are vectors and have no strides give the same as matrices. */
static void predictions_take_vectors(void **state) {
  const double scores[] = { .7, .3, .2, .8, .6, .4 };
  const int64_t labels[] = { 0, 1, 1 };
  const crd_predictions_parts given = {
    .size = sizeof given,
    .scores = { .data = scores, .dtype = CRD_F64, .rank = 2, .dims = { 3, 2 } },
    .labels = { .data = labels, .dtype = CRD_I64, .rank = 1, .dims = { 3 } },
    .input = CRD_INPUT_PROBABILITIES
  };
  crd_predictions_parts cube = given;
  crd_predictions *p = NULL;
  const crd_result *result = NULL;
  assert_int_equal(crd_predictions_create(*state, &given, &p), CRD_OK);
  assert_int_equal(crd_evaluate(*state, p, NULL, &result), CRD_OK);
  assert_true(fabs(value_of(result, "accuracy") - 2. / 3) < 1e-15);
  crd_result_destroy(result);
  crd_predictions_destroy(p);
  cube.scores = (crd_array){ .data = scores, .dtype = CRD_F64, .rank = 3, .dims = { 3, 1, 2 } };
  assert_int_equal(crd_predictions_create(*state, &cube, &p), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state),
                      "predictions: scores have 3 dimensions, expected 1 or 2");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(strides_may_be_left_out),  cmocka_unit_test(a_vector_is_one_column),
    cmocka_unit_test(other_ranks_are_refused),  cmocka_unit_test(elements_of_every_type),
    cmocka_unit_test(predictions_take_vectors),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
