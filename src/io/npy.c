/*
 * npy.c -- NumPy's .npy: a magic, a version, a Python dict literal, then the elements.
 *
 *   \x93NUMPY major minor length {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *
 * Versions 1.0, 2.0 and 3.0 differ in the width of `length` and the dict's encoding only. The dict
 * is parsed strictly, by hand: three keys in any order, nothing else. The elements are never
 * copied. Format: numpy.lib.format, NEP 1.
 */
#include "io/npy.h"

#include "base/memory.h"
#include "io/format.h"

#include <ctype.h>
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

static bool native_is_little(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 1;
}

/* ---- The dict literal. */

typedef struct {
  const char *at, *end;
} cursor;

static void skip_space(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n')) c->at++;
}

static bool take(cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

static bool take_word(cursor *c, const char *word) {
  const size_t length = strlen(word);
  skip_space(c);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
  c->at += length;
  return true;
}

static crd_status unexpected(crd_context *ctx, const cursor *c, const char *wanted) {
  char found[25];
  size_t n = 0;
  for (const char *p = c->at; p < c->end && n < sizeof found - 1; p++, n++)
    found[n] = (char)(*p >= ' ' && *p < 0x7f ? *p : '?');
  found[n] = '\0';
  return crd__fail(ctx, CRD_EINPUT, "npy header: found '%s', expected %s", found, wanted);
}

static crd_status take_string(crd_context *ctx, cursor *c, const char **text, size_t *length) {
  skip_space(c);
  const char quote = c->at < c->end ? *c->at : '\0';
  const char *close =
      quote == '\'' || quote == '"' ? memchr(c->at + 1, quote, (size_t)(c->end - c->at - 1)) : NULL;
  if (!close) return unexpected(ctx, c, "a quoted word");
  *text = c->at + 1;
  *length = (size_t)(close - *text);
  c->at = close + 1;
  return CRD_OK;
}

static crd_status read_descr(crd_context *ctx, cursor *c, crd__npy *npy) {
  const char *text;
  size_t length;
  skip_space(c);
  if (c->at < c->end && *c->at == '[')
    return crd__fail(ctx, CRD_EINPUT,
                     "the elements are records (a structured array), allowed are numbers");
  CRD_TRY(take_string(ctx, c, &text, &length));
  const char *kind = text;
  const char order = length && strchr("<>=|", *text) && *text ? *kind++ : '=';
  const size_t rest = length - (size_t)(kind - text);
  npy->swapped = (order == '<' && !native_is_little()) || (order == '>' && native_is_little());
  for (size_t i = 0; i < ELEMENT_COUNT; i++) {
    if (rest == 2 && kind[0] == elements[i].letter &&
        (size_t)(kind[1] - '0') == elements[i].bytes) {
      npy->dtype = (crd_dtype)i;
      npy->swapped = npy->swapped && elements[i].bytes > 1;
      return CRD_OK;
    }
  }
  return unexpected(ctx, &(cursor){ text, text + length },
                    "an element type among f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1");
}

static crd_status read_order(crd_context *ctx, cursor *c, crd__npy *npy) {
  npy->fortran = take_word(c, "True");
  if (npy->fortran || take_word(c, "False")) return CRD_OK;
  return unexpected(ctx, c, "True or False");
}

static crd_status read_dimension(crd_context *ctx, cursor *c, size_t *out) {
  size_t value = 0;
  skip_space(c);
  if (c->at == c->end || !isdigit((unsigned char)*c->at))
    return unexpected(ctx, c, "a dimension, 0 or more");
  for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++) {
    size_t tens;
    if (!crd__size_mul(value, 10, &tens) || !crd__size_add(tens, (size_t)(*c->at - '0'), &value))
      return crd__fail(ctx, CRD_EINPUT, "npy header: a dimension is too large for this machine");
  }
  if (c->at < c->end && *c->at == 'L') c->at++; /* Python 2 wrote long integers so */
  *out = value;
  return CRD_OK;
}

static crd_status read_shape(crd_context *ctx, cursor *c, crd__npy *npy) {
  npy->rank = 0;
  if (!take(c, '(')) return unexpected(ctx, c, "a shape such as (3, 4)");
  while (!take(c, ')')) {
    if (npy->rank == CRD__RANK_MAX)
      return crd__fail(ctx, CRD_EINPUT, "npy header: more than %d dimensions", CRD__RANK_MAX);
    CRD_TRY(read_dimension(ctx, c, &npy->shape[npy->rank++]));
    if (take(c, ',')) continue;
    if (npy->rank == 1) return unexpected(ctx, c, "a comma, as in (3,)");
    if (!take(c, ')')) return unexpected(ctx, c, "',' or ')'");
    break;
  }
  return CRD_OK;
}

