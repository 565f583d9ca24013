/* metrics.c -- the table of reference metrics, and functions that several of them use. */
#include "ref/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ref_table open_table(const test_data *d, size_t bins) {
  ref_table t = { .n = d->rows, .k = d->classes, .bins = bins, .label = d->labels };
  t.weight = calloc(t.n, sizeof(double));
  t.confidence = calloc(t.n, sizeof(double));
  t.p = calloc(t.n * t.k, sizeof(double));
  t.correct = calloc(t.n, sizeof(int));
  t.hit = calloc(t.n, sizeof(int));
  t.positive = d->positive;
  for (size_t i = 0; i < t.n; i++) {
    const double *const z = d->scores + i * t.k;
    size_t top = 0;
    long double mass = 0;
    for (size_t j = 1; j < t.k; j++)
      if (z[j] > z[top]) top = j;
    for (size_t j = 0; j < t.k; j++) mass += expl((long double)z[j] - z[top]);
    for (size_t j = 0; j < t.k; j++)
      t.p[i * t.k + j] = (double)(expl((long double)z[j] - z[top]) / mass);
    const size_t judged = d->positive ? 1 : top;
    t.confidence[i] = t.p[i * t.k + judged];
    t.correct[i] = (int64_t)judged == d->labels[i];
    t.hit[i] = (int64_t)top == d->labels[i];
    t.weight[i] = d->weights ? d->weights[i] : 1;
    t.total += t.weight[i];
  }
  return t;
}

static void close_table(ref_table *t) {
  free(t->weight);
  free(t->confidence);
  free(t->p);
  free(t->correct);
  free(t->hit);
}

size_t ref_bin_of(double c, size_t bins) {
  size_t m = 0;
  while (m + 1 < bins && c > (double)(m + 1) / (double)bins) m++;
  return m;
}

static void add_row(ref_bin *sums, const ref_table *t, size_t i) {
  sums->weight += t->weight[i];
  sums->confidence += t->weight[i] * t->confidence[i];
  sums->accuracy += t->weight[i] * t->correct[i];
}

static ref_bin means(ref_bin sums) {
  if (sums.weight > 0) {
    sums.confidence /= sums.weight;
    sums.accuracy /= sums.weight;
  }
  return sums;
}

ref_bin ref_top_bin(const ref_table *t, size_t m) {
  ref_bin b = { 0 };
  for (size_t i = 0; i < t->n; i++) {
    if (ref_bin_of(t->confidence[i], t->bins) != m) continue;
    add_row(&b, t, i);
  }
  return means(b);
}

double ref_gap(ref_bin b) { return fabs(b.accuracy - b.confidence); }

double ref_over_bins(const ref_table *t, double (*term)(ref_bin), size_t *filled) {
  double sum = 0;
  *filled = 0;
  for (size_t m = 0; m < t->bins; m++) {
    const ref_bin b = ref_top_bin(t, m);
    if (b.weight > 0) {
      sum += term(b);
      ++*filled;
    }
  }
  return sum;
}

static double is_overconfident(ref_bin b) { return b.accuracy <= b.confidence; }

double ref_overconfident(const ref_table *t, size_t bins) {
  ref_table cut = *t;
  size_t filled;
  cut.bins = bins;
  return ref_over_bins(&cut, is_overconfident, &filled);
}

double ref_log_loss(double chance, double share) {
  double loss = 0;
  if (share > 0) loss -= share * log(chance > 0 ? chance : 1e-300);
  if (share < 1) loss -= (1 - share) * log(chance < 1 ? 1 - chance : ldexp(1, -54));
  return loss;
}

size_t ref_in_order(const ref_table *t, size_t *order) {
  size_t count = 0;
  for (size_t i = 0; i < t->n; i++) {
    if (!(t->weight[i] > 0)) continue;
    size_t at = count++;
    for (; at > 0 && t->confidence[order[at - 1]] > t->confidence[i]; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return count;
}

double ref_over_mass_bins(const ref_table *t, double (*term)(ref_bin, double)) {
  size_t *const order = calloc(t->n, sizeof *order);
  const size_t count = ref_in_order(t, order), bins = t->bins < count ? t->bins : count;
  double sum = 0;
  for (size_t m = 0, from = 0; m < bins; m++) { /* places from .. to - 1 of the order */
    const size_t to = from + count / bins + (m < count % bins);
    ref_bin b = { 0 };
    double before = 0;
    for (size_t r = 0; r < count; before += t->weight[order[r++]]) {
      const size_t i = order[r], place = (size_t)(before * (double)count / t->total + 1e-9);
      if (place < from || place >= to) continue;
      add_row(&b, t, i);
    }
    if (b.weight > 0) sum += term(means(b), b.weight * (double)count / t->total);
    from = to;
  }
  free(order);
  return sum;
}

double ref_side(const ref_table *t, int correct) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++)
    if (t->correct[i] == correct) sum += t->weight[i];
  return sum;
}

double ref_beyond(const ref_table *t, int correct, double c, int upwards) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++)
    if (t->correct[i] == correct && (upwards ? t->confidence[i] >= c : t->confidence[i] <= c))
      sum += t->weight[i];
  return sum;
}

double ref_average_precision(const ref_table *t, int positive, int upwards) {
  double area = 0;
  for (size_t i = 0; i < t->n; i++) {
    if (t->correct[i] != positive || !(t->weight[i] > 0)) continue;
    const double good = ref_beyond(t, positive, t->confidence[i], upwards);
    const double bad = ref_beyond(t, !positive, t->confidence[i], upwards);
    area += t->weight[i] * good / (good + bad);
  }
  return area / ref_side(t, positive);
}

typedef struct {
  const char *name; /* as in C: '_' for '-' */
  double (*value)(const ref_table *t);
} reference;

static const reference references[] = {
#define METRIC(name) { #name, ref_##name },
#include "metric/kind/list.h"
#undef METRIC
};

static bool same_name(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if (*a != *b && !(*a == '_' && *b == '-')) return false;
  return *a == *b;
}

double ref_metric(const char *name, const test_data *data, size_t bins) {
  for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
    if (!same_name(references[i].name, name)) continue;
    ref_table t = open_table(data, bins);
    const double value = references[i].value(&t);
    close_table(&t);
    return value;
  }
  fail_msg("no metric is called %s", name);
  return 0;
}
