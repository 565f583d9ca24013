/* sheet_test.c -- contact sheets: which samples are where, names, many classes, and failures. */
#include "dataset/image/testing.h"

#include "base/file.h"
#include "dataset/sheet/sheet.h"

enum { ROWS = 30, SIDE = 32, AREA = SIDE * SIDE };

/* Grey images: all of row i have the value 8 i. */
static crd_dataset *make_dataset(crd_context *ctx, unsigned char *pixels, int64_t *labels,
                                 size_t classes, const char *const *names) {
  crd_dataset *dataset;
  for (size_t i = 0; i < (size_t)ROWS * AREA; i++) pixels[i] = (unsigned char)(8 * (i / AREA));
  for (int64_t i = 0; labels && i < ROWS; i++) labels[i] = i % (int64_t)classes;
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = { .data = pixels, .dtype = CRD_U8, .rank = 4, .dims = { ROWS, 1, SIDE, SIDE } },
    .labels = labels ? crd_array_matrix(labels, CRD_I64, ROWS, 1) : (crd_array){ 0 },
    .classes = labels ? classes : 0,
    .class_names = names,
  };
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &dataset));
  return dataset;
}

static void draw_png(crd_context *ctx, const crd_dataset *dataset, size_t per_class,
                     crd__image *out) {
  const char *const path = scratch_path("sheet.png");
  crd__blob blob;
  WORKS(ctx, crd_dataset_draw(ctx, dataset, per_class, path));
  WORKS(ctx, crd__blob_open(ctx, path, &blob));
  WORKS(ctx, crd__image_decode(ctx, blob.bytes, blob.length, CRD__IMAGE_PIXELS, out));
  crd__blob_close(&ctx->alloc, &blob);
  unlink(path);
}

/* The grey of a pixel of the picture. */
static unsigned at(const crd__image *picture, size_t y, size_t x) {
  const unsigned char *const pixel = picture->pixels + 3 * (y * picture->width + x);
  assert_true(pixel[0] == pixel[1] && pixel[1] == pixel[2]);
  return pixel[0];
}

/* Tiles of 64 units, doubled: their values tell the rows. */
static void test_places(void **state) {
  static const char *const names[] = { "first", "second", "th\xc3\xafrd & last" };
  crd_context *const ctx = *state;
  unsigned char pixels[ROWS * AREA];
  int64_t labels[ROWS];
  crd__image picture;
  if (!has_codec(ctx, &crd__image_codec_png)) return;
  crd_dataset *const dataset = make_dataset(ctx, pixels, labels, 3, names);
  draw_png(ctx, dataset, 4, &picture);
  assert_int_equal(picture.height, 2 * (76 + 3 * 76 - 12 + 24));
  assert_int_equal(picture.width, 2 * (2 * 24 + 128 + 4 * 68));
  for (size_t block = 0; block < 3; block++)
    for (size_t k = 0; k < 4; k++) {
      const size_t row = 3 * (k * 10 / 4) + block; /* of ten samples each */
      const size_t y = 2 * (76 + block * 76), x = 2 * (24 + 128 + k * 68);
      const size_t corners[][2] = { { y, x }, { y + 127, x + 127 }, { y + 64, x + 64 } };
      for (size_t c = 0; c < 3; c++)
        assert_int_equal(at(&picture, corners[c][0], corners[c][1]), 8 * row);
      assert_int_equal(at(&picture, y + 64, x + 130), 255);
    }
  /* Something is written in dark letters beside the tiles, and nothing in the margin. */
  for (size_t block = 0; block < 3; block++) {
    unsigned darkest = 255;
    for (size_t y = 2 * (76 + block * 76); y < 2 * (76 + block * 76 + 64); y++) {
      for (size_t x = 48; x < 2 * (24 + 120); x++)
        darkest = at(&picture, y, x) < darkest ? at(&picture, y, x) : darkest;
      for (size_t x = 0; x < 40; x++) assert_int_equal(at(&picture, y, x), 255);
    }
    assert_true(darkest < 40);
  }
  crd__image_clear(&ctx->alloc, &picture);
  crd_dataset_destroy(dataset);
}

/* The SVG file holds the same images, and names as text. */
static void test_svg(void **state) {
  static const char *const names[] = { "first", "second", "th\xc3\xafrd & last" };
  crd_context *const ctx = *state;
  unsigned char pixels[ROWS * AREA];
  int64_t labels[ROWS];
  crd__blob blob;
  size_t images = 0;
  if (!has_codec(ctx, &crd__image_codec_png)) return;
  crd_dataset *const dataset = make_dataset(ctx, pixels, labels, 3, names);
  const char *const path = scratch_path("sheet.svg");
  WORKS(ctx, crd_dataset_draw(ctx, dataset, 0, path));
  WORKS(ctx, crd__blob_open(ctx, path, &blob));
  char *const text = calloc(blob.length + 1, 1);
  memcpy(text, blob.bytes, blob.length);
  for (const char *a = text; (a = strstr(a, "href=\"data:image/png;base64,iVBORw0KGgo")); a++)
    images++;
  assert_int_equal(images, 24);
  assert_non_null(strstr(text, ">second</text>"));
  assert_non_null(strstr(text, ">th\xc3\xafrd &amp; last</text>"));
  assert_non_null(strstr(text, "30 images of 32 x 32 pixels, grey"));
  assert_non_null(strstr(text, "</svg>\n"));
  free(text);
  crd__blob_close(&ctx->alloc, &blob);
  unlink(path);
  crd_dataset_destroy(dataset);
}

