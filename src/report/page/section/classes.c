/* classes.c -- the classes with the largest class-wise calibration error. */
#include "report/page/html.h"
#include "report/page/page.h"

enum { SHOWN = 20 };

static bool has_classes(const crd_result *r) { return r->profile && r->profile->class_count > 0; }

static bool classes_has(const crd_page_part *part) {
  crd__page_detail d;
  return crd__page_find_detail(part, 0, &d) && has_classes(d.result);
}

static bool has_names(const crd_profile *p) {
  for (size_t i = 0; i < p->class_count; i++)
    if (p->classes[i].name) return true;
  return false;
}

static void add_class(crd__text *out, const crd_class_profile *c, bool named) {
  crd__text_add(out, "<tr>");
  if (named) crd__page_html_words_cell(out, c->name);
  crd__page_html_open_cell(out, "", (double)c->number);
  crd__text_addf(out, "%zu</td>", c->number);
  crd__page_html_count_cell(out, c->rows);
  crd__page_html_number_cell(out, c->frequency, NULL);
  crd__page_html_number_cell(out, c->probability, NULL);
  crd__page_html_number_cell(out, c->error, NULL);
  crd__text_add(out, "</tr>\n");
}

static void add_table(crd__text *out, const crd__page_detail *d) {
  static const crd__page_column columns[] = {
    { "name", NULL, true },
    { "class", NULL, false },
    { "rows", "rows of this class", false },
    { "frequency", "share of rows of this class", false },
    { "mean probability", "mean predicted probability of this class over all rows", false },
    { "error", "class-wise ECE: mean gap between probability and frequency over bins", false },
  };
  const crd_profile *const p = d->result->profile;
  const size_t shown = p->class_count < SHOWN ? p->class_count : SHOWN;
  const bool named = has_names(p);
  crd__page_html_worst(out, "Classes", d->name, columns + !named,
                       sizeof columns / sizeof *columns - !named);
  for (size_t i = 0; i < shown; i++) add_class(out, &p->classes[i], named);
  crd__page_html_worst_end(out, shown < d->result->classes ? d->result->classes - shown : 0,
                           "classes have smaller errors");
}

static crd_status classes_write(crd_context *ctx, const crd__page *page) {
  (void)ctx;
  crd__page_write_beside(page, has_classes, add_table);
  return CRD_OK;
}

const crd__page_section crd__page_section_classes = {
  .name = "classes", .title = "Classes", .has = classes_has, .write = classes_write
};
