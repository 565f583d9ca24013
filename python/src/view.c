/* view.c -- NumPy arrays over memory of the library, or of an array of another package. */
#include "core.h"

#include <string.h>

static PyTypeObject *view_type;

typedef struct {
  PyObject_HEAD PyObject *owner; /* of the memory; NULL: `borrowed` has it */
  core_array borrowed;
  crd_array array;
  Py_ssize_t dims[CRD_RANK_MAX], strides[CRD_RANK_MAX];
  bool writable;
} view;

/* Codes of the struct module. */
static char format_of(crd_dtype dtype) {
  static const char codes[] = {
    [CRD_F16] = 'e', [CRD_F32] = 'f',  [CRD_F64] = 'd',  [CRD_I8] = 'b',  [CRD_I16] = 'h',
    [CRD_I32] = 'i', [CRD_I64] = 'q',  [CRD_U8] = 'B',   [CRD_U16] = 'H', [CRD_U32] = 'I',
    [CRD_U64] = 'Q', [CRD_BOOL] = '?', [CRD_BF16] = 'H', /* NumPy has none: the bits */
  };
  return codes[dtype];
}

static int view_buffer(PyObject *self, Py_buffer *buffer, int flags) {
  static char formats[256][2];
  view *const v = (view *)self;
  const unsigned char code = (unsigned char)format_of(v->array.dtype);
  buffer->obj = NULL;
  if ((flags & PyBUF_WRITABLE) && !v->writable) {
    PyErr_SetString(PyExc_BufferError, "the memory cannot be written");
    return -1;
  }
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
    PyErr_SetString(PyExc_BufferError, "the memory is an array: it is read with its strides");
    return -1;
  }
  formats[code][0] = (char)code;
  *buffer =
      (Py_buffer){ .buf = (void *)(uintptr_t)v->array.data,
                   .obj = self,
                   .len = (Py_ssize_t)(crd_array_count(&v->array) * crd_dtype_size(v->array.dtype)),
                   .itemsize = (Py_ssize_t)crd_dtype_size(v->array.dtype),
                   .readonly = !v->writable,
                   .ndim = (int)v->array.rank,
                   .format = formats[code],
                   .shape = v->dims,
                   .strides = v->strides };
  Py_INCREF(self);
  return 0;
}

/* Elements are in C order where the array has no strides. */
static void set_shape(view *v) {
  const crd_array *const a = &v->array;
  ptrdiff_t stride = (ptrdiff_t)crd_dtype_size(a->dtype);
  bool given = false;
  for (size_t i = 0; i < a->rank; i++) given = given || a->strides[i] != 0;
  for (size_t i = a->rank; i-- > 0;) {
    v->dims[i] = (Py_ssize_t)a->dims[i];
    v->strides[i] = given ? a->strides[i] : stride;
    stride *= (ptrdiff_t)a->dims[i];
  }
}

/* Returns a NumPy array over the view, and releases the reference to it. */
static PyObject *as_numpy(view *v) {
  set_shape(v);
  PyObject *const numpy = PyImport_ImportModule("numpy");
  PyObject *const array = numpy ? PyObject_CallMethod(numpy, "asarray", "O", (PyObject *)v) : NULL;
  Py_XDECREF(numpy);
  Py_DECREF((PyObject *)v);
  return array;
}

PyObject *core_numpy_view(PyObject *owner, const crd_array *array, bool writable) {
  view *const v = (view *)PyType_GenericAlloc(view_type, 0);
  if (!v) return NULL;
  Py_INCREF(owner);
  v->owner = owner;
  v->array = *array;
  v->writable = writable;
  return as_numpy(v);
}

PyObject *core_borrow(PyObject *self, PyObject *unnamed) {
  PyObject *object, *text;
  const char *what;
  (void)self;
  if (!PyArg_ParseTuple(unnamed, "OU", &object, &text) || !core_text_read(text, "what", &what))
    return NULL;
  view *const v = (view *)PyType_GenericAlloc(view_type, 0);
  if (!v) return NULL;
  if (!core_array_read(object, what, &v->borrowed)) {
    Py_DECREF((PyObject *)v);
    return NULL;
  }
  v->array = v->borrowed.view;
  if (v->array.dtype != CRD_BF16 && v->array.data && !v->array.swapped) return as_numpy(v);
  Py_DECREF((PyObject *)v);
  return core_raise_type(
      "%s has elements that NumPy cannot hold, such as bfloat16: pass %s.float()", what, what);
}

static void view_dealloc(PyObject *self) {
  view *const v = (view *)self;
  PyTypeObject *const type = Py_TYPE(self);
  freefunc const release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  core_array_release(&v->borrowed);
  Py_XDECREF(v->owner);
  release(self);
  Py_DECREF(type);
}

bool core_view_add(PyObject *module) {
  static PyType_Slot slots[] = {
    { Py_tp_doc, CORE_DOC("Memory of the library, for NumPy.") },
    { Py_tp_dealloc, (void *)view_dealloc },
    { Py_bf_getbuffer, (void *)view_buffer },
    { 0, NULL },
  };
  static PyType_Spec spec = { "credence._core.View", sizeof(view), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                  Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              slots };
  return core_type_add(module, &spec, &view_type);
}
