/*
 * core.h -- the extension module credence._core: what its files share.
 *
 * Each file wraps one part of the C API in a Python type. The extension keeps to the limited API of
 * CPython 3.11, so that one binary serves every later version, and uses NumPy through its Python
 * interface only, so that it can be built without it. Formats of arguments have no '#': built with
 * headers of 3.13 it would need a function that interpreters before do not have.
 */
#ifndef CRD_PYTHON_CORE_H
#define CRD_PYTHON_CORE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#ifdef Py_GIL_DISABLED
#error "free-threaded builds of Python are not supported: they have no stable ABI"
#endif

#include <credence/credence.h>
#include <stdatomic.h>
#include <stdbool.h>

/* ---- error.c: exceptions of credence._errors. */

/* Imports the exception classes. Returns false with an exception set. */
bool core_errors_import(void);
/* Raises the exception of a status with this message. Returns NULL. */
PyObject *core_raise(crd_status status, const char *message);
/* Raises ArgumentError, which is a TypeError, with a formatted message. Returns NULL. */
PyObject *core_raise_type(const char *format, ...);
/* Raises UsageError, which is a ValueError, with a formatted message. Returns NULL. */
PyObject *core_raise_usage(const char *format, ...);
/* Returns whether the exception that is set is an Error. */
bool core_raised_ours(void);
/* Clears the exception of a user's object, for one of ours in its place. Returns false if it must
 * stay: KeyboardInterrupt and its like, and Errors; MemoryError becomes one. */
bool core_clear_error(void);

/* ---- call.c: one call of the library. */

/* How calls run: keyword arguments that every long function takes. */
typedef struct {
  unsigned threads; /* 0: all */
  uint64_t seed;
  PyObject *progress; /* borrowed; NULL or None: none */
} core_run;

/* The lock of an object that changes. */
typedef struct {
  PyThread_type_lock mutex;
  atomic_uint forks; /* core_forks() when it was last taken */
} core_lock;

typedef struct core_call {
  crd_context *ctx;
  const core_run *run;
  PyThreadState *thread;   /* saved while the GIL is released */
  core_lock *locks[2];     /* held; NULL: none */
  struct core_call *outer; /* the call whose callback made this one; NULL: none */
  const char *instead;     /* what else to do if a feature is not built in; NULL: nothing */
  bool listening;          /* SIGINT interrupts this call */
  double last;             /* time of the last report of progress */
  PyObject *error[3];      /* raised by a callback, or by the handler of a signal */
} core_call;

/* Creates a context with the settings of `run` (NULL: defaults), lets SIGINT interrupt it, releases
 * the GIL and then takes `lock` (NULL: none), which fails if this thread holds it already, or if a
 * thread of the process that this one was forked from held it. Returns false with an exception set.
 */
bool core_call_begin(core_call *call, const core_run *run, core_lock *lock);
/* The same with the locks of two objects; the order in which they are given does not matter. */
bool core_call_begin_both(core_call *call, const core_run *run, core_lock *one, core_lock *other);
/* Takes the GIL back, and raises the exception of a failure. Returns whether `status` is CRD_OK;
 * then the context stays until close or take. */
bool core_call_end(core_call *call, crd_status status);
/* Before the end of a call that kept its best so far after Ctrl-C: then no exception is raised.
 * Returns whether it was interrupted. */
bool core_call_pardon(core_call *call);
void core_call_close(core_call *call);
/* Hands the context over to an object that was made with it. */
crd_context *core_call_take(core_call *call);
/* During a call, from its own thread: runs Python code with the GIL, between these two. */
void core_call_enter_python(core_call *call);
void core_call_leave_python(core_call *call);
/* During a call: makes a Python value of what others may change as soon as the locks are released.
 * Returns NULL if that fails, and then so does core_call_end. */
PyObject *core_call_make(core_call *call, PyObject *(*make)(const void *what), const void *what);

/* After a fork the threads of OpenMP are gone: from then on every call runs on one thread. */
PyObject *core_after_fork(PyObject *self, PyObject *unused);
/* Returns the number of forks that lie between this process and the one that loaded the module. */
unsigned core_forks(void);

/* ---- spelling.c: how messages name options and functions. */

/* A crd_spelling_fn, of every call. */
const char *core_spelling(void *self, const char *name);
/* Returns the table as a dict. */
PyObject *core_spellings(PyObject *self, PyObject *unused);

/* ---- array.c: arrays of Python objects. */

/* An array that is borrowed from a Python object until it is released. */
typedef struct {
  crd_array view; /* data NULL: none was given */
  Py_buffer buffer;
  bool buffered;
  void *tensor; /* of DLPack, to be deleted; NULL: none */
} core_array;

