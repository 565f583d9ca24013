/* trainer.c -- the type Trainer: a network in training, epoch by epoch. */
#include "result.h"

#include <stdlib.h>
#include <string.h>

static PyTypeObject *trainer_type;

enum { MONITORS_MAX = 32 };

/* A trainer, and what it borrows. Datasets are copies of the user's lists of rows: encoding changes
 * them. */
typedef struct {
  crd_trainer *trainer;
  crd_dataset *training, *monitored[MONITORS_MAX];
  crd_monitor monitors[MONITORS_MAX];
  size_t monitor_count;
  crd_encoding *encoding;
  crd_model *made; /* NULL: the user's model is trained as it is */
  core_run run;    /* without progress */
  core_notes notes;
} held;

static void held_free(void *it) {
  held *const h = it;
  if (!h) return;
  crd_trainer_destroy(h->trainer);
  crd_model_destroy(h->made);
  crd_dataset_destroy(h->training);
  for (size_t i = 0; i < MONITORS_MAX; i++) crd_dataset_destroy(h->monitored[i]);
  crd_encoding_destroy(h->encoding);
  PyMem_Free(h);
}

static held *get(PyObject *self) { return ((core_object *)self)->it; }

/* Calls of one trainer have its threads and its seed. */
static bool begin(PyObject *self, PyObject *progress, core_run *run, core_call *call) {
  *run = get(self)->run;
  run->progress = progress;
  return core_object_runs(self) && core_call_begin(call, run, ((core_object *)self)->lock);
}

/* ---- Making. */

typedef struct {
  crd_train_options train;
  crd_setup_options setup;
  crd_encoding_options encoding;
  const crd_dataset *training, *monitored[MONITORS_MAX];
  PyObject *model; /* borrowed; NULL: none */
} arguments_of;

