/*
 * headline.c -- judges results for the headline of a page.
 *
 * Two questions are asked of the bins of the reliability diagram, each at a level of 2.5 %, so that
 * a calibrated model shows a gap in at most about 5 % of samples:
 *
 *   - is the mean gap g = mean confidence - accuracy beyond z = 2.24 standard errors,
 *     se^2 = max(sum_b w_b a_b (1 - a_b), sum_b w_b c_b (1 - c_b)) / n, at least 0.5 / n (few rows
 *     that are all correct have hardly any variance)?
 *   - is ECE beyond mu + z sigma, its mean and standard deviation for a calibrated model?
 *
 * In a bin of n rows and confidence c the number X of correct rows is then binomial, and
 *
 *   E|X - n c| = 2 k C(n, k) c^k (1 - c)^(n - k + 1),  k = floor(n c) + 1  (de Moivre 1730),
 *   Var|X - n c| = n c (1 - c) - (E|X - n c|)^2.
 *
 * Not the interval of ECE: with few rows it begins above the noise floor in up to 20 % of the
 * samples of a calibrated model, since resampling adds to the error. The noise floor of evaluation
 * uses the accuracy of bins, and is 0 where their few rows are all correct; mu replaces it where it
 * is more than twice as large.
 *
 * If g is beyond chance and at least half of ECE, the model is over- or underconfident; otherwise
 * a gap has different signs in different bins.
 *
 * Rows of one cluster are not independent: n is divided by the design effect of accuracy (Kish
 * 1965), the squared ratio of its interval to that of independent rows, and what chance explains
 * grows by its root.
 */
#include "report/page/headline.h"
#include "evaluate/means.h"
#include "math/special.h"
#include "report/contest_parts.h"
#include "report/form.h"

#include <math.h>
#include <string.h>

static const double z = 2.2414;         /* normal quantile of 98.75 % */
static const double large_gap = 0.05;   /* an ECE that needs to be excluded before use */
static const double small_gap = 0.01;   /* below it, a gap hardly matters */
static const double wanted_half = 0.02; /* half the width of a useful interval of ECE */
enum { BIN_ROWS = 20 };                 /* fewer rows do not show a gap that has no direction */

bool crd__page_headline_is_gap(crd__page_headline_state state) {
  return state >= CRD__HEADLINE_OVER;
}

/* Returns the variance of clustered rows relative to that of independent ones, at least 1. */
static double design_effect(const crd_result *r) {
  const crd_metric_value *const a = crd__report_finite_value(r, "accuracy");
  if (!r->clusters) return 1;
  const double most = (double)r->rows / (double)r->clusters; /* equal rows in each cluster */
  if (!a || isnan(a->low) || !(a->value > 0 && a->value < 1)) return fmax(most, 1);
  const double width = (a->high - a->low) / (2 * 1.96);
  return fmax(1, width * width * (double)r->rows / (a->value * (1 - a->value)));
}

static double independent_rows(const crd_result *r) { return (double)r->rows / design_effect(r); }

/* Returns the standard error of the mean gap. */
static double gap_error(const crd_result *r) {
  const double n = independent_rows(r);
  double found = 0, stated = 0;
  for (size_t i = 0; i < r->bin_count; i++) {
    const crd_reliability_bin *const b = &r->bins[i];
    if (!(b->weight > 0)) continue;
    found += b->weight * b->accuracy * (1 - b->accuracy);
    stated += b->weight * b->confidence * (1 - b->confidence);
  }
  return fmax(sqrt(fmax(found, stated) / n), 0.5 / n);
}

/* Returns E|X - n p| of a binomial X. */
static double mean_deviation(double n, double p) {
  const double k = floor(n * p) + 1;
  if (!(p > 0 && p < 1) || k > n) return 0;
  const double ways =
      crd__math_lgamma(n + 1) - crd__math_lgamma(k + 1) - crd__math_lgamma(n - k + 1);
  return 2 * exp(log(k) + ways + k * log(p) + (n - k + 1) * log1p(-p));
}

