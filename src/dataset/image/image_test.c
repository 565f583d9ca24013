/* image_test.c -- every codec: what it writes it reads, and damaged files fail with a message. */
#include "dataset/image/testing.h"

#include "base/memory.h"

/* Mean absolute difference of two images of the same size. */
static double distance(const crd__image *a, const crd__image *b) {
  double sum = 0;
  assert_true(a->height == b->height && a->width == b->width && a->channels == b->channels);
  const size_t count = a->height * a->width * a->channels;
  for (size_t i = 0; i < count; i++) sum += fabs((double)a->pixels[i] - b->pixels[i]);
  return sum / (double)count;
}

static void encode(crd_context *ctx, const crd__image_codec *codec, const crd__image *image,
                   crd__text *out) {
  crd__text_init(out, &ctx->alloc);
  WORKS(ctx, codec->encode(ctx, image, 95, out));
  assert_memory_equal(out->bytes, codec->magic, codec->magic_length);
}

static void each_codec(crd_context *ctx, void (*test)(crd_context *, const crd__image_codec *)) {
  for (size_t i = 0; crd__image_codec_at(i); i++)
    if (has_codec(ctx, crd__image_codec_at(i))) test(ctx, crd__image_codec_at(i));
}

static void round_trip(crd_context *ctx, const crd__image_codec *codec) {
  static const size_t sizes[][3] = { { 1, 1, 1 }, { 1, 1, 3 }, { 20, 33, 1 }, { 33, 20, 3 } };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    crd__image image = draw_image(ctx, sizes[i][0], sizes[i][1], sizes[i][2], i), again;
    crd__text text;
    encode(ctx, codec, &image, &text);
    WORKS(ctx, crd__image_decode(ctx, (unsigned char *)text.bytes, text.length, CRD__IMAGE_PIXELS,
                                 &again));
    const double error = distance(&image, &again);
    if (codec == &crd__image_codec_png) assert_true(error == 0);
    else assert_true(error < 8);
    crd__image_clear(&ctx->alloc, &again);
    crd__image_clear(&ctx->alloc, &image);
    crd__text_clear(&text);
  }
}

static void test_round_trip(void **state) { each_codec(*state, round_trip); }

/* At every length the file fails, and says why; a header alone is enough for the size. */
static void shorten(crd_context *ctx, const crd__image_codec *codec) {
  crd__image image = draw_image(ctx, 40, 30, 3, 7), again;
  crd__text text;
  size_t sized = 0;
  encode(ctx, codec, &image, &text);
  for (size_t length = 0; length < text.length; length++) {
    unsigned char *const part = malloc(length + 1); /* the sanitizer sees its end */
    memcpy(part, text.bytes, length);
    const crd_status status = crd__image_decode(ctx, part, length, CRD__IMAGE_PIXELS, &again);
    assert_int_equal(status, CRD_EINPUT);
    assert_null(again.pixels);
    assert_true(*crd_context_message(ctx));
    sized += crd__image_decode(ctx, part, length, CRD__IMAGE_SIZE, &again) == CRD_OK;
    free(part);
  }
  FAILS(ctx, CRD_EINPUT,
        crd__image_decode(ctx, (unsigned char *)text.bytes, text.length / 2, CRD__IMAGE_PIXELS,
                          &again),
        codec == &crd__image_codec_png ? "invalid PNG image: the file is truncated"
                                       : "invalid JPEG image: Premature end of JPEG file");
  assert_true(sized > text.length / 2);
  crd__image_clear(&ctx->alloc, &image);
  crd__text_clear(&text);
}

static void test_truncated(void **state) { each_codec(*state, shorten); }

/* Any byte changed: an image of an allowed size, or a failure with a message. */
static void damage(crd_context *ctx, const crd__image_codec *codec) {
  crd__image image = draw_image(ctx, 20, 20, 1, 7), again;
  crd__text text;
  size_t failures = 0;
  encode(ctx, codec, &image, &text);
  for (size_t at = 0; at < text.length; at++) {
    const char before = text.bytes[at];
    text.bytes[at] = (char)(before ^ (1 << at % 8));
    const crd_status status =
        crd__image_decode(ctx, (unsigned char *)text.bytes, text.length, CRD__IMAGE_PIXELS, &again);
    assert_true(status == CRD_OK || (status == CRD_EINPUT && *crd_context_message(ctx)));
    failures += status != CRD_OK;
    crd__image_clear(&ctx->alloc, &again);
    text.bytes[at] = before;
  }
  assert_true(failures > 20);
  crd__image_clear(&ctx->alloc, &image);
  crd__text_clear(&text);
}

static void test_damaged(void **state) { each_codec(*state, damage); }

static crd_status decode_text(crd_context *ctx, const void *arg) {
  const crd__text *const text = arg;
  crd__image image;
  const crd_status status =
      crd__image_decode(ctx, (unsigned char *)text->bytes, text->length, CRD__IMAGE_PIXELS, &image);
  crd__image_clear(&ctx->alloc, &image);
  return status;
}

