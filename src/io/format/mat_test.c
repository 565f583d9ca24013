/* mat_test.c -- files written by libmatio: classes, vectors, compression, damaged files. */
#include "io/testing.h"

#include "data/array.h"
#include "io/format.h"
#include "io/gzip.h"

#include <matio.h>

typedef struct {
  const char *name;
  enum matio_classes class;
  enum matio_types type;
  int rank;
  size_t dims[3];
  const void *data;
  int flags;
  enum matio_compression compression;
} recipe;

static const char *put_recipes(const char *name, const recipe *recipes, size_t count) {
  const char *path = scratch_path(name);
  mat_t *file = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
  assert_non_null(file);
  for (size_t i = 0; i < count; i++) {
    size_t dims[3];
    memcpy(dims, recipes[i].dims, sizeof dims);
    union {
      const void *from;
      void *to;
    } data = { .from = recipes[i].data }; /* matio's parameter is not const */
    matvar_t *v = Mat_VarCreate(recipes[i].name, recipes[i].class, recipes[i].type, recipes[i].rank,
                                dims, data.to, recipes[i].flags);
    assert_non_null(v);
    assert_int_equal(Mat_VarWrite(file, v, recipes[i].compression), 0);
    Mat_VarFree(v);
  }
  Mat_Close(file);
  return path;
}

static const double f64[6] = { 1, 2, 3, 4, 5, 6 };
static const float f32[6] = { 1, 2, 3, 4, 5, 6 };
static const int8_t i8[6] = { 1, 2, 3, 4, 5, 6 };
static const uint8_t u8[6] = { 1, 2, 3, 4, 5, 6 };
static const int16_t i16[6] = { 1, 2, 3, 4, 5, 6 };
static const uint16_t u16[6] = { 1, 2, 3, 4, 5, 6 };
static const int32_t i32[6] = { 1, 2, 3, 4, 5, 6 };
static const uint32_t u32[6] = { 1, 2, 3, 4, 5, 6 };
static const int64_t i64[6] = { 1, 2, 3, 4, 5, 6 };
static const uint64_t u64[6] = { 1, 2, 3, 4, 5, 6 };

/* Column-major: 1 2 / 3 4 / 5 6 is stored as 1 3 5 2 4 6. */
static void test_classes(void **state) {
  static const struct {
    enum matio_classes class;
    enum matio_types type;
    const void *data;
    crd_dtype dtype;
  } rows[] = {
    { MAT_C_DOUBLE, MAT_T_DOUBLE, f64, CRD_F64 }, { MAT_C_SINGLE, MAT_T_SINGLE, f32, CRD_F32 },
    { MAT_C_INT8, MAT_T_INT8, i8, CRD_I8 },       { MAT_C_UINT8, MAT_T_UINT8, u8, CRD_U8 },
    { MAT_C_INT16, MAT_T_INT16, i16, CRD_I16 },   { MAT_C_UINT16, MAT_T_UINT16, u16, CRD_U16 },
    { MAT_C_INT32, MAT_T_INT32, i32, CRD_I32 },   { MAT_C_UINT32, MAT_T_UINT32, u32, CRD_U32 },
    { MAT_C_INT64, MAT_T_INT64, i64, CRD_I64 },   { MAT_C_UINT64, MAT_T_UINT64, u64, CRD_U64 },
  };
  static const enum matio_compression ways[] = { MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB };
  for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
    const recipe one = { "m", rows[i / 2].class, rows[i / 2].type, 2, { 2, 3 }, rows[i / 2].data,
                         0,   ways[i % 2] };
    const char *path = put_recipes("c.mat", &one, 1);
    crd__io_bundle *bundle;
    crd_array view;
    WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
    assert_string_equal(bundle->format->info.name, "mat");
    WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
    assert_int_equal(view.dtype, rows[i / 2].dtype);
    assert_true(crd__data_rows_of(&view) == 2 && crd__data_cols(&view) == 3);
    for (size_t k = 0; k < 6; k++)
      assert_true(crd__data_array_number(&view, k % 2, k / 2) == f64[k]);
    crd__io_bundle_destroy(bundle);
    unlink(path);
  }
}

/* A row vector is read as a vector, because SciPy writes 1-D arrays as row vectors. */
static const char *put_predictions(const char *name) {
  static const recipe recipes[] = {
    { "logits", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, { 3, 2 }, f64, 0, MAT_COMPRESSION_ZLIB },
    { "labels", MAT_C_UINT8, MAT_T_UINT8, 2, { 1, 3 }, "\0\1\1", 0, MAT_COMPRESSION_NONE },
    { "cube", MAT_C_SINGLE, MAT_T_SINGLE, 3, { 1, 2, 3 }, f32, 0, MAT_COMPRESSION_NONE },
    { "text", MAT_C_CHAR, MAT_T_UINT8, 2, { 1, 3 }, "abc", 0, MAT_COMPRESSION_NONE },
    { "right",
      MAT_C_UINT8,
      MAT_T_UINT8,
      2,
      { 3, 1 },
      "\1\0\1",
      MAT_F_LOGICAL,
      MAT_COMPRESSION_NONE },
  };
  return put_recipes(name, recipes, 5);
}

