/*
 * operating.c -- operating points as text and tables: one line per target, then the same in plain
 * words, and what is promised.
 */
#include "report/operating.h"
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/form.h"
#include "report/plain.h"

#include <math.h>

enum { WIDTH = 80, TARGET_WIDTH = 15, THRESHOLD_WIDTH = 9, VALUE_WIDTH = 8, DIGITS = 3 };

const crd__report_rate *crd__report_operating_rate(size_t index) {
  static const crd__report_rate rates[] = {
    { "sensitivity", "sensitivity", offsetof(crd_operating_point, sensitivity) },
    { "specificity", "specificity", offsetof(crd_operating_point, specificity) },
    { "ppv", "positive predictive value", offsetof(crd_operating_point, ppv) },
    { "npv", "negative predictive value", offsetof(crd_operating_point, npv) },
  };
  return index < sizeof rates / sizeof *rates ? &rates[index] : NULL;
}

/* ---- Words. */

void crd__report_operating_target(crd__text *out, const crd_target *target) {
  crd__text_add(out, target->kind == CRD_TARGET_RISK ? "risk " : "coverage ");
  crd__text_add_number(out, target->value);
}

/* A threshold just below 1 keeps the digits that tell it from 1. */
static const char *confidence(char text[CRD__NUMBER_SIZE], double threshold) {
  const double rest = 1 - threshold;
  const int nines = rest > 0 && rest < 1 ? (int)ceil(-log10(rest)) : 0;
  return crd__number_brief(text, threshold, nines > DIGITS ? nines + DIGITS : 2 * DIGITS);
}

/* "83.1" */
static const char *percent(char text[CRD__NUMBER_SIZE], double share) {
  return crd__number_brief(text, 100 * share, DIGITS);
}

static void add_none(crd__text *out, const crd_operating_point *p) {
  char value[CRD__NUMBER_SIZE];
  crd__text_addf(out, "No case can be decided automatically at %s %% %s: %s.",
                 percent(value, p->target.value),
                 p->target.kind == CRD_TARGET_RISK ? "error" : "coverage", p->reason);
}

static void add_promise(crd__text *out, const crd_operating_point *p) {
  static const char *const words[] = { [CRD_PROMISE_HOLDS] = "holds",
                                       [CRD_PROMISE_BROKEN] = "is broken",
                                       [CRD_PROMISE_UNDECIDED] = "is neither shown nor refuted" };
  char value[CRD__NUMBER_SIZE];
  if (p->promise == CRD_PROMISE_NONE) return;
  crd__text_addf(out, " The promised error of at most %s %% %s.", percent(value, p->promised),
                 words[p->promise]);
}

void crd__report_operating_sentence(crd__text *out, const crd_operating_point *p) {
  char value[CRD__NUMBER_SIZE], low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  if (isnan(p->threshold)) {
    add_none(out, p);
    return;
  }
  crd__text_addf(out, "%s %% of cases can be decided automatically",
                 percent(value, p->coverage.value));
  if (!isnan(p->risk.value)) crd__text_addf(out, " at %s %% error", percent(value, p->risk.value));
  if (!isnan(p->risk.low))
    crd__text_addf(out, " (95 %% interval %s to %s %%)", percent(low, p->risk.low),
                   percent(high, p->risk.high));
  crd__text_addf(out, ": those with a confidence of at least %s.", confidence(value, p->threshold));
  add_promise(out, p);
}

/* ---- Text. */

static void add_cell(crd__text *out, double value, int width) {
  char number[CRD__NUMBER_SIZE];
  crd__text_addf(out, "  %*s", width, crd__report_value_format(number, value));
}

static void add_head(crd__text *out, const char *first, const char *last,
                     const crd_report_options *options) {
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s  %*s  %*s  %*s  %*s  %8s", TARGET_WIDTH, first, THRESHOLD_WIDTH,
                 "threshold", VALUE_WIDTH, "coverage", VALUE_WIDTH, "risk", 2 * VALUE_WIDTH + 2,
                 "95 % interval", last);
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
}

/* The last column is whether a promise holds, or the number of accepted rows. */
static void add_line(crd__text *out, const char *name, const crd_operating_point *p, int ascii) {
  crd__text_add(out, "  ");
  crd__report_text_add_column(out, name, TARGET_WIDTH, ascii);
  add_cell(out, p->threshold, THRESHOLD_WIDTH);
  add_cell(out, p->coverage.value, VALUE_WIDTH);
  add_cell(out, p->risk.value, VALUE_WIDTH);
  add_cell(out, p->risk.low, VALUE_WIDTH);
  add_cell(out, p->risk.high, VALUE_WIDTH);
  if (p->promise != CRD_PROMISE_NONE) crd__text_addf(out, "  %9s\n", crd_promise_name(p->promise));
  else crd__text_addf(out, "  %8zu\n", p->accepted);
}

