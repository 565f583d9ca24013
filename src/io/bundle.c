/*
 * bundle.c -- the frame around the formats: finds the format of a file, and owns the arrays.
 *
 * Content takes precedence over the name, so that renamed files and standard input work. A format
 * is an entry of list.h and its own file; nothing here depends on a particular one.
 */
#include "io/bundle.h"
#include "base/memory.h"
#include "base/table.h"
#include "io/advice.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/gzip.h"
#include "io/join.h"
#include "io/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FORMAT(name) extern const crd__io_format crd__io_format_##name;
#include "io/format/list.h"
#undef FORMAT
static const crd__io_format *const formats[] = {
#define FORMAT(name) &crd__io_format_##name,
#include "io/format/list.h"
#undef FORMAT
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const crd__io_format *crd__io_format_at(size_t index) {
  return index < FORMAT_COUNT ? formats[index] : NULL;
}

CRD_TABLE(format, crd_format_info, FORMAT_COUNT, &formats[index]->info)

bool crd__io_has_extension(const char *path, const char *extension) {
  const size_t length = strlen(path), tail = strlen(extension);
  return length > tail + 1 && path[length - tail - 1] == '.' &&
         strcasecmp(path + length - tail, extension) == 0;
}

/* Returns whether the name ends with one of the format's extensions. */
static bool claims(const crd__io_format *format, const char *stem) {
  for (const char *at = format->info.extensions; *at;) {
    char word[16] = "";
    const size_t length = strcspn(at, " ");
    memcpy(word, at, length < sizeof word ? length : sizeof word - 1);
    if (crd__io_has_extension(stem, word)) return true;
    at += length + (at[length] == ' ');
  }
  return false;
}

const crd__io_format *crd__io_format_of(const char *stem) {
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (claims(formats[i], stem)) return formats[i];
  return NULL;
}

/* ---- Entries. */

/* The search is linear: bound the number, so that a file of many names fails quickly. */
enum { ENTRIES_MAX = 16384 };

size_t crd__io_bundle_find(const crd__io_bundle *bundle, const char *name) {
  size_t i = 0;
  while (i < bundle->count && strcmp(bundle->entries[i].name, name) != 0) i++;
  return i;
}

size_t crd__io_bundle_find_in(const crd__io_bundle *bundle, const char *group, const char *name) {
  static const char separators[] = "_/.";
  if (!group) return crd__io_bundle_find(bundle, name);
  for (const char *s = separators; *s; s++) {
    char whole[256];
    snprintf(whole, sizeof whole, "%.200s%c%s", group, *s, name);
    const size_t index = crd__io_bundle_find(bundle, whole);
    if (index < bundle->count) return index;
  }
  return bundle->count;
}

bool crd__io_bundle_is_table(const crd__io_bundle *bundle) { return bundle->format->copies; }

void crd__io_bundle_list(const crd__io_bundle *bundle, crd__text *text) {
  enum { SHOWN = 8 };
  for (size_t i = 0; i < bundle->count && i < SHOWN; i++)
    crd__text_addf(text, "%s%.40s", i ? ", " : "", bundle->entries[i].name);
  if (bundle->count > SHOWN) crd__text_addf(text, " and %zu more", bundle->count - SHOWN);
}

/* Names and content of files appear in messages, and so on a terminal. */
static void make_printable(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
}

crd_status crd__io_bundle_add(crd_context *ctx, crd__io_bundle *bundle, const char *name,
                              crd__io_entry **out) {
  if (bundle->count == ENTRIES_MAX)
    return crd__fail(ctx, CRD_EINPUT, "there are more than %d arrays", ENTRIES_MAX);
  if (bundle->count == bundle->capacity) {
    const size_t capacity = bundle->capacity ? bundle->capacity * 2 : 4;
    crd__io_entry *entries =
        crd__resize(&bundle->alloc, bundle->entries, capacity, sizeof *bundle->entries);
    if (!entries) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu entries", capacity);
    bundle->entries = entries;
    bundle->capacity = capacity;
  }
  char *copy = crd__strdup(&bundle->alloc, name);
  if (!copy) return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  make_printable(copy);
  if (crd__io_bundle_find(bundle, copy) < bundle->count) {
    crd__free(&bundle->alloc, copy);
    return crd__fail(ctx, CRD_EINPUT, "there are two arrays named %s, expected one", name);
  }
  crd__io_entry *entry = &bundle->entries[bundle->count++];
  memset(entry, 0, sizeof *entry);
  entry->name = copy;
  *out = entry;
  return CRD_OK;
}

/* Completes the error message: prepends file and entry (or NULL), escapes control characters,
 * appends the lines of advice, as far as the buffer allows. */
static crd_status explain(crd_context *ctx, crd_status status, crd__io_bundle *bundle,
                          const char *entry) {
  make_printable(ctx->message);
  if (entry) crd__fail_in(ctx, status, entry);
  crd__fail_in(ctx, status, bundle->name);
  const size_t used = strlen(ctx->message), left = sizeof ctx->message - used;
  if (bundle->advice && strlen(bundle->advice) < left)
    snprintf(ctx->message + used, left, "%s", bundle->advice);
  crd__free(&bundle->alloc, bundle->advice);
  bundle->advice = NULL;
  return status;
}

static crd_status read_entry(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry,
                             crd_status (*read)(crd_context *, crd__io_bundle *, crd__io_entry *)) {
  const crd_status status = read(ctx, bundle, entry);
  if (status == CRD_OK) return CRD_OK;
  crd__free(&bundle->alloc, entry->owned);
  crd__free(&bundle->alloc, entry->names);
  entry->owned = entry->names = NULL;
  entry->loaded = entry->known = false;
  return explain(ctx, status, bundle, entry->name);
}

crd_status crd__io_bundle_load(crd_context *ctx, crd__io_bundle *bundle, size_t index) {
  crd__io_entry *entry = &bundle->entries[index];
  return entry->loaded ? CRD_OK : read_entry(ctx, bundle, entry, bundle->format->load);
}

crd_status crd__io_bundle_peek(crd_context *ctx, crd__io_bundle *bundle, size_t index) {
  crd__io_entry *entry = &bundle->entries[index];
  if (!entry->loaded && !entry->known && bundle->format->peek)
    return read_entry(ctx, bundle, entry, bundle->format->peek);
  if (!entry->known) CRD_TRY(crd__io_bundle_load(ctx, bundle, index));
  if (entry->loaded) entry->strings = entry->names != NULL;
  entry->known = true;
  return CRD_OK;
}

void crd__io_bundle_describe(crd_context *ctx, crd__io_bundle *bundle, crd__text *text) {
  enum { SHOWN = 12 };
  for (size_t i = 0; i < bundle->count && i < SHOWN; i++) {
    const crd__io_entry *const entry = &bundle->entries[i];
    const bool known = crd__io_bundle_peek(ctx, bundle, i) == CRD_OK;
    crd__text_addf(text, "%s%.40s (", i ? ", " : "", entry->name);
    for (size_t d = 0; known && d < entry->rank && d < 6; d++)
      crd__text_addf(text, "%s%zu", d ? " x " : "", entry->shape[d]);
    crd__text_addf(text, "%s%s)", known && entry->rank ? " " : "",
                   !known           ? "cannot be read"
                   : entry->strings ? "strings"
                                    : crd_dtype_name(entry->view.dtype));
  }
  if (bundle->count > SHOWN) crd__text_addf(text, " and %zu more", bundle->count - SHOWN);
}

static crd_status refuse_rank(crd_context *ctx, crd__io_bundle *bundle,
                              const crd__io_entry *entry) {
  crd__text shape;
  crd__text_init(&shape, &ctx->alloc);
  for (size_t i = 0; i < entry->rank; i++)
    crd__text_addf(&shape, "%s%zu", i ? ", " : "", entry->shape[i]);
  crd__text advice;
  crd__text_init(&advice, &ctx->alloc);
  crd__io_advise_reshape(ctx, bundle, &advice);
  const crd_status status = crd__fail(
      ctx, CRD_EINPUT, "%s: %s has %zu dimensions (%s), allowed are (rows, classes) or (rows,)%s",
      bundle->name, entry->name, entry->rank, shape.bytes ? shape.bytes : "",
      advice.bytes ? advice.bytes : "");
  crd__text_clear(&advice);
  crd__text_clear(&shape);
  return status;
}

crd_status crd__io_bundle_matrix(crd_context *ctx, crd__io_bundle *bundle, size_t index,
                                 crd_array *out) {
  CRD_TRY(crd__io_bundle_load(ctx, bundle, index));
  const crd__io_entry *entry = &bundle->entries[index];
  if (entry->names)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s holds strings, expected numbers", bundle->name,
                     entry->name);
  if (entry->rank != 1 && entry->rank != 2) return refuse_rank(ctx, bundle, entry);
  *out = entry->view;
  return CRD_OK;
}

