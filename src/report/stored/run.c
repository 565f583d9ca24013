/*
 * run.c -- reads the record of a training run, m.run.json.
 *
 * Epochs are objects in the file, columns in the struct: every epoch must have the values of the
 * first one. Other members than those that are read (the command, hashes) are ignored: a record is
 * read to be drawn, never written again.
 */
#include "base/arena.h"
#include "base/file.h"
#include "report/fields.h"
#include "report/stored/stored.h"

#include <stdio.h>
#include <string.h>

void crd_run_destroy(const crd_run *run) { crd__arena_free(run); }

const crd_run_column *crd_run_column_find(const crd_run *run, const char *name) {
  for (size_t i = 0; i < run->column_count; i++)
    if (strcmp(run->columns[i].name, name) == 0) return &run->columns[i];
  return NULL;
}

const char *crd_run_setting_value(const crd_run *run, const char *name) {
  for (size_t i = 0; i < run->setting_count; i++)
    if (strcmp(run->settings[i].name, name) == 0) return run->settings[i].value;
  return NULL;
}

/* Iterates over the members of an object. */
static void *first_of(const json_t *object) {
  return json_object_iter((json_t *)(uintptr_t)object);
}
static void *next_of(const json_t *object, void *at) {
  return json_object_iter_next((json_t *)(uintptr_t)object, at);
}

/* ---- Settings. */

static crd_status read_settings(crd__report_reader *r, const json_t *root, crd_run *out) {
  const json_t *const object = json_object_get(root, "settings");
  crd_run_setting *items;
  const size_t back = crd__report_enter(r, "settings");
  if (!json_is_object(object)) return crd__report_reader_invalid(r, object, "an object");
  CRD_TRY(crd__report_reader_alloc(r, json_object_size(object), sizeof *items, &items));
  out->settings = items;
  for (void *at = first_of(object); at; at = next_of(object, at)) {
    const char *const name = json_object_iter_key(at);
    const json_t *const value = json_object_iter_value(at);
    const size_t here = crd__report_enter(r, name);
    if (!json_is_string(value)) return crd__report_reader_invalid(r, value, "text");
    items[out->setting_count++] = (crd_run_setting){ name, json_string_value(value) };
    crd__report_leave(r, here);
  }
  crd__report_leave(r, back);
  return CRD_OK;
}

/* ---- Columns. */

/* The data before the dot: the first one of a term, which may contain numbers; else the last one,
 * since names of monitors may be those of files. */
static crd_status split_name(crd__report_reader *r, crd_run_column *out) {
  static const char terms[] = "loss.";
  const char *const dot = strncmp(out->name, terms, strlen(terms)) == 0 ? strchr(out->name, '.')
                                                                        : strrchr(out->name, '.');
  char *data;
  out->measure = dot ? dot + 1 : out->name;
  if (!dot) return CRD_OK;
  CRD_TRY(crd__report_reader_alloc(r, (size_t)(dot - out->name) + 1, 1, &data));
  memcpy(data, out->name, (size_t)(dot - out->name));
  out->data = data;
  return CRD_OK;
}

static bool is_value(const char *key) {
  return strcmp(key, "epoch") != 0 && strcmp(key, "best") != 0;
}

static size_t count_values(const json_t *epoch) {
  size_t count = 0;
  for (void *at = first_of(epoch); at; at = next_of(epoch, at))
    count += is_value(json_object_iter_key(at));
  return count;
}

/* Checks every epoch before memory is allocated: its size is then bounded by that of the file. */
static crd_status check_epochs(crd__report_reader *r, const json_t *list, const crd_run *run) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *const epoch = json_array_get(list, i);
    size_t number;
    int best;
    const size_t back = crd__report_enter_item(r, i);
    if (!json_is_object(epoch)) return crd__report_reader_invalid(r, epoch, "an object");
    CRD_TRY(crd__report_member_read(r, epoch, "epoch", &crd__report_kind_count, &number));
    CRD_TRY(crd__report_member_read(r, epoch, "best", &crd__report_kind_mark, &best));
    if (number != i + 1)
      return crd__report_reader_fail(r, "found epoch %zu, allowed is %zu: all epochs, in order",
                                     number, i + 1);
    if (count_values(epoch) != run->column_count)
      return crd__report_reader_fail(
          r, "found %zu values, allowed are as many as in the first epoch, %zu",
          count_values(epoch), run->column_count);
    crd__report_leave(r, back);
  }
  return CRD_OK;
}

static crd_status read_column(crd__report_reader *r, const json_t *list, const char *name,
                              double *values) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const size_t back = crd__report_enter_item(r, i);
    CRD_TRY(crd__report_member_read(r, json_array_get(list, i), name, &crd__report_kind_number,
                                    &values[i]));
    crd__report_leave(r, back);
  }
  return CRD_OK;
}

