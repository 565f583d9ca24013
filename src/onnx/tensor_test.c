/* tensor_test.c -- tensors of every type in every encoding of their data. */
#include "messages_test.h"

#include "onnx/file.h"

typedef enum { RAW, PACKED, ALONE, MIXED, WAYS } way;

/* One type: its number, the field of its lists, and three values with their bytes. */
typedef struct {
  int type;
  crd_dtype dtype;
  unsigned list;
  unsigned width; /* of the list; 0: varints */
  int64_t values[3];
  const void *bytes;
} type_case;

static const float floats[] = { 1.5F, -0.0F, 3e38F };
static const double doubles[] = { 1.5, -1e300, 5e-324 };
static const type_case cases[] = {
  { 1, CRD_F32, TENSOR_FLOATS, 4, { 0 }, floats },
  { 2, CRD_U8, TENSOR_INT32S, 0, { 0, 7, 255 }, (const uint8_t[]){ 0, 7, 255 } },
  { 3, CRD_I8, TENSOR_INT32S, 0, { -128, 7, 127 }, (const int8_t[]){ -128, 7, 127 } },
  { 4, CRD_U16, TENSOR_INT32S, 0, { 0, 7, 65535 }, (const uint16_t[]){ 0, 7, 65535 } },
  { 5, CRD_I16, TENSOR_INT32S, 0, { -32768, 7, 300 }, (const int16_t[]){ -32768, 7, 300 } },
  { 6, CRD_I32, TENSOR_INT32S, 0, { INT32_MIN, 1, 2 }, (const int32_t[]){ INT32_MIN, 1, 2 } },
  { 7, CRD_I64, TENSOR_INT64S, 0, { INT64_MIN, -1, 2 }, (const int64_t[]){ INT64_MIN, -1, 2 } },
  { 9, CRD_BOOL, TENSOR_INT32S, 0, { 0, 1, 1 }, (const uint8_t[]){ 0, 1, 1 } },
  { 10, CRD_F16, TENSOR_INT32S, 0, { 0x3c00, 0, 0xfbff }, (const uint16_t[]){ 0x3c00, 0, 0xfbff } },
  { 11, CRD_F64, TENSOR_DOUBLES, 8, { 0 }, doubles },
  { 12, CRD_U32, TENSOR_UINT64S, 0, { 0, 1, UINT32_MAX }, (const uint32_t[]){ 0, 1, UINT32_MAX } },
  { 13, CRD_U64, TENSOR_UINT64S, 0, { 0, -1, 2 }, (const uint64_t[]){ 0, UINT64_MAX, 2 } },
  { 16,
    CRD_BF16,
    TENSOR_INT32S,
    0,
    { 0x3f80, 0, 0xff7f },
    (const uint16_t[]){ 0x3f80, 0, 0xff7f } },
};
enum { CASES = sizeof cases / sizeof *cases };

/* Value i of a case, as one field. */
static void put_alone(crd__text *out, const type_case *c, size_t i) {
  if (!c->width) {
    crd__onnx_proto_int(out, c->list, c->values[i]);
    return;
  }
  const char key = (char)(c->list << 3 | (c->width == 4 ? 5 : 1));
  crd__text_add_bytes(out, &key, 1);
  crd__text_add_bytes(out, (const char *)c->bytes + i * c->width, c->width);
}

/* Values from .. 2 of a case, packed. */
static void put_packed(builder *b, const type_case *c, size_t from) {
  crd__text list, field;
  crd__text_init(&list, &b->ctx->alloc);
  crd__text_init(&field, &b->ctx->alloc);
  for (size_t i = from; i < 3; i++) { /* a single field, without its key of one byte */
    put_alone(&field, c, i);
    crd__text_add_bytes(&list, field.bytes + 1, field.length - 1);
    field.length = 0;
  }
  crd__onnx_proto_message(top(b), c->list, &list);
  crd__text_clear(&list);
  crd__text_clear(&field);
}

static crd_status read_tensor(builder *b, crd__onnx_tensor **out) {
  const crd_status status = crd__onnx_tensor_read(b->ctx, "t.pb", made(b), out);
  assert_true((status == CRD_OK) == (*out != NULL));
  return status;
}

static void put_head(builder *b, int type, const int64_t *dims, size_t rank) {
  for (size_t i = 0; i < rank; i++) crd__onnx_proto_int(top(b), TENSOR_DIM, dims[i]);
  crd__onnx_proto_int(top(b), TENSOR_TYPE, type);
  crd__onnx_proto_string(top(b), TENSOR_NAME, "t");
}

