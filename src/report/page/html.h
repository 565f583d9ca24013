/* html.h -- text, numbers and tables as HTML. Every function escapes the strings it is given. */
#ifndef CRD_REPORT_PAGE_HTML_H
#define CRD_REPORT_PAGE_HTML_H

#include "base/text.h"
#include "credence/evaluate.h"

/* Appends text, escaped for elements and attributes; nothing for NULL. */
void crd__page_html_words(crd__text *out, const char *words);
/* <TAG CLASS>words</TAG>; `kind` NULL: no class. */
void crd__page_html_element(crd__text *out, const char *tag, const char *kind, const char *words);
/* Appends a contest's verdict, escaped; its ASCII arrows become Unicode. */
void crd__page_html_verdict(crd__text *out, const char *verdict);
/* 10 000, with narrow no-break spaces. */
void crd__page_html_count(crd__text *out, uint64_t count);
/* "1 row", "2 rows". */
void crd__page_html_counted(crd__text *out, uint64_t count, const char *what);
/* Four decimals, or an exponent for values too small for that; "n/a" for NaN. */
void crd__page_html_value(crd__text *out, double value);
/* 94.9 % */
void crd__page_html_percent(crd__text *out, double share);
/* A p-value: "< 0.0001", "> 0.999", else four decimals; "n/a" for NaN. */
void crd__page_html_p(crd__text *out, double p);
/* "low - high", "low to high" below 0; nothing if either is NaN. */
void crd__page_html_interval(crd__text *out, double low, double high);

/* ---- Tables: each in its own box, which scrolls on narrow screens. */

typedef struct {
  const char *label;
  const char *tooltip; /* a longer explanation; NULL: none */
  bool words;          /* its cells are text, not numbers */
} crd__page_column;

/* Begins a table; `caption` also labels its box. The script makes it sortable. */
void crd__page_html_table(crd__text *out, const char *caption, const crd__page_column *columns,
                          size_t count);
void crd__page_html_table_end(crd__text *out);
/* Begins a table of the worst: "Groups with the largest error: NAME" (`name` NULL: without). */
void crd__page_html_worst(crd__text *out, const char *what, const char *name,
                          const crd__page_column *columns, size_t count);
/* Ends it; `more` entries were left out: "3 more groups ...", a sentence without its full stop. */
void crd__page_html_worst_end(crd__text *out, size_t more, const char *sentence);
/* Begins a row: <tr><th scope="row">name</th>. The caller adds cells and </tr>. */
void crd__page_html_row(crd__text *out, const char *name);
/* A cell with one number; "n/a" for NaN. `why` is a tooltip (NULL: none). */
void crd__page_html_number_cell(crd__text *out, double value, const char *why);
/* The same with a p-value. */
void crd__page_html_p_cell(crd__text *out, double p);
/* A cell with a value, and its interval below it, if it has one. */
void crd__page_html_metric_cell(crd__text *out, const crd_metric_value *value, const char *why);
void crd__page_html_count_cell(crd__text *out, uint64_t count);
void crd__page_html_interval_cell(crd__text *out, double low, double high);
void crd__page_html_words_cell(crd__text *out, const char *words);
/* Opens <td class="number" data-value="...">; the caller fills and closes it. */
void crd__page_html_open_cell(crd__text *out, const char *kind, double value);

#endif
