/*
 * open.c -- opens DATA: parses it, lets its kind fill a store, and takes the named rows.
 *
 * DATA --spec.c--> spec --kind--> store --#SPLIT--> rows --%A:B--> rows --@FROM:TO--> rows
 */
#include "dataset/arrays.h"
#include "dataset/dataset.h"
#include "dataset/label_map.h"
#include "dataset/spec.h"

#include "base/memory.h"
#include "base/options.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
  crd_context *ctx;
  const char *data;
  const crd_dataset_options *options;
  crd__dataset_spec spec;
} opening;

/* ---- The store. */

/* Fails if a group has samples in two of the splits that the files name: a patient in the training
 * data and in the test data makes the test worthless. */
static crd_status check_groups(const opening *o, const crd__dataset_store *store) {
  const crd__dataset_names *const groups = &store->groups, *const splits = &store->splits;
  int64_t *split_of;
  if (!groups->of || !splits->of) return CRD_OK;
  CRD_TRY(crd__new(o->ctx, groups->count, sizeof *split_of, "groups", &split_of));
  crd_status status = CRD_OK;
  for (size_t i = 0; i < groups->count; i++) split_of[i] = -1;
  for (size_t i = 0; status == CRD_OK && i < store->count; i++) {
    const int64_t group = groups->of[i], split = splits->of[i];
    if (group < 0 || split < 0) continue;
    if (split_of[group] < 0) split_of[group] = split;
    if (split_of[group] != split)
      status = crd__fail(o->ctx, CRD_EINPUT,
                         "%s: group '%.100s' is in split '%.60s' and in split '%.60s'; each group "
                         "must be in one of them",
                         o->data, groups->names[group], splits->names[split_of[group]],
                         splits->names[split]);
  }
  crd__free(&o->ctx->alloc, split_of);
  return status;
}

static crd_status check_store(const opening *o, const crd__dataset_store *store) {
  if (store->count == 0) return crd__fail(o->ctx, CRD_EINPUT, "%s: found no samples", o->data);
  if (o->spec.corruption && store->type != CRD_SAMPLES_IMAGES)
    return crd__fail(o->ctx, CRD_EUSAGE, "%s: found '~%s', but the samples are not images", o->data,
                     o->spec.corruption->info.name);
  return check_groups(o, store);
}

static crd_status fill_store(const opening *o, crd__dataset_store *store) {
  const crd__dataset_request request = { .data = o->data,
                                         .path = o->spec.path,
                                         .splits = o->spec.splits,
                                         .split_count = o->spec.split_count,
                                         .options = o->options };
  CRD_TRY(store->kind->open(o->ctx, &request, store));
  const crd_status mapped = crd__dataset_label_map(o->ctx, store, o->options->label_map);
  if (mapped != CRD_OK)
    return mapped == CRD_EINPUT ? crd__fail_in(o->ctx, mapped, o->data) : mapped;
  CRD_TRY(check_store(o, store));
  store->corruption = o->spec.corruption;
  store->severity = o->spec.severity;
  return crd__dataset_cache_create(o->ctx, store);
}

/* ---- Rows of it. */

/* Replaces *dataset by a part of it. */
static crd_status replace(crd_context *ctx, crd_dataset **dataset, const size_t *rows,
                          size_t count) {
  crd_dataset *part;
  CRD_TRY(crd_dataset_take(ctx, *dataset, rows, count, &part));
  crd_dataset_destroy(*dataset);
  *dataset = part;
  return CRD_OK;
}

static const char *split_name(const void *self, size_t index) {
  const crd__dataset_names *const splits = self;
  return index < splits->count ? splits->names[index] : NULL;
}

