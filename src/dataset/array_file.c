/*
 * array_file.c -- FILE[#GROUP] without a kind: arrays with the usual names, as `predict` takes
 * them.
 *
 * Inputs are the array images, inputs, x or features, or the only one; labels, weights and groups
 * are found as in files of predictions. Numbers are unchanged but for their type.
 */
#include "dataset/arrays.h"

#include "base/memory.h"
#include "data/array.h"
#include "io/array.h"
#include "io/keys.h"

typedef struct {
  crd_context *ctx;
  const crd__dataset_request *request;
  const char *group; /* NULL: none */
  crd__dataset_store *store;
  crd__dataset_arrays *self;
} opening;

/* Tables and single arrays are named "scores". */
static size_t find_inputs(const opening *o) {
  static const char *const names[] = { "images", "inputs", "x", "features", "scores" };
  const crd__io_bundle *const bundle = o->self->bundle;
  size_t index = bundle->count;
  for (size_t i = 0; i < sizeof names / sizeof *names && index == bundle->count; i++)
    index = crd__io_bundle_find_in(bundle, o->group, names[i]);
  return index == bundle->count && bundle->count == 1 ? 0 : index;
}

static crd_status refuse_names(const opening *o) {
  crd__text text;
  crd__text_init(&text, &o->ctx->alloc);
  crd__io_bundle_list(o->self->bundle, &text);
  crd_status status = crd__text_status(o->ctx, &text);
  if (status == CRD_OK)
    status = crd__fail(o->ctx, CRD_EINPUT,
                       "%s: no inputs: found %s; expected images, inputs, x or features",
                       o->request->data, text.bytes);
  crd__text_clear(&text);
  return status;
}

/* Sets names from an entry of strings, one for each sample. */
static crd_status take_strings(const opening *o, size_t index, crd__dataset_names *names) {
  crd__io_bundle *const bundle = o->self->bundle;
  CRD_TRY(crd__io_bundle_strings(o->ctx, bundle, index));
  const crd__io_entry *const entry = &bundle->entries[index];
  if (entry->rank != 1 || entry->shape[0] != o->store->count)
    return crd__fail(o->ctx, CRD_EINPUT, "%s: %s has %zu strings for %zu rows of inputs",
                     o->request->path, entry->name, entry->rank ? entry->shape[0] : 1,
                     o->store->count);
  for (size_t i = 0; i < o->store->count; i++)
    CRD_TRY(crd__dataset_names_set(o->ctx, &o->store->alloc, names, o->store->count, i,
                                   entry->names[i]));
  return crd__dataset_names_sort(o->ctx, &o->store->alloc, names, o->store->count);
}

/* Replaces rows of 0 and a single 1 by the index of the 1. */
static crd_status take_one_hot(const opening *o, const crd_array *labels) {
  const size_t classes = crd__data_cols(labels);
  int64_t *indices;
  CRD_TRY(crd__new(o->ctx, o->store->count, sizeof *indices, "labels", &indices));
  crd_status status = CRD_OK;
  for (size_t i = 0; status == CRD_OK && i < o->store->count; i++) {
    size_t ones = 0, others = 0;
    for (size_t k = 0; k < classes; k++) {
      const double value = crd__data_array_number(labels, i, k);
      if (value == 1) indices[i] = (int64_t)k;
      ones += value == 1;
      others += value != 1 && value != 0;
    }
    if (ones != 1 || others)
      status = crd__fail(o->ctx, CRD_EINPUT,
                         "%s: labels row %zu: expected one 1 among %zu columns, and 0 elsewhere",
                         o->request->path, i, classes);
  }
  const crd_array column = crd_array_matrix(indices, CRD_I64, o->store->count, 1);
  if (status == CRD_OK)
    status = crd__dataset_arrays_label(o->ctx, o->store, o->request->path, &column, classes);
  crd__free(&o->ctx->alloc, indices);
  return status;
}

static crd_status take_labels(const opening *o, size_t index) {
  crd__io_bundle *const bundle = o->self->bundle;
  crd_array labels;
  CRD_TRY(crd__io_bundle_load(o->ctx, bundle, index));
  if (bundle->entries[index].names) return take_strings(o, index, &o->store->labels);
  CRD_TRY(crd__io_bundle_matrix(o->ctx, bundle, index, &labels));
  if (crd__data_cols(&labels) > 1 && crd__data_rows_of(&labels) == o->store->count)
    return take_one_hot(o, &labels);
  return crd__dataset_arrays_label_freely(o->ctx, o->store, o->request->path, &labels);
}

