/* resize_test.c -- resizing against its definition in float64; see golden-images for Pillow. */
#include "dataset/image/testing.h"

#include "base/memory.h"

/* One output of a dimension: the weighted mean of all inputs, from the definition. */
static double reference(const double *in, size_t size, size_t full, size_t i) {
  const double ratio = (double)size / (double)full, reach = ratio > 1 ? ratio : 1;
  double sum = 0, weights = 0;
  for (size_t k = 0; k < size; k++) {
    const double weight = fmax(0, 1 - fabs((double)k + 0.5 - ((double)i + 0.5) * ratio) / reach);
    sum += weight * in[k];
    weights += weight;
  }
  return sum / weights;
}

/* Resizes the image to full[0] x full[1]; rows are rounded before columns are resized. */
static double *resize_slowly(const crd__image *image, const size_t full[2]) {
  const size_t h = image->height, w = image->width, c = image->channels;
  double *const rows = calloc(h * full[1] * c, sizeof *rows), *line = calloc(h + w, sizeof *line);
  double *const out = calloc(full[0] * full[1] * c, sizeof *out);
  for (size_t y = 0; y < h; y++)
    for (size_t x = 0; x < full[1]; x++)
      for (size_t k = 0; k < c; k++) {
        for (size_t j = 0; j < w; j++) line[j] = image->pixels[(y * w + j) * c + k];
        rows[(y * full[1] + x) * c + k] = floor(reference(line, w, full[1], x) + 0.5);
      }
  for (size_t y = 0; y < full[0]; y++)
    for (size_t i = 0; i < full[1] * c; i++) {
      for (size_t j = 0; j < h; j++) line[j] = rows[j * full[1] * c + i];
      out[y * full[1] * c + i] = floor(reference(line, h, full[0], y) + 0.5);
    }
  free(rows);
  free(line);
  return out;
}

/* `image` became `out`, whose first pixel is (top, left) of the resized one. */
static void check(const crd__image *image, const size_t full[2], size_t top, size_t left,
                  const crd__image *out) {
  double *const wanted = resize_slowly(image, full);
  for (size_t y = 0; y < out->height; y++)
    for (size_t x = 0; x < out->width * out->channels; x++) {
      const double expected = wanted[((y + top) * full[1] + left) * out->channels + x];
      const double found = out->pixels[y * out->width * out->channels + x];
      if (fabs(found - expected) > 1) /* a half may round either way */
        fail_msg("row %zu, byte %zu: %g, expected %g", y, x, found, expected);
    }
  free(wanted);
}

typedef struct {
  size_t height, width, channels;
  size_t to[2];   /* wanted */
  size_t full[2]; /* size before cropping */
  size_t top, left;
  crd_resize how;
} resizing;

static void test_resize(void **state) {
  static const resizing cases[] = {
    { 20, 20, 1, { 10, 10 }, { 10, 10 }, 0, 0, CRD_RESIZE_STRETCH },
    { 20, 30, 3, { 7, 45 }, { 7, 45 }, 0, 0, CRD_RESIZE_STRETCH },
    { 1, 1, 3, { 4, 5 }, { 4, 5 }, 0, 0, CRD_RESIZE_STRETCH },
    { 40, 60, 3, { 20, 20 }, { 20, 30 }, 0, 5, CRD_RESIZE_CROP },
    { 61, 40, 1, { 20, 20 }, { 30, 20 }, 5, 0, CRD_RESIZE_CROP },
    { 33, 20, 1, { 20, 20 }, { 33, 20 }, 6, 0, CRD_RESIZE_CROP }, /* 6.5 to even */
    { 35, 20, 1, { 20, 20 }, { 35, 20 }, 8, 0, CRD_RESIZE_CROP }, /* 7.5 to even */
    { 10, 15, 3, { 24, 12 }, { 24, 36 }, 0, 12, CRD_RESIZE_CROP },
    { 5, 7, 1, { 10, 14 }, { 10, 14 }, 0, 0, CRD_RESIZE_CROP },
  };
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const resizing *const r = &cases[i];
    crd__image image = draw_image(ctx, r->height, r->width, r->channels, i);
    crd__image out = draw_image(ctx, r->height, r->width, r->channels, i);
    WORKS(ctx, crd__image_fit(ctx, &out, r->to[0], r->to[1], r->how));
    assert_true(out.height == r->to[0] && out.width == r->to[1] && out.channels == r->channels);
    check(&image, r->full, r->top, r->left, &out);
    crd__image_clear(&ctx->alloc, &image);
    crd__image_clear(&ctx->alloc, &out);
  }
}

