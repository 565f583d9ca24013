/* array_test.c -- arrays of any rank: element by element, in every layout of the file. */
#include "io/testing.h"

#include "io/array.h"
#include "io/layout.h"

/* An array of shape 2 x 3 x 4 x 5 whose elements equal their index. */
static const int64_t dims[4] = { 2, 3, 4, 5 };
enum { ELEMENTS = 120 };

static float element(int64_t a, int64_t b, int64_t c, int64_t d) {
  return (float)(1000 * a + 100 * b + 10 * c + d);
}

static void fill(float out[ELEMENTS], bool fortran) {
  size_t n = 0;
  for (int64_t a = 0; a < dims[0]; a++)
    for (int64_t b = 0; b < dims[1]; b++)
      for (int64_t c = 0; c < dims[2]; c++)
        for (int64_t d = 0; d < dims[3]; d++)
          out[fortran ? a + 2 * (b + 3 * (c + 4 * d)) : (int64_t)n++] = element(a, b, c, d);
}

static void reverse_bytes(void *bytes, size_t count) {
  unsigned char *at = bytes;
  for (size_t i = 0; i < count; i++, at += 4) {
    const unsigned char old[4] = { at[3], at[2], at[1], at[0] };
    memcpy(at, old, 4);
  }
}

/* Pads the dict to `width` characters: NumPy pads it so that the data begin at a multiple of 64
 * bytes. */
enum { ALIGNED = 118 };
static const char *put_array(const char *name, int width, const char *dict, const void *data,
                             size_t bytes) {
  unsigned char file[1024];
  char padded[160];
  snprintf(padded, sizeof padded, "%-*s", width, dict);
  return put_file(name, file, put_npy(file, 1, padded, data, bytes));
}

/* Checks rows from `from` on of the array above. */
static void check(const crd_array_file *array, int64_t from) {
  const crd_array *const t = crd_array_file_array(array);
  const float *at = t->data;
  assert_int_equal(t->dtype, CRD_F32);
  assert_int_equal(t->rank, 4);
  for (size_t i = 1; i < 4; i++) assert_int_equal(t->dims[i], dims[i]);
  assert_int_equal((uintptr_t)t->data % sizeof *at, 0);
  for (int64_t a = 0; a < t->dims[0]; a++)
    for (int64_t b = 0; b < dims[1]; b++)
      for (int64_t c = 0; c < dims[2]; c++)
        for (int64_t d = 0; d < dims[3]; d++) assert_true(*at++ == element(from + a, b, c, d));
}

static void opens(crd_context *ctx, const char *path, int64_t rows, int64_t from, bool copied) {
  crd_array_file *array;
  WORKS(ctx, crd_array_file_open(ctx, path, &array));
  assert_int_equal(crd_array_file_array(array)->dims[0], rows);
  assert_int_equal(array->owned != NULL, copied);
  assert_int_equal(array->bundle == NULL, copied); /* either the file or a copy is kept, not both */
  check(array, from);
  crd_array_file_destroy(array);
}

static void test_orders(void **state) {
  float data[ELEMENTS];
  char rows[300];
  const char *path = NULL;
  for (int fortran = 0; fortran < 2; fortran++)
    for (int swapped = 0; swapped < 2; swapped++) {
      char dict[128];
      fill(data, fortran);
      if (swapped) reverse_bytes(data, ELEMENTS);
      const char order = (crd__io_native_is_little() ? "<>" : "><")[swapped];
      snprintf(dict, sizeof dict, "{'descr': '%cf4', 'fortran_order': %s, 'shape': (2, 3, 4, 5), }",
               order, fortran ? "True" : "False");
      path = put_array("order.npy", ALIGNED, dict, data, sizeof data);
      snprintf(rows, sizeof rows, "%s@1:2", path);
      opens(*state, path, 2, 0, fortran || swapped);
      opens(*state, rows, 1, 1, fortran || swapped);
    }
  unlink(path);
}

static void test_formats(void **state) {
  static const char *const names[] = { "a.npy", "a.npy.gz", "a.npz", "a.npz.gz", "a.safetensors" };
  float data[ELEMENTS];
  crd_array tensor = { .data = data, .dtype = CRD_F32, .rank = 4, .dims = { 2, 3, 4, 5 } };
  fill(data, false);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (lean_refuses(names[i])) continue;
    const char *const path = scratch_path(names[i]);
    char key[300];
    WORKS(*state, crd_array_save(*state, &tensor, "images", path));
    opens(*state, path, 2, 0, false);
    snprintf(key, sizeof key, "%s#images@1:", path);
    if (!strstr(path, ".npy")) opens(*state, key, 1, 1, false);
    unlink(path);
  }
  FAILS(*state, CRD_EUSAGE, crd_array_save(*state, &tensor, NULL, "x.csv"),
        "x.csv: array has 4 dimensions, a table has two");
}