/* Reads an object that has the buffer protocol or DLPack, or anything that numpy.asarray takes.
 * None leaves `out` empty. `what` names the argument in error messages. Returns false with an
 * exception set. */
bool core_array_read(PyObject *object, const char *what, core_array *out);
/* The same for elements that the library reads through a pointer: they must be of this type,
 * aligned and C-contiguous, as the Python layer makes them. */
bool core_array_read_plain(PyObject *object, const char *what, crd_dtype dtype, core_array *out);
void core_array_release(core_array *array);
/* Sets rank 2 for vectors, which the library reads as one column. */
void core_array_column(core_array *array);

/* Creates a NumPy array, C-contiguous, of this type and shape, and sets *data to its elements. */
PyObject *core_numpy_empty(crd_dtype dtype, size_t rank, const int64_t *dims, void **data);
/* Creates a NumPy array over the memory of `owner`, which it keeps alive. */
PyObject *core_numpy_view(PyObject *owner, const crd_array *array, bool writable);
/* Creates a NumPy array over the memory of an object that has DLPack, without a copy:
 * borrow(object, what). */
PyObject *core_borrow(PyObject *self, PyObject *unnamed);
/* Creates a NumPy array with the elements of `array`, copied. */
PyObject *core_numpy_copy(const crd_array *array);

/* ---- fields.c: members of C structs as Python values, by tables. */

typedef enum {
  CORE_TEXT,     /* const char *; None: NULL */
  CORE_DOUBLE,   /* double; NaN stays */
  CORE_UNSIGNED, /* unsigned */
  CORE_COUNT,    /* unsigned, at least 1: the library's 0 would be its default */
  CORE_SIZE,     /* size_t */
  CORE_UINT64,   /* uint64_t */
  CORE_INT,      /* int */
  CORE_FLAG,     /* int, as bool */
  CORE_WORD      /* an enum, as one of `words`, separated by spaces, from 0 on */
} core_kind;

typedef struct {
  const char *name; /* NULL ends a table */
  core_kind kind;
  size_t offset;
  const char *words;
} core_field;

/* Returns a dict of the fields. */
PyObject *core_fields_dict(const void *from, const core_field *fields);
/* Adds the fields to a dict. Returns false with an exception set. */
bool core_fields_add(PyObject *dict, const void *from, const core_field *fields);
/* Returns a list with a dict of the fields for each of `count` structs of this size. */
PyObject *core_list(size_t count, const void *items, size_t bytes, const core_field *fields);
/* Sets one field; None leaves it. Returns false with an exception set. */
bool core_field_set(PyObject *value, const core_field *field, void *to);
/* Sets fields from a dict of keyword arguments (NULL: none). Texts are borrowed from the dict.
 * Names that are neither fields nor `others` (ends with NULL; may be NULL) are refused, with the
 * nearest name. `function` is for error messages. */
bool core_fields_set(PyObject *arguments, const char *function, const core_field *fields, void *to,
                     const char *const *others);
/* Sets the fields that are in the dict, and looks at no other name. */
bool core_fields_pick(PyObject *arguments, const core_field *fields, void *to);

/* Returns a keyword argument, borrowed; NULL: it was not given. Unlike PyDict_GetItemString it
 * cannot fail, and so ignores no argument for want of memory. */
PyObject *core_argument(PyObject *arguments, const char *name);

/* Reads threads, seed and progress. */
#define CORE_RUN_NAMES "threads", "seed", "progress"
bool core_run_read(PyObject *arguments, core_run *run);

/* Creates a list of strings from a function that returns NULL past the end. */
PyObject *core_texts(const char *(*at)(const void *self, size_t index), const void *self);
PyObject *core_text(const char *text); /* None for NULL */
/* Creates a list of `count` items; `item` returns NULL with an exception set if it fails. */
typedef PyObject *(*core_item_fn)(const void *self, size_t index);
PyObject *core_list_of(core_item_fn item, const void *self, size_t count);
/* Creates a dict; `add` adds an item by core_put. */
typedef bool (*core_add_fn)(PyObject *dict, const void *self, size_t index);
PyObject *core_dict_of(core_add_fn add, const void *self, size_t count);
/* Creates a tuple of dimensions; None for those below 0, which are free. */
PyObject *core_dims(size_t rank, const int64_t *dims);
/* Reads a tuple of dimensions from 0 on. Returns false with an exception set. */
bool core_dims_read(PyObject *tuple, const char *what, size_t *rank, int64_t *dims);
/* Reads a tuple of str, or None, into an array of borrowed texts that PyMem_Free frees. Returns
 * false with an exception set. */
