/*
 * torch_tensor.c -- tensors of a torch.save file: parses and checks the recorded calls, and fills
 * entries.
 *
 *   _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata])
 *   _rebuild_tensor_v3(storage, offset, size, stride, requires_grad, hooks, dtype[, metadata])
 *   _rebuild_parameter(tensor, requires_grad, hooks)
 *   _rebuild_from_type_v2(function, class, arguments, state)
 *
 * Element (i, j, ...) has the index offset + i stride[0] + j stride[1] + ... in the storage.
 * Source: torch/_utils.py, torch/serialization.py.
 */
#include "io/format/torch.h"

#include "base/memory.h"

#include <string.h>

/* ---- Element types. */

static const struct {
  const char *storage, *dtype; /* torch.FloatStorage, torch.float32 */
  crd_dtype as;
  bool brain;
} types[] = {
  { "HalfStorage", "float16", CRD_F16, false },
  { "BFloat16Storage", "bfloat16", CRD_F32, true },
  { "FloatStorage", "float32", CRD_F32, false },
  { "DoubleStorage", "float64", CRD_F64, false },
  { "CharStorage", "int8", CRD_I8, false },
  { "ShortStorage", "int16", CRD_I16, false },
  { "IntStorage", "int32", CRD_I32, false },
  { "LongStorage", "int64", CRD_I64, false },
  { "ByteStorage", "uint8", CRD_U8, false },
  { "BoolStorage", "bool", CRD_BOOL, false },
  { "", "uint16", CRD_U16, false },
  { "", "uint32", CRD_U32, false },
  { "", "uint64", CRD_U64, false },
};
enum { TYPES = sizeof types / sizeof *types };
#define TYPES_READ                                                                                 \
  "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool"

static size_t element_bytes(size_t type) {
  return types[type].brain ? 2 : crd_dtype_size(types[type].as);
}

/* The index of a storage's class, of torch or torch.cuda, in the table; TYPES: none. */
static size_t storage_type(const crd__io_py_node *name) {
  size_t i = 0;
  while (i < TYPES && !(types[i].storage[0] && crd__io_py_is_text(name, types[i].storage))) i++;
  return i;
}

static size_t element_type(const crd__io_py_node *name) {
  size_t i = 0;
  while (i < TYPES && !crd__io_py_is_text(name, types[i].dtype)) i++;
  return i;
}

/* ---- Reading the calls. */

static bool whole(const crd__io_py_node *node, size_t *out) {
  if (!node || node->kind != CRD__PY_INTEGER || node->as.integer < 0) return false;
  if ((uint64_t)node->as.integer > PTRDIFF_MAX) return false;
  *out = (size_t)node->as.integer;
  return true;
}

/* The class that a storage's id names, or NULL. */
static const crd__io_py_node *storage_class(const crd__io_pickle *pickle,
                                            const crd__io_py_node *node) {
  if (!node || node->kind != CRD__PY_PERSISTENT) return NULL;
  const crd__io_py_node *const id = crd__io_py_child(pickle, node, 0);
  const crd__io_py_node *const class = crd__io_py_child(pickle, id, 1);
  const bool ours = id->kind == CRD__PY_TUPLE && id->count >= 5 && class->kind == CRD__PY_GLOBAL &&
                    crd__io_py_is_text(crd__io_py_child(pickle, id, 0), "storage");
  return ours ? class : NULL;
}

bool crd__io_torch_is_storage(const crd__io_pickle *pickle, const crd__io_py_node *node,
                              crd__io_torch_storage *out) {
  const crd__io_py_node *const class = storage_class(pickle, node);
  size_t count;
  if (!class) return false;
  const crd__io_py_node *const id = crd__io_py_child(pickle, node, 0),
                               *const name = crd__io_py_child(pickle, class, 1),
                               *const key = crd__io_py_child(pickle, id, 2);
  if (key->kind != CRD__PY_TEXT || !whole(crd__io_py_child(pickle, id, 4), &count)) return false;
  const size_t type = storage_type(name);
  *out = (crd__io_torch_storage){ .key = key->as.text, .key_length = key->count };
  if (type < TYPES) out->element = element_bytes(type);
  else if (crd__io_py_is_text(name, "UntypedStorage")) out->element = 1;
  return out->element == 0 || crd__size_mul(count, out->element, &out->bytes);
}

