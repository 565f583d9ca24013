/*
 * jpeg.c -- JPEG images through libjpeg-turbo.
 *
 * Decoded with libjpeg's accurate integer transform and smooth upsampling, as Pillow and
 * torchvision do. CMYK (stored inverted, as Adobe does) becomes RGB; the orientation that a camera
 * has noted is ignored. libjpeg warns of damaged data and goes on with grey pixels: here these
 * warnings fail.
 *
 * libjpeg reports errors by longjmp. Everything that must be released is in `worker`, which belongs
 * to the caller of the functions that it may jump out of.
 */
#include "base/memory.h"
#include "dataset/image/image.h"

#include <setjmp.h>
#include <stdio.h> /* jpeglib.h needs it */
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

enum { SCANS_MOST = 100 }; /* of a progressive file; cameras and encoders write about ten */

typedef struct {
  struct jpeg_error_mgr errors; /* first: libjpeg knows it by this address */
  jmp_buf back;
  crd_context *ctx;
  crd_status status;
  struct jpeg_decompress_struct in; /* reading */
  struct jpeg_progress_mgr progress;
  const unsigned char *bytes;
  size_t length;
  crd__image *image;
  unsigned char *row;              /* of four channels */
  struct jpeg_compress_struct out; /* writing */
  struct jpeg_destination_mgr sink;
  const crd__image *source;
  crd__text *text;
  int quality;
  JOCTET block[4096];
} worker;

static worker *worker_of(j_common_ptr info) { return (worker *)(void *)info->err; }

static _Noreturn void jpeg_complain(j_common_ptr info) {
  worker *const w = worker_of(info);
  char reason[JMSG_LENGTH_MAX];
  w->errors.format_message(info, reason);
  w->status = w->errors.msg_code == JERR_OUT_OF_MEMORY
                  ? crd__fail(w->ctx, CRD_ENOMEM, "no memory for an image")
                  : crd__fail(w->ctx, CRD_EINPUT, "invalid JPEG image: %s", reason);
  longjmp(w->back, 1);
}

/* Returns whether all pixels are correct despite this warning of libjpeg. */
static bool is_harmless(int code) {
  static const int harmless[] = { JWRN_ADOBE_XFORM, JWRN_BOGUS_ICC, JWRN_EXTRANEOUS_DATA,
                                  JWRN_JFIF_MAJOR, JWRN_NOT_SEQUENTIAL };
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (harmless[i] == code) return true;
  return false;
}

static void jpeg_heed(j_common_ptr info, int level) {
  if (level < 0 && !is_harmless(info->err->msg_code)) jpeg_complain(info);
}

static void jpeg_print_nothing(j_common_ptr info) { (void)info; }

static void set_errors(worker *w) {
  jpeg_std_error(&w->errors);
  w->errors.error_exit = jpeg_complain;
  w->errors.emit_message = jpeg_heed;
  w->errors.output_message = jpeg_print_nothing;
}

/* Runs a function; false if libjpeg jumped out of it. */
static bool attempt(worker *w, void (*work)(worker *)) {
  if (setjmp(w->back)) return false;
  work(w);
  return true;
}

/* Leaves with a failure whose message is in the context. */
static void leave(worker *w, crd_status status) {
  w->status = status;
  if (status != CRD_OK) longjmp(w->back, 1);
}

/* ---- Reading. */

/* Every scan of a progressive file goes over the whole image, however short it is. */
static void jpeg_watch(j_common_ptr info) {
  worker *const w = worker_of(info);
  if (w->in.input_scan_number > SCANS_MOST)
    leave(w, crd__fail(w->ctx, CRD_EINPUT, "invalid JPEG image: more than %d scans", SCANS_MOST));
}

static void read_header(worker *w) {
  jpeg_create_decompress(&w->in);
  w->progress.progress_monitor = jpeg_watch;
  w->in.progress = &w->progress;
  jpeg_mem_src(&w->in, w->bytes, w->length);
  (void)jpeg_read_header(&w->in, TRUE);
  const int parts = w->in.num_components;
  if (parts != 1 && parts != 3 && parts != 4)
    leave(w,
          crd__fail(w->ctx, CRD_EINPUT,
                    "invalid JPEG image: %d colour components, supported are 1, 3 and 4", parts));
  w->image->height = w->in.image_height;
  w->image->width = w->in.image_width;
  w->image->channels = parts == 1 ? 1 : 3;
  leave(w, crd__image_allow(w->ctx, w->image->height, w->image->width, w->length));
}