crd_status crd__io_bundle_strings(crd_context *ctx, crd__io_bundle *bundle, size_t index) {
  CRD_TRY(crd__io_bundle_load(ctx, bundle, index));
  const crd__io_entry *entry = &bundle->entries[index];
  if (entry->names) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "%s: %s holds numbers, expected strings", bundle->name,
                   entry->name);
}

/* ---- Opening. */

void crd__io_bundle_destroy(crd__io_bundle *bundle) {
  while (bundle) {
    crd__io_bundle *next = bundle->next;
    const crd_allocator alloc = bundle->alloc;
    for (size_t i = 0; i < bundle->count; i++) {
      crd__free(&alloc, bundle->entries[i].name);
      crd__free(&alloc, bundle->entries[i].owned);
      crd__free(&alloc, bundle->entries[i].names);
      crd__free(&alloc, bundle->entries[i].numbers);
      crd__free(&alloc, bundle->entries[i].ids);
      crd__free(&alloc, bundle->entries[i].words);
    }
    for (size_t i = 0; i < bundle->part_count; i++) crd__io_bundle_destroy(bundle->parts[i]);
    crd__free(&alloc, bundle->parts);
    crd__free(&alloc, bundle->entries);
    crd__free(&alloc, bundle->class_names);
    crd__notes_clear(&alloc, &bundle->notes);
    crd__free(&alloc, bundle->inflated);
    crd__free(&alloc, bundle->name);
    crd__free(&alloc, bundle->stem);
    crd__free(&alloc, bundle->advice);
    if (bundle->mapped) crd__blob_close(&alloc, &bundle->blob);
    crd__free(&alloc, bundle);
    bundle = next;
  }
}

