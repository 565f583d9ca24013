/* metrics.c -- the table of a result: one line per metric, with its meaning. */
#include "report/form.h"
#include "report/page/caveat.h"
#include "report/page/headline.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>

static bool metrics_has(const crd_page_part *part) {
  return part->result && part->result->value_count > 0;
}

/* Which optional columns have content. */
typedef struct {
  bool intervals, floors, tests;
} shape;

static shape shape_of(const crd_result *r) {
  shape s = { .tests = crd__report_has_p(r) };
  for (size_t i = 0; i < r->value_count; i++) {
    s.intervals |= !isnan(r->values[i].low);
    s.floors |= !isnan(r->values[i].noise_floor);
  }
  return s;
}

static void add_optional(crd__text *out, double value) {
  crd__page_html_open_cell(out, "", value);
  if (!isnan(value)) crd__page_html_value(out, value);
  crd__text_add(out, "</td>");
}

static void add_p(crd__text *out, double p) {
  crd__page_html_open_cell(out, "", p);
  if (!isnan(p)) crd__page_html_p(out, p);
  crd__text_add(out, "</td>");
}

/* A finding that concerns the metric. */
static void add_caveat(crd__text *out, const crd_diagnosis *diagnosis, const char *metric) {
  const char *const words = crd__page_caveat_find(diagnosis, metric);
  if (words) crd__page_html_element(out, "span", "caveat", words);
}

static void add_metric(const crd__page *page, const crd_metric_value *v, const shape *s) {
  crd__text *const out = page->out;
  crd__page_html_row(out, crd__page_metric_title(v->metric));
  crd__page_html_number_cell(out, v->value, v->reason);
  if (s->intervals) crd__page_html_interval_cell(out, v->low, v->high);
  if (s->floors) add_optional(out, crd__page_headline_floor(page->part->result, v));
  if (s->tests) add_p(out, v->p);
  crd__page_html_words_cell(out, crd__report_direction_word(v->metric->direction));
  crd__text_add(out, "<td class=\"meaning\">");
  crd__page_html_words(out, isnan(v->value) && v->reason ? v->reason : v->metric->summary);
  add_caveat(out, page->part->diagnosis, v->metric->name);
  crd__text_add(out, "</td></tr>\n");
}

static crd_status metrics_write(crd_context *ctx, const crd__page *page) {
  const crd_result *const r = page->part->result;
  const shape s = shape_of(r);
  const struct {
    crd__page_column column;
    bool shown;
  } all[] = {
    { { "metric", NULL, true }, true },
    { { "value", NULL, false }, true },
    { { "95 % interval", NULL, false }, s.intervals },
    { { "noise floor", "value of a perfectly calibrated model on as many rows, by chance", false },
      s.floors },
    { { "p", "probability that a calibrated model shows this value or more", false }, s.tests },
    { { "better", "which values are better", true }, true },
    { { "meaning", NULL, true }, true },
  };
  enum { COUNT = sizeof all / sizeof *all };
  crd__page_column columns[COUNT];
  size_t count = 0;
  (void)ctx;
  for (size_t i = 0; i < COUNT; i++)
    if (all[i].shown) columns[count++] = all[i].column;
  crd__page_html_table(page->out, "Metrics on all rows", columns, count);
  for (size_t i = 0; i < r->value_count; i++) add_metric(page, &r->values[i], &s);
  crd__page_html_table_end(page->out);
  return CRD_OK;
}

const crd__page_section crd__page_section_metrics = {
  .name = "metrics", .title = "Metrics", .has = metrics_has, .write = metrics_write
};
