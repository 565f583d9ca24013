/*
 * text.c -- the result as text of 80 columns: a heading, the metrics and their meaning,
 * comparisons, the reliability diagram, and notes.
 */
#include "report/balance.h"
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/form.h"
#include "report/grid/grid.h"
#include "report/groups.h"
#include "report/operating.h"
#include "report/plain.h"
#include "report/shift.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, VALUE_WIDTH = 10, BETTER_WIDTH = 6 };

/* Widths of the columns, and of all but the last together. */
typedef struct {
  size_t name, value, low, high, all;
} columns;

static void add_head(crd__text *out, const crd_result *r, const crd_report_options *options) {
  crd__report_heading_add(out, options, r->name,
                          &(crd__report_shown){ r->rows, r->classes, r->input });
  if (r->classes == 2 && r->binary == CRD_BINARY_POS) crd__text_add(out, " of class 1");
  if (r->bin_count)
    crd__text_addf(out, ", %zu %s", r->bin_count, r->bin_count == 1 ? "bin" : "bins");
  crd__text_add(out, r->weighted ? ", weighted" : "");
  if (r->resamples) crd__text_addf(out, ", %u resamples", r->resamples);
  crd__text_add(out, "\n");
}

/* The better direction: a word, or an arrow beside an interval. */
static const char *direction(const crd_result *r, const crd_metric_value *v, bool ascii) {
  static const char *const arrows[][2] = { [CRD_LOWER_IS_BETTER] = { "↓", "v" },
                                           [CRD_HIGHER_IS_BETTER] = { "↑", "^" },
                                           [CRD_NEITHER_IS_BETTER] = { " ", " " } };
  return r->resamples ? arrows[v->metric->direction][ascii]
                      : crd__report_direction_word(v->metric->direction);
}

/* Appends the meaning in one line: the summary up to its first comma or colon. Reasons of undefined
 * values are wrapped. */
static void add_meaning(crd__text *out, const crd_metric_value *v, const columns *wide,
                        const crd_report_options *options) {
  const char *const summary = v->metric->summary;
  const size_t room = wide->all < WIDTH ? WIDTH - wide->all : 0;
  char brief[128];
  if (v->reason) {
    crd__report_text_add_wrapped(
        out, v->reason, &(crd__report_wrapping){ wide->all, wide->all, WIDTH, options->ascii });
    return;
  }
  snprintf(brief, sizeof brief, "%.*s", (int)strcspn(summary, ",:"), summary);
  if (crd__report_text_columns(brief) <= room)
    crd__report_text_add_plain(out, brief, options->ascii);
  else if (room > 1) crd__report_text_add_column(out, brief, room, options->ascii);
  crd__text_add(out, "\n");
}

static void add_value(crd__text *out, const crd_result *r, const crd_metric_value *v,
                      const columns *wide, const crd_report_options *options) {
  const crd__report_value_text text = crd__report_value_show(v, options);
  const char *const better = direction(r, v, options->ascii != 0);
  const size_t name = strlen(v->metric->name);
  crd__text_addf(out, "  %s%-*s  %*s", v->metric->name, (int)(wide->name - name), text.unit,
                 (int)wide->value, text.value);
  if (r->resamples)
    crd__text_addf(out, "  %*s  %*s  %s ", (int)wide->low, text.low, (int)wide->high, text.high,
                   better);
  else crd__text_addf(out, "  %-*s  ", BETTER_WIDTH, better);
  add_meaning(out, v, wide, options);
}

static void widen(size_t *width, size_t length) {
  if (length > *width) *width = length;
}

static columns measure(const crd_result *r, const crd_report_options *options) {
  columns wide = { .name = strlen("metric"), .value = strlen("value"), .low = 6, .high = 6 };
  for (size_t i = 0; i < r->value_count; i++) {
    const crd__report_value_text text = crd__report_value_show(&r->values[i], options);
    widen(&wide.name, strlen(r->values[i].metric->name) + strlen(text.unit));
    widen(&wide.value, strlen(text.value));
    widen(&wide.low, strlen(text.low));
    widen(&wide.high, strlen(text.high));
  }
  wide.all = 2 + wide.name + 2 + wide.value + 2;
  wide.all += r->resamples ? wide.low + 2 + wide.high + 2 + 2 : BETTER_WIDTH + 2;
  return wide;
}