static void reads_every_type_in_every_way(void **state) {
  for (size_t i = 0; i < CASES; i++)
    for (way how = RAW; how < WAYS; how++) {
      const type_case *const c = &cases[i];
      const size_t size = crd_dtype_size(c->dtype);
      builder b = begin(state);
      crd__onnx_tensor *t;
      put_head(&b, c->type, (int64_t[]){ 3, 1 }, 2);
      if (how == RAW) crd__onnx_proto_bytes(top(&b), TENSOR_RAW, c->bytes, 3 * size);
      if (how == PACKED) put_packed(&b, c, 0);
      for (size_t k = 0; k < 3 && how == ALONE; k++) put_alone(top(&b), c, k);
      if (how == MIXED) put_alone(top(&b), c, 0);
      if (how == MIXED) put_packed(&b, c, 1);
      if (read_tensor(&b, &t) != CRD_OK)
        fail_msg("type %d: %s", c->type, crd_context_message(b.ctx));
      assert_string_equal(t->name, "t");
      assert_true(t->numbers && t->type == c->type && t->dtype == c->dtype && t->count == 3);
      assert_true(t->rank == 2 && t->dims[0] == 3 && t->dims[1] == 1);
      assert_memory_equal(t->bytes, c->bytes, 3 * size);
      /* Data that is stored in the right form is not copied. */
      const char *const at = (const char *)t->bytes, *const all = b.texts[0].bytes;
      const bool inside = at >= all && at < all + b.texts[0].length;
      assert_int_equal(inside, how == RAW || (how == PACKED && c->width));
      crd__onnx_tensor_destroy(&b.ctx->alloc, t);
      crd__text_clear(top(&b));
    }
}

static void numbers_beyond_the_type_are_refused(void **state) {
  static const struct {
    int type;
    unsigned list;
    int64_t value;
  } bad[] = {
    { 2, TENSOR_INT32S, 256 },       { 2, TENSOR_INT32S, -1 },
    { 3, TENSOR_INT32S, 128 },       { 3, TENSOR_INT32S, -129 },
    { 4, TENSOR_INT32S, 65536 },     { 5, TENSOR_INT32S, 32768 },
    { 9, TENSOR_INT32S, 2 },         { 10, TENSOR_INT32S, 65536 },
    { 6, TENSOR_INT32S, 1LL << 31 }, { 12, TENSOR_UINT64S, 1LL << 32 },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    builder b = begin(state);
    crd__onnx_tensor *t;
    put_head(&b, bad[i].type, NULL, 0);
    crd__onnx_proto_int(top(&b), bad[i].list, bad[i].value);
    assert_int_equal(read_tensor(&b, &t), CRD_EINPUT);
    check_message(&b, "t.pb: tensor 't': element 0 is ");
    crd__text_clear(top(&b));
  }
}

/* ---- Shapes and sizes. */

typedef struct {
  int type;
  size_t rank;
  int64_t dims[9];
  size_t raw; /* bytes */
  const char *words;
} shape_case;

