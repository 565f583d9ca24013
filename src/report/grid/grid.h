/*
 * grid.h -- a table for papers: one line per model or method, one column per metric.
 *
 * All values of a column have the same number of decimals; the best one and the second are marked.
 * Results, contests and series each describe their table by functions, and all forms write it.
 */
#ifndef CRD_REPORT_GRID_H
#define CRD_REPORT_GRID_H

#include "base/number.h"
#include "report/form.h"

typedef struct {
  const char *heading;
  crd_direction direction;
  bool share;        /* its values are between 0 and 1 */
  unsigned decimals; /* unless digits are requested; 0: by the values */
} crd__report_column;

typedef struct {
  double value, low, high, std; /* NaN: none */
  bool failed;                  /* the whole line has no values */
  bool comparable;              /* ranked among the others of its column */
  char mark;                    /* after the value: '+', '-', '*'; 0 or ' ': none */
} crd__report_cell;

typedef struct {
  const void *self;
  size_t lines, columns;
  const char *corner; /* heading of the names: "method" */
  const char *(*name)(const void *self, size_t line);
  crd__report_column (*column)(const void *self, size_t column);
  crd__report_cell (*cell)(const void *self, size_t line, size_t column);
  bool (*chosen)(const void *self, size_t line);                     /* bold name; NULL: none */
  void (*add_remark)(crd__text *out, const void *self, size_t line); /* after a name; NULL */
  unsigned digits; /* significant digits of the largest value of a column; 0: decimals, see below */
  bool percent;
} crd__report_grid;

/* A metric's title, or its name if it has none. */
const char *crd__report_title(const crd_metric_info *metric);
/* The column of a metric: its title, direction and range. */
crd__report_column crd__report_metric_column(const crd_metric_info *metric);
/* Returns 100 if a metric is shown in per cent, else 1. */
double crd__report_scale(const crd_metric_info *metric, const crd_report_options *options);

/* A value of one result and its interval, in the unit and with the digits of the options: by
 * default four significant digits of the value, and as many decimals for the interval. */
typedef struct {
  char value[CRD__NUMBER_SIZE], low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  const char *unit; /* " (%)" or "", after the metric's name */
} crd__report_value_text;
crd__report_value_text crd__report_value_show(const crd_metric_value *value,
                                              const crd_report_options *options);

/* Appends the heading, with its unit. */
void crd__report_grid_heading(crd__text *out, const crd__report_grid *grid, size_t column);

/* Value, interval and deviation in the unit of the column. */
crd__report_cell crd__report_grid_cell(const crd__report_grid *grid, size_t line, size_t column);

/* Numbers of a cell as text; "-" for NaN, "" for a deviation that does not exist. Without `digits`,
 * columns have four decimals (two in per cent), or up to two more if a value would otherwise have
 * fewer than two digits. */
typedef struct {
  char value[CRD__NUMBER_SIZE], low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE],
      std[CRD__NUMBER_SIZE];
} crd__report_cell_text;
crd__report_cell_text crd__report_grid_format(const crd__report_grid *grid, size_t line,
                                              size_t column);

/* Ranks a value, as shown, among the comparable ones of its column. */
typedef enum {
  CRD__RANK_OTHER, /* or there is no better direction, or all are equal */
  CRD__RANK_BEST,
  CRD__RANK_SECOND
} crd__report_rank;
crd__report_rank crd__report_grid_rank(const crd__report_grid *grid, size_t line, size_t column);

/* Append the table (text.c, table.c). In text, as many columns as fit into 80 characters
 * beside each other, and intervals below the values. */
void crd__report_grid_text(crd__text *out, const crd__report_grid *grid,
                           const crd_report_options *options);
void crd__report_grid_markdown(crd__text *out, const crd__report_grid *grid);
/* Begins with a comment that names the package booktabs, which it needs. */
void crd__report_grid_latex(crd__text *out, const crd__report_grid *grid);

/* Append the table of classes (classes.c); nothing unless the options ask for it, and the result
 * has a profile of classes. */
void crd__report_classes_text(crd__text *out, const crd_result *r,
                              const crd_report_options *options);
void crd__report_classes_markdown(crd__text *out, const crd_result *r,
                                  const crd_report_options *options);

#endif
