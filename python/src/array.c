/*
 * array.c -- arrays of Python objects, without a copy: the buffer protocol (NumPy, memoryview,
 * array.array) and DLPack (PyTorch, JAX); anything else through numpy.asarray.
 */
#include "core.h"

#include <string.h>

/* ---- DLPack, as its specification lays it out (version 0, the capsule "dltensor"). */

/* Hosts: main memory, pinned for CUDA or ROCm. */
enum { DL_CPU = 1, DL_CUDA_HOST = 3, DL_ROCM_HOST = 11 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

typedef struct {
  int32_t type, id;
} dl_device;

typedef struct {
  void *data;
  dl_device device;
  int32_t rank;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides; /* strides in elements; NULL: C-contiguous */
  uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
  dl_tensor tensor;
  void *owner;
  void (*deleter)(struct dl_managed *self);
} dl_managed;

static const struct {
  uint8_t code, bits;
  crd_dtype dtype;
} dl_types[] = {
  { DL_FLOAT, 16, CRD_F16 },   { DL_FLOAT, 32, CRD_F32 }, { DL_FLOAT, 64, CRD_F64 },
  { DL_BFLOAT, 16, CRD_BF16 }, { DL_INT, 8, CRD_I8 },     { DL_INT, 16, CRD_I16 },
  { DL_INT, 32, CRD_I32 },     { DL_INT, 64, CRD_I64 },   { DL_UINT, 8, CRD_U8 },
  { DL_UINT, 16, CRD_U16 },    { DL_UINT, 32, CRD_U32 },  { DL_UINT, 64, CRD_U64 },
  { DL_BOOL, 8, CRD_BOOL },
};

static bool read_dl_type(const dl_tensor *tensor, const char *what, crd_dtype *out) {
  for (size_t i = 0; i < sizeof dl_types / sizeof *dl_types; i++)
    if (dl_types[i].code == tensor->dtype.code && dl_types[i].bits == tensor->dtype.bits &&
        tensor->dtype.lanes == 1) {
      *out = dl_types[i].dtype;
      return true;
    }
  core_raise_type("%s: its elements are neither floating-point numbers of at most 64 bits nor "
                  "integers nor booleans (DLPack type %d of %d bits)",
                  what, (int)tensor->dtype.code, (int)tensor->dtype.bits);
  return false;
}

static bool check_rank(size_t rank, const char *what) {
  if (rank <= CRD_RANK_MAX) return true;
  core_raise_usage("%s has %zu dimensions, allowed are at most %d", what, rank, CRD_RANK_MAX);
  return false;
}

static bool read_dl_tensor(const dl_tensor *tensor, const char *what, core_array *out) {
  crd_array *const view = &out->view;
  if (!check_rank((size_t)tensor->rank, what)) return false;
  if (!read_dl_type(tensor, what, &view->dtype)) return false;
  view->data = tensor->data ? (const char *)tensor->data + tensor->byte_offset : NULL;
  view->rank = (size_t)tensor->rank;
  for (size_t i = 0; i < view->rank; i++) {
    view->dims[i] = tensor->shape ? tensor->shape[i] : -1;
    if (view->dims[i] < 0)
      return core_raise_usage("%s: its DLPack tensor has no shape", what) != NULL;
    if (tensor->strides)
      view->strides[i] = (ptrdiff_t)tensor->strides[i] * (ptrdiff_t)crd_dtype_size(view->dtype);
  }
  return true;
}

/* Returns an attribute; NULL if there is none, or with an exception set that is no Exception. */
static PyObject *attribute(PyObject *object, const char *name) {
  PyObject *const found = PyObject_GetAttrString(object, name);
  if (!found) core_clear_error();
  return found;
}

/* Tensors on another device, such as a GPU, are refused with the call that moves them. */
static bool check_device(PyObject *object, const char *what) {
  PyObject *const device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  if (!device) return false;
  PyObject *const kind = PySequence_GetItem(device, 0);
  const long type = kind ? PyLong_AsLong(kind) : -1;
  Py_XDECREF(kind);
  Py_DECREF(device);
  if (type == -1 && PyErr_Occurred()) return false;
  if (type == DL_CPU || type == DL_CUDA_HOST || type == DL_ROCM_HOST) return true;
  core_raise_type("%s is on a GPU or another device, and only arrays in main memory can be read: "
                  "pass %s.cpu() (PyTorch), or jax.device_get(%s)",
                  what, what, what);
  return false;
}

/* A tensor that takes part in autograd must be detached before it can be exported. */
static PyObject *detached(PyObject *object) {
  PyObject *const needed = attribute(object, "requires_grad");
  if (PyErr_Occurred()) return NULL;
  const bool needs = needed == Py_True;
  Py_XDECREF(needed);
  return needs ? PyObject_CallMethod(object, "detach", NULL) : Py_NewRef(object);
}

/* PyTorch exports a lazily negated view, such as the imaginary part of a conjugate, without its
 * sign. Steals the tensor. */
static PyObject *resolved(PyObject *tensor) {
  PyObject *const resolve = tensor ? attribute(tensor, "resolve_neg") : NULL;
  if (!resolve && (!tensor || !PyErr_Occurred())) return tensor;
  PyObject *const result = resolve ? PyObject_CallNoArgs(resolve) : NULL;
  Py_XDECREF(resolve);
  Py_DECREF(tensor);
  return result;
}

static PyObject *capsule_of(PyObject *object) {
  PyObject *const plain = resolved(detached(object));
  PyObject *const capsule = plain ? PyObject_CallMethod(plain, "__dlpack__", NULL) : NULL;
  Py_XDECREF(plain);
  return capsule;
}

/* A capsule is consumed once: it is renamed, and whoever did so calls the deleter. Steals it. */
static bool read_capsule(PyObject *capsule, const char *what, core_array *out) {
  static const char used[] = "used_dltensor";
  dl_managed *const managed = PyCapsule_GetPointer(capsule, "dltensor");
  if (managed && PyCapsule_SetName(capsule, used) == 0) out->tensor = managed;
  Py_DECREF(capsule);
  return out->tensor && read_dl_tensor(&managed->tensor, what, out);
}

/* ---- The buffer protocol. */

/* Returns the type of a format of the struct module; native sizes are those of the item. */
static bool read_format(const Py_buffer *buffer, const char *what, crd_array *view) {
  const char *format = buffer->format ? buffer->format : "B";
  if (*format && strchr("@=<>!", *format))
    view->swapped = *format == '>' || *format == '!', format++;
  const char *const floats = "efd", *const integers = "bhilqn", *const naturals = "BHILQN";
  const int letter = strchr(floats, *format)     ? 'f'
                     : strchr(integers, *format) ? 'i'
                     : strchr(naturals, *format) ? 'u'
                     : *format == '?'            ? 'b'
                                                 : '\0';
  static const struct {
    crd_dtype dtype;
    size_t bytes;
    char letter;
  } types[] = {
#define X(id, name, bytes, letter) { CRD_##id, bytes, letter },
    CRD_DTYPE_LIST(X)
#undef X
  };
  for (size_t i = 0; *format && !format[1] && i < sizeof types / sizeof *types; i++)
    if (types[i].letter == letter && types[i].bytes == (size_t)buffer->itemsize) {
      view->dtype = types[i].dtype;
      if (types[i].bytes == 1) view->swapped = 0;
      return true;
    }
  if (strcmp(format, "O") == 0) {
    core_raise_type(buffer->ndim == 0
                        ? "%s is not an array of numbers"
                        : "%s: its elements are Python objects, expected numbers (values are "
                          "missing, types are mixed, or numbers fit no type of NumPy)",
                    what);
    return false;
  }
  core_raise_type("%s: its elements (format '%s') are neither floating-point numbers of at most 64 "
                  "bits nor integers nor booleans",
                  what, buffer->format ? buffer->format : "");
  return false;
}

static bool read_buffer(PyObject *object, const char *what, core_array *out) {
  crd_array *const view = &out->view;
  if (PyObject_GetBuffer(object, &out->buffer, PyBUF_FULL_RO) != 0) return false;
  out->buffered = true;
  const Py_buffer *const buffer = &out->buffer;
  if (!check_rank((size_t)buffer->ndim, what)) return false;
  if (!read_format(buffer, what, view)) return false;
  if (buffer->suboffsets) {
    core_raise_type("%s is an array of pointers to rows; pass numpy.ascontiguousarray(%s)", what,
                    what);
    return false;
  }
  view->data = buffer->buf;
  view->rank = (size_t)buffer->ndim;
  for (size_t i = 0; i < view->rank; i++) {
    view->dims[i] = buffer->shape[i];
    if (buffer->strides) view->strides[i] = buffer->strides[i];
  }
  return true;
}

/* ---- Any object. */

/* An empty array may have no data; a broadcast one has strides that are all zero, which the library
 * takes for C-contiguous. Both are copied or replaced. */
static bool settle(PyObject *object, const char *what, core_array *out);

static PyObject *numpy_call(const char *function, PyObject *argument) {
  PyObject *const numpy = PyImport_ImportModule("numpy");
  PyObject *const result = numpy ? PyObject_CallMethod(numpy, function, "(O)", argument) : NULL;
  Py_XDECREF(numpy);
  return result;
}

/* An exception of the object itself, such as of a ragged list, becomes one of ours. */
static void blame(const char *what) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *const text = value ? PyObject_Str(value) : NULL;
  if (!text) PyErr_Clear();
  PyErr_Restore(type, value, trace);
  if (core_clear_error()) {
    if (text) core_raise_type("%s cannot be read as an array of numbers: %U", what, text);
    else core_raise_type("%s cannot be read as an array of numbers", what);
  }
  Py_XDECREF(text);
}

