/* fits.c -- the learnt parameters of each method, and the certificate of its fit. */
#include "report/page/html.h"
#include "report/page/page.h"

#include "base/number.h"

#include <math.h>

static bool fits_has(const crd_page_part *part) { return part->contest != NULL; }

/* Up to two values in full, else their number. */
static void add_array(crd__text *out, const crd_learnt *l) {
  char number[CRD__NUMBER_SIZE];
  const size_t count = l->start[l->parts];
  crd__page_html_words(out, l->name);
  if (count == 0 || count > 2) {
    crd__text_add(out, " (");
    crd__page_html_counted(out, count, "value");
    crd__text_add(out, ")");
    return;
  }
  for (size_t i = 0; i < count; i++)
    crd__text_addf(out, "%s%s", i ? ", " : " ", crd__number_brief(number, l->values[i], 4));
}

static void add_learnt(crd__text *out, const crd_candidate *c) {
  crd__text_add(out, "<td>");
  for (size_t i = 0; i < c->learnt_count; i++) {
    if (i) crd__text_add(out, "; ");
    add_array(out, &c->learnt[i]);
  }
  crd__text_add(out, "</td>");
}

/* Gradients of 1e-12 are typical here: significant digits, not decimals. */
static void add_brief(crd__text *out, double value) {
  char number[CRD__NUMBER_SIZE];
  crd__page_html_open_cell(out, "", value);
  if (!isnan(value)) crd__text_add(out, crd__number_brief(number, value, 4));
  crd__text_add(out, "</td>");
}

static void add_fit(crd__text *out, const crd_candidate *c, const crd_certificate *k) {
  crd__page_html_row(out, c->name);
  crd__text_addf(out, "<td class=\"%s\">%s</td>", k->converged ? "better" : "worse",
                 k->converged ? "yes" : "no");
  add_brief(out, k->objective);
  add_brief(out, k->gradient_norm);
  crd__page_html_count_cell(out, k->iterations);
  crd__page_html_words_cell(out, k->bounds);
  crd__page_html_count_cell(out, k->argmax_changes);
  add_learnt(out, c);
  crd__page_html_words_cell(out, k->note);
  crd__text_add(out, "</tr>\n");
}

static crd_status fits_write(crd_context *ctx, const crd__page *page) {
  static const crd__page_column columns[] = {
    { "method", NULL, true },
    { "converged", "whether the fit reached its optimum", true },
    { "objective", "minimised objective, per row", false },
    { "gradient", "largest partial derivative at the end", false },
    { "steps", "solver iterations", false },
    { "at a bound", "parameters or settings that ended at a bound", true },
    { "classes changed", "calibration rows whose predicted class changed", false },
    { "learnt", NULL, true },
    { "note", NULL, true },
  };
  const crd_contest *const c = page->part->contest;
  (void)ctx;
  if (c->folds) crd__text_add(page->out, "<p class=\"legend\">Fits of the first fold.</p>\n");
  crd__page_html_table(page->out, "Fits and their certificates", columns,
                       sizeof columns / sizeof *columns);
  for (size_t i = 0; i < c->count; i++) {
    const crd_candidate *const each = &c->candidates[i];
    if (each->certificate) add_fit(page->out, each, each->certificate);
  }
  crd__page_html_table_end(page->out);
  return CRD_OK;
}

const crd__page_section crd__page_section_fits = {
  .name = "fits", .title = "Fits", .has = fits_has, .write = fits_write
};
