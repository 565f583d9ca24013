/*
 * chart.h -- lines and areas over axes, with facts and a legend beside them: said once, drawn as
 * SVG (chart.c) and for a terminal (chart_text.c).
 */
#ifndef CRD_REPORT_CHART_H
#define CRD_REPORT_CHART_H

#include "report/figure.h"

/* What a line or an area is drawn with; on either medium told apart without colours too. */
typedef enum {
  CRD__PEN_FIRST,
  CRD__PEN_SECOND,
  CRD__PEN_THIRD,
  CRD__PEN_IDEAL, /* what would be, were there no error, or no skill */
  CRD__PEN_ACCURACY,
  CRD__PEN_CONFIDENCE,
  CRD__PEN_BAND
} crd__report_pen;

/* An area lies below its line, a band between two. */
typedef enum { CRD__SHAPE_LINE, CRD__SHAPE_AREA, CRD__SHAPE_BAND } crd__report_shape;

/* Points in the order they are drawn; one that has NaN interrupts the line. */
typedef struct {
  crd__report_shape shape;
  crd__report_pen pen;
  const char *words; /* for the legend; NULL: none */
  size_t count;
  const void *items;
  crd_point (*at)(const void *items, size_t index); /* NULL: from ends[0] to ends[1] */
  double (*foot)(const void *items, size_t index);  /* of a band; NULL: 0 */
  crd_point ends[2];
} crd__report_series;

/* A point that stands out, and what to write beside it. */
typedef struct {
  crd_point at;
  char words[40];
} crd__report_spot;

enum { CRD__SERIES_MAX = 6, CRD__SPOTS_MAX = 2, CRD__PANELS_MAX = 2, CRD__EXTRAS_MAX = 4 };

typedef struct {
  const char *x, *y; /* what the axes are; x NULL: the panel below says it */
  crd__report_scale across,
      up;        /* their ends in the data; where they lie is for the one who draws */
  double height; /* on the page; lines on a terminal follow from it */
  crd__report_series series[CRD__SERIES_MAX];
  size_t count;
  crd__report_spot spots[CRD__SPOTS_MAX];
  size_t spot_count;
} crd__report_panel;

/* A number that is no metric of the result; NaN: it is left out. */
typedef struct {
  const char *name;
  double value;
} crd__report_extra;

typedef struct crd__report_chart {
  const char *what;    /* "ROC curve": the title is "ROC curve of NAME" */
  const char *shows;   /* "Right rows against wrong rows": how the description begins */
  const char *nothing; /* a sentence, where there is nothing to draw; else NULL */
  crd__report_panel panels[CRD__PANELS_MAX];
  size_t count;
  const crd__report_fact *facts;
  size_t fact_count;
  crd__report_extra extras[CRD__EXTRAS_MAX];
  size_t extra_count;
} crd__report_chart;

/* What curves along the ranking say where there is no ranking. */
#define CRD__NEEDS_BOTH "All rows are right, or all are wrong: there is no curve."

/* ---- Putting one together (chart_parts.c). Each adds to the panel. */

/* A line, or whatever shape the caller makes of it, through a curve of a profile. */
crd__report_series *crd__report_panel_curve(crd__report_panel *panel, crd__report_pen pen,
                                            const crd_curve *curve, const char *words);
/* The same through items of any kind. */
crd__report_series *crd__report_panel_series(crd__report_panel *panel, crd__report_pen pen,
                                             const void *items, size_t count,
                                             crd_point (*at)(const void *items, size_t index),
                                             const char *words);
/* A straight line. */
void crd__report_panel_straight(crd__report_panel *panel, crd__report_pen pen, crd_point from,
                                crd_point to, const char *words);
/* Upright lines at the result's mean confidence and accuracy, as far as they are known. */
void crd__report_panel_means(crd__report_panel *panel, const crd_result *result);
/* "NAME 1.23" beside a point. */
void crd__report_panel_spot(crd__report_panel *panel, crd_point at, const char *name, double value);
/* The axis upwards, from 0 or, with `loose`, from a little below all points, to a little above. */
void crd__report_panel_fit(crd__report_panel *panel, bool loose);
void crd__report_chart_extra(crd__report_chart *chart, const char *name, double value);

crd_point crd__report_series_at(const crd__report_series *series, size_t index);
/* The value of a metric; NaN where there is none. */
double crd__report_figure_number(const crd_result *result, const char *metric);
/* "AUROC 0.8912, accuracy 0.9100": facts and extras. */
void crd__report_chart_told(const crd__report_chart *chart, const crd_result *result, char *text,
                            size_t size);

/* ---- Drawing one. */

void crd__report_chart_draw(const crd__report_drawing *d, const crd__report_chart *chart);
void crd__report_chart_print(const crd__report_drawing *d, const crd__report_chart *chart,
                             const crd_report_options *options);

#endif
