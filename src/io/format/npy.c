/*
 * npy.c -- NumPy's .npy: a magic number, a version, a Python dict literal, then the elements.
 *
 *   \x93NUMPY major minor length {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *
 * Versions 1.0, 2.0 and 3.0 differ only in the width of `length` and the encoding of the dict. The
 * dict is parsed strictly: three keys in any order, nothing else. Numbers are never copied;
 * strings ('<U5': code points, '|S5': bytes) are read in one dimension. Format: numpy.lib.format,
 * NEP 1.
 */
#include "io/format/npy.h"

#include "base/number.h"
#include "data/array.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/names.h"
#include "io/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

static const struct {
  char letter;
  size_t bytes;
} elements[] = {
#define X(id, name, bytes, letter) { letter, bytes },
  CRD_DTYPE_LIST(X)
#undef X
};
enum { ELEMENT_COUNT = sizeof elements / sizeof *elements };

/* ---- The dict literal. */

/* Parses "U5" or "S5": strings of five characters. */
static bool read_text(const char *kind, size_t length, crd__io_npy *out) {
  int64_t count;
  if (length < 2 || (kind[0] != 'U' && kind[0] != 'S')) return false;
  if (!crd__integer_parse(kind + 1, length - 1, &count) || count <= 0 || count > INT32_MAX)
    return false;
  out->layout.dtype = kind[0] == 'U' ? CRD_U32 : CRD_U8;
  out->text = (size_t)count;
  return true;
}

static crd_status npy_read_descr(crd_context *ctx, crd__io_scan *scan, void *self) {
  crd__io_layout *layout = &((crd__io_npy *)self)->layout;
  const char *text;
  size_t length;
  crd__io_scan_space(scan);
  if (scan->at < scan->end && *scan->at == '[')
    return crd__fail(ctx, CRD_EINPUT,
                     "the elements are records (a structured array), allowed are numbers");
  CRD_TRY(crd__io_scan_quoted(ctx, scan, &text, &length));
  const char *kind = text;
  const char order = (char)(length && strchr("<>=|", *text) && *text ? *kind++ : '=');
  const size_t rest = length - (size_t)(kind - text);
  const char foreign = crd__io_native_is_little() ? '>' : '<';
  for (size_t i = 0; i < ELEMENT_COUNT; i++) {
    if (rest == 2 && kind[0] != 'v' && kind[0] == elements[i].letter &&
        (size_t)(kind[1] - '0') == elements[i].bytes) {
      layout->dtype = (crd_dtype)i;
      layout->swapped = order == foreign && elements[i].bytes > 1;
      return CRD_OK;
    }
  }
  layout->swapped = order == foreign;
  if (read_text(kind, rest, self)) return CRD_OK;
  ((crd__io_npy *)self)->objects = rest == 1 && kind[0] == 'O';
  if (((crd__io_npy *)self)->objects) return CRD_OK;
  return crd__io_scan_unexpected(ctx, &(crd__io_scan){ scan->what, true, text, text + length },
                                 "an element type among f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1");
}

static crd_status npy_read_order(crd_context *ctx, crd__io_scan *scan, void *self) {
  crd__io_layout *layout = &((crd__io_npy *)self)->layout;
  layout->fortran = crd__io_scan_word(scan, "True");
  if (layout->fortran || crd__io_scan_word(scan, "False")) return CRD_OK;
  return crd__io_scan_unexpected(ctx, scan, "True or False");
}

static crd_status npy_read_shape(crd_context *ctx, crd__io_scan *scan, void *self) {
  crd__io_layout *layout = &((crd__io_npy *)self)->layout;
  layout->rank = 0;
  if (!crd__io_scan_take(scan, '('))
    return crd__io_scan_unexpected(ctx, scan, "a shape such as (3, 4)");
  bool more = !crd__io_scan_take(scan, ')');
  while (more) {
    if (layout->rank == CRD__FILE_RANK_MAX)
      return crd__fail(ctx, CRD_EINPUT, "npy header: more than %d dimensions", CRD__FILE_RANK_MAX);
    CRD_TRY(crd__io_scan_integer(ctx, scan, &layout->shape[layout->rank++]));
    if (scan->at < scan->end && *scan->at == 'L') scan->at++; /* Python 2's long integers */
    crd__io_scan_space(scan);
    if (layout->rank == 1 && (scan->at == scan->end || *scan->at != ','))
      return crd__io_scan_unexpected(ctx, scan, "a comma, as in (3,)");
    CRD_TRY(crd__io_scan_more(ctx, scan, ')', &more));
  }
  return CRD_OK;
}

static const crd__io_scan_field fields[] = {
  { "descr", npy_read_descr },
  { "fortran_order", npy_read_order },
  { "shape", npy_read_shape },
};

