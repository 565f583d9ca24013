/*
 * checkpoint.c -- saves and loads everything of a trainer that changes, as one safetensors file.
 *
 *   fingerprint        what the run depends on, as text (fingerprint.c)
 *   position, threads  where the run is, and how it was computed
 *   sums, records      of the running epoch, of the finished ones
 *   parameter/NAME     values of the parameters and running statistics; best/NAME: of the best
 * epoch velocity/NAME ...  what the optimiser keeps correct, learned   one number for each training
 * row
 *
 * Both directions walk over one list of arrays (slots), so that neither can forget one. Loading
 * checks all of them before it changes anything.
 */
#include "base/memory.h"
#include "data/array.h"
#include "io/array.h"
#include "io/format/safetensors.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS_OF_RUN = 9 };

/* An array of the file, and where it is in the trainer. */
typedef struct {
  size_t name; /* offset in the names */
  crd_array array;
} slot;

typedef struct {
  slot *items;
  size_t count, capacity;
  crd__text names;
  uint64_t threads;
  double best[2];
} slots;

static void add_slot(slots *s, const char *prefix, const char *name, crd_array array) {
  s->items[s->count++] = (slot){ s->names.length, array };
  crd__text_addf(&s->names, "%s%s", prefix, name);
  crd__text_add_bytes(&s->names, "", 1);
}

static void add_vector(slots *s, const char *name, crd_dtype dtype, size_t count, void *data) {
  const crd_array array = { .data = data, .dtype = dtype, .rank = 1, .dims = { (int64_t)count } };
  if (data) add_slot(s, "", name, array);
}

static void add_parameters(slots *s, const crd_trainer *t) {
  const crd__train_parameters *const p = &t->pass.parameters;
  const crd__train_optimiser *const optimiser = crd__train_optimiser_at(t->optimiser.chosen.index);
  for (size_t i = 0; i < p->count; i++) {
    const crd__train_parameter *const item = &p->items[i];
    crd_array array = item->shape->shape;
    array.data = item->shape->values;
    add_slot(s, "parameter/", item->shape->name, array);
    if (t->best_values) {
      array.data = t->best_values + item->first;
      add_slot(s, "best/", item->shape->name, array);
    }
    for (size_t k = 0; optimiser->states[k] && i < p->trained; k++) {
      char prefix[32];
      snprintf(prefix, sizeof prefix, "%s/", optimiser->states[k]);
      array.data = p->states[k] + item->first;
      add_slot(s, prefix, item->shape->name, array);
    }
  }
}

/* Lists everything but the fingerprint; `epochs`: the number of records. */
static crd_status list_slots(crd_context *ctx, crd_trainer *t, size_t epochs, slots *s) {
  const crd__train_records *const r = &t->records;
  const size_t rows = crd_dataset_describe(t->training)->rows;
  *s = (slots){ .threads = t->threads, .best = { (double)t->best, t->best_value } };
  crd__text_init(&s->names, &ctx->alloc);
  s->capacity = SLOTS_OF_RUN + t->pass.parameters.count * (2 + CRD__TRAIN_STATES_MAX);
  CRD_TRY(crd__new(ctx, s->capacity, sizeof *s->items, "a checkpoint", &s->items));
  add_vector(s, "position", CRD_U64, sizeof t->at / sizeof(uint64_t), &t->at);
  add_vector(s, "threads", CRD_U64, 1, &s->threads);
  add_vector(s, "sums", CRD_F64, CRD__TRAIN_SUMS, t->sums);
  add_vector(s, "best", CRD_F64, 2, s->best);
  add_vector(s, "correct", CRD_F32, rows, t->correct);
  add_vector(s, "learned", CRD_U32, rows, t->learned);
  add_vector(s, "max_logit", CRD_F32, rows, t->max_logit);
  add_slot(s, "", "records",
           crd_array_matrix(r->values, CRD_F64, epochs, crd__train_records_width(r)));
  add_parameters(s, t);
  return crd__text_status(ctx, &s->names);
}

static void clear_slots(const crd_allocator *alloc, slots *s) {
  crd__free(alloc, s->items);
  crd__text_clear(&s->names);
}

static const char *name_of(const slots *s, size_t index) {
  return s->names.bytes + s->items[index].name;
}

/* ---- Saving. */

