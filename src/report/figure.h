/* figure.h -- what a figure must supply, and what figures share. */
#ifndef CRD_REPORT_FIGURE_H
#define CRD_REPORT_FIGURE_H

#include "credence/report.h"
#include "report/axes.h"

/* A figure on its way: what to draw, and onto which page. */
typedef struct {
  const crd_result *result;   /* there if the figure is drawn from one ... */
  const crd_contest *contest; /* ... and this one likewise */
  const char *title;          /* to be shown on top */
  const char *id;             /* for the page */
  crd__text *out;
} crd__drawing;

typedef struct {
  crd_figure_info info;
  /* Failed appends are remembered by the text, so there is nothing to return. */
  void (*draw)(const crd__drawing *drawing);
} crd__figure;

#define FIGURE(name) extern const crd__figure crd__figure_##name;
#include "report/figure/list.h"
#undef FIGURE

/* ---- Parts that figures share (figure/common.c). */

/* A metric of a result; NULL where it was not measured or does not exist. */
const crd_metric_value *crd__figure_value(const crd_result *result, const char *metric);
/* The largest share of weight that a bin has. */
double crd__figure_fullest(const crd_result *result);
/* Title, and "10000 rows, 10 classes" below it. */
void crd__figure_heading(const crd__drawing *d, double x, const char *below);
/* Lines at x = mean confidence and x = accuracy, from y to `top`, as far as they are known. */
void crd__figure_means(const crd__drawing *d, const crd__scale *x, double y, double top);

#endif
