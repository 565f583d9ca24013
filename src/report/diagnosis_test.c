/* diagnosis_test.c -- a hand-made diagnosis in every form, byte for byte. */
#include "report/sample_test.h"

#include <string.h>

static const crd_finding_info infos[] = { { "labels", "-", 0 }, { "exact-zeros", "-", 0 } };

static const crd_finding sample_findings[] = {
  { &infos[0], CRD_PROBLEM, "Labels run from 1 to 4: they count from 1.",
    "Subtract 1 from every label, and do not forget the ones that stand in other files.",
    "subtract-1" },
  { &infos[1], CRD_FINE, "No probability is \"0\".", "", NULL },
};

static const crd_diagnosis sick = {
  .name = "a\tb.csv",
  .rows = 1,
  .classes = 4,
  .input = CRD_INPUT_LOGITS,
  .verdict = "1 problem: labels",
  .finding_count = 2,
  .findings = sample_findings,
};

static void expect(const crd_diagnosis *diagnosis, const crd__report_form *form,
                   crd_report_options options, const char *expected) {
  crd_context *ctx = NULL;
  crd__text text;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  form->diagnose(diagnosis, &options, &text);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
  crd_context_destroy(ctx);
}

static void test_text(void **state) {
  (void)state;
  expect(&sick, &crd__report_form_text, (crd_report_options){ .size = sizeof(crd_report_options) },
         "a?b.csv\n"
         "1 row, 4 classes, logits\n"
         "\n"
         "verdict: 1 problem: labels\n"
         "\n"
         "problem\n"
         "  labels       Labels run from 1 to 4: they count from 1.\n"
         "               →  Subtract 1 from every label, and do not forget the ones that\n"
         "                  stand in other files.\n"
         "\n"
         "fine\n"
         "  exact-zeros  No probability is \"0\".\n");
}

static void test_look(void **state) {
  (void)state;
  crd_diagnosis short_one = sick;
  short_one.finding_count = 1;
  short_one.name = NULL;
  expect(&short_one, &crd__report_form_text,
         (crd_report_options){ .size = sizeof(crd_report_options), .colour = 1, .ascii = 1 },
         "1 row, 4 classes, logits\n"
         "\n"
         "verdict: 1 problem: labels\n"
         "\n"
         "\033[1;31mproblem\033[0m\n"
         "  labels  Labels run from 1 to 4: they count from 1.\n"
         "          -> Subtract 1 from every label, and do not forget the ones that stand\n"
         "             in other files.\n");
}

static void test_json(void **state) {
  (void)state;
  expect(&sick, &crd__report_form_json, (crd_report_options){ .size = sizeof(crd_report_options) },
         "{\n"
         "  \"credence\": \"diagnosis\",\n"
         "  \"version\": 1,\n"
         "  \"name\": \"a\\tb.csv\",\n"
         "  \"n\": 1,\n"
         "  \"classes\": 4,\n"
         "  \"input\": \"logits\",\n"
         "  \"verdict\": \"1 problem: labels\",\n"
         "  \"findings\": [\n"
         "    {\"name\": \"labels\", \"severity\": \"problem\",\n"
         "     \"found\": \"Labels run from 1 to 4: they count from 1.\",\n"
         "     \"advice\": \"Subtract 1 from every label, and do not forget the ones that stand in "
         "other files.\", \"remedy\": \"subtract-1\"},\n"
         "    {\"name\": \"exact-zeros\", \"severity\": \"fine\",\n"
         "     \"found\": \"No probability is \\\"0\\\".\",\n"
         "     \"advice\": \"\"}\n"
         "  ]\n"
         "}\n");
}

/* Commands are neither wrapped nor converted to ASCII. */
static void test_next(void **state) {
  (void)state;
  static const crd_suggestion next[] = {
    { "credence evaluate 'a file whose name is long, so that it fills more than one line é.npz'",
      "measure" },
    { "credence compare b", "find" },
  };
  crd_diagnosis well = sick;
  well.finding_count = 0;
  expect(&well, &crd__report_form_text,
         (crd_report_options){ .size = sizeof(crd_report_options),
                               .ascii = 1,
                               .suggestions = next,
                               .suggestion_count = 2 },
         "a?b.csv\n"
         "1 row, 4 classes, logits\n"
         "\n"
         "verdict: 1 problem: labels\n"
         "\n"
         "next\n"
         "  # measure\n"
         "  credence evaluate 'a file whose name is long, so that it fills more than one line "
         "é.npz'\n"
         "  # find\n"
         "  credence compare b\n");
  expect(&well, &crd__report_form_json,
         (crd_report_options){
             .size = sizeof(crd_report_options), .suggestions = next, .suggestion_count = 2 },
         "{\n"
         "  \"credence\": \"diagnosis\",\n"
         "  \"version\": 1,\n"
         "  \"name\": \"a\\tb.csv\",\n"
         "  \"n\": 1,\n"
         "  \"classes\": 4,\n"
         "  \"input\": \"logits\",\n"
         "  \"verdict\": \"1 problem: labels\",\n"
         "  \"findings\": [],\n"
         "  \"next\": [\n"
         "    {\"command\": \"credence evaluate 'a file whose name is long, so that it fills more "
         "than one line é.npz'\", \"meaning\": \"measure\"},\n"
         "    {\"command\": \"credence compare b\", \"meaning\": \"find\"}\n"
         "  ]\n"
         "}\n");
}

/* Forms of tables do not support diagnoses. */
static void test_other_forms(void **state) {
  (void)state;
  crd_context *ctx = NULL;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  assert_int_equal(crd_diagnosis_write(ctx, &sick, "csv", NULL, NULL), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "'csv', allowed are text and json"));
  assert_int_equal(crd_diagnosis_write(ctx, &sick, "html", NULL, NULL), CRD_EUSAGE);
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_text), cmocka_unit_test(test_look),        cmocka_unit_test(test_json),
    cmocka_unit_test(test_next), cmocka_unit_test(test_other_forms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
