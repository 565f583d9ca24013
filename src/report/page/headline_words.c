/*
 * headline_words.c -- every sentence of the headline, in words that need no knowledge of metrics.
 *
 * A model "says" a percentage, its confidence; a "case" is a row; the "average gap" is ECE in
 * percentage points. headline.c decides which sentence applies.
 */
#include "report/balance.h"
#include "report/contest_parts.h"
#include "report/decimal.h"
#include "report/form.h"
#include "report/operating.h"
#include "report/page/caveat.h"
#include "report/page/headline.h"
#include "report/page/html.h"

#include <math.h>
#include <string.h>

#define SPACE "\xe2\x80\xaf" /* U+202F, narrow no-break space */
#define GAP "the average gap (ECE)"

/* ---- Numbers. */

/* Formats two shares as per cent, with a decimal where they would look the same or certain. */
static void add_pair(crd__text *out, double a, const char *between, double b) {
  char first[CRD__NUMBER_SIZE], second[CRD__NUMBER_SIZE];
  unsigned decimals = 0;
  for (; decimals < 2; decimals++) {
    crd__report_decimal_format(first, 100 * a, decimals);
    crd__report_decimal_format(second, 100 * b, decimals);
    const bool certain =
        (a < 1 && strncmp(first, "100", 3) == 0) || (b < 1 && strncmp(second, "100", 3) == 0);
    if ((decimals > 0 || fabs(a - b) < 0.001 || strcmp(first, second) != 0) && !certain) break;
  }
  crd__text_addf(out, "%s" SPACE "%%%s%s" SPACE "%%", first, between, second);
}

static const char *points(char text[CRD__NUMBER_SIZE], double share) {
  return crd__report_decimal_format(text, 100 * share, 1);
}

static void add_points(crd__text *out, double share) {
  char number[CRD__NUMBER_SIZE];
  points(number, share);
  crd__text_addf(out, "%s point%s", number, strcmp(number, "1.0") == 0 ? "" : "s");
}

/* "between 4.8 and 6.1 points" */
static void add_between(crd__text *out, const crd_metric_value *v) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  crd__text_addf(out, "between %s and %s points", points(low, v->low), points(high, v->high));
}

static bool has_interval(const crd_metric_value *v) {
  return v && !isnan(v->low) && !isnan(v->high);
}

/* ---- What it means. */

static const crd_result *first_result(const crd_page_part *part) {
  return part->contest ? part->contest->candidates[0].result : part->result;
}

/* "When this model says 90 %, it is right about 84 % of the time" */
static void add_example(crd__text *out, const crd__page_headline_view *v, const char *when) {
  crd__text_add(out, when);
  crd__text_add(out, v->positive ? " gives class 1 a probability of " : " says ");
  add_pair(out, v->stated, v->positive ? ", class 1 occurs in about " : ", it is right about ",
           v->found);
  crd__text_add(out, v->positive ? " of the cases" : " of the time");
}

/* What the example shows: of the predicted class, of class 1, and where the gap is small. */
static const char *tail_of(const crd__page_headline_view *v) {
  static const struct {
    const char *predicted, *positive, *small;
  } tails[] = {
    [CRD__HEADLINE_CALIBRATED] = { "no gap beyond chance was found",
                                   "no gap beyond chance was found", "" },
    [CRD__HEADLINE_OVER] = { "its percentages are too high (overconfident)",
                             "its probabilities are too high",
                             "its percentages are slightly too high" },
    [CRD__HEADLINE_UNDER] = { "its percentages are too low (underconfident)",
                              "its probabilities are too low",
                              "its percentages are slightly too low" },
    [CRD__HEADLINE_UNEVEN] = { "its percentages are too high at some levels, too low at others",
                               "its probabilities are too high at some levels, too low at others",
                               "its percentages are slightly wrong at some levels" },
  };
  if (v->small) return tails[v->state].small;
  return v->positive ? tails[v->state].positive : tails[v->state].predicted;
}

/* Returns whether a contest shows that recalibration helps, by the score that it is decided by. */
static bool is_helped(const crd_contest *c) {
  static const char *const scores[] = { "nll", "brier-top1" };
  if (!c || c->chosen == c->candidates) return false;
  for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
    const crd_difference *const d =
        crd__report_difference_of(c->chosen->against_identity, scores[i]);
    if (d) return crd__report_change_of(d) == CRD__CHANGE_BETTER;
  }
  return false;
}

static void add_too_few(crd__text *out, const crd_page_part *part, size_t rows) {
  crd__page_html_counted(out, rows, "case");
  crd__text_add(out, rows == 1 ? " is too few to " : " are too few to ");
  crd__text_add(out, is_helped(part->contest)
                         ? "measure how far off this model's percentages are, but recalibration "
                           "improves them."
                         : "tell whether this model's percentages can be relied on.");
}

