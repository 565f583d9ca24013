/* page.h -- what a section of the HTML page must supply, and what sections share. */
#ifndef CRD_REPORT_PAGE_PAGE_H
#define CRD_REPORT_PAGE_PAGE_H

#include "base/text.h"
#include "credence/report.h"

/* One run on its way onto the page. */
typedef struct {
  const crd_page_part *part;
  size_t number;     /* of the run, from 1 */
  const char *title; /* its name */
  char id[24];       /* "run1": begins every id of the run */
  unsigned level;    /* of the headings of sections */
  crd__text *out;
} crd__page;

typedef struct {
  const char *name;  /* ends the id of the section */
  const char *title; /* its heading; NULL: it writes its own */
  /* Is there anything to tell? */
  bool (*has)(const crd_page_part *part);
  /* Failed appends are remembered by the text; what else fails leaves its sentence. */
  crd_status (*write)(crd_context *ctx, const crd__page *page);
} crd__page_section;

#define SECTION(name) extern const crd__page_section crd__page_section_##name;
#include "report/page/section/list.h"
#undef SECTION

/* Texts that the build turned into bytes (cmake/embed.cmake). */
extern const char crd__page_css[], crd__page_js[];
extern const size_t crd__page_css_size, crd__page_js_size;

/* The results that are shown in detail: the one there is, or the contest's uncalibrated one and
 * that of the chosen method, if it is another. False past the last. */
typedef struct {
  const crd_result *result;
  const char *name; /* of the method; NULL: it stands alone */
} crd__page_detail;
bool crd__page_find_detail(const crd_page_part *part, size_t index, crd__page_detail *out);

/* A metric of a result that exists; NULL where it was not measured. */
const crd_metric_value *crd__page_value(const crd_result *result, const char *metric);

#endif
