/*
 * mat.c -- MATLAB's .mat of version 5 (MATLAB 5 to 7.2, SciPy, Octave) through libmatio.
 *
 *   128 bytes of header, then elements: type (4 bytes), length (4 bytes), content
 *
 * The chain of elements is checked before the library reads the file, so that truncated elements
 * are not read as zeros, and wrong lengths do not cause allocations (except inside compressed
 * data). Matrices are column-major and stay so. The library can only read files that it opens
 * itself. Since version 7.3 a .mat file is HDF5 (hdf5.c).
 */
#include "base/memory.h"
#include "io/foreign.h"
#include "io/format.h"
#include "io/names.h"

#include <limits.h>
#include <matio.h>
#include <string.h>

enum { HEADER_BYTES = 128, TAG_BYTES = 8 };
/* Types of elements that contain others. */
enum { MATRIX = 14, COMPRESSED = 15 };
/* An element takes at least a byte, and deflate expands at most by this factor; libmatio counts in
 * int. */
enum { DEFLATE_RATIO_MAX = 1032 };

static uint32_t read_word(const unsigned char *bytes, bool little) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value = value << 8 | bytes[little ? 3 - i : i];
  return value;
}

/* Small elements have their length in the upper half of the first word, followed by the content.
 * Matrices contain elements, which follow in the chain. All but compressed ones are padded. */
static size_t step_size(uint32_t type, size_t size) {
  if (type >> 16 || type == MATRIX) return TAG_BYTES;
  return TAG_BYTES + (type == COMPRESSED ? size : (size + 7) / 8 * 8);
}

static crd_status check_chain(crd_context *ctx, const crd__io_bundle *bundle) {
  const unsigned char *bytes = bundle->bytes;
  if (bundle->length < HEADER_BYTES)
    return crd__fail(ctx, CRD_EINPUT, "a MATLAB header of %zu bytes, expected %d", bundle->length,
                     HEADER_BYTES);
  const bool little = memcmp(bytes + 126, "IM", 2) == 0;
  if (!little && memcmp(bytes + 126, "MI", 2) != 0)
    return crd__fail(ctx, CRD_EINPUT, "the MATLAB header has neither IM nor MI as its byte order");
  for (size_t at = HEADER_BYTES; at < bundle->length;) {
    const size_t rest = bundle->length - at;
    if (rest < TAG_BYTES)
      return crd__fail(ctx, CRD_EINPUT, "%zu bytes after the last element, expected none", rest);
    const uint32_t type = read_word(bytes + at, little);
    const bool small = type >> 16 != 0;
    const size_t size = small ? type >> 16 : read_word(bytes + at + 4, little);
    const size_t allowed = small ? 4 : rest - TAG_BYTES;
    if (size > allowed)
      return crd__fail(ctx, CRD_EINPUT, "the element at byte %zu declares %zu bytes, found %zu", at,
                       size, allowed);
    at += step_size(type, size);
  }
  return CRD_OK;
}

/* ---- Listing. */

static crd_status open_file(crd_context *ctx, const crd__io_bundle *bundle, mat_t **out) {
  *out = Mat_Open(bundle->name, MAT_ACC_RDONLY);
  return *out ? CRD_OK : crd__fail(ctx, CRD_EINPUT, "libmatio cannot read the MATLAB file");
}

static crd_status list_variables(crd_context *ctx, crd__io_bundle *bundle, mat_t *file) {
  crd_status status = CRD_OK;
  for (matvar_t *v; status == CRD_OK && (v = Mat_VarReadNextInfo(file));) {
    crd__io_entry *entry;
    if (v->name && *v->name) status = crd__io_bundle_add(ctx, bundle, v->name, &entry);
    Mat_VarFree(v);
  }
  if (status == CRD_OK && bundle->count == 0)
    return crd__fail(ctx, CRD_EINPUT, "the file holds no variables that can be read");
  return status;
}

static crd_status mat_read_file(crd_context *ctx, crd__io_bundle *bundle,
                                const crd_open_options *options) {
  mat_t *file;
  (void)options;
  if (!bundle->on_disk)
    return crd__fail(
        ctx, CRD_EINPUT,
        "MATLAB files are read by name only: not gzipped, not from a pipe or standard input");
  CRD_TRY(check_chain(ctx, bundle));
  CRD_TRY(open_file(ctx, bundle, &file));
  const crd_status status = list_variables(ctx, bundle, file);
  Mat_Close(file);
  return status;
}

/* ---- Loading. */

static const struct {
  enum matio_classes class;
  crd_dtype dtype;
} classes[] = {
  { MAT_C_DOUBLE, CRD_F64 }, { MAT_C_SINGLE, CRD_F32 }, { MAT_C_INT8, CRD_I8 },
  { MAT_C_UINT8, CRD_U8 },   { MAT_C_INT16, CRD_I16 },  { MAT_C_UINT16, CRD_U16 },
  { MAT_C_INT32, CRD_I32 },  { MAT_C_UINT32, CRD_U32 }, { MAT_C_INT64, CRD_I64 },
  { MAT_C_UINT64, CRD_U64 },
};
enum { CLASS_COUNT = sizeof classes / sizeof *classes };

