/*
 * explorer.c -- the interactive reliability diagram: choice of bins, class and temperature.
 *
 * This file writes the static diagram of the result's own bins, of a contest those of the chosen
 * method, which is shown without a script.
 * page.js redraws it for each choice from the sums in the embedded JSON
 * (docs/design/0005-profile-and-page.md), and updates the numbers beside it; data-metric is the
 * metric's name in `evaluate`.
 */
#include "report/figure.h"
#include "report/form.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <stdio.h>

static const struct {
  const char *metric, *name;
} numbers[] = {
  { "rows", "rows" },
  { "confidence", "mean confidence" },
  { "accuracy", "accuracy" },
  { "ece", "ECE" },
  { "mce", "largest gap (MCE)" },
  { "over-part", "overconfident part of ECE" },
  { "under-part", "underconfident part of ECE" },
  { "nll", "NLL" },
  { "brier", "Brier score" },
};

static bool explorer_has(const crd_page_part *part) {
  crd__page_detail d;
  return crd__page_find_detail(part, 0, &d) && d.result->bin_count > 0;
}

static void add_select(const crd__page *page, const char *choice, const char *label) {
  crd__text_addf(page->out,
                 "<div class=\"choice\"><label for=\"%s-%s\">%s</label><select id=\"%s-%s\" "
                 "data-choice=\"%s\"></select></div>\n",
                 page->id, choice, label, page->id, choice, choice);
}

/* Hidden and empty until the script fills them. */
static void add_choices(const crd__page *page) {
  crd__text_add(page->out, "<div class=\"choices\" role=\"group\" aria-label=\"What to show\" "
                           "hidden>\n");
  if (page->part->contest) add_select(page, "method", "Method");
  add_select(page, "class", "Class");
  add_select(page, "bins", "Bins");
  crd__text_addf(page->out,
                 "<div class=\"choice wide\"><label for=\"%s-temperature\">Temperature</label>"
                 "<span class=\"slider\"><input type=\"range\" id=\"%s-temperature\" "
                 "data-choice=\"temperature\" aria-describedby=\"%s-why\">"
                 "<output for=\"%s-temperature\"></output>"
                 "<button type=\"button\" data-choice=\"reset\">Reset</button></span>"
                 "<span class=\"why\" id=\"%s-why\"></span></div>\n</div>\n",
                 page->id, page->id, page->id, page->id, page->id);
}

static void add_numbers(crd__text *out, const crd_result *r) {
  crd__text_add(out, "<div class=\"side\">\n<dl class=\"numbers\" aria-live=\"polite\">\n");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const crd_metric_value *const v = crd__report_finite_value(r, numbers[i].metric);
    const bool known = i == 0 || v; /* the script may compute the others */
    crd__text_addf(out, "<div%s><dt>%s</dt><dd data-metric=\"%s\"", known ? "" : " hidden",
                   numbers[i].name, numbers[i].metric);
    if (i == 0) {
      crd__text_addf(out, " data-value=\"%zu\">", r->rows);
      crd__page_html_count(out, r->rows);
    } else if (v) {
      crd__text_add(out, " data-value=\"");
      crd__text_add_number(out, v->value);
      crd__text_add(out, "\">");
      crd__page_html_value(out, v->value);
    } else crd__text_add(out, ">");
    crd__text_add(out, "</dd></div>\n");
  }
  crd__text_add(out, "</dl>\n</div>\n");
}

static crd_status explorer_write(crd_context *ctx, const crd__page *page) {
  char id[64];
  crd__page_detail d;
  if (!crd__page_find_detail(page->part, 1, &d)) crd__page_find_detail(page->part, 0, &d);
  snprintf(id, sizeof id, "%s-diagram", page->id);
  const crd_figure_data data = { .size = sizeof data, .result = d.result };
  const crd_figure_options options = { .size = sizeof options,
                                       .title = d.name ? d.name : page->title,
                                       .id = id };
  crd__text_addf(page->out, "<div class=\"explore\" data-source=\"data-%zu\"", page->number);
  if (d.name) {
    crd__text_add(page->out, " data-chosen=\"");
    crd__page_html_words(page->out, d.name);
    crd__text_add(page->out, "\"");
  }
  crd__text_add(page->out, ">\n");
  add_choices(page);
  crd__text_add(page->out, "<div class=\"stage\">\n<div class=\"chart\">\n");
  const crd_status status = crd__report_figure_draw(ctx, "reliability", &data, &options, page->out);
  if (status == CRD_EUSAGE) crd__page_html_element(page->out, "p", NULL, crd_context_message(ctx));
  else CRD_TRY(status);
  crd__text_add(page->out, "</div>\n");
  add_numbers(page->out, d.result);
  crd__text_add(page->out, "</div>\n</div>\n");
  if (!d.result->profile)
    crd__text_addf(page->out,
                   "<p class=\"legend\">Other bins, single classes and temperatures need a result "
                   "stored with <code>%s</code>.</p>\n",
                   crd__spell(ctx, "crd_profile_make"));
  return CRD_OK;
}

const crd__page_section crd__page_section_explorer = {
  .name = "explorer", .title = "Reliability", .has = explorer_has, .write = explorer_write
};