bool core_texts_read(PyObject *tuple, const char *what, const char ***out, size_t *count);
/* Sets an item and releases the reference to it; `value` NULL: an exception is set. */
bool core_put(PyObject *dict, const char *name, PyObject *value);
/* Appends an item and releases the reference to it; `item` NULL: an exception is set. */
bool core_append(PyObject *list, PyObject *item);
/* Reads a str argument: NULL and false with an exception set unless it is one, None: *out NULL. */
bool core_text_read(PyObject *object, const char *what, const char **out);
/* Reads a str that must be given: false with an exception set for None too. */
bool core_name_read(PyObject *object, const char *what, const char **out);
/* Reads a bytes argument: false with an exception set unless it is one. */
bool core_bytes_read(PyObject *object, const char *what, const char **out, size_t *length);

/* ---- objects.c: what all types have in common. */

/* A Python object that owns an object of the library. */
typedef struct {
  PyObject_HEAD void *it;
  crd_context *ctx; /* that it was made with */
  PyObject *keep;   /* Python objects that it borrows from; NULL: none */
  core_lock lock;   /* of objects that change */
  unsigned forks;   /* of the process, when it was made */
} core_object;

/* The documentation of a type, as a slot. */
#define CORE_DOC(text) ((void *)(uintptr_t)(text))
/* Creates an object of a type that owns `it` and the context of the call, which must have ended. On
 * failure destroys both. Steals `keep`. */
PyObject *core_object_new(PyTypeObject *type, const void *it, void (*destroy)(void *it),
                          core_call *call, PyObject *keep);
/* Frees an object whose `it` is destroyed by `destroy`. */
void core_object_free(PyObject *self, void (*destroy)(void *it));
/* Returns whether an object that keeps its own number of threads, such as a network, can run: not
 * in a process that was forked since, where OpenMP would wait for threads of the parent forever.
 * Returns false with an exception set. */
bool core_object_runs(PyObject *self);
/* Makes a Python value of the library's object in a call that has the object's lock. */
PyObject *core_object_read(PyObject *self, PyObject *(*make)(const void *it));
/* Returns the library's object, or NULL with an exception set if `object` is not of the type. */
void *core_object_get(PyObject *object, PyTypeObject *type, const char *what);
/* Adds a type to the module. It is made once and kept in *type: a module that is loaded again has
 * the same types, so that objects of the first one stay valid. Returns false with an exception set.
 */
bool core_type_add(PyObject *module, PyType_Spec *spec, PyTypeObject **type);
/* A type of core_object. */
typedef struct {
  const char *name, *doc;
  newfunc create; /* NULL: only other calls make its objects */
  destructor dealloc;
  PyMethodDef *methods;
} core_type;
/* Adds it, like core_type_add. */
bool core_type_make(PyObject *module, const core_type *of, PyTypeObject **type);

/* Messages of the library's log that were kept. */
typedef struct {
  crd_log_level least; /* messages below this level are left out */
  size_t count;
  char items[8][400];
} core_notes;
/* A crd_log_fn whose `self` is core_notes. */
void core_notes_add(void *self, crd_log_level level, const char *message);

/* Writes through an output in memory, and returns its text or bytes. `lock` NULL: none. */
typedef crd_status (*core_write_fn)(crd_context *ctx, const void *what, crd_output *output);
PyObject *core_written_text(core_lock *lock, core_write_fn write, const void *what);
PyObject *core_written_bytes(core_lock *lock, core_write_fn write, const void *what);

/* ---- The types; core_NOUN_add adds one to the module, and returns false with an exception set. */

#define TYPE(noun) bool core_##noun##_add(PyObject *module);
#include "list.h"
#undef TYPE

/* The library's objects inside Python's: NULL with an exception set if it is of another type. */
const crd_model *core_model_get(PyObject *object, const char *what);
crd_network *core_network_get(PyObject *object, const char *what);
const crd_dataset *core_dataset_get(PyObject *object, const char *what);
const crd_clamp *core_clamp_get(PyObject *object, const char *what);
const crd_contest *core_contest_get(PyObject *object, const char *what);
const crd_diagnosis *core_diagnosis_get(PyObject *object, const char *what);
/* Creates a Model that owns `model` and the context of the call, which this ends with `status`. */
PyObject *core_model_new(core_call *call, crd_status status, crd_model *model);

extern PyTypeObject *core_predictions_type, *core_result_type, *core_evidence_type,
    *core_calibrator_type, *core_series_type, *core_source_type;

/* tables.c */
PyObject *core_tables(PyObject *self, PyObject *unused);

#endif