static void add_values(crd__text *out, const crd_result *r, const crd_report_options *options) {
  const columns wide = measure(r, options);
  crd__text_add(out, "\n");
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s  %*s", (int)wide.name, "metric", (int)wide.value, "value");
  if (r->resamples) crd__text_addf(out, "  %*s", (int)(wide.low + 2 + wide.high), "95 % interval");
  else crd__text_add(out, "  better");
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
  for (size_t i = 0; i < r->value_count; i++) add_value(out, r, &r->values[i], &wide, options);
}

/* Indented by two spaces, and wrapped. */
static void add_sentence(crd__text *out, const crd__text *sentence, int ascii) {
  crd__text_add(out, "\n  ");
  if (!sentence->failed)
    crd__report_text_add_wrapped(out, sentence->bytes,
                                 &(crd__report_wrapping){ 2, 2, WIDTH, ascii });
  out->failed |= sentence->failed;
}

/* Noise floors: the error that a perfectly calibrated model would show by chance. */
static void add_floors(crd__text *out, const crd_result *r, const crd_report_options *options) {
  for (size_t i = 0; i < r->value_count; i++) {
    const crd_metric_value *const v = &r->values[i];
    const crd_metric_value floor = { .metric = v->metric, .value = v->noise_floor };
    const crd__report_value_text text = crd__report_value_show(&floor, options);
    crd__text sentence;
    if (!(v->noise_floor > 0)) continue;
    crd__text_init(&sentence, out->alloc);
    crd__text_addf(&sentence,
                   "With this many %srows, a perfectly calibrated model shows an %s of about %s%s.",
                   r->cluster ? "independent " : "", crd__report_title(v->metric), text.value,
                   *text.unit ? " %" : "");
    add_sentence(out, &sentence, options->ascii);
    crd__text_clear(&sentence);
  }
}

/* p-values of tests of calibration. */
static void add_ps(crd__text *out, const crd_result *r, const crd_report_options *options) {
  crd__text sentence;
  const char *before = "";
  if (!crd__report_has_p(r)) return;
  crd__text_init(&sentence, out->alloc);
  crd__text_add(&sentence, "p values under perfect calibration:");
  for (size_t i = 0; i < r->value_count; i++) {
    char p[CRD__NUMBER_SIZE];
    const crd_metric_value *const v = &r->values[i];
    if (isnan(v->p)) continue;
    crd__text_addf(&sentence, "%s %s %s", before, v->metric->name, crd__report_p_format(p, v->p));
    before = ",";
  }
  crd__text_add(&sentence, ".");
  add_sentence(out, &sentence, options->ascii);
  crd__text_clear(&sentence);
}

static void add_tests(crd__text *out, const crd_comparison *c) {
  const char *before = "\n";
  for (size_t i = 0; i < c->count; i++) {
    char p[CRD__NUMBER_SIZE];
    const crd_difference *const d = &c->items[i];
    if (!d->test) continue;
    crd__text_addf(out, "%s  %s: %s's test ", before, d->metric->name, d->test);
    if (d->test_reason) crd__text_addf(out, "%s\n", d->test_reason);
    else crd__text_addf(out, "gives p = %s\n", crd__report_p_format(p, d->test_p));
    before = "";
  }
}

/* One sentence: did calibration improve, did refinement suffer? */
static void add_balance(crd__text *out, const crd_comparison *c,
                        const crd_report_options *options) {
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  crd__text_add(&sentence, "The other's ");
  if (crd__report_balance_add(&sentence, c)) {
    crd__text_add(&sentence, ".");
    add_sentence(out, &sentence, options->ascii);
  }
  out->failed |= sentence.failed;
  crd__text_clear(&sentence);
}

