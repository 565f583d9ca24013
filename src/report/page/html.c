/*
 * html.c -- text, numbers and tables as HTML.
 *
 * Numbers are shown rounded; data-value holds the full precision, for sorting and for programs that
 * read the page.
 */
#include "report/page/html.h"
#include "report/decimal.h"
#include "report/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define THIN_SPACE "\xe2\x80\xaf" /* U+202F, narrow no-break space */
#define DASH "\xe2\x80\x93"

void crd__page_html_words(crd__text *out, const char *words) {
  if (words) crd__report_svg_add_words(out, words, SIZE_MAX);
}

static void open_tag(crd__text *out, const char *tag, const char *kind) {
  crd__text_addf(out, "<%s", tag);
  if (kind) crd__text_addf(out, " class=\"%s\"", kind);
  crd__text_add(out, ">");
}

void crd__page_html_element(crd__text *out, const char *tag, const char *kind, const char *words) {
  open_tag(out, tag, kind);
  crd__page_html_words(out, words);
  crd__text_addf(out, "</%s>\n", tag);
}

void crd__page_html_count(crd__text *out, uint64_t count) {
  if (count < 10000) { /* four digits need no separator */
    crd__text_addf(out, "%" PRIu64, count);
    return;
  }
  uint64_t unit = 1;
  while (count / unit >= 1000) unit *= 1000;
  crd__text_addf(out, "%" PRIu64, count / unit);
  while (unit /= 1000) crd__text_addf(out, THIN_SPACE "%03" PRIu64, count / unit % 1000);
}

void crd__page_html_counted(crd__text *out, uint64_t count, const char *what) {
  crd__page_html_count(out, count);
  crd__text_addf(out, " %s%s", what, count == 1 ? "" : "s");
}

void crd__page_html_value(crd__text *out, double value) {
  char number[CRD__NUMBER_SIZE];
  crd__page_html_words(out, isnan(value) ? "n/a" : crd__report_p_format(number, value));
}

void crd__page_html_p(crd__text *out, double p) {
  if (p < 1e-4) crd__text_add(out, "&lt; 0.0001");
  else if (p > 0.999) crd__text_add(out, "&gt; 0.999");
  else crd__page_html_value(out, p);
}

void crd__page_html_percent(crd__text *out, double share) {
  char number[CRD__NUMBER_SIZE];
  crd__text_addf(out, "%s" THIN_SPACE "%%", crd__report_decimal_format(number, 100 * share, 1));
}

/* An end of 0.0000389 beside 0.0112 is 0.0000. */
static void add_end(crd__text *out, double end, double other) {
  char number[CRD__NUMBER_SIZE];
  if (fabs(end) < 1e-4 && fabs(other) >= 1e-4)
    crd__text_add(out, crd__report_decimal_format(number, end, 4));
  else crd__page_html_value(out, end);
}

void crd__page_html_interval(crd__text *out, double low, double high) {
  if (isnan(low) || isnan(high)) return;
  add_end(out, low, high);
  crd__text_add(out, low < 0 ? " to " : " " DASH " "); /* a dash would look like a sign */
  add_end(out, high, low);
}

void crd__page_html_verdict(crd__text *out, const char *verdict) {
  static const char typed[] = "-&gt;", arrow[] = "\xe2\x86\x92";
  const size_t from = strlen(typed), to = strlen(arrow), begin = out->length;
  crd__page_html_words(out, verdict);
  if (out->failed || out->length == begin) return;
  for (char *at = out->bytes + begin; (at = strstr(at, typed)); at += to) {
    memcpy(at, arrow, to);
    memmove(at + to, at + from, strlen(at + from) + 1);
    out->length -= from - to;
  }
}

/* ---- Tables. */

