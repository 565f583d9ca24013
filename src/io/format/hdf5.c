/*
 * hdf5.c -- HDF5 through libhdf5: every dataset is an array, named by its path ("val/logits").
 *
 * The library reads from memory (an "image" that is shared, not copied), so that pipes and gzipped
 * files work. It converts element types and byte orders to native ones. MATLAB's files since
 * version 7.3 hold the transpose.
 *
 * Against malicious files: datasets in external files fail, and so do those that would expand too
 * much. The library prints nothing: its errors become error messages.
 */
#define H5_USE_110_API 1 /* the names below mean the same in 1.10, 1.12 and 1.14 */

#include "data/array.h"
#include "io/foreign.h"
#include "io/format.h"
#include "io/gzip.h"
#include "io/names.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

/* ---- Errors of the library. */

static herr_t take_first(unsigned n, const H5E_error2_t *report, void *self) {
  if (n == 0 && report->desc) snprintf(self, 200, "%s", report->desc);
  return 0;
}

static crd_status damaged(crd_context *ctx, const char *what) {
  char reason[200] = "it is damaged";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, reason);
  return crd__fail(ctx, CRD_EINPUT, "cannot read the HDF5 %s: %s", what, reason);
}

/* ---- The file as an image in memory, used in place. */

static void *share_image(size_t size, H5FD_file_image_op_t op, void *image) {
  (void)size;
  (void)op;
  return image;
}
static void *skip_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t op,
                       void *image) {
  (void)from;
  (void)size;
  (void)op;
  (void)image;
  return to;
}
static herr_t keep_image(void *old, H5FD_file_image_op_t op, void *image) {
  (void)old;
  (void)op;
  (void)image;
  return 0;
}
static void *share_self(void *image) { return image; }
static herr_t keep_self(void *image) {
  (void)image;
  return 0;
}

/* The library requires the image to have the name of a file that does not exist. */
static hid_t open_image(const crd__io_bundle *bundle) {
  void *image = (void *)(uintptr_t)bundle->bytes; /* not written to: the file is read-only */
  H5FD_file_image_callbacks_t callbacks = { share_image, skip_copy, NULL, keep_image,
                                            share_self,  keep_self, image };
  hid_t file = H5I_INVALID_HID;
  const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
  if (H5Pset_fapl_core(how, 65536, false) >= 0 &&
      H5Pset_file_image_callbacks(how, &callbacks) >= 0 &&
      H5Pset_file_image(how, image, bundle->length) >= 0)
    file = H5Fopen("/dev/null/image", H5F_ACC_RDONLY, how);
  H5Pclose(how);
  return file;
}

typedef crd_status (*task)(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry,
                           hid_t file);

/* Turns off the library's error reporting, and restores it afterwards. The library has global
 * state, so that only one thread at a time may be here. */
static crd_status with_file(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry,
                            task run) {
  crd_status status;
#pragma omp critical(crd_hdf5)
  {
    H5E_auto2_t report = NULL;
    void *self = NULL;
    H5Eget_auto2(H5E_DEFAULT, &report, &self);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = open_image(bundle);
    status = file < 0 ? damaged(ctx, "file") : run(ctx, bundle, entry, file);
    if (file >= 0) H5Fclose(file);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, report, self);
  }
  return status;
}

/* ---- Listing. */

typedef struct {
  crd_context *ctx;
  crd__io_bundle *bundle;
  crd_status status;
} listing;

static herr_t add_dataset(hid_t object, const char *name, const H5O_info_t *info, void *self) {
  listing *l = self;
  crd__io_entry *entry;
  (void)object;
  if (info->type == H5O_TYPE_DATASET)
    l->status = crd__io_bundle_add(l->ctx, l->bundle, name, &entry);
  return l->status == CRD_OK ? 0 : -1;
}

/* Objects of this file only: links to other files are not followed. */
static crd_status list_datasets(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry,
                                hid_t file) {
  (void)entry;
  listing l = { ctx, bundle, CRD_OK };
  const herr_t result = H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_dataset, &l);
  if (l.status != CRD_OK) return l.status;
  if (result < 0) return damaged(ctx, "file");
  return bundle->count ? CRD_OK : crd__fail(ctx, CRD_EINPUT, "the file holds no datasets");
}

static crd_status hdf5_read_file(crd_context *ctx, crd__io_bundle *bundle,
                                 const crd_open_options *options) {
  (void)options;
  return with_file(ctx, bundle, NULL, list_datasets);
}

/* ---- Loading. */

typedef struct {
  hid_t set, space, type, plan;
} dataset;