static crd_status to_output(crd_context *ctx, void *self, const void *bytes, size_t count) {
  return crd_output_write(ctx, self, bytes, count);
}

static crd_status write_to(crd_context *ctx, const char *path, const crd__io_array *arrays,
                           size_t count) {
  crd_output *output;
  CRD_TRY(crd_output_open(ctx, path, &output));
  const crd__io_sink sink = { to_output, output };
  const crd_status status = crd__io_safetensors_write(ctx, &sink, path, arrays, count);
  return crd_output_finish(ctx, output, status);
}

static crd_status write_slots(crd_context *ctx, const crd_trainer *t, const slots *s,
                              const char *path) {
  const crd_array fingerprint = {
    .data = t->fingerprint, .dtype = CRD_U8, .rank = 1, .dims = { (int64_t)strlen(t->fingerprint) }
  };
  crd__io_array *arrays;
  CRD_TRY(crd__new(ctx, s->count + 1, sizeof *arrays, "a checkpoint", &arrays));
  crd__io_array_of(&fingerprint, "fingerprint", &arrays[0]);
  for (size_t i = 0; i < s->count; i++)
    crd__io_array_of(&s->items[i].array, name_of(s, i), &arrays[i + 1]);
  const crd_status status = write_to(ctx, path, arrays, s->count + 1);
  crd__free(&ctx->alloc, arrays);
  return status;
}

crd_status crd_trainer_save(crd_context *ctx, crd_trainer *trainer, const char *path) {
  slots s;
  CRD_TRY(crd__train_check_finite(ctx, trainer));
  crd_status status = list_slots(ctx, trainer, trainer->records.count, &s);
  if (status == CRD_OK) status = write_slots(ctx, trainer, &s, path);
  clear_slots(&ctx->alloc, &s);
  return status;
}

/* ---- Loading. */

/* Finds an array of this type and number of elements. */
static crd_status find(crd_context *ctx, crd__io_bundle *file, const char *name,
                       const crd_array *like, const crd__io_entry **out) {
  const size_t index = crd__io_bundle_find(file, name), count = crd_array_count(like);
  if (index == file->count)
    return crd__fail(ctx, CRD_EINPUT, "the checkpoint has no array '%.100s'", name);
  CRD_TRY(crd__io_bundle_load(ctx, file, index));
  const crd__io_entry *const entry = &file->entries[index];
  size_t found = 1;
  for (size_t i = 0; i < entry->rank; i++) found *= entry->shape[i];
  if (entry->strings || entry->view.dtype != like->dtype || found != count)
    return crd__fail(ctx, CRD_EINPUT,
                     "the checkpoint's '%.100s' has %zu elements of type %s, expected %zu of %s",
                     name, found, crd_dtype_name(entry->view.dtype), count,
                     crd_dtype_name(like->dtype));
  *out = entry;
  return CRD_OK;
}

/* Copies elements, which may be in the other byte order. */
static void copy_elements(const crd__io_entry *entry, const crd_array *to) {
  const size_t size = crd_dtype_size(to->dtype), bytes = crd_array_count(to) * size;
  const unsigned char *const from = entry->view.data;
  unsigned char *const out = (void *)(uintptr_t)to->data;
  if (bytes && !entry->view.swapped) memcpy(out, from, bytes);
  for (size_t i = 0; entry->view.swapped && i < bytes; i++)
    out[i] = from[i - i % size + (size - 1 - i % size)];
}

static crd_status read_vector(crd_context *ctx, crd__io_bundle *file, const char *name,
                              crd_dtype dtype, size_t count, void *out) {
  const crd__io_entry *entry;
  const crd_array like = { .data = out, .dtype = dtype, .rank = 1, .dims = { (int64_t)count } };
  CRD_TRY(find(ctx, file, name, &like, &entry));
  copy_elements(entry, &like);
  return CRD_OK;
}

static crd_status check_fingerprint(crd_context *ctx, crd__io_bundle *file, const crd_trainer *t) {
  const size_t index = crd__io_bundle_find(file, "fingerprint");
  if (index == file->count)
    return crd__fail(ctx, CRD_EINPUT, "not a checkpoint: it has no array 'fingerprint'");
  CRD_TRY(crd__io_bundle_load(ctx, file, index));
  const crd__io_entry *const entry = &file->entries[index];
  if (entry->strings || entry->view.dtype != CRD_U8 || entry->rank != 1)
    return crd__fail(ctx, CRD_EINPUT, "not a checkpoint: its array 'fingerprint' is no text");
  return crd__train_fingerprint_compare(ctx, t, entry->view.data, entry->shape[0]);
}