static void add_paired(crd__text *out, const crd_comparison *c, const crd_report_options *options) {
  char number[CRD__NUMBER_SIZE], low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE], p[CRD__NUMBER_SIZE];
  size_t width = strlen("metric");
  for (size_t i = 0; i < c->count; i++) {
    const size_t length = strlen(c->items[i].metric->name);
    if (length > width) width = length;
  }
  crd__text_add(out, "\n");
  crd__report_text_add_plain(out, c->name, options->ascii);
  crd__text_add(out, " minus the above, on the same rows:\n\n");
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s  %*s  %*s  %*s", (int)width, "metric", VALUE_WIDTH, "difference",
                 2 * VALUE_WIDTH + 2, "95 % interval", VALUE_WIDTH, "p");
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
  for (size_t i = 0; i < c->count; i++)
    crd__text_addf(out, "  %-*s  %*s  %*s  %*s  %*s\n", (int)width, c->items[i].metric->name,
                   VALUE_WIDTH, crd__report_value_format(number, c->items[i].value), VALUE_WIDTH,
                   crd__report_value_format(low, c->items[i].low), VALUE_WIDTH,
                   crd__report_value_format(high, c->items[i].high), VALUE_WIDTH,
                   crd__report_p_format(p, c->items[i].p));
  add_tests(out, c);
  add_balance(out, c, options);
}

static void add_compat_row(crd__text *out, const crd_compat_value *v, size_t width) {
  char theirs[CRD__NUMBER_SIZE], ours[CRD__NUMBER_SIZE], difference[CRD__NUMBER_SIZE];
  crd__text_addf(out, "  %-*s  %*s  %*s  %*s\n", (int)width, v->convention->metric, VALUE_WIDTH,
                 crd__report_value_format(theirs, v->value), VALUE_WIDTH,
                 crd__report_value_format(ours, v->ours), VALUE_WIDTH,
                 crd__report_value_format(difference, v->value - v->ours));
}

/* The call that computes it, and why it differs or does not exist. */
static void add_compat_why(crd__text *out, const crd_compat_value *v, size_t width, int ascii) {
  const size_t column = 2 + width + 2;
  crd__text_addf(out, "  %-*s  ", (int)width, v->convention->metric);
  crd__report_text_add_wrapped(out, v->convention->call,
                               &(crd__report_wrapping){ column, column, WIDTH, ascii });
  crd__report_text_add_spaces(out, column);
  crd__report_text_add_wrapped(out, v->reason ? v->reason : v->convention->why,
                               &(crd__report_wrapping){ column, column, WIDTH, ascii });
}

static void add_compat(crd__text *out, const crd_compat_table *c,
                       const crd_report_options *options) {
  size_t width = strlen("metric");
  for (size_t i = 0; i < c->count; i++) {
    const size_t length = strlen(c->values[i].convention->metric);
    if (length > width) width = length;
  }
  crd__text_addf(out, "\nAs computed by %s, with M = %u bins (its default is %u):\n\n",
                 c->peer->name, c->bins, c->peer->bins);
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s  %*s  %*s  %*s", (int)width, "metric", VALUE_WIDTH, "theirs",
                 VALUE_WIDTH, "ours", VALUE_WIDTH, "difference");
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
  for (size_t i = 0; i < c->count; i++) add_compat_row(out, &c->values[i], width);
  crd__text_add(out, "\n");
  for (size_t i = 0; i < c->count; i++) add_compat_why(out, &c->values[i], width, options->ascii);
  if (!c->note) return;
  crd__text_add(out, "\n  ");
  crd__report_text_add_wrapped(out, c->note,
                               &(crd__report_wrapping){ 2, 2, WIDTH, options->ascii });
}

static void text_write(const crd_result *r, const crd_report_options *options, crd__text *out) {
  add_head(out, r, options);
  if (r->value_count) add_values(out, r, options);
  add_floors(out, r, options);
  add_ps(out, r, options);
  if (r->paired) add_paired(out, r->paired, options);
  crd__report_shift_text(out, r, options);
  if (r->groups) crd__report_groups_add(out, r, options);
  crd__report_classes_text(out, r, options);
  if (r->compat) add_compat(out, r->compat, options);
  crd__report_operating_text(out, r->operating, options);
  crd__report_operating_shift_text(out, r->shift, options);
  crd__report_diagram_add(out, r, options);
  crd__report_text_add_notes(out, r->notes, r->note_count, options);
}

const crd__report_form crd__report_form_text = {
  .info = { .name = "text", .summary = "a table and a diagram, for people" },
  .write = text_write,
  .models = crd__report_models_text,
  .contest = crd__report_contest_text,
  .series = crd__report_series_text,
  .calibratability = crd__report_calibratability_text,
  .learned = crd__report_learned_text,
  .diagnose = crd__report_diagnosis_text,
};
