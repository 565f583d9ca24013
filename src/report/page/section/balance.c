/*
 * balance.c -- calibration and refinement of the methods of a contest together: the change of each
 * against the uncalibrated probabilities, with intervals, and what became of both in words.
 */
#include "report/balance.h"
#include "report/contest_parts.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>

static bool balance_has(const crd_page_part *part) {
  const crd_contest *const c = part->contest;
  for (size_t i = 1; c && i < c->count; i++)
    if (c->candidates[i].against_identity) return true;
  return false;
}

static void add_change(crd__text *out, const crd_difference *d) {
  static const char *const words[] = { [CRD__CHANGE_NONE] = "",
                                       [CRD__CHANGE_BETTER] = "better",
                                       [CRD__CHANGE_WORSE] = "worse",
                                       [CRD__CHANGE_UNKNOWN] = "" };
  const char *const word = words[crd__report_change_of(d)];
  crd__page_html_open_cell(out, "", d->value);
  crd__text_add(out, "<span>");
  crd__page_html_value(out, d->value);
  crd__text_add(out, "</span>");
  if (!isnan(d->low) && !isnan(d->high)) {
    crd__text_add(out, "<span class=\"interval\">");
    crd__page_html_interval(out, d->low, d->high);
    crd__text_add(out, "</span>");
  }
  if (*word) crd__text_addf(out, "<span class=\"p %s\">%s</span>", word, word);
  crd__text_add(out, "</td>");
}

static void add_method(crd__text *out, const crd_candidate *c) {
  crd__text words;
  crd__page_html_row(out, c->name);
  for (size_t k = 0; crd__report_balance_metric(k); k++) {
    const crd_difference *const d =
        crd__report_difference_of(c->against_identity, crd__report_balance_metric(k));
    if (d) add_change(out, d);
  }
  crd__text_init(&words, out->alloc);
  crd__text_add(&words, "");
  crd__report_balance_brief(&words, c->against_identity);
  if (!words.failed) crd__page_html_words_cell(out, words.bytes);
  out->failed |= words.failed;
  crd__text_clear(&words);
  crd__text_add(out, "</tr>\n");
}

static crd_status balance_write(crd_context *ctx, const crd__page *page) {
  enum { MOST = 8 };
  const crd_contest *const c = page->part->contest;
  crd__page_column columns[MOST] = { { "method", NULL, true } };
  size_t count = 1, first = 1;
  (void)ctx;
  while (!c->candidates[first].against_identity) first++;
  for (size_t k = 0; crd__report_balance_metric(k); k++) {
    const crd_difference *const d = crd__report_difference_of(c->candidates[first].against_identity,
                                                              crd__report_balance_metric(k));
    if (d)
      columns[count++] =
          (crd__page_column){ crd__page_metric_title(d->metric), d->metric->summary, false };
  }
  columns[count++] = (crd__page_column){ "in words", "beyond chance: p &lt; 0.05", true };
  crd__text_add(page->out,
                "<p>Calibration can be bought by dulling all confidences, which costs refinement: "
                "how well confidence separates correct from wrong predictions. Changes against the "
                "uncalibrated probabilities, with 95 % intervals; words where p &lt; 0.05.</p>\n");
  crd__page_html_table(page->out, "Calibration and refinement", columns, count);
  for (size_t i = 1; i < c->count; i++)
    if (c->candidates[i].against_identity) add_method(page->out, &c->candidates[i]);
  crd__page_html_table_end(page->out);
  return CRD_OK;
}

const crd__page_section crd__page_section_balance = { .name = "balance",
                                                      .title = "Calibration and refinement",
                                                      .has = balance_has,
                                                      .write = balance_write };