static crd_status check_position(crd_context *ctx, const crd_trainer *t,
                                 const crd__train_position *at, const double best[2]) {
  const bool within = at->epoch <= t->options.epochs && at->batch <= t->batches && at->done <= 1;
  if (within && at->step == at->epoch * t->batches + at->batch &&
      (at->epoch < t->options.epochs || at->done) && best[0] >= 0 && best[0] <= (double)at->epoch)
    return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "the checkpoint's position is not within the run");
}

static bool is_finite(const crd__io_entry *entry, const crd_array *like) {
  const unsigned char *const bytes = entry->view.data;
  for (size_t i = 0; i < crd_array_count(like) && like->dtype == CRD_F32; i++) {
    float value;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    if (!entry->view.swapped && !isfinite(value)) return false;
  }
  return true;
}

/* Checks all arrays; then, with `copy`, copies them. */
static crd_status read_slots(crd_context *ctx, crd__io_bundle *file, const slots *s, bool copy) {
  for (size_t i = 0; i < s->count; i++) {
    const crd__io_entry *entry;
    CRD_TRY(find(ctx, file, name_of(s, i), &s->items[i].array, &entry));
    if (!is_finite(entry, &s->items[i].array))
      return crd__fail(ctx, CRD_EINPUT, "the checkpoint's '%.100s' has values that are not finite",
                       name_of(s, i));
    if (copy) copy_elements(entry, &s->items[i].array);
  }
  return CRD_OK;
}

static crd_status read_run(crd_context *ctx, crd__io_bundle *file, crd_trainer *t, slots *s,
                           const crd__train_position *at) {
  CRD_TRY(list_slots(ctx, t, (size_t)at->epoch, s));
  CRD_TRY(read_slots(ctx, file, s, false));
  CRD_TRY(read_slots(ctx, file, s, true)); /* cannot fail now */
  t->records.count = (size_t)at->epoch;
  t->best = (size_t)s->best[0];
  t->best_value = s->best[1];
  t->seek = true;
  if (s->threads != t->threads)
    crd__log(ctx, CRD_LOG_WARNING,
             "the checkpoint was computed with %llu threads, now with %u: the last bits of the "
             "result will differ from those of an uninterrupted run",
             (unsigned long long)s->threads, t->threads);
  return CRD_OK;
}

static crd_status read_file(crd_context *ctx, crd__io_bundle *file, crd_trainer *t) {
  crd__train_position at;
  double best[2];
  slots s = { 0 };
  CRD_TRY(check_fingerprint(ctx, file, t));
  CRD_TRY(read_vector(ctx, file, "position", CRD_U64, sizeof at / sizeof(uint64_t), &at));
  CRD_TRY(read_vector(ctx, file, "best", CRD_F64, 2, best));
  CRD_TRY(check_position(ctx, t, &at, best));
  CRD_TRY(crd__train_records_reserve(ctx, &t->alloc, &t->records, (size_t)at.epoch + 1));
  const crd_status status = read_run(ctx, file, t, &s, &at);
  clear_slots(&ctx->alloc, &s);
  return status;
}

/* Other formats would be read as predictions, with messages about rows and columns. */
static crd_status check_format(crd_context *ctx, const char *path) {
  enum { LENGTH_BYTES = 8 };
  crd__blob blob;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  const bool good = blob.length > LENGTH_BYTES && blob.bytes[LENGTH_BYTES] == '{';
  crd__blob_close(&ctx->alloc, &blob);
  if (good) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "%s: not a checkpoint: it is no safetensors file", path);
}

crd_status crd_trainer_load(crd_context *ctx, crd_trainer *trainer, const char *path) {
  crd__io_bundle *file;
  CRD_TRY(check_format(ctx, path));
  CRD_TRY(crd__io_bundle_open(ctx, path, NULL, &file));
  const crd_status status = read_file(ctx, file, trainer);
  crd__io_bundle_destroy(file);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, path);
}
