/* compat.c -- metrics by the conventions of another package, and why they differ from ours. */
#include "report/page/html.h"
#include "report/page/page.h"

static bool compat_has(const crd_page_part *part) { return part->result && part->result->compat; }

static void add_value(crd__text *out, const crd_compat_value *v) {
  crd__page_html_row(out, v->convention->metric);
  crd__page_html_number_cell(out, v->value, v->reason);
  crd__page_html_number_cell(out, v->ours, v->ours_reason);
  crd__text_add(out, "<td><code>");
  crd__page_html_words(out, v->convention->call);
  crd__text_add(out, "</code></td>");
  crd__page_html_words_cell(out, v->reason ? v->reason : v->convention->why);
  crd__text_add(out, "</tr>\n");
}

static crd_status compat_write(crd_context *ctx, const crd__page *page) {
  const crd_compat_table *const t = page->part->result->compat;
  const crd__page_column columns[] = {
    { "metric", NULL, true }, { t->peer->name, NULL, false },   { "credence", NULL, false },
    { "call", NULL, true },   { "why it differs", NULL, true },
  };
  (void)ctx;
  crd__text_add(page->out, "<p>");
  crd__page_html_words(page->out, t->peer->package);
  crd__text_addf(page->out, ", with %u bins. ", t->bins);
  crd__page_html_words(page->out, t->note);
  crd__text_add(page->out, "</p>\n");
  crd__page_html_table(page->out, "Metrics by the conventions of another package", columns,
                       sizeof columns / sizeof *columns);
  for (size_t i = 0; i < t->count; i++) add_value(page->out, &t->values[i]);
  crd__page_html_table_end(page->out);
  return CRD_OK;
}

const crd__page_section crd__page_section_compat = { .name = "compat",
                                                     .title = "Conventions of another package",
                                                     .has = compat_has,
                                                     .write = compat_write };
