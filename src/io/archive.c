/*
 * archive.c -- reads archives of many small files through libarchive.
 *
 * One pass, since a compressed tar cannot be read otherwise. Nothing is written to disk, so names
 * such as "../x" are harmless. Filters are named one by one: libarchive's "all" may start programs.
 *
 * Against bombs: each member counts as its content and a header of 512 bytes; beyond 256 MiB the
 * sum may be at most 200 times the length of the archive.
 */
#include "io/archive.h"

#include "base/memory.h"
#include "io/gzip.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

enum { HEADER = 512 };

typedef struct {
  crd_context *ctx;
  struct archive *archive;
  size_t packed, most; /* bytes of the file; of content and headers, at most */
  crd__io_archive *out;
} reader;

static crd_status damaged(const reader *r) {
  const char *const reason = archive_error_string(r->archive);
  return crd__fail(r->ctx, CRD_EINPUT, "cannot read the archive: %s%s",
                   reason ? reason : "it is damaged",
                   r->out->count ? "" : "; expected tar (plain, gz, bz2, xz or zst) or zip");
}

static crd_status too_large(const reader *r) {
  return crd__fail(r->ctx, CRD_EINPUT,
                   "an archive of %zu bytes expands to more than %zu, allowed are %d times as many",
                   r->packed, r->most, CRD__BOMB_RATIO);
}

/* ---- Members. */

static size_t used(const reader *r) { return r->out->length + r->out->count * HEADER; }

static crd_status add_member(const reader *r, const char *name) {
  crd__io_archive *const out = r->out;
  if (used(r) + HEADER > r->most) return too_large(r);
  if (out->count == out->capacity) {
    const size_t capacity = out->capacity ? out->capacity * 2 : 64;
    crd__io_member *const members =
        crd__resize(&r->ctx->alloc, out->members, capacity, sizeof *members);
    if (!members) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu members", capacity);
    out->members = members;
    out->capacity = capacity;
  }
  while (*name == '/' || (name[0] == '.' && name[1] == '/')) name += *name == '/' ? 1 : 2;
  char *const copy = crd__strdup(&r->ctx->alloc, name);
  if (!copy) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for a member's name");
  out->members[out->count++] = (crd__io_member){ .name = copy, .offset = out->length };
  return CRD_OK;
}

/* Grows to at most one byte beyond the limit: filling that byte means too much data. */
static crd_status reserve(const reader *r) {
  crd__io_archive *const out = r->out;
  if (out->length < out->reserved) return CRD_OK;
  const size_t headers = out->count * HEADER, allowed = r->most - headers + 1;
  const size_t wanted = out->reserved ? out->reserved * 2 : r->packed * 4 + 4096;
  const size_t reserved = wanted < allowed ? wanted : allowed;
  char *const bytes = crd__resize(&r->ctx->alloc, out->bytes, reserved, 1);
  if (!bytes) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu bytes", reserved);
  out->bytes = bytes;
  out->reserved = reserved;
  return CRD_OK;
}

static crd_status read_content(const reader *r) {
  crd__io_archive *const out = r->out;
  for (;;) {
    CRD_TRY(reserve(r));
    const la_ssize_t got =
        archive_read_data(r->archive, out->bytes + out->length, out->reserved - out->length);
    if (got < 0) return damaged(r);
    out->length += (size_t)got;
    if (used(r) > r->most) return too_large(r);
    if (got == 0) break;
  }
  crd__io_member *const member = &out->members[out->count - 1];
  member->length = out->length - member->offset;
  return CRD_OK;
}

static const char *name_of(struct archive_entry *entry) {
  const char *name = archive_entry_pathname_utf8(entry);
  if (!name) name = archive_entry_pathname(entry);
  return name ? name : "";
}

static crd_status read_members(const reader *r) {
  struct archive_entry *entry;
  for (;;) {
    CRD_TRY(crd__check_interrupt(r->ctx));
    const int result = archive_read_next_header(r->archive, &entry);
    if (result == ARCHIVE_EOF) return CRD_OK;
    if (result < ARCHIVE_WARN) return damaged(r);
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    CRD_TRY(add_member(r, name_of(entry)));
    const crd_status status = read_content(r);
    if (status == CRD_EINPUT)
      return crd__fail_in(r->ctx, status, r->out->members[r->out->count - 1].name);
    if (status != CRD_OK) return status;
  }
}

static crd_status read_with(const reader *r, const void *bytes) {
  struct archive *const a = r->archive;
  /* A filter or format that this libarchive lacks is reported when a file needs it. */
  (void)archive_read_support_filter_gzip(a);
  (void)archive_read_support_filter_bzip2(a);
  (void)archive_read_support_filter_xz(a);
  (void)archive_read_support_filter_zstd(a);
  (void)archive_read_support_format_tar(a);
  (void)archive_read_support_format_zip(a);
  if (archive_read_open_memory(a, bytes, r->packed) != ARCHIVE_OK) return damaged(r);
  return read_members(r);
}

crd_status crd__io_archive_read(crd_context *ctx, const void *bytes, size_t length,
                                crd__io_archive *out) {
  *out = (crd__io_archive){ 0 };
  reader r = { .ctx = ctx, .packed = length, .out = out, .most = CRD__BOMB_BYTES };
  if (length > SIZE_MAX / 4 / CRD__BOMB_RATIO)
    return crd__fail(ctx, CRD_EINPUT, "an archive of %zu bytes is too large", length);
  if (length * CRD__BOMB_RATIO > r.most) r.most = length * CRD__BOMB_RATIO;
  r.archive = archive_read_new();
  if (!r.archive) return crd__fail(ctx, CRD_ENOMEM, "no memory to read the archive");
  const crd_status status = read_with(&r, bytes);
  archive_read_free(r.archive);
  return status;
}

void crd__io_archive_clear(const crd_allocator *alloc, crd__io_archive *archive) {
  for (size_t i = 0; i < archive->count; i++) crd__free(alloc, archive->members[i].name);
  crd__free(alloc, archive->members);
  crd__free(alloc, archive->bytes);
  *archive = (crd__io_archive){ 0 };
}
