/* figure.h -- what a figure must supply, and what figures share. */
#ifndef CRD_REPORT_FIGURE_H
#define CRD_REPORT_FIGURE_H

#include "credence/report.h"
#include "report/axes.h"

/* A figure on its way: what to draw, and onto which page. That which it is drawn from is there. */
typedef struct {
  const crd_result *result;
  const crd_contest *contest;
  const crd_calibrator *calibrator;
  const crd_embedding *embedding;
  const char *title; /* to be shown on top */
  const char *id;    /* for the page */
  crd__text *out;
} crd__report_drawing;

struct crd__report_chart; /* report/chart.h */

typedef struct {
  crd_figure_info info;
  /* Lines over axes are said, and drawn by the frame (report/chart.h); other figures have none of
   * this but the next two. */
  struct crd__report_chart (*plan)(const crd__report_drawing *drawing);
  /* Can it be drawn, on a terminal or on paper? NULL: always. */
  crd_status (*check)(crd_context *ctx, const crd_figure_data *data, bool terminal);
  /* Failed appends are remembered by the text, so there is nothing to return. */
  void (*draw)(const crd__report_drawing *drawing);
  /* The same as lines of text. */
  void (*print)(const crd__report_drawing *drawing, const crd_report_options *options);
} crd__report_figure;

#define FIGURE(name) extern const crd__report_figure crd__report_figure_##name;
#include "report/figure/list.h"
#undef FIGURE

/* The figure of this name at the end of a text; EUSAGE where the data do not allow it. */
crd_status crd__report_figure_draw(crd_context *ctx, const char *name, const crd_figure_data *data,
                                   const crd_figure_options *options, crd__text *out);

/* ---- Parts that figures share (figure/common.c). */

/* A metric of a result; NULL where it was not measured or does not exist. */
const crd_metric_value *crd__report_figure_value(const crd_result *result, const char *metric);
/* The largest share of weight that a bin has. */
double crd__report_figure_fullest(const crd_result *result);
/* The title, and a line below it. */
void crd__report_figure_heading(const crd__report_drawing *d, double x, const char *below);
/* The same for a result: "10000 rows, 15 bins". */
void crd__report_figure_heading_bins(const crd__report_drawing *d, double x);
/* A sentence in a frame, where there is nothing to draw. */
void crd__report_figure_nothing(const crd__report_drawing *d, crd__report_box box,
                                const char *sentence);
/* What was read, above a figure for the terminal. */
void crd__report_figure_print_heading(const crd__report_drawing *d,
                                      const crd_report_options *options);
/* Lines at x = mean confidence and x = accuracy, from y to `top`, as far as they are known. */
void crd__report_figure_means(const crd__report_drawing *d, const crd__report_scale *x, double y,
                              double top);

/* A metric as people call it; `full` with its interval and its noise floor, where there are any. */
typedef struct {
  const char *metric, *name;
  bool full;
} crd__report_fact;
/* One line of name and value, as wide as the box, which moves on to the next. */
void crd__report_figure_fact(const crd__report_drawing *d, crd__report_box *at, const char *name,
                             const char *value);
/* The same for metrics. */
void crd__report_figure_facts(const crd__report_drawing *d, const crd__report_fact *facts,
                              size_t count, crd__report_box *at);
/* "accuracy 0.9109, ECE 0.0537", for a description. */
const char *crd__report_figure_told(char *text, size_t size, const crd_result *result,
                                    const crd__report_fact *facts, size_t count);

#endif