static crd_status read_dict(crd_context *ctx, const char *dict, size_t length, crd__io_npy *npy) {
  crd__io_scan scan = { "npy header", true, dict, dict + length };
  CRD_TRY(crd__io_scan_object(ctx, &scan, fields, sizeof fields / sizeof *fields,
                              "descr, fortran_order and shape, once each", npy));
  crd__io_scan_space(&scan);
  return scan.at == scan.end ? CRD_OK : crd__io_scan_unexpected(ctx, &scan, "nothing after '}'");
}

/* Adds the characters as last dimension of an array of strings, which must have one dimension. */
static crd_status add_characters(crd_context *ctx, crd__io_npy *npy) {
  crd__io_layout *const layout = &npy->layout;
  if (npy->text == 0) return CRD_OK;
  if (layout->rank != 1)
    return crd__fail(ctx, CRD_EINPUT, "strings in %zu dimensions, allowed is one", layout->rank);
  layout->fortran = false;
  layout->shape[layout->rank++] = npy->text;
  return CRD_OK;
}

/* ---- The header. */

crd_status crd__io_npy_parse(crd_context *ctx, const unsigned char *bytes, size_t length,
                             uint64_t total, crd__io_npy *out) {
  if (length < 10 || memcmp(bytes, magic, sizeof magic) != 0)
    return crd__fail(ctx, CRD_EINPUT, "not an npy array: it does not begin with \\x93NUMPY");
  const unsigned major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0)
    return crd__fail(ctx, CRD_EINPUT, "npy version %u.%u, known are 1.0, 2.0 and 3.0", major,
                     minor);
  const size_t start = major == 1 ? 10 : 12;
  size_t header = (size_t)bytes[8] | (size_t)bytes[9] << 8;
  if (major > 1 && length >= start) header |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (header > CRD__NPY_HEADER_MAX - start)
    return crd__fail(ctx, CRD_EINPUT, "an npy header of %zu bytes, allowed are %d", header,
                     CRD__NPY_HEADER_MAX);
  if (length < start || header > length - start)
    return crd__fail(ctx, CRD_EINPUT, "the npy header declares %zu bytes, found %zu", header,
                     length < start ? 0 : length - start);
  *out = (crd__io_npy){ .text = 0 };
  CRD_TRY(read_dict(ctx, (const char *)bytes + start, header, out));
  if (out->objects) return CRD_OK;
  CRD_TRY(add_characters(ctx, out));
  CRD_TRY(crd__io_layout_bytes(ctx, &out->layout, &out->data_bytes));
  out->header_bytes = start + header;
  if (total - out->header_bytes == out->data_bytes) return CRD_OK;
  char text[CRD__LAYOUT_TEXT];
  return crd__fail(ctx, CRD_EINPUT, "declares %s = %zu bytes, found %" PRIu64,
                   crd__io_layout_describe(&out->layout, text), out->data_bytes,
                   total - out->header_bytes);
}

static crd_status read_strings(crd_context *ctx, const crd__io_npy *npy, const unsigned char *data,
                               crd__io_entry *entry) {
  const size_t size = crd_dtype_size(npy->layout.dtype), count = npy->layout.shape[0];
  crd_status status = CRD_OK;
  crd__text names;
  crd__text_init(&names, &ctx->alloc);
  for (size_t i = 0; i < count && status == CRD_OK; i++) {
    const crd__io_characters characters = { data + i * npy->text * size, npy->text, size,
                                            npy->layout.swapped };
    status = crd__io_names_add(ctx, &names, &characters, i);
  }
  if (status == CRD_OK) status = crd__io_names_fill(ctx, &names, count, entry);
  crd__text_clear(&names);
  return status;
}

crd_status crd__io_npy_fill(crd_context *ctx, const crd__io_npy *npy, const unsigned char *file,
                            crd__io_entry *entry) {
  if (npy->text) return read_strings(ctx, npy, file + npy->header_bytes, entry);
  crd__io_layout_fill(&npy->layout, file + npy->header_bytes, entry);
  return CRD_OK;
}

crd_status crd__io_npy_check(crd_context *ctx, crd__io_bundle *bundle, const crd__io_npy *npy,
                             bool in_archive) {
  static const char what[] =
      "the elements are Python objects, which are not supported; convert them";
  static const crd__io_python archive = {
    "import {gzip}numpy; d = numpy.load({file}, allow_pickle=True)",
    "numpy.savez({npz}, **{k: numpy.array(d[k].tolist()) for k in d})"
  };
  static const crd__io_python array = {
    "import {gzip}numpy; d = numpy.load({file}, allow_pickle=True)",
    "numpy.savez({npz}, scores=numpy.array(d.tolist()))"
  };
  static const crd__io_python dict = {
    "import {gzip}numpy; d = numpy.load({file}, allow_pickle=True).item()",
    "numpy.savez({npz}, **d)"
  };
  if (!npy->objects) return CRD_OK;
  const crd__io_python *const alone = npy->layout.rank == 0 ? &dict : &array;
  return crd__io_convert_refuse(ctx, bundle, in_archive ? &archive : alone, "%s", what);
}