void crd__page_headline_meaning(crd__text *out, const crd_page_part *part) {
  const crd_result *const r = first_result(part);
  const crd__page_headline_view v = crd__page_headline_judge(r);
  const crd_finding *const problem = crd__page_headline_problem(part);
  if (problem) {
    crd__text_addf(out, "The numbers on this page are not valid: %s", problem->found);
  } else if (v.state == CRD__HEADLINE_UNMEASURED) {
    crd__text_add(out, "These results do not show whether this model's percentages can be relied "
                       "on.");
  } else if (v.state == CRD__HEADLINE_TOO_FEW) {
    add_too_few(out, part, r->rows);
  } else if (isnan(v.stated)) {
    crd__text_addf(out, "This model's %s.", tail_of(&v) + strlen("its "));
  } else {
    add_example(out, &v, "When this model");
    crd__text_addf(out, ": %s.", tail_of(&v));
  }
}

/* ---- What to do about a result. */

static void advise_gap(crd__text *out, const crd_context *ctx, const crd_result *r,
                       const crd__page_headline_view *v) {
  char number[CRD__NUMBER_SIZE];
  double ece;
  const double temperature = crd__page_headline_temperature(r, &ece);
  const char *const compare = crd__spell(ctx, "crd_contest_run");
  if (v->small) {
    crd__text_add(out, "Its percentages can be used as they are, unless a gap of ");
    add_points(out, v->ece->value);
    crd__text_addf(out, " matters; %s tests whether recalibration helps.", compare);
  } else if (!isnan(temperature)) {
    crd__text_addf(out,
                   "Use temperature scaling before you rely on its percentages: at a temperature "
                   "of %s " GAP " on these cases is ",
                   crd__report_decimal_format(number, temperature, 1));
    add_points(out, ece);
    crd__text_addf(out, ". %s tests it, and other methods, on cases that were not used to fit.",
                   compare);
  } else
    crd__text_addf(out,
                   "Recalibrate it before you rely on its percentages; %s finds the method that "
                   "suits it.",
                   compare);
}

static void advise_more(crd__text *out, const crd_result *r) {
  const uint64_t wanted = crd__page_headline_wanted(r);
  crd__text_add(out, "Collect more labelled cases before you rely on its percentages");
  if (wanted) {
    crd__text_add(out, ": about ");
    crd__page_html_count(out, wanted);
    crd__text_add(out, " would measure " GAP " to within 2 points");
  }
  crd__text_add(out, ".");
}

static void advise_result(crd__text *out, const crd_context *ctx, const crd_result *r) {
  const crd__page_headline_view v = crd__page_headline_judge(r);
  if (crd__page_headline_is_gap(v.state)) advise_gap(out, ctx, r, &v);
  else if (v.state == CRD__HEADLINE_TOO_FEW) advise_more(out, r);
  else if (v.state == CRD__HEADLINE_CALIBRATED)
    crd__text_add(out, "Its percentages can be used as they are, on data like these.");
  else
    crd__text_add(out, "Measure its calibration on labelled cases, with the metric ece, before you "
                       "rely on its percentages.");
}

/* ---- What to do about a contest. */

/* Names that people search for. */
static void add_method(crd__text *out, const char *name) {
  static const char *const known[][2] = {
    { "temperature", "temperature scaling" },
    { "ensemble-temperature", "ensemble temperature scaling" },
    { "vector", "vector scaling" },
    { "matrix", "matrix scaling" },
    { "structured-vector", "structured vector scaling" },
    { "structured-matrix", "structured matrix scaling" },
    { "dirichlet-odir", "Dirichlet calibration" },
    { "platt", "Platt scaling" },
    { "beta", "beta calibration" },
    { "isotonic", "isotonic regression" },
    { "histogram", "histogram binning" },
    { "venn-abers", "Venn-Abers calibration" },
    { "clamping", "Neural Clamping" },
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i][0], name) == 0) {
      crd__text_add(out, known[i][1]);
      return;
    }
  crd__text_addf(out, "the method %s", name);
}

static crd__report_change change_of(const crd_contest *c) {
  const crd_comparison *const all = c->chosen->against_identity;
  const crd_difference *const d = crd__report_difference_of(all, "ece");
  return d ? crd__report_change_of(d) : CRD__CHANGE_UNKNOWN;
}

