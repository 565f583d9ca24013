/* tables.c -- the library's tables of metrics, methods, losses ... as lists of dicts, from which
 * the Python layer makes docstrings and checks of names. */
#include "core.h"

static const core_field setting_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_setting_info, name), NULL },
  { "help", CORE_TEXT, offsetof(crd_setting_info, help), NULL },
  { "standard", CORE_TEXT, offsetof(crd_setting_info, standard), NULL },
  { "words", CORE_TEXT, offsetof(crd_setting_info, words), NULL },
  { "low", CORE_DOUBLE, offsetof(crd_setting_info, low), NULL },
  { "high", CORE_DOUBLE, offsetof(crd_setting_info, high), NULL },
  { "whole", CORE_FLAG, offsetof(crd_setting_info, whole), NULL },
  { "list", CORE_FLAG, offsetof(crd_setting_info, list), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field metric_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_metric_info, name), NULL },
  { "title", CORE_TEXT, offsetof(crd_metric_info, title), NULL },
  { "summary", CORE_TEXT, offsetof(crd_metric_info, summary), NULL },
  { "meaning", CORE_TEXT, offsetof(crd_metric_info, meaning), NULL },
  { "reference", CORE_TEXT, offsetof(crd_metric_info, reference), NULL },
  { "low", CORE_DOUBLE, offsetof(crd_metric_info, low), NULL },
  { "high", CORE_DOUBLE, offsetof(crd_metric_info, high), NULL },
  { "direction", CORE_WORD, offsetof(crd_metric_info, direction), "lower higher neither" },
  { "standard", CORE_INT, offsetof(crd_metric_info, standard), NULL },
  { "recalibrated", CORE_FLAG, offsetof(crd_metric_info, recalibrated), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field method_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_method_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_method_info, summary), NULL },
  { "meaning", CORE_TEXT, offsetof(crd_method_info, meaning), NULL },
  { "reference", CORE_TEXT, offsetof(crd_method_info, reference), NULL },
  { "keeps_argmax", CORE_FLAG, offsetof(crd_method_info, keeps_argmax), NULL },
  { "needs_features", CORE_FLAG, offsetof(crd_method_info, needs_features), NULL },
  { "standard", CORE_SIZE, offsetof(crd_method_info, standard), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field loss_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_loss_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_loss_info, summary), NULL },
  { "meaning", CORE_TEXT, offsetof(crd_loss_info, meaning), NULL },
  { "reference", CORE_TEXT, offsetof(crd_loss_info, reference), NULL },
  { "auxiliary", CORE_FLAG, offsetof(crd_loss_info, auxiliary), NULL },
  { "soft_targets", CORE_FLAG, offsetof(crd_loss_info, soft_targets), NULL },
  { "history", CORE_FLAG, offsetof(crd_loss_info, history), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field figure_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_figure_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_figure_info, summary), NULL },
  { "source", CORE_WORD, offsetof(crd_figure_info, source),
    "result contest profile calibrator embedding run perturbation shift shifted-contest "
    "calibratability learned" },
  { "metrics", CORE_TEXT, offsetof(crd_figure_info, metrics), NULL },
  { "profile", CORE_UNSIGNED, offsetof(crd_figure_info, profile), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field export_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_export_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_export_info, summary), NULL },
  { "extension", CORE_TEXT, offsetof(crd_export_info, extension), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field form_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_report_form, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_report_form, summary), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field peer_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_peer, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_peer, summary), NULL },
  { "package", CORE_TEXT, offsetof(crd_peer, package), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field finding_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_finding_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_finding_info, summary), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field part_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_training_part_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_training_part_info, summary), NULL },
  { "reference", CORE_TEXT, offsetof(crd_training_part_info, reference), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field architecture_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_architecture_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_architecture_info, summary), NULL },
  { "reference", CORE_TEXT, offsetof(crd_architecture_info, reference), NULL },
  { "input", CORE_WORD, offsetof(crd_architecture_info, input), "images vectors texts" },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field transform_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_transform_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_transform_info, summary), NULL },
  { "reference", CORE_TEXT, offsetof(crd_transform_info, reference), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field dataset_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_dataset_kind_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_dataset_kind_info, summary), NULL },
  { "path", CORE_TEXT, offsetof(crd_dataset_kind_info, path), NULL },
  { "splits", CORE_TEXT, offsetof(crd_dataset_kind_info, splits), NULL },
  { "reference", CORE_TEXT, offsetof(crd_dataset_kind_info, reference), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field operator_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_operator_info, name), NULL },
  { "summary", CORE_TEXT, offsetof(crd_operator_info, summary), NULL },
  { "since", CORE_INT, offsetof(crd_operator_info, since), NULL },
  { "until", CORE_INT, offsetof(crd_operator_info, until), NULL },
  { "backward_input", CORE_FLAG, offsetof(crd_operator_info, backward_input), NULL },
  { "backward_parameters", CORE_FLAG, offsetof(crd_operator_info, backward_parameters), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* The functions return pointers to different types, so each table has a function of one type. */
#define AT(noun)                                                                                   \
  static const void *noun##_at(size_t index) { return crd_##noun##_at(index); }
AT(metric)
AT(method)
AT(loss)
AT(figure)
AT(export)
AT(report)
AT(finding)
AT(peer)
AT(optimiser)
AT(schedule)
AT(architecture)
AT(augmentation)
AT(corruption)
AT(dataset_kind)
AT(operator)
AT(clamp_setting)
AT(trust_setting)
AT(confidnet_setting)

static const struct {
  const char *name;
  const void *(*at)(size_t index);
  const core_field *fields;
  size_t settings, setting_count; /* offsets of both members; 0: no settings */
} tables[] = {
  { "metrics", metric_at, metric_fields, 0, 0 },
  { "methods", method_at, method_fields, offsetof(crd_method_info, settings),
    offsetof(crd_method_info, setting_count) },
  { "losses", loss_at, loss_fields, offsetof(crd_loss_info, settings),
    offsetof(crd_loss_info, setting_count) },
  { "figures", figure_at, figure_fields, 0, 0 },
  { "exports", export_at, export_fields, 0, 0 },
  { "forms", report_at, form_fields, 0, 0 },
  { "findings", finding_at, finding_fields, 0, 0 },
  { "peers", peer_at, peer_fields, 0, 0 },
  { "optimisers", optimiser_at, part_fields, offsetof(crd_training_part_info, settings),
    offsetof(crd_training_part_info, setting_count) },
  { "schedules", schedule_at, part_fields, offsetof(crd_training_part_info, settings),
    offsetof(crd_training_part_info, setting_count) },
  { "architectures", architecture_at, architecture_fields,
    offsetof(crd_architecture_info, settings), offsetof(crd_architecture_info, setting_count) },
  { "augmentations", augmentation_at, transform_fields, offsetof(crd_transform_info, settings),
    offsetof(crd_transform_info, setting_count) },
  { "corruptions", corruption_at, transform_fields, offsetof(crd_transform_info, settings),
    offsetof(crd_transform_info, setting_count) },
  { "datasets", dataset_kind_at, dataset_fields, 0, 0 },
  { "operators", operator_at, operator_fields, 0, 0 },
  { "clamp-settings", clamp_setting_at, setting_fields, 0, 0 },
  { "trust-settings", trust_setting_at, setting_fields, 0, 0 },
  { "confidence-settings", confidnet_setting_at, setting_fields, 0, 0 },
};

static PyObject *entry_dict(size_t table, const void *entry) {
  PyObject *const dict = core_fields_dict(entry, tables[table].fields);
  if (!dict || !tables[table].settings) return dict;
  const char *const at = entry;
  const crd_setting_info *const settings =
      *(const crd_setting_info *const *)(const void *)(at + tables[table].settings);
  const size_t count = *(const size_t *)(const void *)(at + tables[table].setting_count);
  if (core_put(dict, "settings", core_list(count, settings, sizeof *settings, setting_fields)))
    return dict;
  Py_DECREF(dict);
  return NULL;
}

static PyObject *table_list(size_t table) {
  PyObject *const list = PyList_New(0);
  const void *entry;
  for (size_t i = 0; list && (entry = tables[table].at(i)); i++)
    if (!core_append(list, entry_dict(table, entry))) {
      Py_DECREF(list);
      return NULL;
    }
  return list;
}

PyObject *core_tables(PyObject *self, PyObject *unused) {
  PyObject *const dict = PyDict_New();
  (void)self, (void)unused;
  for (size_t i = 0; dict && i < sizeof tables / sizeof *tables; i++)
    if (!core_put(dict, tables[i].name, table_list(i))) {
      Py_DECREF(dict);
      return NULL;
    }
  return dict;
}
