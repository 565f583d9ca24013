/*
 * svg.h -- writes SVG: a page, groups, marks and text.
 *
 * Marks name a CSS class (`kind`), whose light and dark styles are one table in svg.c. Every
 * function escapes the strings it is given (file names, methods).
 */
#ifndef CRD_REPORT_SVG_H
#define CRD_REPORT_SVG_H

#include "base/text.h"

typedef struct {
  double width, height;
  const char *id;    /* prefix of every id, so that several figures fit into one document */
  const char *title; /* title for screen readers */
  const char *desc;  /* description for screen readers */
} crd__report_svg_page;

typedef struct {
  double x, y, width, height;
} crd__report_box;

void crd__report_svg_open(crd__text *out, const crd__report_svg_page *page);
void crd__report_svg_close(crd__text *out);
/* Writes the <style> of all figures, for pages that use its classes themselves. */
void crd__report_svg_common_style(crd__text *out);

/* The CSS of a class, in light and in dark mode; dark NULL: the same in both. */
typedef struct {
  const char *kind, *light, *dark;
} crd__report_svg_rule;
/* Writes a <style> with the classes of this page only. */
void crd__report_svg_style(crd__text *out, const crd__report_svg_rule *rules, size_t count);

/* Begins a group of marks; `label` is its tooltip and its text for screen readers (NULL: none). */
void crd__report_svg_group(crd__text *out, const char *label);
/* Begins a group that is moved to (x, y) and scaled. */
void crd__report_svg_group_at(crd__text *out, double x, double y, double scale);
void crd__report_svg_group_end(crd__text *out);

void crd__report_svg_rect(crd__text *out, const char *kind, crd__report_box box);
/* `depth`, 0 .. 1, is the opacity. */
void crd__report_svg_rect_deep(crd__text *out, const char *kind, crd__report_box box, double depth);
/* Filled with the stripes "over" or "under" of the page (svg.c). */
void crd__report_svg_rect_striped(crd__text *out, const crd__report_svg_page *page,
                                  const char *kind, crd__report_box box);
void crd__report_svg_line(crd__text *out, const char *kind, double x1, double y1, double x2,
                          double y2);
void crd__report_svg_circle(crd__text *out, const char *kind, double x, double y, double radius);
/* Draws lines through the points x0, y0, x1, y1 ... */
void crd__report_svg_polyline(crd__text *out, const char *kind, const double *points, size_t count);
/* The same point by point; the tag is "polyline", or "polygon" for a closed and filled one. */
void crd__report_svg_points_begin(crd__text *out, const char *tag, const char *kind);
void crd__report_svg_point(crd__text *out, double x, double y);
void crd__report_svg_points_end(crd__text *out);

/* Many marks of one kind and opacity as one element: each begins at (x, y) and continues with the
 * path commands `rest`. */
void crd__report_svg_path_begin(crd__text *out, const char *kind, double depth);
void crd__report_svg_path_add(crd__text *out, double x, double y, const char *rest);
void crd__report_svg_path_add_box(crd__text *out, crd__report_box box);
void crd__report_svg_path_end(crd__text *out);

typedef enum { CRD__SVG_START, CRD__SVG_MIDDLE, CRD__SVG_END } crd__report_svg_anchor;
/* The anchor of a text, and its baseline. */
typedef struct {
  double x, y;
  crd__report_svg_anchor anchor;
  size_t most; /* characters before truncation; 0: unlimited */
} crd__report_svg_place;
void crd__report_svg_text(crd__text *out, const char *kind, crd__report_svg_place place,
                          const char *words);
/* The same, rotated to read upwards. */
void crd__report_svg_text_up(crd__text *out, const char *kind, double x, double y,
                             const char *words);

/* Appends a string, escaped for elements and attributes, without control characters and invalid
 * UTF-8; truncated to `most` characters with an ellipsis. */
void crd__report_svg_add_words(crd__text *out, const char *words, size_t most);
/* Appends a coordinate with at most two decimals: "12", "0.5", "-3.25"; 0 for NaN. */
void crd__report_svg_add_number(crd__text *out, double value);

/* Returns the number of characters that a string shows. */
size_t crd__report_svg_length(const char *words);

#endif
