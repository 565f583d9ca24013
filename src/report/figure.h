/* figure.h -- the interface of a figure, and helpers that figures share. */
#ifndef CRD_REPORT_FIGURE_H
#define CRD_REPORT_FIGURE_H

#include "credence/report.h"
#include "report/axes.h"

/* The data of a figure and its output. The data that the figure needs are never NULL. */
typedef struct {
  const crd_result *result;
  const crd_contest *contest;
  const crd_calibrator *calibrator;
  const crd_embedding *embedding;
  const crd_run *run;
  const crd_perturbation *perturbation;
  crd_point *points; /* scratch buffer for the points of lines, of the size that `points` returns */
  const crd_calibratability *calibratability;
  const crd_learned *learned;
  const crd_result
      *beside;       /* a result whose figure is beside this one, on the same scale; or NULL */
  const char *title; /* heading */
  const char *id;    /* prefix of SVG ids */
  crd__text *out;
} crd__report_drawing;

struct crd__report_chart; /* report/chart.h */

typedef struct {
  crd_figure_info info;
  bool ordinal; /* drawn from the order of the rows alone: also for a ranking */
  /* Describes a chart of lines over axes, which the frame draws (report/chart.h); NULL for figures
   * that have draw and print. */
  struct crd__report_chart (*plan)(const crd__report_drawing *drawing);
  /* Returns the number of points that plan computes; NULL: none, its lines are in the data. */
  size_t (*points)(const crd__report_drawing *drawing);
  /* Fails if the data cannot be drawn, on a terminal or as SVG. NULL: always possible. */
  crd_status (*check)(crd_context *ctx, const crd_figure_data *data, bool terminal);
  /* Draws SVG. The text remembers failed appends, so there is no status. */
  void (*draw)(const crd__report_drawing *drawing);
  /* Draws for a terminal. */
  void (*print)(const crd__report_drawing *drawing, const crd_report_options *options);
} crd__report_figure;

#define FIGURE(name) extern const crd__report_figure crd__report_figure_##name;
#include "report/figure/list.h"
#undef FIGURE

/* Appends a figure as SVG; fails with EUSAGE if the data do not allow it. */
crd_status crd__report_figure_draw(crd_context *ctx, const char *name, const crd_figure_data *data,
                                   const crd_figure_options *options, crd__text *out);
/* The same for one of two results whose figures are compared: their axes have the same range.
 * `beside` has what the figure needs, or is NULL. */
crd_status crd__report_figure_draw_beside(crd_context *ctx, const char *name,
                                          const crd_figure_data *data, const crd_result *beside,
                                          const crd_figure_options *options, crd__text *out);

/* ---- Helpers of figures (figure/common.c). */

/* Returns the largest share of weight in a bin, of the result or of that beside it. */
double crd__report_figure_fullest(const crd__report_drawing *d);
/* Draws the title, and a line below it. */
void crd__report_figure_heading(const crd__report_drawing *d, double x, const char *below);
/* The same with "10000 rows, 15 bins" below. */
void crd__report_figure_heading_bins(const crd__report_drawing *d, double x);
/* Draws a frame with a message, for figures without data. */
void crd__report_figure_nothing(const crd__report_drawing *d, crd__report_box box,
                                const char *sentence);
/* Prints the name and shape of the data above a figure for the terminal. */
void crd__report_figure_print_heading(const crd__report_drawing *d,
                                      const crd_report_options *options);
/* Draws lines at x = mean confidence and x = accuracy, from y to `top`, if these were measured. */
void crd__report_figure_means(const crd__report_drawing *d, const crd__report_scale *x, double y,
                              double top);

/* The words for what the bins show: confidence and accuracy of the predicted class, or the
 * probability and the frequency of class 1. */
typedef struct {
  const char *confidence, *accuracy, *mean;
  const char *many;          /* of the legend of bars */
  const char *right, *wrong; /* the rows that accuracy counts, and the others */
  const char *smoothed;      /* accuracy as a curve */
} crd__report_terms;
const crd__report_terms *crd__report_figure_terms(const crd_result *result);
/* Returns the overall accuracy, or frequency of class 1; NaN: not measured. */
double crd__report_figure_accuracy(const crd_result *result);

/* A metric and its display name; `full`: with its interval and noise floor, if it has them. */
typedef struct {
  const char *metric, *name;
  bool full;
} crd__report_fact;
/* Draws a name and a value as one line across the box, and moves the box down. */
void crd__report_figure_fact(const crd__report_drawing *d, crd__report_box *at, const char *name,
                             const char *value);
/* The same for metrics. */
void crd__report_figure_facts(const crd__report_drawing *d, const crd__report_fact *facts,
                              size_t count, crd__report_box *at);
/* Writes "accuracy 0.9109, ECE 0.0537", for descriptions; returns `text`. */
const char *crd__report_figure_values(char *text, size_t size, const crd_result *result,
                                      const crd__report_fact *facts, size_t count);

#endif
