/*
 * pred.c -- parses names of predictions: FILE[#group][@from:to].
 *
 * File names may contain '#' and '@'. Therefore the longest existing file name wins: first the
 * whole text is tried, then without the rows, then without the group. FILE may be several files
 * (files.h); group and rows are then those of all rows together.
 */
#include "io/pred.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/files.h"

#include <inttypes.h>
#include <string.h>

/* Parses digits, or nothing. */
static bool take_bound(const char *text, size_t length, bool *given, uint64_t *out) {
  int64_t value;
  *given = length > 0;
  if (length == 0) return true;
  if (strspn(text, "0123456789") < length || !crd__integer_parse(text, length, &value))
    return false;
  *out = (uint64_t)value;
  return true;
}

/* Parses from:to, from: or :to. */
static bool take_rows(const char *text, crd__io_specifier *pred) {
  const char *colon = strchr(text, ':');
  return colon && take_bound(text, (size_t)(colon - text), &pred->has_from, &pred->from) &&
         take_bound(colon + 1, strlen(colon + 1), &pred->has_to, &pred->to) &&
         (pred->has_from || pred->has_to);
}

/* Splits the rows from pred->file; false: the text after the last '@' is not a range. */
static bool cut_rows(crd__io_specifier *pred) {
  char *at = strrchr(pred->file, '@');
  if (!at) return true;
  crd__io_specifier rows = *pred;
  if (!take_rows(at + 1, &rows)) return false;
  *pred = rows;
  *at = '\0';
  return true;
}

static crd_status cut_group(crd_context *ctx, const char *text, crd__io_specifier *pred) {
  bool exists;
  CRD_TRY(crd__io_files_exist(ctx, pred->file, &exists));
  char *hash = exists ? NULL : strrchr(pred->file, '#');
  if (!hash) return CRD_OK;
  *hash = '\0';
  if (hash[1] == '\0')
    return crd__fail(ctx, CRD_EUSAGE, "%s: found no group after '#', expected FILE#group", text);
  pred->group = crd__strdup(&ctx->alloc, hash + 1);
  return pred->group ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a group's name");
}

crd_status crd__io_specifier_parse(crd_context *ctx, const char *text, crd__io_specifier *out) {
  *out = (crd__io_specifier){ .file = crd__strdup(&ctx->alloc, text) };
  if (!out->file) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file's name");
  bool exists;
  CRD_TRY(crd__io_files_exist(ctx, text, &exists));
  if (exists) return CRD_OK;
  const bool rows_fit = cut_rows(out);
  CRD_TRY(cut_group(ctx, text, out));
  if (!rows_fit) CRD_TRY(crd__io_files_exist(ctx, out->file, &exists));
  if (!rows_fit && !exists)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s: no such file, and found '%s' after '@', expected rows from:to", text,
                     strrchr(text, '@') + 1);
  if (out->file[0] == '\0')
    return crd__fail(ctx, CRD_EUSAGE, "'%s': found no file name, expected FILE[#group][@from:to]",
                     text);
  return CRD_OK;
}

crd_status crd__io_specifier_rows(crd_context *ctx, const char *text, const crd__io_specifier *pred,
                                  size_t rows, size_t *from, size_t *to) {
  const uint64_t first = pred->has_from ? pred->from : 0, last = pred->has_to ? pred->to : rows;
  if (!pred->has_from && !pred->has_to) {
    *from = 0;
    *to = rows;
    return CRD_OK;
  }
  if (first >= last || last > rows)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: rows %" PRIu64 ":%" PRIu64 " do not exist, the file has rows 0:%zu", text,
                     first, last, rows);
  *from = (size_t)first;
  *to = (size_t)last;
  return CRD_OK;
}

void crd__io_specifier_clear(const crd_allocator *alloc, crd__io_specifier *pred) {
  crd__free(alloc, pred->file);
  crd__free(alloc, pred->group);
  *pred = (crd__io_specifier){ 0 };
}
