/* groups.c -- the groups of rows with the largest calibration error. */
#include "report/groups.h"
#include "base/utf8.h"
#include "report/form.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 20 };

static const crd_group_table *groups_of(const crd_result *r) {
  return r->groups ? r->groups : r->profile ? r->profile->groups : NULL;
}

static bool groups_has(const crd_page_part *part) {
  crd__page_detail d;
  return crd__page_find_detail(part, 0, &d) && groups_of(d.result);
}

/* Groups without a value come last. */
static double error_of(const crd_group *g) {
  const crd_metric_value *const v = crd__report_finite_value(g->result, "ece");
  return v ? v->value : -1;
}

/* Returns the group after `last` (SIZE_MAX: the first) by decreasing error, then by index; SIZE_MAX
 * past the last. */
static size_t next(const crd_group_table *g, size_t last) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < g->count; i++) {
    const double error = error_of(&g->items[i]);
    if (last != SIZE_MAX) {
      const double limit = error_of(&g->items[last]);
      if (error > limit || (error == limit && i <= last)) continue;
    }
    if (best == SIZE_MAX || error > error_of(&g->items[best])) best = i;
  }
  return best;
}

static void add_metric(crd__text *out, const crd_group *g, const char *metric) {
  const crd_metric_value *const v = crd__report_finite_value(g->result, metric);
  crd__page_html_number_cell(out, v ? v->value : (double)NAN,
                             g->result ? NULL : "all weights are 0");
}

static bool has_intervals(const crd_group_table *g) {
  for (size_t i = 0; i < g->count; i++) {
    const crd_result *const r = g->items[i].result;
    const crd_metric_value *const ece = crd__report_finite_value(r, "ece");
    if (ece && !isnan(ece->low)) return true;
  }
  return false;
}

static void add_group(crd__text *out, const crd_group *g, bool intervals, bool mixed) {
  char text[CRD__GROUP_NAME_SIZE], column[61], brief[61], with_column[130];
  const char *name = crd__report_group_name(g, text);
  if (mixed) {
    snprintf(with_column, sizeof with_column, "%s: %s",
             crd__utf8_brief(crd__report_groups_heading(g), column, sizeof column),
             crd__utf8_brief(name, brief, sizeof brief));
    name = with_column;
  }
  crd__page_html_row(out, name);
  crd__page_html_count_cell(out, g->rows);
  add_metric(out, g, "accuracy");
  add_metric(out, g, "confidence");
  add_metric(out, g, "ece");
  const crd_metric_value *const ece = crd__report_finite_value(g->result, "ece");
  if (intervals)
    crd__page_html_interval_cell(out, ece ? ece->low : (double)NAN, ece ? ece->high : (double)NAN);
  crd__text_add(out, "</tr>\n");
}

static void add_table(crd__text *out, const crd__page_detail *d) {
  static const crd__page_column columns[] = {
    { "group", NULL, true },
    { "rows", NULL, false },
    { "accuracy", NULL, false },
    { "mean confidence", NULL, false },
    { "ece", "expected calibration error; larger by chance in small groups", false },
    { "95 % interval", "of ece", false },
  };
  const crd_group_table *const g = groups_of(d->result);
  const bool intervals = has_intervals(g);
  char caption[160];
  snprintf(caption, sizeof caption, "Groups with the largest error%s%.100s", d->name ? ": " : "",
           d->name ? d->name : "");
  crd__text_add(out, "<div>\n");
  crd__page_html_table(out, caption, columns, sizeof columns / sizeof *columns - !intervals);
  size_t at = SIZE_MAX;
  for (size_t i = 0; i < SHOWN && (at = next(g, at)) != SIZE_MAX; i++)
    add_group(out, &g->items[at], intervals, crd__report_groups_mixed(g));
  crd__page_html_table_end(out);
  if (g->count > SHOWN) {
    crd__text_add(out, "<p class=\"legend\">");
    crd__page_html_count(out, g->count - SHOWN);
    crd__text_add(out, " more groups have smaller errors; the JSON has all.</p>\n");
  }
  crd__text_add(out, "</div>\n");
}

static crd_status groups_write(crd_context *ctx, const crd__page *page) {
  crd__page_detail d;
  (void)ctx;
  crd__text_add(page->out, "<div class=\"beside\">\n");
  for (size_t i = 0; crd__page_find_detail(page->part, i, &d); i++)
    if (groups_of(d.result)) add_table(page->out, &d);
  crd__text_add(page->out, "</div>\n");
  return CRD_OK;
}

const crd__page_section crd__page_section_groups = {
  .name = "groups", .title = "Groups", .has = groups_has, .write = groups_write
};