/* Data may begin at any address, for example in a stored member of an archive. */
static void test_unaligned(void **state) {
  float data[ELEMENTS];
  char dict[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4, 5), }";
  if (!crd__io_native_is_little()) *strchr(dict, '<') = '>';
  fill(data, false);
  const char *const path = put_array("odd.npy", ALIGNED + 1, dict, data, sizeof data);
  opens(*state, path, 2, 0, true);
  unlink(path);
}

/* Unusual ranks: a scalar, (3,), (3, 1), an empty array. */
static void test_ranks(void **state) {
  static const double numbers[3] = { 1, 2, 3 };
  static const crd_array tensors[] = {
    { .data = numbers, .dtype = CRD_F64, .rank = 0, .dims = { 0 } },
    { .data = numbers, .dtype = CRD_F64, .rank = 1, .dims = { 3 } },
    { .data = numbers, .dtype = CRD_F64, .rank = 2, .dims = { 3, 1 } },
    { .data = numbers, .dtype = CRD_F64, .rank = 2, .dims = { 1, 3 } },
    { .data = numbers, .dtype = CRD_F64, .rank = 1, .dims = { 0 } },
    { .data = numbers, .dtype = CRD_F64, .rank = 8, .dims = { 1, 1, 1, 3, 1, 1, 1, 1 } },
    { .data = numbers, .dtype = CRD_F64, .rank = 3, .dims = { 2, 0, 5 } },
  };
  const char *const paths[] = { scratch_path("r.npy"), scratch_path("r.safetensors") };
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
    for (size_t f = 0; f < 2; f++) {
      crd_array_file *array;
      WORKS(*state, crd_array_save(*state, &tensors[i], NULL, paths[f]));
      WORKS(*state, crd_array_file_open(*state, paths[f], &array));
      const crd_array *const t = crd_array_file_array(array);
      assert_int_equal(t->rank, tensors[i].rank);
      assert_memory_equal(t->dims, tensors[i].dims, t->rank * sizeof *t->dims);
      const size_t count = crd_array_count(t);
      assert_int_equal(count, crd_array_count(&tensors[i]));
      if (count) assert_memory_equal(t->data, numbers, count * sizeof *numbers);
      crd_array_file_destroy(array);
    }
  unlink(paths[0]);
  unlink(paths[1]);
}

/* A column of a table is strided: its rows are wider. */
static void test_table(void **state) {
  const char *const path = scratch_path("t.csv");
  char key[300];
  crd_array_file *array;
  FILE *const file = fopen(path, "w");
  fputs("label,p0,p1\n0,1,2\n1,3,4\n0,5,6\n", file);
  fclose(file);
  snprintf(key, sizeof key, "%s#scores@1:3", path);
  WORKS(*state, crd_array_file_open(*state, key, &array));
  static const double expected[] = { 3, 4, 5, 6 };
  assert_int_equal(crd_array_file_array(array)->rank, 2);
  assert_memory_equal(crd_array_file_array(array)->data, expected, sizeof expected);
  crd_array_file_destroy(array);
  unlink(path);
}

static void refused(crd_context *ctx, const char *path, const char *words) {
  crd_array_file *array = (crd_array_file *)ctx;
  FAILS(ctx, CRD_EINPUT, crd_array_file_open(ctx, path, &array), words);
  assert_null(array);
}

static void test_refused(void **state) {
  static const int64_t numbers[2] = { 1, 2 };
  const crd__io_array two[] = {
    { .name = "images", .view = crd_array_matrix(numbers, CRD_I64, 2, 1) },
    { .name = "labels", .view = crd_array_matrix(numbers, CRD_I64, 2, 1) },
  };
  const char *const path = scratch_path("two.npz"), *const single = scratch_path("one.npy");
  char key[300];
  WORKS(*state, crd__io_bundle_write(*state, path, two, 2));
  refused(*state, path, "two.npz: 2 arrays, and none was chosen: images, labels; try ");
  refused(*state, path, "two.npz#images");
  snprintf(key, sizeof key, "%s#x", path);
  refused(*state, key, "two.npz: no array 'x': found images, labels");
  snprintf(key, sizeof key, "%s#labels@1:3", path);
  refused(*state, key, "rows 1:3 do not exist, the file has rows 0:2");
  put_array("one.npy", ALIGNED, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "x", 1);
  snprintf(key, sizeof key, "%s@0:1", single);
  refused(*state, key, "scores is a single number and has no rows");
  put_array("one.npy", ALIGNED,
            "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }", "x",
            1);
  refused(*state, single, "scores has 9 dimensions, allowed are up to 8");
  put_array("one.npy", ALIGNED, "{'descr': '|S1', 'fortran_order': False, 'shape': (1,), }", "x",
            1);
  refused(*state, single, "scores holds strings, expected numbers");
  refused(*state, "nowhere.npy", "nowhere.npy: cannot open");
  unlink(path);
  unlink(single);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_orders), TEST(test_formats), TEST(test_unaligned),
    TEST(test_ranks),  TEST(test_table),   TEST(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