/* A line whose name is the target. */
static void add_target_line(crd__text *out, const crd_operating_point *p, int ascii) {
  crd__text name;
  crd__text_init(&name, out->alloc);
  crd__report_operating_target(&name, &p->target);
  if (!name.failed) add_line(out, name.bytes, p, ascii);
  out->failed |= name.failed;
  crd__text_clear(&name);
}

static void add_rates(crd__text *out, const crd_operating_point *p) {
  const crd__report_rate *rate;
  for (size_t i = 0; (rate = crd__report_operating_rate(i)); i++) {
    char value[CRD__NUMBER_SIZE], low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
    const crd_proportion *const r = crd__report_rate_of(p, rate);
    crd__text_addf(out, "    %-26s %s", rate->words, crd__report_value_format(value, r->value));
    if (!isnan(r->low))
      crd__text_addf(out, " (%s to %s)", crd__report_decimal_format(low, r->low, 4),
                     crd__report_decimal_format(high, r->high, 4));
    crd__text_addf(out, ", %s", crd__number_brief(value, r->count, 6));
    crd__text_addf(out, " of %s\n", crd__number_brief(value, r->total, 6));
  }
}

static void add_wrapped(crd__text *out, const char *string, int ascii) {
  crd__text_add(out, "  ");
  crd__report_text_add_wrapped(out, string, &(crd__report_wrapping){ 2, 2, WIDTH, ascii });
}

static void add_sentence(crd__text *out, const crd_operating_point *p, int ascii) {
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  crd__report_operating_sentence(&sentence, p);
  if (!sentence.failed) add_wrapped(out, sentence.bytes, ascii);
  out->failed |= sentence.failed;
  crd__text_clear(&sentence);
}

void crd__report_operating_text(crd__text *out, const crd_operating_table *t,
                                const crd_report_options *options) {
  if (!t) return;
  crd__text_add(out, "\n");
  add_head(out, "operating point", "accepted", options);
  for (size_t i = 0; i < t->count; i++) add_target_line(out, &t->items[i], options->ascii);
  crd__text_add(out, "\n");
  for (size_t i = 0; i < t->count; i++) {
    add_sentence(out, &t->items[i], options->ascii);
    if (t->binary && t->items[i].accepted) add_rates(out, &t->items[i]);
  }
  add_wrapped(out, t->text, options->ascii);
}

void crd__report_operating_shift_text(crd__text *out, const crd_shift_table *shift,
                                      const crd_report_options *options) {
  for (size_t i = 0; shift && i < shift->count; i++) {
    const crd_operating_table *const t = shift->items[i].result->operating;
    for (size_t k = 0; t && k < t->count; k++) {
      crd__text words;
      crd__text_init(&words, out->alloc);
      crd__text_addf(&words, "%s: ", shift->items[i].name);
      crd__report_operating_sentence(&words, &t->items[k]);
      if (!words.failed) add_wrapped(out, words.bytes, options->ascii);
      out->failed |= words.failed;
      crd__text_clear(&words);
    }
  }
}

/* ---- CSV and Markdown. */

static void add_csv_line(crd__text *out, const crd_operating_point *p, const char *what,
                         const crd_proportion *value) {
  crd__text_addf(out, "target_%s=", p->target.kind == CRD_TARGET_RISK ? "risk" : "coverage");
  crd__text_add_number(out, p->target.value);
  crd__text_addf(out, ":%s", what);
  crd__report_csv_number(out, value->value);
  crd__report_csv_number(out, value->low);
  crd__report_csv_number(out, value->high);
}

/* What surrounds the values of a line: fields before and after them, a reason, further fields. */
typedef struct {
  const char *before, *after;
  bool reasons;
  const char *last;
} frame;

static void add_csv_point(crd__text *out, const crd_operating_point *p, bool binary,
                          const frame *f) {
  const crd_proportion threshold = { p->threshold, (double)NAN, (double)NAN, 0, 0 };
  const crd__report_rate *rate;
  const struct {
    const char *name;
    const crd_proportion *value;
  } lines[] = { { "threshold", &threshold }, { "coverage", &p->coverage }, { "risk", &p->risk } };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    crd__text_add(out, f->before);
    add_csv_line(out, p, lines[i].name, lines[i].value);
    crd__text_add(out, f->after);
    if (p->reason && f->reasons && isnan(lines[i].value->value))
      crd__text_add_field(out, p->reason);
    crd__text_addf(out, "%s\n", f->last);
  }
  for (size_t i = 0; binary && (rate = crd__report_operating_rate(i)); i++) {
    crd__text_add(out, f->before);
    add_csv_line(out, p, rate->key, crd__report_rate_of(p, rate));
    crd__text_addf(out, "%s%s\n", f->after, f->last);
  }
}

void crd__report_operating_csv(crd__text *out, const crd_operating_table *t, const char *before,
                               const char *after) {
  const frame f = { before, ",,", true, after };
  for (size_t i = 0; t && i < t->count; i++) add_csv_point(out, &t->items[i], t->binary != 0, &f);
}

