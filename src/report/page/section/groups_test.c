/* groups_test.c -- groups on the page, the largest errors first. */
#include "report/page/page.h"
#include "report/sample_test.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 23 };

static crd_metric_value errors[COUNT];
static crd_result results[COUNT];
static crd_group items[COUNT];

/* Errors 0, 0.01, ... permuted; two are equal, the last group has no weight. */
static crd_group_table make(void) {
  for (size_t i = 0; i < COUNT; i++) {
    const double error = (double)(i * 7 % COUNT) / 100;
    errors[i] =
        (crd_metric_value){ .metric = &sample_metrics[1], .value = error, WITHOUT_INTERVAL };
    results[i] = (crd_result){ .value_count = 1, .values = &errors[i] };
    items[i] = (crd_group){ .number = (int64_t)i, .rows = 5, .result = &results[i] };
  }
  errors[2].value = errors[1].value;
  items[COUNT - 1].result = NULL;
  return (crd_group_table){ COUNT, items };
}

static crd__text draw(const crd_result *result) {
  static crd_context *ctx;
  crd__text text;
  if (!ctx) assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  const crd_page_part part = { .result = result };
  const crd__page page = { .part = &part, .id = "run1", .level = 2, .out = &text };
  assert_true(crd__page_section_groups.has(&part));
  assert_int_equal(crd__page_section_groups.write(ctx, &page), CRD_OK);
  assert_false(text.failed);
  return text;
}

/* Naive reference: by decreasing error, then by index. */
static bool comes_before(size_t a, size_t b) {
  return errors[a].value > errors[b].value || (errors[a].value == errors[b].value && a < b);
}

static void the_worst_come_first(void **state) {
  (void)state;
  const crd_group_table table = make();
  const crd_result r = { .groups = &table };
  crd__text text = draw(&r);
  size_t shown = 0, last = 0;
  for (const char *at = text.bytes; (at = strstr(at, "<th scope=\"row\">")); at++, shown++) {
    size_t number = 0;
    assert_int_equal(sscanf(at, "<th scope=\"row\">%zu<", &number), 1);
    assert_true(number < COUNT - 1);
    assert_true(shown == 0 || comes_before(last, number));
    last = number;
  }
  assert_int_equal(shown, 20);
  assert_non_null(strstr(text.bytes, "3 more groups have smaller errors"));
  crd__text_clear(&text);
}

/* Few groups are all shown, those without a value last. */
static void few_are_all_shown(void **state) {
  (void)state;
  crd_group_table table = make();
  table.count = 2;
  items[0].result = NULL;
  crd_result r = { .profile = &(crd_profile){ .groups = &table } };
  crd__text text = draw(&r);
  assert_non_null(strstr(text.bytes, ">mean confidence</th>"));
  crd__text_clear(&text);
  r.classes = 2;
  r.binary = CRD_BINARY_POS;
  text = draw(&r);
  assert_non_null(strstr(text.bytes, ">mean probability</th>"));
  const char *const first = strstr(text.bytes, "<th scope=\"row\">1</th>");
  const char *const second = strstr(text.bytes, "<th scope=\"row\">0</th>");
  assert_true(first && second && first < second);
  assert_non_null(strstr(second, "all weights are 0"));
  assert_null(strstr(text.bytes, "more groups"));
  crd__text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(the_worst_come_first),
                                      cmocka_unit_test(few_are_all_shown) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