/* Without labels there is one block; with many classes several columns, and some are empty. */
static void test_blocks(void **state) {
  crd_context *const ctx = *state;
  unsigned char pixels[ROWS * AREA];
  int64_t labels[ROWS];
  crd__image picture;
  if (!has_codec(ctx, &crd__image_codec_png)) return;
  crd_dataset *dataset = make_dataset(ctx, pixels, NULL, 1, NULL);
  draw_png(ctx, dataset, 0, &picture);
  assert_int_equal(picture.height, 2 * (76 + 64 + 24));
  crd__image_clear(&ctx->alloc, &picture);
  crd_dataset_destroy(dataset);
  dataset = make_dataset(ctx, pixels, labels, 45, NULL);
  draw_png(ctx, dataset, 2, &picture);
  assert_int_equal(picture.width, 2 * (2 * 24 + 3 * (128 + 2 * 68) + 2 * 32));
  assert_int_equal(picture.height, 2 * (76 + 15 * 76 - 12 + 24));
  crd__image_clear(&ctx->alloc, &picture);
  crd_dataset_destroy(dataset);
}

/* Values beyond [0, 1] are stretched; large images are reduced to 96 units. */
static void test_floats(void **state) {
  crd_context *const ctx = *state;
  enum { WIDE = 400, TALL = 200 };
  static float values[3 * WIDE * TALL];
  crd__image picture;
  crd_dataset *dataset;
  if (!has_codec(ctx, &crd__image_codec_png)) return;
  for (size_t i = 0; i < (size_t)3 * WIDE * TALL; i++) values[i] = i % WIDE < WIDE / 2 ? -3 : 5;
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = { .data = values, .dtype = CRD_F32, .rank = 4, .dims = { 1, 3, TALL, WIDE } }
  };
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &dataset));
  draw_png(ctx, dataset, 1, &picture);
  assert_int_equal(picture.width, 2 * (2 * 24 + 128 + 100));
  assert_int_equal(at(&picture, 2 * (76 + 20), 2 * (24 + 128 + 10)), 0);
  assert_int_equal(at(&picture, 2 * (76 + 20), 2 * (24 + 128 + 80)), 255);
  crd__image_clear(&ctx->alloc, &picture);
  crd_dataset_destroy(dataset);
}

static void test_refused(void **state) {
  crd_context *const ctx = *state;
  unsigned char pixels[ROWS * AREA];
  crd_dataset *dataset = make_dataset(ctx, pixels, NULL, 1, NULL);
  FAILS(ctx, CRD_EUSAGE, crd_dataset_draw(ctx, dataset, 0, "sheet.jpg"),
        "sheet.jpg: a contact sheet is an .svg or .png file");
  crd_dataset_destroy(dataset);
  WORKS(ctx, crd_dataset_open(ctx, "synthetic:line#val", NULL, &dataset));
  FAILS(ctx, CRD_EUSAGE, crd_dataset_draw(ctx, dataset, 0, "sheet.svg"),
        "synthetic:line#val: the samples are not images");
  crd_dataset_destroy(dataset);
}

/* Every character has a glyph within its box, and all but the space have strokes. */
static void count_stroke(void *self, double x0, double y0, double x1, double y1) {
  ++*(size_t *)self;
  assert_true(x0 >= 0 && x0 <= 12 && x1 >= 0 && x1 <= 12);
  assert_true(y0 >= 0 && y0 <= 16 && y1 >= 0 && y1 <= 16);
}

static void test_letters(void **state) {
  (void)state;
  for (int c = -128; c < 128; c++) {
    size_t strokes = 0;
    const double width = crd__sheet_letter((char)c, count_stroke, &strokes);
    assert_true((strokes > 0) == (c != ' '));
    assert_true(width >= 0 && width <= 12);
  }
}

static crd_status draw_again(crd_context *ctx, const void *arg) {
  crd_dataset *dataset;
  const char *const path = scratch_path(arg);
  crd_status status = crd_dataset_open(ctx, "synthetic:line", NULL, &dataset);
  crd_dataset_destroy(dataset);
  if (status != CRD_OK) return status;
  unsigned char pixels[2 * 16] = { 0 };
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = { .data = pixels, .dtype = CRD_U8, .rank = 4, .dims = { 2, 1, 4, 4 } }
  };
  crd_context_set_threads(ctx, 1);
  status = crd_dataset_create(ctx, &arrays, &dataset);
  if (status == CRD_OK) status = crd_dataset_draw(ctx, dataset, 0, path);
  crd_dataset_destroy(dataset);
  unlink(path);
  return status;
}

static void test_memory(void **state) {
  if (!has_codec(*state, &crd__image_codec_png)) return;
  fail_each_allocation(draw_again, "memory.png");
  fail_each_allocation(draw_again, "memory.svg");
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_places), TEST(test_svg),     TEST(test_blocks),
                                      TEST(test_floats), TEST(test_refused), TEST(test_letters),
                                      TEST(test_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
