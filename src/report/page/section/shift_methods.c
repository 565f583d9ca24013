/*
 * shift_methods.c -- the shifted sets of a contest: the verdict on each, and its table of methods.
 * The figure over severities is with the other figures.
 */
#include "report/balance.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>

enum { METRICS_MAX = 96 };

static bool shift_methods_has(const crd_page_part *part) {
  return part->contest && part->contest->shift_count;
}

static void add_cell(crd__text *out, const crd_shifted_candidate *c, size_t metric) {
  static const char *const words[] = { [CRD__CHANGE_NONE] = "",
                                       [CRD__CHANGE_BETTER] = "better",
                                       [CRD__CHANGE_WORSE] = "worse",
                                       [CRD__CHANGE_UNKNOWN] = "" };
  const crd_metric_value *const v = &c->result->values[metric];
  if (isnan(v->value)) {
    crd__page_html_number_cell(out, v->value, v->reason);
    return;
  }
  crd__page_html_open_cell(out, "", v->value);
  crd__text_add(out, "<span>");
  crd__page_html_value(out, v->value);
  crd__text_add(out, "</span>");
  if (!isnan(v->low) && !isnan(v->high)) {
    crd__text_add(out, "<span class=\"interval\">");
    crd__page_html_interval(out, v->low, v->high);
    crd__text_add(out, "</span>");
  }
  const char *const word =
      c->against_identity ? words[crd__report_change_of(&c->against_identity->items[metric])] : "";
  if (*word) crd__text_addf(out, "<span class=\"p %s\">%s</span>", word, word);
  crd__text_add(out, "</td>");
}

static void add_method(crd__text *out, const char *name, const crd_shifted_candidate *c,
                       size_t metrics) {
  crd__page_html_row(out, name);
  for (size_t m = 0; m < metrics; m++)
    if (c->result) add_cell(out, c, m);
    else crd__page_html_number_cell(out, (double)NAN, c->failure);
  crd__text_add(out, "</tr>\n");
}

static void add_set(crd__text *out, const crd_contest *c, const crd_contest_shift *set) {
  const crd_result *const first = set->candidates[0].result;
  const size_t metrics = first->value_count < METRICS_MAX ? first->value_count : METRICS_MAX;
  crd__page_column columns[METRICS_MAX + 1] = { { "method", NULL, true } };
  for (size_t m = 0; m < metrics; m++)
    columns[m + 1] = (crd__page_column){ crd__page_metric_title(first->values[m].metric),
                                         first->values[m].metric->summary, false };
  crd__text_add(out, "<p>");
  crd__page_html_verdict(out, set->verdict);
  crd__text_add(out, "</p>\n");
  crd__text_add(out, "<p class=\"legend\">");
  crd__page_html_words(out, set->data_name);
  crd__text_add(out, ": ");
  crd__page_html_counted(out, set->rows, "row");
  crd__text_add(out, "; better or worse than uncalibrated there where p &lt; 0.05 (Holm).</p>\n");
  crd__page_html_table(out, set->name, columns, metrics + 1);
  for (size_t i = 0; i < c->count; i++)
    add_method(out, c->candidates[i].name, &set->candidates[i], metrics);
  crd__page_html_table_end(out);
  const crd_result *const chosen = set->candidates[c->chosen - c->candidates].result;
  if (chosen) crd__page_write_points(out, chosen->operating);
}

static crd_status shift_methods_write(crd_context *ctx, const crd__page *page) {
  const crd_contest *const c = page->part->contest;
  (void)ctx;
  crd__text_add(page->out, "<p>Calibrators that were fitted on the calibration rows, applied "
                           "unchanged to other data of the same classifier.</p>\n");
  for (size_t s = 0; s < c->shift_count; s++) add_set(page->out, c, &c->shift[s]);
  return CRD_OK;
}

const crd__page_section crd__page_section_shift_methods = { .name = "shift-methods",
                                                            .title = "Shifted data",
                                                            .has = shift_methods_has,
                                                            .write = shift_methods_write };