/* R = (255 - C)(255 - K) / 255 of the ink; the file holds 255 - C and 255 - K. */
static void convert_cmyk(const unsigned char *in, size_t width, unsigned char *out) {
  for (size_t x = 0; x < width; x++)
    for (size_t k = 0; k < 3; k++)
      out[3 * x + k] = (unsigned char)((in[4 * x + k] * in[4 * x + 3] + 127) / 255);
}

static void read_pixels(worker *w) {
  crd__image *const image = w->image;
  const size_t stride = image->width * image->channels;
  const bool cmyk = w->in.num_components == 4;
  w->in.out_color_space = cmyk ? JCS_CMYK : image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  (void)jpeg_start_decompress(&w->in);
  leave(w, crd__image_allocate(w->ctx, image));
  if (cmyk) leave(w, crd__new(w->ctx, image->width, 4, "an image", &w->row));
  while (w->in.output_scanline < w->in.output_height) {
    unsigned char *const place = image->pixels + w->in.output_scanline * stride;
    JSAMPROW row = cmyk ? w->row : place;
    (void)jpeg_read_scanlines(&w->in, &row, 1);
    if (cmyk) convert_cmyk(row, image->width, place);
  }
  (void)jpeg_finish_decompress(&w->in);
}

static crd_status jpeg_decode(crd_context *ctx, const unsigned char *bytes, size_t length,
                              crd__image_extent extent, crd__image *out) {
  worker w = { .ctx = ctx, .bytes = bytes, .length = length, .image = out };
  set_errors(&w);
  w.in.err = &w.errors;
  const bool done =
      attempt(&w, read_header) && (extent == CRD__IMAGE_SIZE || attempt(&w, read_pixels));
  jpeg_destroy_decompress(&w.in);
  crd__free(&ctx->alloc, w.row);
  return done ? CRD_OK : w.status;
}

/* ---- Writing. */

static void empty_block(j_compress_ptr out, size_t count) {
  worker *const w = worker_of((j_common_ptr)out);
  crd__text_add_bytes(w->text, (const char *)w->block, count);
  w->sink.next_output_byte = w->block;
  w->sink.free_in_buffer = sizeof w->block;
}

static void jpeg_begin(j_compress_ptr out) { empty_block(out, 0); }

static boolean jpeg_push(j_compress_ptr out) {
  empty_block(out, sizeof worker_of((j_common_ptr)out)->block);
  return TRUE;
}

static void jpeg_end(j_compress_ptr out) {
  const worker *const w = worker_of((j_common_ptr)out);
  empty_block(out, sizeof w->block - w->sink.free_in_buffer);
}

static void write_image(worker *w) {
  const crd__image *const image = w->source;
  jpeg_create_compress(&w->out);
  w->sink = (struct jpeg_destination_mgr){ .init_destination = jpeg_begin,
                                           .empty_output_buffer = jpeg_push,
                                           .term_destination = jpeg_end };
  w->out.dest = &w->sink;
  w->out.image_height = (JDIMENSION)image->height;
  w->out.image_width = (JDIMENSION)image->width;
  w->out.input_components = (int)image->channels;
  w->out.in_color_space = image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&w->out);
  jpeg_set_quality(&w->out, w->quality, TRUE);
  jpeg_start_compress(&w->out, TRUE);
  while (w->out.next_scanline < w->out.image_height) {
    JSAMPROW row = image->pixels + w->out.next_scanline * image->width * image->channels;
    (void)jpeg_write_scanlines(&w->out, &row, 1);
  }
  jpeg_finish_compress(&w->out);
}

static crd_status jpeg_encode(crd_context *ctx, const crd__image *image, int quality,
                              crd__text *out) {
  worker w = { .ctx = ctx, .source = image, .text = out, .quality = quality };
  set_errors(&w);
  w.out.err = &w.errors;
  const bool done = attempt(&w, write_image);
  jpeg_destroy_compress(&w.out);
  return done ? crd__text_status(ctx, out) : w.status;
}

const crd__image_codec crd__image_codec_jpeg = {
  .name = "JPEG",
  .summary = "JPEG image, grey or RGB; CMYK is converted",
  .magic = "\xff\xd8\xff",
  .magic_length = 3,
  .media = "image/jpeg",
  .decode = jpeg_decode,
  .encode = jpeg_encode,
};
