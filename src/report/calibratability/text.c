/*
 * text.c -- calibratability as text: a line per training method, the gaps against
 * the baseline with their p-values, and a table of sizes for each post-hoc method.
 */
#include "report/calibratability/sheet.h"
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/plain.h"
#include "report/series_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, NAME_MIN_WIDTH = 12, NAME_MAX_WIDTH = 26, GAP_MIN_WIDTH = 20 };

static void add_test(crd__text *out, const crd_calibratability *r) {
  crd__text words;
  crd__text_init(&words, out->alloc);
  if (crd__report_calibratability_add_test(&words, r)) {
    crd__text_add(out, "+ significantly better, - worse than ");
    crd__report_text_add_plain(out, r->items[0].name, 0);
    crd__text_addf(out, ": %s.", words.bytes ? words.bytes : "");
  }
  out->failed |= words.failed;
  crd__text_clear(&words);
}

/* ---- Gaps. */

/* "+0.0063, p 0.0012" */
static void add_gap(crd__text *out, const crd_calibratability_gap *gap, size_t width) {
  char number[CRD__NUMBER_SIZE], p[CRD__NUMBER_SIZE], cell[3 * CRD__NUMBER_SIZE] = "-";
  if (!isnan(gap->value))
    snprintf(cell, sizeof cell, "%s%s%s%s", gap->value > 0 ? "+" : "",
             crd__report_decimal_format(number, gap->value, 4), isnan(gap->p) ? "" : ", p ",
             isnan(gap->p) ? "" : crd__report_p_format(p, gap->p_corrected));
  crd__text_addf(out, "  %-*s", (int)width, cell);
}

static bool is_gap(const crd_calibratability_column *column) {
  return column->kind == CRD_CALIBRATABILITY_AFTER || column->kind == CRD_CALIBRATABILITY_ORACLE;
}

static size_t gap_width(const crd_calibratability *r) {
  size_t width = GAP_MIN_WIDTH;
  for (size_t k = 0; k < r->column_count; k++)
    if (is_gap(&r->columns[k]) && strlen(r->columns[k].name) > width)
      width = strlen(r->columns[k].name);
  return width;
}

/* Removes the spaces at the end of a line, and ends it. */
static void end_line(crd__text *out) {
  while (!out->failed && out->length && out->bytes[out->length - 1] == ' ')
    out->bytes[--out->length] = '\0';
  crd__text_add(out, "\n");
}

static size_t name_width(const crd_calibratability *r) {
  size_t width = NAME_MIN_WIDTH;
  for (size_t i = 0; i < r->count; i++) {
    const size_t length = crd__report_text_columns(r->items[i].name);
    if (length > width) width = length < NAME_MAX_WIDTH ? length : NAME_MAX_WIDTH;
  }
  return width;
}

/* Adds one table of the gaps of columns first .. end-1. */
static void add_gap_table(crd__text *out, const crd_calibratability *r, size_t first, size_t end,
                          const crd_report_options *options) {
  const size_t width = name_width(r), gap = gap_width(r);
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s", (int)width, "gap");
  for (size_t k = first; k < end; k++)
    if (is_gap(&r->columns[k])) crd__text_addf(out, "  %-*s", (int)gap, r->columns[k].name);
  end_line(out);
  crd__report_style_add(out, options, "0");
  for (size_t i = 1; i < r->count; i++) {
    crd__text_add(out, "  ");
    crd__report_text_add_column(out, r->items[i].name, width, options->ascii);
    for (size_t k = first; k < end; k++)
      if (is_gap(&r->columns[k])) add_gap(out, &r->items[i].gaps[k], gap);
    end_line(out);
  }
  crd__text_add(out, "\n");
}

/* Returns the first gap that could not be tested; NULL: all could. */
static const char *untested(const crd_calibratability *r) {
  for (size_t i = 1; i < r->count; i++)
    for (size_t k = 0; k < r->column_count; k++)
      if (is_gap(&r->columns[k]) && r->items[i].gaps[k].reason) return r->items[i].gaps[k].reason;
  return NULL;
}

static void add_gaps(crd__text *out, const crd_calibratability *r,
                     const crd_report_options *options, crd__text *sentence) {
  const size_t most = (WIDTH - 2 - name_width(r)) / (gap_width(r) + 2), fit = most ? most : 1;
  if (r->count < 2) return;
  for (size_t k = 0; k < r->column_count;) {
    size_t end = k, used = 0;
    while (end < r->column_count && used + is_gap(&r->columns[end]) <= fit)
      used += is_gap(&r->columns[end++]);
    if (used) add_gap_table(out, r, k, end, options);
    k = end;
  }
  crd__text_add(sentence, "gap: mean ECE minus that of ");
  crd__report_text_add_plain(sentence, r->items[0].name, options->ascii);
  crd__text_add(sentence, ": positive where the training method is less calibratable.");
  if (untested(r)) crd__text_addf(sentence, " Without p: %s.", untested(r));
  crd__report_series_add_sentence(out, sentence, options);
}

/* ---- Sizes. */

static void add_sizes(crd__text *out, const crd__report_calibratability *s,
                      const crd_report_options *options, crd__text *sentence) {
  for (size_t m = 0; s->results->size_count && m < s->results->method_count; m++) {
    crd__text_add(out, "\n");
    crd__report_calibratability_add_sizes(sentence, s->results, m);
    crd__text_add(sentence, ".");
    crd__report_series_add_sentence(out, sentence, options);
    crd__text_add(out, "\n");
    crd__report_series_add_tables(out, &s->sizes[m], "training", options);
    if (!out->failed && out->length) out->bytes[--out->length] = '\0'; /* the empty line */
  }
}

void crd__report_calibratability_text(const crd__report_calibratability *sheet,
                                      const crd_report_options *options, crd__text *out) {
  const crd_calibratability *const r = sheet->results;
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  crd__report_series_add_tables(out, &sheet->table, "training", options);
  add_gaps(out, r, options, &sentence);
  crd__report_calibratability_add_caption(&sentence, r);
  crd__report_series_add_sentence(out, &sentence, options);
  crd__report_calibratability_add_columns(&sentence, r);
  crd__report_series_add_sentence(out, &sentence, options);
  add_test(&sentence, r);
  crd__report_series_add_sentence(out, &sentence, options);
  add_sizes(out, sheet, options, &sentence);
  out->failed |= sentence.failed;
  crd__text_clear(&sentence);
  crd__report_text_add_notes(out, r->notes, r->note_count, options);
}
