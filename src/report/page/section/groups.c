/* groups.c -- the groups of rows with the largest calibration error, with 95 % intervals. */
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

static bool has_groups(const crd_result *r) { return groups_of(r); }

static bool groups_has(const crd_page_part *part) {
  crd__page_detail d;
  return crd__page_find_detail(part, 0, &d) && has_groups(d.result);
}

/* Groups without a value come last. */
static double error_of(const crd_group *g, const void *self) {
  (void)self;
  const crd_metric_value *const v = crd__report_finite_value(g->result, "ece");
  return v ? v->value : -1;
}

static void add_metric(crd__text *out, const crd_group *g, const char *metric) {
  const crd_metric_value *const v = crd__report_finite_value(g->result, metric);
  crd__page_html_metric_cell(out, v, g->result ? NULL : "all weights are 0");
}

static void add_group(crd__text *out, const crd_group *g, bool mixed) {
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
  crd__text_add(out, "</tr>\n");
}

static void add_table(crd__text *out, const crd__page_detail *d) {
  const crd__page_column columns[] = {
    { "group", NULL, true },
    { "rows", NULL, false },
    { "accuracy", NULL, false },
    { crd__report_judges_class_1(d->result) ? "mean probability" : "mean confidence", NULL, false },
    { "ECE", "expected calibration error; larger by chance in small groups", false },
  };
  const crd_group_table *const g = groups_of(d->result);
  crd__page_html_worst(out, "Groups", d->name, columns, sizeof columns / sizeof *columns);
  size_t at = SIZE_MAX;
  for (size_t i = 0; i < SHOWN; i++) {
    at = crd__report_groups_next(g, at, error_of, NULL);
    if (at == SIZE_MAX) break;
    add_group(out, &g->items[at], crd__report_groups_mixed(g));
  }
  crd__page_html_worst_end(out, g->count > SHOWN ? g->count - SHOWN : 0,
                           "groups have smaller errors; the JSON has all");
}

static crd_status groups_write(crd_context *ctx, const crd__page *page) {
  (void)ctx;
  crd__page_write_beside(page, has_groups, add_table);
  return CRD_OK;
}

const crd__page_section crd__page_section_groups = {
  .name = "groups", .title = "Groups", .has = groups_has, .write = groups_write
};
