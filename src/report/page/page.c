/*
 * page.c -- the frame of the HTML page: the head, then each run as a list of sections.
 *
 * The file is self-contained: style and script are embedded, and the policy in its head forbids
 * every request. Input is never inserted unescaped (html.h, raw.c). All numbers and figures are
 * visible without the script, which adds choices, sorting and buttons.
 */
#include "report/page/page.h"
#include "base/options.h"
#include "base/utf8.h"
#include "report/page/html.h"
#include "report/svg.h"

#include <stdio.h>
#include <string.h>

static const crd__page_section *const sections[] = {
#define SECTION(name) &crd__page_section_##name,
#include "report/page/section/list.h"
#undef SECTION
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections };

/* ---- Helpers of sections. */

bool crd__page_find_detail(const crd_page_part *part, size_t index, crd__page_detail *out) {
  const crd_contest *const contest = part->contest;
  *out = (crd__page_detail){ 0 };
  if (!contest) {
    if (index == 0) out->result = part->result;
    return index == 0;
  }
  const crd_candidate *const c = index == 0 ? &contest->candidates[0] : contest->chosen;
  if (index > 1 || !c || !c->result || (index == 1 && c == &contest->candidates[0])) return false;
  *out = (crd__page_detail){ c->result, c->name };
  return true;
}

void crd__page_write_beside(const crd__page *page, bool (*has)(const crd_result *result),
                            void (*add_table)(crd__text *out, const crd__page_detail *detail)) {
  crd__page_detail d;
  crd__text_add(page->out, "<div class=\"beside\">\n");
  for (size_t i = 0; crd__page_find_detail(page->part, i, &d); i++)
    if (has(d.result)) add_table(page->out, &d);
  crd__text_add(page->out, "</div>\n");
}

/* Returns the part of a path after its folders, up to `end`; the last folder if it ends there. */
static const char *after_folders(const char *path, const char *end) {
  const char *last = path;
  for (const char *at = path; at + 1 < end; at++)
    if (*at == '/') last = at + 1;
  return last;
}

const char *crd__page_name_brief(const char *path, char out[static CRD__PAGE_NAME_SIZE]) {
  char whole[4 * CRD__PAGE_NAME_SIZE] = "";
  size_t length = 0;
  for (const char *at = path; *at && length + 1 < sizeof whole;) {
    const char *const end = at + strcspn(at, ",");
    const char *const name = after_folders(at, end);
    const int comma = *end == ',';
    length += (size_t)snprintf(whole + length, sizeof whole - length, "%.*s",
                               (int)(end - name) + comma, name);
    at = end + comma;
  }
  crd__utf8_brief(whole, out, CRD__PAGE_NAME_SIZE);
  return out;
}

const char *crd__page_metric_title(const crd_metric_info *metric) {
  return metric->title ? metric->title : metric->name;
}

/* ---- The frame. */

static const char *path_of(const crd_page_part *part) {
  const char *const name = part->contest ? part->contest->test_name : part->result->name;
  return name && *name ? name : "predictions";
}

static void add_head(crd__text *out, const char *title) {
  crd__text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta name=\"generator\" content=\"credence ");
  crd__page_html_words(out, crd_version());
  crd__text_add(out, "\">\n");
  crd__page_html_element(out, "title", NULL, title);
  crd__text_add(out, "<style>\n");
  crd__text_add_bytes(out, crd__page_css, crd__page_css_size);
  crd__text_add(out, "</style>\n");
  crd__report_svg_common_style(out); /* for the script's drawings */
  crd__text_add(out, "</head>\n<body>\n<main>\n");
}

/* The table of contents of several runs. */
static void add_contents(crd__text *out, const crd_page_part *parts, size_t count,
                         const char *title) {
  char name[CRD__PAGE_NAME_SIZE];
  crd__page_html_element(out, "h1", NULL, title);
  crd__text_add(out, "<nav aria-label=\"Contents\">\n<ol>\n");
  for (size_t i = 0; i < count; i++) {
    crd__text_addf(out, "<li><a href=\"#run%zu\">", i + 1);
    crd__page_html_words(out, crd__page_name_brief(path_of(&parts[i]), name));
    crd__text_add(out, "</a></li>\n");
  }
  crd__text_add(out, "</ol>\n</nav>\n");
}

