/* page.h -- the interface of a section of the HTML page, and helpers that sections share. */
#ifndef CRD_REPORT_PAGE_PAGE_H
#define CRD_REPORT_PAGE_PAGE_H

#include "base/text.h"
#include "credence/report.h"

enum { CRD__PAGE_NAME_SIZE = 200 };

/* The state of writing one run. */
typedef struct {
  const crd_page_part *part;
  size_t number;                  /* of the run, from 1 */
  char name[CRD__PAGE_NAME_SIZE]; /* of its file, without folders */
  const char *path;               /* the same with folders */
  const char *title;              /* its heading: the name, or the title that was given */
  char id[24];                    /* "run1": prefix of every id of the run */
  unsigned level;                 /* heading level of sections */
  crd__text *out;
} crd__page;

typedef struct {
  const char *name;  /* suffix of the section's id */
  const char *title; /* its heading; NULL: it writes its own */
  /* Returns whether the run has content for this section. */
  bool (*has)(const crd_page_part *part);
  /* Writes the section. The text remembers failed appends; other failures set the error message. */
  crd_status (*write)(crd_context *ctx, const crd__page *page);
} crd__page_section;

#define SECTION(name) extern const crd__page_section crd__page_section_##name;
#include "report/page/section/list.h"
#undef SECTION

/* Files embedded by the build (cmake/embed.cmake). */
extern const char crd__page_css[], crd__page_js[];
extern const size_t crd__page_css_size, crd__page_js_size;

/* Gets a result that is shown in detail: the only one, or the contest's uncalibrated result and
 * that of the chosen method, if they differ. Returns false past the last. */
typedef struct {
  const crd_result *result;
  const char *name; /* of the method; NULL: not part of a contest */
} crd__page_detail;
bool crd__page_find_detail(const crd_page_part *part, size_t index, crd__page_detail *out);

/* Writes the name of predictions without the folders of their files: "a.npz,b.npz@5000:" for
 * "run/a.npz,run/b.npz@5000:"; names too long for `out` are cut. Returns `out`. */
const char *crd__page_name_brief(const char *path, char out[static CRD__PAGE_NAME_SIZE]);
/* Returns a metric's name as papers write it, "ECE". */
const char *crd__page_metric_title(const crd_metric_info *metric);

/* Writes operating points in plain words, a paragraph each; nothing for NULL
 * (section/operating.c). */
void crd__page_write_points(crd__text *out, const struct crd_operating_table *points);

/* Writes a table for each result shown in detail that has content, side by side. */
void crd__page_write_beside(const crd__page *page, bool (*has)(const crd_result *result),
                            void (*add_table)(crd__text *out, const crd__page_detail *detail));

#endif
