/*
 * spelling.c -- names of the library, and what they are called in Python, so that messages show
 * what to write. Options are keyword arguments of the same name, and are not listed here.
 */
#include "core.h"

#include <string.h>

static const struct {
  const char *name, *spelling;
} spellings[] = {
  { "binary=pos", "binary='pos'" },
  { "crd_architecture_at", "credence.architectures()" },
  { "crd_augmentation_at", "credence.augmentations()" },
  { "crd_calibrator_save", "credence.Calibrator.save" },
  { "crd_contest_run", "credence.compare" },
  { "crd_contest_write", "credence.Contest.to_json" },
  { "crd_corruption_at", "credence.corruptions()" },
  { "crd_dataset_encode", "a network's vocabulary" },
  { "crd_dataset_kind_at", "credence.datasets()" },
  { "crd_evaluate", "credence.evaluate" },
  { "crd_export_at", "help(credence.Calibrator.export)" },
  { "crd_loss_at", "credence.losses()" },
  { "crd_method_at", "credence.methods()" },
  { "crd_metric_at", "credence.metrics()" },
  { "crd_operator_at", "credence.operators()" },
  { "crd_optimiser_at", "credence.optimisers()" },
  { "crd_peer_at", "help(credence.evaluate)" },
  { "crd_profile_make", "profile=True" },
  { "crd_report_write", "credence.Result.to_json" },
  { "crd_schedule_at", "credence.schedules()" },
  { "height", "size" },
  { "input=logits", "input='logits'" },
  { "input=probabilities", "input='probabilities'" },
};

const char *core_spelling(void *self, const char *name) {
  (void)self;
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
    if (strcmp(spellings[i].name, name) == 0) return spellings[i].spelling;
  return name;
}

PyObject *core_spellings(PyObject *self, PyObject *unused) {
  PyObject *const dict = PyDict_New();
  (void)self, (void)unused;
  for (size_t i = 0; dict && i < sizeof spellings / sizeof *spellings; i++)
    if (!core_put(dict, spellings[i].name, core_text(spellings[i].spelling))) {
      Py_DECREF(dict);
      return NULL;
    }
  return dict;
}