static crd_status make(crd_context *ctx, const char *name, crd__io_bundle **out) {
  crd__io_bundle *bundle = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *bundle, name, &bundle));
  bundle->alloc = ctx->alloc;
  bundle->name = crd__strdup(&ctx->alloc, name);
  bundle->stem = crd__strdup(&ctx->alloc, name);
  if (!bundle->name || !bundle->stem) {
    crd__io_bundle_destroy(bundle);
    return crd__fail(ctx, CRD_ENOMEM, "%s: no memory for its name", name);
  }
  if (crd__io_has_extension(name, "gz")) bundle->stem[strlen(name) - 3] = '\0';
  *out = bundle;
  return CRD_OK;
}

static crd_status refuse_unknown(crd_context *ctx, const crd__io_bundle *bundle) {
  crd__text known;
  crd__text_init(&known, &ctx->alloc);
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    crd__text_addf(&known, "%s%s", i ? ", " : "", formats[i]->info.name);
  const crd__io_format *named = crd__io_format_of(bundle->stem);
  const crd_status status =
      crd__fail(ctx, CRD_EINPUT, "the content is not %s, supported are %s, each also gzipped",
                named ? named->info.name : "of a known format", known.bytes ? known.bytes : "");
  crd__text_clear(&known);
  return status;
}

/* Returns the index of the format that recognises the content; FORMAT_COUNT: none. */
static size_t recognise(const unsigned char *bytes, size_t length, const char *stem) {
  size_t i = 0;
  while (i < FORMAT_COUNT && !formats[i]->recognise(bytes, length, stem)) i++;
  return i;
}

const char *crd__io_format_name(const unsigned char *bytes, size_t length, const char *path) {
  if (crd__io_gzip_recognise(bytes, length)) return "gzip";
  const size_t i = recognise(bytes, length, path);
  return i < FORMAT_COUNT ? formats[i]->info.name : NULL;
}

