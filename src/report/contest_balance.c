/*
 * contest_balance.c -- calibration and refinement of the methods of a contest together: the change
 * of ece and Brier score, of auroc and aurc, against the uncalibrated scores, with intervals.
 */
#include "report/balance.h"
#include "report/contest_parts.h"
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, NAME_WIDTH = 20, VALUE_WIDTH = 13 };

const char *crd__report_balance_metric(size_t index) {
  static const char *const names[] = { "ece", "brier", "brier-top1", "auroc", "aurc", NULL };
  return names[index];
}

const crd_difference *crd__report_difference_of(const crd_comparison *c, const char *metric) {
  for (size_t i = 0; c && i < c->count; i++)
    if (strcmp(c->items[i].metric->name, metric) == 0) return &c->items[i];
  return NULL;
}

char crd__report_change_mark(const crd_difference *d) {
  static const char marks[] = { [CRD__CHANGE_NONE] = ' ',
                                [CRD__CHANGE_BETTER] = '+',
                                [CRD__CHANGE_WORSE] = '-',
                                [CRD__CHANGE_UNKNOWN] = ' ' };
  return marks[crd__report_change_of(d)];
}

/* The comparison of the first method that has one: it names the metrics. */
static const crd_comparison *first_of(const crd_contest *c) {
  for (size_t i = 1; i < c->count; i++)
    if (c->candidates[i].against_identity) return c->candidates[i].against_identity;
  return NULL;
}

static void add_heading(crd__text *out, const crd_comparison *first,
                        const crd_report_options *options) {
  crd__text_add(out, "\n  calibration and refinement: change against identity\n\n");
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s", NAME_WIDTH, "method");
  for (size_t k = 0; crd__report_balance_metric(k); k++)
    if (crd__report_difference_of(first, crd__report_balance_metric(k)))
      crd__text_addf(out, " %*s ", VALUE_WIDTH - 1, crd__report_balance_metric(k));
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
}

/* Four decimals, without the zero before the point. */
static const char *shorten(char text[CRD__NUMBER_SIZE], double value) {
  crd__report_decimal_format(text, value, 4);
  char *const digits = text + (*text == '-');
  if (*digits == '0') memmove(digits, digits + 1, strlen(digits));
  return text;
}

/* "-.0512 -.0364", below the value. */
static void add_interval(crd__text *out, const crd_difference *d) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE], both[2 * CRD__NUMBER_SIZE];
  snprintf(both, sizeof both, "%s %s", shorten(low, d->low), shorten(high, d->high));
  crd__text_addf(out, " %*s", VALUE_WIDTH, isnan(d->low) ? "" : both);
}

static void add_method(crd__text *out, const crd_candidate *c, const crd_report_options *options) {
  char number[CRD__NUMBER_SIZE];
  bool intervals = false;
  crd__text_add(out, "  ");
  crd__report_text_add_column(out, c->name, NAME_WIDTH, options->ascii);
  for (size_t k = 0; crd__report_balance_metric(k); k++) {
    const crd_difference *const d =
        crd__report_difference_of(c->against_identity, crd__report_balance_metric(k));
    if (!d) continue;
    crd__text_addf(out, " %*s%c", VALUE_WIDTH - 1, crd__report_decimal_format(number, d->value, 4),
                   crd__report_change_mark(d));
    intervals |= !isnan(d->low);
  }
  crd__text_add(out, "\n");
  if (!intervals) return;
  crd__report_style_add(out, options, "2");
  crd__report_text_add_spaces(out, 2 + NAME_WIDTH);
  for (size_t k = 0; crd__report_balance_metric(k); k++) {
    const crd_difference *const d =
        crd__report_difference_of(c->against_identity, crd__report_balance_metric(k));
    if (d) add_interval(out, d);
  }
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
}

/* Returns "calibration better, refinement same" of a method; "" if it is unknown. */
static void brief_of(const crd_candidate *c, crd__text *out) {
  crd__text_add(out, "");
  if (c->against_identity && c->against_identity->resamples)
    crd__report_balance_brief(out, c->against_identity);
}

/* Lists the methods with the same outcome as method `index`, unless an earlier one has it. */
static void add_outcome(crd__text *out, const crd_contest *c, size_t index,
                        const crd_report_options *options) {
  crd__text line, mine;
  crd__text_init(&line, out->alloc);
  crd__text_init(&mine, out->alloc);
  brief_of(&c->candidates[index], &mine);
  bool first = true;
  for (size_t i = 1; !mine.failed && i < c->count; i++) {
    crd__text other;
    crd__text_init(&other, out->alloc);
    brief_of(&c->candidates[i], &other);
    out->failed |= other.failed;
    if (!other.failed && *mine.bytes && strcmp(mine.bytes, other.bytes) == 0) {
      if (i < index) first = false;
      crd__text_addf(&line, "%s%s", i == index ? "" : ", ", c->candidates[i].name);
    }
    crd__text_clear(&other);
  }
  out->failed |= line.failed || mine.failed;
  if (first && line.length && !out->failed) {
    crd__text_addf(out, "  %s: ", mine.bytes);
    crd__report_text_add_wrapped(
        out, line.bytes, &(crd__report_wrapping){ 4 + mine.length, 4, WIDTH, options->ascii });
  }
  crd__text_clear(&line);
  crd__text_clear(&mine);
}

void crd__report_contest_balance(const crd_contest *c, const crd_report_options *options,
                                 crd__text *out) {
  const crd_comparison *const first = first_of(c);
  if (!first) return;
  add_heading(out, first, options);
  for (size_t i = 1; i < c->count; i++)
    if (c->candidates[i].against_identity) add_method(out, &c->candidates[i], options);
  if (first->resamples == 0) return;
  crd__text_add(out, "\n");
  for (size_t i = 1; i < c->count; i++) add_outcome(out, c, i, options);
}
