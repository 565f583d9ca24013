/* reproduce.c -- how to reproduce the numbers: command, version, seed, files read. */
#include "report/page/html.h"
#include "report/page/page.h"

#include <inttypes.h>

static bool reproduce_has(const crd_page_part *part) { return part->provenance != NULL; }

static void add_term(crd__text *out, const char *term, const char *words) {
  if (!words || !*words) return;
  crd__text_addf(out, "<dt>%s</dt><dd>", term);
  crd__page_html_words(out, words);
  crd__text_add(out, "</dd>\n");
}

static void add_sources(crd__text *out, const crd_provenance *p) {
  static const crd__page_column columns[] = { { "file", NULL, true },
                                              { "bytes", NULL, false },
                                              { "SHA-256", NULL, true } };
  if (p->source_count == 0) return;
  crd__page_html_table(out, "Files read", columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < p->source_count; i++) {
    crd__page_html_row(out, p->sources[i].name);
    crd__page_html_count_cell(out, p->sources[i].bytes);
    crd__text_add(out, "<td><code class=\"digest\">");
    crd__page_html_words(out, p->sources[i].sha256);
    crd__text_add(out, "</code></td></tr>\n");
  }
  crd__page_html_table_end(out);
}

static crd_status reproduce_write(crd_context *ctx, const crd__page *page) {
  const crd_provenance *const p = page->part->provenance;
  (void)ctx;
  if (p->command) {
    crd__text_add(page->out, "<pre class=\"command\" data-copy><code>");
    crd__page_html_words(page->out, p->command);
    crd__text_add(page->out, "</code></pre>\n");
  }
  crd__text_add(page->out, "<dl class=\"terms\">\n");
  add_term(page->out, "Version", p->version);
  add_term(page->out, "Build", p->build);
  crd__text_addf(page->out, "<dt>Seed</dt><dd>%" PRIu64 "</dd>\n</dl>\n", p->seed);
  add_sources(page->out, p);
  return CRD_OK;
}

const crd__page_section crd__page_section_reproduce = {
  .name = "reproduce", .title = "How to reproduce", .has = reproduce_has, .write = reproduce_write
};
