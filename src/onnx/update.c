/*
 * update.c -- a model with other weights and metadata.
 *
 * New values are written as raw data, in place of the old ones if those are in the file: a model
 * that is updated with its own weights keeps its bytes, unless they were a list or external.
 * Weights keep their type: those of float16 and bfloat16 are rounded.
 */
#include "onnx/update.h"
#include "base/memory.h"
#include "math/half.h"
#include "onnx/fields.h"

#include <string.h>

enum { CHUNK = 1024 };

typedef struct {
  crd_context *ctx;
  const crd__onnx_file *file;
  const crd_weights *weights;
  size_t count;
  const crd__onnx_tensor **found; /* their initialisers */
  crd__words names;               /* of the weights, in their order */
  crd__onnx_metadata_edit metadata;
} update;

/* ---- Checks. */

typedef struct {
  const crd__onnx_file *file;
  size_t index, edge; /* of the last lookup; names come in order */
} walk;

/* Returns the name of an initialiser, for crd_nearest. */
static const char *initialiser_at(const void *self, size_t index) {
  walk *const w = *(walk *const *)self;
  if (index < w->index) w->index = w->edge = 0;
  for (; w->edge < w->file->edge_count; w->edge++) {
    if (!w->file->edges[w->edge].constant) continue;
    if (w->index == index) return w->file->edges[w->edge].name;
    w->index++;
  }
  return NULL;
}

static crd_status refuse_name(const update *u, const char *name) {
  walk w = { .file = u->file };
  walk *const self = &w;
  const char *const near = crd_nearest(name, initialiser_at, &self);
  return crd__fail(u->ctx, CRD_EUSAGE, "%s: no initialiser is called '%.60s'%s%.60s%s",
                   u->file->path, name, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

/* Bits of a value in a type of weights. */
typedef uint32_t (*bits_fn)(float value);

static uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static uint32_t bits_of_half(float value) { return crd__math_half_from_double((double)value); }
static uint32_t bits_of_bfloat(float value) { return crd__math_bfloat_from_double((double)value); }

/* Returns NULL for types that weights do not have. */
static bits_fn find_bits(crd_dtype dtype) {
  return dtype == CRD_F32    ? bits_of_float
         : dtype == CRD_F16  ? bits_of_half
         : dtype == CRD_BF16 ? bits_of_bfloat
                             : NULL;
}

static crd_status check_tensor(const update *u, const crd_weights *weights,
                               const crd__onnx_tensor *tensor) {
  if (!tensor->numbers || !find_bits(tensor->dtype))
    return crd__fail(u->ctx, CRD_EUSAGE,
                     "%s: initialiser '%.60s' is %s, only f16, bf16 and f32 can be replaced",
                     u->file->path, weights->name,
                     tensor->numbers ? crd_dtype_name(tensor->dtype) : "of an unsupported type");
  if (tensor->count != weights->count)
    return crd__fail(u->ctx, CRD_EUSAGE,
                     "%s: initialiser '%.60s' has %zu values, found %zu new ones", u->file->path,
                     weights->name, tensor->count, weights->count);
  return CRD_OK;
}

static crd_status check(update *u) {
  const crd__onnx_tensor **const found = u->found;
  size_t number;
  for (size_t i = 0; i < u->count; i++) {
    const char *const name = u->weights[i].name;
    CRD_TRY(crd__words_add(u->ctx, &u->names, name, strlen(name), &number));
    if (number < i)
      return crd__fail(u->ctx, CRD_EUSAGE, "the values of '%.60s' are given twice", name);
  }
  for (size_t i = 0; i < u->file->edge_count; i++) {
    const crd__onnx_edge *const edge = &u->file->edges[i];
    if (edge->constant && crd__words_find(&u->names, edge->name, strlen(edge->name), &number))
      found[number] = edge->constant;
  }
  for (size_t i = 0; i < u->count; i++) {
    if (!found[i]) return refuse_name(u, u->weights[i].name);
    CRD_TRY(check_tensor(u, &u->weights[i], found[i]));
  }
  return CRD_OK;
}

/* ---- Writing. */

static crd_status put_as(crd__onnx_writer *w, crd_dtype dtype, const float *values, size_t count) {
  const size_t size = crd_dtype_size(dtype);
  const bits_fn bits_of = find_bits(dtype);
  unsigned char bytes[4 * CHUNK];
  if (crd__onnx_writer_counts(w)) return crd__onnx_writer_put(w, NULL, size * count);
  for (size_t from = 0; from < count; from += CHUNK) {
    const size_t taken = count - from < CHUNK ? count - from : CHUNK;
    for (size_t i = 0; i < taken; i++) {
      const uint32_t bits = bits_of(values[from + i]);
      for (size_t b = 0; b < size; b++) bytes[size * i + b] = (unsigned char)(bits >> 8 * b & 0xff);
    }
    CRD_TRY(crd__onnx_writer_put(w, bytes, size * taken));
  }
  return CRD_OK;
}

crd_status crd__onnx_writer_floats(crd__onnx_writer *w, const float *values, size_t count) {
  return put_as(w, CRD_F32, values, count);
}

/* Weights, and the type of their initialiser. */
typedef struct {
  const crd_weights *weights;
  crd_dtype dtype;
} replacement;

static crd_status put_values(crd__onnx_writer *w, const replacement *by) {
  const crd_weights *const weights = by->weights;
  CRD_TRY(crd__onnx_writer_head(w, TENSOR_RAW, crd_dtype_size(by->dtype) * weights->count));
  return put_as(w, by->dtype, weights->values, weights->count);
}

/* Writes all fields of a tensor but its data. */
static crd_status put_tensor(crd__onnx_writer *w, crd__onnx_span span, const replacement *by) {
  bool placed = false;
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    const bool data =
        f.number == TENSOR_RAW || f.number == TENSOR_FLOATS || f.number == TENSOR_INT32S;
    if (f.number == TENSOR_EXTERNAL || f.number == TENSOR_LOCATION || (data && placed)) continue;
    if (data) CRD_TRY(put_values(w, by));
    else CRD_TRY(crd__onnx_writer_put(w, f.whole.bytes, f.whole.length));
    placed |= data;
  }
  return placed ? CRD_OK : put_values(w, by);
}

/* Finds the new values of a tensor; false: it keeps its own. */
static bool find_weights(const update *u, crd__onnx_span tensor, replacement *out) {
  crd__onnx_span name = { .bytes = tensor.bytes };
  size_t number;
  crd__onnx_message m = crd__onnx_message_of(tensor);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == TENSOR_NAME) name = f.inside;
  const bool found = crd__words_find(&u->names, (const char *)name.bytes, name.length, &number);
  if (found) *out = (replacement){ &u->weights[number], u->found[number]->dtype };
  return found;
}

