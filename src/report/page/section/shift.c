/*
 * shift.c -- shifted sets: a sentence and a table each, with the values on both sets, the
 * difference and its interval. The figure over severities is with the other figures.
 */
#include "report/shift.h"
#include "report/operating.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>

static bool shift_has(const crd_page_part *part) {
  return part->result && part->result->shift && part->result->shift->count;
}

static void add_line(crd__text *out, const crd_result *r, const crd_shift *s, size_t metric) {
  const crd_metric_value *const shifted = &s->result->values[metric];
  const crd_difference *const d = &s->difference->items[metric];
  crd__page_html_row(out, crd__page_metric_title(d->metric));
  crd__page_html_number_cell(out, r->values[metric].value, r->values[metric].reason);
  crd__page_html_number_cell(out, shifted->value, shifted->reason);
  crd__page_html_number_cell(out, d->value, shifted->reason);
  crd__page_html_interval_cell(out, d->low, d->high);
  crd__page_html_p_cell(out, d->p);
  crd__text_add(out, "</tr>\n");
}

static void add_set(crd__text *out, const crd_result *r, const crd_shift *s) {
  static const crd__page_column columns[] = {
    { "metric", NULL, true },
    { "original", NULL, false },
    { "shifted", NULL, false },
    { "difference", "shifted minus original", false },
    { "95 % interval", "of the difference", false },
    { "p", "bootstrap p value of the difference", false },
  };
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  crd__report_shift_sentence(&sentence, r, s);
  crd__text_add(out, "<p>");
  if (!sentence.failed) crd__page_html_words(out, sentence.bytes);
  out->failed |= sentence.failed;
  crd__text_clear(&sentence);
  crd__text_add(out, " ");
  crd__page_html_words(out, s->result->name);
  crd__text_add(out, ": ");
  crd__page_html_counted(out, s->result->rows, "row");
  crd__text_addf(out, ", %s.</p>\n", crd__report_shift_rows(s));
  crd__page_html_table(out, s->name, columns, sizeof columns / sizeof *columns);
  for (size_t m = 0; m < r->value_count; m++) add_line(out, r, s, m);
  crd__page_html_table_end(out);
  crd__page_write_points(out, s->result->operating);
}

static crd_status shift_write(crd_context *ctx, const crd__page *page) {
  const crd_result *const r = page->part->result;
  (void)ctx;
  for (size_t i = 0; i < r->shift->count; i++) add_set(page->out, r, &r->shift->items[i]);
  return CRD_OK;
}

const crd__page_section crd__page_section_shift = {
  .name = "shift", .title = "Shifted data", .has = shift_has, .write = shift_write
};
