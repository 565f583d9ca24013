/* groups_test.c -- the groups of a result in every form that shows them. */
#include "sample_test.h"

#include <stdio.h>
#include <string.h>

static const crd_metric_value low_values[] = {
  { .metric = &sample_metrics[0],
    .value = 0.5,
    .low = 0.25,
    .high = 0.7,
    .noise_floor = (double)NAN,
    .p = (double)NAN },
  { .metric = &sample_metrics[1],
    .value = 0.2,
    .low = 0.05,
    .high = 0.3,
    .noise_floor = (double)NAN,
    .p = (double)NAN },
};
static const crd_metric_value all_values[] = {
  { .metric = &sample_metrics[0],
    .value = 0.75,
    .low = 0.5,
    .high = 1,
    .noise_floor = (double)NAN,
    .p = (double)NAN },
  { .metric = &sample_metrics[1],
    .value = 0.1,
    .low = 0,
    .high = 0.25,
    .noise_floor = (double)NAN,
    .p = (double)NAN },
};
static const crd_result low_result = { .resamples = 10, .value_count = 2, .values = low_values };
static const crd_group three[] = {
  { .number = 0, .name = "a,|\n\xc3\xa4", .rows = 30, .result = &low_result },
  { .number = -12, .rows = 29, .result = &low_result },
  { .number = 7, .rows = 1 },
};
static const crd_group_table three_groups = { 3, three };
static const crd_result sample_with_groups = { .name = "g.csv",
                                               .rows = 60,
                                               .classes = 3,
                                               .input = CRD_INPUT_LOGITS,
                                               .resamples = 10,
                                               .value_count = 2,
                                               .values = all_values,
                                               .groups = &three_groups };

/* A group of 30 rows is marked if its interval excludes the value of all rows; one of 29 is not. */
static void text_marks_what_stands_out(void **state) {
  (void)state;
  crd__text text = sample_draw(&crd__report_form_text, &sample_with_groups,
                               (crd_report_options){ .size = sizeof(crd_report_options) });
  assert_non_null(strstr(text.bytes, "\n  group      rows    accuracy          ece\n"
                                     "  a,|?\xc3\xa4        30    0.500000*    0.200000\n"
                                     "                    .250-.700    .050-.300\n"
                                     "  -12          29    0.500000     0.200000\n"
                                     "                    .250-.700    .050-.300\n"
                                     "  7             1  all weights are 0\n"
                                     "\n  * its 95 % interval does not contain"));
  crd__text_clear(&text);
}

static void json_has_all(void **state) {
  (void)state;
  crd__text text = sample_draw(&crd__report_form_json, &sample_with_groups,
                               (crd_report_options){ .size = sizeof(crd_report_options) });
  assert_non_null(strstr(text.bytes,
                         ",\n  \"groups\": [\n"
                         "    {\n"
                         "      \"group\": \"a,|\\n\xc3\xa4\",\n"
                         "      \"n\": 30,\n"
                         "      \"metrics\": {\n"
                         "        \"accuracy\": {\"value\": 0.5, \"low\": 0.25, \"high\": 0.7},\n"
                         "        \"ece\": {\"value\": 0.2, \"low\": 0.05, \"high\": 0.3}\n"
                         "      }\n"
                         "    },\n"
                         "    {\n"
                         "      \"group\": -12,\n"));
  assert_non_null(strstr(text.bytes, "      \"group\": 7,\n      \"n\": 1,\n"
                                     "      \"metrics\": null\n    }\n  ],\n"));
  crd__text_clear(&text);
}

static void csv_says_whose_line_it_is(void **state) {
  (void)state;
  sample_expect(&crd__report_form_csv, &sample_with_groups,
                (crd_report_options){ .size = sizeof(crd_report_options) },
                "group,metric,value,low,high,p,reason\n"
                ",accuracy,0.75,0.5,1,,\n"
                ",ece,0.1,0,0.25,,\n"
                "\"a,|\n\xc3\xa4\",accuracy,0.5,0.25,0.7,,\n"
                "\"a,|\n\xc3\xa4\",ece,0.2,0.05,0.3,,\n"
                "-12,accuracy,0.5,0.25,0.7,,\n"
                "-12,ece,0.2,0.05,0.3,,\n");
}

/* Names with spaces at their ends or with line breaks need quotes. */
static void csv_quotes_names(void **state) {
  static const crd_group odd[] = {
    { .name = " a", .rows = 30, .result = &low_result },
    { .name = "b ", .rows = 30, .result = &low_result },
    { .name = "c\r", .rows = 30, .result = &low_result },
    { .name = "\"d\"", .rows = 30, .result = &low_result },
  };
  static const crd_group_table table = { 4, odd };
  static const char *const names[] = { "\n\" a\",", "\n\"b \",", "\n\"c\r\",", "\n\"\"\"d\"\"\"," };
  crd_result r = sample_with_groups;
  (void)state;
  r.groups = &table;
  crd__text text = sample_draw(&crd__report_form_csv, &r,
                               (crd_report_options){ .size = sizeof(crd_report_options) });
  for (size_t i = 0; i < 4; i++) assert_non_null(strstr(text.bytes, names[i]));
  crd__text_clear(&text);
}

