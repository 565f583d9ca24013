/*
 * png.c -- PNG images through libpng.
 *
 * Palettes become RGB, 16 bits become 8 (rounded), and transparency is dropped, not blended: what
 * lies under it is part of the file. Gamma and colour profiles are ignored, as Pillow and
 * torchvision do, and so is every other chunk that does not hold pixels.
 *
 * libpng reports errors by longjmp. Everything that must be released is in `worker`, which belongs
 * to the caller of the functions that it may jump out of.
 */
#include "base/memory.h"
#include "dataset/image/image.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

enum { CHUNK_MOST = 8 << 20 }; /* bytes that libpng may keep of one chunk */

typedef struct {
  crd_context *ctx;
  const unsigned char *at; /* when reading: the next byte */
  size_t left, length;     /* bytes not yet read; bytes of the file */
  crd__image *image;
  const crd__image *source; /* when writing */
  crd__text *text;
  png_structp png;
  png_infop info;
  crd_status status; /* of a failure outside of libpng */
} worker;

static png_voidp png_take(png_structp png, png_alloc_size_t size) {
  worker *const w = png_get_mem_ptr(png);
  void *const memory = crd__resize(&w->ctx->alloc, NULL, size, 1);
  if (!memory) w->status = CRD_ENOMEM;
  return memory;
}

static void png_give(png_structp png, png_voidp memory) {
  const worker *const w = png_get_mem_ptr(png);
  crd__free(&w->ctx->alloc, memory);
}

static _Noreturn void png_complain(png_structp png, png_const_charp reason) {
  worker *const w = png_get_error_ptr(png);
  if (w->status == CRD_OK)
    w->status = crd__fail(w->ctx, CRD_EINPUT, "invalid PNG image: %.200s", reason);
  else if (w->status == CRD_ENOMEM) (void)crd__fail(w->ctx, CRD_ENOMEM, "no memory for an image");
  png_longjmp(png, 1);
}

static void png_ignore(png_structp png, png_const_charp reason) {
  (void)png;
  (void)reason;
}

/* Runs a function; false if libpng jumped out of it. */
static bool attempt(worker *w, void (*work)(worker *)) {
  if (setjmp(png_jmpbuf(w->png))) return false;
  work(w);
  return true;
}

/* ---- Reading. */

static void png_pull(png_structp png, png_bytep out, size_t count) {
  worker *const w = png_get_io_ptr(png);
  if (count > w->left) png_error(png, "the file is truncated");
  memcpy(out, w->at, count);
  w->at += count;
  w->left -= count;
}

/* Leaves with a failure whose message is in the context. */
static void leave(worker *w, crd_status status) {
  w->status = status;
  if (status != CRD_OK) png_longjmp(w->png, 1);
}

static void read_header(worker *w) {
  png_set_read_fn(w->png, w, png_pull);
  png_set_user_limits(w->png, 0x7fffffff, 0x7fffffff); /* crd__image_allow decides */
  png_set_chunk_malloc_max(w->png, CHUNK_MOST);
  png_set_keep_unknown_chunks(w->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_read_info(w->png, w->info);
  const png_byte type = png_get_color_type(w->png, w->info);
  w->image->height = png_get_image_height(w->png, w->info);
  w->image->width = png_get_image_width(w->png, w->info);
  w->image->channels = type & PNG_COLOR_MASK_COLOR ? 3 : 1;
  leave(w, crd__image_allow(w->ctx, w->image->height, w->image->width, w->length));
}

static void read_pixels(worker *w) {
  const size_t stride = w->image->width * w->image->channels;
  const png_byte type = png_get_color_type(w->png, w->info);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(w->png);
  if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(w->png);
  png_set_scale_16(w->png);
  png_set_strip_alpha(w->png);
  const int passes = png_set_interlace_handling(w->png);
  png_read_update_info(w->png, w->info);
  if (png_get_rowbytes(w->png, w->info) != stride) png_error(w->png, "unexpected size of a row");
  leave(w, crd__image_allocate(w->ctx, w->image));
  memset(w->image->pixels, 0, stride * w->image->height); /* passes of interlacing read them */
  for (int pass = 0; pass < passes; pass++)
    for (size_t y = 0; y < w->image->height; y++)
      png_read_row(w->png, w->image->pixels + y * stride, NULL);
  png_read_end(w->png, NULL);
}

static crd_status png_decode(crd_context *ctx, const unsigned char *bytes, size_t length,
                             crd__image_extent extent, crd__image *out) {
  worker w = { .ctx = ctx, .at = bytes, .left = length, .length = length, .image = out };
  w.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &w, png_complain, png_ignore, &w,
                                   png_take, png_give);
  w.info = w.png ? png_create_info_struct(w.png) : NULL;
  if (!w.info) w.status = crd__fail(ctx, CRD_ENOMEM, "no memory for an image");
  const bool done =
      w.info && attempt(&w, read_header) && (extent == CRD__IMAGE_SIZE || attempt(&w, read_pixels));
  png_destroy_read_struct(&w.png, &w.info, NULL);
  return done ? CRD_OK : w.status;
}

/* ---- Writing. */

static void png_push(png_structp png, png_bytep bytes, size_t count) {
  worker *const w = png_get_io_ptr(png);
  crd__text_add_bytes(w->text, (const char *)bytes, count);
}

static void png_flush_nothing(png_structp png) { (void)png; }

static void write_image(worker *w) {
  const crd__image *const image = w->source;
  const size_t stride = image->width * image->channels;
  png_set_write_fn(w->png, w, png_push, png_flush_nothing);
  png_set_IHDR(w->png, w->info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
               image->channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w->png, w->info);
  for (size_t y = 0; y < image->height; y++) png_write_row(w->png, image->pixels + y * stride);
  png_write_end(w->png, NULL);
}

static crd_status png_encode(crd_context *ctx, const crd__image *image, int quality,
                             crd__text *out) {
  worker w = { .ctx = ctx, .source = image, .text = out };
  (void)quality;
  w.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &w, png_complain, png_ignore, &w,
                                    png_take, png_give);
  w.info = w.png ? png_create_info_struct(w.png) : NULL;
  if (!w.info) w.status = crd__fail(ctx, CRD_ENOMEM, "no memory for an image");
  const bool done = w.info && attempt(&w, write_image);
  png_destroy_write_struct(&w.png, &w.info);
  return done ? crd__text_status(ctx, out) : w.status;
}

const crd__image_codec crd__image_codec_png = {
  .name = "PNG",
  .summary = "PNG image, grey or RGB; palettes, 16 bits and transparency are converted",
  .magic = "\x89PNG\r\n\x1a\n",
  .magic_length = 8,
  .media = "image/png",
  .decode = png_decode,
  .encode = png_encode,
};
