/* json_test.c -- a result as JSON: escaped strings, undefined and extreme values. */
#include "report/sample_test.h"

#include <jansson.h>
#include <string.h>

static const char expected[] =
    "{\n"
    "  \"credence\": \"result\",\n"
    "  \"version\": 1,\n"
    "  \"name\": \"dir/a_b.csv\",\n"
    "  \"n\": 4,\n"
    "  \"classes\": 3,\n"
    "  \"input\": \"logits\",\n"
    "  \"bins\": 4,\n"
    "  \"weighted\": false,\n"
    "  \"metrics\": {\n"
    "    \"accuracy\": {\"value\": 0.75},\n"
    "    \"ece\": {\"value\": 0.1},\n"
    "    \"a_b\": {\"value\": -1.25e-07},\n"
    "    \"auroc\": {\"value\": null, \"reason\": \"all rows are \\\"right\\\", so there is "
    "nothing to "
    "tell apart\"}\n"
    "  },\n"
    "  \"reliability\": [\n"
    "    {\"low\": 0, \"high\": 0.25, \"rows\": 0, \"weight\": 0, \"confidence\": null, "
    "\"accuracy\": null, \"accuracy_low\": null, \"accuracy_high\": null, \"calibrated_low\": "
    "null, \"calibrated_high\": null},\n"
    "    {\"low\": 0.25, \"high\": 0.5, \"rows\": 1, \"weight\": 0.25, \"confidence\": 0.5, "
    "\"accuracy\": 0, \"accuracy_low\": 0, \"accuracy_high\": 0.75, \"calibrated_low\": 0, "
    "\"calibrated_high\": 1},\n"
    "    {\"low\": 0.5, \"high\": 0.75, \"rows\": 2, \"weight\": 0.5, \"confidence\": 0.625, "
    "\"accuracy\": 1, \"accuracy_low\": 0.375, \"accuracy_high\": 1, \"calibrated_low\": 0, "
    "\"calibrated_high\": 1},\n"
    "    {\"low\": 0.75, \"high\": 1, \"rows\": 1, \"weight\": 0.25, \"confidence\": 1, "
    "\"accuracy\": 1, \"accuracy_low\": 0.25, \"accuracy_high\": 1, \"calibrated_low\": 1, "
    "\"calibrated_high\": 1}\n"
    "  ],\n"
    "  \"warnings\": [\n"
    "    \"the scores look like \xc3\xa4 logits\\n\"\n"
    "  ]\n"
    "}\n";

static void test_bytes(void **state) {
  (void)state;
  sample_expect(&crd__report_form_json, &sample,
                (crd_report_options){ .size = sizeof(crd_report_options) }, expected);
}

static json_t *parse(const crd_result *result) {
  crd__text text = sample_draw(&crd__report_form_json, result,
                               (crd_report_options){ .size = sizeof(crd_report_options) });
  json_error_t error;
  json_t *root = json_loadb(text.bytes, text.length, JSON_REJECT_DUPLICATES, &error);
  if (!root) fail_msg("%s at %d: %s", error.text, error.position, text.bytes);
  crd__text_clear(&text);
  return root;
}

/* Every byte a file's name can have survives, or becomes U+FFFD. */
static void test_strings(void **state) {
  (void)state;
  char name[256];
  for (int i = 1; i < 256; i++) name[i - 1] = (char)i;
  name[255] = '\0';
  crd_result odd = sample;
  odd.name = name;
  json_t *root = parse(&odd);
  const char *back = json_string_value(json_object_get(root, "name"));
  assert_memory_equal(back, name, 127);
  assert_int_equal(strlen(back), 127 + 3 * 128);
  json_decref(root);
}

static void test_edges(void **state) {
  (void)state;
  const crd_metric_value infinite = { .metric = &sample_metrics[0],
                                      .value = (double)INFINITY,
                                      WITHOUT_INTERVAL };
  const crd_result empty = {
    .input = CRD_INPUT_PAIRS, .weighted = 1, .value_count = 1, .values = &infinite
  };
  json_t *root = parse(&empty);
  assert_true(json_is_null(json_object_get(root, "name")));
  assert_true(json_is_null(json_object_get(root, "classes")));
  assert_true(json_is_true(json_object_get(root, "weighted")));
  assert_string_equal(json_string_value(json_object_get(root, "input")), "confidence");
  assert_null(json_object_get(root, "binary"));
  assert_int_equal(json_array_size(json_object_get(root, "reliability")), 0);
  const json_t *value = json_object_get(json_object_get(root, "metrics"), "accuracy");
  assert_true(json_is_null(json_object_get(value, "value")));
  assert_string_equal(json_string_value(json_object_get(value, "reason")), "not a finite number");
  json_decref(root);

  const crd_result two = { .classes = 2, .binary = CRD_BINARY_POS };
  root = parse(&two);
  assert_string_equal(json_string_value(json_object_get(root, "binary")), "pos");
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_bytes), cmocka_unit_test(test_strings),
                                      cmocka_unit_test(test_edges) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