/* Returns whether an object has a method; false also with an exception set that is no Exception. */
static bool has(PyObject *object, const char *method) {
  PyObject *const found = attribute(object, method);
  Py_XDECREF(found);
  return found != NULL;
}

static bool read_numpy(PyObject *object, const char *what, core_array *out) {
  PyObject *const array = numpy_call("asarray", object);
  const bool read = array && read_buffer(array, what, out);
  Py_XDECREF(array); /* the buffer holds a reference */
  return read;
}

/* What DLPack cannot export, such as bool of PyTorch 1, NumPy may still read. */
static bool read_dlpack(PyObject *object, const char *what, core_array *out) {
  const bool also_numpy = has(object, "__array__");
  if (PyErr_Occurred() || !check_device(object, what)) return false;
  PyObject *const capsule = capsule_of(object);
  if (capsule) return read_capsule(capsule, what, out);
  return also_numpy && core_clear_error() && read_numpy(object, what, out);
}

/* What the buffer protocol cannot export, such as bfloat16 of JAX, DLPack may. */
static bool read_any(PyObject *object, const char *what, core_array *out) {
  const bool also_dlpack = has(object, "__dlpack__");
  if (PyErr_Occurred()) return false;
  if (PyObject_CheckBuffer(object) && !PyBytes_Check(object)) {
    if (read_buffer(object, what, out)) return true;
    if (out->buffered || !also_dlpack || !core_clear_error()) return false;
  }
  return also_dlpack ? read_dlpack(object, what, out) : read_numpy(object, what, out);
}

