/*
 * csv.c -- tables of numbers with a label: one row per sample, features as vectors.
 *
 * Roles of columns are found as csv_roles.c describes. Every feature must be a finite number; text
 * columns are not encoded here, since a good encoding depends on their meaning. Labels are text;
 * numbers are normalised, so that 1 and 1.0 are one class.
 */
#include "base/memory.h"
#include "base/number.h"
#include "dataset/kind/csv_roles.h"
#include "io/content.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  float *values; /* rows x features */
  char *file;
} table;

typedef struct {
  crd_context *ctx;
  crd__dataset_store *store;
  table *table;
  crd__io_csv_reader r;
  crd__dataset_csv_roles roles;
  size_t most; /* rows, at most */
  crd__text name;
} reading;

static void csv_close(const crd_allocator *alloc, void *self) {
  table *const t = self;
  crd__free(alloc, t->values);
  crd__free(alloc, t->file);
  crd__free(alloc, t);
}

/* ---- Fields. */

static crd_status read_feature(const reading *in, size_t line, const crd__word *field, float *out) {
  double value;
  if (!crd__io_csv_number(&in->r, field, &value))
    return crd__io_csv_fail(&in->r, line, field,
                            field->length ? "a number; encode text, or leave the column out"
                                          : "a number; missing values are not supported");
  *out = (float)value;
  return isfinite(*out) ? CRD_OK
                        : crd__io_csv_fail(&in->r, line, field, "a finite number of float32");
}

/* Sets in->name to the field without quotes; integers in their shortest form. */
static crd_status read_name(reading *in, size_t line, const crd__word *field, bool class) {
  double value;
  char *copy;
  in->name.length = 0;
  if (field->length == 0)
    return crd__io_csv_fail(&in->r, line, field, class ? "a label" : "a name");
  if (crd__io_csv_number(&in->r, field, &value) && class) {
    if (!(fabs(value) <= 0x1p53) || value != floor(value)) {
      char expected[120];
      snprintf(expected, sizeof expected, "a class (an integer, or text); %s chooses the column",
               crd__spell(in->ctx, "label_column"));
      return crd__io_csv_fail(&in->r, line, field, expected);
    }
    crd__text_addf(&in->name, "%lld", (long long)value);
    return crd__text_status(in->ctx, &in->name);
  }
  CRD_TRY(crd__new(in->ctx, field->length + 1, 1, "a label", &copy));
  crd__text_add_bytes(&in->name, copy, crd__word_copy(field, copy));
  crd__free(&in->ctx->alloc, copy);
  return crd__text_status(in->ctx, &in->name);
}

static crd_status set_name(reading *in, size_t line, const crd__word *field,
                           crd__dataset_names *names) {
  CRD_TRY(read_name(in, line, field, names == &in->store->labels));
  return crd__dataset_names_set(in->ctx, &in->store->alloc, names, in->most, in->store->count,
                                in->name.bytes);
}

static crd_status read_field(reading *in, size_t column, size_t line, const crd__word *field,
                             float **out) {
  crd__dataset_names *const names[] = { [CRD__CSV_LABEL] = &in->store->labels,
                                        [CRD__CSV_SPLIT] = &in->store->splits,
                                        [CRD__CSV_GROUP] = &in->store->groups };
  const crd__dataset_csv_role role = in->roles.roles[column];
  if (role == CRD__CSV_FEATURE) return read_feature(in, line, field, (*out)++);
  return role == CRD__CSV_INDEX ? CRD_OK : set_name(in, line, field, names[role]);
}

/* ---- Rows. */

static crd_status ragged(const reading *in, size_t line, size_t fields) {
  return crd__fail(in->ctx, CRD_EINPUT, "line %zu has %s%zu fields, the first line has %zu", line,
                   fields > in->roles.columns ? "at least " : "", fields, in->roles.columns);
}

static crd_status read_row(reading *in) {
  const size_t line = in->r.line, columns = in->roles.columns;
  float *out = in->table->values + in->store->count * in->roles.features;
  for (size_t i = 0; i == 0 || in->r.more; i++) {
    crd__word field;
    if (i == columns) return ragged(in, line, i + 1);
    const size_t at = in->r.line;
    in->r.column = i;
    CRD_TRY(crd__io_csv_field(&in->r, &field));
    if (!in->r.more && i + 1 < columns) return ragged(in, line, i + 1);
    CRD_TRY(read_field(in, i, at, &field, &out));
  }
  in->store->count++;
  return CRD_OK;
}