/* Returns the mean ECE of a calibrated model; sets its standard deviation. */
static double chance_of(const crd_result *r, double *deviation) {
  double mean = 0, variance = 0;
  for (size_t i = 0; i < r->bin_count; i++) {
    const crd_reliability_bin *const b = &r->bins[i];
    if (!(b->weight > 0)) continue;
    const double n = (double)b->rows, each = b->weight / n;
    const double gap = mean_deviation(n, b->confidence);
    mean += each * gap;
    variance += each * each * fmax(n * b->confidence * (1 - b->confidence) - gap * gap, 0);
  }
  *deviation = sqrt(variance);
  return mean;
}

double crd__page_headline_floor(const crd_result *r, const crd_metric_value *value) {
  double deviation;
  if (isnan(value->noise_floor) || strcmp(value->metric->name, "ece") != 0)
    return value->noise_floor;
  const double mean = chance_of(r, &deviation);
  return 2 * value->noise_floor < mean ? mean : value->noise_floor;
}

/* Sets the ECE of a calibrated model: its mean and the most that chance explains. */
static void set_chance(const crd_result *r, crd__page_headline_view *v) {
  const double widened = sqrt(design_effect(r));
  double deviation;
  const double mean = chance_of(r, &deviation);
  v->limit = widened * (mean + z * deviation);
  v->floor = widened * crd__page_headline_floor(r, v->ece);
}

static crd__page_headline_state state_of(const crd_result *r, crd__page_headline_view *v) {
  const crd__evaluate_means m = crd__evaluate_bin_means(r);
  const double gap = m.confidence - m.accuracy, n = independent_rows(r);
  v->apart = !isnan(gap) && fabs(gap) > z * gap_error(r);
  if (!v->ece || isnan(gap)) return CRD__HEADLINE_UNMEASURED;
  if (v->apart && 2 * fabs(gap) >= v->ece->value)
    return gap > 0 ? CRD__HEADLINE_OVER : CRD__HEADLINE_UNDER;
  if (n >= BIN_ROWS && (v->apart || v->ece->value > v->limit)) return CRD__HEADLINE_UNEVEN;
  const double most = isnan(v->ece->high) ? v->ece->value : v->ece->high;
  return n < BIN_ROWS || most > large_gap ? CRD__HEADLINE_TOO_FEW : CRD__HEADLINE_CALIBRATED;
}

/* Returns how well a bin shows the state: its part of the gap, or its weight. */
static double shows(const crd_reliability_bin *b, crd__page_headline_state state) {
  const double gap = b->confidence - b->accuracy;
  if (state == CRD__HEADLINE_OVER) return b->weight * gap;
  if (state == CRD__HEADLINE_UNDER) return -b->weight * gap;
  return state == CRD__HEADLINE_UNEVEN ? b->weight * fabs(gap) : b->weight;
}

/* The example of the headline; the means, if no bin has enough rows and they show the state. */
static void find_example(const crd_result *r, crd__page_headline_view *v) {
  const crd__evaluate_means m = crd__evaluate_bin_means(r);
  double best = 0;
  v->stated = m.confidence;
  v->found = m.accuracy;
  for (size_t i = 0; i < r->bin_count; i++) {
    const crd_reliability_bin *const b = &r->bins[i];
    if (!(b->weight > 0) || b->rows < BIN_ROWS || !(shows(b, v->state) > best)) continue;
    best = shows(b, v->state);
    v->stated = b->confidence;
    v->found = b->accuracy;
  }
  if (v->state == CRD__HEADLINE_UNEVEN && 2 * fabs(v->stated - v->found) < v->ece->value)
    v->stated = v->found = (double)NAN;
}

crd__page_headline_view crd__page_headline_judge(const crd_result *result) {
  crd__page_headline_view v = { .stated = (double)NAN, .found = (double)NAN, .floor = (double)NAN };
  if (!result) return v;
  v.positive = crd__report_judges_class_1(result);
  v.ece = crd__report_finite_value(result, "ece");
  if (v.ece) set_chance(result, &v);
  v.state = state_of(result, &v);
  v.tiny = result->rows < BIN_ROWS;
  if (v.state == CRD__HEADLINE_UNMEASURED) return v;
  v.small = crd__page_headline_is_gap(v.state) && v.ece->value < small_gap;
  find_example(result, &v);
  return v;
}

