/*
 * contest_text.c -- a contest as text: two lines per method, failures, and the verdict.
 *
 * The second line has the intervals below the values, and scalar parameters below the name. A value
 * is marked '+' if it is significantly better than identity's, after correction for the number of
 * methods, and '-' if it is significantly worse.
 */
#include "report/contest_parts.h"
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/grid/grid.h"
#include "report/operating.h"
#include "report/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  WIDTH = 80,
  VALUE_WIDTH = 9,
  NAME_MIN_WIDTH = 19,
  NAME_MAX_WIDTH = 26,
  COLUMNS_MAX = 8,
  DECIMALS = 4
};

static size_t name_width(const crd_contest *c) {
  size_t width = NAME_MIN_WIDTH;
  for (size_t i = 0; i < c->count; i++) {
    const size_t length = strlen(c->candidates[i].name);
    if (length > width) width = length < NAME_MAX_WIDTH ? length : NAME_MAX_WIDTH;
  }
  return width;
}

/* Chooses the columns: the metrics of the verdict first, then as many others as fit. */
static size_t choose_columns(const crd_result *r, size_t room, size_t *columns) {
  static const char *const leading[] = { "accuracy", "ece", "nll", "brier-top1", "auroc" };
  enum { LEADING = sizeof leading / sizeof *leading };
  size_t count = 0;
  for (size_t pass = 0; pass <= LEADING; pass++)
    for (size_t m = 0; m < r->value_count && count < room; m++) {
      bool leads = false;
      for (size_t l = 0; l < LEADING; l++) leads |= !strcmp(r->values[m].metric->name, leading[l]);
      const bool now = pass < LEADING ? !strcmp(r->values[m].metric->name, leading[pass]) : !leads;
      if (now) columns[count++] = m;
    }
  return count;
}

static char mark(const crd_candidate *c, size_t metric) {
  if (!c->against_identity) return ' ';
  const crd_difference *const d = &c->against_identity->items[metric];
  const crd_direction direction = d->metric->direction;
  if (!(d->p < 0.05) || direction == CRD_NEITHER_IS_BETTER || d->value == 0) return ' ';
  return (d->value < 0) == (direction == CRD_LOWER_IS_BETTER) ? '+' : '-';
}

/* The metrics of the columns, and the width of the names. */
typedef struct {
  size_t metric[COLUMNS_MAX], count, width;
} layout;

static void add_interval(crd__text *out, const crd_metric_value *v,
                         const crd_report_options *options) {
  char interval[CRD__INTERVAL_SIZE];
  const double scale = crd__report_scale(v->metric, options);
  crd__report_interval_format(interval, scale * v->low, scale * v->high);
  crd__text_addf(out, " %*s ", VALUE_WIDTH, interval);
}

/* Lists scalar parameters, as many as fit: "temperature 2.03". */
static void list_learnt(const crd_candidate *c, size_t room, char text[NAME_MAX_WIDTH]) {
  *text = 0;
  for (size_t i = 0; i < c->learnt_count; i++) {
    char number[CRD__NUMBER_SIZE], one[128];
    const crd_learnt *const l = &c->learnt[i];
    const size_t length = strlen(text);
    if (l->start[l->parts] != 1) continue;
    snprintf(one, sizeof one, "%s%s %s", length ? ", " : "", l->name,
             crd__number_brief(number, l->values[0], 3));
    if (length + strlen(one) <= room) memcpy(text + length, one, strlen(one) + 1);
  }
}

static void add_details(crd__text *out, const crd_candidate *c, const layout *l,
                        const crd_report_options *options) {
  char learnt[NAME_MAX_WIDTH];
  list_learnt(c, l->width - 2, learnt);
  if (isnan(c->result->values[l->metric[0]].low) && !*learnt) return;
  crd__report_style_add(out, options, "2");
  crd__text_addf(out, "    %-*s", (int)l->width - 2, learnt);
  for (size_t i = 0; i < l->count; i++)
    add_interval(out, &c->result->values[l->metric[i]], options);
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
}

/* Six decimals, in per cent four, unless digits are requested. */
static const char *value_text(char text[CRD__NUMBER_SIZE], const crd_metric_value *v,
                              const crd_report_options *options) {
  const double value = crd__report_scale(v->metric, options) * v->value;
  if (options->digits) return crd__report_significant_format(text, value, value, options->digits);
  return options->percent ? crd__report_decimal_format(text, value, DECIMALS)
                          : crd__report_value_format(text, value);
}

