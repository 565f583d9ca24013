/* findings_test.c -- which findings a page lists. */
#include "report/page/page.h"
#include "report/sample_test.h"

#include <string.h>

static bool lists(const char *name, crd_severity severity) {
  static crd_context *ctx;
  crd__text text;
  if (!ctx) assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  const crd_finding_info info = { .name = name };
  const crd_finding finding = {
    .info = &info, .severity = severity, .found = "It was found.", .advice = ""
  };
  const crd_diagnosis diagnosis = { .finding_count = 1, .findings = &finding, .verdict = "One." };
  const crd_page_part part = { .result = &sample, .diagnosis = &diagnosis };
  const crd__page page = { .part = &part, .id = "run1", .level = 2, .out = &text };
  assert_true(crd__page_section_findings.has(&part));
  assert_int_equal(crd__page_section_findings.write(ctx, &page), CRD_OK);
  assert_false(text.failed);
  const bool found = strstr(text.bytes, "It was found.");
  crd__text_clear(&text);
  return found;
}

/* What the headline answers is not repeated with a weaker test. */
static void the_headline_answers(void **state) {
  (void)state;
  assert_true(lists("saturated", CRD_NOTE));
  assert_true(lists("labels", CRD_FINE));
  assert_true(lists("confidence", CRD_WARNING));
  assert_false(lists("confidence", CRD_NOTE));
  assert_false(lists("confidence", CRD_FINE));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(the_headline_answers) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
