/* safetensors_test.c -- every element type, names and metadata; headers with wrong sizes; the
 * writer. */
#include "io/testing.h"

#include "data/array.h"
#include "io/format.h"

static unsigned char file[4096];

/* Makes a file: length, header, then `bytes` bytes 0, 1, 2 ... as data. */
static size_t put(const char *header, size_t bytes) {
  const size_t length = strlen(header);
  assert_true(8 + length + bytes <= sizeof file);
  for (size_t i = 0; i < 8; i++) file[i] = (unsigned char)(length >> 8 * i);
  memcpy(file + 8, header, length);
  for (size_t i = 0; i < bytes; i++) file[8 + length + i] = (unsigned char)i;
  return 8 + length + bytes;
}

static crd__io_bundle *open_it(crd_context *ctx, const char *header, size_t bytes) {
  crd__io_bundle *bundle;
  /* Recognised by content, without a file name. */
  WORKS(ctx, crd__io_bundle_open_memory(ctx, "x", file, put(header, bytes), NULL, &bundle));
  assert_string_equal(bundle->format->info.name, "safetensors");
  return bundle;
}

static const struct {
  const char *name;
  crd_dtype dtype;
  unsigned char two[8]; /* the number 2, little-endian */
} types[] = {
  { "F16", CRD_F16, { 0x00, 0x40 } },
  { "F32", CRD_F32, { 0, 0, 0, 0x40 } },
  { "F64", CRD_F64, { 0, 0, 0, 0, 0, 0, 0, 0x40 } },
  { "I8", CRD_I8, { 2 } },
  { "I16", CRD_I16, { 2 } },
  { "I32", CRD_I32, { 2 } },
  { "I64", CRD_I64, { 2 } },
  { "U8", CRD_U8, { 2 } },
  { "U16", CRD_U16, { 2 } },
  { "U32", CRD_U32, { 2 } },
  { "U64", CRD_U64, { 2 } },
  { "BOOL", CRD_BOOL, { 1 } },
};

/* The value is the last element of a 2 x 3 array, which is not copied. */
static void test_types(void **state) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    char header[200];
    const size_t size = crd_dtype_size(types[i].dtype);
    snprintf(header, sizeof header,
             "{\"a\":{\"dtype\":\"%s\",\"shape\":[2,3],\"data_offsets\":[0,%zu]}}", types[i].name,
             6 * size);
    const size_t length = put(header, 6 * size);
    memset(file + length - 6 * size, 0, 6 * size);
    memcpy(file + length - size, types[i].two, size);
    crd__io_bundle *bundle;
    crd_array view;
    WORKS(*state, crd__io_bundle_open_memory(*state, "x", file, length, NULL, &bundle));
    WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
    assert_int_equal(view.dtype, types[i].dtype);
    assert_true(crd__data_rows_of(&view) == 2 && crd__data_cols(&view) == 3);
    assert_ptr_equal(view.data, file + length - 6 * size);
    assert_true(crd__data_array_number(&view, 1, 2) == (types[i].dtype == CRD_BOOL ? 1 : 2));
    assert_true(crd__data_array_number(&view, 1, 1) == 0);
    crd__io_bundle_destroy(bundle);
  }
}

#define U8(shape, from, to)                                                                        \
  "{\"dtype\":\"U8\",\"shape\":" shape ",\"data_offsets\":[" from "," to "]}"

static void test_names(void **state) {
  static const char *const names[] = { "val/logits\xc3\xa9\xf0\x9f\x98\x80", "\"\\?", "", "late" };
  crd__io_bundle *bundle =
      open_it(*state,
              "{ \"val\\/lo\\u0067its\\u00e9\\uD83D\\ude00\" : " U8(
                  "[1]", "1",
                  "2") ",\n"
                       "\"__metadata__\":{\"format\":\"pt\", \"\\t\":\"\"},\"\\\"\\\\\\n\":" U8(
                           "[1]", "0",
                           "1") ",\"\":{\"shape\":[0,5],\"data_offsets\":[2,2],\"dtype\":\"F64\"},"
                                "\"late\":" U8("[]", "2", "3") "}\r\n  ",
              3);
  assert_int_equal(bundle->count, 4);
  for (size_t i = 0; i < 4; i++) assert_string_equal(bundle->entries[i].name, names[i]);
  crd_array view;
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
  assert_true(crd__data_array_number(&view, 0, 0) == 1);
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, 2, &view));
  assert_true(crd__data_rows_of(&view) == 0 && crd__data_cols(&view) == 5);
  FAILS(*state, CRD_EINPUT, crd__io_bundle_matrix(*state, bundle, 3, &view),
        "late has 0 dimensions");
  crd__io_bundle_destroy(bundle);
}

