/*
 * npz.c -- NumPy's .npz: a zip archive of .npy files.
 *
 * Listing reads the directory only. Stored arrays (numpy.savez) are used in place; compressed ones
 * (numpy.savez_compressed) are inflated when they are loaded. Memory is allocated only after the
 * array's header and the archive's directory agree on its size (unzip.c has the other limits).
 */
#include "base/memory.h"
#include "data/array.h"
#include "io/format.h"
#include "io/format/npy.h"
#include "io/names.h"
#include "io/unzip.h"
#include "io/zip.h"

#include <stdio.h>
#include <string.h>

static bool npz_recognise(const unsigned char *bytes, size_t length, const char *stem) {
  (void)stem;
  return crd__io_unzip_recognise(bytes, length);
}

/* ---- Listing. */

static crd_status add_member(crd_context *ctx, crd__io_bundle *bundle, const char *name,
                             size_t place) {
  if (!crd__io_has_extension(name, "npy")) return CRD_OK;
  char *key = crd__strdup(&bundle->alloc, name);
  if (!key) return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  key[strlen(key) - strlen(".npy")] = '\0';
  crd__io_entry *entry;
  const crd_status status = crd__io_bundle_add(ctx, bundle, key, &entry);
  crd__free(&bundle->alloc, key);
  if (status == CRD_OK) entry->place = place;
  return status;
}

static crd_status list_members(crd_context *ctx, crd__io_bundle *bundle, crd__io_unzip *zip) {
  for (size_t place = 0;; place++) {
    const char *name;
    CRD_TRY(crd__io_unzip_next(ctx, zip, &name));
    if (!name) return CRD_OK;
    CRD_TRY(add_member(ctx, bundle, name, place));
  }
}

static crd_status npz_read_directory(crd_context *ctx, crd__io_bundle *bundle,
                                     const crd_open_options *options) {
  crd__io_unzip *zip = NULL;
  (void)options;
  CRD_TRY(crd__io_unzip_open(ctx, bundle, &zip));
  const crd_status status = list_members(ctx, bundle, zip);
  crd__io_unzip_close(zip);
  if (status == CRD_OK && bundle->count == 0)
    return crd__fail(ctx, CRD_EINPUT, "the archive holds no .npy arrays");
  return status;
}

/* ---- Loading. */

static crd_status inflate(crd_context *ctx, crd__io_bundle *bundle, crd__io_unzip *zip, size_t size,
                          crd__io_entry *entry) {
  crd__io_npy npy;
  const size_t first = size < CRD__NPY_HEADER_MAX ? size : CRD__NPY_HEADER_MAX;
  entry->owned = crd__resize(&bundle->alloc, NULL, first, 1);
  if (!entry->owned) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu bytes", first);
  CRD_TRY(crd__io_unzip_read(ctx, zip, entry->owned, first));
  CRD_TRY(crd__io_npy_parse(ctx, entry->owned, first, size, &npy));
  CRD_TRY(crd__io_npy_check(ctx, bundle, &npy, true));
  void *all = crd__resize(&bundle->alloc, entry->owned, size, 1);
  if (!all) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu bytes", size);
  entry->owned = all;
  CRD_TRY(crd__io_unzip_read(ctx, zip, (unsigned char *)all + first, size - first));
  CRD_TRY(crd__io_unzip_finish(ctx, zip));
  return crd__io_npy_fill(ctx, &npy, all, entry);
}

/* Seeks the entry's member; *size is its size in the directory. */
static crd_status seek_member(crd_context *ctx, crd__io_unzip *zip, const crd__io_entry *entry,
                              uint64_t *size) {
  const char *name = NULL;
  for (size_t i = 0; i <= entry->place; i++) {
    CRD_TRY(crd__io_unzip_next(ctx, zip, &name));
    if (!name) return crd__fail(ctx, CRD_EINPUT, "the archive changed while it was read");
  }
  CRD_TRY(crd__io_unzip_size(ctx, zip, size));
  return *size > 0 ? CRD_OK : crd__fail(ctx, CRD_EINPUT, "is empty, expected an npy array");
}

static crd_status load_in_place(crd_context *ctx, crd__io_bundle *bundle, crd__io_unzip *zip,
                                crd__io_entry *entry) {
  const unsigned char *found = NULL;
  uint64_t size;
  crd__io_npy npy;
  CRD_TRY(seek_member(ctx, zip, entry, &size));
  CRD_TRY(crd__io_unzip_in_place(ctx, zip, size, &found));
  if (!found) return CRD_OK;
  CRD_TRY(crd__io_npy_parse(ctx, found, (size_t)size, size, &npy));
  CRD_TRY(crd__io_npy_check(ctx, bundle, &npy, true));
  return crd__io_npy_fill(ctx, &npy, found, entry);
}

