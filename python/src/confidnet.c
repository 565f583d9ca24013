/* confidnet.c -- the type ConfidNet: a head in training that learns how far a classifier is to be
 * trusted. */
#include "network.h"

static PyTypeObject *confidnet_type;

/* A head, and what is worth knowing of its data. */
typedef struct {
  crd_confidnet *confidnet;
  core_notes notes;
} held;

static void held_free(void *it) {
  held *const h = it;
  if (h) crd_confidnet_destroy(h->confidnet);
  PyMem_Free(h);
}

static held *get(PyObject *self) { return ((core_object *)self)->it; }

/* Calls of one head are made one at a time. */
static bool begin(PyObject *self, const core_run *run, core_call *call) {
  return core_object_runs(self) && core_call_begin(call, run, ((core_object *)self)->lock);
}

/* ---- Making. */

typedef struct {
  crd_confidnet_options options;
  PyObject *model; /* borrowed */
  const crd_dataset *training, *validation;
} make_arguments;

static const core_field make_fields[] = {
  { "settings", CORE_TEXT, offsetof(make_arguments, options.settings), NULL },
  { "tensor", CORE_TEXT, offsetof(make_arguments, options.tensor), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static bool read_arguments(PyObject *unnamed, PyObject *arguments, make_arguments *a) {
  static const char *const others[] = { CORE_FEED_NAMES, CORE_RUN_NAMES, NULL };
  PyObject *training, *validation;
  a->options.size = sizeof a->options;
  if (!PyArg_ParseTuple(unnamed, "OOO", &a->model, &training, &validation) ||
      !core_fields_set(arguments, "ConfidNet", make_fields, a, others) ||
      !core_model_get(a->model, "model"))
    return false;
  a->training = core_dataset_get(training, "training");
  if (a->training) a->validation = core_dataset_get(validation, "validation");
  return a->validation != NULL;
}

/* ConfidNet(model, training, validation, settings=None, tensor=None, ...) */
static PyObject *confidnet_new(PyTypeObject *type, PyObject *unnamed, PyObject *arguments) {
  make_arguments a = { .model = NULL };
  PyObject *result = NULL;
  core_feed feed;
  core_run run;
  core_call call;
  if (!read_arguments(unnamed, arguments, &a) || !core_run_read(arguments, &run)) return NULL;
  held *h = PyMem_Calloc(1, sizeof *h);
  if (!h) return core_raise(CRD_ENOMEM, "no memory for a head");
  if (core_feed_read(arguments, &feed) && core_call_begin(&call, &run, NULL)) {
    a.options.feed = &feed.options;
    crd_context_set_log(call.ctx, core_notes_add, &h->notes);
    const crd_status status =
        crd_confidnet_create(call.ctx, core_model_get(a.model, "model"), a.training, a.validation,
                             &a.options, &h->confidnet);
    crd_context_set_log(call.ctx, NULL, NULL);
    if (core_call_end(&call, status)) {
      Py_INCREF(a.model); /* it is borrowed by the head */
      result = core_object_new(type, h, held_free, &call, a.model);
      h = NULL;
    } else {
      core_call_close(&call);
    }
  }
  core_feed_release(&feed);
  held_free(h);
  return result;
}

/* ---- Training. */

static const core_field quality_fields[] = {
  { "aupr_error", CORE_DOUBLE, offsetof(crd_confidnet_quality, aupr_error), NULL },
  { "auroc", CORE_DOUBLE, offsetof(crd_confidnet_quality, auroc), NULL },
  { "ece", CORE_DOUBLE, offsetof(crd_confidnet_quality, ece), NULL },
  { "brier_top1", CORE_DOUBLE, offsetof(crd_confidnet_quality, brier_top1), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field epoch_fields[] = {
  { "epoch", CORE_SIZE, offsetof(crd_confidnet_epoch, epoch), NULL },
  { "loss", CORE_DOUBLE, offsetof(crd_confidnet_epoch, loss), NULL },
  { "validation_loss", CORE_DOUBLE, offsetof(crd_confidnet_epoch, validation_loss), NULL },
  { "best", CORE_FLAG, offsetof(crd_confidnet_epoch, best), NULL },
  { "seconds", CORE_DOUBLE, offsetof(crd_confidnet_epoch, seconds), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *epoch_dict(const crd_confidnet_epoch *epoch) {
  PyObject *const dict = core_fields_dict(epoch, epoch_fields);
  if (!dict || core_fields_add(dict, &epoch->quality, quality_fields)) return dict;
  Py_DECREF(dict);
  return NULL;
}

/* epoch(threads, progress): trains one; (its record, whether it was the last one). */
static PyObject *confidnet_epoch(PyObject *self, PyObject *unnamed) {
  PyObject *result = NULL;
  core_run run = { .threads = 0 };
  crd_confidnet_epoch epoch;
  core_call call;
  int done;
  if (!PyArg_ParseTuple(unnamed, "IO", &run.threads, &run.progress) || !begin(self, &run, &call))
    return NULL;
  const crd_status status = crd_confidnet_train(call.ctx, get(self)->confidnet, &epoch, &done);
  if (core_call_end(&call, status)) {
    PyObject *const record = epoch_dict(&epoch);
    if (record) result = Py_BuildValue("(NN)", record, PyBool_FromLong(done));
  }
  core_call_close(&call);
  return result;
}

/* Returns the classifier with the head of the best epoch in it. */
static PyObject *confidnet_model(PyObject *self, PyObject *unused) {
  crd_model *model = NULL;
  core_call call;
  (void)unused;
  if (!begin(self, NULL, &call)) return NULL;
  const crd_status status = crd_confidnet_model(call.ctx, get(self)->confidnet, &model);
  return core_model_new(&call, status, model);
}

/* ---- What is known of it. */

static const core_field summary_fields[] = {
  { "tensor", CORE_TEXT, offsetof(crd_confidnet_summary, tensor), NULL },
  { "logits", CORE_TEXT, offsetof(crd_confidnet_summary, logits), NULL },
  { "settings", CORE_TEXT, offsetof(crd_confidnet_summary, settings), NULL },
  { "features", CORE_SIZE, offsetof(crd_confidnet_summary, features), NULL },
  { "classes", CORE_SIZE, offsetof(crd_confidnet_summary, classes), NULL },
  { "parameters", CORE_SIZE, offsetof(crd_confidnet_summary, parameters), NULL },
  { "rows", CORE_SIZE, offsetof(crd_confidnet_summary, rows), NULL },
  { "errors", CORE_SIZE, offsetof(crd_confidnet_summary, errors), NULL },
  { "validation_rows", CORE_SIZE, offsetof(crd_confidnet_summary, validation_rows), NULL },
  { "validation_errors", CORE_SIZE, offsetof(crd_confidnet_summary, validation_errors), NULL },
  { "criterion", CORE_TEXT, offsetof(crd_confidnet_summary, criterion), NULL },
  { "epochs", CORE_SIZE, offsetof(crd_confidnet_summary, epochs), NULL },
  { "kept_epoch", CORE_SIZE, offsetof(crd_confidnet_summary, best), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const char *note_at(const void *self, size_t index) {
  const core_notes *const notes = self;
  return index < notes->count ? notes->items[index] : NULL;
}

static PyObject *about(const void *it) {
  const held *const h = it;
  const crd_confidnet_summary *const s = crd_confidnet_describe(h->confidnet);
  PyObject *const dict = core_fields_dict(s, summary_fields);
  if (dict &&
      core_put(dict, "maximum_probability", core_fields_dict(&s->maximum, quality_fields)) &&
      core_put(dict, "confidence", core_fields_dict(&s->quality, quality_fields)) &&
      core_put(dict, "notes", core_texts(note_at, &h->notes)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static PyObject *confidnet_describe(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_object_read(self, about);
}

static void confidnet_dealloc(PyObject *self) { core_object_free(self, held_free); }

static PyMethodDef methods[] = {
  { "epoch", confidnet_epoch, METH_VARARGS, "Train one epoch: epoch(threads, progress)." },
  { "model", confidnet_model, METH_NOARGS, "Return the classifier with its confidence." },
  { "describe", confidnet_describe, METH_NOARGS, "Return everything about it as a dict." },
  { NULL, NULL, 0, NULL },
};

bool core_confidnet_add(PyObject *module) {
  static const core_type type = { "credence._core.ConfidNet",
                                  "A head that learns the confidence of a classifier.",
                                  confidnet_new, confidnet_dealloc, methods };
  return core_type_make(module, &type, &confidnet_type);
}
