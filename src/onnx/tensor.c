/*
 * tensor.c -- constant tensors.
 *
 * A TensorProto has its data as raw little-endian bytes, as external data, or as a list whose field
 * depends on the type: small types as varints of int32_data, one by one or packed into bytes. Data
 * is pointed at if possible, and otherwise decoded.
 */
#include "base/memory.h"
#include "onnx/fields.h"
#include "onnx/reader.h"

#include <string.h>

typedef struct {
  bool known;
  crd_dtype dtype;
  unsigned list;  /* the field that holds a list of values */
  unsigned width; /* bytes of each value there; 0: varints */
} type_row;

static const type_row types[] = {
  [1] = { true, CRD_F32, TENSOR_FLOATS, 4 },   [2] = { true, CRD_U8, TENSOR_INT32S, 0 },
  [3] = { true, CRD_I8, TENSOR_INT32S, 0 },    [4] = { true, CRD_U16, TENSOR_INT32S, 0 },
  [5] = { true, CRD_I16, TENSOR_INT32S, 0 },   [6] = { true, CRD_I32, TENSOR_INT32S, 0 },
  [7] = { true, CRD_I64, TENSOR_INT64S, 0 },   [9] = { true, CRD_BOOL, TENSOR_INT32S, 0 },
  [10] = { true, CRD_F16, TENSOR_INT32S, 0 },  [11] = { true, CRD_F64, TENSOR_DOUBLES, 8 },
  [12] = { true, CRD_U32, TENSOR_UINT64S, 0 }, [13] = { true, CRD_U64, TENSOR_UINT64S, 0 },
  [16] = { true, CRD_BF16, TENSOR_INT32S, 0 },
};
static const type_row unknown = { .known = false };

static const type_row *find_type(int64_t type) {
  const bool inside = type >= 0 && (size_t)type < sizeof types / sizeof *types;
  return inside ? &types[type] : &unknown;
}

bool crd__onnx_dtype(int64_t type, crd_dtype *out) {
  const type_row *const row = find_type(type);
  if (row->known) *out = row->dtype;
  return row->known;
}

int crd__onnx_type_of(crd_dtype dtype) {
  for (int type = 0; (size_t)type < sizeof types / sizeof *types; type++)
    if (types[type].known && types[type].dtype == dtype) return type;
  return 0;
}

/* Data fields found in a TensorProto. */
typedef struct {
  crd__onnx_span all;
  const type_row *row;
  bool raw, external;
  crd__onnx_span bytes; /* raw, or the only list if it is packed */
  size_t lists;         /* number of list fields of the type's own ... */
  size_t foreign;       /* ... and of other types */
} parts;

static bool is_list(uint64_t number) {
  return (number >= TENSOR_FLOATS && number <= TENSOR_INT64S) || number == TENSOR_DOUBLES ||
         number == TENSOR_UINT64S;
}

/* ---- Shape. */

static crd_status read_dims(const crd__onnx_reader *r, const crd__onnx_field *field,
                            crd__onnx_tensor *t) {
  crd__onnx_values values;
  bool right = crd__onnx_values_of(field, 0, &values);
  for (uint64_t dim; right && crd__onnx_values_next(&values, &dim);) {
    if ((int64_t)dim < 0)
      return crd__onnx_reader_fail(r, "tensor '%.60s' has a dimension %lld: expected 0 or more",
                                   t->name, (long long)dim);
    if (t->rank == CRD_RANK_MAX)
      return crd__onnx_reader_fail(r, "tensor '%.60s' has more than %d dimensions, the maximum",
                                   t->name, CRD_RANK_MAX);
    t->dims[t->rank++] = (int64_t)dim;
  }
  if (right && !values.packed.broken) return CRD_OK;
  return crd__onnx_reader_fail(r, "tensor '%.60s' has an invalid dimension", t->name);
}

static crd_status count_elements(const crd__onnx_reader *r, size_t size, crd__onnx_tensor *t) {
  size_t bytes;
  t->count = 1;
  bool fits = true;
  for (size_t i = 0; i < t->rank; i++)
    fits = fits && crd__size_mul(t->count, (size_t)t->dims[i], &t->count);
  if (fits && crd__size_mul(t->count, size, &bytes) && bytes <= PTRDIFF_MAX) return CRD_OK;
  return crd__onnx_reader_fail(r, "tensor '%.60s': too many elements for memory", t->name);
}

