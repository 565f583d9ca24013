/*
 * methods.c -- the table of a contest: one line per method, one column per metric.
 *
 * A cell has the value, below it the 95 % interval and the p-value of the difference to the
 * uncalibrated probabilities, corrected for the number of methods (Holm). The best value of each
 * column and the chosen method are highlighted.
 */
#include "report/decimal.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>

enum { METRICS_MAX = 96 };

static bool methods_has(const crd_page_part *part) { return part->contest != NULL; }

/* Returns the best value of a metric; NaN if the metric has no better direction. */
static double best_of(const crd_contest *contest, size_t metric) {
  double best = (double)NAN;
  for (size_t i = 0; i < contest->count; i++) {
    const crd_result *const r = contest->candidates[i].result;
    if (!r || r->values[metric].metric->direction == CRD_NEITHER_IS_BETTER) continue;
    const double value = r->values[metric].value;
    const bool lower = r->values[metric].metric->direction == CRD_LOWER_IS_BETTER;
    if (isnan(best) || (lower ? value < best : value > best)) best = value;
  }
  return best;
}

/* "better" or "worse" if the difference to uncalibrated is significant, else "". */
static const char *side(const crd_difference *d) {
  if (!d || !(d->p < 0.05) || d->metric->direction == CRD_NEITHER_IS_BETTER || d->value == 0)
    return "";
  return (d->value < 0) == (d->metric->direction == CRD_LOWER_IS_BETTER) ? "better" : "worse";
}

static void add_p(crd__text *out, const crd_difference *d) {
  const char *const word = side(d);
  if (!d || isnan(d->p)) return;
  crd__text_addf(out, "<span class=\"p %s\">%s%sp ", word, word, *word ? ", " : "");
  crd__page_html_p(out, d->p);
  crd__text_add(out, "</span>");
}

static void add_cell(crd__text *out, const crd_candidate *c, size_t metric, double best) {
  const crd_metric_value *const v = &c->result->values[metric];
  if (isnan(v->value)) {
    crd__page_html_number_cell(out, v->value, v->reason);
    return;
  }
  crd__page_html_open_cell(out, v->value == best ? "best" : "", v->value);
  crd__text_add(out, v->value == best ? "<strong>" : "<span>");
  crd__page_html_value(out, v->value);
  crd__text_add(out, v->value == best ? "</strong>" : "</span>");
  if (!isnan(v->low) && !isnan(v->high)) {
    crd__text_add(out, "<span class=\"interval\">");
    crd__page_html_interval(out, v->low, v->high);
    crd__text_add(out, "</span>");
  }
  if (c->against_identity) add_p(out, &c->against_identity->items[metric]);
  crd__text_add(out, "</td>");
}

static void add_seconds(crd__text *out, double seconds) {
  char number[CRD__NUMBER_SIZE];
  crd__page_html_open_cell(out, "", seconds);
  if (!isnan(seconds)) crd__text_add(out, crd__report_decimal_format(number, seconds, 3));
  crd__text_add(out, "</td>");
}

static void add_candidate(crd__text *out, const crd_contest *contest, const crd_candidate *c,
                          const double *best) {
  const crd_result *const first = contest->candidates[0].result;
  crd__text_add(out, c == contest->chosen ? "<tr class=\"chosen\"><th scope=\"row\">"
                                          : "<tr><th scope=\"row\">");
  crd__page_html_words(out, c->name);
  if (c == contest->chosen) crd__text_add(out, " <span class=\"tag\">chosen</span>");
  if (c->failure) {
    crd__text_add(out, "<span class=\"failure\">failed: ");
    crd__page_html_words(out, c->failure);
    crd__text_add(out, "</span>");
  }
  crd__text_add(out, "</th>");
  for (size_t m = 0; m < first->value_count; m++) {
    if (c->result) add_cell(out, c, m, best[m]);
    else crd__page_html_number_cell(out, (double)NAN, NULL);
  }
  add_seconds(out, c->seconds);
  crd__text_add(out, "</tr>\n");
}

static void add_legend(crd__text *out, const crd_contest *c) {
  crd__text_add(out, "<p class=\"legend\">Bold: the best of its column. ");
  if (c->resamples) {
    crd__text_addf(out,
                   "Below values: 95 %% intervals from %u resamples, and the p value of the "
                   "difference to the uncalibrated probabilities, corrected for ",
                   c->resamples);
    crd__page_html_counted(out, c->count - 1, "method");
    crd__text_add(out, " (Holm).");
  }
  crd__text_add(out, "</p>\n");
}

static crd_status methods_write(crd_context *ctx, const crd__page *page) {
  const crd_contest *const c = page->part->contest;
  const crd_result *const first = c->candidates[0].result;
  crd__page_column columns[METRICS_MAX + 2] = { { "method", NULL, true } };
  double best[METRICS_MAX];
  if (first->value_count > METRICS_MAX)
    return crd__fail(ctx, CRD_EUSAGE,
                     "a contest of %zu metrics is too wide for a page, allowed are "
                     "up to %d",
                     first->value_count, METRICS_MAX);
  for (size_t m = 0; m < first->value_count; m++) {
    columns[m + 1] = (crd__page_column){ crd__page_metric_title(first->values[m].metric),
                                         first->values[m].metric->summary, false };
    best[m] = best_of(c, m);
  }
  columns[first->value_count + 1] = (crd__page_column){ "seconds", "fitting time", false };
  crd__page_html_table(page->out, "Calibration methods on the test rows", columns,
                       first->value_count + 2);
  for (size_t i = 0; i < c->count; i++) add_candidate(page->out, c, &c->candidates[i], best);
  crd__page_html_table_end(page->out);
  add_legend(page->out, c);
  return CRD_OK;
}

const crd__page_section crd__page_section_methods = {
  .name = "methods", .title = "Methods compared", .has = methods_has, .write = methods_write
};
