/* dataset.c -- datasets as lists of rows of a store; describing, taking and reading them. */
#include "dataset/dataset.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdio.h>
#include <string.h>

enum { ROWS_AT_ONCE = 16 };

void crd_dataset_destroy(crd_dataset *dataset) {
  if (!dataset) return;
  const crd_allocator alloc = dataset->alloc;
  crd__dataset_store_release(dataset->store);
  crd__dataset_code_release(dataset->code);
  crd__free(&alloc, dataset->rows);
  crd__free(&alloc, dataset->name);
  crd__free(&alloc, dataset);
}

void crd__dataset_update_shape(crd_dataset *dataset) {
  const crd__dataset_store *const store = dataset->store;
  const crd__dataset_code *const code = dataset->code;
  crd_dataset_shape *const shape = &dataset->shape;
  shape->name = dataset->name;
  shape->type = store->type;
  shape->dtype = store->type == CRD_SAMPLES_TEXTS ? CRD_I64 : CRD_F32;
  shape->rank = store->rank;
  memcpy(shape->dims, store->dims, sizeof shape->dims);
  shape->classes = store->labels.of ? store->labels.count : 0;
  shape->class_names = (const char *const *)store->labels.names;
  shape->has_weights = store->weights != NULL;
  shape->has_groups = store->groups.of != NULL;
  if (code && code->class_of) {
    shape->classes = code->class_count;
    shape->class_names = (const char *const *)code->class_names;
  }
  if (store->type == CRD_SAMPLES_TEXTS) {
    shape->rank = 1;
    shape->dims[0] = code ? (int64_t)code->length : 0;
  }
}

/* Makes a dataset of a store, whose use it takes over, with `rows` rows that are 0 still. */
static crd_status create(crd_context *ctx, crd__dataset_store *store, const char *name, size_t rows,
                         crd_dataset **out) {
  crd_dataset *dataset;
  *out = NULL;
  crd_status status = crd__new(ctx, 1, sizeof *dataset, "a dataset", &dataset);
  if (status != CRD_OK) {
    crd__dataset_store_release(store);
    return status;
  }
  dataset->alloc = ctx->alloc;
  dataset->store = store;
  dataset->shape.rows = rows;
  status = crd__new(ctx, rows, sizeof *dataset->rows, "rows of a dataset", &dataset->rows);
  if (status == CRD_OK) {
    dataset->name = crd__strdup(&ctx->alloc, name);
    if (!dataset->name) status = crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  }
  if (status != CRD_OK) {
    crd_dataset_destroy(dataset);
    return status;
  }
  crd__dataset_update_shape(dataset);
  *out = dataset;
  return CRD_OK;
}

crd_status crd__dataset_of_store(crd_context *ctx, crd__dataset_store *store, const char *name,
                                 crd_dataset **out) {
  const size_t rows = store->count;
  CRD_TRY(create(ctx, store, name, rows, out));
  for (size_t i = 0; i < rows; i++) (*out)->rows[i] = i;
  return CRD_OK;
}

static crd_status check_rows(crd_context *ctx, const crd_dataset *dataset, const size_t *rows,
                             size_t count) {
  for (size_t i = 0; i < count; i++)
    if (rows[i] >= dataset->shape.rows)
      return crd__fail(ctx, CRD_EUSAGE, "%s: row %zu does not exist, found %zu rows",
                       crd__dataset_title(dataset), rows[i], dataset->shape.rows);
  return CRD_OK;
}

crd_status crd_dataset_take(crd_context *ctx, const crd_dataset *dataset, const size_t *rows,
                            size_t count, crd_dataset **out) {
  *out = NULL;
  CRD_TRY(check_rows(ctx, dataset, rows, count));
  atomic_fetch_add(&dataset->store->users, 1);
  CRD_TRY(create(ctx, dataset->store, dataset->name, count, out));
  for (size_t i = 0; i < count; i++) (*out)->rows[i] = dataset->rows[rows[i]];
  if (!dataset->code) return CRD_OK;
  (*out)->code = dataset->code;
  atomic_fetch_add(&dataset->code->users, 1);
  crd__dataset_update_shape(*out);
  return CRD_OK;
}

