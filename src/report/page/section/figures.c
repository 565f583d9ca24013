/*
 * figures.c -- every figure that can be drawn from the run, in the order of the figures' table.
 *
 * For a contest: those of the uncalibrated probabilities and of the chosen method, side by side.
 * The reliability diagram of a single result is already in the explorer.
 */
#include "report/figure.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <stdio.h>
#include <string.h>

static bool figures_has(const crd_page_part *part) {
  (void)part;
  return true;
}

/* Appends a figure; nothing if the data do not allow it. */
static crd_status add_figure(crd_context *ctx, crd__text *out, const crd_figure_info *info,
                             const crd_figure_data *data, const crd_figure_options *options,
                             const char *method) {
  const size_t mark = out->length;
  crd__text_addf(out, "<figure class=\"%s\">\n<div class=\"scroll picture\">\n", info->name);
  const crd_status status = crd__report_figure_draw(ctx, info->name, data, options, out);
  if (status == CRD_EUSAGE) {
    out->length = mark;
    if (out->bytes) out->bytes[mark] = 0;
    return CRD_OK;
  }
  crd__text_addf(out, "</div>\n<figcaption%s data-file=\"%s\">", method ? "" : " class=\"alone\"",
                 options->id);
  if (method) {
    crd__page_html_words(out, method);
    crd__text_add(out, ": ");
  }
  crd__page_html_words(out, info->summary);
  crd__text_add(out, "</figcaption>\n</figure>\n");
  return status;
}

static crd_status add_of_result(crd_context *ctx, const crd__page *page,
                                const crd_figure_info *info) {
  crd__page_detail d;
  if (!page->part->contest && strcmp(info->name, "reliability") == 0) return CRD_OK;
  for (size_t i = 0; crd__page_find_detail(page->part, i, &d); i++) {
    char id[96];
    snprintf(id, sizeof id, "%s-%.40s-%zu", page->id, info->name, i + 1);
    const crd_figure_options options = { .title = d.name ? d.name : page->title, .id = id };
    CRD_TRY(add_figure(ctx, page->out, info, &(crd_figure_data){ .result = d.result }, &options,
                       d.name));
  }
  return CRD_OK;
}

static crd_status add_of_contest(crd_context *ctx, const crd__page *page,
                                 const crd_figure_info *info) {
  char id[96];
  snprintf(id, sizeof id, "%s-%.40s", page->id, info->name);
  return add_figure(ctx, page->out, info, &(crd_figure_data){ .contest = page->part->contest },
                    &(crd_figure_options){ .title = page->title, .id = id }, NULL);
}

static bool is_of_contest(const crd_figure_info *info) {
  return info->source == CRD_FIGURE_OF_CONTEST || info->source == CRD_FIGURE_OF_SHIFTED_CONTEST;
}

static crd_status figures_write(crd_context *ctx, const crd__page *page) {
  crd__text_add(page->out, "<div class=\"gallery\">\n");
  for (size_t i = 0; page->part->contest && i < crd_figure_count(); i++)
    if (is_of_contest(crd_figure_at(i))) CRD_TRY(add_of_contest(ctx, page, crd_figure_at(i)));
  for (size_t i = 0; i < crd_figure_count(); i++)
    if (!is_of_contest(crd_figure_at(i))) CRD_TRY(add_of_result(ctx, page, crd_figure_at(i)));
  crd__text_add(page->out, "</div>\n");
  return CRD_OK;
}

const crd__page_section crd__page_section_figures = {
  .name = "figures", .title = "Figures", .has = figures_has, .write = figures_write
};
