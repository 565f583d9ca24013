/*
 * figures.c -- every figure that can be drawn from the run, in groups of one question each.
 *
 * For a contest: those of the uncalibrated probabilities and of the chosen method, side by side on
 * the same scale. The reliability diagram of a single result is already in the explorer.
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

static void cut(crd__text *out, size_t length) {
  out->length = length;
  if (out->bytes) out->bytes[length] = 0;
}

/* A figure, its data, and a result that it is compared with. */
typedef struct {
  const crd_figure_info *info;
  crd_figure_data data;
  const crd_result *beside; /* NULL: none */
} drawn;

/* Appends a figure; nothing if the data do not allow it. */
static crd_status add_figure(crd_context *ctx, crd__text *out, const drawn *what,
                             const crd_figure_options *options) {
  const size_t mark = out->length;
  crd__text_addf(out, "<figure class=\"%s\">\n<div class=\"scroll picture\">\n", what->info->name);
  const crd_status status = crd__report_figure_draw_beside(ctx, what->info->name, &what->data,
                                                           what->beside, options, out);
  if (status == CRD_EUSAGE) {
    cut(out, mark);
    return CRD_OK;
  }
  crd__text_addf(out, "</div>\n<figcaption data-file=\"%s\">", options->id);
  crd__page_html_words(out, what->info->summary);
  crd__text_add(out, "</figcaption>\n</figure>\n");
  return status;
}

/* The groups, in the order of the page; figures that are in none come last. */
static const struct {
  const char *heading;
  const char *figures; /* names between spaces */
} groups[] = {
  { "Methods side by side", " comparison shift-methods " },
  { "Does confidence agree with accuracy?", " reliability smooth classes " },
  { "How is confidence distributed?", " confidence density " },
  { "Does confidence separate correct from wrong predictions?",
    " roc precision-recall risk-coverage " },
  { "How do the numbers depend on choices?", " bins temperature " },
  { "Shifted data", " shift " },
  { "Others", NULL },
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups, OTHERS = GROUP_COUNT - 1 };

static size_t group_of(const char *figure) {
  char name[64];
  snprintf(name, sizeof name, " %.60s ", figure);
  for (size_t i = 0; i < OTHERS; i++)
    if (strstr(groups[i].figures, name)) return i;
  return OTHERS;
}

static crd_status add_of_result(crd_context *ctx, const crd__page *page,
                                const crd_figure_info *info) {
  crd__page_detail d, others[2] = { { 0 } };
  if (!page->part->contest && strcmp(info->name, "reliability") == 0) return CRD_OK;
  crd__page_find_detail(page->part, 0, &others[1]);
  crd__page_find_detail(page->part, 1, &others[0]);
  for (size_t i = 0; crd__page_find_detail(page->part, i, &d); i++) {
    char id[96];
    snprintf(id, sizeof id, "%s-%.40s-%zu", page->id, info->name, i + 1);
    const drawn what = { info, { .result = d.result }, others[i].result };
    const crd_figure_options options = { .size = sizeof options,
                                         .title = d.name ? d.name : page->title,
                                         .id = id };
    CRD_TRY(add_figure(ctx, page->out, &what, &options));
  }
  return CRD_OK;
}

static crd_status add_of_contest(crd_context *ctx, const crd__page *page,
                                 const crd_figure_info *info) {
  char id[96];
  snprintf(id, sizeof id, "%s-%.40s", page->id, info->name);
  const drawn what = { info, { .contest = page->part->contest }, NULL };
  return add_figure(
      ctx, page->out, &what,
      &(crd_figure_options){ .size = sizeof(crd_figure_options), .title = page->title, .id = id });
}

static bool is_of_contest(const crd_figure_info *info) {
  return info->source == CRD_FIGURE_OF_CONTEST || info->source == CRD_FIGURE_OF_SHIFTED_CONTEST;
}

/* Writes a group under its heading; nothing if none of its figures can be drawn. */
static crd_status add_group(crd_context *ctx, const crd__page *page, size_t group) {
  crd__text *const out = page->out;
  const unsigned level = page->level + 1;
  const size_t mark = out->length;
  crd__text_addf(out, "<h%u>%s</h%u>\n<div class=\"gallery\">\n", level, groups[group].heading,
                 level);
  const size_t empty = out->length;
  for (size_t i = 0; i < crd_figure_count(); i++) {
    const crd_figure_info *const info = crd_figure_at(i);
    if (group_of(info->name) != group) continue;
    if (!is_of_contest(info)) CRD_TRY(add_of_result(ctx, page, info));
    else if (page->part->contest) CRD_TRY(add_of_contest(ctx, page, info));
  }
  if (out->length == empty) cut(out, mark);
  else crd__text_add(out, "</div>\n");
  return CRD_OK;
}

static crd_status figures_write(crd_context *ctx, const crd__page *page) {
  for (size_t i = 0; i < GROUP_COUNT; i++) CRD_TRY(add_group(ctx, page, i));
  return CRD_OK;
}

const crd__page_section crd__page_section_figures = {
  .name = "figures", .title = "Figures", .has = figures_has, .write = figures_write
};
