/* npy_test.c -- every element type, order, byte order and version; headers with wrong sizes. */
#include "io/testing.h"

#include "data/array.h"

static const struct {
  const char *code;
  crd_dtype dtype;
  unsigned char one_two[2][8]; /* the numbers 1 and 2, little-endian */
} types[] = {
  { "f2", CRD_F16, { { 0x00, 0x3c }, { 0x00, 0x40 } } },
  { "f4", CRD_F32, { { 0, 0, 0x80, 0x3f }, { 0, 0, 0, 0x40 } } },
  { "f8", CRD_F64, { { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f }, { 0, 0, 0, 0, 0, 0, 0, 0x40 } } },
  { "i1", CRD_I8, { { 1 }, { 2 } } },
  { "i2", CRD_I16, { { 1 }, { 2 } } },
  { "i4", CRD_I32, { { 1 }, { 2 } } },
  { "i8", CRD_I64, { { 1 }, { 2 } } },
  { "u1", CRD_U8, { { 1 }, { 2 } } },
  { "u2", CRD_U16, { { 1 }, { 2 } } },
  { "u4", CRD_U32, { { 1 }, { 2 } } },
  { "u8", CRD_U64, { { 1 }, { 2 } } },
  { "b1", CRD_BOOL, { { 1 }, { 0 } } },
};

/* Writes the 2 x 3 matrix 1 2 2 / 2 1 1 in the given layout, and reads it back. */
static void check_layout(crd_context *ctx, size_t type, char order, bool fortran,
                         unsigned version) {
  static const int second[2][3] = { { 0, 1, 1 }, { 1, 0, 0 } };
  unsigned char file[256], data[48];
  char dict[128];
  const size_t size = crd_dtype_size(types[type].dtype);
  for (size_t k = 0; k < 6; k++) {
    const size_t i = fortran ? k % 2 : k / 3, j = fortran ? k / 2 : k % 3;
    for (size_t b = 0; b < size; b++)
      data[k * size + b] = types[type].one_two[second[i][j]][order == '>' ? size - 1 - b : b];
  }
  snprintf(dict, sizeof dict, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (2, 3), }", order,
           types[type].code, fortran ? "True" : "False");
  const size_t length = put_npy(file, version, dict, data, 6 * size);
  crd__io_bundle *bundle;
  crd_array view;
  WORKS(ctx, crd__io_bundle_open_memory(ctx, "x.npy", file, length, NULL, &bundle));
  WORKS(ctx, crd__io_bundle_matrix(ctx, bundle, 0, &view));
  assert_true(view.data >= (void *)file && view.data < (void *)(file + length));
  assert_int_equal(view.dtype, types[type].dtype);
  const double two = types[type].dtype == CRD_BOOL ? 0 : 2;
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < 3; j++)
      assert_true(crd__data_array_number(&view, i, j) == (second[i][j] ? two : 1));
  crd__io_bundle_destroy(bundle);
}

static void test_layouts(void **state) {
  for (size_t type = 0; type < sizeof types / sizeof *types; type++)
    for (unsigned version = 1; version <= 3; version++)
      for (int fortran = 0; fortran < 2; fortran++) {
        check_layout(*state, type, '<', fortran, version);
        check_layout(*state, type, '>', fortran, version);
      }
}

static void test_dicts(void **state) {
  static const char *const good[] = {
    "{'shape':(2,),'fortran_order':False,'descr':'<u1'}",
    "  { \"descr\" : \"|u1\" , 'shape' : ( 2 , ) , 'fortran_order' : True }   \n",
    "{'descr': 'u1', 'fortran_order': False, 'shape': (2L,), }",
    "{'descr': '=u1', 'fortran_order': False, 'shape': (2, 1)}",
    "{'descr': '>b1', 'fortran_order': False, 'shape': (1, 2,), }\n",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    unsigned char file[256];
    crd__io_bundle *bundle;
    const size_t length = put_npy(file, 1, good[i], "\1\1", 2);
    WORKS(*state, crd__io_bundle_open_memory(*state, "x.npy", file, length, NULL, &bundle));
    assert_int_equal(
        crd__data_rows_of(&bundle->entries[0].view) * crd__data_cols(&bundle->entries[0].view), 2);
    crd__io_bundle_destroy(bundle);
  }
}

static void refuse(crd_context *ctx, const char *dict, const char *words) {
  unsigned char file[512];
  crd__io_bundle *bundle;
  const size_t length = put_npy(file, 1, dict, "12345678", 8);
  FAILS(ctx, CRD_EINPUT, crd__io_bundle_open_memory(ctx, "x.npy", file, length, NULL, &bundle),
        words);
  assert_null(bundle);
  assert_non_null(strstr(crd_context_message(ctx), "x.npy: "));
}