static const struct {
  const char *name;
  crd_status (*read)(crd_context *ctx, cursor *c, crd__npy *npy);
} fields[] = {
  { "descr", read_descr },
  { "fortran_order", read_order },
  { "shape", read_shape },
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static crd_status read_field(crd_context *ctx, cursor *c, crd__npy *npy, unsigned *seen) {
  const char *text;
  size_t length, i = 0;
  const cursor before = *c;
  CRD_TRY(take_string(ctx, c, &text, &length));
  while (i < FIELD_COUNT &&
         (strlen(fields[i].name) != length || memcmp(fields[i].name, text, length) != 0))
    i++;
  if (i == FIELD_COUNT || *seen >> i & 1)
    return unexpected(ctx, &before, "descr, fortran_order and shape, once each");
  *seen |= 1u << i;
  if (!take(c, ':')) return unexpected(ctx, c, "':'");
  return fields[i].read(ctx, c, npy);
}

static crd_status read_dict(crd_context *ctx, cursor c, crd__npy *npy) {
  unsigned seen = 0;
  if (!take(&c, '{')) return unexpected(ctx, &c, "'{'");
  while (!take(&c, '}')) {
    CRD_TRY(read_field(ctx, &c, npy, &seen));
    if (take(&c, ',')) continue;
    if (!take(&c, '}')) return unexpected(ctx, &c, "',' or '}'");
    break;
  }
  skip_space(&c);
  if (c.at != c.end) return unexpected(ctx, &c, "nothing after '}'");
  if (seen != (1u << FIELD_COUNT) - 1)
    return crd__fail(ctx, CRD_EINPUT,
                     "npy header: descr, fortran_order and shape must all be there");
  return CRD_OK;
}

/* ---- Around the dict. */

/* "10000 x 10 f32", for messages. */
static void describe(const crd__npy *npy, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < npy->rank && used + 48 < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%zu", i ? " x " : "", npy->shape[i]);
  snprintf(out + used, size - used, " %s", crd_dtype_name(npy->dtype));
}

/* Zero dimensions count as 1 on the way, so that strides cannot overflow either. */
static crd_status count_bytes(crd_context *ctx, crd__npy *npy) {
  size_t bytes = elements[npy->dtype].bytes;
  bool empty = false, fits = true;
  for (size_t i = 0; i < npy->rank && fits; i++) {
    empty = empty || npy->shape[i] == 0;
    fits = crd__size_mul(bytes, npy->shape[i] ? npy->shape[i] : 1, &bytes) && bytes <= PTRDIFF_MAX;
  }
  if (fits) {
    npy->data_bytes = empty ? 0 : bytes;
    return CRD_OK;
  }
  char text[160];
  describe(npy, text, sizeof text);
  return crd__fail(ctx, CRD_EINPUT, "says %s, which is more than this machine can address", text);
}

crd_status crd__npy_parse(crd_context *ctx, const unsigned char *bytes, size_t length,
                          uint64_t total, crd__npy *out) {
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
    return crd__fail(ctx, CRD_EINPUT, "the npy header says %zu bytes, found %zu", header,
                     length < start ? 0 : length - start);
  const char *dict = (const char *)bytes + start;
  CRD_TRY(read_dict(ctx, (cursor){ dict, dict + header }, out));
  CRD_TRY(count_bytes(ctx, out));
  out->header_bytes = start + header;
  if (total - out->header_bytes == out->data_bytes) return CRD_OK;
  char text[160];
  describe(out, text, sizeof text);
  return crd__fail(ctx, CRD_EINPUT, "says %s = %zu bytes, found %" PRIu64, text, out->data_bytes,
                   total - out->header_bytes);
}

void crd__npy_fill(const crd__npy *npy, const unsigned char *file, crd__entry *entry) {
  const size_t rows = npy->rank ? npy->shape[0] : 0, cols = npy->rank == 2 ? npy->shape[1] : 1;
  const ptrdiff_t size = (ptrdiff_t)elements[npy->dtype].bytes;
  entry->rank = npy->rank;
  memcpy(entry->shape, npy->shape, npy->rank * sizeof *npy->shape);
  if (npy->rank == 1 || npy->rank == 2)
    entry->view = (crd_view){
      .data = file + npy->header_bytes,
      .rows = rows,
      .cols = cols,
      .row_stride = npy->fortran ? size : size * (ptrdiff_t)cols,
      .col_stride = npy->fortran ? size * (ptrdiff_t)rows : size,
      .dtype = npy->dtype,
      .swapped = npy->swapped,
    };
  entry->loaded = true;
}

/* ---- The format. */

static bool recognise(const unsigned char *bytes, size_t length, const char *stem) {
  (void)stem;
  return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static crd_status read_array(crd_context *ctx, crd__bundle *bundle,
                             const crd_open_options *options) {
  (void)options;
  crd__npy npy;
  crd__entry *entry;
  CRD_TRY(crd__npy_parse(ctx, bundle->bytes, bundle->length, bundle->length, &npy));
  CRD_TRY(crd__bundle_add(ctx, bundle, "scores", &entry));
  crd__npy_fill(&npy, bundle->bytes, entry);
  return CRD_OK;
}

size_t crd__npy_header(crd_view view, char out[CRD__NPY_HEADER_SIZE]) {
  const size_t bytes = elements[view.dtype].bytes;
  char dict[CRD__NPY_HEADER_SIZE], cols[24] = "";
  if (view.cols != 1) snprintf(cols, sizeof cols, " %zu", view.cols);
  const size_t length = (size_t)snprintf(
      dict, sizeof dict, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%zu,%s), }",
      bytes == 1           ? '|'
      : native_is_little() ? '<'
                           : '>',
      elements[view.dtype].letter, bytes, view.rows, cols);
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

static crd_status write_array(crd_context *ctx, const crd__sink *sink, const char *stem,
                              const crd__array *arrays, size_t count) {
  char header[CRD__NPY_HEADER_SIZE];
  (void)stem;
  if (count != 1)
    return crd__fail(ctx, CRD_EUSAGE, "npy holds one array, not %zu: npz or csv hold more", count);
  const size_t length = crd__npy_header(arrays->view, header);
  CRD_TRY(sink->write(ctx, sink->self, header, length));
  return crd__view_emit(ctx, arrays->view, sink);
}

const crd__format crd__format_npy = {
  .name = "npy",
  .summary = "NumPy array: the scores, labels apart",
  .extensions = "npy",
  .recognise = recognise,
  .read = read_array,
  .write = write_array,
};