static crd_status add_section(crd_context *ctx, const crd__page *page, const crd__page_section *s) {
  crd__text_addf(page->out, "<section id=\"%s-%s\" class=\"%s\">\n", page->id, s->name, s->name);
  if (s->title) crd__text_addf(page->out, "<h%u>%s</h%u>\n", page->level, s->title, page->level);
  CRD_TRY(s->write(ctx, page));
  crd__text_add(page->out, "</section>\n");
  return CRD_OK;
}

/* Links to the sections of a run; the first is the head, above them. */
static void add_places(const crd__page *page) {
  crd__text_add(page->out, "<nav aria-label=\"Sections of ");
  crd__page_html_words(page->out, page->title);
  crd__text_add(page->out, "\">\n<ul class=\"places\">\n");
  for (size_t i = 1; i < SECTION_COUNT; i++)
    if (sections[i]->has(page->part))
      crd__text_addf(page->out, "<li><a href=\"#%s-%s\">%s</a></li>\n", page->id, sections[i]->name,
                     sections[i]->title);
  crd__text_add(page->out, "</ul>\n</nav>\n");
}

static crd_status add_run(crd_context *ctx, const crd__page *page) {
  crd__text_addf(page->out, "<article id=\"%s\" class=\"run\">\n", page->id);
  for (size_t i = 0; i < SECTION_COUNT; i++) {
    if (sections[i]->has(page->part)) CRD_TRY(add_section(ctx, page, sections[i]));
    if (i == 0) add_places(page);
  }
  crd__text_add(page->out, "</article>\n");
  return CRD_OK;
}

static void add_foot(crd__text *out) {
  crd__text_add(out, "</main>\n<footer><p>Made by credence ");
  crd__page_html_words(out, crd_version());
  crd__text_add(out, ". This file needs no network.</p></footer>\n<script>\n");
  crd__text_add_bytes(out, crd__page_js, crd__page_js_size);
  crd__text_add(out, "</script>\n</body>\n</html>\n");
}

static crd_status draw(crd_context *ctx, const crd_page_part *parts, size_t count,
                       const char *title, crd__text *out) {
  char name[CRD__PAGE_NAME_SIZE];
  const char *whole = title;
  if (!whole) whole = count == 1 ? crd__page_name_brief(path_of(parts), name) : "Calibration";
  add_head(out, whole);
  if (count > 1) add_contents(out, parts, count, whole);
  for (size_t i = 0; i < count; i++) {
    crd__page page = { .part = &parts[i],
                       .number = i + 1,
                       .path = path_of(&parts[i]),
                       .level = count == 1 ? 2 : 3,
                       .out = out };
    crd__page_name_brief(page.path, page.name);
    page.title = count == 1 ? whole : page.name;
    snprintf(page.id, sizeof page.id, "run%zu", i + 1);
    CRD_TRY(add_run(ctx, &page));
  }
  add_foot(out);
  return crd__text_status(ctx, out);
}

static bool is_ranking(const crd_page_part *part) {
  return part->result && part->result->input == CRD_INPUT_RANKING;
}

static crd_status check(crd_context *ctx, const crd_page_part *parts, size_t count) {
  if (count == 0)
    return crd__fail(ctx, CRD_EUSAGE, "a page needs at least one run, none was given");
  for (size_t i = 0; i < count; i++)
    if (!parts[i].result == !parts[i].contest)
      return crd__fail(ctx, CRD_EUSAGE,
                       "run %zu of a page has %s, allowed is a result or a contest", i + 1,
                       parts[i].result ? "both" : "neither");
  for (size_t i = 0; i < count; i++)
    if (is_ranking(&parts[i]))
      return crd__fail(ctx, CRD_EINPUT,
                       "%s: a page shows calibration, but a ranking is not a probability",
                       parts[i].result->name);
  return CRD_OK;
}

crd_status crd_page_write(crd_context *ctx, const crd_page_part *parts, size_t count,
                          const crd_page_options *options, crd_output *output) {
  crd_page_options own;
  crd__text text;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_page_options, options, &own));
  CRD_TRY(check(ctx, parts, count));
  crd__text_init(&text, &ctx->alloc);
  crd_status status = draw(ctx, parts, count, own.title, &text);
  if (status == CRD_OK) status = crd_output_write(ctx, output, text.bytes, text.length);
  crd__text_clear(&text);
  return status;
}