static crd_status update_field(void *self, crd__onnx_writer *w, crd__onnx_kind outer,
                               const crd__onnx_field *field, bool *done) {
  const update *const u = self;
  CRD_TRY(crd__onnx_metadata_field(&u->metadata, outer, field, done));
  if (!crd__onnx_writer_in_graph(w, outer) || field->number != GRAPH_INITIALIZER) return CRD_OK;
  replacement by;
  if (!find_weights(u, field->inside, &by)) return CRD_OK;
  crd__onnx_writer measure = { .r = w->r };
  CRD_TRY(put_tensor(&measure, field->inside, &by));
  CRD_TRY(crd__onnx_writer_head(w, GRAPH_INITIALIZER, measure.bytes));
  *done = true;
  return put_tensor(w, field->inside, &by);
}

static crd_status update_end(void *self, crd__onnx_writer *w, crd__onnx_kind outer) {
  const update *const u = self;
  return crd__onnx_metadata_end(&u->metadata, w, outer);
}

static crd_status run(update *u, crd__text *out) {
  const crd__onnx_edit edit = { update_field, update_end, u };
  CRD_TRY(crd__new(u->ctx, u->count, sizeof *u->found, "weights", &u->found));
  CRD_TRY(check(u));
  return crd__onnx_file_rewrite(u->ctx, u->file, &edit, out);
}

crd_status crd__onnx_file_update(crd_context *ctx, const crd__onnx_file *file,
                                 const crd_weights *weights, size_t weight_count,
                                 crd__onnx_metadata_edit metadata, crd__text *out) {
  update u = {
    .ctx = ctx, .file = file, .weights = weights, .count = weight_count, .metadata = metadata
  };
  const crd_status status = run(&u, out);
  crd__free(&ctx->alloc, u.found);
  crd__words_clear(&ctx->alloc, &u.names);
  return status;
}
