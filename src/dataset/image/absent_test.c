/* absent_test.c -- a build without libpng and libjpeg: their files fail with EABSENT. */
#include "io/testing.h"

#include "base/absent.h"
#include "dataset/image/image.h"

static void test_absent(void **state) {
  static const unsigned char png[] = "\x89PNG\r\n\x1a\n", jpeg[] = "\xff\xd8\xff\xe0";
  unsigned char grey = 0;
  const crd__image one = { 1, 1, 1, &grey };
  crd__image image;
  FAILS(*state, CRD_EABSENT, crd__image_decode(*state, png, 8, CRD__IMAGE_SIZE, &image),
        "PNG images need the library libpng" CRD__INSTALL("libpng-dev"));
  FAILS(*state, CRD_EABSENT, crd__image_decode(*state, jpeg, 4, CRD__IMAGE_SIZE, &image),
        "JPEG images need the library libjpeg-turbo" CRD__INSTALL("libjpeg62-turbo-dev"));
  FAILS(*state, CRD_EABSENT, crd__image_codec_png.encode(*state, &one, 0, NULL), "PNG images need");
  FAILS(*state, CRD_EABSENT, crd__image_codec_jpeg.encode(*state, &one, 75, NULL),
        "JPEG images need");
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_absent) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
