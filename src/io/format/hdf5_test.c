/* hdf5_test.c -- files written by libhdf5: types, groups, pipes, MATLAB 7.3, damaged files. */
#define H5_USE_110_API 1

#include "io/testing.h"

#include "data/array.h"
#include "io/format.h"

#include <hdf5.h>
#include <math.h>

static const double numbers[6] = { 1, 2, 3, 4, 5, 6 };
static const hsize_t two_by_three[2] = { 2, 3 };

typedef struct {
  const char *name;
  hid_t stored; /* the type in the file */
  int rank;
  const hsize_t *dims;
  hid_t plan;       /* H5P_DEFAULT, or chunking and filters */
  const void *data; /* doubles; NULL: none */
} recipe;

static void put_dataset(hid_t file, recipe r) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(r.rank, r.dims, NULL);
  assert_true(H5Pset_create_intermediate_group(links, 1) >= 0);
  const hid_t set = H5Dcreate2(file, r.name, r.stored, space, links, r.plan, H5P_DEFAULT);
  assert_true(set >= 0);
  if (r.data)
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, r.data) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(links);
}

static const char *put_recipes(const char *name, size_t userblock, const recipe *recipes,
                               size_t count) {
  const char *path = scratch_path(name);
  const hid_t how = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(how, userblock);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
  assert_true(file >= 0);
  for (size_t i = 0; i < count; i++) put_dataset(file, recipes[i]);
  H5Fclose(file);
  H5Pclose(how);
  return path;
}

static const char *put_one(const char *name, recipe r) { return put_recipes(name, 0, &r, 1); }

static recipe plain(const char *name, hid_t stored) {
  return (recipe){ name, stored, 2, two_by_three, H5P_DEFAULT, numbers };
}

/* IEEE float16, as NumPy stores it. */
static hid_t make_half(void) {
  const hid_t half = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(half, 15, 10, 5, 0, 10);
  H5Tset_size(half, 2);
  H5Tset_ebias(half, 15);
  return half;
}

static void test_types(void **state) {
  const hid_t half = make_half();
  const struct {
    hid_t stored;
    crd_dtype dtype;
  } types[] = {
    { half, CRD_F32 },           { H5T_IEEE_F32LE, CRD_F32 }, { H5T_IEEE_F32BE, CRD_F32 },
    { H5T_IEEE_F64BE, CRD_F64 }, { H5T_STD_I8LE, CRD_I8 },    { H5T_STD_I16BE, CRD_I16 },
    { H5T_STD_I32LE, CRD_I32 },  { H5T_STD_I64BE, CRD_I64 },  { H5T_STD_U8LE, CRD_U8 },
    { H5T_STD_U16LE, CRD_U16 },  { H5T_STD_U32BE, CRD_U32 },  { H5T_STD_U64LE, CRD_U64 },
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    crd__io_bundle *bundle;
    crd_array view;
    const char *path = put_one("t.h5", plain("scores", types[i].stored));
    WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
    assert_string_equal(bundle->format->info.name, "hdf5");
    WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
    assert_int_equal(view.dtype, types[i].dtype);
    for (size_t k = 0; k < 6; k++)
      assert_true(crd__data_array_number(&view, k / 3, k % 3) == numbers[k]);
    crd__io_bundle_destroy(bundle);
    unlink(path);
  }
  H5Tclose(half);
}

/* h5py's booleans are an enumeration of 8 bits. */
static void test_booleans(void **state) {
  const hid_t boolean = H5Tenum_create(H5T_STD_I8LE);
  const signed char no = 0, yes = 1, marks[2] = { 1, 0 };
  H5Tenum_insert(boolean, "FALSE", &no);
  H5Tenum_insert(boolean, "TRUE", &yes);
  const char *path = scratch_path("b.h5");
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, two_by_three, NULL);
  const hid_t set =
      H5Dcreate2(file, "correct", boolean, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, boolean, H5S_ALL, H5S_ALL, H5P_DEFAULT, marks);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
  H5Tclose(boolean);
  crd__io_bundle *bundle;
  crd_array view;
  WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
  assert_true(crd__data_rows_of(&view) == 2 && crd__data_cols(&view) == 1);
  assert_true(crd__data_array_number(&view, 0, 0) == 1 && crd__data_array_number(&view, 1, 0) == 0);
  crd__io_bundle_destroy(bundle);
  unlink(path);
}

static const char *put_groups(const char *name) {
  static const double truth[2] = { 2, 1 };
  const recipe recipes[] = {
    plain("val/logits", H5T_IEEE_F32LE),
    { "val/labels", H5T_STD_I64LE, 1, two_by_three, H5P_DEFAULT, truth },
    { "deep/er/cube", H5T_IEEE_F32LE, 3, (const hsize_t[]){ 1, 2, 3 }, H5P_DEFAULT, numbers },
    { "none", H5T_IEEE_F32LE, 2, (const hsize_t[]){ 0, 4 }, H5P_DEFAULT, NULL },
    { "text", H5T_C_S1, 1, two_by_three, H5P_DEFAULT, NULL },
  };
  return put_recipes(name, 0, recipes, 5);
}

