/*
 * shift_text.c -- shifted sets as text: one table each with the values on both sets, the difference
 * and its interval; of more than a few sets one table with a line each.
 */
#include "report/balance.h"
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/operating.h"
#include "report/plain.h"
#include "report/shift.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 80, VALUE_WIDTH = 10, NAME_WIDTH = 24, TABLES_MAX = 3 };

const char *crd__report_shift_rows(const crd_shift *s) {
  return s->rows == CRD_SHIFT_PAIRED ? "paired with the original's"
                                     : "independent of the original's";
}

void crd__report_shift_sentence(crd__text *out, const crd_result *original, const crd_shift *s) {
  const crd_metric_value *const a = crd__report_finite_value(original, "accuracy");
  const crd_metric_value *const b = crd__report_finite_value(s->result, "accuracy");
  char mine[CRD__NUMBER_SIZE], theirs[CRD__NUMBER_SIZE];
  crd__report_text_add_plain(out, s->name, 0);
  crd__text_add(out, ": ");
  if (!s->labelled) {
    crd__text_add(out, "without true labels only the scores can be compared; accuracy, calibration "
                       "and refinement are unknown.");
    return;
  }
  if (a && b)
    crd__text_addf(out, "accuracy %s instead of %s; ",
                   crd__report_decimal_format(theirs, b->value, 4),
                   crd__report_decimal_format(mine, a->value, 4));
  if (!crd__report_balance_add(out, s->difference))
    crd__text_add(out, "whether calibration and refinement changed needs ece and auroc");
  crd__text_add(out, ".");
}

static size_t metric_width(const crd_result *r) {
  size_t width = strlen("metric");
  for (size_t i = 0; i < r->value_count; i++) {
    const size_t length = strlen(r->values[i].metric->name);
    if (length > width) width = length;
  }
  return width;
}

static void add_difference(crd__text *out, const crd_metric_value *mine, const crd_shift *s,
                           size_t metric, size_t width) {
  char a[CRD__NUMBER_SIZE], b[CRD__NUMBER_SIZE], d[CRD__NUMBER_SIZE];
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  const crd_difference *const change = &s->difference->items[metric];
  crd__text_addf(out, "  %-*s  %*s  %*s  %*s  %*s  %*s\n", (int)width, mine->metric->name,
                 VALUE_WIDTH, crd__report_value_format(a, mine->value), VALUE_WIDTH,
                 crd__report_value_format(b, s->result->values[metric].value), VALUE_WIDTH,
                 crd__report_value_format(d, change->value), VALUE_WIDTH,
                 crd__report_value_format(low, change->low), VALUE_WIDTH,
                 crd__report_value_format(high, change->high));
}

static void add_sentence(crd__text *out, const crd_result *r, const crd_shift *s, int ascii) {
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  crd__report_shift_sentence(&sentence, r, s);
  crd__text_add(out, "  ");
  if (!sentence.failed)
    crd__report_text_add_wrapped(out, sentence.bytes,
                                 &(crd__report_wrapping){ 2, 4, WIDTH, ascii });
  out->failed |= sentence.failed;
  crd__text_clear(&sentence);
}

static void add_table(crd__text *out, const crd_result *r, const crd_shift *s,
                      const crd_report_options *options) {
  const size_t width = metric_width(r);
  crd__text_add(out, "\nShifted, ");
  crd__report_text_add_plain(out, s->name, options->ascii);
  crd__text_add(out, ": ");
  crd__report_text_add_plain(out, s->result->name, options->ascii);
  crd__text_addf(out, "\n%zu row%s, %s\n\n", s->result->rows, s->result->rows == 1 ? "" : "s",
                 crd__report_shift_rows(s));
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s  %*s  %*s  %*s  %*s", (int)width, "metric", VALUE_WIDTH, "original",
                 VALUE_WIDTH, "shifted", VALUE_WIDTH, "difference", 2 * VALUE_WIDTH + 2,
                 "95 % interval");
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
  for (size_t m = 0; m < r->value_count; m++) add_difference(out, &r->values[m], s, m, width);
  crd__text_add(out, "\n");
  add_sentence(out, r, s, options->ascii);
}

/* ---- Many sets. */

/* The metrics of the columns. */
enum { COLUMNS_MAX = 4 };
typedef struct {
  size_t metric[COLUMNS_MAX], count, width;
} layout;

static layout lay_out(const crd_result *r) {
  static const char *const leading[] = { "accuracy", "ece", "brier", "nll", "auroc" };
  layout l = { .width = strlen("original") };
  for (size_t i = 0; i < r->shift->count; i++) {
    const size_t length = crd__report_text_columns(r->shift->items[i].name);
    if (length > l.width) l.width = length < NAME_WIDTH ? length : NAME_WIDTH;
  }
  for (size_t k = 0; k < sizeof leading / sizeof *leading; k++)
    for (size_t m = 0; m < r->value_count && l.count < COLUMNS_MAX; m++)
      if (strcmp(r->values[m].metric->name, leading[k]) == 0) l.metric[l.count++] = m;
  for (size_t m = 0; m < r->value_count && l.count == 0; m++) l.metric[l.count++] = m;
  return l;
}

static void add_values(crd__text *out, const layout *l, const char *name, const crd_result *r,
                       const crd_comparison *c, int ascii) {
  static const char marks[] = { [CRD__CHANGE_NONE] = ' ',
                                [CRD__CHANGE_BETTER] = '+',
                                [CRD__CHANGE_WORSE] = '-',
                                [CRD__CHANGE_UNKNOWN] = ' ' };
  char number[CRD__NUMBER_SIZE];
  crd__text_add(out, "  ");
  crd__report_text_add_column(out, name, l->width, ascii);
  crd__text_addf(out, "  %8zu", r->rows);
  for (size_t i = 0; i < l->count; i++)
    crd__text_addf(out, "  %*s%c", VALUE_WIDTH,
                   crd__report_value_format(number, r->values[l->metric[i]].value),
                   c ? marks[crd__report_change_of(&c->items[l->metric[i]])] : ' ');
  crd__text_add(out, "\n");
}

static void add_lines(crd__text *out, const crd_result *r, const crd_report_options *options) {
  const layout l = lay_out(r);
  crd__text_addf(out, "\n%zu shifted sets; the other forms have all metrics and intervals\n\n",
                 r->shift->count);
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s  %8s", (int)l.width, "set", "rows");
  for (size_t i = 0; i < l.count; i++)
    crd__text_addf(out, "  %*s ", VALUE_WIDTH, r->values[l.metric[i]].metric->name);
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
  add_values(out, &l, "original", r, NULL, options->ascii);
  for (size_t i = 0; i < r->shift->count; i++)
    add_values(out, &l, r->shift->items[i].name, r->shift->items[i].result,
               r->shift->items[i].difference, options->ascii);
  crd__text_add(out, "\n  + better, - worse than on the original, beyond chance (p < 0.05)\n");
}

void crd__report_shift_text(crd__text *out, const crd_result *r,
                            const crd_report_options *options) {
  if (!r->shift) return;
  if (r->shift->count > TABLES_MAX) add_lines(out, r, options);
  else
    for (size_t i = 0; i < r->shift->count; i++) add_table(out, r, &r->shift->items[i], options);
}
