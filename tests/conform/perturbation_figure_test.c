/* perturbation_figure_test.c -- the figure of a perturbation: other shapes, values and sizes. */
#include "conform/figures.h"

static float values[600 * 600];

/* Draws both ways; the caller frees the SVG. */
static char *draw_shape(crd_context *ctx, size_t rank, const int64_t *dims) {
  crd_perturbation p = { .rank = rank, .values = values, .temperature = 1.5 };
  memcpy(p.dims, dims, rank * sizeof *dims);
  for (int ascii = 0; ascii < 2; ascii++) {
    char *const text = print(ctx, "perturbation", &(sources){ .perturbation = &p }, ascii);
    expect_narrow("perturbation", text, ascii);
    free(text);
  }
  char *const svg = draw(ctx, "perturbation", &(sources){ .perturbation = &p }, NULL);
  expect_well_formed("perturbation", svg);
  assert_null(strstr(svg, "nan"));
  assert_null(strstr(svg, "inf"));
  return svg;
}

static size_t count(const char *text, const char *part) {
  size_t found = 0;
  while ((text = strstr(text, part))) found++, text++;
  return found;
}

static void fill(void) {
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    values[i] = (float)((int)(i * 7 % 31) - 11) / 16;
}

static void shapes_have_panels(void **state) {
  static const struct {
    size_t rank, panels; /* with a label */
    int64_t dims[4];
    const char *has;
  } shapes[] = {
    { 3, 4, { 3, 5, 4 }, ">mean<" },
    { 3, 0, { 1, 5, 4 }, "1 x 5 x 4, |delta| " },
    { 3, 65, { 64, 2, 2 }, ">channel 63<" },
    { 4, 7, { 2, 3, 4, 5 }, ">channel 5<" },
    { 2, 0, { 50, 6 }, "50 x 6, |delta| " },
    { 2, 0, { 100, 100 }, "100 x 100" },
    { 1, 0, { 7 }, "7 elements, |delta| " },
    { 1, 0, { 1 }, "1 element, |delta| 0.6875, from -0.688 to -0.688; T 1.5<" },
    { 1, 0, { 4096 }, ">element<" },
    { 2, 0, { 1, 600 }, ">element<" },
  };
  fill();
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char *const svg = draw_shape(*state, shapes[i].rank, shapes[i].dims);
    expect_has("perturbation", svg, shapes[i].has);
    assert_int_equal(count(svg, ">channel ") + count(svg, ">mean<") -
                         count(svg, "<title>channel ") - count(svg, "<title>mean<"),
                     shapes[i].panels);
    free(svg);
  }
}

/* Means over channels are printed: here of 1, -1 and 3. */
static void means_are_printed(void **state) {
  const crd_perturbation p = { .rank = 3, .dims = { 3, 1, 2 }, .values = values, .temperature = 1 };
  static const float given[] = { 1, 0, -1, -1, 3, -5 };
  memcpy(values, given, sizeof given);
  char *const text = print(*state, "perturbation", &(sources){ .perturbation = &p }, 1);
  expect_has("perturbation", text, "  +*-#\n"); /* 1 and -2 */
  expect_has("perturbation", text, "# is 2; mean over channels\n");
  free(text);
}

/* Of delta = 0 the frame is left; large elements are drawn somehow. */
static void odd_values_are_drawn(void **state) {
  static const int64_t image[] = { 3, 4, 4 }, vector[] = { 5 };
  memset(values, 0, sizeof values);
  free(draw_shape(*state, 3, image));
  free(draw_shape(*state, 1, vector));
  for (size_t i = 0; i < 48; i++) values[i] = i % 2 ? 3.4e38F : -3.4e38F;
  free(draw_shape(*state, 3, image));
  free(draw_shape(*state, 1, vector));
}

static void sizes_are_limited(void **state) {
  static const struct {
    size_t rank;
    int64_t dims[3];
    const char *words;
  } large[] = {
    { 1, { 4097 }, "4097 elements are too many to draw, allowed are up to 4096" },
    { 2, { 257, 2 }, "257 x 2 elements are too many to draw, allowed are up to 256 x 256" },
    { 2, { 2, 257 }, "2 x 257 elements are too many to draw, allowed are up to 256 x 256" },
    { 3, { 65, 2, 2 }, "65 channels are too many to draw, allowed are up to 64" },
  };
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    crd_perturbation p = { .rank = large[i].rank, .values = values, .temperature = 1 };
    const crd_figure_data data = { .size = sizeof data, .perturbation = &p };
    crd_output *output = NULL;
    char path[256];
    memcpy(p.dims, large[i].dims, sizeof large[i].dims);
    assert_int_equal(crd_output_open(ctx, temporary_path(path, "large.svg"), &output), CRD_OK);
    assert_int_equal(crd_figure_write(ctx, "perturbation", &data, NULL, output), CRD_EUSAGE);
    assert_string_equal(crd_context_message(ctx), large[i].words);
    crd_output_discard(output);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(shapes_have_panels),
                                      cmocka_unit_test(means_are_printed),
                                      cmocka_unit_test(odd_values_are_drawn),
                                      cmocka_unit_test(sizes_are_limited) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