/* Unwraps parameters and subclasses: returns the arguments of the call that makes the tensor, and
 * if they include the element type (v3). NULL: not a tensor. */
static const crd__io_py_node *tensor_arguments(const crd__io_pickle *pickle,
                                               const crd__io_py_node *node, bool *typed) {
  static const char utils[] = "torch._utils";
  enum { WRAPPED_MAX = 4 };
  for (int i = 0; i < WRAPPED_MAX && node && node->kind == CRD__PY_CALL; i++) {
    const crd__io_py_node *callable = crd__io_py_child(pickle, node, 0);
    const crd__io_py_node *arguments = crd__io_py_child(pickle, node, 1);
    if (crd__io_py_is_global(pickle, callable, "torch._tensor", "_rebuild_from_type_v2")) {
      callable = crd__io_py_child(pickle, arguments, 0);
      arguments = crd__io_py_child(pickle, arguments, 2);
      if (!arguments || arguments->kind != CRD__PY_TUPLE) return NULL;
    }
    *typed = crd__io_py_is_global(pickle, callable, utils, "_rebuild_tensor_v3");
    if (*typed || crd__io_py_is_global(pickle, callable, utils, "_rebuild_tensor_v2") ||
        crd__io_py_is_global(pickle, callable, utils, "_rebuild_tensor"))
      return arguments;
    if (!crd__io_py_is_global(pickle, callable, utils, "_rebuild_parameter") &&
        !crd__io_py_is_global(pickle, callable, utils, "_rebuild_parameter_with_state"))
      return NULL;
    node = crd__io_py_child(pickle, arguments, 0);
  }
  return NULL;
}

bool crd__io_torch_is_tensor(const crd__io_pickle *pickle, const crd__io_py_node *node) {
  bool typed;
  return tensor_arguments(pickle, node, &typed) != NULL;
}

static crd_status refuse_type(crd_context *ctx, const crd__io_pickle *pickle,
                              const crd__io_py_node *class) {
  char text[CRD__PY_DESCRIPTION];
  return crd__fail(ctx, CRD_EINPUT, "the elements are %s, allowed are " TYPES_READ,
                   crd__io_py_describe(pickle, class, text) + 2);
}

static crd_status read_type(crd_context *ctx, const crd__io_pickle *pickle,
                            const crd__io_py_node *arguments, bool typed,
                            crd__io_torch_tensor *out) {
  const crd__io_py_node *const node = crd__io_py_child(pickle, arguments, 0);
  const crd__io_py_node *const class = storage_class(pickle, node);
  const crd__io_py_node *const dtype = typed ? crd__io_py_child(pickle, arguments, 6) : NULL;
  if (!class || !crd__io_torch_is_storage(pickle, node, &out->storage) ||
      (typed && (!dtype || dtype->kind != CRD__PY_GLOBAL)))
    return crd__fail(ctx, CRD_EINPUT, "the tensor's storage is damaged");
  const size_t type = typed ? element_type(crd__io_py_child(pickle, dtype, 1))
                            : storage_type(crd__io_py_child(pickle, class, 1));
  if (type == TYPES || out->storage.element == 0)
    return refuse_type(ctx, pickle, typed ? dtype : class);
  out->layout.dtype = types[type].as;
  out->brain = types[type].brain;
  out->element = element_bytes(type);
  return CRD_OK;
}

/* Reads a tuple of at most CRD__FILE_RANK_MAX integers. */
static bool read_sizes(const crd__io_pickle *pickle, const crd__io_py_node *tuple,
                       size_t out[CRD__FILE_RANK_MAX], size_t *count) {
  if (!tuple || tuple->kind != CRD__PY_TUPLE || tuple->count > CRD__FILE_RANK_MAX) return false;
  *count = tuple->count;
  for (size_t i = 0; i < *count; i++)
    if (!whole(crd__io_py_child(pickle, tuple, i), &out[i])) return false;
  return true;
}

