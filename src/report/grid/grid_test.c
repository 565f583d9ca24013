/* grid_test.c -- ranks, decimals and units of a table for papers. */
#include "report/grid/grid.h"
#include "report/sample_test.h"

#include <string.h>

enum { LINES = 5, COLUMNS = 4 };

/* Lower, higher and no better direction; the last one is not a share. */
static const double values[LINES][COLUMNS] = {
  { 0.05004, 0.9, 0.3, 2 },       { 0.04996, 0.95, 0.2, 0.5 }, { 0.0512, 0.85, 0.1, (double)NAN },
  { (double)NAN, 0.95, 0.1, 40 }, { 0.01, 0.99, 0.1, 0.25 },
};

static const char *name_of(const void *self, size_t line) {
  static const char *const names[LINES] = { "a", "b_%", "c", "d", "alone" };
  (void)self;
  return names[line];
}

static crd__report_column column_of(const void *self, size_t column) {
  static const crd__report_column columns[COLUMNS] = {
    { .heading = "ECE", .direction = CRD_LOWER_IS_BETTER, .share = true },
    { .heading = "Accuracy", .direction = CRD_HIGHER_IS_BETTER, .share = true },
    { .heading = "Confidence", .direction = CRD_NEITHER_IS_BETTER, .share = true },
    { .heading = "NLL", .direction = CRD_LOWER_IS_BETTER },
  };
  (void)self;
  return columns[column];
}

/* The last line, better than all others, is not comparable. */
static crd__report_cell cell_of(const void *self, size_t line, size_t column) {
  const bool interval = line == 1 && column == 0;
  (void)self;
  return (crd__report_cell){ .value = values[line][column],
                             .low = interval ? 0.04 : (double)NAN,
                             .high = interval ? 0.06 : (double)NAN,
                             .std = line == 0 ? 0.001 : (double)NAN,
                             .failed = line == 3 && column == 0,
                             .comparable = line < 4,
                             .mark = line == 2 && column == 1 ? '*' : ' ' };
}

static const crd__report_grid grid = { .lines = LINES,
                                       .columns = COLUMNS,
                                       .corner = "model",
                                       .name = name_of,
                                       .column = column_of,
                                       .cell = cell_of };

static void expect_ranks(const crd__report_grid *g, const char *const expected[LINES]) {
  static const char words[] = {
    [CRD__RANK_OTHER] = '.', [CRD__RANK_BEST] = '1', [CRD__RANK_SECOND] = '2'
  };
  for (size_t i = 0; i < LINES; i++) {
    char found[COLUMNS + 1] = "";
    for (size_t c = 0; c < COLUMNS; c++) found[c] = words[crd__report_grid_rank(g, i, c)];
    assert_string_equal(found, expected[i]);
  }
}

/* 0.05004 and 0.04996 look equal with four decimals, and share the best rank. */
static void test_ranks(void **state) {
  (void)state;
  expect_ranks(&grid, (const char *const[]){ "12.2", "11.1", "2...", ".1..", "...." });
  crd__report_grid precise = grid;
  precise.digits = 4;
  expect_ranks(&precise, (const char *const[]){ "22.2", "11.1", "....", ".1..", "...." });
}

static void expect_number(const crd__report_grid *g, size_t line, size_t column,
                          const char *value) {
  assert_string_equal(crd__report_grid_format(g, line, column).value, value);
}

static void test_numbers(void **state) {
  (void)state;
  crd__report_grid shown = grid;
  expect_number(&shown, 0, 0, "0.0500");
  expect_number(&shown, 0, 3, "2.0000");
  shown.digits = 3; /* of the largest value: 0.0512, 40 */
  expect_number(&shown, 4, 0, "0.0100");
  expect_number(&shown, 1, 3, "0.5");
  shown.percent = true;
  expect_number(&shown, 4, 0, "1.00");
  expect_number(&shown, 1, 3, "0.5");
  shown.digits = 0;
  expect_number(&shown, 1, 1, "95.00");
  assert_string_equal(crd__report_grid_format(&shown, 0, 0).std, "0.10");
  assert_string_equal(crd__report_grid_format(&shown, 1, 0).std, "");
  assert_string_equal(crd__report_grid_format(&shown, 1, 0).high, "6.00");
}

static void expect_table(void (*write)(crd__text *, const crd__report_grid *),
                         const crd__report_grid *g, const char *expected) {
  crd_context *ctx;
  crd__text text;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  write(&text, g);
  assert_false(text.failed);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
  crd_context_destroy(ctx);
}

static void test_forms(void **state) {
  (void)state;
  crd__report_grid shown = grid;
  shown.percent = true;
  shown.columns = 2;
  shown.lines = 4;
  expect_table(crd__report_grid_latex, &shown,
               "% \\usepackage{booktabs}\n"
               "\\begin{tabular}{lrr}\n"
               "\\toprule\n"
               "model & ECE (\\%) $\\downarrow$ & Accuracy (\\%) $\\uparrow$ \\\\\n"
               "\\midrule\n"
               "a & $\\mathbf{5.00} \\pm 0.10$ & $\\underline{90.00} \\pm 0.10$ \\\\\n"
               "b\\_\\% & $\\mathbf{5.00}$ ($4.00$--$6.00$) & $\\mathbf{95.00}$ \\\\\n"
               "c & $\\underline{5.12}$ & $85.00^{*}$ \\\\\n"
               "d & -- & $\\mathbf{95.00}$ \\\\\n"
               "\\bottomrule\n"
               "\\end{tabular}\n");
  shown.columns = 1;
  shown.percent = false;
  expect_table(crd__report_grid_markdown, &shown,
               "| model | ECE ↓ |\n"
               "|:--|--:|\n"
               "| a | **0.0500** ± 0.0010 |\n"
               "| b\\_% | **0.0500** (0.0400–0.0600) |\n"
               "| c | <ins>0.0512</ins> |\n"
               "| d | failed |\n");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_ranks), cmocka_unit_test(test_numbers),
                                      cmocka_unit_test(test_forms) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