static const core_field fields[] = {
  { "loss", CORE_TEXT, offsetof(arguments_of, train.loss), NULL },
  { "allow_negative", CORE_FLAG, offsetof(arguments_of, train.allow_negative), NULL },
  { "optimiser", CORE_TEXT, offsetof(arguments_of, train.optimiser), NULL },
  { "schedule", CORE_TEXT, offsetof(arguments_of, train.schedule), NULL },
  { "decay", CORE_WORD, offsetof(arguments_of, train.decay), "weights all" },
  { "clip", CORE_DOUBLE, offsetof(arguments_of, train.clip), NULL },
  { "epochs", CORE_SIZE, offsetof(arguments_of, train.epochs), NULL },
  { "batch", CORE_SIZE, offsetof(arguments_of, train.batch), NULL },
  { "keep_last", CORE_FLAG, offsetof(arguments_of, train.keep_last), NULL },
  { "augment", CORE_TEXT, offsetof(arguments_of, train.augment), NULL },
  { "mixup", CORE_DOUBLE, offsetof(arguments_of, train.mixup), NULL },
  { "best", CORE_TEXT, offsetof(arguments_of, train.best), NULL },
  { "patience", CORE_SIZE, offsetof(arguments_of, train.patience), NULL },
  { "evaluate_train", CORE_FLAG, offsetof(arguments_of, train.evaluate_train), NULL },
  { "freeze", CORE_TEXT, offsetof(arguments_of, train.freeze), NULL },
  { "cache", CORE_TEXT, offsetof(arguments_of, train.cache), NULL },
  { "logits", CORE_TEXT, offsetof(arguments_of, train.logits), NULL },
  { "network", CORE_TEXT, offsetof(arguments_of, setup.network), NULL },
  { "head", CORE_TEXT, offsetof(arguments_of, setup.head), NULL },
  { "words", CORE_SIZE, offsetof(arguments_of, encoding.word_count), NULL },
  { "length", CORE_SIZE, offsetof(arguments_of, encoding.length), NULL },
  { "keep_scale", CORE_FLAG, offsetof(arguments_of, encoding.keep_scale), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* Reads [(name, Dataset), ...]. */
static bool read_monitors(PyObject *list, held *h, arguments_of *out) {
  if (!list || list == Py_None) return true;
  if (!PyList_Check(list) || PyList_Size(list) > MONITORS_MAX)
    return core_raise_usage("expected at most %d datasets to evaluate on", MONITORS_MAX) != NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
    PyObject *const item = PyList_GetItem(list, i);
    PyObject *name, *data;
    if (!PyArg_ParseTuple(item, "OO", &name, &data) ||
        !core_name_read(name, "the name of a monitor", &h->monitors[i].name))
      return false;
    out->monitored[i] = core_dataset_get(data, "data");
    if (!out->monitored[i]) return false;
    h->monitor_count++;
  }
  return true;
}

static bool read_arguments(PyObject *arguments, held *h, arguments_of *out) {
  static const char *const others[] = { "training", "monitors", "model", CORE_RUN_NAMES, NULL };
  PyObject *const training = core_argument(arguments, "training");
  out->train.size = sizeof out->train;
  out->setup.size = sizeof out->setup;
  out->encoding.size = sizeof out->encoding;
  if (!core_run_read(arguments, &h->run) ||
      !core_fields_set(arguments, "train", fields, out, others))
    return false;
  h->run.progress = NULL; /* it is given for each epoch */
  if (!training) return core_raise_type("training is missing") != NULL;
  out->training = core_dataset_get(training, "training");
  out->model = core_argument(arguments, "model");
  if (!out->training || !read_monitors(core_argument(arguments, "monitors"), h, out)) return false;
  if (!out->model || out->model == Py_None) return true;
  out->setup.model = core_model_get(out->model, "model");
  return out->setup.model != NULL;
}

/* Copies the list of rows. */
static crd_status copy(crd_context *ctx, const crd_dataset *data, crd_dataset **out) {
  const size_t rows = crd_dataset_describe(data)->rows;
  size_t *const all = malloc((rows ? rows : 1) * sizeof *all);
  if (!all) return crd_context_fail(ctx, CRD_ENOMEM, "no memory for rows");
  for (size_t i = 0; i < rows; i++) all[i] = i;
  const crd_status status = crd_dataset_take(ctx, data, all, rows, out);
  free(all);
  return status;
}

static crd_status make(crd_context *ctx, arguments_of *a, held *h) {
  h->notes.least = CRD_LOG_WARNING;
  crd_context_set_log(ctx, core_notes_add, &h->notes);
  crd_status status = copy(ctx, a->training, &h->training);
  for (size_t i = 0; status == CRD_OK && i < h->monitor_count; i++) {
    status = copy(ctx, a->monitored[i], &h->monitored[i]);
    h->monitors[i].data = h->monitored[i];
  }
  a->setup.freeze = a->train.freeze;
  a->setup.encoding = &a->encoding;
  a->train.monitors = h->monitors;
  a->train.monitor_count = h->monitor_count;
  if (status == CRD_OK)
    status = crd_train_setup(ctx, h->training, h->monitored, h->monitor_count, &a->setup,
                             &h->encoding, &h->made);
  if (status == CRD_OK)
    status = crd_trainer_create(ctx, h->made ? h->made : a->setup.model, h->training, h->encoding,
                                &a->train, &h->trainer);
  crd_context_set_log(ctx, NULL, NULL);
  return status;
}

static PyObject *trainer_new(PyTypeObject *type, PyObject *unnamed, PyObject *arguments) {
  arguments_of a = { .model = NULL };
  core_call call;
  if (PyTuple_Size(unnamed) > 0 || !arguments)
    return core_raise_type("Trainer takes keyword arguments: training, network, ...");
  held *const h = PyMem_Calloc(1, sizeof *h);
  if (!h) return core_raise(CRD_ENOMEM, "no memory for a trainer");
  if (read_arguments(arguments, h, &a) && core_call_begin(&call, &h->run, NULL)) {
    if (core_call_end(&call, make(call.ctx, &a, h))) {
      Py_INCREF(arguments); /* names, datasets and the model are borrowed from it */
      return core_object_new(type, h, held_free, &call, arguments);
    }
    core_call_close(&call);
  }
  held_free(h);
  return NULL;
}

/* ---- Epochs. */

static bool add_value(PyObject *dict, const void *self, size_t index) {
  const crd_epoch_value *const value = &((const crd_epoch *)self)->values[index];
  return core_put(dict, value->name, PyFloat_FromDouble(value->value));
}

/* Returns an epoch's record; None: there is none. */
static PyObject *epoch_dict(const void *it) {
  const crd_epoch *const epoch = it;
  static const core_field epoch_fields[] = {
    { "epoch", CORE_SIZE, offsetof(crd_epoch, epoch), NULL },
    { "rate", CORE_DOUBLE, offsetof(crd_epoch, rate), NULL },
    { "seconds", CORE_DOUBLE, offsetof(crd_epoch, seconds), NULL },
    { "best", CORE_FLAG, offsetof(crd_epoch, best), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  if (!epoch->epoch) Py_RETURN_NONE;
  PyObject *const dict = core_fields_dict(epoch, epoch_fields);
  if (dict && core_put(dict, "values", core_dict_of(add_value, epoch, epoch->count))) return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* epoch(progress): trains one; returns its record, or None if nothing is left to train. */
static PyObject *trainer_epoch(PyObject *self, PyObject *unnamed) {
  PyObject *progress, *result = NULL;
  crd_epoch epoch;
  core_run run;
  core_call call;
  int done;
  if (!PyArg_ParseTuple(unnamed, "O", &progress) || !begin(self, progress, &run, &call))
    return NULL;
  crd_context_set_log(call.ctx, core_notes_add, &get(self)->notes);
  const crd_status status = crd_trainer_epoch(call.ctx, get(self)->trainer, &epoch, &done);
  if (status == CRD_OK) result = core_call_make(&call, epoch_dict, &epoch);
  if (!core_call_end(&call, status)) Py_CLEAR(result);
  core_call_close(&call);
  return result;
}

static PyObject *epoch_list(const void *it) {
  const held *const h = it;
  PyObject *const list = PyList_New(0);
  crd_epoch epoch;
  for (size_t i = 1; list && crd_trainer_record(h->trainer, i, &epoch); i++)
    if (!core_append(list, epoch_dict(&epoch))) {
      Py_DECREF(list);
      return NULL;
    }
  return list;
}

/* Returns the records of all epochs, without their seconds. */
static PyObject *trainer_epochs(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_object_read(self, epoch_list);
}

static PyObject *trainer_model(PyObject *self, PyObject *unused) {
  crd_model *model = NULL;
  core_run run;
  core_call call;
  (void)unused;
  if (!begin(self, NULL, &run, &call)) return NULL;
  const crd_status status = crd_trainer_model(call.ctx, get(self)->trainer, &model);
  return core_model_new(&call, status, model);
}

/* ---- Files. */

typedef crd_status (*path_fn)(crd_context *ctx, crd_trainer *trainer, const char *path);

static PyObject *with_path(PyObject *self, PyObject *unnamed, path_fn function) {
  PyObject *object;
  const char *path;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &object) || !core_name_read(object, "path", &path))
    return NULL;
  if (!begin(self, NULL, &run, &call)) return NULL;
  const bool done = core_call_end(&call, function(call.ctx, get(self)->trainer, path));
  core_call_close(&call);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

static PyObject *trainer_save(PyObject *self, PyObject *unnamed) {
  return with_path(self, unnamed, crd_trainer_save);
}

static PyObject *trainer_load(PyObject *self, PyObject *unnamed) {
  return with_path(self, unnamed, crd_trainer_load);
}

static crd_status save_learned(crd_context *ctx, crd_trainer *trainer, const char *path) {
  return crd_trainer_learned_save(ctx, trainer, path);
}

static PyObject *trainer_learned(PyObject *self, PyObject *unnamed) {
  return with_path(self, unnamed, save_learned);
}

/* save_to(path, seconds): from now on, after every epoch and when so much time has passed. */
static PyObject *trainer_save_to(PyObject *self, PyObject *unnamed) {
  PyObject *object;
  const char *path;
  double seconds;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "Od", &object, &seconds) || !core_text_read(object, "path", &path))
    return NULL;
  if (!begin(self, NULL, &run, &call)) return NULL;
  const bool done =
      core_call_end(&call, crd_trainer_save_to(call.ctx, get(self)->trainer, path, seconds));
  core_call_close(&call);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

/* ---- What is known of it. */

static const char *note_at(const void *self, size_t index) {
  const held *const h = self;
  if (index < h->notes.count) return h->notes.items[index];
  return crd_trainer_note(h->trainer, index - h->notes.count);
}

static PyObject *about(const void *it) {
  const held *const h = it;
  const crd_trainer *const t = h->trainer;
  const crd_dataset_shape *const data = crd_dataset_describe(h->training);
  PyObject *const dict = PyDict_New();
  if (dict && core_put(dict, "settings", core_text(crd_trainer_settings(t))) &&
      core_put(dict, "fingerprint", core_text(crd_trainer_fingerprint(t))) &&
      core_put(dict, "threads", PyLong_FromUnsignedLong(crd_trainer_threads(t))) &&
      core_put(dict, "done", PyBool_FromLong(crd_trainer_done(t))) &&
      core_put(dict, "epochs", PyLong_FromSize_t(crd_trainer_epochs(t))) &&
      core_put(dict, "best", PyLong_FromSize_t(crd_trainer_best(t))) &&
      core_put(dict, "rows", PyLong_FromSize_t(data->rows)) &&
      core_put(dict, "classes", PyLong_FromSize_t(h->encoding->class_count)) &&
      core_put(dict, "usual", core_text(crd_architecture_usual(data->type))) &&
      core_put(dict, "notes", core_texts(note_at, h)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static PyObject *trainer_describe(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_object_read(self, about);
}

static PyObject *learned_rows(const void *it) {
  const held *const h = it;
  const uint32_t *const epochs = crd_trainer_learned(h->trainer);
  const float *const logits = crd_trainer_max_logits(h->trainer);
  if (!epochs || !logits) Py_RETURN_NONE;
  const size_t rows = crd_dataset_describe(h->training)->rows;
  const crd_array learned = {
    .data = epochs, .dtype = CRD_U32, .rank = 1, .dims = { (int64_t)rows }
  };
  const crd_array largest = {
    .data = logits, .dtype = CRD_F32, .rank = 1, .dims = { (int64_t)rows }
  };
  PyObject *const one = core_numpy_copy(&learned);
  PyObject *const other = one ? core_numpy_copy(&largest) : NULL;
  if (other) return Py_BuildValue("(NN)", one, other);
  Py_XDECREF(one);
  return NULL;
}

/* Returns (learned epochs, largest logits) of the training rows, or None without evaluate_train. */
static PyObject *trainer_rows(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_object_read(self, learned_rows);
}

static void trainer_dealloc(PyObject *self) { core_object_free(self, held_free); }

static PyMethodDef methods[] = {
  { "epoch", trainer_epoch, METH_VARARGS, "Train one epoch: epoch(progress)." },
  { "epochs", trainer_epochs, METH_NOARGS, "Return the records of all epochs." },
  { "model", trainer_model, METH_NOARGS, "Return the trained Model." },
  { "describe", trainer_describe, METH_NOARGS, "Return settings, fingerprint ... as a dict." },
  { "rows", trainer_rows, METH_NOARGS, "Return learned epochs and largest logits, or None." },
  { "save", trainer_save, METH_VARARGS, "Write a checkpoint." },
  { "save_to", trainer_save_to, METH_VARARGS, "Write checkpoints from now on: (path, seconds)." },
  { "load", trainer_load, METH_VARARGS, "Continue from a checkpoint." },
  { "save_learned", trainer_learned, METH_VARARGS, "Write learned epochs." },
  { NULL, NULL, 0, NULL },
};

bool core_trainer_add(PyObject *module) {
  static const core_type type = { "credence._core.Trainer", "A network in training.", trainer_new,
                                  trainer_dealloc, methods };
  return core_type_make(module, &type, &trainer_type);
}
