/*
 * verdict.c -- the head of a run: its name, its data, the outcome in words that need no knowledge
 * of metrics (headline.h), then in numbers.
 *
 * A contest has its own verdict. For a result the numbers are put together here, from its means and
 * metrics.
 */
#include "evaluate/means.h"
#include "report/decimal.h"
#include "report/form.h"
#include "report/page/caveat.h"
#include "report/page/headline.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <math.h>
#include <string.h>

static bool verdict_has(const crd_page_part *part) {
  (void)part;
  return true;
}

/* ---- The data. */

static void add_scores(crd__text *out, const crd_result *r) {
  if (r->classes) {
    crd__text_add(out, ", ");
    crd__page_html_counted(out, r->classes, r->classes == 1 ? "class" : "classe");
  }
  crd__text_addf(out, ", %s", crd_input_name(r->input));
  if (r->weighted) crd__text_add(out, ", weighted");
}

static void add_read(const crd__page *page) {
  crd__text *const out = page->out;
  const crd_contest *const c = page->part->contest;
  crd__page_detail d;
  crd__text_add(out, "<p class=\"read\">");
  crd__page_find_detail(page->part, 0, &d);
  crd__page_html_counted(out, c ? c->test_rows : d.result->rows, "row");
  if (d.result) add_scores(out, d.result);
  if (c) {
    crd__text_add(out, "; ");
    crd__page_html_counted(out, c->count - 1, "method"); /* identity is none */
  }
  if (c && c->folds) crd__text_addf(out, ", cross-validated in %u folds", c->folds);
  else if (c) {
    crd__text_add(out, " fitted on ");
    crd__page_html_count(out, c->calibrate_rows);
    crd__text_add(out, " other rows");
    if (c->calibrate_name && c->test_name && strcmp(c->calibrate_name, c->test_name) != 0) {
      char name[CRD__PAGE_NAME_SIZE];
      crd__text_add(out, " (");
      crd__page_html_words(out, crd__page_name_brief(c->calibrate_name, name));
      crd__text_add(out, ")");
    }
  }
  crd__text_add(out, "</p>\n");
  if (strcmp(page->path, page->title) != 0)
    crd__page_html_element(out, "p", "read path", page->path);
}

/* ---- The headline. */

/* Adds a paragraph with a label; nothing without words. */
static void add_line(crd__text *out, const char *kind, const char *label, crd__text *words) {
  if (words->length && !words->failed) {
    crd__text_addf(out, "<p class=\"%s\">", kind);
    if (label) crd__text_addf(out, "<strong>%s:</strong> ", label);
    crd__page_html_words(out, words->bytes);
    crd__text_add(out, "</p>\n");
  }
  out->failed |= words->failed;
  crd__text_clear(words);
}

static const char *tone_of(const crd_page_part *part) {
  crd__page_detail d;
  crd__page_find_detail(part, 0, &d);
  if (crd__page_headline_problem(part)) return "problem";
  const crd__page_headline_view v = crd__page_headline_judge(d.result);
  if (crd__page_headline_is_gap(v.state)) return v.small ? "fine" : "gap";
  return v.state == CRD__HEADLINE_CALIBRATED ? "fine" : "open";
}

static void add_headline(const crd_context *ctx, const crd__page *page) {
  crd__text *const out = page->out;
  crd__text words;
  crd__text_init(&words, out->alloc);
  crd__text_addf(out, "<div class=\"headline %s\">\n", tone_of(page->part));
  crd__page_headline_meaning(&words, page->part);
  add_line(out, "meaning", NULL, &words);
  crd__page_headline_action(&words, ctx, page->part);
  add_line(out, "action", "What to do", &words);
  crd__page_headline_certainty(&words, page->part);
  add_line(out, "certainty", "How sure", &words);
  crd__page_headline_limits(&words, page->part);
  add_line(out, "limits", "On shifted data", &words);
  crd__page_headline_operation(&words, page->part);
  add_line(out, "operation", "Deciding automatically", &words);
  crd__text_add(out, "</div>\n");
}

/* ---- The verdict on a result. */

static void say_means(crd__text *out, const crd_result *r, crd__evaluate_means m) {
  crd__text_add(out, "On ");
  crd__page_html_counted(out, r->rows, "row");
  if (crd__report_judges_class_1(r)) {
    crd__text_add(out, " the frequency of class 1 is ");
    crd__page_html_percent(out, m.accuracy);
    crd__text_add(out, " and its mean probability ");
    crd__page_html_percent(out, m.confidence);
    return;
  }
  crd__text_add(out, " accuracy is ");
  crd__page_html_percent(out, m.accuracy);
  crd__text_add(out, " and mean confidence ");
  crd__page_html_percent(out, m.confidence);
}

/* Differences below 0.05 points would be shown as 0.0; others may be chance. */
static void say_side(crd__text *out, const crd_result *r, crd__evaluate_means m) {
  char number[CRD__NUMBER_SIZE];
  const double points = 100 * (m.confidence - m.accuracy);
  if (fabs(points) < 0.05) {
    crd__text_add(out, ": neither overconfident nor underconfident on average.");
    return;
  }
  if (crd__report_judges_class_1(r))
    crd__text_add(out, points > 0 ? ": too high by " : ": too low by ");
  else crd__text_add(out, points > 0 ? ": overconfident by " : ": underconfident by ");
  crd__report_decimal_format(number, fabs(points), 1);
  crd__text_addf(out, "%s point%s%s.", number, strcmp(number, "1.0") == 0 ? "" : "s",
                 crd__page_headline_judge(r).apart ? "" : ", which chance can explain");
}

