/* predict.c -- predictions of a model for datasets and files. */
#include "network.h"

static const core_field feed_fields[] = {
  { "batch", CORE_SIZE, offsetof(core_feed, options.batch), NULL },
  { "winograd", CORE_FLAG, offsetof(core_feed, options.winograd), NULL },
  { "scale", CORE_DOUBLE, offsetof(core_feed, options.scale), NULL },
  { "channels_last", CORE_FLAG, offsetof(core_feed, options.channels_last), NULL },
  { "output", CORE_TEXT, offsetof(core_feed, options.output), NULL },
  { "features", CORE_TEXT, offsetof(core_feed, options.features), NULL },
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
    PyObject *const given = core_argument(arguments, names[i]);
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

bool core_feed_read(PyObject *arguments, core_feed *out) {
  *out = (core_feed){ .options = { .size = sizeof out->options } };
  return core_fields_pick(arguments, feed_fields, out) &&
         read_scale(arguments, out->scale, &out->options);
}

void core_feed_release(core_feed *feed) {
  core_array_release(&feed->scale[0]);
  core_array_release(&feed->scale[1]);
}

/* predict(data, path, ...): `data` is a Dataset, or the name of a file of arrays. */
PyObject *core_model_predict(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field none[] = { { NULL, CORE_TEXT, 0, NULL } };
  static const char *const others[] = { CORE_FEED_NAMES, CORE_RUN_NAMES, NULL };
  const crd_dataset *data = NULL;
  const char *file = NULL, *path;
  PyObject *object, *to, *result = NULL;
  crd_feed_summary done;
  core_feed feed;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "OO", &object, &to) || !core_run_read(arguments, &run) ||
      !core_name_read(to, "path", &path) ||
      !core_fields_set(arguments, "predict", none, NULL, others))
    return NULL;
  if (PyUnicode_Check(object) ? !core_text_read(object, "data", &file)
                              : !(data = core_dataset_get(object, "data")))
    return NULL;
  if (core_feed_read(arguments, &feed) && core_call_begin(&call, &run, NULL)) {
    const crd_model *const model = core_model_get(self, "self");
    const crd_status status =
        data ? crd_dataset_predict_to(call.ctx, model, data, &feed.options, path, &done)
             : crd_model_predict_to(call.ctx, model, file, &feed.options, path, &done);
    if (core_call_end(&call, status)) result = core_fields_dict(&done, summary_fields);
    core_call_close(&call);
  }
  core_feed_release(&feed);
  return result;
}