static crd_status take_weights(const opening *o, size_t index) {
  crd_array weights;
  CRD_TRY(crd__io_bundle_matrix(o->ctx, o->self->bundle, index, &weights));
  return crd__dataset_arrays_weight(o->ctx, o->store, o->request->path, &weights);
}

/* Sets groups from ids of words, which tables have for text. */
static crd_status take_words(const opening *o, const crd__io_entry *entry, const crd_array *ids) {
  crd__dataset_store *const store = o->store;
  for (size_t i = 0; i < store->count; i++) {
    int64_t id;
    if (!crd__data_array_integer(ids, i, 0, &id) || id < 0 || (size_t)id >= entry->word_count)
      return crd__fail(o->ctx, CRD_EINPUT, "%s: %s row %zu has no name", o->request->path,
                       entry->name, i);
    CRD_TRY(crd__dataset_names_set(o->ctx, &store->alloc, &store->groups, store->count, i,
                                   entry->words[id]));
  }
  return CRD_OK;
}

static crd_status take_groups(const opening *o, size_t index) {
  crd__io_bundle *const bundle = o->self->bundle;
  crd_array groups;
  CRD_TRY(crd__io_bundle_load(o->ctx, bundle, index));
  if (bundle->entries[index].names) return take_strings(o, index, &o->store->groups);
  CRD_TRY(crd__io_bundle_matrix(o->ctx, bundle, index, &groups));
  if (bundle->entries[index].words && crd__data_rows_of(&groups) == o->store->count)
    return take_words(o, &bundle->entries[index], &groups);
  return crd__dataset_arrays_group(o->ctx, o->store, o->request->path, &groups);
}

/* Finds a column by the usual names of its role, if there is one. */
static crd_status take_column(const opening *o, crd__io_role role,
                              crd_status (*take)(const opening *o, size_t index)) {
  size_t index;
  const crd__io_key *const key =
      crd__io_key_in(o->self->bundle, o->group, role, crd__io_keys, &index);
  return key ? take(o, index) : CRD_OK;
}

static crd_status copy_notes(const opening *o) {
  const crd__notes *const notes = &o->self->bundle->notes;
  for (size_t i = 0; i < notes->count; i++)
    CRD_TRY(crd__notes_add(o->ctx, &o->store->alloc, &o->store->notes, "%s", notes->items[i]));
  return CRD_OK;
}

static crd_status array_file_open(crd_context *ctx, const crd__dataset_request *request,
                                  crd__dataset_store *store) {
  const crd_open_options how = { .size = sizeof how,
                                 .label_column = request->options->label_column };
  const crd__io_specifier all = { 0 };
  opening o = { .ctx = ctx, .request = request, .store = store };
  crd_array inputs = { 0 };
  if (request->split_count) o.group = request->splits[0];
  CRD_TRY(crd__new(ctx, 1, sizeof *o.self, "a dataset", &o.self));
  store->self = o.self;
  o.self->file = crd__strdup(&ctx->alloc, request->path);
  if (!o.self->file) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file's name");
  CRD_TRY(crd__io_bundle_open(ctx, request->path, &how, &o.self->bundle));
  const size_t index = find_inputs(&o);
  if (index == o.self->bundle->count) return refuse_names(&o);
  CRD_TRY(
      crd__io_array_read(ctx, o.self->bundle, &all, request->data, index, &inputs, &o.self->owned));
  CRD_TRY(crd__dataset_arrays_place(ctx, store, request->path, &inputs));
  CRD_TRY(take_column(&o, CRD__LABELS, take_labels));
  CRD_TRY(take_column(&o, CRD__WEIGHTS, take_weights));
  CRD_TRY(take_column(&o, CRD__GROUPS, take_groups));
  return copy_notes(&o);
}

const crd__dataset_kind crd__dataset_file_kind = {
  .info = { .name = "", .summary = "a file of arrays", .path = "the file", .reference = "" },
  .open = array_file_open,
  .read = crd__dataset_arrays_read,
  .source = crd__dataset_arrays_source,
  .close = crd__dataset_arrays_close,
};
