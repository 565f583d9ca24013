/*
 * manifest.c -- a table of image files: CSV or TSV, optionally with .gz, whose header names the
 * columns path, label, group, split and weight, in any order; path is required.
 *
 * Paths are relative to the folder of the table. Other columns are ignored, with a note.
 */
#include "base/folder.h"
#include "base/memory.h"
#include "dataset/image/set.h"
#include "io/format/csv_text.h"
#include "io/gzip.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum { PATH, LABEL, GROUP, SPLIT, WEIGHT, ROLES } role;

/* Names of the columns; the first one is for error messages. */
static const char *const names[ROLES][5] = {
  [PATH] = { "path", "file", "filename", "image" },
  [LABEL] = { "label", "class", "target" },
  [GROUP] = { "group", "patient", "patient_id", "subject" },
  [SPLIT] = { "split", "set" },
  [WEIGHT] = { "weight" },
};

enum { COLUMNS_MOST = 4096, NOWHERE = -1 };

typedef struct {
  crd_context *ctx;
  const crd__dataset_request *request;
  crd__dataset_store *store;
  crd__image_set *set;
  crd__io_csv_reader reader;
  int at[ROLES];  /* column of each role, or NOWHERE */
  size_t columns; /* */
  char *folder;   /* of the table */
  crd__text cell[ROLES];
} table;

/* ---- The header. */

static bool is_called(const crd__word *word, const char *name) {
  return strlen(name) == word->length && strncasecmp(word->text, name, word->length) == 0;
}

/* Returns the role of a column; ROLES: none. An option names the column of labels. */
static role role_of(const table *t, const crd__word *word) {
  const char *const labels = t->request->options->label_column;
  if (labels && is_called(word, labels)) return LABEL;
  for (role r = PATH; r < ROLES; r++)
    for (size_t i = 0; names[r][i]; i++)
      if (!(labels && r == LABEL) && is_called(word, names[r][i])) return r;
  return ROLES;
}

static crd_status read_header(table *t, crd__text *ignored, crd__text *all) {
  crd__io_csv_reader *const reader = &t->reader;
  for (role r = PATH; r < ROLES; r++) t->at[r] = NOWHERE;
  do {
    crd__word word;
    reader->column = t->columns;
    CRD_TRY(crd__io_csv_field(reader, &word));
    if (t->columns == COLUMNS_MOST)
      return crd__fail(t->ctx, CRD_EINPUT, "more than %d columns", COLUMNS_MOST);
    const role r = role_of(t, &word);
    const int length = (int)(word.length < 40 ? word.length : 40);
    crd__text_addf(all, "%s'%.*s'", t->columns ? ", " : "", length, word.text);
    if (r != ROLES && t->at[r] != NOWHERE)
      return crd__fail(t->ctx, CRD_EINPUT, "columns %d and %zu are both %s", t->at[r] + 1,
                       t->columns + 1, names[r][0]);
    if (r != ROLES) t->at[r] = (int)t->columns;
    else crd__text_addf(ignored, "%s'%.*s'", ignored->length ? ", " : "", length, word.text);
    t->columns++;
  } while (reader->more);
  return CRD_OK;
}

/* Checks the header, and notes columns that are not used. */
static crd_status judge_header(table *t, const crd__text *ignored, const crd__text *all) {
  const char *const labels = t->request->options->label_column;
  CRD_TRY(crd__text_status(t->ctx, ignored));
  CRD_TRY(crd__text_status(t->ctx, all));
  if (t->at[PATH] == NOWHERE)
    return crd__fail(t->ctx, CRD_EINPUT, "the header has no column 'path', found %.400s",
                     all->bytes);
  if (labels && t->at[LABEL] == NOWHERE)
    return crd__fail(t->ctx, CRD_EINPUT, "the header has no column '%.60s' (%s), found %.400s",
                     labels, crd__spell(t->ctx, "label_column"), all->bytes);
  if (ignored->length == 0) return CRD_OK;
  return crd__notes_add(t->ctx, &t->store->alloc, &t->store->notes,
                        "columns of the manifest that are not used: %s", ignored->bytes);
}

static crd_status take_header(table *t) {
  crd__text ignored, all;
  crd__text_init(&ignored, &t->ctx->alloc);
  crd__text_init(&all, &t->ctx->alloc);
  crd_status status = read_header(t, &ignored, &all);
  if (status == CRD_OK) status = judge_header(t, &ignored, &all);
  crd__text_clear(&ignored);
  crd__text_clear(&all);
  return status;
}

/* ---- Rows. */

/* Copies the fields of the roles to `cell`, quotes undoubled. */
static crd_status read_cells(table *t, size_t line) {
  crd__io_csv_reader *const reader = &t->reader;
  size_t columns = 0;
  for (role r = PATH; r < ROLES; r++) t->cell[r].length = 0;
  do {
    crd__word word;
    reader->column = columns;
    CRD_TRY(crd__io_csv_field(reader, &word));
    for (role r = PATH; r < ROLES; r++) {
      if (t->at[r] != (int)columns || word.length == 0) continue;
      crd__text_add_bytes(&t->cell[r], word.text, word.length);
      CRD_TRY(crd__text_status(t->ctx, &t->cell[r]));
      t->cell[r].length = crd__word_copy(&word, t->cell[r].bytes);
      t->cell[r].bytes[t->cell[r].length] = '\0';
    }
    columns++;
  } while (reader->more);
  if (columns == t->columns) return CRD_OK;
  return crd__fail(t->ctx, CRD_EINPUT, "line %zu: found %zu columns, expected %zu", line, columns,
                   t->columns);
}

