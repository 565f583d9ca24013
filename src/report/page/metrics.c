/* metrics.c -- the result's table: a row for each metric, with what it means. */
#include "report/form.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>

static bool has(const crd_page_part *part) { return part->result && part->result->value_count > 0; }

static void add_metric(crd__text *out, const crd_metric_value *v, bool tested) {
  crd__html_row(out, v->metric->name);
  crd__html_number_cell(out, v->value, v->reason);
  crd__html_interval_cell(out, v->low, v->high);
  crd__html_open_cell(out, "", v->noise_floor);
  if (!isnan(v->noise_floor)) crd__html_value(out, v->noise_floor);
  crd__text_add(out, "</td>");
  if (tested) {
    crd__html_open_cell(out, "", v->p);
    if (!isnan(v->p)) crd__html_value(out, v->p);
    crd__text_add(out, "</td>");
  }
  crd__html_words_cell(out, crd__direction_word(v->metric->direction));
  crd__text_add(out, "<td class=\"meaning\">");
  crd__html_words(out, isnan(v->value) && v->reason ? v->reason : v->metric->summary);
  crd__text_add(out, "</td></tr>\n");
}

static crd_status write(crd_context *ctx, const crd__page *page) {
  const crd_result *const r = page->part->result;
  const bool tested = crd__has_p(r);
  const crd__column columns[] = {
    { "metric", NULL, true },
    { "value", NULL, false },
    { "95 % interval", NULL, false },
    { "noise floor", "what a perfectly calibrated model would show on so many rows", false },
    { "p", "how likely a perfectly calibrated model shows as much or more", false },
    { "better", "which values are better", true },
    { "what it is", NULL, true },
  };
  enum { COUNT = sizeof columns / sizeof *columns, P = 4 };
  crd__column shown[COUNT];
  size_t count = 0;
  (void)ctx;
  for (size_t i = 0; i < COUNT; i++)
    if (i != P || tested) shown[count++] = columns[i];
  crd__html_table(page->out, "What was measured on all rows", shown, count);
  for (size_t i = 0; i < r->value_count; i++) add_metric(page->out, &r->values[i], tested);
  crd__html_table_end(page->out);
  return CRD_OK;
}

const crd__section crd__section_metrics = {
  .name = "metrics", .title = "Metrics", .has = has, .write = write
};