/* The type in memory of a stored type: floats below 8 bytes become f32, enumerations (h5py's
 * booleans) their integers. */
static bool choose_type(hid_t stored, crd_dtype *dtype, hid_t *memory) {
  const struct {
    H5T_class_t kind;
    size_t least, most;
    bool sign;
    crd_dtype dtype;
    hid_t memory;
  } rows[] = {
    { H5T_FLOAT, 1, 4, true, CRD_F32, H5T_NATIVE_FLOAT },
    { H5T_FLOAT, 8, 8, true, CRD_F64, H5T_NATIVE_DOUBLE },
    { H5T_INTEGER, 1, 1, true, CRD_I8, H5T_NATIVE_INT8 },
    { H5T_INTEGER, 2, 2, true, CRD_I16, H5T_NATIVE_INT16 },
    { H5T_INTEGER, 4, 4, true, CRD_I32, H5T_NATIVE_INT32 },
    { H5T_INTEGER, 8, 8, true, CRD_I64, H5T_NATIVE_INT64 },
    { H5T_INTEGER, 1, 1, false, CRD_U8, H5T_NATIVE_UINT8 },
    { H5T_INTEGER, 2, 2, false, CRD_U16, H5T_NATIVE_UINT16 },
    { H5T_INTEGER, 4, 4, false, CRD_U32, H5T_NATIVE_UINT32 },
    { H5T_INTEGER, 8, 8, false, CRD_U64, H5T_NATIVE_UINT64 },
    { H5T_ENUM, 1, 1, true, CRD_I8, H5T_NATIVE_INT8 },
  };
  const H5T_class_t kind = H5Tget_class(stored);
  const size_t size = H5Tget_size(stored);
  const bool sign = kind != H5T_INTEGER || H5Tget_sign(stored) == H5T_SGN_2;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].kind != kind || rows[i].sign != sign || size < rows[i].least || size > rows[i].most)
      continue;
    *dtype = rows[i].dtype;
    *memory = rows[i].memory;
    return true;
  }
  return false;
}

static crd_status read_shape(crd_context *ctx, const dataset *d, crd__io_layout *layout) {
  hsize_t dims[H5S_MAX_RANK];
  const int rank = H5Sget_simple_extent_ndims(d->space);
  if (rank < 0 || rank > CRD__FILE_RANK_MAX || H5Sget_simple_extent_dims(d->space, dims, NULL) < 0)
    return damaged(ctx, "dataset");
  layout->rank = (size_t)rank;
  for (int i = 0; i < rank; i++) {
    if (dims[i] > PTRDIFF_MAX)
      return crd__fail(ctx, CRD_EINPUT, "a dimension is too large for this machine");
    layout->shape[i] = (size_t)dims[i];
  }
  return CRD_OK;
}

/* The library decompresses whole chunks, however little of them is used. */
static bool chunk_is_large(const crd__io_bundle *bundle, const dataset *d) {
  hsize_t dims[H5S_MAX_RANK];
  double bytes = (double)H5Tget_size(d->type);
  const int rank = H5Pget_chunk(d->plan, H5S_MAX_RANK, dims);
  for (int i = 0; i < rank; i++) bytes *= (double)dims[i];
  return bytes > CRD__BOMB_BYTES && bytes / CRD__BOMB_RATIO > (double)bundle->length;
}

static crd_status check_storage(crd_context *ctx, const crd__io_bundle *bundle, const dataset *d) {
  const H5D_layout_t kind = H5Pget_layout(d->plan);
  if (kind == H5D_VIRTUAL || H5Pget_external_count(d->plan) > 0)
    return crd__fail(ctx, CRD_EINPUT,
                     "the elements are stored in another file, which is not supported");
  if (kind == H5D_CHUNKED && chunk_is_large(bundle, d))
    return crd__fail(ctx, CRD_EINPUT, "its chunks are more than %d times as large as the file",
                     CRD__BOMB_RATIO);
  return CRD_OK;
}

/* Strings of fixed length, padded with zeros, or of variable length, in the library's memory. */
static crd_status add_strings(crd_context *ctx, const crd__io_entry *entry, bool variable,
                              crd__text *names) {
  const crd_array *const view = &entry->view;
  crd_status status = CRD_OK;
  for (size_t i = 0; i < crd__data_rows_of(view) && status == CRD_OK; i++) {
    const char *string = (const char *)entry->owned + i * crd__data_cols(view);
    if (variable) string = ((const char *const *)entry->owned)[i];
    const crd__io_characters characters = { string ? string : "",
                                            !variable ? crd__data_cols(view)
                                            : string  ? strlen(string)
                                                      : 0,
                                            1, false };
    status = crd__io_names_add(ctx, names, &characters, i);
  }
  return status;
}