void crd__page_html_table(crd__text *out, const char *caption, const crd__page_column *columns,
                          size_t count) {
  crd__text_add(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
  crd__page_html_words(out, caption);
  crd__text_add(out, "\">\n<table class=\"sortable\">\n");
  crd__page_html_element(out, "caption", NULL, caption);
  crd__text_add(out, "<thead>\n<tr>");
  for (size_t i = 0; i < count; i++) {
    crd__text_addf(out, "<th scope=\"col\"%s", columns[i].words ? "" : " class=\"number\"");
    if (columns[i].tooltip) {
      crd__text_add(out, " title=\"");
      crd__page_html_words(out, columns[i].tooltip);
      crd__text_add(out, "\"");
    }
    crd__text_add(out, ">");
    crd__page_html_words(out, columns[i].label);
    crd__text_add(out, "</th>");
  }
  crd__text_add(out, "</tr>\n</thead>\n<tbody>\n");
}

void crd__page_html_table_end(crd__text *out) {
  crd__text_add(out, "</tbody>\n</table>\n</div>\n");
}

void crd__page_html_worst(crd__text *out, const char *what, const char *name,
                          const crd__page_column *columns, size_t count) {
  char caption[160];
  snprintf(caption, sizeof caption, "%s with the largest error%s%.100s", what, name ? ": " : "",
           name ? name : "");
  crd__text_add(out, "<div>\n");
  crd__page_html_table(out, caption, columns, count);
}

void crd__page_html_worst_end(crd__text *out, size_t more, const char *sentence) {
  crd__page_html_table_end(out);
  if (more) {
    crd__text_add(out, "<p class=\"legend\">");
    crd__page_html_count(out, more);
    crd__text_addf(out, " more %s.</p>\n", sentence);
  }
  crd__text_add(out, "</div>\n");
}

void crd__page_html_row(crd__text *out, const char *name) {
  crd__text_add(out, "<tr><th scope=\"row\">");
  crd__page_html_words(out, name);
  crd__text_add(out, "</th>");
}

void crd__page_html_open_cell(crd__text *out, const char *kind, double value) {
  crd__text_addf(out, "<td class=\"number%s%s\"", *kind ? " " : "", kind);
  if (!isnan(value)) {
    crd__text_add(out, " data-value=\"");
    crd__text_add_number(out, value);
    crd__text_add(out, "\"");
  }
  crd__text_add(out, ">");
}

void crd__page_html_number_cell(crd__text *out, double value, const char *why) {
  crd__page_html_open_cell(out, isnan(value) ? "none" : "", value);
  if (why) {
    crd__text_add(out, "<span title=\"");
    crd__page_html_words(out, why);
    crd__text_add(out, "\">");
  }
  crd__page_html_value(out, value);
  crd__text_add(out, why ? "</span></td>" : "</td>");
}

void crd__page_html_p_cell(crd__text *out, double p) {
  crd__page_html_open_cell(out, isnan(p) ? "none" : "", p);
  crd__page_html_p(out, p);
  crd__text_add(out, "</td>");
}

void crd__page_html_metric_cell(crd__text *out, const crd_metric_value *value, const char *why) {
  if (!value || isnan(value->value) || isnan(value->low) || isnan(value->high)) {
    crd__page_html_number_cell(out, value ? value->value : (double)NAN, why);
    return;
  }
  crd__page_html_open_cell(out, "", value->value);
  crd__page_html_value(out, value->value);
  crd__text_add(out, "<span class=\"interval\">");
  crd__page_html_interval(out, value->low, value->high);
  crd__text_add(out, "</span></td>");
}

void crd__page_html_count_cell(crd__text *out, uint64_t count) {
  crd__page_html_open_cell(out, "", (double)count);
  crd__page_html_count(out, count);
  crd__text_add(out, "</td>");
}

void crd__page_html_interval_cell(crd__text *out, double low, double high) {
  crd__page_html_open_cell(out, "interval", low);
  crd__page_html_interval(out, low, high);
  crd__text_add(out, "</td>");
}

void crd__page_html_words_cell(crd__text *out, const char *words) {
  crd__text_add(out, "<td>");
  crd__page_html_words(out, words);
  crd__text_add(out, "</td>");
}
