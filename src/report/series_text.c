/*
 * series_text.c -- a series as text: tables of "mean +- standard deviation" with as many columns as
 * fit into 80 characters, one below the other, and the sentences that explain them.
 */
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/form.h"
#include "report/plain.h"
#include "report/series_parts.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, NAME_MIN_WIDTH = 12, NAME_MAX_WIDTH = 26, GAP = 2, CELL_SIZE = 80 };

static size_t name_width(const crd_series_summary *s) {
  size_t width = NAME_MIN_WIDTH;
  for (size_t i = 0; i < s->count; i++) {
    const size_t length = crd__report_text_columns(s->candidates[i].name);
    if (length > width) width = length < NAME_MAX_WIDTH ? length : NAME_MAX_WIDTH;
  }
  return width;
}

static const char *cell_text(char text[CELL_SIZE], const crd_series_summary *s, size_t candidate,
                             size_t column) {
  const crd__report_series_cell cell = crd__report_series_cell_format(s, candidate, column);
  snprintf(text, CELL_SIZE, "%s%s%s", cell.mean, cell.has_std ? " +- " : "",
           cell.has_std ? cell.std : "");
  return text;
}

static size_t column_width(const crd_series_summary *s, size_t column) {
  char text[CELL_SIZE];
  size_t width = strlen(crd__report_series_heading(s, column));
  for (size_t i = 0; i < s->count; i++) {
    const size_t length = strlen(cell_text(text, s, i, column));
    if (length > width) width = length;
  }
  return width;
}

/* Returns the end of the columns from `first` that fit beside the names; at least one does. */
static size_t fit_columns(const crd_series_summary *s, size_t first, size_t name) {
  size_t end = first, used = 2 + name;
  while (end < crd__report_series_columns(s)) {
    used += GAP + column_width(s, end) + 1;
    if (used > WIDTH && end > first) break;
    end++;
  }
  return end;
}

/* Appends one column of a line; lines do not end with a space. */
static void add_column(crd__text *out, const char *text, size_t width, const char *mark) {
  crd__text_addf(out, "%*s%*s%s", GAP, "", (int)width, text, mark);
}

static void add_table(crd__text *out, const crd_series_summary *s, const char *heading,
                      size_t first, size_t end, const crd_report_options *options) {
  char text[CELL_SIZE];
  const int name = (int)name_width(s);
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s", name, heading);
  for (size_t c = first; c < end; c++)
    add_column(out, crd__report_series_heading(s, c), column_width(s, c), c + 1 < end ? " " : "");
  crd__report_style_add(out, options, "0");
  for (size_t i = 0; i < s->count; i++) {
    crd__text_add(out, "\n  ");
    crd__report_text_add_column(out, s->candidates[i].name, (size_t)name, options->ascii);
    for (size_t c = first; c < end; c++) {
      const char mark[2] = { crd__report_series_mark(s, i, c) };
      add_column(out, cell_text(text, s, i, c), column_width(s, c),
                 c + 1 < end || *mark != ' ' ? mark : "");
    }
  }
  crd__text_add(out, "\n\n");
}

void crd__report_series_add_tables(crd__text *out, const crd_series_summary *s, const char *heading,
                                   const crd_report_options *options) {
  const size_t name = name_width(s), columns = crd__report_series_columns(s);
  for (size_t c = 0, end; c < columns; c = end) {
    end = fit_columns(s, c, name);
    add_table(out, s, heading, c, end, options);
  }
}

void crd__report_series_add_sentence(crd__text *out, crd__text *sentence,
                                     const crd_report_options *options) {
  if (!sentence->failed && sentence->length) {
    crd__text_add(out, "  ");
    crd__report_text_add_wrapped(out, sentence->bytes,
                                 &(crd__report_wrapping){ 2, 2, WIDTH, options->ascii });
  }
  out->failed |= sentence->failed;
  crd__text_clear(sentence);
}

static void add_test(crd__text *out, const crd_series_summary *s) {
  if (!crd__report_series_is_tested(s)) return;
  crd__text_add(out, "+ significantly better, - worse than identity: ");
  crd__report_series_add_test(out, s);
  crd__text_add(out, ".");
}

/* "temperature learns a temperature of 2.06 +- 0.03" */
static void add_temperature(crd__text *out, const crd_series_candidate *c) {
  char mean[CRD__NUMBER_SIZE], std[CRD__NUMBER_SIZE];
  if (!c->temperature.runs) return;
  crd__text_addf(out, "%s learns a temperature of %s", c->name,
                 crd__report_decimal_format(mean, c->temperature.mean, 3));
  if (c->temperature.runs > 1)
    crd__text_addf(out, " +- %s", crd__report_decimal_format(std, c->temperature.std, 3));
  crd__text_add(out, ".");
}

static void add_remarks(crd__text *out, const crd_series_summary *s,
                        const crd_report_options *options) {
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  for (size_t i = 0; i < s->count; i++) {
    add_temperature(&sentence, &s->candidates[i]);
    crd__report_series_add_sentence(out, &sentence, options);
    if (!s->candidates[i].failures && !s->candidates[i].unconverged) continue;
    crd__text_addf(&sentence, "%s ", s->candidates[i].name);
    crd__report_series_add_trouble(&sentence, s, i);
    crd__report_series_add_sentence(out, &sentence, options);
  }
}

void crd__report_series_text(const crd_series_summary *s, const crd_report_options *options,
                             crd__text *out) {
  crd__text sentence;
  crd__report_heading_add_name(out, options, s->test_name);
  crd__text_add(out, "\n");
  crd__report_series_add_tables(out, s, "method", options);
  crd__text_init(&sentence, out->alloc);
  crd__report_series_add_caption(&sentence, s);
  crd__report_series_add_sentence(out, &sentence, options);
  add_test(&sentence, s);
  crd__report_series_add_sentence(out, &sentence, options);
  add_remarks(out, s, options);
  crd__text_add(out, "\n");
  crd__report_style_add(out, options, "1");
  crd__report_series_add_choices(&sentence, s);
  if (!sentence.failed && sentence.length)
    crd__report_text_add_wrapped(out, sentence.bytes,
                                 &(crd__report_wrapping){ 0, 0, WIDTH, options->ascii });
  out->failed |= sentence.failed;
  crd__text_clear(&sentence);
  crd__report_style_add(out, options, "0");
  crd__report_text_add_notes(out, s->notes, s->note_count, options->ascii);
}