#define DICT(descr, order, shape)                                                                  \
  "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

static void test_lies(void **state) {
  static const struct {
    const char *dict, *words;
  } lies[] = {
    { DICT("'|O'", "False", "(1,)"), "the elements are Python objects, which are not supported" },
    { DICT("'|V8'", "False", "(1,)"), "found '|V8', expected an element type among f2" },
    { DICT("'<c8'", "False", "(1,)"), "found '<c8'" },
    { DICT("'<f16'", "False", "(1,)"), "found '<f16'" },
    { DICT("'<U0'", "False", "(1,)"), "found '<U0'" },
    { DICT("'<U2'", "False", "(1, 1)"), "strings in 2 dimensions, allowed is one" },
    { DICT("''", "False", "(1,)"), "found ''" },
    { DICT("[('a', '<f4')]", "False", "(1,)"), "records (a structured array)" },
    { DICT("'<f8'", "Maybe", "(1,)"), "expected True or False" },
    { DICT("'<f8'", "False", "(-1,)"), "found '-1,), }', expected an integer, 0 or more" },
    { DICT("'<f8'", "False", "(1)"), "expected a comma, as in (3,)" },
    { DICT("'<f8'", "False", "(1 1)"), "expected a comma" },
    { DICT("'<f8'", "False", "(1, 1 1)"), "expected ',' or ')'" },
    { DICT("'<f8'", "False", "[1]"), "expected a shape such as (3, 4)" },
    { DICT("'<f8'", "False", "(99999999999999999999,)"), "too large for this machine" },
    { DICT("'<f8'", "False", "(4611686018427387904, 8)"), "more than this machine can address" },
    { DICT("'<f8'", "False", "(0, 4611686018427387904)"), "more than this machine can address" },
    { DICT("'<f4'", "False", "(10000, 10)"), "declares 10000 x 10 f32 = 400000 bytes, found 8" },
    { DICT("'<u1'", "False", "(7,)"), "declares 7 u8 = 7 bytes, found 8" },
    { DICT("'<f8'", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
      "more than 32 dimensions" },
    { "{'descr': '<f8', 'shape': (1,)}", "a key is missing, expected descr" },
    { "{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", "found ''descr': '<f8', 'shape" },
    { "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}", "found ''x': 1}'" },
    { "{'descr': '<f8' 'fortran_order': False}", "expected ',' or '}'" },
    { "{'descr' '<f8'}", "expected ':'" },
    { "{descr: 1}", "expected a quoted word" },
    { "['descr']", "expected '{'" },
    { DICT("'<f8'", "False", "(1,)") "x", "nothing after '}'" },
    { "", "expected '{'" },
  };
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
    refuse(*state, lies[i].dict, lies[i].words);
}

static void test_beginnings(void **state) {
  static const struct {
    const char *bytes;
    size_t length;
    const char *words;
  } files[] = {
    { "\x93NUMPY\1\0", 8, "does not begin with" },
    { "\x93NUMPY\4\0ab", 10, "npy version 4.0, known are 1.0, 2.0 and 3.0" },
    { "\x93NUMPY\1\1ab", 10, "npy version 1.1" },
    { "\x93NUMPY\1\0\x50\0{", 11, "the npy header declares 80 bytes, found 1" },
    { "\x93NUMPY\2\0\0\0", 10, "found 0" },
    { "\x93NUMPY\2\0\xff\xff\xff\x7f{}", 14, "an npy header of 2147483647 bytes" },
    { "no npy at all", 13, "x.npy: the content is not npy, supported are npy, torch, npz, hdf5" },
    { "", 0, "x.npy: the file is empty" },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    crd__io_bundle *bundle;
    FAILS(
        *state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, "x.npy", files[i].bytes, files[i].length, NULL, &bundle),
        files[i].words);
  }
}

static void test_ranks(void **state) {
  static const struct {
    const char *shape, *words;
  } cases[] = {
    { "()", "x.npy: scores has 0 dimensions (), allowed are (rows, classes) or (rows,)" },
    { "(1, 1, 1)", "x.npy: scores has 3 dimensions (1, 1, 1)" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned char file[256];
    char dict[128];
    crd__io_bundle *bundle;
    crd_array view;
    snprintf(dict, sizeof dict, DICT("'<f8'", "False", "%s"), cases[i].shape);
    const size_t length = put_npy(file, 1, dict, "12345678", 8);
    WORKS(*state, crd__io_bundle_open_memory(*state, "x.npy", file, length, NULL, &bundle));
    FAILS(*state, CRD_EINPUT, crd__io_bundle_matrix(*state, bundle, 0, &view), cases[i].words);
    crd__io_bundle_destroy(bundle);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_layouts), TEST(test_dicts), TEST(test_lies), TEST(test_beginnings), TEST(test_ranks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