/* libpng allocates through the context; libjpeg does not, apart from the pixels. */
static void test_memory(void **state) {
  crd_context *const ctx = *state;
  crd__text text;
  if (!has_codec(ctx, &crd__image_codec_png)) return;
  crd__image image = draw_image(ctx, 20, 20, 3, 7);
  encode(ctx, &crd__image_codec_png, &image, &text);
  fail_each_allocation(decode_text, &text);
  crd__text_clear(&text);
  crd__image_clear(&ctx->alloc, &image);
}

static void test_limits(void **state) {
  crd_context *const ctx = *state;
  FAILS(ctx, CRD_EINPUT, crd__image_allow(ctx, 16384, 16385, 1 << 30),
        "an image of 16384 x 16385 pixels, allowed are 65536 per side and 268435456 in all");
  FAILS(ctx, CRD_EINPUT, crd__image_allow(ctx, 65537, 1, 1 << 30), "65536 per side");
  FAILS(ctx, CRD_EINPUT, crd__image_allow(ctx, SIZE_MAX, SIZE_MAX, 1 << 30), "65536 per side");
  FAILS(ctx, CRD_EINPUT, crd__image_allow(ctx, 0, 3, 1000), "the image has 0 x 3 pixels");
  WORKS(ctx, crd__image_allow(ctx, 4096, 4096, 100));
  WORKS(ctx, crd__image_allow(ctx, 16384, 16384, 140000));
}

/* The checksum of a PNG chunk. */
static void put_crc(unsigned char *chunk, size_t length) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 4; i < 8 + length; i++) {
    crc ^= chunk[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  for (size_t i = 0; i < 4; i++) chunk[8 + length + i] = (unsigned char)(~crc >> (24 - 8 * i));
}

/* Overwrites the size in the header of a valid file. */
static void inflate(const crd__image_codec *codec, crd__text *file, unsigned size) {
  unsigned char *const bytes = (unsigned char *)file->bytes;
  const unsigned char high = (unsigned char)(size >> 8), low = (unsigned char)size;
  size_t at = 18; /* the lower bytes of the width of a PNG file */
  if (codec == &crd__image_codec_jpeg)
    for (at = 2; bytes[at + 1] != 0xc0; at += 2 + 256U * bytes[at + 2] + bytes[at + 3])
      assert_true(at + 9 < file->length);
  const bool png = codec == &crd__image_codec_png;
  for (size_t i = 0; i < 2; i++) {
    unsigned char *const place = bytes + at + (png ? 4 * i : 5 + 2 * i);
    place[0] = high;
    place[1] = low;
  }
  if (png) put_crc(bytes + 8, 13);
}

static void explode(crd_context *ctx, const crd__image_codec *codec) {
  crd__image image = draw_image(ctx, 20, 20, 3, 7), again;
  crd__text text;
  encode(ctx, codec, &image, &text);
  inflate(codec, &text, 65000);
  FAILS(ctx, CRD_EINPUT,
        crd__image_decode(ctx, (unsigned char *)text.bytes, text.length, CRD__IMAGE_PIXELS, &again),
        "an image of 65000 x 65000 pixels, allowed are");
  inflate(codec, &text, 16000);
  FAILS(ctx, CRD_EINPUT,
        crd__image_decode(ctx, (unsigned char *)text.bytes, text.length, CRD__IMAGE_PIXELS, &again),
        "a decompression bomb: 16000 x 16000 pixels in a file of");
  inflate(codec, &text, 200); /* allowed: there are no pixels for it */
  FAILS(ctx, CRD_EINPUT,
        crd__image_decode(ctx, (unsigned char *)text.bytes, text.length, CRD__IMAGE_PIXELS, &again),
        "invalid");
  crd__image_clear(&ctx->alloc, &image);
  crd__text_clear(&text);
}

static void test_bombs(void **state) { each_codec(*state, explode); }

static void test_unknown(void **state) {
  crd_context *const ctx = *state;
  crd__image image;
  FAILS(ctx, CRD_EINPUT,
        crd__image_decode(ctx, (const unsigned char *)"GIF89a", 6, CRD__IMAGE_PIXELS, &image),
        "the content is not an image of a supported format (PNG, JPEG): it begins with the bytes "
        "47 49 46 38 39 61");
  FAILS(ctx, CRD_EINPUT,
        crd__image_decode(ctx, (const unsigned char *)"", 0, CRD__IMAGE_PIXELS, &image),
        "the file is empty");
  assert_null(crd__image_codec_at(99));
}

static void test_planes(void **state) {
  unsigned char pixels[] = { 1, 2, 3, 4, 5, 6 }, planes[6];
  static const unsigned char expected[] = { 1, 4, 2, 5, 3, 6 };
  const crd__image image = { 1, 2, 3, pixels };
  (void)state;
  crd__image_planes(&image, planes);
  assert_memory_equal(planes, expected, sizeof planes);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_round_trip), TEST(test_truncated),
                                      TEST(test_damaged),    TEST(test_memory),
                                      TEST(test_limits),     TEST(test_bombs),
                                      TEST(test_unknown),    TEST(test_planes) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