static void shapes_that_cannot_be_are_refused(void **state) {
  static const char zeros[64];
  static const shape_case bad[] = {
    { 1, 1, { 2 }, 7, "tensor 't' has 7 bytes, its type and dimensions need 8" },
    { 1, 1, { 2 }, 12, "tensor 't' has 12 bytes, its type and dimensions need 8" },
    { 1, 0, { 0 }, 0, "tensor 't' has 0 elements, its type and dimensions need 1" },
    { 11, 0, { 0 }, 4, "tensor 't' has 4 bytes, its type and dimensions need 8" },
    { 1, 2, { 2, -1 }, 8, "tensor 't' has a dimension -1: expected 0 or more" },
    { 1, 9, { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 4, "tensor 't' has more than 8 dimensions" },
    { 1, 2, { INT64_MAX, 3 }, 4, "too many elements for memory" },
    { 1, 2, { 1LL << 32, 1LL << 32 }, 0, "too many elements for memory" },
    { 1, 1, { 1LL << 61 }, 4, "too many elements for memory" },
    { 8, 2, { INT64_MAX, 3 }, 4, "too many elements for memory" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    builder b = begin(state);
    crd__onnx_tensor *t;
    put_head(&b, bad[i].type, bad[i].dims, bad[i].rank);
    if (bad[i].raw) crd__onnx_proto_bytes(top(&b), TENSOR_RAW, zeros, bad[i].raw);
    assert_int_equal(read_tensor(&b, &t), CRD_EINPUT);
    check_message(&b, bad[i].words);
    crd__text_clear(top(&b));
  }
}

static void put_twice(builder *b) {
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, floats, 8);
  crd__onnx_proto_bytes(top(b), TENSOR_FLOATS, floats, 8);
}
static void put_foreign(builder *b) { crd__onnx_proto_bytes(top(b), TENSOR_DOUBLES, doubles, 16); }
static void put_torn(builder *b) { crd__onnx_proto_bytes(top(b), TENSOR_FLOATS, floats, 7); }
static void put_varint(builder *b) { crd__onnx_proto_int(top(b), TENSOR_FLOATS, 1); }
static void put_segment(builder *b) { crd__onnx_proto_string(top(b), TENSOR_SEGMENT, ""); }
static void put_elsewhere(builder *b) { put_place(b, "w.bin", NULL, NULL); }
static void put_one(builder *b) { crd__onnx_proto_bytes(top(b), TENSOR_FLOATS, floats, 4); }
static void put_cut(builder *b) { crd__text_add_bytes(top(b), "\x4a\x7f", 2); }

static void numbers_in_the_wrong_place_are_refused(void **state) {
  static const struct {
    void (*put)(builder *b);
    const char *words;
  } bad[] = {
    { put_twice, "tensor 't' has its data twice" },
    { put_foreign, "tensor 't' has data of another type than its own, f32" },
    { put_torn, "tensor 't': invalid data after element 1" },
    { put_varint, "tensor 't': invalid data after element 0" },
    { put_segment, "tensor 't' is a segment of another" },
    { put_elsewhere, "tensor 't' has external data, which is not allowed here" },
    { put_one, "tensor 't' has 1 elements, its type and dimensions need 2" },
    { put_cut, "tensor 't' is truncated" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    builder b = begin(state);
    crd__onnx_tensor *t;
    put_head(&b, CRD__ONNX_FLOAT, (int64_t[]){ 2 }, 1);
    bad[i].put(&b);
    assert_int_equal(read_tensor(&b, &t), CRD_EINPUT);
    check_message(&b, bad[i].words);
    crd__text_clear(top(&b));
  }
}

/* Complex numbers, 8-bit floats, unknown types: their shape is read, their data is not. */
static void other_types_are_no_numbers(void **state) {
  static const int types[] = { 0, 14, 15, 17, 23 };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    builder b = begin(state);
    crd__onnx_tensor *t;
    put_head(&b, types[i], (int64_t[]){ 2, 3 }, 2);
    crd__onnx_proto_bytes(top(&b), TENSOR_RAW, doubles, 5);
    assert_int_equal(read_tensor(&b, &t), CRD_OK);
    assert_true(!t->numbers && t->type == types[i] && t->count == 6 && !t->bytes);
    crd__onnx_tensor_destroy(&b.ctx->alloc, t);
    crd__text_clear(top(&b));
  }
}

/* A string stands for its index among the distinct ones. */
static void strings_are_their_indices(void **state) {
  static const char *const words[] = { "b", "a", "", "b", "a" };
  static const int64_t codes[] = { 0, 1, 2, 0, 1 };
  for (size_t count = 4; count <= 5; count++) {
    builder b = begin(state);
    crd__onnx_tensor *t;
    put_head(&b, TYPE_STRING, (int64_t[]){ 5 }, 1);
    for (size_t i = 0; i < count; i++)
      crd__onnx_proto_bytes(top(&b), TENSOR_STRINGS, words[i], strlen(words[i]));
    assert_int_equal(read_tensor(&b, &t), count == 5 ? CRD_OK : CRD_EINPUT);
    if (count < 5) check_message(&b, "tensor 't' has 4 strings, its dimensions need 5");
    else {
      assert_true(t->numbers && t->strings && t->dtype == CRD_I64 && t->count == 5);
      assert_memory_equal(t->bytes, codes, sizeof codes);
    }
    crd__onnx_tensor_destroy(&b.ctx->alloc, t);
    crd__text_clear(top(&b));
  }
}

/* Empty tensors need no data; dimensions may be packed. */
static void empty_tensors_have_no_numbers(void **state) {
  builder b = begin(state);
  crd__onnx_tensor *t;
  put_head(&b, CRD__ONNX_FLOAT, NULL, 0);
  crd__onnx_proto_bytes(top(&b), TENSOR_DIM, "\x05\x00\x02", 3);
  assert_int_equal(read_tensor(&b, &t), CRD_OK);
  assert_true(t->rank == 3 && t->dims[0] == 5 && t->count == 0 && t->bytes);
  crd__onnx_tensor_destroy(&b.ctx->alloc, t);
  crd__text_clear(top(&b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reads_every_type_in_every_way),
    cmocka_unit_test(numbers_beyond_the_type_are_refused),
    cmocka_unit_test(shapes_that_cannot_be_are_refused),
    cmocka_unit_test(numbers_in_the_wrong_place_are_refused),
    cmocka_unit_test(other_types_are_no_numbers),
    cmocka_unit_test(strings_are_their_indices),
    cmocka_unit_test(empty_tensors_have_no_numbers),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