/* Returns whether the last element lies in the storage. An empty tensor has none. */
static bool fits(const crd__io_torch_tensor *t) {
  size_t last = t->offset, end;
  for (size_t i = 0; i < t->layout.rank; i++) {
    size_t step;
    if (t->layout.shape[i] == 0) return true;
    if (!crd__size_mul(t->layout.shape[i] - 1, t->strides[i], &step) ||
        !crd__size_add(last, step, &last))
      return false;
  }
  return crd__size_add(last, 1, &last) && crd__size_mul(last, t->element, &end) &&
         end <= t->storage.bytes;
}

crd_status crd__io_torch_describe(crd_context *ctx, const crd__io_pickle *pickle,
                                  const crd__io_py_node *node, crd__io_torch_tensor *out) {
  bool typed = false;
  size_t strides, bytes;
  char text[CRD__LAYOUT_TEXT];
  const crd__io_py_node *const arguments = tensor_arguments(pickle, node, &typed);
  *out = (crd__io_torch_tensor){ .brain = false };
  if (!arguments || !whole(crd__io_py_child(pickle, arguments, 1), &out->offset) ||
      !read_sizes(pickle, crd__io_py_child(pickle, arguments, 2), out->layout.shape,
                  &out->layout.rank) ||
      !read_sizes(pickle, crd__io_py_child(pickle, arguments, 3), out->strides, &strides) ||
      strides != out->layout.rank)
    return crd__fail(ctx, CRD_EINPUT,
                     "the tensor is damaged: expected an offset, a shape and strides of 0 or more, "
                     "of at most %d dimensions",
                     CRD__FILE_RANK_MAX);
  CRD_TRY(read_type(ctx, pickle, arguments, typed, out));
  CRD_TRY(crd__io_layout_bytes(ctx, &out->layout, &bytes));
  if (fits(out)) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "declares %s from element %zu on, its storage has %zu bytes",
                   crd__io_layout_describe(&out->layout, text), out->offset, out->storage.bytes);
}

/* ---- Elements. */

static bool is_contiguous(const crd__io_torch_tensor *t) {
  size_t expected = 1;
  for (size_t i = t->layout.rank; i-- > 0;) {
    if (t->layout.shape[i] != 1 && t->strides[i] != expected) return false;
    expected *= t->layout.shape[i];
  }
  return true;
}

/* bfloat16 is the upper half of a float32. */
static void widen(const unsigned char *from, bool swapped, unsigned char *to) {
  const bool little = crd__io_native_is_little() != swapped;
  const uint32_t bits = (uint32_t)from[little ? 1 : 0] << 24 | (uint32_t)from[little ? 0 : 1] << 16;
  memcpy(to, &bits, sizeof bits);
}

/* Step through the indices, the last one fastest; `at` is the index in the storage. */
static void gather(const crd__io_torch_tensor *t, const unsigned char *storage, size_t count,
                   unsigned char *to) {
  const size_t rank = t->layout.rank, size = crd_dtype_size(t->layout.dtype);
  size_t index[CRD__FILE_RANK_MAX] = { 0 }, at = t->offset;
  for (size_t n = 0; n < count; n++, to += size) {
    const unsigned char *const from = storage + at * t->element;
    if (t->brain) widen(from, t->layout.swapped, to);
    else memcpy(to, from, size);
    for (size_t i = rank; i-- > 0;) {
      at += t->strides[i];
      if (++index[i] < t->layout.shape[i]) break;
      at -= t->strides[i] * t->layout.shape[i];
      index[i] = 0;
    }
  }
}

crd_status crd__io_torch_fill(crd_context *ctx, const crd__io_bundle *bundle,
                              const crd__io_torch_tensor *tensor, const unsigned char *storage,
                              crd__io_entry *entry) {
  size_t bytes;
  CRD_TRY(crd__io_layout_bytes(ctx, &tensor->layout, &bytes));
  if (bytes == 0 || (!tensor->brain && is_contiguous(tensor))) {
    crd__io_layout_fill(&tensor->layout,
                        bytes ? storage + tensor->offset * tensor->element : storage, entry);
    return CRD_OK;
  }
  CRD_TRY(crd__io_layout_allocate(ctx, bundle, &tensor->layout, entry));
  gather(tensor, storage, bytes / crd_dtype_size(tensor->layout.dtype), entry->owned);
  if (tensor->brain) entry->view.swapped = false;
  return CRD_OK;
}