/* Takes the rows of the named splits, in the order in which they are named. */
static crd_status take_splits(const opening *o, crd_dataset **dataset) {
  const crd__dataset_store *const store = (*dataset)->store;
  const crd__names known = { .unknown = "no split is called",
                             .at = split_name,
                             .self = &store->splits };
  size_t *rows, count = 0;
  if (!store->splits.of || !o->spec.split_count) return CRD_OK;
  CRD_TRY(crd__new(o->ctx, store->count, sizeof *rows, "rows", &rows));
  crd_status status = CRD_OK;
  for (size_t s = 0; status == CRD_OK && s < o->spec.split_count; s++) {
    size_t split;
    status = crd__names_find(o->ctx, &known, o->spec.splits[s], strlen(o->spec.splits[s]), &split);
    if (status != CRD_OK) status = crd__fail_in(o->ctx, status, o->data);
    for (size_t i = 0; status == CRD_OK && i < store->count; i++)
      if (store->splits.of[i] == (int64_t)split) rows[count++] = i;
  }
  if (status == CRD_OK) status = replace(o->ctx, dataset, rows, count);
  crd__free(&o->ctx->alloc, rows);
  return status;
}

static crd_status take_part(const opening *o, crd_dataset **dataset) {
  crd_dataset *part;
  if (!o->spec.has_part) return CRD_OK;
  CRD_TRY(crd_dataset_part(o->ctx, *dataset, o->spec.part_from, o->spec.part_to,
                           CRD_SPLIT_STRATIFIED, o->options->split_seed, &part));
  crd_dataset_destroy(*dataset);
  *dataset = part;
  return CRD_OK;
}

static crd_status take_slice(const opening *o, crd_dataset **dataset) {
  const size_t rows = (*dataset)->shape.rows;
  const uint64_t from = o->spec.has_from ? o->spec.from : 0;
  const uint64_t to = o->spec.has_to ? o->spec.to : rows;
  size_t *wanted;
  if (!o->spec.has_from && !o->spec.has_to) return CRD_OK;
  if (from >= to || to > rows)
    return crd__fail(o->ctx, CRD_EINPUT,
                     "%s: rows %" PRIu64 ":%" PRIu64 " do not exist, found rows 0:%zu", o->data,
                     from, to, rows);
  CRD_TRY(crd__new(o->ctx, (size_t)(to - from), sizeof *wanted, "rows", &wanted));
  for (size_t i = 0; i < (size_t)(to - from); i++) wanted[i] = (size_t)from + i;
  const crd_status status = replace(o->ctx, dataset, wanted, (size_t)(to - from));
  crd__free(&o->ctx->alloc, wanted);
  return status;
}

/* ---- All of it. */

static crd_status open_parsed(const opening *o, crd_dataset **out) {
  crd__dataset_store *store;
  const crd__dataset_kind *const kind = o->spec.kind ? o->spec.kind : &crd__dataset_file_kind;
  CRD_TRY(crd__dataset_store_create(o->ctx, kind, &store));
  const crd_status status = fill_store(o, store);
  if (status != CRD_OK) {
    crd__dataset_store_release(store);
    return status;
  }
  CRD_TRY(crd__dataset_of_store(o->ctx, store, o->data, out));
  CRD_TRY(take_splits(o, out));
  CRD_TRY(take_part(o, out));
  return take_slice(o, out);
}

crd_status crd_dataset_open(crd_context *ctx, const char *data, const crd_dataset_options *options,
                            crd_dataset **out) {
  crd_dataset_options own;
  opening o = { .ctx = ctx, .data = data, .options = &own };
  crd_dataset *dataset = NULL;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_dataset_options, options, &own));
  crd_status status = crd__dataset_spec_parse(ctx, data, &o.spec);
  if (status == CRD_OK) status = open_parsed(&o, &dataset);
  crd__dataset_spec_clear(&ctx->alloc, &o.spec);
  if (status == CRD_OK) *out = dataset;
  else crd_dataset_destroy(dataset);
  return status;
}

crd_status crd_dataset_is_file(crd_context *ctx, const char *data, int *out) {
  crd__dataset_spec spec;
  const crd_status status = crd__dataset_spec_parse(ctx, data, &spec);
  *out = status == CRD_OK && !spec.kind && !spec.has_part && !spec.corruption;
  crd__dataset_spec_clear(&ctx->alloc, &spec);
  return status;
}