/* Each row ends a line, and each field takes at least one byte. */
static size_t most_rows(const reading *in) {
  const size_t lines = crd__io_csv_count(in->r.at, in->r.end, '\n') + 1;
  const size_t fit = (size_t)(in->r.end - in->r.at + 1) / in->roles.columns + 1;
  return lines < fit ? lines : fit;
}

static crd_status read_rows(reading *in) {
  crd__dataset_store *const store = in->store;
  if (crd__io_csv_is_finished(&in->r)) return crd__fail(in->ctx, CRD_EINPUT, "there are no rows");
  in->most = most_rows(in);
  CRD_TRY(crd__new(in->ctx, in->most, in->roles.features * sizeof(float), "the table",
                   &in->table->values));
  while (!crd__io_csv_is_finished(&in->r)) {
    if (store->count % 4096 == 0) CRD_TRY(crd__check_interrupt(in->ctx));
    CRD_TRY(read_row(in));
  }
  store->type = CRD_SAMPLES_VECTORS;
  store->rank = 1;
  store->dims[0] = (int64_t)in->roles.features;
  return crd__dataset_names_sort(in->ctx, &store->alloc, &store->labels, store->count);
}

/* ---- Opening. */

static crd_status read_text(reading *in, const crd__io_content *content, const char *label_column) {
  const crd__io_bundle text = { .stem = in->table->file,
                                .bytes = content->bytes,
                                .length = content->length };
  CRD_TRY(crd__io_csv_start(in->ctx, &text, &in->r));
  CRD_TRY(
      crd__dataset_csv_roles_find(in->ctx, &in->r, label_column, &in->store->notes, &in->roles));
  return read_rows(in);
}

static crd_status read_file(crd_context *ctx, const crd__dataset_request *request,
                            crd__dataset_store *store) {
  reading in = { .ctx = ctx, .store = store, .table = store->self };
  crd__io_content content;
  crd__text_init(&in.name, &ctx->alloc);
  crd_status status = crd__io_content_open(ctx, request->path, &content);
  if (status == CRD_OK) {
    status = read_text(&in, &content, request->options->label_column);
    if (status != CRD_OK) crd__fail_in(ctx, status, request->path);
  }
  if (status == CRD_OK && request->split_count && !in.roles.has_split)
    status = crd__fail(ctx, CRD_EUSAGE, "%.400s: found split '%.60s', but no column 'split'",
                       request->data, request->splits[0]);
  crd__text_clear(&in.name);
  crd__dataset_csv_roles_clear(&ctx->alloc, &in.roles);
  crd__io_content_close(&ctx->alloc, &content);
  return status;
}

static crd_status csv_open(crd_context *ctx, const crd__dataset_request *request,
                           crd__dataset_store *store) {
  table *t;
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected csv:PATH, a table", request->data);
  CRD_TRY(crd__new(ctx, 1, sizeof *t, "a table", &t));
  store->self = t;
  t->file = crd__strdup(&store->alloc, request->path);
  if (!t->file) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  return read_file(ctx, request, store);
}

static crd_status csv_read(crd_context *ctx, const crd__dataset_store *store, size_t index,
                           float *out) {
  const table *const t = store->self;
  const size_t width = (size_t)store->dims[0];
  (void)ctx;
  memcpy(out, t->values + index * width, width * sizeof *out);
  return CRD_OK;
}

static const char *csv_source(const crd__dataset_store *store, size_t index) {
  (void)index;
  return ((const table *)store->self)->file;
}

const crd__dataset_kind crd__dataset_kind_csv = {
  .info = { .name = "csv",
            .summary = "a table of numbers with a column of labels",
            .path = "file of comma, tab or semicolon separated values, also gzipped",
            .splits = NULL,
            .reference = "" },
  .open = csv_open,
  .read = csv_read,
  .source = csv_source,
  .close = csv_close,
};