static void add_markdown_point(crd__text *out, const crd_operating_point *p) {
  char number[CRD__NUMBER_SIZE], other[CRD__NUMBER_SIZE];
  crd__report_operating_target(out, &p->target);
  crd__text_addf(out, " | %s", crd__report_value_format(number, p->threshold));
  crd__text_addf(out, " | %s", crd__report_value_format(number, p->coverage.value));
  crd__text_addf(out, " | %s", crd__report_value_format(number, p->risk.value));
  crd__text_addf(out, " | %s … %s | %zu |\n", crd__report_value_format(number, p->risk.low),
                 crd__report_value_format(other, p->risk.high), p->accepted);
}

static const char head[] = " target | threshold | coverage | risk | 95 % interval | accepted |";
static const char ruler[] = ":--|--:|--:|--:|:--|--:|";

void crd__report_operating_markdown(crd__text *out, const crd_operating_table *t) {
  if (!t) return;
  crd__text_addf(out, "\n|%s\n|%s\n", head, ruler);
  for (size_t i = 0; i < t->count; i++) {
    crd__text_add(out, "| ");
    add_markdown_point(out, &t->items[i]);
  }
  crd__text_add(out, "\n");
  crd__report_markdown_add(out, t->text);
  crd__text_add(out, "\n");
}

/* ---- Contests. */

static const crd_operating_table *points_of(const crd_candidate *c) {
  return c->result ? c->result->operating : NULL;
}

const char *crd__report_operating_contest_promise(const crd_contest *contest) {
  const char *text = NULL;
  for (size_t i = 0; i < contest->count && i < 2; i++)
    if (points_of(&contest->candidates[i])) text = points_of(&contest->candidates[i])->text;
  return text;
}

void crd__report_operating_contest_text(crd__text *out, const crd_contest *contest,
                                        const crd_report_options *options) {
  const crd_operating_table *const first = points_of(&contest->candidates[0]);
  if (!first) return;
  for (size_t t = 0; t < first->count; t++) {
    crd__text_add(out, "  Operating points for ");
    crd__report_operating_target(out, &first->items[t].target);
    crd__text_add(out, ":\n\n");
    add_head(out, "method", "accepted", options);
    for (size_t i = 0; i < contest->count; i++)
      if (points_of(&contest->candidates[i]))
        add_line(out, contest->candidates[i].name, &points_of(&contest->candidates[i])->items[t],
                 options->ascii);
    crd__text_add(out, "\n");
  }
  add_wrapped(out, crd__report_operating_contest_promise(contest), options->ascii);
  crd__text_add(out, "\n");
}

void crd__report_operating_methods_text(crd__text *out, const crd_contest *contest,
                                        const crd_contest_shift *set,
                                        const crd_report_options *options) {
  const crd_operating_table *const first = points_of(&contest->candidates[0]);
  for (size_t t = 0; first && t < first->count; t++) {
    crd__text_add(out, "  Thresholds for ");
    crd__report_operating_target(out, &first->items[t].target);
    crd__text_add(out, " of the clean rows:\n\n");
    add_head(out, "method", "  promise", options);
    for (size_t i = 0; i < contest->count; i++) {
      const crd_result *const r = set->candidates[i].result;
      if (r && r->operating)
        add_line(out, contest->candidates[i].name, &r->operating->items[t], options->ascii);
    }
    crd__text_add(out, "\n");
  }
}

void crd__report_operating_contest_csv(crd__text *out, const crd_contest *contest) {
  for (size_t i = 0; i < contest->count; i++) {
    const crd_operating_table *const t = points_of(&contest->candidates[i]);
    crd__text name;
    crd__text_init(&name, out->alloc);
    crd__text_addf(&name, "\"%s\",", contest->candidates[i].name);
    const frame f = { name.bytes, ",,,,,", false, contest->shift_count ? "," : "" };
    for (size_t p = 0; t && !name.failed && p < t->count; p++)
      add_csv_point(out, &t->items[p], t->binary != 0, &f);
    out->failed |= name.failed;
    crd__text_clear(&name);
  }
}

void crd__report_operating_contest_markdown(crd__text *out, const crd_contest *contest) {
  const crd_operating_table *const first = points_of(&contest->candidates[0]);
  if (!first) return;
  crd__text_addf(out, "\n| method |%s\n|:--|%s\n", head, ruler);
  for (size_t i = 0; i < contest->count; i++) {
    const crd_operating_table *const t = points_of(&contest->candidates[i]);
    for (size_t p = 0; t && p < t->count; p++) {
      crd__text_addf(out, "| %s | ", contest->candidates[i].name);
      add_markdown_point(out, &t->items[p]);
    }
  }
  crd__text_add(out, "\n");
  crd__report_markdown_add(out, crd__report_operating_contest_promise(contest));
  crd__text_add(out, "\n");
}