static void advise_none(crd__text *out, const crd__page_headline_view *before) {
  static const char none[] = "no method that was compared is clearly better";
  if (before->state == CRD__HEADLINE_TOO_FEW)
    crd__text_addf(
        out, "Collect more labelled cases before you rely on its percentages: on these, %s.", none);
  else if (crd__page_headline_is_gap(before->state) && !before->small)
    crd__text_addf(out, "Rely on its percentages only with this gap in mind: %s.", none);
  else crd__text_addf(out, "Keep its percentages as they are: %s.", none);
}

static void add_change(crd__text *out, const crd__page_headline_view *before,
                       const crd__page_headline_view *after, crd__report_change change) {
  char number[CRD__NUMBER_SIZE];
  static const char *const verbs[] = { [CRD__CHANGE_BETTER] = " falls from ",
                                       [CRD__CHANGE_WORSE] = " grows from ",
                                       [CRD__CHANGE_NONE] = " changes from ",
                                       [CRD__CHANGE_UNKNOWN] = " changes from " };
  static const char whole[] = "its probabilities fit better as a whole.";
  static const struct {
    const char *words, *then;
  } tails[] = { [CRD__CHANGE_BETTER] = { ".", "" },
                [CRD__CHANGE_WORSE] = { ", although ", whole },
                [CRD__CHANGE_NONE] = { ", which cannot be told apart from chance; ", whole },
                [CRD__CHANGE_UNKNOWN] = { ", which was not tested.", "" } };
  crd__text_addf(out, ": " GAP "%s%s to ", verbs[change], points(number, before->ece->value));
  add_points(out, after->ece->value);
  crd__text_addf(out, "%s%s", tails[change].words, tails[change].then);
}

static void add_accuracy(crd__text *out, const crd_contest *c) {
  const crd_metric_value *const a = crd__report_finite_value(c->candidates[0].result, "accuracy");
  const crd_metric_value *const b = crd__report_finite_value(c->chosen->result, "accuracy");
  if (!a || !b || fabs(a->value - b->value) < 5e-5) return;
  crd__text_add(out, " It also changes predictions: accuracy goes from ");
  crd__page_html_percent(out, a->value);
  crd__text_add(out, " to ");
  crd__page_html_percent(out, b->value);
  crd__text_add(out, ".");
}

/* The score that decides is better, and the gap that readers see is worse. */
static void advise_against(crd__text *out, const crd_contest *c,
                           const crd__page_headline_view *before,
                           const crd__page_headline_view *after) {
  char number[CRD__NUMBER_SIZE];
  crd__text_add(out, "Do not rely on its percentages yet: with ");
  add_method(out, c->chosen->name);
  crd__text_addf(out, " its probabilities fit better as a whole, but " GAP " grows from %s to ",
                 points(number, before->ece->value));
  add_points(out, after->ece->value);
  crd__text_add(out, ".");
}

static void advise_contest(crd__text *out, const crd_contest *c) {
  const crd__page_headline_view before = crd__page_headline_judge(c->candidates[0].result);
  const crd__page_headline_view after = crd__page_headline_judge(c->chosen->result);
  if (c->chosen == c->candidates) {
    advise_none(out, &before);
    return;
  }
  const bool remains = crd__page_headline_is_gap(after.state) && !after.small;
  if (remains && before.ece && change_of(c) == CRD__CHANGE_WORSE)
    advise_against(out, c, &before, &after);
  else {
    crd__text_add(out, "Use ");
    add_method(out, c->chosen->name);
    if (crd__page_headline_is_gap(before.state))
      crd__text_add(out, " before you rely on its percentages");
    if (before.ece && after.ece) add_change(out, &before, &after, change_of(c));
    else crd__text_add(out, ".");
  }
  if (remains && !isnan(after.stated)) {
    add_example(out, &after, " A gap remains: when it then");
    crd__text_add(out, ".");
  }
  add_accuracy(out, c);
  if (after.state == CRD__HEADLINE_TOO_FEW)
    crd__text_add(out, " Collect more labelled cases before you rely on the new percentages.");
}

void crd__page_headline_action(crd__text *out, const crd_context *ctx, const crd_page_part *part) {
  const crd_finding *const problem = crd__page_headline_problem(part);
  if (problem)
    crd__text_add(out, *problem->advice ? problem->advice : "Correct the data and run again.");
  else if (part->contest) advise_contest(out, part->contest);
  else advise_result(out, ctx, part->result);
}

/* ---- How sure that is. */

static void add_rows(crd__text *out, const crd_page_part *part) {
  const crd_contest *const c = part->contest;
  const crd_result *const r = first_result(part);
  crd__text_add(out, "Measured on ");
  crd__page_html_counted(out, c ? c->test_rows : r->rows, "case");
  if (r && r->clusters)
    crd__text_addf(out, " of %zu %s%s", r->clusters, r->cluster ? r->cluster : "group",
                   r->clusters == 1 ? "" : "s");
  if (c && crd__page_headline_has_copies(part))
    crd__text_add(out, ", copies of which may be among the cases that methods were fitted on");
  else if (c && c->folds) crd__text_add(out, ", each calibrated by a fit on other cases");
  else if (c) crd__text_add(out, " that no method was fitted on");
}