static void markdown_has_a_table(void **state) {
  (void)state;
  crd__text text = sample_draw(&crd__report_form_markdown, &sample_with_groups,
                               (crd_report_options){ .size = sizeof(crd_report_options) });
  assert_non_null(strstr(text.bytes, "\n| group | rows | accuracy | ece |\n|:--|--:|--:|--:|\n"
                                     "| a,\\|?\xc3\xa4 | 30 | 0.500000 | 0.200000 |\n"
                                     "| -12 | 29 | 0.500000 | 0.200000 |\n"
                                     "| 7 | 1 |  |  |\n"));
  crd__text_clear(&text);
}

/* Groups of two columns: one table per column, under its name; the other forms name the column. */
static void every_column_has_its_table(void **state) {
  const crd_group items[] = {
    { .column = "site", .name = "north", .rows = 30, .result = three[0].result },
    { .column = "site", .name = "south", .rows = 20 },
    { .column = "sex", .name = "f", .rows = 29, .result = three[1].result },
  };
  const crd_group_table table = { 3, items };
  crd_result r = sample_with_groups;
  (void)state;
  r.groups = &table;
  crd__text text = sample_draw(&crd__report_form_text, &r,
                               (crd_report_options){ .size = sizeof(crd_report_options) });
  assert_non_null(strstr(text.bytes, "\n  site       rows    accuracy          ece\n"
                                     "  north        30    0.500000*    0.200000\n"
                                     "                    .250-.700    .050-.300\n"
                                     "  south        20  all weights are 0\n"
                                     "\n  sex      rows    accuracy          ece\n"
                                     "  f          29    0.500000     0.200000\n"
                                     "                  .250-.700    .050-.300\n"));
  crd__text_clear(&text);
  text = sample_draw(&crd__report_form_json, &r,
                     (crd_report_options){ .size = sizeof(crd_report_options) });
  assert_non_null(strstr(text.bytes, "      \"column\": \"sex\",\n      \"group\": \"f\",\n"));
  crd__text_clear(&text);
  text = sample_draw(&crd__report_form_markdown, &r,
                     (crd_report_options){ .size = sizeof(crd_report_options) });
  assert_non_null(strstr(text.bytes, "| south | 20 |  |  |\n\n| sex | rows | accuracy | ece |\n"));
  crd__text_clear(&text);
  sample_expect(&crd__report_form_csv, &r,
                (crd_report_options){ .size = sizeof(crd_report_options) },
                "column,group,metric,value,low,high,p,reason\n"
                ",,accuracy,0.75,0.5,1,,\n"
                ",,ece,0.1,0,0.25,,\n"
                "site,north,accuracy,0.5,0.25,0.7,,\n"
                "site,north,ece,0.2,0.05,0.3,,\n"
                "sex,f,accuracy,0.5,0.25,0.7,,\n"
                "sex,f,ece,0.2,0.05,0.3,,\n");
}

/* The 20 of 25 groups with the largest error, the worst first, ties by index. */
static void of_many_the_worst_are_shown(void **state) {
  enum { MANY = 25 };
  crd_metric_value values[MANY][2];
  crd_result results[MANY];
  crd_group groups[MANY];
  (void)state;
  for (size_t i = 0; i < MANY; i++) {
    memcpy(values[i], low_values, sizeof low_values);
    values[i][1].value = (double)(i / 2) / 100;
    results[i] = (crd_result){ .value_count = 2, .values = values[i] };
    groups[i] = (crd_group){ .number = (int64_t)i, .rows = 40, .result = &results[i] };
  }
  crd_result r = sample_with_groups;
  const crd_group_table many = { MANY, groups };
  r.groups = &many;
  crd__text text = sample_draw(&crd__report_form_text, &r,
                               (crd_report_options){ .size = sizeof(crd_report_options) });
  assert_non_null(strstr(text.bytes, "The 20 of 25 groups with the largest ece:\n"));
  const char *at = text.bytes;
  for (size_t i = 0; i < 20; i++) {
    char line[32];
    const size_t rank = i == 0 ? 24 : (23 - (i - 1)) ^ 1; /* 24, then 22 23 20 21 ... */
    snprintf(line, sizeof line, "\n  %-5zu  ", rank);
    at = strstr(at, line);
    assert_non_null(at);
  }
  assert_null(strstr(text.bytes, "\n  5      "));
  crd__text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(text_marks_what_stands_out),  cmocka_unit_test(json_has_all),
    cmocka_unit_test(csv_says_whose_line_it_is),   cmocka_unit_test(csv_quotes_names),
    cmocka_unit_test(markdown_has_a_table),        cmocka_unit_test(every_column_has_its_table),
    cmocka_unit_test(of_many_the_worst_are_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