static void test_predictions(void **state) {
  crd_predictions *p;
  crd__io_bundle *bundle;
  crd_array view;
  const char *path = put_predictions("p.mat");
  WORKS(*state, crd_predictions_open(*state, path, NULL, &p));
  assert_int_equal(crd_predictions_rows(p), 3);
  assert_int_equal(crd_predictions_classes(p), 2);
  crd_predictions_destroy(p);
  WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
  assert_int_equal(bundle->count, 5);
  FAILS(*state, CRD_EINPUT, crd__io_bundle_matrix(*state, bundle, 2, &view),
        "p.mat: cube has 3 dimensions (1, 2, 3)");
  FAILS(*state, CRD_EINPUT, crd__io_bundle_matrix(*state, bundle, 3, &view),
        "p.mat: text: the variable is not a full matrix of real numbers");
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, 4, &view));
  assert_true(crd__data_rows_of(&view) == 3 && crd__data_array_number(&view, 2, 0) == 1);
  crd__io_bundle_destroy(bundle);
  unlink(path);
}

static unsigned char bytes[4096];

static size_t read_predictions(void) {
  const char *path = put_predictions("d.mat");
  FILE *file = fopen(path, "rb");
  const size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  unlink(path);
  assert_true(length < sizeof bytes);
  return length;
}

/* Opening any truncated file fails, unless it ends between two variables. */
static void test_beginnings(void **state) {
  const size_t length = read_predictions();
  size_t whole = 0;
  for (size_t i = 20; i < length; i++) {
    crd__io_bundle *bundle;
    const char *path = put_file("d.mat", bytes, i);
    const crd_status status = crd__io_bundle_open(*state, path, NULL, &bundle);
    assert_true(status == CRD_OK || status == CRD_EINPUT);
    whole += status == CRD_OK;
    crd__io_bundle_destroy(bundle);
    unlink(path);
  }
  assert_int_equal(whole, 4);
}

/* Writes cells of characters in UTF-16, as MATLAB does, and in UTF-8, as other programs do; the
 * last cell has this class and this number of rows. */
static const char *put_cells(const char *name, enum matio_classes last, size_t rows,
                             enum matio_compression compression) {
  static const uint16_t first[] = { '<', '/', 'a', '>', 0xd83d, 0xdc31 };
  static const double scores[9] = { 3, 1, 0, 0, 2, 1, 1, 0, 4 };
  const recipe logits = {
    "logits", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, { 3, 3 }, scores, 0, compression
  };
  const char *path = put_recipes(name, &logits, 1);
  mat_t *file = Mat_Open(path, MAT_ACC_RDWR);
  char second[] = "gr\xc3\xbcne", third[8] = "x";
  size_t none[2] = { 0, 0 }, six[2] = { 1, 6 }, five[2] = { 1, 5 }, end[2] = { rows, 1 };
  size_t dims[2] = { 1, 3 };
  uint16_t units[6];
  memcpy(units, first, sizeof units);
  (void)none;
  matvar_t *cells[3] = {
    Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF16, 2, six, units, 0),
    Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, five, second, 0),
    Mat_VarCreate(NULL, last, last == MAT_C_CHAR ? MAT_T_UTF8 : MAT_T_INT8, 2, rows ? end : none,
                  third, 0),
  };
  for (size_t i = 0; i < 3; i++) assert_non_null(cells[i]);
  matvar_t *v = Mat_VarCreate("class_names", MAT_C_CELL, MAT_T_CELL, 2, dims, cells, 0);
  assert_non_null(v);
  assert_int_equal(Mat_VarWrite(file, v, compression), 0);
  Mat_VarFree(v);
  Mat_Close(file);
  return path;
}

static const crd_open_options unlabelled = { .size = sizeof unlabelled, .labels_optional = 1 };

static void test_cells(void **state) {
  static const enum matio_compression ways[] = { MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB };
  crd_predictions *p;
  for (size_t i = 0; i < 4; i++) {
    const char *path = put_cells("n.mat", MAT_C_CHAR, i / 2, ways[i % 2]);
    WORKS(*state, crd_predictions_open(*state, path, &unlabelled, &p));
    assert_string_equal(crd_predictions_class_name(p, 0), "</a>\xf0\x9f\x90\xb1");
    assert_string_equal(crd_predictions_class_name(p, 1), "gr\xc3\xbcne");
    if (i / 2) assert_string_equal(crd_predictions_class_name(p, 2), "x");
    else assert_null(crd_predictions_class_name(p, 2));
    crd_predictions_destroy(p);
    path = put_cells("n.mat", MAT_C_INT8, 1, ways[i % 2]);
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, &unlabelled, &p),
          "n.mat: class_names: cell 2 is not a row of characters");
    path = put_cells("n.mat", MAT_C_CHAR, 2, ways[i % 2]);
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, &unlabelled, &p),
          "cell 2 is not a row of characters");
    unlink(path);
  }
}

