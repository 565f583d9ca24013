/*
 * image.h -- 8-bit images: files of them, sizes, colours.
 *
 * bytes --magic--> codec --decode--> (height, width, channels) --convert, fit--> a sample
 *
 * An image file is recognised by its first bytes, never by its name. Error messages do not name the
 * file: callers prepend it (crd__fail_in).
 */
#ifndef CRD_DATASET_IMAGE_IMAGE_H
#define CRD_DATASET_IMAGE_IMAGE_H

#include "base/text.h"
#include "credence/dataset.h"

typedef struct {
  size_t height, width, channels; /* channels 1: grey, 3: RGB */
  unsigned char *pixels;          /* owned, C order; NULL: the size alone */
} crd__image;

/* What is decoded of a file. */
typedef enum { CRD__IMAGE_SIZE, CRD__IMAGE_PIXELS } crd__image_extent;

/* A format of image files: one file of this folder. */
typedef struct {
  const char *name;        /* "PNG" */
  const char *summary;     /* what is supported, one line */
  const char *magic;       /* how every file begins */
  size_t magic_length;     /* */
  const char *const media; /* MIME type, "image/png" */
  /* Sets *out; the caller clears it, also after failure. Calls crd__image_allow before anything of
   * the image's size is allocated. CRD_EINPUT, with the library's reason, if the file is truncated,
   * corrupt or unsupported; CRD_EABSENT if the library is not built in. */
  crd_status (*decode)(crd_context *ctx, const unsigned char *bytes, size_t length,
                       crd__image_extent extent, crd__image *out);
  /* Appends a file; `quality` from 1 to 100, for lossy formats. */
  crd_status (*encode)(crd_context *ctx, const crd__image *image, int quality, crd__text *out);
} crd__image_codec;

#define CODEC(name) extern const crd__image_codec crd__image_codec_##name;
#include "dataset/image/list.h"
#undef CODEC

/* Returns the format at an index, or NULL past the end. */
const crd__image_codec *crd__image_codec_at(size_t index);

/* Allocates the pixels of an image whose size is set. */
crd_status crd__image_allocate(crd_context *ctx, crd__image *image);
void crd__image_clear(const crd_allocator *alloc, crd__image *image);

/* Fails with CRD_EINPUT if an image of this size cannot be in a file of `length` bytes, or is too
 * large for any use here: decompression bombs. For codecs. */
crd_status crd__image_allow(crd_context *ctx, size_t height, size_t width, size_t length);

/* Decodes a file of any format; *out is empty after failure. */
crd_status crd__image_decode(crd_context *ctx, const unsigned char *bytes, size_t length,
                             crd__image_extent extent, crd__image *out);

/* Converts to 1 or 3 channels: grey = 0.299 R + 0.587 G + 0.114 B (ITU-R 601-2), as Pillow. */
crd_status crd__image_convert(crd_context *ctx, crd__image *image, size_t channels);
/* Resizes to this height and width (resize.c). */
crd_status crd__image_fit(crd_context *ctx, crd__image *image, size_t height, size_t width,
                          crd_resize how);
/* Copies the pixels to `out`, as (channels, height, width). */
void crd__image_planes(const crd__image *image, unsigned char *out);

#endif