/* ---- What a row is. */

const crd_dataset_shape *crd_dataset_describe(const crd_dataset *dataset) {
  return &dataset->shape;
}

int64_t crd_dataset_label(const crd_dataset *dataset, size_t row) {
  const int64_t *const of = dataset->store->labels.of;
  const int64_t label = of ? of[dataset->rows[row]] : -1;
  return label >= 0 && dataset->code && dataset->code->class_of ? dataset->code->class_of[label]
                                                                : label;
}

double crd_dataset_weight(const crd_dataset *dataset, size_t row) {
  const double *const weights = dataset->store->weights;
  return weights ? weights[dataset->rows[row]] : 1;
}

const char *crd_dataset_group(const crd_dataset *dataset, size_t row) {
  const crd__dataset_names *const groups = &dataset->store->groups;
  const int64_t group = groups->of ? groups->of[dataset->rows[row]] : -1;
  return group < 0 ? NULL : groups->names[group];
}

size_t crd_dataset_index(const crd_dataset *dataset, size_t row) { return dataset->rows[row]; }

const char *crd_dataset_note(const crd_dataset *dataset, size_t index) {
  const crd__notes *const notes = &dataset->store->notes;
  return index < notes->count ? notes->items[index] : NULL;
}

const char *crd__dataset_row_text(const crd_dataset *dataset, size_t row,
                                  char out[CRD__DATASET_ROW_TEXT]) {
  const crd__dataset_store *const store = dataset->store;
  const char *const source =
      store->kind->source ? store->kind->source(store, dataset->rows[row]) : NULL;
  if (source) snprintf(out, CRD__DATASET_ROW_TEXT, "row %zu (%.200s)", row, source);
  else snprintf(out, CRD__DATASET_ROW_TEXT, "row %zu", row);
  return out;
}

/* ---- Reading. */

typedef struct {
  const crd_dataset *dataset;
  const size_t *rows;
  void *out;
  size_t size;
} reading;

static crd_status read_texts(crd_context *local, void *arg, unsigned worker, size_t from,
                             size_t to) {
  const reading *const r = arg;
  (void)local, (void)worker;
  for (size_t i = from; i < to; i++)
    crd__dataset_code_tokens(r->dataset->code, r->dataset->rows[r->rows[i]],
                             (int64_t *)r->out + i * r->dataset->code->length);
  return CRD_OK;
}

static crd_status read_rows(crd_context *local, void *arg, unsigned worker, size_t from,
                            size_t to) {
  const reading *const r = arg;
  crd_status status = CRD_OK;
  float *scratch;
  (void)worker;
  CRD_TRY(crd__new(local, r->size, sizeof *scratch, "a sample", &scratch));
  for (size_t i = from; status == CRD_OK && i < to; i++)
    status = crd__dataset_store_read(local, r->dataset->store, r->dataset->rows[r->rows[i]],
                                     scratch, (float *)r->out + i * r->size);
  crd__free(&local->alloc, scratch);
  return status;
}

crd_status crd_dataset_read(crd_context *ctx, const crd_dataset *dataset, const size_t *rows,
                            size_t count, void *out) {
  const bool texts = dataset->store->type == CRD_SAMPLES_TEXTS;
  reading r = { .dataset = dataset, .rows = rows, .out = out };
  CRD_TRY(check_rows(ctx, dataset, rows, count));
  if (texts && !dataset->code)
    return crd__fail(ctx, CRD_EUSAGE, "%s: texts are read as tokens, which need an encoding (%s)",
                     crd__dataset_title(dataset), crd__spell(ctx, "crd_dataset_encode"));
  if (!texts) r.size = crd__dataset_store_size(dataset->store);
  return crd__parallel_for(ctx, NULL, count, ROWS_AT_ONCE, texts ? read_texts : read_rows, &r);
}
