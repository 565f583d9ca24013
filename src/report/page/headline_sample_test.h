/* headline_sample_test.h -- helpers of the tests of the headline. */
#ifndef CRD_REPORT_PAGE_HEADLINE_SAMPLE_TEST_H
#define CRD_REPORT_PAGE_HEADLINE_SAMPLE_TEST_H

#include "report/page/headline.h"
#include "report/sample_test.h"

#include <string.h>

#define THIN "\xe2\x80\xaf"

typedef void writer(crd__text *out, const crd_page_part *part);

static crd_context *context(void) {
  static crd_context *ctx;
  if (!ctx) assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  return ctx;
}

static void action(crd__text *out, const crd_page_part *part) {
  crd__page_headline_action(out, context(), part);
}

static void expect(writer *write, const crd_page_part *part, const char *words) {
  crd__text text;
  crd__text_init(&text, &context()->alloc);
  crd__text_add(&text, "");
  write(&text, part);
  assert_false(text.failed);
  assert_string_equal(text.bytes, words);
  crd__text_clear(&text);
}

static const crd_metric_info infos[] = { { .name = "accuracy", .direction = CRD_HIGHER_IS_BETTER },
                                         { .name = "ece", .direction = CRD_LOWER_IS_BETTER },
                                         { .name = "nll", .direction = CRD_LOWER_IS_BETTER } };

#endif
