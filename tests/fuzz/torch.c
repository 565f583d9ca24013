/*
 * torch.c -- any bytes as a file of torch.save, and as the pickle of a file whose archive is valid:
 * both fail with an error message, or every array can be read.
 */
#include "fuzz.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/array.h"
#include "io/array.h"
#include "io/format.h"
#include "io/zip.h"

static crd_status to_text(crd_context *ctx, void *self, const void *bytes, size_t count) {
  crd__text_add_bytes(self, bytes, count);
  return crd__text_status(ctx, self);
}

/* Reads all elements: as a tensor, and if a matrix as a view too, whose counts must agree. */
static void read_array(crd_context *ctx, crd__io_bundle *bundle, size_t index) {
  static const crd__io_pred all_rows = { .file = NULL };
  crd_array tensor;
  crd_array view;
  void *owned = NULL;
  double sum = 0;
  if (crd__io_array_take(ctx, bundle, &all_rows, FUZZ_NAME, index, &tensor, &owned) == CRD_OK) {
    const unsigned char *const bytes = tensor.data;
    const size_t count = crd_array_count(&tensor) * crd_dtype_size(tensor.dtype);
    for (size_t i = 0; i < count; i++) sum += bytes[i];
  } else HOLDS(owned == NULL && crd_context_message(ctx)[0] != '\0');
  crd__free(&ctx->alloc, owned);
  if (crd__io_bundle_matrix(ctx, bundle, index, &view) == CRD_OK) {
    HOLDS(crd__data_rows_of(&view) == bundle->entries[index].shape[0]);
    for (size_t row = 0; row < crd__data_rows_of(&view) && crd__data_cols(&view) > 0; row++)
      for (size_t col = 0; col < crd__data_cols(&view); col++)
        sum += crd__data_array_number(&view, row, col);
  } else HOLDS(crd_context_message(ctx)[0] != '\0');
  volatile double keep = sum;
  (void)keep;
}

static void read_file(crd_context *ctx, const void *bytes, size_t length) {
  crd__io_bundle *bundle;
  if (crd__io_bundle_open_memory(ctx, FUZZ_NAME, bytes, length, NULL, &bundle) == CRD_OK)
    for (size_t i = 0; i < bundle->count && i < 64; i++) read_array(ctx, bundle, i);
  else HOLDS(bundle == NULL && crd_context_message(ctx)[0] != '\0');
  crd__io_bundle_destroy(bundle);
}

/* Writes an archive with this pickle and two storages of 48 bytes. */
static void wrap(crd_context *ctx, const uint8_t *pickle, size_t length, crd__text *out) {
  static const float numbers[12] = { 1, -2, 3, 0.5F, 0, 7, 8, 9, 10, 11, 12, 13 };
  const crd__io_array nothing = { .view = crd_array_matrix(numbers, CRD_U8, 0, 1) };
  const crd__io_array storage = { .view = crd_array_matrix(numbers, CRD_F32, 12, 1) };
  const crd__io_sink sink = { to_text, out };
  crd__io_zip *zip;
  HOLDS(crd__io_zip_open(ctx, &sink, &zip) == CRD_OK);
  HOLDS(crd__io_zip_add(ctx, zip, "fuzz/data.pkl", pickle, length, &nothing) == CRD_OK);
  HOLDS(crd__io_zip_add(ctx, zip, "fuzz/byteorder", length % 2 ? "big" : "little",
                        length % 2 ? 3 : 6, &nothing) == CRD_OK);
  HOLDS(crd__io_zip_add(ctx, zip, "fuzz/data/0", "", 0, &storage) == CRD_OK);
  HOLDS(crd__io_zip_add(ctx, zip, "fuzz/data/1", "", 0, &storage) == CRD_OK);
  HOLDS(crd__io_zip_close(ctx, zip) == CRD_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd__text file;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  crd__text_init(&file, &ctx->alloc);
  read_file(ctx, bytes, length);
  wrap(ctx, bytes, length, &file);
  read_file(ctx, file.bytes, file.length);
  crd__text_clear(&file);
  crd_context_destroy(ctx);
  return 0;
}