/* What a calibrated model shows, where that explains the gap that `what` names. */
static void add_chance(crd__text *out, const crd__page_headline_view *v, const char *what) {
  char number[CRD__NUMBER_SIZE];
  if (v->state != CRD__HEADLINE_CALIBRATED && v->state != CRD__HEADLINE_TOO_FEW) return;
  crd__text_addf(out, " %s cannot be told apart from chance", what);
  if (!isnan(v->floor)) {
    crd__text_add(out, ": a calibrated model would show about ");
    add_points(out, v->floor);
    crd__text_addf(out, ", up to %s, on as many cases", points(number, fmax(v->limit, v->floor)));
  }
  crd__text_add(out, ".");
}

static void add_result_interval(crd__text *out, const crd__page_headline_view *v) {
  if (!v->ece || v->tiny) {
    crd__text_add(out, v->ece ? ", too few for a reliable interval." : ".");
    return;
  }
  crd__text_add(out, "; " GAP " is ");
  if (has_interval(v->ece)) {
    add_between(out, v->ece);
    crd__text_add(out, " with 95" SPACE "% confidence.");
  } else {
    add_points(out, v->ece->value);
    crd__text_add(out, ", without an interval.");
  }
  add_chance(out, v, "That");
}

static void add_contest_intervals(crd__text *out, const crd__page_headline_view *before,
                                  const crd__page_headline_view *after) {
  crd__text_add(out, "; " GAP " is ");
  add_between(out, before->ece);
  crd__text_add(out, " before and ");
  add_between(out, after->ece);
  crd__text_add(out, " after, with 95" SPACE "% confidence.");
}

static void add_repeats(crd__text *out, const crd_contest *c, const crd_series_summary *s) {
  for (size_t i = 0; s && i < s->count; i++)
    if (s->runs > 1 && strcmp(s->candidates[i].name, c->chosen->name) == 0)
      crd__text_addf(out, " %zu of %zu random splits recommend it.", s->candidates[i].chosen,
                     s->runs);
}

/* A finding that concerns these numbers. */
static void add_care(crd__text *out, const crd_diagnosis *diagnosis) {
  const char *const words = crd__page_caveat_find(diagnosis, "ece");
  if (words) crd__text_addf(out, " Read with care (%s).", words);
}

void crd__page_headline_certainty(crd__text *out, const crd_page_part *part) {
  const crd_contest *const c = part->contest;
  const crd__page_headline_view v = crd__page_headline_judge(first_result(part));
  if (crd__page_headline_problem(part)) {
    crd__text_add(out, "Nothing on this page can be relied on until that is corrected.");
    return;
  }
  add_rows(out, part);
  if (c && c->chosen != c->candidates) {
    const crd__page_headline_view after = crd__page_headline_judge(c->chosen->result);
    if (has_interval(v.ece) && has_interval(after.ece)) add_contest_intervals(out, &v, &after);
    else crd__text_add(out, ", without an interval.");
    if (after.ece) add_chance(out, &after, "What remains");
  } else add_result_interval(out, &v);
  if (c) add_repeats(out, c, part->series);
  add_care(out, part->diagnosis);
}

/* ---- Where it holds. */

void crd__page_headline_limits(crd__text *out, const crd_page_part *part) {
  const crd__page_headline_sets s = crd__page_headline_shift(part);
  if (s.sets == 0) return;
  if (s.broken == 0) crd__text_add(out, "No larger gap beyond chance was found there.");
  else {
    crd__text_add(out, "Do not rely on its percentages for ");
    if (s.sets == 1) crd__text_addf(out, "%s, where " GAP " is ", s.worst);
    else
      crd__text_addf(out, "%zu of %zu sets; the worst is %s, where " GAP " is ", s.broken, s.sets,
                     s.worst);
    if (has_interval(s.ece)) add_between(out, s.ece);
    else add_points(out, s.ece->value);
    crd__text_add(out, ".");
  }
  if (s.promise)
    crd__text_addf(out, " The error rate promised for deciding automatically is exceeded on %s.",
                   s.promise);
}

void crd__page_headline_operation(crd__text *out, const crd_page_part *part) {
  const crd_result *const r = part->contest ? part->contest->chosen->result : part->result;
  const crd_operating_table *const t = r ? r->operating : NULL;
  if (t && t->count) crd__report_operating_sentence(out, &t->items[0]);
}