/* ---- Data. */

static bool is_little_endian(void) {
  const uint16_t one = 1;
  unsigned char low;
  memcpy(&low, &one, 1);
  return low == 1;
}

/* Stores the lowest bytes of a number as an element of `size` bytes. */
static void store(uint64_t value, size_t size, unsigned char *out) {
  const uint8_t one = (uint8_t)value;
  const uint16_t two = (uint16_t)value;
  const uint32_t four = (uint32_t)value;
  const void *const from[] = { [1] = &one, [2] = &two, [4] = &four, [8] = &value };
  memcpy(out, from[size], size);
}

/* Uses little-endian bytes in place, or a byte-swapped copy. */
static crd_status take_bytes(const crd__onnx_reader *r, const unsigned char *bytes,
                             crd__onnx_tensor *t) {
  const size_t size = crd_dtype_size(t->dtype);
  unsigned char *turned;
  t->bytes = bytes;
  if (is_little_endian() || size == 1) return CRD_OK;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, t->count, size, &turned));
  for (size_t i = 0; i < t->count * size; i++)
    turned[i] = bytes[i / size * size + size - 1 - i % size];
  t->bytes = turned;
  return CRD_OK;
}

/* Returns whether a varint is in the range of the type. */
static bool is_in_range(uint64_t value, crd_dtype dtype) {
  const size_t bits = 8 * crd_dtype_size(dtype);
  if (dtype == CRD_BOOL) return value < 2;
  if (bits == 64) return true;
  if (dtype != CRD_I8 && dtype != CRD_I16 && dtype != CRD_I32) return value >> bits == 0;
  const int64_t limit = INT64_C(1) << (bits - 1);
  return (int64_t)value >= -limit && (int64_t)value < limit;
}

/* Walks the lists: stores their values (`out` not NULL) or only counts them. */
static crd_status walk_lists(const crd__onnx_reader *r, const parts *p, const crd__onnx_tensor *t,
                             unsigned char *out, size_t *count) {
  const size_t size = crd_dtype_size(t->dtype);
  crd__onnx_message m = crd__onnx_message_of(p->all);
  *count = 0;
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    crd__onnx_values values;
    if (f.number != p->row->list) continue;
    bool right = crd__onnx_values_of(&f, p->row->width, &values);
    for (uint64_t value; right && crd__onnx_values_next(&values, &value); ++*count) {
      if (!p->row->width && !is_in_range(value, t->dtype))
        return crd__onnx_reader_fail(r, "tensor '%.60s': element %zu is %lld, out of range for %s",
                                     t->name, *count, (long long)value, crd_dtype_name(t->dtype));
      if (out) store(value, size, out + *count * size);
    }
    if (!right || values.packed.broken)
      return crd__onnx_reader_fail(r, "tensor '%.60s': invalid data after element %zu", t->name,
                                   *count);
  }
  return CRD_OK;
}

static crd_status wrong_count(const crd__onnx_reader *r, const crd__onnx_tensor *t, size_t found,
                              const char *unit, size_t wanted) {
  return crd__onnx_reader_fail(r, "tensor '%.60s' has %zu %s, its type and dimensions need %zu",
                               t->name, found, unit, wanted);
}

static crd_status read_lists(const crd__onnx_reader *r, const parts *p, crd__onnx_tensor *t) {
  const size_t size = crd_dtype_size(t->dtype);
  const bool whole = p->lists == 1 && p->row->width && p->bytes.bytes;
  size_t count = p->bytes.length / size;
  unsigned char *numbers;
  if (whole && p->bytes.length % size == 0 && count == t->count)
    return take_bytes(r, p->bytes.bytes, t);
  CRD_TRY(walk_lists(r, p, t, NULL, &count));
  if (count != t->count) return wrong_count(r, t, count, "elements", t->count);
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, size, &numbers));
  t->bytes = numbers;
  return walk_lists(r, p, t, numbers, &count);
}

