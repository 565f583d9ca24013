/*
 * operating.c -- operating points in plain words and as a table; for a contest, a table with all
 * methods, and the words of the recommended one.
 */
#include "report/operating.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>

static const crd_operating_table *points_of(const crd_result *result) {
  return result ? result->operating : NULL;
}

/* The points that are shown in words. */
static const crd_operating_table *main_points(const crd_page_part *part) {
  return points_of(part->contest ? part->contest->chosen->result : part->result);
}

static bool operating_has(const crd_page_part *part) { return main_points(part) != NULL; }

static void add_sentence(crd__text *out, const crd_operating_point *p) {
  crd__text words;
  crd__text_init(&words, out->alloc);
  crd__report_operating_sentence(&words, p);
  if (!words.failed) crd__page_html_element(out, "p", NULL, words.bytes);
  out->failed |= words.failed;
  crd__text_clear(&words);
}

void crd__page_write_points(crd__text *out, const crd_operating_table *points) {
  for (size_t i = 0; points && i < points->count; i++) add_sentence(out, &points->items[i]);
}

/* Begins a row with the method, if any, and the target. */
static void begin_row(crd__text *out, const char *method, const crd_target *target) {
  crd__text words;
  crd__text_init(&words, out->alloc);
  crd__report_operating_target(&words, target);
  if (!words.failed) {
    crd__page_html_row(out, method ? method : words.bytes);
    if (method) crd__page_html_words_cell(out, words.bytes);
  }
  out->failed |= words.failed;
  crd__text_clear(&words);
}

static void add_rate(crd__text *out, const crd_proportion *rate) {
  crd__page_html_open_cell(out, "", rate->value);
  crd__page_html_value(out, rate->value);
  if (!isnan(rate->low)) {
    crd__text_add(out, "<span class=\"interval\">");
    crd__page_html_interval(out, rate->low, rate->high);
    crd__text_add(out, "</span>");
  }
  crd__text_add(out, "</td>");
}

static void add_points(crd__text *out, const char *method, const crd_operating_table *t) {
  const crd__report_rate *rate;
  for (size_t i = 0; t && i < t->count; i++) {
    const crd_operating_point *const p = &t->items[i];
    begin_row(out, method, &p->target);
    crd__page_html_number_cell(out, p->threshold, p->reason);
    add_rate(out, &p->coverage);
    add_rate(out, &p->risk);
    crd__page_html_count_cell(out, p->accepted);
    crd__page_html_count_cell(out, p->rows);
    for (size_t r = 0; t->binary && (rate = crd__report_operating_rate(r)); r++)
      add_rate(out, crd__report_rate_of(p, rate));
    crd__text_add(out, "</tr>\n");
  }
}

static void add_table(const crd__page *page, const crd_operating_table *shown) {
  const crd__page_column columns[] = {
    { "method", NULL, true },
    { "target", NULL, true },
    { "threshold", "rows of at least this confidence are accepted", false },
    { "coverage", "accepted rows of those measured, with its 95 % interval", false },
    { "risk", "error rate of accepted rows, with its 95 % interval", false },
    { "accepted", NULL, false },
    { "measured", "rows that coverage and risk were measured on", false },
    { "sensitivity", "correct of accepted rows of class 1", false },
    { "specificity", "correct of accepted rows of class 0", false },
    { "PPV", "positive predictive value: correct of accepted rows predicted as class 1", false },
    { "NPV", "negative predictive value: correct of accepted rows predicted as class 0", false },
  };
  enum { COUNT = sizeof columns / sizeof *columns, RATES = 4 };
  const crd_contest *const contest = page->part->contest;
  const size_t first = contest ? 0 : 1;
  crd__page_html_table(page->out, "Operating points", columns + first,
                       (shown->binary ? COUNT : COUNT - RATES) - first);
  for (size_t i = 0; contest && i < contest->count; i++)
    add_points(page->out, contest->candidates[i].name, points_of(contest->candidates[i].result));
  if (!contest) add_points(page->out, NULL, shown);
  crd__page_html_table_end(page->out);
}

static crd_status operating_write(crd_context *ctx, const crd__page *page) {
  const crd_contest *const contest = page->part->contest;
  const crd_operating_table *const shown = main_points(page->part);
  (void)ctx;
  if (contest) {
    crd__text_add(page->out, "<p>With ");
    crd__page_html_words(page->out, contest->chosen->name);
    crd__text_add(page->out, ":</p>\n");
  }
  crd__page_write_points(page->out, shown);
  add_table(page, shown);
  crd__page_html_element(page->out, "p", "note",
                         contest ? crd__report_operating_contest_promise(contest) : shown->text);
  crd__text_add(page->out, "\n");
  return CRD_OK;
}

const crd__page_section crd__page_section_operating = {
  .name = "operating", .title = "Operating points", .has = operating_has, .write = operating_write
};