/* An even image stays as it is, at the borders too. */
static void test_even(void **state) {
  crd_context *const ctx = *state;
  static const size_t sizes[] = { 1, 2, 3, 17, 64, 200 };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (unsigned value = 0; value < 256; value += 51) {
      crd__image image = draw_image(ctx, 23, 31, 1, 0);
      memset(image.pixels, (int)value, (size_t)23 * 31);
      WORKS(ctx, crd__image_fit(ctx, &image, sizes[i], sizes[i], CRD_RESIZE_CROP));
      for (size_t k = 0; k < sizes[i] * sizes[i]; k++) assert_int_equal(image.pixels[k], value);
      crd__image_clear(&ctx->alloc, &image);
    }
}

/* The same size is the same image, and invalid sizes leave it alone. */
static void test_edges(void **state) {
  crd_context *const ctx = *state;
  crd__image image = draw_image(ctx, 9, 5, 3, 1);
  const unsigned char *const pixels = image.pixels;
  WORKS(ctx, crd__image_fit(ctx, &image, 9, 5, CRD_RESIZE_CROP));
  FAILS(ctx, CRD_EUSAGE, crd__image_fit(ctx, &image, 0, 5, CRD_RESIZE_CROP),
        "height: images of 0 x 5 pixels, allowed are 1 to 32768");
  FAILS(ctx, CRD_EUSAGE, crd__image_fit(ctx, &image, 5, 40000, CRD_RESIZE_CROP), "5 x 40000");
  assert_ptr_equal(image.pixels, pixels);
  assert_true(image.height == 9 && image.width == 5);
  crd__image_clear(&ctx->alloc, &image);
}

/* The most lopsided image that is allowed needs little memory. */
static void test_lopsided(void **state) {
  crd_context *const ctx = *state;
  crd__image image = draw_image(ctx, 1, 65536, 1, 1);
  WORKS(ctx, crd__image_fit(ctx, &image, 32, 32, CRD_RESIZE_CROP));
  crd__image_clear(&ctx->alloc, &image);
  image = draw_image(ctx, 65536, 1, 1, 1);
  WORKS(ctx, crd__image_fit(ctx, &image, 1, 1, CRD_RESIZE_STRETCH));
  crd__image_clear(&ctx->alloc, &image);
}

static crd_status fit_again(crd_context *ctx, const void *arg) {
  const crd__image *const from = arg;
  crd__image image = { from->height, from->width, from->channels, NULL };
  CRD_TRY(crd__image_allocate(ctx, &image));
  memcpy(image.pixels, from->pixels, from->height * from->width * from->channels);
  crd_status status = crd__image_fit(ctx, &image, 7, 9, CRD_RESIZE_CROP);
  if (status == CRD_OK) status = crd__image_convert(ctx, &image, 1);
  crd__image_clear(&ctx->alloc, &image);
  return status;
}

static void test_memory(void **state) {
  crd__image image = draw_image(*state, 20, 20, 3, 7);
  fail_each_allocation(fit_again, &image);
  crd__image_clear(&((crd_context *)*state)->alloc, &image);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_resize), TEST(test_even), TEST(test_edges),
                                      TEST(test_lopsided), TEST(test_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