static void test_groups(void **state) {
  crd_array view;
  crd__io_bundle *bundle;
  crd_predictions *p;
  char pred[300];
  const char *path = put_groups("g.h5");
  snprintf(pred, sizeof pred, "%s#val", path);
  WORKS(*state, crd_predictions_open(*state, pred, NULL, &p));
  assert_int_equal(crd_predictions_classes(p), 3);
  crd_predictions_destroy(p);
  WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
  assert_int_equal(bundle->count, 5);
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_matrix(*state, bundle, crd__io_bundle_find(bundle, "deep/er/cube"), &view),
        "deep/er/cube has 3 dimensions (1, 2, 3)");
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, crd__io_bundle_find(bundle, "none"), &view));
  assert_true(crd__data_rows_of(&view) == 0 && crd__data_cols(&view) == 4);
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_matrix(*state, bundle, crd__io_bundle_find(bundle, "text"), &view),
        "g.h5: text holds strings, expected numbers");
  crd__io_bundle_destroy(bundle);
  unlink(path);
}

/* MATLAB stores the transpose of a 3 x 2 matrix; and a row vector. */
static void test_matlab(void **state) {
  const recipe recipes[] = {
    plain("logits", H5T_IEEE_F64LE),
    { "labels", H5T_IEEE_F64LE, 2, (const hsize_t[]){ 3, 1 }, H5P_DEFAULT, numbers },
  };
  crd_array view;
  crd__io_bundle *bundle;
  const char *path = put_recipes("m.mat", 512, recipes, 2);
  FILE *file = fopen(path, "r+b");
  fputs("MATLAB 7.3 MAT-file, Platform: GLNXA64", file);
  fclose(file);
  WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
  WORKS(*state,
        crd__io_bundle_matrix(*state, bundle, crd__io_bundle_find(bundle, "logits"), &view));
  assert_true(crd__data_rows_of(&view) == 3 && crd__data_cols(&view) == 2);
  for (size_t k = 0; k < 6; k++)
    assert_true(crd__data_array_number(&view, k % 3, k / 3) == numbers[k]);
  WORKS(*state,
        crd__io_bundle_matrix(*state, bundle, crd__io_bundle_find(bundle, "labels"), &view));
  assert_true(crd__data_rows_of(&view) == 3 && crd__data_cols(&view) == 1 &&
              crd__data_array_number(&view, 2, 0) == 3);
  crd__io_bundle_destroy(bundle);
  unlink(path);
}

static size_t read_file(const char *path, unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "rb");
  const size_t length = fread(bytes, 1, size, file);
  fclose(file);
  assert_true(length < size);
  return length;
}

/* libhdf5 itself leaks a few hundred bytes on some invalid files. */
CRD_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

/* Every truncation, and every byte flipped: an error message or values, never a crash, and no
 * output on standard error, where libhdf5 reports by default. */
static void test_damage(void **state) {
  static unsigned char bytes[20000];
  const char *path = put_groups("d.h5");
  const size_t length = read_file(path, bytes, sizeof bytes);
  unlink(path);
  FILE *said = tmpfile();
  fflush(stderr);
  const int kept = dup(2);
  dup2(fileno(said), 2);
  for (size_t i = 8; i < length; i += i < 300 ? 1 : 29) {
    for (int flip = 0; flip < 2; flip++) {
      unsigned char *copy = malloc(flip ? length : i);
      memcpy(copy, bytes, flip ? length : i);
      if (flip) copy[i] ^= 0xff;
      crd__io_bundle *bundle;
      crd_array view;
      const crd_status status =
          crd__io_bundle_open_memory(*state, "x.h5", copy, flip ? length : i, NULL, &bundle);
      assert_true(status == CRD_OK || status == CRD_EINPUT);
      if (!flip) assert_int_equal(status, CRD_EINPUT);
      for (size_t k = 0; bundle && k < bundle->count; k++)
        if (crd__io_bundle_matrix(*state, bundle, k, &view) != CRD_OK)
          assert_non_null(strstr(crd_context_message(*state), "x.h5: "));
      crd__io_bundle_destroy(bundle);
      free(copy);
    }
  }
  dup2(kept, 2);
  close(kept);
  assert_int_equal(lseek(fileno(said), 0, SEEK_END), 0);
  fclose(said);
}

