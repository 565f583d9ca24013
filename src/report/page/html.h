/* html.h -- words, numbers and tables in HTML. Whatever takes a string of outside escapes it. */
#ifndef CRD_REPORT_PAGE_HTML_H
#define CRD_REPORT_PAGE_HTML_H

#include "base/text.h"
#include "credence/evaluate.h"

/* Escaped for text and for attributes; NULL gives nothing. */
void crd__page_html_words(crd__text *out, const char *words);
/* <TAG CLASS>words</TAG>; `kind` NULL: no class. */
void crd__page_html_element(crd__text *out, const char *tag, const char *kind, const char *words);
/* 10 000, with thin spaces that do not break. */
void crd__page_html_count(crd__text *out, uint64_t count);
/* "1 row", "2 rows". */
void crd__page_html_counted(crd__text *out, uint64_t count, const char *what);
/* Four decimals, or an exponent where these would show nothing. */
void crd__page_html_value(crd__text *out, double value);
/* 94.9 % */
void crd__page_html_percent(crd__text *out, double share);
/* low - high; nothing where there is no interval. */
void crd__page_html_interval(crd__text *out, double low, double high);

/* ---- Tables: each in a box of its own, which scrolls where the page is narrow. */

typedef struct {
  const char *label;
  const char *told; /* a longer word for it, as a tooltip; NULL: none */
  bool words;       /* its cells are words, not numbers */
} crd__page_column;

/* `caption` also names the box. A reader can sort the rows where there is a script. */
void crd__page_html_table(crd__text *out, const char *caption, const crd__page_column *columns,
                          size_t count);
void crd__page_html_table_end(crd__text *out);
/* <th scope="row">name</th>, to begin a row with; ends with </tr> of whoever calls. */
void crd__page_html_row(crd__text *out, const char *name);
/* A cell of one number; "n/a" where it does not exist, `why` as a tooltip (NULL: none). */
void crd__page_html_number_cell(crd__text *out, double value, const char *why);
void crd__page_html_count_cell(crd__text *out, uint64_t count);
void crd__page_html_interval_cell(crd__text *out, double low, double high);
void crd__page_html_words_cell(crd__text *out, const char *words);
/* <td class="number" data-value="...">, to be filled and closed. */
void crd__page_html_open_cell(crd__text *out, const char *kind, double value);

#endif
