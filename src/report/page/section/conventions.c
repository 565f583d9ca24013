/* conventions.c -- the definitions behind the numbers, from the fields of the result. */
#include "report/form.h"
#include "report/page/html.h"
#include "report/page/page.h"

static bool conventions_has(const crd_page_part *part) {
  crd__page_detail d;
  return crd__page_find_detail(part, 0, &d);
}

static void add_confidence(crd__text *out, const crd_result *r) {
  crd__text_add(out, "<dt>Confidence</dt><dd>");
  if (crd__report_judges_class_1(r))
    crd__text_add(out, "The probability of class 1; a row counts as correct if its class is 1.");
  else if (r->input == CRD_INPUT_PAIRS)
    crd__text_add(out, "Read from the file, with whether each prediction is correct.");
  else
    crd__text_add(out, "The probability of the predicted class; a row is correct if that is its "
                       "true class.");
  if (r->input == CRD_INPUT_LOGITS) crd__text_add(out, " Probabilities are the softmax of logits.");
  if (r->weighted) crd__text_add(out, " Rows are weighted.");
  crd__text_add(out, "</dd>\n");
}

static void add_bins(crd__text *out, const crd_result *r) {
  crd__text_addf(out,
                 "<dt>Bins</dt><dd>%zu of equal width on [0, 1], each (a, b], the first with 0. "
                 "Whiskers are the 95 %% Wilson interval of a bin\xe2\x80\x99s accuracy; the grey "
                 "band holds the accuracy of a calibrated model in 95 %% of samples of the same "
                 "size.</dd>\n",
                 r->bin_count);
}

static void add_resamples(crd__text *out, const crd_result *r, const crd_contest *contest) {
  static const char *const kinds[] = {
    [CRD_INTERVAL_CORRECTED] = "bias-corrected",
    [CRD_INTERVAL_PERCENTILE] = "not corrected for bias",
  };
  const unsigned resamples = contest ? contest->resamples : r->resamples;
  crd__text_add(out, "<dt>Intervals</dt><dd>");
  if (resamples)
    crd__text_addf(out, "95 %%: quantiles of %u bootstrap resamples of the rows, %s (%s).",
                   resamples, kinds[r->interval], crd_interval_name(r->interval));
  else crd__text_add(out, "None: no resamples were requested.");
  crd__text_add(out, "</dd>\n");
  if (!contest || !contest->resamples) return;
  crd__text_add(out,
                "<dt>Differences</dt><dd>Paired: each resample has the same rows for all methods. "
                "p values are corrected for the number of methods (Holm).</dd>\n");
}

static crd_status conventions_write(crd_context *ctx, const crd__page *page) {
  const crd_contest *const contest = page->part->contest;
  crd__page_detail d;
  (void)ctx;
  crd__page_find_detail(page->part, 0, &d);
  crd__text_add(page->out, "<dl class=\"terms\">\n");
  add_confidence(page->out, d.result);
  if (d.result->bin_count) add_bins(page->out, d.result);
  add_resamples(page->out, d.result, contest);
  crd__text_add(page->out,
                "<dt>Noise floor</dt><dd>The error that a perfectly calibrated model would show by "
                "chance on the same number of rows.</dd>\n</dl>\n");
  return CRD_OK;
}

const crd__page_section crd__page_section_conventions = {
  .name = "conventions", .title = "Conventions", .has = conventions_has, .write = conventions_write
};
