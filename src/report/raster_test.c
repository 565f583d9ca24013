/* raster_test.c -- dots in their characters, dashes, and points outside the raster. */
#include "report/raster.h"

#include "base/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const crd__report_raster_pen solid = { 1, 0, '*', "36" }, dashed = { 2, 2, 'o', "33" };

static void expect_row(void **state, const crd__report_raster *raster, size_t row,
                       const crd_report_options *options, const char *expected) {
  crd_context *const ctx = *state;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__text_add(&text, "");
  crd__report_raster_add(&text, raster, row, options);
  assert_int_equal(text.failed, 0);
  assert_string_equal(text.bytes ? text.bytes : "", expected);
  crd__text_clear(&text);
}

static const crd_report_options unicode = { .size = sizeof unicode },
                                ascii = { .size = sizeof ascii, .ascii = 1 },
                                colour = { .size = sizeof colour, .colour = 1 };

/* Each dot is its own bit: U+2800 + 1, 2, 4, 40 hex on the left, 8, 10, 20, 80 on the right. */
static void dots_have_their_bits(void **state) {
  static const char *const expected[4][2] = {
    { "\xe2\xa0\x81", "\xe2\xa0\x88" },
    { "\xe2\xa0\x82", "\xe2\xa0\x90" },
    { "\xe2\xa0\x84", "\xe2\xa0\xa0" },
    { "\xe2\xa1\x80", "\xe2\xa2\x80" },
  };
  for (size_t y = 0; y < 4; y++)
    for (size_t x = 0; x < 2; x++) {
      crd__report_raster raster = { .width = 1, .height = 1 };
      crd__report_raster_stroke stroke = { .pen = &solid };
      crd__report_raster_line(&raster, &stroke, (double)x, (double)y);
      expect_row(state, &raster, 0, &unicode, expected[y][x]);
      expect_row(state, &raster, 0, &ascii, "*");
    }
}

static void lines_connect(void **state) {
  crd__report_raster raster = { .width = 2, .height = 2 };
  crd__report_raster_stroke stroke = { .pen = &solid };
  crd__report_raster_line(&raster, &stroke, 0, 7);
  crd__report_raster_line(&raster, &stroke, 3, 4);
  expect_row(state, &raster, 0, &unicode, "");
  expect_row(state, &raster, 1, &unicode, "⡠⠊");
  crd__report_raster_line(&raster, &stroke, 3, 0);
  expect_row(state, &raster, 0, &unicode, " ⢸");
  expect_row(state, &raster, 0, &colour, " \033[36m⢸\033[0m");
}

/* The dash pattern continues over the points of a line: short segments look like a long one. */
static void dashes_are_counted_in_dots(void **state) {
  crd__report_raster whole = { .width = 4, .height = 1 }, pieces = whole;
  crd__report_raster_stroke one = { .pen = &dashed }, many = one;
  crd__report_raster_line(&whole, &one, 0, 0);
  crd__report_raster_line(&whole, &one, 7, 0);
  for (int i = 0; i <= 28; i++) crd__report_raster_line(&pieces, &many, i / 4.0, 0);
  expect_row(state, &whole, 0, &unicode, "⠉ ⠉");
  expect_row(state, &pieces, 0, &unicode, "⠉ ⠉");
}

static void points_outside_are_not_drawn(void **state) {
  crd__report_raster raster = { .width = 2, .height = 1 };
  crd__report_raster_stroke stroke = { .pen = &solid };
  crd__report_raster_line(&raster, &stroke, -1e300, -2);
  crd__report_raster_line(&raster, &stroke, 1e300, -2);
  crd__report_raster_spot(&raster, 4, 0);
  crd__report_raster_shade(&raster, -5, 0, 4);
  expect_row(state, &raster, 0, &unicode, "");
}

static void spots_cover_lines_and_lines_cover_grey(void **state) {
  crd__report_raster raster = { .width = 4, .height = 1 };
  crd__report_raster_stroke stroke = { .pen = &solid };
  for (int i = 0; i < 3; i++) crd__report_raster_shade(&raster, 2 * i, 0, 4);
  crd__report_raster_line(&raster, &stroke, 2, 0);
  crd__report_raster_line(&raster, &stroke, 4, 0);
  crd__report_raster_spot(&raster, 4, 0);
  expect_row(state, &raster, 0, &unicode, "░⠉●");
  expect_row(state, &raster, 0, &ascii, ":*@");
}

static int open_context(void **state) {
  crd_context *ctx = NULL;
  const crd_status status = crd_context_create(NULL, &ctx);
  *state = ctx;
  return status == CRD_OK ? 0 : -1;
}

static int close_context(void **state) {
  crd_context_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(dots_have_their_bits),
    cmocka_unit_test(lines_connect),
    cmocka_unit_test(dashes_are_counted_in_dots),
    cmocka_unit_test(points_outside_are_not_drawn),
    cmocka_unit_test(spots_cover_lines_and_lines_cover_grey),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
