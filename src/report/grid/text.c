/*
 * text.c -- a table for papers as text: as many columns as fit into 80 characters beside each
 * other, further ones below; intervals in a second line below the values.
 */
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/grid/grid.h"
#include "report/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, NAME_MIN_WIDTH = 12, NAME_MAX_WIDTH = 26, GAP = 2, CELL_SIZE = 96 };

static size_t name_width(const crd__report_grid *grid) {
  size_t width = NAME_MIN_WIDTH;
  for (size_t i = 0; i < grid->lines; i++) {
    const size_t length = crd__report_text_columns(grid->name(grid->self, i));
    if (length > width) width = length < NAME_MAX_WIDTH ? length : NAME_MAX_WIDTH;
  }
  return width;
}

static const char *value_text(char text[CELL_SIZE], const crd__report_grid *grid, size_t line,
                              size_t column) {
  const crd__report_cell_text cell = crd__report_grid_format(grid, line, column);
  snprintf(text, CELL_SIZE, "%s%s%s", cell.value, *cell.std ? " +- " : "", cell.std);
  return text;
}

/* As short as possible, unless digits are requested; "" if there is no interval. */
static const char *interval_text(char text[CELL_SIZE], const crd__report_grid *grid, size_t line,
                                 size_t column) {
  const crd__report_cell cell = crd__report_grid_cell(grid, line, column);
  const crd__report_cell_text shown = crd__report_grid_format(grid, line, column);
  if (!grid->digits) return crd__report_interval_format(text, cell.low, cell.high);
  *text = '\0';
  if (!isnan(cell.low) && !isnan(cell.high))
    snprintf(text, CELL_SIZE, "%s-%s", shown.low, shown.high);
  return text;
}

static size_t heading_width(crd__text *out, const crd__report_grid *grid, size_t column) {
  crd__text heading;
  crd__text_init(&heading, out->alloc);
  crd__report_grid_heading(&heading, grid, column);
  const size_t width = heading.length;
  out->failed |= heading.failed;
  crd__text_clear(&heading);
  return width;
}

static size_t column_width(crd__text *out, const crd__report_grid *grid, size_t column) {
  char text[CELL_SIZE];
  size_t width = heading_width(out, grid, column);
  for (size_t i = 0; i < grid->lines; i++) {
    const size_t value = strlen(value_text(text, grid, i, column));
    const size_t interval = strlen(interval_text(text, grid, i, column));
    if (value > width) width = value;
    if (interval > width) width = interval;
  }
  return width;
}

/* Returns the end of the columns from `first` that fit beside the names; at least one does. */
static size_t fit_columns(crd__text *out, const crd__report_grid *grid, size_t first, size_t name) {
  size_t end = first, used = 2 + name;
  while (end < grid->columns) {
    used += GAP + column_width(out, grid, end) + 1;
    if (used > WIDTH && end > first) break;
    end++;
  }
  return end;
}

/* Appends one column of a line; lines do not end with a space. */
static void add_column(crd__text *out, const char *text, size_t width, const char *mark) {
  crd__text_addf(out, "%*s%*s%s", GAP, "", (int)width, text, mark);
}

static void add_headings(crd__text *out, const crd__report_grid *grid, size_t first, size_t end,
                         const crd_report_options *options) {
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s", (int)name_width(grid), grid->corner);
  for (size_t c = first; c < end; c++) {
    crd__report_text_add_spaces(out,
                                GAP + column_width(out, grid, c) - heading_width(out, grid, c));
    crd__report_grid_heading(out, grid, c);
    crd__text_add(out, c + 1 < end ? " " : "");
  }
  crd__report_style_add(out, options, "0");
}

static bool has_intervals(const crd__report_grid *grid, size_t line, size_t first, size_t end) {
  char text[CELL_SIZE];
  for (size_t c = first; c < end; c++)
    if (*interval_text(text, grid, line, c)) return true;
  return false;
}

static void add_intervals(crd__text *out, const crd__report_grid *grid, size_t line, size_t first,
                          size_t end, const crd_report_options *options) {
  char text[CELL_SIZE];
  if (!has_intervals(grid, line, first, end)) return;
  crd__text_add(out, "\n");
  crd__report_style_add(out, options, "2");
  crd__report_text_add_spaces(out, 2 + name_width(grid));
  for (size_t c = first; c < end; c++)
    add_column(out, interval_text(text, grid, line, c), column_width(out, grid, c),
               c + 1 < end ? " " : "");
  crd__report_style_add(out, options, "0");
}

static void add_line(crd__text *out, const crd__report_grid *grid, size_t line, size_t first,
                     size_t end, const crd_report_options *options) {
  char text[CELL_SIZE];
  crd__text_add(out, "\n  ");
  crd__report_text_add_column(out, grid->name(grid->self, line), name_width(grid), options->ascii);
  for (size_t c = first; c < end; c++) {
    const char found = grid->cell(grid->self, line, c).mark;
    const char mark[2] = { (char)(found ? found : ' ') };
    add_column(out, value_text(text, grid, line, c), column_width(out, grid, c),
               c + 1 < end || *mark != ' ' ? mark : "");
  }
  add_intervals(out, grid, line, first, end, options);
}

void crd__report_grid_text(crd__text *out, const crd__report_grid *grid,
                           const crd_report_options *options) {
  const size_t name = name_width(grid);
  for (size_t c = 0, end; c < grid->columns; c = end) {
    end = fit_columns(out, grid, c, name);
    add_headings(out, grid, c, end, options);
    for (size_t i = 0; i < grid->lines; i++) add_line(out, grid, i, c, end, options);
    crd__text_add(out, "\n\n");
  }
}
