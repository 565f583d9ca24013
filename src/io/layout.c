/* layout.c -- sizes of arrays without overflow, their description, and their views. */
#include "io/layout.h"

#include "base/memory.h"
#include "io/gzip.h"

#include <stdio.h>
#include <string.h>

bool crd__io_native_is_little(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 1;
}

const char *crd__io_layout_describe(const crd__io_layout *layout, char out[CRD__LAYOUT_TEXT]) {
  size_t used = 0;
  for (size_t i = 0; i < layout->rank && used + 48 < CRD__LAYOUT_TEXT; i++)
    used += (size_t)snprintf(out + used, CRD__LAYOUT_TEXT - used, "%zu%s", layout->shape[i],
                             i + 1 < layout->rank ? " x " : " ");
  snprintf(out + used, CRD__LAYOUT_TEXT - used, "%s", crd_dtype_name(layout->dtype));
  return out;
}

/* Dimensions of 0 count as 1 in the product, so that strides cannot overflow either. */
crd_status crd__io_layout_bytes(crd_context *ctx, const crd__io_layout *layout, size_t *out) {
  size_t bytes = crd_dtype_size(layout->dtype);
  bool empty = false, fits = true;
  for (size_t i = 0; i < layout->rank && fits; i++) {
    const size_t n = layout->shape[i];
    empty = empty || n == 0;
    fits = crd__size_mul(bytes, n ? n : 1, &bytes) && bytes <= PTRDIFF_MAX;
  }
  if (fits) {
    *out = empty ? 0 : bytes;
    return CRD_OK;
  }
  char text[CRD__LAYOUT_TEXT];
  return crd__fail(ctx, CRD_EINPUT, "declares %s, which is more than this machine can address",
                   crd__io_layout_describe(layout, text));
}

void crd__io_layout_fill(const crd__io_layout *layout, const void *data, crd__io_entry *entry) {
  const size_t rows = layout->rank ? layout->shape[0] : 1;
  size_t cols = 1; /* no overflow: the bytes were counted */
  for (size_t i = 1; i < layout->rank; i++) cols *= layout->shape[i];
  const ptrdiff_t size = (ptrdiff_t)crd_dtype_size(layout->dtype);
  entry->rank = layout->rank;
  memcpy(entry->shape, layout->shape, layout->rank * sizeof *layout->shape);
  entry->fortran = layout->fortran;
  entry->view = (crd_array){
    .data = data,
    .dtype = layout->dtype,
    .rank = 2,
    .dims = { (int64_t)rows, (int64_t)cols },
    .strides = { layout->fortran ? size : size * (ptrdiff_t)cols,
                 layout->fortran ? size * (ptrdiff_t)rows : size },
    .swapped = layout->swapped,
  };
  entry->loaded = true;
}

crd_status crd__io_layout_allot(crd_context *ctx, const crd__io_bundle *bundle,
                                const crd__io_layout *layout, crd__io_entry *entry) {
  size_t bytes;
  char text[CRD__LAYOUT_TEXT];
  CRD_TRY(crd__io_layout_bytes(ctx, layout, &bytes));
  if (bytes > CRD__BOMB_BYTES && bytes / CRD__BOMB_RATIO > bundle->length)
    return crd__fail(ctx, CRD_EINPUT,
                     "declares %s = %zu bytes in a file of %zu, allowed are %d times as many",
                     crd__io_layout_describe(layout, text), bytes, bundle->length, CRD__BOMB_RATIO);
  entry->owned = crd__calloc(&bundle->alloc, bytes ? bytes : 1, 1);
  if (!entry->owned) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu bytes", bytes);
  crd__io_layout_fill(layout, entry->owned, entry);
  return CRD_OK;
}