/* class_names is JSON inside a JSON string. If it is not a list, only loading it fails. */
static void test_class_names(void **state) {
  static const struct {
    const char *value, *words; /* words: part of the error message; NULL: valid */
  } cases[] = {
    { "[\\\"</script>\\\", \\\"a \\\\\\\"b\\\\\\\"\\\", \\\"gr\xc3\xbcn\\\"]", NULL },
    { "cat, dog", "metadata: found 'cat, dog', expected a list such as [\"cat\", \"dog\"]" },
    { "[1, 2]", "expected a string in \"\"" },
    { "[\\\"a\\\"] b", "expected nothing after ']'" },
    { "", "expected a list" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char header[400];
    crd_array view;
    snprintf(header, sizeof header, "{\"__metadata__\":{\"class_names\" : \"%s\"},\"a\":%s}",
             cases[i].value, U8("[1]", "0", "1"));
    crd__io_bundle *bundle = open_it(*state, header, 1);
    assert_int_equal(bundle->count, 2);
    WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
    if (cases[i].words)
      FAILS(*state, CRD_EINPUT, crd__io_bundle_strings(*state, bundle, 1), cases[i].words);
    else {
      WORKS(*state, crd__io_bundle_strings(*state, bundle, 1));
      assert_int_equal(bundle->entries[1].shape[0], 3);
      assert_string_equal(bundle->entries[1].names[0], "</script>");
      assert_string_equal(bundle->entries[1].names[1], "a \"b\"");
      assert_string_equal(bundle->entries[1].names[2], "gr\xc3\xbcn");
    }
    crd__io_bundle_destroy(bundle);
  }
}

/* bfloat16 is not copied. */
static void test_bfloat16(void **state) {
  crd__io_bundle *bundle =
      open_it(*state, "{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4);
  crd_array view;
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
  assert_int_equal(view.dtype, CRD_BF16);
  assert_int_equal(crd__data_rows_of(&view), 2);
  crd__io_bundle_destroy(bundle);
}

/* Arrays of unsupported types do not prevent reading the others. */
static void test_foreign_types(void **state) {
  crd__io_bundle *bundle = open_it(
      *state,
      "{\"a\":" U8("[2]", "0",
                   "2") ",\"b\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[2,6]}}",
      6);
  crd_array view;
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
  FAILS(*state, CRD_EINPUT, crd__io_bundle_matrix(*state, bundle, 1, &view),
        "x: b: the elements are 'F8_E4M3', allowed are F16 BF16 F32 F64");
  crd__io_bundle_destroy(bundle);
}

static void refuses(crd_context *ctx, size_t length, const char *words) {
  crd__io_bundle *bundle;
  FAILS(ctx, CRD_EINPUT,
        crd__io_bundle_open_memory(ctx, "x.safetensors", file, length, NULL, &bundle), words);
  assert_null(bundle);
}

static void test_lies(void **state) {
  static const struct {
    const char *header;
    size_t bytes;
    const char *words;
  } cases[] = {
    { "[1]", 0, "safetensors header: found '[1]', expected '{'" },
    { "{}", 0, "the file holds no arrays" },
    { "{\"a\":" U8("[1]", "0", "1") "} x", 1, "found 'x', expected nothing after '}'" },
    { "{\"a\":" U8("[1]", "0", "1") ",}", 1, "found '}', expected a string" },
    { "{'a':" U8("[1]", "0", "1") "}", 1, "expected a string" },
    { "{\"a\" " U8("[1]", "0", "1") "}", 1, "expected ':'" },
    { "{\"a\":" U8("[1]", "0", "1"), 1, "expected ',' or '}'" },
    {
        "{\"a\":" U8("[1,]", "0", "1") "}",
        1,
        "found '],",
    },
    {
        "{\"a\":" U8("[NaN]", "0", "1") "}",
        1,
        "found 'NaN],",
    },
    { "{\"a\":" U8("[-1]", "0", "1") "}", 1, "expected an integer, 0 or more" },
    {
        "{\"a\":" U8("[1.5]", "0", "1") "}",
        1,
        "found '.5],",
    },
    { "{\"a\":" U8("1", "0", "1") "}", 1, "expected a list such as [3, 4]" },
    { "{\"a\":" U8("[99999999999999999999]", "0", "1") "}", 1, "too large for this machine" },
    { "{\"a\":" U8("[4294967296,4294967296,2]", "0", "1") "}", 1,
      "a: declares 4294967296 x 42949" },
    { "{\"a\":" U8("[0,9223372036854775807,3]", "0", "0") "}", 0, "this machine can address" },
    { "{\"a\":" U8("[3]", "0", "2") "}", 2, "a: declares 3 u8 = 3 bytes, data_offsets span 2" },
    { "{\"a\":" U8("[1]", "0", "2") "}", 2, "a: declares 1 u8 = 1 bytes, data_offsets span 2" },
    { "{\"a\":" U8("[3]", "0", "3") "}", 2,
      "a: data_offsets are 0 and 3, the file has data from 0" },
    { "{\"a\":" U8("[3]", "3", "0") "}", 3, "a: data_offsets are 3 and 0" },
    { "{\"a\":" U8("[2]", "0", "2") ",\"b\":" U8("[2]", "1", "3") "}", 3,
      "bytes 1 to 2 of the data belong to two arrays" },
    { "{\"b\":" U8("[1]", "2", "3") ",\"a\":" U8("[1]", "0", "1") "}", 3,
      "bytes 1 to 2 of the data belong to no array" },
    { "{\"a\":" U8("[1]", "0", "1") "}", 3, "bytes 1 to 3 of the data belong to no array" },
    { "{\"a\":" U8("[1]", "0", "1") ",\"a\":" U8("[1]", "1", "2") "}", 2, "two arrays named a" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1,
      "a key is missing, expected dtype, shape and" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"shape\":[1]}}", 1,
      "found '\"shape\":[1]}}', expected dtype, shape and data_offsets, once each" },
    { "{\"a\":{\"dtype\":\"U8\",\"x\":1}}", 1,
      "found '\"x\":1}}', expected dtype, shape and data" },
    { "{\"a\":{\"dtype\":8}}", 1, "expected a quoted word" },
    { "{\"a\":{\"data_offsets\":[1]}}", 1, "expected two offsets, [from, to]" },
    { "{\"a\":{\"data_offsets\":[1,2,3]}}", 1, "a list of more than 2 numbers" },
    { "{\"__metadata__\":{\"a\":{}}}", 0, "expected a string" },
    { "{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ twice" },
    { "{\"__metadata__\":[]}", 0, "expected '{'" },
    { "{\"\\u0000\":" U8("[1]", "0", "1") "}", 1, "expected a JSON escape" },
    { "{\"\\ud800\":" U8("[1]", "0", "1") "}", 1, "expected a JSON escape" },
    { "{\"\\udc00\\ud800\":" U8("[1]", "0", "1") "}", 1, "expected a JSON escape" },
    { "{\"\\ud800\\u0041\":" U8("[1]", "0", "1") "}", 1, "expected a JSON escape" },
    { "{\"\\u00g0\":" U8("[1]", "0", "1") "}", 1, "expected a JSON escape" },
    { "{\"\\x\":" U8("[1]", "0", "1") "}", 1, "expected a JSON escape" },
    { "{\"a\n\":" U8("[1]", "0", "1") "}", 1, "expected the rest of a string" },
    { "{\"a", 0, "expected the rest of a string" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refuses(*state, put(cases[i].header, cases[i].bytes), cases[i].words);
}

static void test_lengths(void **state) {
  const size_t length = put("{\"a\":" U8("[1]", "0", "1") "}", 1);
  refuses(*state, 1, "the safetensors header declares 0 bytes, found 0");
  refuses(*state, 8, "the safetensors header declares 0 bytes, found 0");
  refuses(*state, 20, "the safetensors header declares 53 bytes, found 12");
  file[7] = 0x80;
  refuses(*state, length, "the safetensors header declares 9223372036854775861 bytes, found 54");
  for (size_t i = 0; i + 1 < length;
       i++) { /* every truncated file fails, without reading past its end */
    put("{\"a\":" U8("[1]", "0", "1") "}", 1);
    unsigned char *cut = malloc(i + 1);
    crd__io_bundle *bundle;
    memcpy(cut, file, i + 1);
    assert_int_equal(crd__io_bundle_open_memory(*state, "x.safetensors", cut, i + 1, NULL, &bundle),
                     CRD_EINPUT);
    free(cut);
  }
}

/* A header of 20000 empty arrays fails at the limit. */
static void test_many(void **state) {
  enum { COUNT = 20000 };
  char *header = malloc(COUNT * 64 + 16);
  size_t used = 8;
  for (int i = 0; i < COUNT; i++)
    used += (size_t)sprintf(header + used, "%c\"%d\":" U8("[0]", "0", "0"), i ? ',' : '{', i);
  header[used++] = '}';
  for (size_t i = 0; i < 8; i++) header[i] = (char)((used - 8) >> 8 * i);
  crd__io_bundle *bundle;
  FAILS(*state, CRD_EINPUT, crd__io_bundle_open_memory(*state, "x", header, used, NULL, &bundle),
        "x: there are more than 16384 arrays");
  free(header);
}

/* ---- Writing. */

static void test_bytes(void **state) {
  static const double numbers[4] = { 1, 2, 3, 4 };
  const crd__io_array arrays[] = {
    { .name = "labels\"", .view = crd_array_matrix("\0\1", CRD_U8, 2, 1) },
    { .name = "logits", .view = crd_array_matrix(numbers, CRD_F64, 2, 2) },
  };
  static const char expected[] =
      "{\"labels\\\"\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[32,34]},"
      "\"logits\":{\"dtype\":\"F64\",\"shape\":[2,2],\"data_offsets\":[0,32]}}";
  const char *path = scratch_path("w.safetensors");
  WORKS(*state, crd__io_bundle_write(*state, path, arrays, 2));
  crd__io_bundle *bundle;
  crd_array view;
  WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
  assert_int_equal(bundle->bytes[0] % 8, 0);
  assert_memory_equal(bundle->bytes + 8, expected, strlen(expected));
  assert_int_equal(bundle->length, 8 + (strlen(expected) + 7) / 8 * 8 + 34);
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, 1, &view));
  assert_int_equal((uintptr_t)view.data % 8, 0);
  assert_true(crd__data_array_number(&view, 1, 0) == 3);
  WORKS(*state, crd__io_bundle_matrix(*state, bundle, 0, &view));
  assert_true(crd__data_array_number(&view, 1, 0) == 1);
  crd__io_bundle_destroy(bundle);
  unlink(path);
  const crd__io_array metadata = { .name = "__metadata__", .view = arrays[0].view };
  FAILS(*state, CRD_EUSAGE, crd__io_bundle_write(*state, path, &metadata, 1),
        "an array cannot be named __metadata__");
}

static crd_status open_all(crd_context *ctx, const void *length) {
  crd__io_bundle *bundle;
  const crd_status status =
      crd__io_bundle_open_memory(ctx, "x", file, *(const size_t *)length, NULL, &bundle);
  crd__io_bundle_destroy(bundle);
  return status;
}

static void test_memory(void **state) {
  (void)state;
  const size_t length = put("{\"__metadata__\":{\"a\":\"b\"},\"a\":" U8("[1]", "0", "1") "}", 1);
  fail_each_allocation(open_all, &length);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_types),  TEST(test_names),       TEST(test_bfloat16), TEST(test_foreign_types),
    TEST(test_lies),   TEST(test_lengths),     TEST(test_many),     TEST(test_bytes),
    TEST(test_memory), TEST(test_class_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
