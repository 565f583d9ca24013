/*
 * groups.c -- tables of groups as text, one for each group column: two lines per group (values and
 * their 95 % intervals), one column for each of the first metrics.
 *
 * A value is marked '*' if its interval does not contain the value of all rows. If there are many
 * groups, those with the largest error are shown; the other forms have all.
 */
#include "report/groups.h"
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  SHOWN = 20,
  ROWS_TO_STAND_OUT = 30,
  NAME_WIDTH = 20,
  ROWS_WIDTH = 8,
  VALUE_WIDTH = 10,
  WIDTH = 80
};

const char *crd__report_group_name(const crd_group *group, char text[static CRD__GROUP_NAME_SIZE]) {
  if (group->name) return group->name;
  snprintf(text, CRD__GROUP_NAME_SIZE, "%lld", (long long)group->number);
  return text;
}

static bool same_column(const crd_group *a, const crd_group *b) {
  return a->column && b->column ? strcmp(a->column, b->column) == 0 : a->column == b->column;
}

crd_group_table crd__report_groups_of_column(const crd_group_table *groups, size_t from) {
  size_t to = from;
  while (to < groups->count && same_column(&groups->items[from], &groups->items[to])) to++;
  return (crd_group_table){ to - from, groups->items + from };
}

bool crd__report_groups_mixed(const crd_group_table *groups) {
  return groups->count > 0 && crd__report_groups_of_column(groups, 0).count < groups->count;
}

const char *crd__report_groups_heading(const crd_group *group) {
  return group->column && strcmp(group->column, "groups") != 0 ? group->column : "group";
}

/* The metric that orders groups when not all are shown: the first for which lower is better. */
static size_t ordering_metric(const crd_result *r) {
  for (size_t i = 0; i < r->value_count; i++)
    if (r->values[i].metric->direction == CRD_LOWER_IS_BETTER) return i;
  return 0;
}

static double error_of(const crd_group *group, const void *metric) {
  const size_t index = *(const size_t *)metric;
  return group->result && index < group->result->value_count ? group->result->values[index].value
                                                             : (double)NAN;
}

size_t crd__report_groups_next(const crd_group_table *g, size_t last,
                               crd__report_group_error *error, const void *self) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < g->count; i++) {
    const double here = error(&g->items[i], self);
    if (isnan(here)) continue;
    if (last != SIZE_MAX) {
      const double limit = error(&g->items[last], self);
      if (here > limit || (here == limit && i <= last)) continue;
    }
    if (best == SIZE_MAX || here > error(&g->items[best], self)) best = i;
  }
  return best;
}

/* Returns the group to show after `last` (SIZE_MAX: the first): the next by decreasing error or, if
 * all are shown, by index. */
static size_t next_shown(const crd_group_table *g, size_t metric, size_t last) {
  if (g->count > SHOWN) return crd__report_groups_next(g, last, error_of, &metric);
  return last == SIZE_MAX ? 0 : last + 1;
}

/* Intervals of few rows are unreliable: their resamples are often all equal. */
static bool stands_out(const crd_metric_value *all, const crd_group *group, size_t metric) {
  const crd_metric_value *const v = &group->result->values[metric];
  return group->rows >= ROWS_TO_STAND_OUT && (v->low > all->value || v->high < all->value);
}

static size_t name_width(const crd_group_table *g) {
  size_t width = crd__report_text_columns(crd__report_groups_heading(&g->items[0]));
  for (size_t i = 0; i < g->count; i++) {
    char text[CRD__GROUP_NAME_SIZE];
    const size_t count = crd__report_text_columns(crd__report_group_name(&g->items[i], text));
    if (count > width) width = count;
  }
  return width < NAME_WIDTH ? width : NAME_WIDTH;
}

static void add_name(crd__text *out, const crd_group *group, size_t width, int ascii) {
  char text[CRD__GROUP_NAME_SIZE];
  crd__text_add(out, "  ");
  crd__report_text_add_column(out, crd__report_group_name(group, text), width, ascii);
}

/* Prints the intervals below the values, up to the last that exists. */
static void add_intervals(crd__text *out, const crd_group *group, size_t width, size_t metrics) {
  const crd_metric_value *const values = group->result ? group->result->values : NULL;
  while (metrics > 0 && (!values || isnan(values[metrics - 1].low))) metrics--;
  if (metrics == 0) return;
  crd__report_text_add_spaces(out, 2 + width + 2 + ROWS_WIDTH);
  for (size_t m = 0; m < metrics; m++) {
    char interval[CRD__INTERVAL_SIZE];
    crd__text_addf(out, "%s%*s", m ? " " : "", VALUE_WIDTH + 2,
                   crd__report_interval_format(interval, values[m].low, values[m].high));
  }
  crd__text_add(out, "\n");
}

static bool add_group(crd__text *out, const crd_result *r, const crd_group *group, size_t metrics) {
  char number[CRD__NUMBER_SIZE];
  bool marked = false;
  crd__text_addf(out, "  %*zu", ROWS_WIDTH, group->rows);
  if (!group->result) crd__text_add(out, "  all weights are 0");
  for (size_t m = 0; group->result && m < metrics; m++) {
    const bool mark = stands_out(&r->values[m], group, m);
    const char *const after = m + 1 < metrics ? " " : "";
    crd__text_addf(out, "  %*s%s", VALUE_WIDTH,
                   crd__report_value_format(number, group->result->values[m].value),
                   mark ? "*" : after);
    marked |= mark;
  }
  crd__text_add(out, "\n");
  return marked;
}

static void add_heading(crd__text *out, const crd_result *r, const crd_group_table *g, size_t width,
                        size_t metrics) {
  crd__text_add(out, "  ");
  crd__report_text_add_column(out, crd__report_groups_heading(&g->items[0]), width, 0);
  crd__text_addf(out, "  %*s", ROWS_WIDTH, "rows");
  for (size_t m = 0; m < metrics; m++)
    crd__text_addf(out, "  %*s%s", VALUE_WIDTH, r->values[m].metric->name,
                   m + 1 < metrics ? " " : "");
}

static bool add_table(crd__text *out, const crd_result *r, const crd_group_table *g,
                      const crd_report_options *options) {
  const size_t width = name_width(g), most = (WIDTH - width - 12) / (VALUE_WIDTH + 3);
  const size_t metrics = r->value_count < most ? r->value_count : most;
  const size_t metric = ordering_metric(r);
  bool marked = false;
  crd__text_add(out, "\n");
  if (g->count > SHOWN)
    crd__text_addf(out, "  The %d of %zu groups with the largest %s:\n\n", SHOWN, g->count,
                   r->values[metric].metric->name);
  crd__report_style_add(out, options, "1");
  add_heading(out, r, g, width, metrics);
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
  size_t at = SIZE_MAX;
  for (size_t i = 0; i < SHOWN && i < g->count; i++) {
    at = next_shown(g, metric, at);
    if (at == SIZE_MAX) break;
    add_name(out, &g->items[at], width, options->ascii);
    marked |= add_group(out, r, &g->items[at], metrics);
    add_intervals(out, &g->items[at], width, metrics);
  }
  return marked;
}

void crd__report_groups_add(crd__text *out, const crd_result *r,
                            const crd_report_options *options) {
  bool marked = false;
  for (size_t from = 0; from < r->groups->count;) {
    const crd_group_table one = crd__report_groups_of_column(r->groups, from);
    marked |= add_table(out, r, &one, options);
    from += one.count;
  }
  if (marked)
    crd__text_add(out, "\n  * its 95 % interval does not contain the value of all rows\n");
}