/* Characters of every type that matio writes. */
static void test_character_types(void **state) {
  static const enum matio_types types[] = { MAT_T_UINT8, MAT_T_UTF8, MAT_T_UINT16, MAT_T_UTF16 };
  static const uint16_t wide[2] = { 'a', 'b' };
  static const double scores[2] = { 1, 2 };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const recipe logits = { "logits", MAT_C_DOUBLE,        MAT_T_DOUBLE, 2, { 1, 2 }, scores,
                            0,        MAT_COMPRESSION_NONE };
    const char *path = put_recipes("t.mat", &logits, 1);
    mat_t *file = Mat_Open(path, MAT_ACC_RDWR);
    size_t two[2] = { 1, 2 };
    uint16_t units[2];
    char other[] = "no";
    crd_predictions *p;
    memcpy(units, i < 2 ? (const void *)"ab" : wide, i < 2 ? 2 : sizeof units);
    matvar_t *cells[2] = { Mat_VarCreate(NULL, MAT_C_CHAR, types[i], 2, two, units, 0),
                           Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, two, other, 0) };
    matvar_t *v = Mat_VarCreate("class_names", MAT_C_CELL, MAT_T_CELL, 2, two, cells, 0);
    assert_int_equal(Mat_VarWrite(file, v, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(v);
    Mat_Close(file);
    WORKS(*state, crd_predictions_open(*state, path, &unlabelled, &p));
    assert_string_equal(crd_predictions_class_name(p, 0), "ab");
    crd_predictions_destroy(p);
    unlink(path);
  }
}

/* libmatio leaks its copy of the inflate state if compressed data are damaged. */
CRD_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:inflateCopy"; }

/* Every byte flipped: an error message or values, never a crash, and nothing is printed. */
static void test_damage(void **state) {
  const size_t length = read_predictions();
  for (size_t i = 20; i < length; i++) {
    crd__io_bundle *bundle;
    crd_array view;
    bytes[i] ^= 0xff;
    const char *path = put_file("d.mat", bytes, length);
    bytes[i] ^= 0xff;
    const crd_status status = crd__io_bundle_open(*state, path, NULL, &bundle);
    assert_true(status == CRD_OK || status == CRD_EINPUT);
    for (size_t k = 0; bundle && k < bundle->count; k++)
      if (crd__io_bundle_matrix(*state, bundle, k, &view) != CRD_OK)
        assert_non_null(strstr(crd_context_message(*state), "d.mat: "));
    crd__io_bundle_destroy(bundle);
    unlink(path);
  }
}

static crd_status to_file(crd_context *ctx, void *self, const void *piece, size_t count) {
  return fwrite(piece, 1, count, self) == count ? CRD_OK : crd__fail(ctx, CRD_ESYSTEM, "full");
}

static const char *put_gzipped(crd_context *ctx, const char *name, size_t length) {
  const char *path = scratch_path(name);
  FILE *file = fopen(path, "wb");
  crd__io_gzip *gzip;
  WORKS(ctx, crd__io_gzip_open(ctx, &(crd__io_sink){ to_file, file }, &gzip));
  WORKS(ctx, crd__io_gzip_write(ctx, gzip, bytes, length));
  WORKS(ctx, crd__io_gzip_close(ctx, gzip, true));
  fclose(file);
  return path;
}

/* libmatio opens the file itself, so it must exist under its name and be the mapped one. */
static void test_not_by_name(void **state) {
  static const char words[] = "MATLAB files are read by name only";
  crd__io_bundle *bundle;
  const size_t length = read_predictions();
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open_memory(*state, "x", bytes, length, NULL, &bundle),
        words);
  const char *path = put_gzipped(*state, "z.mat.gz", length);
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open(*state, path, NULL, &bundle), words);
  unlink(path);
  path = put_file("i.mat", bytes, length);
  assert_non_null(freopen(path, "rb", stdin));
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open(*state, "-", NULL, &bundle), words);
  unlink(path);
}

static void test_refusals(void **state) {
  crd__io_bundle *bundle;
  const size_t length = read_predictions();
  const char *path = put_file("r.mat", bytes, 100);
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open(*state, path, NULL, &bundle),
        "r.mat: a MATLAB header of 100 bytes, expected 128");
  path = put_file("r.mat", bytes, 140);
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open(*state, path, NULL, &bundle),
        "r.mat: the element at byte 128 declares ");
  path = put_file("r.mat", bytes, 128);
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open(*state, path, NULL, &bundle),
        "r.mat: the file holds no variables");
  bytes[126] = 'X';
  path = put_file("r.mat", bytes, length);
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open(*state, path, NULL, &bundle),
        "r.mat: the MATLAB header has neither IM nor MI");
  unlink(path);
}

static crd_status open_all(crd_context *ctx, const void *path) {
  crd_predictions *p;
  const crd_status status = crd_predictions_open(ctx, path, NULL, &p);
  crd_predictions_destroy(p);
  return status;
}

static void test_memory(void **state) {
  (void)state;
  const char *path = put_predictions("f.mat");
  fail_each_allocation(open_all, path);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_classes), TEST(test_predictions), TEST(test_beginnings),
    TEST(test_damage),  TEST(test_not_by_name), TEST(test_refusals),
    TEST(test_memory),  TEST(test_cells),       TEST(test_character_types),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