/* Decompresses the bytes if needed, chooses the format and lets it read. */
static crd_status read_bytes(crd_context *ctx, crd__io_bundle *bundle,
                             const crd_open_options *options) {
  if (bundle->length == 0) return crd__fail(ctx, CRD_EINPUT, "the file is empty");
  if (crd__io_gzip_recognise(bundle->bytes, bundle->length)) {
    size_t length;
    CRD_TRY(crd__io_gzip_inflate(ctx, bundle->bytes, bundle->length, &bundle->inflated, &length));
    if (length == 0) return crd__fail(ctx, CRD_EINPUT, "the gzipped file is empty");
    bundle->bytes = bundle->inflated;
    bundle->length = length;
    bundle->on_disk = false;
  }
  CRD_TRY(crd__io_convert_check(ctx, bundle));
  const size_t i = recognise(bundle->bytes, bundle->length, bundle->stem);
  if (i == FORMAT_COUNT) return refuse_unknown(ctx, bundle);
  bundle->format = formats[i];
  return bundle->format->read(ctx, bundle, options);
}

/* The text is not needed once it has been converted to numbers. */
static void drop_bytes(crd__io_bundle *bundle) {
  crd__free(&bundle->alloc, bundle->inflated);
  bundle->inflated = NULL;
  if (bundle->mapped) crd__blob_close(&bundle->alloc, &bundle->blob);
  bundle->mapped = false;
  bundle->bytes = NULL;
  bundle->length = 0;
}

static crd_status finish(crd_context *ctx, crd__io_bundle *bundle, const crd_open_options *given,
                         crd__io_bundle **out) {
  static const crd_open_options defaults = { .size = sizeof defaults };
  const crd_open_options *const options = given ? given : &defaults;
  if (options->class_names) {
    const crd_status status = crd__io_names_open(ctx, options->class_names, &bundle->class_names,
                                                 &bundle->class_name_count);
    if (status != CRD_OK) {
      crd__io_bundle_destroy(bundle);
      return status;
    }
  }
  const crd_status status = read_bytes(ctx, bundle, options);
  if (status != CRD_OK) {
    explain(ctx, status, bundle, NULL);
    crd__io_bundle_destroy(bundle);
    return status;
  }
  if (bundle->format->copies) drop_bytes(bundle);
  *out = bundle;
  return CRD_OK;
}

static crd_status open_file(crd_context *ctx, const char *path, const crd_open_options *options,
                            crd__io_bundle **out) {
  crd__io_bundle *bundle = NULL;
  CRD_TRY(make(ctx, strcmp(path, "-") == 0 ? "standard input" : path, &bundle));
  const crd_status status = crd__blob_open(ctx, path, &bundle->blob);
  if (status != CRD_OK) {
    crd__io_bundle_destroy(bundle);
    return status;
  }
  bundle->mapped = true;
  bundle->on_disk = bundle->blob.mapped && strcmp(path, "-") != 0;
  bundle->bytes = bundle->blob.bytes;
  bundle->length = bundle->blob.length;
  return finish(ctx, bundle, options, out);
}

static crd_status open_files(crd_context *ctx, const char *path, const crd__io_files *files,
                             const crd_open_options *options, crd__io_bundle **out) {
  crd__io_bundle *bundle = NULL;
  CRD_TRY(make(ctx, path, &bundle));
  crd_status status =
      crd__new(ctx, files->count, sizeof(crd__io_bundle *), path, (void *)&bundle->parts);
  for (size_t i = 0; status == CRD_OK && i < files->count; i++) {
    status = open_file(ctx, files->items[i], options, &bundle->parts[i]);
    bundle->part_count += status == CRD_OK;
  }
  if (status == CRD_OK) {
    status = crd__io_bundle_join(ctx, bundle);
    if (status != CRD_OK) explain(ctx, status, bundle, NULL);
  }
  if (status == CRD_OK) *out = bundle;
  else crd__io_bundle_destroy(bundle);
  return status;
}

crd_status crd__io_bundle_open(crd_context *ctx, const char *path, const crd_open_options *options,
                               crd__io_bundle **out) {
  crd__io_files files;
  *out = NULL;
  crd_status status = crd__io_files_list(ctx, path, &files);
  if (status == CRD_OK)
    status = files.count < 2 ? open_file(ctx, files.count ? files.items[0] : path, options, out)
                             : open_files(ctx, path, &files, options, out);
  crd__io_files_clear(&ctx->alloc, &files);
  return status;
}

crd_status crd__io_bundle_open_memory(crd_context *ctx, const char *name, const void *bytes,
                                      size_t length, const crd_open_options *options,
                                      crd__io_bundle **out) {
  crd__io_bundle *bundle = NULL;
  *out = NULL;
  CRD_TRY(make(ctx, name, &bundle));
  bundle->bytes = bytes;
  bundle->length = length;
  return finish(ctx, bundle, options, out);
}
