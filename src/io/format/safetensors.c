/*
 * safetensors.c -- Hugging Face's .safetensors: a length, a JSON object, then the elements.
 *
 *   n (8 bytes, little-endian) {"logits": {"dtype": "F32", "shape": [3, 4],
 *                               "data_offsets": [0, 48]}, "__metadata__": {...}} elements
 *
 * The elements are never copied. As in the reference implementation, every byte after the header
 * belongs to exactly one array, and metadata are strings; class_names among them is a list of
 * strings as JSON. Arrays of unsupported element types are listed, and fail when they are loaded.
 */
#include "io/format/safetensors.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/format.h"
#include "io/layout.h"
#include "io/names.h"
#include "io/scan.h"
#include "math/sort.h"

#include <inttypes.h>
#include <string.h>

enum { LENGTH_BYTES = 8, HEADER_MAX = 100000000 };

const char *const crd__io_safetensors_dtypes[] = {
#define X(id, name, bytes, letter) #id,
  CRD_DTYPE_LIST(X)
#undef X
      NULL,
};
#define DTYPES_READ "F16 BF16 F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 BOOL"

static const char names_key[] = "class_names";

static uint64_t header_length(const unsigned char *bytes) {
  uint64_t length = 0;
  for (int i = LENGTH_BYTES; i-- > 0;) length = length << 8 | bytes[i];
  return length;
}

/* There is no magic number, but text cannot begin with so small a length. */
static bool safetensors_recognise(const unsigned char *bytes, size_t length, const char *stem) {
  return crd__io_has_extension(stem, "safetensors") ||
         (length > LENGTH_BYTES && bytes[LENGTH_BYTES] == '{' &&
          header_length(bytes) <= HEADER_MAX);
}

/* ---- The header. */

typedef struct {
  crd__io_layout layout;
  const char *dtype; /* in the header, not terminated */
  size_t dtype_length;
  bool known; /* the type is supported, and layout.dtype is set */
  size_t range[2];
} tensor;

static crd_status safetensors_read_dtype(crd_context *ctx, crd__io_scan *scan, void *self) {
  tensor *t = self;
  CRD_TRY(crd__io_scan_quoted(ctx, scan, &t->dtype, &t->dtype_length));
  for (size_t i = 0; crd__io_safetensors_dtypes[i] && !t->known; i++) {
    const char *name = crd__io_safetensors_dtypes[i];
    t->known = strlen(name) == t->dtype_length && memcmp(name, t->dtype, t->dtype_length) == 0;
    t->layout.dtype = (crd_dtype)i;
  }
  return CRD_OK;
}

/* Reads [3, 4], at most `most` integers. */
static crd_status read_list(crd_context *ctx, crd__io_scan *scan, size_t most, size_t *out,
                            size_t *count) {
  *count = 0;
  if (!crd__io_scan_take(scan, '['))
    return crd__io_scan_unexpected(ctx, scan, "a list such as [3, 4]");
  bool more = !crd__io_scan_take(scan, ']');
  while (more) {
    if (*count == most)
      return crd__fail(ctx, CRD_EINPUT, "%s: a list of more than %zu numbers", scan->what, most);
    CRD_TRY(crd__io_scan_integer(ctx, scan, &out[(*count)++]));
    CRD_TRY(crd__io_scan_more(ctx, scan, ']', &more));
  }
  return CRD_OK;
}

static crd_status safetensors_read_shape(crd_context *ctx, crd__io_scan *scan, void *self) {
  crd__io_layout *layout = &((tensor *)self)->layout;
  return read_list(ctx, scan, CRD__FILE_RANK_MAX, layout->shape, &layout->rank);
}

static crd_status safetensors_read_offsets(crd_context *ctx, crd__io_scan *scan, void *self) {
  size_t count;
  const crd__io_scan before = *scan;
  CRD_TRY(read_list(ctx, scan, 2, ((tensor *)self)->range, &count));
  return count == 2 ? CRD_OK : crd__io_scan_unexpected(ctx, &before, "two offsets, [from, to]");
}

static const crd__io_scan_field fields[] = {
  { "dtype", safetensors_read_dtype },
  { "shape", safetensors_read_shape },
  { "data_offsets", safetensors_read_offsets },
};

typedef struct {
  crd_context *ctx;
  crd__io_bundle *bundle;
  crd__io_scan scan;
  const unsigned char *data;
  size_t data_length;
  crd__text name, value;
  bool metadata;    /* were read */
  size_t names;     /* offset of the value of class_names in them; 0: none */
  uint64_t *ranges; /* from, to of each array */
  size_t capacity;
} reading;

