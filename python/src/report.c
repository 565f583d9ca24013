/* report.c -- reports and figures of any object, as text. */
#include "result.h"

/* ---- Reports. */

const core_field core_report_fields[] = {
  { "colour", CORE_FLAG, offsetof(crd_report_options, colour), NULL },
  { "ascii", CORE_FLAG, offsetof(crd_report_options, ascii), NULL },
  { "digits", CORE_UNSIGNED, offsetof(crd_report_options, digits), NULL },
  { "percent", CORE_FLAG, offsetof(crd_report_options, percent), NULL },
  { "classes", CORE_FLAG, offsetof(crd_report_options, classes), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static crd_status write_report(crd_context *ctx, const void *what, crd_output *output) {
  const core_report_job *const job = what;
  return job->write(ctx, job->what, job->form, &job->options, output);
}

PyObject *core_report_as(PyObject *form, PyObject *arguments, core_report_job *job) {
  job->options.size = sizeof job->options;
  if (!core_name_read(form, "form", &job->form)) return NULL;
  if (!core_fields_set(arguments, "report", core_report_fields, &job->options, NULL)) return NULL;
  return core_written_text(job->lock, write_report, job);
}

PyObject *core_report(PyObject *unnamed, PyObject *arguments, core_report_fn write,
                      const void *what, core_lock *lock) {
  core_report_job job = { .write = write, .what = what, .lock = lock };
  PyObject *form;
  return PyArg_ParseTuple(unnamed, "O", &form) ? core_report_as(form, arguments, &job) : NULL;
}

/* ---- Figures. */

const core_field core_figure_fields[] = {
  { "title", CORE_TEXT, offsetof(crd_figure_options, title), NULL },
  { "id", CORE_TEXT, offsetof(crd_figure_options, id), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static crd_status write_figure(crd_context *ctx, const void *what, crd_output *output) {
  const core_figure_job *const job = what;
  return crd_figure_write(ctx, job->name, &job->data, &job->options, output);
}

PyObject *core_figure(PyObject *unnamed, PyObject *arguments, core_figure_job *job) {
  PyObject *name;
  job->data.size = sizeof job->data;
  job->options.size = sizeof job->options;
  if (!PyArg_ParseTuple(unnamed, "O", &name) || !core_name_read(name, "figure", &job->name))
    return NULL;
  if (!core_fields_set(arguments, "figure", core_figure_fields, &job->options, NULL)) return NULL;
  return core_written_text(NULL, write_figure, job);
}
