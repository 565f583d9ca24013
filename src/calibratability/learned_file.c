/*
 * learned_file.c -- reads learned epochs and largest logits: columns of a table, or arrays of an
 * archive.
 */
#include "base/arena.h"
#include "credence/calibratability.h"
#include "data/array.h"
#include "io/bundle.h"

#include <math.h>

/* The contents in the making, in their arena. */
typedef struct {
  crd_learned_file file;
  uint32_t *learned;
  float *max_logit;
} owner;

void crd_learned_file_destroy(const crd_learned_file *file) { crd__arena_free(file); }

/* ---- Finding the arrays. */

typedef struct {
  crd_array array;
  size_t column;
} source;

static crd_status find_array(crd_context *ctx, crd__io_bundle *bundle, const char *name,
                             source *out) {
  const size_t index = crd__io_bundle_find(bundle, name);
  if (index == bundle->count) {
    crd__text names;
    crd__text_init(&names, &ctx->alloc);
    crd__io_bundle_list(bundle, &names);
    const crd_status status = crd__fail(
        ctx, CRD_EINPUT, "%.200s: no array '%s': found %.200s; expected a file of learned epochs",
        bundle->name, name, names.bytes ? names.bytes : "");
    crd__text_clear(&names);
    return status;
  }
  return crd__io_bundle_matrix(ctx, bundle, index, &out->array);
}

/* The columns of a table are chosen when it is opened, and are its scores. */
static crd_status find_both(crd_context *ctx, crd__io_bundle *bundle, source *learned,
                            source *max_logit) {
  *learned = *max_logit = (source){ 0 };
  if (!crd__io_bundle_is_table(bundle)) {
    CRD_TRY(find_array(ctx, bundle, "learned", learned));
    return find_array(ctx, bundle, "max_logit", max_logit);
  }
  CRD_TRY(crd__io_bundle_matrix(ctx, bundle, 0, &learned->array));
  max_logit->array = learned->array;
  max_logit->column = 1;
  return CRD_OK;
}

/* ---- Reading them. */

static crd_status read_row(crd_context *ctx, const char *path, const source *learned,
                           const source *max_logit, size_t row, const owner *o) {
  int64_t epoch;
  const double logit = crd__data_array_number(&max_logit->array, row, max_logit->column);
  if (!crd__data_array_integer(&learned->array, row, learned->column, &epoch) || epoch < 0 ||
      epoch >= UINT32_MAX)
    return crd__fail(ctx, CRD_EINPUT, "%.200s: learned row %zu is not an epoch, an integer from 0",
                     path, row);
  if (!isfinite((float)logit))
    return crd__fail(ctx, CRD_EINPUT, "%.200s: max_logit row %zu is not a finite number", path,
                     row);
  o->learned[row] = (uint32_t)epoch;
  o->max_logit[row] = (float)logit;
  return CRD_OK;
}

static crd_status read_rows(crd_context *ctx, const char *path, const source *learned,
                            const source *max_logit, owner *o) {
  const size_t rows = crd__data_rows_of(&learned->array);
  if (!rows || rows != crd__data_rows_of(&max_logit->array))
    return crd__fail(ctx, CRD_EINPUT, "%.200s: learned has %zu rows, max_logit %zu", path, rows,
                     crd__data_rows_of(&max_logit->array));
  CRD_TRY(crd__arena_add(ctx, o, rows, sizeof *o->learned, "learned epochs", &o->learned));
  CRD_TRY(crd__arena_add(ctx, o, rows, sizeof *o->max_logit, "learned epochs", &o->max_logit));
  for (size_t i = 0; i < rows; i++) CRD_TRY(read_row(ctx, path, learned, max_logit, i, o));
  o->file = (crd_learned_file){ .rows = rows, .learned = o->learned, .max_logit = o->max_logit };
  return CRD_OK;
}

crd_status crd_learned_file_open(crd_context *ctx, const char *path, const crd_learned_file **out) {
  const crd_open_options how = { .size = sizeof how, .columns = "learned,max_logit" };
  crd__io_bundle *bundle = NULL;
  source learned, max_logit;
  owner *o;
  *out = NULL;
  CRD_TRY(crd__arena_new(ctx, sizeof *o, "learned epochs", &o));
  crd_status status = crd__io_bundle_open(ctx, path, &how, &bundle);
  if (status == CRD_OK) status = find_both(ctx, bundle, &learned, &max_logit);
  if (status == CRD_OK) status = read_rows(ctx, path, &learned, &max_logit, o);
  crd__io_bundle_destroy(bundle);
  if (status == CRD_OK) *out = &o->file;
  else crd__arena_free(o);
  return status;
}
