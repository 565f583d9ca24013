/*
 * chart.h -- a description of lines and areas over axes, with metrics and a legend beside them,
 * which is drawn as SVG (chart.c) or for a terminal (chart_text.c).
 */
#ifndef CRD_REPORT_CHART_H
#define CRD_REPORT_CHART_H

#include "report/figure.h"

/* The style of a line or an area; distinguishable without colours too. */
typedef enum {
  CRD__PEN_FIRST,
  CRD__PEN_SECOND,
  CRD__PEN_THIRD,
  CRD__PEN_IDEAL, /* a reference line: perfect calibration, or chance */
  CRD__PEN_ACCURACY,
  CRD__PEN_CONFIDENCE,
  CRD__PEN_BAND
} crd__report_pen;

/* An area lies below its line, a band between two. */
typedef enum { CRD__SHAPE_LINE, CRD__SHAPE_AREA, CRD__SHAPE_BAND } crd__report_shape;

/* Points in drawing order; a NaN interrupts the line. */
typedef struct {
  crd__report_shape shape;
  crd__report_pen pen;
  size_t look;       /* from 1: the line has a colour and marks of palette.h, and no pen; 0: none */
  bool dashed;       /* with `look`: without marks */
  const char *words; /* legend entry and tooltip; NULL: none */
  bool unlisted;     /* it has no legend entry: another line of the same look has it */
  size_t count;
  const void *items;
  crd_point (*at)(const void *items, size_t index); /* NULL: from ends[0] to ends[1] */
  double (*foot)(const void *items, size_t index);  /* lower edge of a band; NULL: 0 */
  crd_point ends[2];
} crd__report_series;

/* A highlighted point with its label. */
typedef struct {
  crd_point at;
  char words[40];
} crd__report_spot;

enum { CRD__SERIES_MAX = 24, CRD__SPOTS_MAX = 8, CRD__PANELS_MAX = 5, CRD__EXTRAS_MAX = 8 };

typedef struct {
  const char *x, *y;            /* labels of the axes; x NULL: shared with the panel below */
  crd__report_scale across, up; /* data ranges; the page coordinates are set when drawing */
  bool counted;                 /* x is an integer, and so are its ticks */
  double height; /* in page units; also determines the number of lines on a terminal */
  crd__report_series series[CRD__SERIES_MAX];
  size_t count;
  crd__report_spot spots[CRD__SPOTS_MAX];
  size_t spot_count;
} crd__report_panel;

/* A number that is not a metric of the result; omitted if NaN. */
typedef struct {
  const char *name;
  double value;
} crd__report_extra;

typedef struct crd__report_chart {
  const char *what;    /* "ROC curve": the title is "ROC curve of NAME" */
  const char *shows;   /* "Precision against recall ...": the start of the description */
  const char *nothing; /* why there is nothing to draw; else NULL */
  char about[256];     /* what the data are, if there is no result: "lenet5, 10 epochs" */
  char heading[128];   /* above the extra numbers, or "" */
  bool legend_first;   /* the legend is at the top, and the numbers are below it */
  crd__report_panel panels[CRD__PANELS_MAX];
  size_t count;
  const crd__report_fact *facts;
  size_t fact_count;
  crd__report_extra extras[CRD__EXTRAS_MAX];
  size_t extra_count;
} crd__report_chart;

/* Why a curve over the ranking is missing. */
#define CRD__NEEDS_BOTH "No curve: all rows are correct, or all incorrect."

/* ---- Building a chart (chart_parts.c). */

/* Adds a curve of a profile as a line; the caller may change the shape of the returned series. */
crd__report_series *crd__report_panel_curve(crd__report_panel *panel, crd__report_pen pen,
                                            const crd_curve *curve, const char *words);
/* The same for an array of any type, with `at` to get a point. */
crd__report_series *crd__report_panel_series(crd__report_panel *panel, crd__report_pen pen,
                                             const void *items, size_t count,
                                             crd_point (*at)(const void *items, size_t index),
                                             const char *words);
/* The same with a look of palette.h, from 0. */
crd__report_series *crd__report_panel_look(crd__report_panel *panel, size_t look, const void *items,
                                           size_t count,
                                           crd_point (*at)(const void *items, size_t index),
                                           const char *words);
/* Adds a straight line. */
void crd__report_panel_straight(crd__report_panel *panel, crd__report_pen pen, crd_point from,
                                crd_point to, const char *words);
/* Adds vertical lines at the result's mean confidence and accuracy, if these were measured. */
void crd__report_panel_means(crd__report_panel *panel, const crd_result *result);
/* Adds a point labelled "NAME 1.23". */
void crd__report_panel_spot(crd__report_panel *panel, crd_point at, const char *name, double value);
/* Sets the range of the y axis: from 0, or with `loose` from a little below all points, to a little
 * above them. */
void crd__report_panel_fit(crd__report_panel *panel, bool loose);
/* Widens the axes to contain those of the same panel of another result. */
void crd__report_panel_join(crd__report_panel *panel, const crd__report_panel *other);
void crd__report_chart_extra(crd__report_chart *chart, const char *name, double value);

/* Returns the ticks of the x axis. */
crd__report_ticks crd__report_panel_ticks(const crd__report_panel *panel);
/* Returns about `wanted` ticks of the y axis: more if that is one alone, from which no other value
 * can be read, and only powers of ten where a logarithmic axis has too many. */
crd__report_ticks crd__report_panel_levels(const crd__report_panel *panel, size_t wanted);
crd_point crd__report_series_at(const crd__report_series *series, size_t index);
/* Returns the value of a metric; NaN if it is missing. */
double crd__report_figure_number(const crd_result *result, const char *metric);
/* Writes the metrics and extra numbers: "AUROC 0.8912, accuracy 0.9100". */
void crd__report_chart_values(const crd__report_chart *chart, const crd_result *result, char *text,
                              size_t size);

/* ---- Drawing a chart. */

void crd__report_chart_draw(const crd__report_drawing *d, const crd__report_chart *chart);
void crd__report_chart_print(const crd__report_drawing *d, const crd__report_chart *chart,
                             const crd_report_options *options);

#endif
