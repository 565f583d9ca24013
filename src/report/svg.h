/*
 * svg.h -- a picture as SVG text: a page, groups, marks and words.
 *
 * Marks name a class; what a class looks like, on light and on dark paper, is one table in svg.c.
 * The words of outside (file names, methods) are escaped by whoever takes a string here.
 */
#ifndef CRD_REPORT_SVG_H
#define CRD_REPORT_SVG_H

#include "base/text.h"

typedef struct {
  double width, height;
  const char *id;    /* begins every id of the page, so that several fit into one document */
  const char *title; /* what it is, for those who cannot see it ... */
  const char *desc;  /* ... and what it shows */
} crd__report_svg_page;

typedef struct {
  double x, y, width, height;
} crd__report_box;

void crd__report_svg_open(crd__text *out, const crd__report_svg_page *page);
void crd__report_svg_close(crd__text *out);
/* The <style> that every picture brings along, for pages that draw with its classes themselves. */
void crd__report_svg_common_style(crd__text *out);

/* What a class looks like, as CSS on light and on dark paper; dark NULL: the same on both. */
typedef struct {
  const char *kind, *light, *dark;
} crd__report_svg_rule;
/* Classes of this page alone, beyond those of all pages. */
void crd__report_svg_style(crd__text *out, const crd__report_svg_rule *rules, size_t count);

/* Marks that belong together; `label` says for readers and as a tooltip what they are; NULL: no
 * more than their order on the page. */
void crd__report_svg_group(crd__text *out, const char *label);
/* Marks drawn around 0, 0 and `scale` times as large as they say. */
void crd__report_svg_group_at(crd__text *out, double x, double y, double scale);
void crd__report_svg_group_end(crd__text *out);

void crd__report_svg_rect(crd__text *out, const char *kind, crd__report_box box);
/* `depth`, 0 .. 1, is how much of its colour covers the paper. */
void crd__report_svg_rect_deep(crd__text *out, const char *kind, crd__report_box box, double depth);
/* Filled with the page's pattern of stripes "over" or "under" (svg.c). */
void crd__report_svg_rect_striped(crd__text *out, const crd__report_svg_page *page,
                                  const char *kind, crd__report_box box);
void crd__report_svg_line(crd__text *out, const char *kind, double x1, double y1, double x2,
                          double y2);
void crd__report_svg_circle(crd__text *out, const char *kind, double x, double y, double radius);
/* Lines through points x0, y0, x1, y1 ... */
void crd__report_svg_polyline(crd__text *out, const char *kind, const double *points, size_t count);
/* The same point by point; the tag is "polyline" or "polygon", which is closed and filled. */
void crd__report_svg_points_begin(crd__text *out, const char *tag, const char *kind);
void crd__report_svg_point(crd__text *out, double x, double y);
void crd__report_svg_points_end(crd__text *out);

/* Many marks of one kind and depth in one element: each begins at x, y, and `rest`, commands of a
 * path, leads on from there. */
void crd__report_svg_path_begin(crd__text *out, const char *kind, double depth);
void crd__report_svg_path_add(crd__text *out, double x, double y, const char *rest);
void crd__report_svg_path_add_box(crd__text *out, crd__report_box box);
void crd__report_svg_path_end(crd__text *out);

typedef enum { CRD__SVG_START, CRD__SVG_MIDDLE, CRD__SVG_END } crd__report_svg_anchor;
/* Where words begin, have their middle, or end, and the line they stand on. */
typedef struct {
  double x, y;
  crd__report_svg_anchor anchor;
  size_t most; /* characters there is room for; 0: any number */
} crd__report_svg_place;
void crd__report_svg_text(crd__text *out, const char *kind, crd__report_svg_place place,
                          const char *words);
/* The same, read from below to above. */
void crd__report_svg_text_up(crd__text *out, const char *kind, double x, double y,
                             const char *words);

/* Escaped for text and for attributes; control characters, and bytes that are no UTF-8, are left
 * out. Of more than `most` characters the last becomes "...". */
void crd__report_svg_add_words(crd__text *out, const char *words, size_t most);
/* A coordinate: at most two decimals, "12", "0.5", "-3.25"; 0 for what is not a number. */
void crd__report_svg_add_number(crd__text *out, double value);

/* How many characters a string shows. */
size_t crd__report_svg_length(const char *words);

#endif
