/* predict.c -- predictions of a model for datasets and files. */
#include "network.h"

typedef struct {
  crd_feed_options options;
  const char *path;
} prediction;

static const core_field feed_fields[] = {
  { "batch", CORE_SIZE, offsetof(prediction, options.batch), NULL },
  { "winograd", CORE_FLAG, offsetof(prediction, options.winograd), NULL },
  { "scale", CORE_DOUBLE, offsetof(prediction, options.scale), NULL },
  { "channels_last", CORE_FLAG, offsetof(prediction, options.channels_last), NULL },
  { "output", CORE_TEXT, offsetof(prediction, options.output), NULL },
  { "features", CORE_TEXT, offsetof(prediction, options.features), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field summary_fields[] = {
  { "rows", CORE_SIZE, offsetof(crd_feed_summary, rows), NULL },
  { "batch", CORE_SIZE, offsetof(crd_feed_summary, batch), NULL },
  { "classes", CORE_SIZE, offsetof(crd_feed_summary, classes), NULL },
  { "scores", CORE_TEXT, offsetof(crd_feed_summary, scores), NULL },
  { "labelled", CORE_FLAG, offsetof(crd_feed_summary, labelled), NULL },
  { "features", CORE_SIZE, offsetof(crd_feed_summary, features), NULL },
  { "confidence", CORE_FLAG, offsetof(crd_feed_summary, confidence), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* Mean and standard deviation: vectors of equal length. */
static bool read_scale(PyObject *arguments, core_array arrays[2], crd_feed_options *out) {
  static const char *const names[] = { "mean", "std" };
  for (size_t i = 0; i < 2; i++) {
    PyObject *const given = arguments ? PyDict_GetItemString(arguments, names[i]) : NULL;
    if (!core_array_read_plain(given, names[i], CRD_F64, &arrays[i])) return false;
    if (!arrays[i].view.data) continue;
    const size_t count = crd_array_count(&arrays[i].view);
    if (arrays[i].view.rank != 1 || !count)
      return core_raise_usage("%s: expected a number for each channel", names[i]) != NULL;
    if (out->channels && out->channels != count)
      return core_raise_usage("mean has %zu values and std %zu, expected the same number",
                              out->channels, count) != NULL;
    out->channels = count;
  }
  out->mean = arrays[0].view.data;
  out->std = arrays[1].view.data;
  return true;
}

/* predict(data, path, ...): `data` is a Dataset, or the name of a file of arrays. */
PyObject *core_model_predict(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const char *const others[] = { "mean", "std", CORE_RUN_NAMES, NULL };
  prediction p = { .options = { .size = sizeof p.options } };
  core_array scale[2] = { { .buffered = false }, { .buffered = false } };
  const crd_dataset *data = NULL;
  const char *file = NULL;
  PyObject *object, *path, *result = NULL;
  crd_feed_summary done;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "OO", &object, &path) || !core_run_read(arguments, &run))
    return NULL;
  if (!core_text_read(path, "path", &p.path) ||
      !core_fields_set(arguments, "predict", feed_fields, &p, others))
    return NULL;
  if (!p.path) return core_raise_type("path is None, expected a str");
  if (PyUnicode_Check(object) ? !core_text_read(object, "data", &file)
                              : !(data = core_dataset_get(object, "data")))
    return NULL;
  if (read_scale(arguments, scale, &p.options) && core_call_begin(&call, &run, NULL)) {
    const crd_status status = data ? crd_dataset_predict_to(call.ctx, core_model_get(self, "self"),
                                                            data, &p.options, p.path, &done)
                                   : crd_model_predict_to(call.ctx, core_model_get(self, "self"),
                                                          file, &p.options, p.path, &done);
    if (core_call_end(&call, status)) result = core_fields_dict(&done, summary_fields);
    core_call_close(&call);
  }
  core_array_release(&scale[0]);
  core_array_release(&scale[1]);
  return result;
}