/* Titles that do not fit give way to the names of the command line, which are shorter. */
static void add_heading(crd__text *out, const crd_metric_info *metric,
                        const crd_report_options *options) {
  char heading[64];
  const char *const unit = crd__report_scale(metric, options) > 1 ? "%" : "";
  const char *const title = crd__report_title(metric);
  const bool fits = strlen(title) + strlen(unit) <= VALUE_WIDTH;
  snprintf(heading, sizeof heading, "%s%s", fits ? title : metric->name, unit);
  crd__text_addf(out, " %*s ", VALUE_WIDTH, heading);
}

static void add_candidate(crd__text *out, const crd_candidate *c, const layout *l,
                          const crd_report_options *options) {
  char number[CRD__NUMBER_SIZE];
  crd__text_addf(out, "  %-*.*s", (int)l->width, (int)l->width, c->name);
  for (size_t i = 0; c->result && i < l->count; i++)
    crd__text_addf(out, " %*s%c", VALUE_WIDTH,
                   value_text(number, &c->result->values[l->metric[i]], options),
                   mark(c, l->metric[i]));
  if (c->result) {
    crd__text_addf(out, "%8s\n", crd__report_decimal_format(number, c->seconds, 2));
    add_details(out, c, l, options);
  } else {
    crd__text_add(out, "  ");
    crd__report_text_add_wrapped(
        out, c->failure,
        &(crd__report_wrapping){ l->width + 4, l->width + 4, WIDTH, options->ascii });
  }
}

static void add_head(crd__text *out, const crd_contest *c, const crd_report_options *options) {
  crd__report_text_add_plain(out, c->test_name, options->ascii);
  if (c->folds)
    crd__text_addf(out, "\n%zu rows, cross-validated in %u folds\n\n", c->test_rows, c->folds);
  else
    crd__text_addf(out, "\nfitted on %zu rows, tested on %zu others\n\n", c->calibrate_rows,
                   c->test_rows);
}

/* Fits that did not converge, and notes of the certificates. */
static void add_remarks(crd__text *out, const crd_contest *c, const crd_report_options *options) {
  for (size_t i = 0; i < c->count; i++) {
    const crd_candidate *const each = &c->candidates[i];
    const crd_certificate *const certificate = each->certificate;
    if (!certificate || (certificate->converged && !*certificate->note)) continue;
    const char *const failed = certificate->converged ? "" : " did not converge";
    const size_t column = 4 + strlen(each->name) + strlen(failed);
    crd__text_addf(out, "  %s%s: ", each->name, failed);
    crd__report_text_add_wrapped(
        out, *certificate->note ? certificate->note : "its certificate shows how far it came",
        &(crd__report_wrapping){ column, 4, WIDTH, options->ascii });
  }
}

void crd__report_contest_text(const crd_contest *contest, const crd_report_options *options,
                              crd__text *out) {
  const crd_result *const first = contest->candidates[0].result;
  layout l = { .width = name_width(contest) };
  const size_t room = (WIDTH - l.width - 10) / (VALUE_WIDTH + 2);
  l.count = choose_columns(first, room < COLUMNS_MAX ? room : COLUMNS_MAX, l.metric);
  add_head(out, contest, options);
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s", (int)l.width, "method");
  for (size_t i = 0; i < l.count; i++) add_heading(out, first->values[l.metric[i]].metric, options);
  crd__text_add(out, " seconds");
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
  for (size_t i = 0; i < contest->count; i++)
    add_candidate(out, &contest->candidates[i], &l, options);
  if (contest->resamples)
    crd__text_addf(
        out,
        "\n  below values: 95 %% intervals; + significantly better, - worse than identity\n"
        "  (p < 0.05 from %u paired resamples, corrected for %zu method%s)\n",
        contest->resamples, contest->count - 1, contest->count == 2 ? "" : "s");
  crd__report_contest_balance(contest, options, out);
  crd__text_add(out, "\n");
  crd__report_operating_contest_text(out, contest, options);
  add_remarks(out, contest, options);
  crd__report_style_add(out, options, "1");
  crd__report_text_add_wrapped(out, contest->verdict,
                               &(crd__report_wrapping){ 0, 0, WIDTH, options->ascii });
  crd__report_style_add(out, options, "0");
  crd__report_contest_shift_text(contest, options, out);
  crd__report_text_add_notes(out, contest->notes, contest->note_count, options);
}
