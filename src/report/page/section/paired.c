/* paired.c -- paired differences to other predictions on the same rows: one line per metric. */
#include "report/balance.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>

static bool paired_has(const crd_page_part *part) { return part->result && part->result->paired; }

static void add_difference(crd__text *out, const crd_difference *d) {
  crd__page_html_row(out, crd__page_metric_title(d->metric));
  crd__page_html_number_cell(out, d->value, NULL);
  crd__page_html_interval_cell(out, d->low, d->high);
  crd__page_html_p_cell(out, d->p);
  crd__page_html_words_cell(out, d->test);
  if (d->test && d->test_reason) crd__page_html_number_cell(out, d->test_p, d->test_reason);
  else if (d->test) crd__page_html_p_cell(out, d->test_p);
  else crd__text_add(out, "<td></td>");
  crd__text_add(out, "</tr>\n");
}

/* Did calibration improve, did refinement suffer? */
static void add_balance(crd__text *out, const crd_comparison *c) {
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  crd__text_add(&sentence, "The other's ");
  if (crd__report_balance_add(&sentence, c) && !sentence.failed) {
    crd__text_add(&sentence, ".");
    if (!sentence.failed) crd__page_html_element(out, "p", NULL, sentence.bytes);
  }
  out->failed |= sentence.failed;
  crd__text_clear(&sentence);
}

static crd_status paired_write(crd_context *ctx, const crd__page *page) {
  static const crd__page_column columns[] = {
    { "metric", NULL, true },
    { "difference", "the other minus this", false },
    { "95 % interval", NULL, false },
    { "p", "bootstrap p value of the difference", false },
    { "test", "a paired test for this metric", true },
    { "p of the test", NULL, false },
  };
  const crd_comparison *const c = page->part->result->paired;
  (void)ctx;
  crd__text_add(page->out, "<p>");
  crd__page_html_words(page->out, c->name ? c->name : "The others");
  crd__text_add(page->out, " minus ");
  crd__page_html_words(page->out, page->part->result->name);
  crd__text_add(page->out, ", on the same rows");
  if (c->resamples) crd__text_addf(page->out, ", in %u paired resamples", c->resamples);
  crd__text_add(page->out, ".</p>\n");
  add_balance(page->out, c);
  crd__page_html_table(page->out, "Differences", columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < c->count; i++) add_difference(page->out, &c->items[i]);
  crd__page_html_table_end(page->out);
  return CRD_OK;
}

const crd__page_section crd__page_section_paired = {
  .name = "paired", .title = "Paired comparison", .has = paired_has, .write = paired_write
};