static crd_status check_range(const reading *r, const tensor *t) {
  const size_t from = t->range[0], to = t->range[1];
  char text[CRD__LAYOUT_TEXT];
  size_t bytes;
  if (from > to || to > r->data_length)
    return crd__fail(r->ctx, CRD_EINPUT,
                     "data_offsets are %zu and %zu, the file has data from 0 to %zu", from, to,
                     r->data_length);
  if (!t->known) return CRD_OK;
  CRD_TRY(crd__io_layout_bytes(r->ctx, &t->layout, &bytes));
  if (bytes == to - from) return CRD_OK;
  return crd__fail(r->ctx, CRD_EINPUT, "declares %s = %zu bytes, data_offsets span %zu",
                   crd__io_layout_describe(&t->layout, text), bytes, to - from);
}

static crd_status keep_range(reading *r, size_t index, const size_t range[2]) {
  if (index == r->capacity) {
    const size_t capacity = index ? 2 * index : 8;
    uint64_t *ranges = crd__resize(&r->ctx->alloc, r->ranges, capacity, 2 * sizeof *r->ranges);
    if (!ranges) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu arrays", capacity);
    r->ranges = ranges;
    r->capacity = capacity;
  }
  r->ranges[2 * index] = range[0];
  r->ranges[2 * index + 1] = range[1];
  return CRD_OK;
}

static crd_status read_tensor(reading *r, const char *name) {
  tensor t = { .layout.swapped = false };
  crd__io_entry *entry;
  CRD_TRY(crd__io_scan_object(r->ctx, &r->scan, fields, sizeof fields / sizeof *fields,
                              "dtype, shape and data_offsets, once each", &t));
  const crd_status status = check_range(r, &t);
  if (status != CRD_OK) return crd__fail_in(r->ctx, status, name);
  CRD_TRY(keep_range(r, r->bundle->count, t.range));
  CRD_TRY(crd__io_bundle_add(r->ctx, r->bundle, name, &entry));
  t.layout.swapped = !crd__io_native_is_little() && crd_dtype_size(t.layout.dtype) > 1;
  entry->place = (size_t)((const unsigned char *)t.dtype - r->bundle->bytes);
  if (t.known) crd__io_layout_fill(&t.layout, r->data + t.range[0], entry);
  return CRD_OK;
}

/* Skips metadata, except class_names, which is an array that is read when it is loaded. */
static crd_status read_metadata(reading *r) {
  crd__io_scan *scan = &r->scan;
  if (r->metadata) return crd__fail(r->ctx, CRD_EINPUT, "%s: __metadata__ twice", scan->what);
  r->metadata = true;
  if (!crd__io_scan_take(scan, '{')) return crd__io_scan_unexpected(r->ctx, scan, "'{'");
  bool more = !crd__io_scan_take(scan, '}');
  while (more) {
    CRD_TRY(crd__io_scan_json_string(r->ctx, scan, &r->value));
    if (!crd__io_scan_take(scan, ':')) return crd__io_scan_unexpected(r->ctx, scan, "':'");
    if (r->value.bytes && strcmp(r->value.bytes, names_key) == 0)
      r->names = (size_t)((const unsigned char *)scan->at - r->bundle->bytes);
    CRD_TRY(crd__io_scan_json_string(r->ctx, scan, &r->value));
    CRD_TRY(crd__io_scan_more(r->ctx, scan, '}', &more));
  }
  return CRD_OK;
}

static crd_status read_member(reading *r) {
  CRD_TRY(crd__io_scan_json_string(r->ctx, &r->scan, &r->name));
  if (!crd__io_scan_take(&r->scan, ':')) return crd__io_scan_unexpected(r->ctx, &r->scan, "':'");
  const char *name = r->name.bytes ? r->name.bytes : "";
  return strcmp(name, "__metadata__") == 0 ? read_metadata(r) : read_tensor(r, name);
}

/* Fails with EINPUT unless each byte of the data belongs to exactly one array. */
static crd_status check_cover(const reading *r) {
  uint64_t end = 0;
  const size_t count = r->bundle->count;
  crd__math_sort_records(r->ranges, count, 2);
  for (size_t i = 0; i <= count; i++) {
    const uint64_t from = i < count ? r->ranges[2 * i] : r->data_length;
    if (from != end)
      return crd__fail(r->ctx, CRD_EINPUT,
                       "bytes %" PRIu64 " to %" PRIu64 " of the data belong to %s, expected one",
                       from < end ? from : end, from < end ? end : from,
                       from < end ? "two arrays" : "no array");
    end = i < count ? r->ranges[2 * i + 1] : end;
  }
  return CRD_OK;
}

