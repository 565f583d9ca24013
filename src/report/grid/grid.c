/*
 * grid.c -- numbers and ranks of a table for papers.
 *
 * Ranks compare what readers see: values that look equal have the same rank, so that a table never
 * shows one of two equal numbers in bold.
 */
#include "report/grid/grid.h"
#include "report/decimal.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 4, DECIMALS = 4, DECIMALS_PERCENT = 2, DECIMALS_MORE = 2 };
#define TINY 1e-4 /* smaller values have an exponent */

const char *crd__report_title(const crd_metric_info *metric) {
  return metric->title ? metric->title : metric->name;
}

static bool is_share(const crd_metric_info *metric) {
  return metric->low == 0 && metric->high == 1;
}

double crd__report_scale(const crd_metric_info *metric, const crd_report_options *options) {
  return options->percent && is_share(metric) ? 100 : 1;
}

/* The end of an interval; tiny values have an exponent, and so have their intervals. */
static void show_end(char text[CRD__NUMBER_SIZE], double end, double like, unsigned digits) {
  if (fabs(like) < TINY) crd__report_significant_format(text, end, end, digits);
  else crd__report_decimal_format(text, end, crd__report_decimals(like, digits));
}

crd__report_value_text crd__report_value_show(const crd_metric_value *value,
                                              const crd_report_options *options) {
  const double scale = crd__report_scale(value->metric, options);
  const double low = scale * value->low, high = scale * value->high;
  const unsigned digits = options->digits ? options->digits : DIGITS;
  crd__report_value_text text = { .unit = scale > 1 ? " (%)" : "" };
  double like = scale * value->value;
  const double shown = like;
  if (like == 0 && fmax(fabs(low), fabs(high)) > 0) like = fmax(fabs(low), fabs(high));
  crd__report_significant_format(text.value, shown, like, digits);
  show_end(text.low, low, like, digits);
  show_end(text.high, high, like, digits);
  return text;
}

crd__report_column crd__report_metric_column(const crd_metric_info *metric) {
  return (crd__report_column){ .heading = crd__report_title(metric),
                               .direction = metric->direction,
                               .share = is_share(metric) };
}

void crd__report_grid_heading(crd__text *out, const crd__report_grid *grid, size_t column) {
  const crd__report_column c = grid->column(grid->self, column);
  crd__text_addf(out, "%s%s", c.heading, grid->percent && c.share ? " (%)" : "");
}

/* ---- Numbers. */

crd__report_cell crd__report_grid_cell(const crd__report_grid *grid, size_t line, size_t column) {
  crd__report_cell cell = grid->cell(grid->self, line, column);
  if (!grid->percent || !grid->column(grid->self, column).share) return cell;
  cell.value *= 100;
  cell.low *= 100;
  cell.high *= 100;
  cell.std *= 100;
  return cell;
}

/* The smallest value needs two digits, if that is possible. */
static unsigned usual_decimals(const crd__report_grid *grid, size_t column, double smallest) {
  const crd__report_column c = grid->column(grid->self, column);
  const unsigned usual = grid->percent && c.share ? DECIMALS_PERCENT : DECIMALS;
  unsigned decimals = usual;
  if (c.decimals) return c.decimals;
  for (double unit = pow(10, 1 - (double)usual);
       decimals < usual + DECIMALS_MORE && smallest < unit; decimals++)
    unit /= 10;
  return decimals;
}

static unsigned decimals_of(const crd__report_grid *grid, size_t column) {
  double smallest = (double)INFINITY, largest = 0;
  for (size_t i = 0; i < grid->lines; i++) {
    const double size = fabs(crd__report_grid_cell(grid, i, column).value);
    if (size > 0) smallest = fmin(smallest, size);
    if (isfinite(size)) largest = fmax(largest, size);
  }
  return grid->digits ? crd__report_decimals(largest, grid->digits)
                      : usual_decimals(grid, column, smallest);
}

crd__report_cell_text crd__report_grid_format(const crd__report_grid *grid, size_t line,
                                              size_t column) {
  const crd__report_cell cell = crd__report_grid_cell(grid, line, column);
  const unsigned decimals = decimals_of(grid, column);
  crd__report_cell_text text = { .std = "" };
  crd__report_decimal_format(text.value, cell.value, decimals);
  crd__report_decimal_format(text.low, cell.low, decimals);
  crd__report_decimal_format(text.high, cell.high, decimals);
  if (!isnan(cell.std)) crd__report_decimal_format(text.std, cell.std, decimals);
  return text;
}

/* ---- Ranks. */

static bool is_ranked(const crd__report_grid *grid, size_t line, size_t column) {
  const crd__report_cell cell = grid->cell(grid->self, line, column);
  return cell.comparable && !cell.failed && isfinite(cell.value);
}

static bool looks_equal(const crd__report_grid *grid, size_t a, size_t b, size_t column) {
  const crd__report_cell_text left = crd__report_grid_format(grid, a, column);
  const crd__report_cell_text right = crd__report_grid_format(grid, b, column);
  return strcmp(left.value, right.value) == 0;
}

/* Returns the best line among those that look worse than `above` (or of all, if that is
 * grid->lines); grid->lines if there is none. */
static size_t best_below(const crd__report_grid *grid, size_t column, size_t above) {
  const crd_direction direction = grid->column(grid->self, column).direction;
  const double sign = direction == CRD_LOWER_IS_BETTER ? 1 : -1;
  size_t best = grid->lines;
  for (size_t i = 0; i < grid->lines; i++) {
    if (!is_ranked(grid, i, column)) continue;
    if (above < grid->lines && looks_equal(grid, i, above, column)) continue;
    if (best == grid->lines || sign * grid->cell(grid->self, i, column).value <
                                   sign * grid->cell(grid->self, best, column).value)
      best = i;
  }
  return best;
}

crd__report_rank crd__report_grid_rank(const crd__report_grid *grid, size_t line, size_t column) {
  const crd_direction direction = grid->column(grid->self, column).direction;
  if (direction == CRD_NEITHER_IS_BETTER || !is_ranked(grid, line, column)) return CRD__RANK_OTHER;
  const size_t best = best_below(grid, column, grid->lines);
  const size_t second = best_below(grid, column, best);
  if (second == grid->lines) return CRD__RANK_OTHER;
  if (looks_equal(grid, line, best, column)) return CRD__RANK_BEST;
  return looks_equal(grid, line, second, column) ? CRD__RANK_SECOND : CRD__RANK_OTHER;
}