/* Strings of variable length may all refer to one long string: count their bytes first. */
static bool strings_are_large(const crd__io_bundle *bundle, const dataset *d) {
  hsize_t bytes = 0;
  return H5Dvlen_get_buf_size(d->set, d->type, d->space, &bytes) < 0 ||
         (bytes > CRD__BOMB_BYTES && bytes / CRD__BOMB_RATIO > bundle->length);
}

static crd_status read_strings(crd_context *ctx, const crd__io_bundle *bundle, const dataset *d,
                               crd__io_layout *layout, crd__io_entry *entry) {
  const bool variable = H5Tis_variable_str(d->type) > 0;
  if (layout->rank != 1)
    return crd__fail(ctx, CRD_EINPUT, "strings in %zu dimensions, allowed is one", layout->rank);
  layout->dtype = variable ? CRD_U64 : CRD_U8;
  if (!variable) layout->shape[layout->rank++] = H5Tget_size(d->type);
  CRD_TRY(check_storage(ctx, bundle, d));
  CRD_TRY(crd__io_layout_allocate(ctx, bundle, layout, entry));
  if (variable && strings_are_large(bundle, d))
    return crd__fail(ctx, CRD_EINPUT, "the strings are more than %d times as large as the file",
                     CRD__BOMB_RATIO);
  crd__text names;
  crd__text_init(&names, &ctx->alloc);
  const hid_t memory = H5Tcopy(d->type);
  if (!variable) H5Tset_strpad(memory, H5T_STR_NULLPAD);
  crd_status status = CRD_OK;
  if (H5Dread(d->set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, entry->owned) < 0)
    status = damaged(ctx, "dataset");
  if (status == CRD_OK) status = add_strings(ctx, entry, variable, &names);
  if (variable) H5Dvlen_reclaim(memory, d->space, H5P_DEFAULT, entry->owned);
  if (status == CRD_OK) status = crd__io_names_fill(ctx, &names, layout->shape[0], entry);
  H5Tclose(memory);
  crd__text_clear(&names);
  return status;
}

static crd_status read_dataset(crd_context *ctx, const crd__io_bundle *bundle, const dataset *d,
                               crd__io_entry *entry) {
  crd__io_layout layout = { .rank = 0 };
  hid_t memory;
  CRD_TRY(read_shape(ctx, d, &layout));
  if (H5Tget_class(d->type) == H5T_STRING) return read_strings(ctx, bundle, d, &layout, entry);
  if (layout.rank == 2 && crd__io_is_matlab(bundle->bytes, bundle->length))
    crd__io_matlab_shape(&layout, layout.shape[1], layout.shape[0]);
  if (layout.rank != 1 && layout.rank != 2) { /* the frame reports the error */
    crd__io_layout_fill(&layout, NULL, entry);
    return CRD_OK;
  }
  if (!choose_type(d->type, &layout.dtype, &memory))
    return crd__fail(ctx, CRD_EINPUT,
                     "the elements are not numbers, allowed are floats of up to 8 bytes, integers "
                     "of 1, 2, 4 or 8, and booleans");
  CRD_TRY(check_storage(ctx, bundle, d));
  CRD_TRY(crd__io_layout_allocate(ctx, bundle, &layout, entry));
  return H5Dread(d->set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, entry->owned) >= 0
             ? CRD_OK
             : damaged(ctx, "dataset");
}

static void release(hid_t id) {
  if (id >= 0) H5Idec_ref(id);
}

static crd_status load_dataset(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry,
                               hid_t file) {
  dataset d = { H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID };
  d.set = H5Dopen2(file, entry->name, H5P_DEFAULT);
  if (d.set >= 0) {
    d.space = H5Dget_space(d.set);
    d.type = H5Dget_type(d.set);
    d.plan = H5Dget_create_plist(d.set);
  }
  const bool open = d.space >= 0 && d.type >= 0 && d.plan >= 0;
  const crd_status status = open ? read_dataset(ctx, bundle, &d, entry) : damaged(ctx, "dataset");
  release(d.plan);
  release(d.type);
  release(d.space);
  release(d.set);
  return status;
}

static crd_status hdf5_load_entry(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  return with_file(ctx, bundle, entry, load_dataset);
}

const crd__io_format crd__io_format_hdf5 = {
  .info = { .name = "hdf5",
            .summary = "HDF5: scores, labels, weights, groups, by path; also MATLAB 7.3",
            .extensions = "h5 hdf5" },
  .recognise = crd__io_hdf5_recognise,
  .read = hdf5_read_file,
  .load = hdf5_load_entry,
};
