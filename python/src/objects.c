/* objects.c -- what all types of the module have in common: ownership, and outputs in memory. */
#include "core.h"

bool core_type_add(PyObject *module, PyType_Spec *spec, PyTypeObject **type) {
  if (!*type) *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *type && PyModule_AddType(module, *type) == 0;
}

bool core_type_make(PyObject *module, const core_type *of, PyTypeObject **type) {
  const unsigned flags = of->create ? 0 : Py_TPFLAGS_DISALLOW_INSTANTIATION;
  PyType_Slot slots[] = {
    { Py_tp_doc, CORE_DOC(of->doc) },
    { Py_tp_dealloc, (void *)of->dealloc },
    { Py_tp_methods, of->methods },
    { of->create ? Py_tp_new : 0, (void *)of->create },
    { 0, NULL },
  };
  PyType_Spec spec = { of->name, sizeof(core_object), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | flags, slots };
  return core_type_add(module, &spec, type);
}

PyObject *core_object_new(PyTypeObject *type, const void *it, void (*destroy)(void *it),
                          core_call *call, PyObject *keep) {
  void *const own = (void *)(uintptr_t)it; /* results are read-only to all but their destroy */
  PyObject *const self = PyType_GenericAlloc(type, 0);
  core_object *const object = (core_object *)self;
  PyThread_type_lock lock = self ? PyThread_allocate_lock() : NULL;
  if (lock) {
    object->it = own;
    object->ctx = core_call_take(call);
    object->keep = keep;
    object->lock = lock;
    object->forks = core_forks();
    return self;
  }
  if (!PyErr_Occurred()) core_raise(CRD_ENOMEM, "no memory for a lock");
  Py_XDECREF(self);
  Py_XDECREF(keep);
  destroy(own);
  core_call_close(call);
  return NULL;
}

void core_object_free(PyObject *self, void (*destroy)(void *it)) {
  core_object *const object = (core_object *)self;
  PyTypeObject *const type = Py_TYPE(self);
  freefunc const release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  if (object->it) destroy(object->it);
  crd_context_destroy(object->ctx);
  if (object->lock) PyThread_free_lock(object->lock);
  Py_XDECREF(object->keep);
  release(self);
  Py_DECREF(type); /* instances of heap types own a reference to it */
}

bool core_object_runs(PyObject *self) {
  if (((core_object *)self)->forks == core_forks()) return true;
  core_raise_usage(
      "this process was forked after the object was made, and has none of the threads that "
      "it was made for: make it anew");
  return false;
}

PyObject *core_object_read(PyObject *self, PyObject *(*make)(const void *it)) {
  const core_object *const object = (core_object *)self;
  core_call call;
  if (!core_call_begin(&call, NULL, object->lock)) return NULL;
  PyObject *made = core_call_make(&call, make, object->it);
  if (!core_call_end(&call, CRD_OK)) Py_CLEAR(made);
  core_call_close(&call);
  return made;
}

void *core_object_get(PyObject *object, PyTypeObject *type, const char *what) {
  if (PyObject_TypeCheck(object, type)) return ((core_object *)object)->it;
  return core_raise_type("%s is %R, expected another type", what, object);
}

void core_notes_add(void *self, crd_log_level level, const char *message) {
  core_notes *const notes = self;
  if (level < notes->least || notes->count == sizeof notes->items / sizeof *notes->items) return;
  PyOS_snprintf(notes->items[notes->count++], sizeof *notes->items, "%s", message);
}

/* Runs `write` on an output in memory; the bytes stay with `output` until it is discarded. */
static bool write_to_memory(PyThread_type_lock lock, core_write_fn write, const void *what,
                            core_call *call, crd_output **output) {
  *output = NULL;
  if (!core_call_begin(call, NULL, lock)) return false;
  crd_status status = crd_output_open_memory(call->ctx, output);
  if (status == CRD_OK) status = write(call->ctx, what, *output);
  if (core_call_end(call, status)) return true;
  crd_output_discard(*output);
  core_call_close(call);
  return false;
}

PyObject *core_written_bytes(PyThread_type_lock lock, core_write_fn write, const void *what) {
  core_call call;
  crd_output *output;
  size_t length;
  if (!write_to_memory(lock, write, what, &call, &output)) return NULL;
  const char *const bytes = crd_output_bytes(output, &length);
  PyObject *const result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
  crd_output_discard(output);
  core_call_close(&call);
  return result;
}

PyObject *core_written_text(PyThread_type_lock lock, core_write_fn write, const void *what) {
  PyObject *const bytes = core_written_bytes(lock, write, what);
  PyObject *const text = bytes ? PyUnicode_FromEncodedObject(bytes, "utf-8", "replace") : NULL;
  Py_XDECREF(bytes);
  return text;
}