static void test_refusals(void **state) {
  const hsize_t huge[2] = { 1 << 20, 1 << 10 };
  const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE), outside = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t large[2] = { 8192, 8192 };
  const hid_t coarse = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(chunked, 2, (const hsize_t[]){ 64, 64 });
  H5Pset_chunk(coarse, 2, large);
  H5Pset_external(outside, "/etc/passwd", 0, 48);
  const struct {
    recipe recipe;
    const char *words;
  } cases[] = {
    { { "a", H5T_IEEE_F64LE, 2, huge, chunked, NULL },
      "declares 1048576 x 1024 f64 = 8589934592 byt" },
    { { "a", H5T_IEEE_F64LE, 2, large, coarse, NULL }, "its chunks are more than 200 times" },
    { { "a", H5T_IEEE_F64LE, 2, two_by_three, outside, NULL },
      "the elements are stored in another file" },
    { { "a", H5T_NATIVE_LDOUBLE, 2, two_by_three, H5P_DEFAULT, NULL }, "not numbers, allowed are" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__io_bundle *bundle;
    crd_array view;
    const char *path = put_one("r.h5", cases[i].recipe);
    WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
    FAILS(*state, CRD_EINPUT, crd__io_bundle_matrix(*state, bundle, 0, &view), cases[i].words);
    crd__io_bundle_destroy(bundle);
    unlink(path);
  }
  H5Pclose(coarse);
  H5Pclose(chunked);
  H5Pclose(outside);
  crd__io_bundle *bundle;
  const char *path = put_recipes("e.h5", 0, NULL, 0);
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open(*state, path, NULL, &bundle),
        "e.h5: the file holds no datasets");
  unlink(path);
}

/* The error handler of a program that also uses libhdf5 is restored. */
static herr_t own_report(hid_t stack, void *self) {
  (void)stack;
  ++*(int *)self;
  return 0;
}

static void test_reports(void **state) {
  int reports = 0;
  crd__io_bundle *bundle;
  H5Eset_auto2(H5E_DEFAULT, own_report, &reports);
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, "x", "\x89HDF\r\n\x1a\n cut", 12, NULL, &bundle),
        "x: cannot read the HDF5 file: ");
  assert_int_equal(reports, 0);
  H5Fopen("/nonexistent", H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_int_equal(reports, 1);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Strings as h5py writes bytes and str, and as Fortran writes characters. */
typedef enum { ZEROS, SPACES, VARIABLE } string_kind;

static const char *put_strings(const char *name, string_kind kind, int rank, size_t count) {
  static const char zeros[3][7] = { "</a>", "", "gr\xc3\xbcne" };
  static const char spaces[] = "</a>   "
                               "       "
                               "gr\xc3\xbcne ";
  static const char *const variable[3] = { "</a>", "", "gr\xc3\xbcne" };
  const hsize_t dims[2] = { count, 1 };
  const char *path =
      put_one(name, (recipe){ "logits", H5T_IEEE_F32LE, 2, two_by_three, H5P_DEFAULT, numbers });
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(rank, dims, NULL);
  H5Tset_size(type, kind == VARIABLE ? H5T_VARIABLE : 7);
  if (kind == SPACES) H5Tset_strpad(type, H5T_STR_SPACEPAD);
  if (kind == VARIABLE) H5Tset_cset(type, H5T_CSET_UTF8);
  const hid_t set =
      H5Dcreate2(file, "class_names", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const void *const data = kind == VARIABLE ? (const void *)variable
                           : kind == SPACES ? (const void *)spaces
                                            : (const void *)zeros;
  assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Tclose(type);
  H5Fclose(file);
  return path;
}

static void test_strings(void **state) {
  static const crd_open_options unlabelled = { .size = sizeof unlabelled, .labels_optional = 1 };
  crd_predictions *p;
  for (string_kind kind = ZEROS; kind <= VARIABLE; kind++) {
    const char *path = put_strings("s.h5", kind, 1, 3);
    WORKS(*state, crd_predictions_open(*state, path, &unlabelled, &p));
    assert_string_equal(crd_predictions_class_name(p, 0), "</a>");
    assert_null(crd_predictions_class_name(p, 1));
    assert_string_equal(crd_predictions_class_name(p, 2), "gr\xc3\xbcne");
    crd_predictions_destroy(p);
    path = put_strings("s.h5", kind, 1, 2);
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, &unlabelled, &p),
          "s.h5: 2 class names for 3 classes");
    path = put_strings("s.h5", kind, 2, 3);
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, &unlabelled, &p),
          "class_names: strings in 2 dimensions, allowed is one");
    unlink(path);
  }
}

static crd_status open_unlabelled(crd_context *ctx, const void *path) {
  crd_predictions *p;
  const crd_status status = crd_predictions_open(
      ctx, path, &(crd_open_options){ .size = sizeof(crd_open_options), .labels_optional = 1 }, &p);
  crd_predictions_destroy(p);
  return status;
}

static crd_status open_all(crd_context *ctx, const void *pred) {
  crd_predictions *p;
  const crd_status status = crd_predictions_open(ctx, pred, NULL, &p);
  crd_predictions_destroy(p);
  return status;
}

static void test_memory(void **state) {
  (void)state;
  char pred[300];
  const char *path = put_groups("f.h5");
  snprintf(pred, sizeof pred, "%s#val", path);
  fail_each_allocation(open_all, pred);
  unlink(path);
  for (string_kind kind = ZEROS; kind <= VARIABLE; kind++) {
    path = put_strings("f.h5", kind, 1, 3);
    fail_each_allocation(open_unlabelled, path);
    unlink(path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_types),   TEST(test_booleans), TEST(test_groups),
    TEST(test_matlab),  TEST(test_damage),   TEST(test_refusals),
    TEST(test_reports), TEST(test_memory),   TEST(test_strings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