void crd__io_npy_peek(const crd__io_npy *npy, crd__io_entry *entry) {
  crd__io_layout_fill(&npy->layout, NULL, entry);
  entry->loaded = false;
  entry->known = true;
  entry->strings = npy->text > 0;
  if (npy->text) entry->rank--; /* characters are the last dimension */
}

/* ---- The format. */

static bool npy_recognise(const unsigned char *bytes, size_t length, const char *stem) {
  (void)stem;
  return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static crd_status npy_read_array(crd_context *ctx, crd__io_bundle *bundle,
                                 const crd_open_options *options) {
  (void)options;
  crd__io_npy npy;
  crd__io_entry *entry;
  CRD_TRY(crd__io_npy_parse(ctx, bundle->bytes, bundle->length, bundle->length, &npy));
  CRD_TRY(crd__io_npy_check(ctx, bundle, &npy, false));
  CRD_TRY(crd__io_bundle_add(ctx, bundle, "scores", &entry));
  return crd__io_npy_fill(ctx, &npy, bundle->bytes, entry);
}

static char native_order(size_t bytes) {
  return (char)(bytes == 1 ? '|' : crd__io_native_is_little() ? '<' : '>');
}

/* descr is "<f4", shape "3, 4". */
static size_t put_header(const char *descr, const char *shape, char out[CRD__NPY_HEADER_SIZE]) {
  char dict[CRD__NPY_HEADER_SIZE];
  const size_t length = (size_t)snprintf(
      dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
  const size_t total = (10 + length + 1 + 63) / 64 * 64;
  memcpy(out, magic, sizeof magic);
  out[6] = 1;
  out[7] = 0;
  out[8] = (char)((total - 10) & 0xff);
  out[9] = (char)((total - 10) >> 8);
  memcpy(out + 10, dict, length);
  memset(out + 10 + length, ' ', total - 10 - length);
  out[total - 1] = '\n';
  return total;
}

crd_status crd__io_npy_check_type(crd_context *ctx, const crd__io_array *array) {
  if (elements[array->view.dtype].letter != 'v') return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "NumPy has no %s: convert '%s' to f32, or write safetensors",
                   crd_dtype_name(array->view.dtype), array->name);
}

size_t crd__io_npy_header(const crd__io_array *array, char out[CRD__NPY_HEADER_SIZE]) {
  const crd_dtype dtype = array->view.dtype;
  const size_t bytes = elements[dtype].bytes;
  int64_t dims[CRD_RANK_MAX];
  const size_t rank = crd__io_array_shape(array, dims);
  char descr[32], shape[CRD_RANK_MAX * 24] = "";
  snprintf(descr, sizeof descr, "%c%c%zu", native_order(bytes), elements[dtype].letter, bytes);
  for (size_t i = 0, at = 0; i < rank; i++)
    at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%" PRId64 "%s", i ? ", " : "", dims[i],
                           rank == 1 ? "," : "");
  return put_header(descr, shape, out);
}

size_t crd__io_npy_text_header(crd_array view, char out[CRD__NPY_HEADER_SIZE]) {
  char descr[32], shape[32];
  snprintf(descr, sizeof descr, "%cU%zu", native_order(sizeof(uint32_t)), crd__data_cols(&view));
  snprintf(shape, sizeof shape, "%zu,", crd__data_rows_of(&view));
  return put_header(descr, shape, out);
}

bool crd__io_npy_is_extension(const char *path) {
  return crd__io_has_extension(path, "npy") || crd__io_has_extension(path, "npy.gz");
}

static crd_status npy_write_array(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                                  const crd__io_array *arrays, size_t count) {
  char header[CRD__NPY_HEADER_SIZE];
  (void)stem;
  if (count != 1)
    return crd__fail(ctx, CRD_EUSAGE, "npy holds one array, not %zu: write npz or csv", count);
  CRD_TRY(crd__io_npy_check_type(ctx, arrays));
  const size_t length = crd__io_npy_header(arrays, header);
  CRD_TRY(sink->write(ctx, sink->self, header, length));
  return crd__io_array_emit(ctx, arrays, false, sink);
}

const crd__io_format crd__io_format_npy = {
  .info = { .name = "npy",
            .summary = "NumPy array of scores, with labels in another file",
            .extensions = "npy" },
  .recognise = npy_recognise,
  .read = npy_read_array,
  .write = npy_write_array,
};