static crd_status read_weight(const table *t, size_t line, double *out) {
  const crd__text *const cell = &t->cell[WEIGHT];
  const crd__word word = { cell->bytes, cell->length };
  if (cell->length && crd__io_csv_number(&t->reader, &word, out) && *out >= 0 && isfinite(*out))
    return CRD_OK;
  return crd__fail(t->ctx, CRD_EINPUT, "line %zu: weight '%.40s', expected a number of at least 0",
                   line, cell->length ? cell->bytes : "");
}

/* Sets the index of a name; an empty field is none. */
static crd_status set_name(const table *t, role r, crd__dataset_names *all, int64_t *out) {
  if (t->at[r] == NOWHERE || t->cell[r].length == 0) return CRD_OK;
  return crd__dataset_names_add(t->ctx, &t->store->alloc, all, t->cell[r].bytes, out);
}

static crd_status add_row(table *t, size_t line) {
  const crd__text *const path = &t->cell[PATH];
  crd__image_file *file;
  char *whole = NULL;
  if (path->length == 0) return crd__fail(t->ctx, CRD_EINPUT, "line %zu: the path is empty", line);
  if (t->at[SPLIT] != NOWHERE && t->cell[SPLIT].length == 0)
    return crd__fail(t->ctx, CRD_EINPUT, "line %zu: the split is empty", line);
  if (path->bytes[0] != '/') CRD_TRY(crd__folder_join(t->ctx, t->folder, path->bytes, &whole));
  const crd_status status = crd__image_set_add(t->ctx, t->set, whole ? whole : path->bytes, &file);
  crd__free(&t->ctx->alloc, whole);
  CRD_TRY(status);
  file->line = line;
  CRD_TRY(set_name(t, LABEL, &t->store->labels, &file->label));
  CRD_TRY(set_name(t, GROUP, &t->store->groups, &file->group));
  CRD_TRY(set_name(t, SPLIT, &t->store->splits, &file->split));
  return t->at[WEIGHT] == NOWHERE ? CRD_OK : read_weight(t, line, &file->weight);
}

/* Names without numbers do not show which separator is meant: a header without commas does. */
static void choose_separator(crd__io_csv_reader *reader) {
  const size_t left = (size_t)(reader->end - reader->at);
  const char *const stop = memchr(reader->at, '\n', left);
  const size_t first = stop ? (size_t)(stop - reader->at) : left;
  if (reader->separator == ',' && !memchr(reader->at, ',', first) && memchr(reader->at, ';', first))
    reader->separator = ';';
}

static crd_status read_table(table *t, const void *bytes, size_t length) {
  crd__io_bundle source = { .bytes = bytes, .length = length };
  char stem[] = "manifest";
  source.stem = stem;
  CRD_TRY(crd__io_csv_start(t->ctx, &source, &t->reader));
  choose_separator(&t->reader);
  CRD_TRY(take_header(t));
  while (!crd__io_csv_is_finished(&t->reader)) {
    const size_t line = t->reader.line;
    CRD_TRY(read_cells(t, line));
    CRD_TRY(add_row(t, line));
    CRD_TRY(crd__check_interrupt(t->ctx));
  }
  t->set->has_weights = t->at[WEIGHT] != NOWHERE;
  if (t->set->count) return CRD_OK;
  return crd__fail(t->ctx, CRD_EINPUT, "the manifest has a header and no rows");
}

/* ---- The kind. */

/* Reads the table from the bytes of a file, which may be gzipped. */
static crd_status read_bytes(table *t, const crd__blob *blob) {
  void *inflated = NULL;
  size_t length = blob->length;
  crd_status status = CRD_OK;
  const bool gzipped = crd__io_gzip_recognise(blob->bytes, blob->length);
  if (gzipped) status = crd__io_gzip_inflate(t->ctx, blob->bytes, blob->length, &inflated, &length);
  if (status == CRD_OK) status = read_table(t, gzipped ? inflated : blob->bytes, length);
  crd__free(&t->ctx->alloc, inflated);
  return status;
}

static crd_status set_folder(table *t) {
  const char *const path = t->request->path, *const slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash - path) + 1 : 1;
  CRD_TRY(crd__new(t->ctx, length + 1, 1, "a file name", &t->folder));
  memcpy(t->folder, slash ? path : ".", length);
  return CRD_OK;
}

static crd_status manifest_open(crd_context *ctx, const crd__dataset_request *request,
                                crd__dataset_store *store) {
  table t = { .ctx = ctx, .request = request, .store = store };
  crd__blob blob;
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected manifest:FILE", request->data);
  CRD_TRY(crd__image_set_create(ctx, store, &t.set));
  t.set->manifest = request->path;
  for (role r = PATH; r < ROLES; r++) crd__text_init(&t.cell[r], &ctx->alloc);
  CRD_TRY(crd__blob_open(ctx, request->path, &blob));
  crd_status status = set_folder(&t);
  if (status == CRD_OK) status = read_bytes(&t, &blob);
  if (status != CRD_OK) status = crd__fail_in(ctx, status, request->path);
  crd__blob_close(&ctx->alloc, &blob);
  for (role r = PATH; r < ROLES; r++) crd__text_clear(&t.cell[r]);
  crd__free(&ctx->alloc, t.folder);
  return status == CRD_OK ? crd__image_set_finish(ctx, request, store, t.set) : status;
}

const crd__dataset_kind crd__dataset_kind_manifest = {
  .info = { .name = "manifest",
            .summary = "images (PNG, JPEG) named by a table: path, label, group, split, weight",
            .path = "the table, CSV or TSV; paths in it are relative to its folder",
            .splits = NULL,
            .reference = "" },
  .open = manifest_open,
  .bytes = crd__image_set_bytes,
  .decode = crd__image_set_decode,
  .source = crd__image_set_source,
  .close = crd__image_set_close,
};