static void say_error(crd__text *out, const crd_result *r, const crd_metric_value *ece) {
  const double floor = crd__page_headline_floor(r, ece);
  crd__text_add(out, " ECE ");
  crd__page_html_value(out, ece->value);
  if (!isnan(ece->low) && !isnan(ece->high)) {
    crd__text_add(out, " (95\xe2\x80\xaf%: ");
    crd__page_html_interval(out, ece->low, ece->high);
    crd__text_add(out, ")");
  }
  if (!isnan(floor)) {
    crd__text_add(out, "; a calibrated model would show ");
    crd__page_html_value(out, floor);
    crd__text_add(out, " by chance");
  }
  crd__text_add(out, ".");
}

static void say_result(crd__text *out, const crd_result *r) {
  const crd__evaluate_means m = crd__evaluate_bin_means(r);
  const crd_metric_value *const ece = crd__report_finite_value(r, "ece");
  if (!isnan(m.confidence)) {
    say_means(out, r, m);
    say_side(out, r, m);
  } else {
    crd__page_html_counted(out, r->rows, "row");
    crd__text_add(out, ".");
  }
  if (ece) say_error(out, r, ece);
}

/* ---- The leading metrics, before and after calibration. */

static const struct {
  const char *metric, *name;
  const char *of_class_1; /* its name where the probability of class 1 is judged; NULL: not shown */
} leading[] = {
  { "accuracy", "accuracy", "accuracy" },
  { "confidence", "mean confidence", "mean probability" },
  { "ece", "ECE", "ECE" },
  { "nll", "NLL", "NLL" },
  { "brier", "Brier score", NULL },
  { "auroc", "AUROC", NULL },
  { "brier-binary", "Brier score of class 1", "Brier score" },
  { "auroc-binary", "AUROC of class 1", "AUROC" },
};

/* What limits the trust in a value, beside it; the findings have the details. */
static void add_caveat(const crd__page *page, const crd_result *r, const crd_metric_value *value) {
  const char *const metric = value->metric->name;
  const double floor = crd__page_headline_floor(r, value);
  crd__text words;
  crd__text_init(&words, page->out->alloc);
  if (crd__page_caveat_add(&words, page->part->diagnosis, metric, value, floor) && !words.failed) {
    const bool found = crd__page_caveat_find(page->part->diagnosis, metric);
    crd__page_html_element(page->out, "dd", found ? "caveat" : "chance", words.bytes);
  }
  page->out->failed |= words.failed;
  crd__text_clear(&words);
}

static void add_cue(crd__text *out, crd_direction direction) {
  static const char *const cues[] = { [CRD_LOWER_IS_BETTER] = "\xe2\x86\x93 lower is better",
                                      [CRD_HIGHER_IS_BETTER] = "\xe2\x86\x91 higher is better" };
  if (direction == CRD_NEITHER_IS_BETTER) return;
  crd__page_html_element(out, "dd", "cue", cues[direction]);
}

/* Four decimals: an end of 0.0000389 is 0.0000. */
static void add_decimals(crd__text *out, double value) {
  char number[CRD__NUMBER_SIZE];
  crd__text_add(out, crd__report_decimal_format(number, value, 4));
}

/* `r` is the result that the last value is of. */
static void add_fact(const crd__page *page, const crd_result *r, const char *name,
                     const crd_metric_value *before, const crd_metric_value *after) {
  crd__text *const out = page->out;
  const crd_metric_value *const now = after ? after : before;
  crd__text_addf(out, "<div><dt>%s</dt><dd>", name);
  if (after) {
    crd__text_add(out, "<span class=\"before\">");
    crd__page_html_value(out, before->value);
    crd__text_add(out, "</span> <span class=\"arrow\">\xe2\x86\x92</span> ");
  }
  crd__page_html_value(out, now->value);
  crd__text_add(out, "</dd>");
  if (!isnan(now->low) && !isnan(now->high)) {
    crd__text_add(out, "<dd class=\"interval\">95\xe2\x80\xaf% interval <span>");
    add_decimals(out, now->low);
    crd__text_add(out, " to ");
    add_decimals(out, now->high);
    crd__text_add(out, "</span></dd>");
  }
  add_cue(out, now->metric->direction);
  add_caveat(page, r, now);
  crd__text_add(out, "</div>\n");
}

static void add_facts(const crd__page *page) {
  crd__page_detail first, second;
  crd__page_find_detail(page->part, 0, &first);
  crd__page_find_detail(page->part, 1, &second);
  if (!first.result) return;
  crd__text_add(page->out, "<dl class=\"facts\">\n");
  for (size_t i = 0; i < sizeof leading / sizeof *leading; i++) {
    const crd_metric_value *const before =
        crd__report_finite_value(first.result, leading[i].metric);
    const crd_metric_value *const after =
        crd__report_finite_value(second.result, leading[i].metric);
    const char *const name =
        crd__report_judges_class_1(first.result) ? leading[i].of_class_1 : leading[i].name;
    const crd_result *const now = after ? second.result : first.result;
    if (before && name) add_fact(page, now, name, before, after);
  }
  crd__text_add(page->out, "</dl>\n");
}

static crd_status verdict_write(crd_context *ctx, const crd__page *page) {
  const unsigned level = page->level - 1;
  crd__text_addf(page->out, "<h%u>", level);
  crd__page_html_words(page->out, page->title);
  crd__text_addf(page->out, "</h%u>\n", level);
  add_read(page);
  add_headline(ctx, page);
  crd__text_add(page->out, "<p class=\"lead\">");
  if (page->part->contest) crd__page_html_verdict(page->out, page->part->contest->verdict);
  else say_result(page->out, page->part->result);
  crd__text_add(page->out, "</p>\n");
  add_facts(page);
  return CRD_OK;
}

const crd__page_section crd__page_section_verdict = { .name = "verdict",
                                                      .has = verdict_has,
                                                      .write = verdict_write };