bool core_array_read(PyObject *object, const char *what, core_array *out) {
  memset(out, 0, sizeof *out);
  if (!object || object == Py_None) return true;
  if (read_any(object, what, out) && settle(object, what, out)) return true;
  blame(what);
  core_array_release(out);
  return false;
}

static bool settle(PyObject *object, const char *what, core_array *out) {
  static const char nothing[8];
  crd_array *const view = &out->view;
  bool zero = view->rank > 0, moves = false;
  if (crd_array_count(view) == 0) {
    if (!view->data) view->data = nothing;
    return true;
  }
  if (!view->data) return core_raise_usage("%s: its DLPack tensor has no data", what) != NULL;
  for (size_t i = 0; i < view->rank; i++) {
    zero = zero && view->strides[i] == 0;
    moves = moves || view->dims[i] > 1;
  }
  if (!zero || !moves || (out->buffered && !out->buffer.strides)) return true;
  if (out->tensor && !((const dl_managed *)out->tensor)->tensor.strides)
    return true; /* C-contiguous */
  core_array_release(out);
  memset(out, 0, sizeof *out);
  PyObject *const copy = numpy_call("array", object);
  const bool read = copy && read_buffer(copy, what, out);
  Py_XDECREF(copy);
  return read;
}

void core_array_release(core_array *array) {
  dl_managed *const tensor = array->tensor;
  PyObject *type, *value, *trace; /* the owner's code may clear an exception that is set */
  PyErr_Fetch(&type, &value, &trace);
  if (array->buffered) PyBuffer_Release(&array->buffer);
  if (tensor && tensor->deleter) tensor->deleter(tensor);
  PyErr_Restore(type, value, trace);
  array->buffered = false;
  array->tensor = NULL;
  array->view.data = NULL;
}