/* ---- Shifted sets. */

static const char *broken_promise(const crd_result *r, const char *name) {
  const crd_operating_table *const t = r ? r->operating : NULL;
  for (size_t i = 0; t && i < t->count; i++)
    if (t->items[i].promise == CRD_PROMISE_BROKEN) return name;
  return NULL;
}

/* Adds a set; `larger`: its ECE is above that of the original rows, beyond chance. */
static void add_set(crd__page_headline_sets *s, const crd_result *r, const char *name,
                    bool larger) {
  const crd__page_headline_view v = crd__page_headline_judge(r);
  s->sets++;
  if (!s->promise) s->promise = broken_promise(r, name);
  if (!larger || !crd__page_headline_is_gap(v.state)) return;
  s->broken++;
  if (s->ece && s->ece->value >= v.ece->value) return;
  s->ece = v.ece;
  s->worst = name;
}

static bool has_grown(const crd_comparison *difference) {
  const crd_difference *const d = crd__report_difference_of(difference, "ece");
  return d && d->low > 0;
}

/* Intervals that do not overlap. */
static bool is_above(const crd_result *shifted, const crd_result *original) {
  const crd_metric_value *const a = crd__report_finite_value(shifted, "ece");
  const crd_metric_value *const b = crd__report_finite_value(original, "ece");
  return a && b && a->low > b->high;
}

crd__page_headline_sets crd__page_headline_shift(const crd_page_part *part) {
  crd__page_headline_sets s = { 0 };
  const crd_contest *const c = part->contest;
  const crd_shift_table *const table = c ? NULL : part->result->shift;
  for (size_t i = 0; table && i < table->count; i++)
    if (table->items[i].labelled)
      add_set(&s, table->items[i].result, table->items[i].name,
              has_grown(table->items[i].difference));
  for (size_t i = 0; c && i < c->shift_count; i++) {
    const crd_result *const r = c->shift[i].candidates[c->chosen - c->candidates].result;
    if (r) add_set(&s, r, c->shift[i].name, is_above(r, c->chosen->result));
  }
  return s;
}

/* ---- Others. */

const crd_finding *crd__page_headline_problem(const crd_page_part *part) {
  const crd_diagnosis *const d = part->diagnosis;
  return d && d->finding_count && d->findings[0].severity == CRD_PROBLEM ? d->findings : NULL;
}

bool crd__page_headline_has_copies(const crd_page_part *part) {
  const crd_diagnosis *const d = part->diagnosis;
  for (size_t i = 0; d && i < d->finding_count; i++)
    if (d->findings[i].severity <= CRD_WARNING &&
        strcmp(d->findings[i].info->name, "duplicated-rows") == 0)
      return true;
  return false;
}

double crd__page_headline_temperature(const crd_result *result, double *ece) {
  const crd_profile *const p = result->profile;
  const crd_metric_value *const now = crd__report_finite_value(result, "ece");
  size_t best = 0;
  if (!p || p->temperature_count < 3 || !now) return (double)NAN;
  for (size_t i = 1; i < p->temperature_count; i++)
    if (p->temperatures[i].nll < p->temperatures[best].nll) best = i;
  *ece = p->temperatures[best].ece;
  const bool inside = best > 0 && best + 1 < p->temperature_count;
  return inside && 2 * *ece < now->value ? p->temperatures[best].temperature : (double)NAN;
}

uint64_t crd__page_headline_wanted(const crd_result *result) {
  const crd_metric_value *const ece = crd__report_finite_value(result, "ece");
  if (!ece || isnan(ece->low) || isnan(ece->high) || result->rows < BIN_ROWS) return 0;
  const double times = (ece->high - ece->low) / (2 * wanted_half);
  const double rows = (double)result->rows * times * times;
  if (!(rows > (double)result->rows) || rows > 1e12) return 0;
  const double unit = pow(10, fmax(floor(log10(rows)) - 1, 0));
  return (uint64_t)(ceil(rows / unit) * unit);
}