static crd_status read_columns(crd__report_reader *r, const json_t *list, crd_run *out) {
  const json_t *const first = json_array_get(list, 0);
  crd_run_column *columns;
  size_t k = 0;
  CRD_TRY(crd__report_reader_alloc(r, out->column_count, sizeof *columns, &columns));
  out->columns = columns;
  for (void *at = first_of(first); at; at = next_of(first, at)) {
    crd_run_column *const column = &columns[k];
    double *values;
    if (!is_value(json_object_iter_key(at))) continue;
    column->name = json_object_iter_key(at);
    CRD_TRY(split_name(r, column));
    CRD_TRY(crd__report_reader_alloc(r, out->epochs, sizeof *values, &values));
    CRD_TRY(read_column(r, list, column->name, values));
    column->values = values;
    k++;
  }
  return CRD_OK;
}

static crd_status read_epochs(crd__report_reader *r, const json_t *root, crd_run *out) {
  const json_t *list;
  CRD_TRY(crd__report_array_get(r, root, "epochs", &list));
  const size_t back = crd__report_enter(r, "epochs");
  out->epochs = json_array_size(list);
  if (!out->epochs) return crd__report_reader_invalid(r, list, "an array of at least one epoch");
  out->column_count = count_values(json_array_get(list, 0));
  CRD_TRY(check_epochs(r, list, out));
  CRD_TRY(read_columns(r, list, out));
  crd__report_leave(r, back);
  return CRD_OK;
}

/* ---- The run. */

static crd_status read_kept(crd__report_reader *r, const json_t *root, crd_run *out) {
  CRD_TRY(crd__report_member_read(r, root, "kept_epoch", &crd__report_kind_count, &out->kept));
  if (out->kept < 1 || out->kept > out->epochs) {
    crd__report_enter(r, "kept_epoch");
    return crd__report_reader_fail(r, "found %zu, allowed is one of the epochs, 1 to %zu",
                                   out->kept, out->epochs);
  }
  const json_t *const epoch = json_array_get(json_object_get(root, "epochs"), out->kept - 1);
  out->best = json_is_true(json_object_get(epoch, "best"));
  return CRD_OK;
}

static crd_status read_run(crd__report_reader *r, const json_t *root, crd_run *out) {
  const char *const kind = json_string_value(json_object_get(root, "credence"));
  const char *model = NULL;
  char other[80] = "an unknown kind of file";
  if (!kind || strcmp(kind, "run") != 0) {
    if (kind) snprintf(other, sizeof other, "JSON of the kind '%.40s'", kind);
    return crd__report_reader_fail(
        r, "found %s, allowed is the record of a training run: m.run.json beside m.onnx", other);
  }
  CRD_TRY(crd__report_version_check(r, root));
  CRD_TRY(crd__report_member_read(r, root, "output", &crd__report_kind_string, &out->name));
  CRD_TRY(crd__report_member_read(r, root, "network", &crd__report_kind_string, &out->network));
  CRD_TRY(crd__report_member_read(r, root, "model", &crd__report_kind_string, &model));
  if (!out->network) out->network = model;
  if (!out->network) {
    crd__report_enter(r, "network");
    return crd__report_reader_invalid(r, json_object_get(root, "network"),
                                      "text, unless 'model' is text");
  }
  CRD_TRY(crd__report_member_read(r, root, "rows", &crd__report_kind_count, &out->rows));
  CRD_TRY(crd__report_member_read(r, root, "classes", &crd__report_kind_count, &out->classes));
  CRD_TRY(read_settings(r, root, out));
  CRD_TRY(read_epochs(r, root, out));
  return read_kept(r, root, out);
}

crd_status crd__report_run_read(crd_context *ctx, const char *bytes, size_t length,
                                const crd_run **out) {
  crd_run *run;
  json_t *root;
  *out = NULL;
  CRD_TRY(crd__arena_new(ctx, sizeof *run, "the record of a run", &run));
  crd__report_reader r = { .ctx = ctx, .owner = run };
  crd_status status = crd__report_json_parse(&r, bytes, length, &root);
  if (status == CRD_OK) status = read_run(&r, root, run);
  if (status == CRD_OK) *out = run;
  else crd__arena_free(run);
  return status;
}

crd_status crd_run_load(crd_context *ctx, const char *path, const crd_run **out) {
  crd__blob blob;
  *out = NULL;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  const crd_status status = crd__report_run_read(ctx, (const char *)blob.bytes, blob.length, out);
  crd__blob_close(&ctx->alloc, &blob);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, path);
}