static bool is_plain(const crd_array *array) {
  const size_t size = crd_dtype_size(array->dtype);
  ptrdiff_t stride = (ptrdiff_t)size;
  bool given = false, dense = true;
  if (crd_array_count(array) == 0) return true;
  for (size_t i = array->rank; i-- > 0;) {
    given = given || array->strides[i] != 0;
    dense = dense && (array->dims[i] == 1 || array->strides[i] == stride);
    stride *= (ptrdiff_t)array->dims[i];
  }
  return (dense || !given) && !array->swapped && (uintptr_t)array->data % size == 0;
}

bool core_array_read_plain(PyObject *object, const char *what, crd_dtype dtype, core_array *out) {
  if (!core_array_read(object, what, out)) return false;
  if (!out->view.data || (out->view.dtype == dtype && is_plain(&out->view))) return true;
  core_array_release(out);
  return core_raise_type("%s is not a contiguous and aligned array of %s", what,
                         crd_dtype_name(dtype)) != NULL;
}

void core_array_column(core_array *array) {
  crd_array *const view = &array->view;
  if (!view->data || view->rank != 1) return;
  view->rank = 2;
  view->dims[1] = 1;
  view->strides[1] = view->strides[0] ? (ptrdiff_t)crd_dtype_size(view->dtype) : 0;
}

/* ---- NumPy arrays out. */

static const char *const numpy_names[] = {
  [CRD_F16] = "float16", [CRD_F32] = "float32", [CRD_F64] = "float64", [CRD_I8] = "int8",
  [CRD_I16] = "int16",   [CRD_I32] = "int32",   [CRD_I64] = "int64",   [CRD_U8] = "uint8",
  [CRD_U16] = "uint16",  [CRD_U32] = "uint32",  [CRD_U64] = "uint64",  [CRD_BOOL] = "bool",
  [CRD_BF16] = "uint16", /* NumPy has none: the bits */
};

PyObject *core_numpy_empty(crd_dtype dtype, size_t rank, const int64_t *dims, void **data) {
  PyObject *const numpy = PyImport_ImportModule("numpy");
  PyObject *const shape = PyTuple_New((Py_ssize_t)rank);
  PyObject *array = NULL;
  Py_buffer buffer;
  for (size_t i = 0; shape && i < rank; i++)
    PyTuple_SetItem(shape, (Py_ssize_t)i, PyLong_FromLongLong(dims[i]));
  if (numpy && shape && !PyErr_Occurred())
    array = PyObject_CallMethod(numpy, "empty", "Os", shape, numpy_names[dtype]);
  Py_XDECREF(shape);
  Py_XDECREF(numpy);
  if (!array && core_clear_error()) core_raise(CRD_ENOMEM, "no memory for an array of results");
  if (!array) return NULL;
  if (PyObject_GetBuffer(array, &buffer, PyBUF_CONTIG) != 0) {
    Py_DECREF(array);
    return NULL;
  }
  *data = buffer.buf;
  PyBuffer_Release(&buffer); /* the array keeps its memory */
  return array;
}

PyObject *core_numpy_copy(const crd_array *array) {
  void *data;
  PyObject *const copy = core_numpy_empty(array->dtype, array->rank, array->dims, &data);
  if (copy) memcpy(data, array->data, crd_array_count(array) * crd_dtype_size(array->dtype));
  return copy;
}