static crd_status read_numbers(const crd__onnx_reader *r, const parts *p, crd__onnx_tensor *t) {
  const size_t need = t->count * crd_dtype_size(t->dtype);
  const unsigned char *bytes;
  if (p->foreign)
    return crd__onnx_reader_fail(r, "tensor '%.60s' has data of another type than its own, %s",
                                 t->name, crd_dtype_name(t->dtype));
  if (p->external + p->raw + (p->lists > 0) > 1)
    return crd__onnx_reader_fail(r, "tensor '%.60s' has its data twice", t->name);
  if (p->external) {
    CRD_TRY(crd__onnx_reader_external(r, p->all, t->name, need, &bytes));
    return take_bytes(r, bytes, t);
  }
  if (!p->raw) return read_lists(r, p, t);
  if (p->bytes.length != need) return wrong_count(r, t, p->bytes.length, "bytes", need);
  return take_bytes(r, p->bytes.bytes, t);
}

/* ---- The message. */

/* Reads type and name first: messages and lists need them, and fields may be in any order. */
static crd_status read_head(const crd__onnx_reader *r, crd__onnx_span span, crd__onnx_tensor *t) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == TENSOR_NAME) {
      CRD_TRY(crd__onnx_reader_expect(r, &f, true, "a tensor's name"));
      CRD_TRY(crd__onnx_reader_name(r, f.inside, "a tensor", &t->name));
    }
    if (f.number != TENSOR_TYPE) continue;
    CRD_TRY(crd__onnx_reader_expect(r, &f, false, "a tensor's type"));
    t->type = f.value < 1000 ? (int)f.value : 0;
  }
  return m.broken ? crd__onnx_reader_fail(r, "tensor '%.60s' is truncated", t->name) : CRD_OK;
}

static crd_status read_field(const crd__onnx_reader *r, const crd__onnx_field *f, parts *p,
                             crd__onnx_tensor *t) {
  if (f->number == TENSOR_DIM) return read_dims(r, f, t);
  if (f->number == TENSOR_SEGMENT)
    return crd__onnx_reader_fail(r, "tensor '%.60s' is a segment of another, which is unsupported",
                                 t->name);
  if (f->number == TENSOR_LOCATION) {
    p->external = f->value == LOCATION_EXTERNAL;
    return crd__onnx_reader_expect(r, f, false, "the location of a tensor's data");
  }
  if (f->number == TENSOR_RAW) {
    p->raw = f->inside.length > 0;
    p->bytes = f->inside;
    return crd__onnx_reader_expect(r, f, true, "a tensor's raw data");
  }
  const bool empty = f->is_bytes && f->inside.length == 0;
  if (!is_list(f->number) || empty) return CRD_OK;
  const bool own = f->number == p->row->list;
  p->lists += own;
  p->foreign += !own;
  if (own && !p->raw) p->bytes = f->is_bytes ? f->inside : (crd__onnx_span){ 0 };
  return CRD_OK;
}

crd_status crd__onnx_reader_tensor(const crd__onnx_reader *r, crd__onnx_span span,
                                   crd__onnx_tensor *out) {
  *out = (crd__onnx_tensor){ .name = "" };
  CRD_TRY(read_head(r, span, out));
  parts p = { .all = span, .row = find_type(out->type) };
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) CRD_TRY(read_field(r, &f, &p, out));
  out->numbers = crd__onnx_dtype(out->type, &out->dtype);
  CRD_TRY(count_elements(r, out->numbers ? crd_dtype_size(out->dtype) : 1, out));
  if (out->type == TYPE_STRING) return crd__onnx_reader_strings(r, span, out);
  return out->numbers ? read_numbers(r, &p, out) : CRD_OK;
}

/* ---- Stand-alone tensors. */

typedef struct {
  crd__onnx_tensor tensor; /* first: the public struct is at the same address */
  crd__onnx_arena arena;
} lone_tensor;

crd_status crd__onnx_tensor_read(crd_context *ctx, const char *name, crd__onnx_span bytes,
                                 crd__onnx_tensor **out) {
  lone_tensor *lone;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *lone, "a tensor", &lone));
  lone->arena.alloc = ctx->alloc;
  const crd__onnx_reader reader = { .ctx = ctx, .path = name, .arena = &lone->arena };
  const crd_status status = crd__onnx_reader_tensor(&reader, bytes, &lone->tensor);
  if (status == CRD_OK) *out = &lone->tensor;
  else crd__onnx_tensor_destroy(&ctx->alloc, &lone->tensor);
  return status;
}

void crd__onnx_tensor_destroy(const crd_allocator *alloc, crd__onnx_tensor *tensor) {
  lone_tensor *const lone = (lone_tensor *)(void *)tensor;
  if (lone) crd__onnx_arena_clear(&lone->arena);
  crd__free(alloc, lone);
}
