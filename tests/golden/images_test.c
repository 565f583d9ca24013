/*
 * images_test.c -- images of every supported kind, as Pillow reads, converts and resizes them
 * (make-images). Lossless files, colours and sizes must have the same bytes; JPEG files may differ
 * by rounding, since libraries may compute the transform in another order.
 */
#include "support.h"

#include "base/file.h"
#include "dataset/image/image.h"

#include <stdio.h>
#include <string.h>

#define FOLDER CREDENCE_SOURCE "/tests/golden/images/"

static bool has_libraries(crd_context *ctx) {
  static const unsigned char png[] = "\x89PNG\r\n\x1a\n", jpeg[] = "\xff\xd8\xff";
  crd__image image;
  return crd__image_decode(ctx, png, 8, CRD__IMAGE_SIZE, &image) != CRD_EABSENT &&
         crd__image_decode(ctx, jpeg, 3, CRD__IMAGE_SIZE, &image) != CRD_EABSENT;
}

static void load(crd_context *ctx, const char *name, crd__image *out) {
  char path[256];
  crd__blob blob;
  crd__image size;
  snprintf(path, sizeof path, FOLDER "%s", name);
  assert_int_equal(crd__blob_open(ctx, path, &blob), CRD_OK);
  if (crd__image_decode(ctx, blob.bytes, blob.length, CRD__IMAGE_PIXELS, out) != CRD_OK)
    fail_msg("%s: %s", name, crd_context_message(ctx));
  assert_int_equal(crd__image_decode(ctx, blob.bytes, blob.length, CRD__IMAGE_SIZE, &size), CRD_OK);
  assert_true(size.height == out->height && size.width == out->width &&
              size.channels == out->channels && !size.pixels);
  crd__blob_close(&ctx->alloc, &blob);
}

/* The pixels are those of the stored array, up to `tolerance`. */
static void compare(crd_context *ctx, const crd__image *image, const char *key, int tolerance) {
  char path[256];
  crd_array_file *file;
  snprintf(path, sizeof path, FOLDER "expected.npz#%s", key);
  if (crd_array_file_open(ctx, path, &file) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  const crd_array *const array = crd_array_file_array(file);
  const unsigned char *const wanted = array->data;
  const size_t stride = image->width * image->channels;
  assert_int_equal(array->dims[0], image->height);
  assert_int_equal(array->dims[1], stride);
  for (size_t i = 0; i < image->height * stride; i++) {
    const int error = image->pixels[i] - wanted[i];
    if (error > tolerance || error < -tolerance)
      fail_msg("%s, byte %zu: %d, expected %d", key, i, image->pixels[i], wanted[i]);
  }
  crd_array_file_destroy(file);
}

static void test_decode(void **state) {
  static const struct {
    const char *name;
    int tolerance;
  } files[] = { { "bit.png", 0 },         { "deep.png", 0 },       { "grey.png", 0 },
                { "grey_alpha.png", 0 },  { "interlaced.png", 0 }, { "palette.png", 0 },
                { "rgb.png", 0 },         { "rgba.png", 0 },       { "grey.jpg", 1 },
                { "progressive.jpg", 2 }, { "rgb.jpg", 2 },        { "cmyk.jpg", 2 } };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    crd__image image;
    load(*state, files[i].name, &image);
    compare(*state, &image, files[i].name, files[i].tolerance);
    crd__image_clear(&((crd_context *)*state)->alloc, &image);
  }
}

static void test_resize(void **state) {
  static const struct {
    const char *name;
    size_t height, width;
  } sizes[] = { { "grey.png", 16, 16 }, { "grey.png", 7, 40 }, { "grey.png", 64, 31 },
                { "rgb.png", 16, 16 },  { "rgb.png", 5, 9 },   { "rgb.png", 50, 60 } };
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    crd__image image;
    char key[64];
    snprintf(key, sizeof key, "%s.%zux%zu", sizes[i].name, sizes[i].height, sizes[i].width);
    load(ctx, sizes[i].name, &image);
    assert_int_equal(
        crd__image_fit(ctx, &image, sizes[i].height, sizes[i].width, CRD_RESIZE_STRETCH), CRD_OK);
    compare(ctx, &image, key, 0);
    crd__image_clear(&ctx->alloc, &image);
  }
}

static void test_colours(void **state) {
  crd_context *const ctx = *state;
  crd__image image;
  load(ctx, "rgb.png", &image);
  assert_int_equal(crd__image_convert(ctx, &image, 1), CRD_OK);
  compare(ctx, &image, "rgb.png.grey", 0);
  crd__image_clear(&ctx->alloc, &image);
  load(ctx, "grey.png", &image);
  assert_int_equal(crd__image_convert(ctx, &image, 3), CRD_OK);
  compare(ctx, &image, "grey.png.rgb", 0);
  crd__image_clear(&ctx->alloc, &image);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_decode), cmocka_unit_test(test_resize),
                                      cmocka_unit_test(test_colours) };
  crd_context *const ctx = test_context();
  const bool able = has_libraries(ctx);
  crd_context_destroy(ctx);
  if (!able) {
    cannot_test_images("golden-images");
    return 0;
  }
  return cmocka_run_group_tests(tests, open_context, close_context);
}