static crd_status load_inflated(crd_context *ctx, crd__io_bundle *bundle, crd__io_unzip *zip,
                                crd__io_entry *entry) {
  uint64_t size;
  CRD_TRY(seek_member(ctx, zip, entry, &size));
  return inflate(ctx, bundle, zip, (size_t)size, entry);
}

/* Reads the header only, of stored and deflated members. */
static crd_status peek_header(crd_context *ctx, crd__io_bundle *bundle, crd__io_unzip *zip,
                              crd__io_entry *entry) {
  uint64_t size;
  crd__io_npy npy;
  unsigned char *bytes;
  CRD_TRY(seek_member(ctx, zip, entry, &size));
  const size_t first = size < CRD__NPY_HEADER_MAX ? (size_t)size : CRD__NPY_HEADER_MAX;
  CRD_TRY(crd__new(ctx, first, 1, "a header", &bytes));
  crd_status status = crd__io_unzip_read(ctx, zip, bytes, first);
  if (status == CRD_OK) status = crd__io_npy_parse(ctx, bytes, first, size, &npy);
  if (status == CRD_OK) status = crd__io_npy_check(ctx, bundle, &npy, true);
  if (status == CRD_OK) crd__io_npy_peek(&npy, entry);
  crd__free(&ctx->alloc, bytes);
  return status;
}

static crd_status npz_peek_member(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  crd__io_unzip *zip = NULL;
  CRD_TRY(crd__io_unzip_open(ctx, bundle, &zip));
  const crd_status status = peek_header(ctx, bundle, zip, entry);
  crd__io_unzip_close(zip);
  return status;
}

/* Loads in place if the member is stored, which is known only when its first block is read. */
static crd_status npz_load_member(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  crd_status (*const ways[])(crd_context *, crd__io_bundle *, crd__io_unzip *,
                             crd__io_entry *) = { load_in_place, load_inflated };
  for (size_t i = 0; i < sizeof ways / sizeof *ways && !entry->loaded; i++) {
    crd__io_unzip *zip = NULL;
    CRD_TRY(crd__io_unzip_open(ctx, bundle, &zip));
    const crd_status status = ways[i](ctx, bundle, zip, entry);
    crd__io_unzip_close(zip);
    CRD_TRY(status);
  }
  return CRD_OK;
}

/* ---- Writing. */

static crd_status write_names(crd_context *ctx, crd__io_zip *zip, const crd__io_array *array) {
  char header[CRD__NPY_HEADER_SIZE];
  crd__io_array names = { .name = "class_names" };
  CRD_TRY(crd__io_names_matrix(ctx, array->columns, crd__data_cols(&array->view), &names.view));
  const size_t length = crd__io_npy_text_header(names.view, header);
  const crd_status status = crd__io_zip_add(ctx, zip, "class_names.npy", header, length, &names);
  crd__free(&ctx->alloc, (void *)(uintptr_t)names.view.data);
  return status;
}

static crd_status write_members(crd_context *ctx, crd__io_zip *zip, const crd__io_array *arrays,
                                size_t count) {
  for (size_t i = 0; i < count; i++) {
    char header[CRD__NPY_HEADER_SIZE], name[256];
    CRD_TRY(crd__io_npy_check_type(ctx, &arrays[i]));
    const size_t length = crd__io_npy_header(&arrays[i], header);
    if (strlen(arrays[i].name) + sizeof ".npy" > sizeof name)
      return crd__fail(ctx, CRD_EUSAGE, "an array's name has more than %zu characters",
                       sizeof name - sizeof ".npy");
    snprintf(name, sizeof name, "%s.npy", arrays[i].name);
    CRD_TRY(crd__io_zip_add(ctx, zip, name, header, length, &arrays[i]));
  }
  for (size_t i = 0; i < count; i++)
    if (arrays[i].columns) CRD_TRY(write_names(ctx, zip, &arrays[i]));
  return CRD_OK;
}

static crd_status npz_write_archive(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                                    const crd__io_array *arrays, size_t count) {
  crd__io_zip *zip;
  (void)stem;
  CRD_TRY(crd__io_zip_open(ctx, sink, &zip));
  const crd_status status = write_members(ctx, zip, arrays, count);
  if (status == CRD_OK) return crd__io_zip_close(ctx, zip);
  crd__io_zip_discard(zip);
  return status;
}

const crd__io_format crd__io_format_npz = {
  .info = { .name = "npz",
            .summary = "NumPy archive: scores, labels, weights, groups, by name",
            .extensions = "npz" },
  .recognise = npz_recognise,
  .read = npz_read_directory,
  .load = npz_load_member,
  .peek = npz_peek_member,
  .write = npz_write_archive,
};