static crd_status read_members(reading *r) {
  crd__io_scan *scan = &r->scan;
  if (!crd__io_scan_take(scan, '{')) return crd__io_scan_unexpected(r->ctx, scan, "'{'");
  bool more = !crd__io_scan_take(scan, '}');
  while (more) {
    CRD_TRY(read_member(r));
    CRD_TRY(crd__io_scan_more(r->ctx, scan, '}', &more));
  }
  crd__io_scan_space(scan);
  if (scan->at != scan->end) return crd__io_scan_unexpected(r->ctx, scan, "nothing after '}'");
  return check_cover(r);
}

static crd_status safetensors_read_header(crd_context *ctx, crd__io_bundle *bundle,
                                          const crd_open_options *options) {
  (void)options;
  const size_t rest = bundle->length < LENGTH_BYTES ? 0 : bundle->length - LENGTH_BYTES;
  const uint64_t header = rest ? header_length(bundle->bytes) : 0;
  if (header > HEADER_MAX || header > rest || rest == 0)
    return crd__fail(ctx, CRD_EINPUT,
                     "the safetensors header declares %" PRIu64 " bytes, found %zu, allowed are %d",
                     header, rest, HEADER_MAX);
  const char *json = (const char *)bundle->bytes + LENGTH_BYTES;
  reading r = {
    .ctx = ctx,
    .bundle = bundle,
    .scan = { "safetensors header", false, json, json + header },
    .data = bundle->bytes + LENGTH_BYTES + header,
    .data_length = rest - (size_t)header,
  };
  crd__text_init(&r.name, &ctx->alloc);
  crd__text_init(&r.value, &ctx->alloc);
  crd_status status = read_members(&r);
  if (status == CRD_OK && bundle->count == 0)
    status = crd__fail(ctx, CRD_EINPUT, "the file holds no arrays");
  if (status == CRD_OK && r.names) {
    crd__io_entry *entry;
    status = crd__io_bundle_add(ctx, bundle, names_key, &entry);
    if (status == CRD_OK) entry->place = r.names;
  }
  crd__text_clear(&r.name);
  crd__text_clear(&r.value);
  crd__free(&ctx->alloc, r.ranges);
  return status;
}

/* Reads a JSON list of strings inside a JSON string. */
static crd_status scan_names(crd_context *ctx, crd__io_scan *scan, crd__text *list,
                             crd__text *names, crd__io_entry *entry) {
  size_t count;
  CRD_TRY(crd__io_scan_json_string(ctx, scan, list));
  const char *const text = list->bytes ? list->bytes : "";
  crd__io_scan inside = { "metadata", false, text, text + list->length };
  CRD_TRY(crd__io_names_scan(ctx, &inside, names, &count));
  return crd__io_names_fill(ctx, names, count, entry);
}

static crd_status read_names(crd_context *ctx, const crd__io_bundle *bundle, crd__io_entry *entry) {
  const char *const at = (const char *)bundle->bytes + entry->place;
  crd__io_scan scan = { "metadata", false, at, (const char *)bundle->bytes + bundle->length };
  crd__text list, names;
  crd__text_init(&list, &ctx->alloc);
  crd__text_init(&names, &ctx->alloc);
  const crd_status status = scan_names(ctx, &scan, &list, &names, entry);
  crd__text_clear(&list);
  crd__text_clear(&names);
  return status;
}

/* Arrays of supported types were loaded with the header; the others fail, except class_names. */
static crd_status safetensors_load_rest(crd_context *ctx, crd__io_bundle *bundle,
                                        crd__io_entry *entry) {
  if (strcmp(entry->name, names_key) == 0) return read_names(ctx, bundle, entry);
  const char *name = (const char *)bundle->bytes + entry->place;
  const size_t length = strcspn(name, "\"");
  return crd__fail(ctx, CRD_EINPUT, "the elements are '%.*s', allowed are " DTYPES_READ,
                   length < 40 ? (int)length : 40, name);
}

const crd__io_format crd__io_format_safetensors = {
  .info = { .name = "safetensors",
            .summary = "safetensors: scores, labels, weights, groups, by name",
            .extensions = "safetensors" },
  .recognise = safetensors_recognise,
  .read = safetensors_read_header,
  .load = safetensors_load_rest,
  .write = crd__io_safetensors_write,
};
