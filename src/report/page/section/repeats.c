/*
 * repeats.c -- the table of a series: one line per method, mean and standard deviation over the
 * runs in each column.
 *
 * Below a value is the p-value of its mean difference from the uncalibrated probabilities,
 * corrected for the number of methods. The best mean of each column is highlighted.
 */
#include "report/page/html.h"
#include "report/page/page.h"
#include "report/series_parts.h"

#include <math.h>

enum { METRICS_MAX = 96 };

static bool repeats_has(const crd_page_part *part) { return part->series && part->series->runs; }

static void add_p(crd__text *out, const crd_series_summary *s, size_t candidate, size_t column) {
  static const char *const words[] = { ['+'] = "better", ['-'] = "worse" };
  const crd_series_difference *const against = s->candidates[candidate].against_identity;
  const char mark = crd__report_series_mark(s, candidate, column);
  if (!against || column == s->metric_count || isnan(against[column].p)) return;
  const char *const word = mark == ' ' ? "" : words[(unsigned char)mark];
  crd__text_addf(out, "<span class=\"p %s\">%s%sp ", word, word, *word ? ", " : "");
  crd__page_html_p(out, against[column].p);
  crd__text_add(out, "</span>");
}

static void add_cell(crd__text *out, const crd_series_summary *s, size_t candidate, size_t column) {
  const crd_series_value *const v = crd__report_series_value(s, candidate, column);
  const crd__report_series_cell cell = crd__report_series_cell_format(s, candidate, column);
  const bool best = crd__report_series_rank_of(s, candidate, column) == CRD__RANK_BEST;
  if (!v->runs) {
    crd__page_html_number_cell(out, (double)NAN, NULL);
    return;
  }
  crd__page_html_open_cell(out, best ? "best" : "", v->mean);
  crd__text_addf(out, best ? "<strong>%s</strong>" : "<span>%s</span>", cell.mean);
  if (cell.has_std) crd__text_addf(out, "<span> \xc2\xb1 %s</span>", cell.std);
  add_p(out, s, candidate, column);
  crd__text_add(out, "</td>");
}

static void add_candidate(crd__text *out, const crd_series_summary *s, size_t candidate) {
  const crd_series_candidate *const c = &s->candidates[candidate];
  crd__text trouble;
  crd__text_init(&trouble, out->alloc);
  crd__report_series_add_trouble(&trouble, s, candidate);
  crd__text_add(out, "<tr><th scope=\"row\">");
  crd__page_html_words(out, c->name);
  if (trouble.length) {
    crd__text_add(out, "<span class=\"failure\">");
    crd__page_html_words(out, trouble.bytes);
    crd__text_add(out, "</span>");
  }
  out->failed |= trouble.failed;
  crd__text_clear(&trouble);
  crd__text_add(out, "</th>");
  for (size_t column = 0; column < crd__report_series_columns(s); column++)
    add_cell(out, s, candidate, column);
  crd__page_html_count_cell(out, c->chosen);
  crd__text_add(out, "</tr>\n");
}

/* Sentences are written into a text of their own first, since captions need escaping. */
static void add_legend(crd__text *out, const crd_series_summary *s) {
  crd__text words;
  crd__text_init(&words, out->alloc);
  crd__report_series_add_caption(&words, s);
  crd__text_add(&words, " Bold: the best mean of its column.");
  if (crd__report_series_is_tested(s)) {
    crd__text_add(&words,
                  " Below values: p of the mean difference from identity; better or worse: ");
    crd__report_series_add_test(&words, s);
    crd__text_add(&words, " (Holm).");
  }
  crd__text_add(&words, " ");
  crd__report_series_add_choices(&words, s);
  crd__text_add(&words, " The other sections show the first run.");
  if (!words.failed) crd__page_html_element(out, "p", "legend", words.bytes);
  out->failed |= words.failed;
  crd__text_clear(&words);
}

static crd_status repeats_write(crd_context *ctx, const crd__page *page) {
  const crd_series_summary *const s = page->part->series;
  const size_t count = crd__report_series_columns(s);
  crd__page_column columns[METRICS_MAX + 3] = { { "method", NULL, true } };
  if (s->metric_count > METRICS_MAX)
    return crd__fail(ctx, CRD_EUSAGE,
                     "a series of %zu metrics is too wide for a page, allowed are up to %d",
                     s->metric_count, METRICS_MAX);
  for (size_t c = 0; c < count; c++)
    columns[c + 1] =
        (crd__page_column){ crd__report_series_heading(s, c),
                            c < s->metric_count ? s->metrics[c]->summary : "fitting time", false };
  columns[count + 1] = (crd__page_column){ "chosen", "runs whose verdict recommends it", false };
  crd__page_html_table(page->out, "Mean and standard deviation over the runs", columns, count + 2);
  for (size_t i = 0; i < s->count; i++) add_candidate(page->out, s, i);
  crd__page_html_table_end(page->out);
  add_legend(page->out, s);
  return CRD_OK;
}

const crd__page_section crd__page_section_repeats = {
  .name = "repeats", .title = "Repeats", .has = repeats_has, .write = repeats_write
};