static crd_status choose_class(crd_context *ctx, const matvar_t *v, crd_dtype *out) {
  size_t i = 0;
  while (i < CLASS_COUNT && classes[i].class != v->class_type) i++;
  if (i == CLASS_COUNT || v->isComplex)
    return crd__fail(ctx, CRD_EINPUT,
                     "the variable is not a full matrix of real numbers, allowed are single, "
                     "double, integers and logical");
  *out = classes[i].dtype;
  return CRD_OK;
}

/* ---- Strings: a cell for each, with one row of characters. */

static size_t character_size(enum matio_types type) {
  if (type == MAT_T_UINT8 || type == MAT_T_INT8 || type == MAT_T_UTF8) return 1;
  return type == MAT_T_UINT16 || type == MAT_T_INT16 || type == MAT_T_UTF16 ? 2 : 0;
}

static crd_status add_cell(crd_context *ctx, const matvar_t *cell, size_t index, crd__text *names) {
  const bool text = cell && cell->class_type == MAT_C_CHAR && cell->rank == 2 && cell->dims;
  const bool empty = text && (!cell->data || cell->nbytes == 0);
  const size_t size = text && !empty ? character_size(cell->data_type) : 1;
  if (!text || size == 0 || (!empty && cell->dims[0] != 1))
    return crd__fail(ctx, CRD_EINPUT, "cell %zu is not a row of characters", index);
  const crd__io_characters characters = { empty ? "" : cell->data, empty ? 0 : cell->nbytes / size,
                                          size, false };
  return crd__io_names_add(ctx, names, &characters, index);
}

static crd_status load_cells(crd_context *ctx, const crd__io_bundle *bundle, mat_t *file,
                             matvar_t *v, crd__io_entry *entry) {
  size_t count = 1;
  for (int i = 0; i < v->rank; i++)
    if (!crd__size_mul(count, v->dims[i], &count)) count = SIZE_MAX;
  /* Every cell has its own tag, in the file or deflated. */
  if (count / DEFLATE_RATIO_MAX > bundle->length)
    return crd__fail(ctx, CRD_EINPUT, "declares %zu cells in a file of %zu bytes", count,
                     bundle->length);
  if (count > 0 && Mat_VarReadDataAll(file, v) != 0)
    return crd__fail(ctx, CRD_EINPUT, "libmatio cannot read the cells");
  crd_status status = CRD_OK;
  crd__text names;
  crd__text_init(&names, &ctx->alloc);
  for (size_t i = 0; i < count && status == CRD_OK; i++)
    status = add_cell(ctx, v->data ? ((matvar_t **)v->data)[i] : NULL, i, &names);
  if (status == CRD_OK) status = crd__io_names_fill(ctx, &names, count, entry);
  crd__text_clear(&names);
  return status;
}

static crd_status load_variable(crd_context *ctx, const crd__io_bundle *bundle, mat_t *file,
                                matvar_t *v, crd__io_entry *entry) {
  crd__io_layout layout = { .rank = (size_t)v->rank };
  if (v->rank < 0 || v->rank > CRD__FILE_RANK_MAX || (v->rank > 0 && !v->dims))
    return crd__fail(ctx, CRD_EINPUT, "libmatio finds %d dimensions", v->rank);
  if (v->class_type == MAT_C_CELL) return load_cells(ctx, bundle, file, v, entry);
  CRD_TRY(choose_class(ctx, v, &layout.dtype));
  for (size_t i = 0; i < layout.rank; i++) layout.shape[i] = v->dims[i];
  if (layout.rank != 1 && layout.rank != 2) { /* the frame reports the error */
    crd__io_layout_fill(&layout, NULL, entry);
    return CRD_OK;
  }
  const size_t rows = layout.shape[0], cols = layout.rank == 2 ? layout.shape[1] : 1;
  crd__io_matlab_shape(&layout, rows, cols);
  const size_t most =
      bundle->length < INT_MAX / DEFLATE_RATIO_MAX ? bundle->length * DEFLATE_RATIO_MAX : INT_MAX;
  if (rows > 0 && cols > most / rows)
    return crd__fail(ctx, CRD_EINPUT, "declares %zu x %zu elements, this file can hold at most %zu",
                     rows, cols, most);
  CRD_TRY(crd__io_layout_allocate(ctx, bundle, &layout, entry));
  if (rows * cols > 0 &&
      Mat_VarReadDataLinear(file, v, entry->owned, 0, 1, (int)(rows * cols)) != 0)
    return crd__fail(ctx, CRD_EINPUT, "libmatio cannot read the elements");
  return CRD_OK;
}

static crd_status mat_load_entry(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  mat_t *file;
  CRD_TRY(open_file(ctx, bundle, &file));
  matvar_t *v = Mat_VarReadInfo(file, entry->name);
  const crd_status status = v ? load_variable(ctx, bundle, file, v, entry)
                              : crd__fail(ctx, CRD_EINPUT, "libmatio cannot read the variable");
  Mat_VarFree(v);
  Mat_Close(file);
  return status;
}

const crd__io_format crd__io_format_mat = {
  .info = { .name = "mat",
            .summary = "MATLAB 5 to 7.2: scores, labels, weights, groups, by name",
            .extensions = "mat" },
  .recognise = crd__io_mat_recognise,
  .read = mat_read_file,
  .load = mat_load_entry,
};
