/*
 * objective.c -- objectives by definition, in long double, and derivatives by finite differences,
 * independent of any formula for a gradient.
 *
 * A finite difference of fourth order with a step of 2e-5 has an error of (2e-5)^4 / 30 times the
 * fifth derivative, 1e-14 here, and a rounding error of 1e-19 / 2e-5.
 */
#include "ref/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS_MAX = 64, CLASSES_MAX = 16 };

/* The range of an unknown: all numbers, nonnegative, a share (shares sum to 1), or a slope from
 * 0.001 to 1000. */
typedef enum { FREE, NOT_BELOW_0, SHARE, SLOPE } range;

typedef struct {
  size_t count;
  long double value[UNKNOWNS_MAX];
  range range[UNKNOWNS_MAX];
  long double target[CLASSES_MAX]
                    [2]; /* Platt's targets of each event: if it did not happen, if it did */
} unknowns;

typedef struct {
  const char *method;
  void (*recall)(const ref_task *task, unknowns *out); /* the unknowns to differentiate by */
  /* The loss of one row (and event). */
  long double (*row)(const ref_task *task, const unknowns *x, size_t row, size_t event);
  long double (*penalty)(const ref_task *task, const unknowns *x);
  bool events;
} reference;

static const crd_learnt *learnt(const ref_task *task, const char *name) {
  for (size_t i = 0; crd_calibrator_learnt(task->calibrator, i); i++)
    if (!strcmp(crd_calibrator_learnt(task->calibrator, i)->name, name))
      return crd_calibrator_learnt(task->calibrator, i);
  return NULL;
}

static void take(const ref_task *task, const char *name, range kind, unknowns *out) {
  const crd_learnt *const l = learnt(task, name);
  for (size_t i = 0; i < l->start[l->parts]; i++) {
    out->range[out->count] = kind;
    out->value[out->count++] = l->values[i];
  }
}

static const char *setting(const ref_task *task, const char *name) {
  const crd_method_info *const info = crd_calibrator_method(task->calibrator);
  for (size_t i = 0; i < info->setting_count; i++)
    if (!strcmp(info->settings[i].name, name)) return crd_calibrator_setting(task->calibrator, i);
  return "";
}

static const double *logits(const ref_task *task, size_t row) {
  return task->logits + row * task->classes;
}

/* p = softmax(u). */
static void soften(const long double *u, size_t classes, long double *p) {
  long double top = u[0], mass = 0;
  for (size_t k = 1; k < classes; k++) top = fmaxl(top, u[k]);
  for (size_t k = 0; k < classes; k++) mass += p[k] = expl(u[k] - top);
  for (size_t k = 0; k < classes; k++) p[k] /= mass;
}

static void temper(const ref_task *task, size_t row, long double b, long double *p) {
  long double u[CLASSES_MAX] = { 0 };
  for (size_t k = 0; k < task->classes; k++) u[k] = b * (long double)logits(task, row)[k];
  soften(u, task->classes, p);
}

/* ---- One temperature; derivatives are with respect to 1/T. */

static void recall_temperature(const ref_task *task, unknowns *out) {
  take(task, "temperature", FREE, out);
  out->value[0] = 1 / out->value[0];
}

static long double row_nll(const ref_task *task, const unknowns *x, size_t row, size_t event) {
  long double p[CLASSES_MAX];
  (void)event;
  temper(task, row, x->value[0], p);
  return -logl(p[task->labels[row]]);
}

static long double row_focal(const ref_task *task, const unknowns *x, size_t row, size_t event) {
  long double p[CLASSES_MAX];
  (void)event;
  temper(task, row, x->value[0], p);
  const long double own = p[task->labels[row]];
  return -powl(1 - own, strtold(setting(task, "gamma"), NULL)) * logl(own);
}

/* ---- A mixture; T is fixed, derivatives are with respect to the weights. */

static void recall_shares(const ref_task *task, unknowns *out) { take(task, "w", SHARE, out); }

static long double row_mixture(const ref_task *task, const unknowns *x, size_t row, size_t event) {
  long double soft[CLASSES_MAX], plain[CLASSES_MAX], squares = 0, own = 0;
  (void)event;
  temper(task, row, 1 / (long double)learnt(task, "temperature")->values[0], soft);
  temper(task, row, 1, plain);
  for (size_t k = 0; k < task->classes; k++) {
    const bool is_own = (size_t)task->labels[row] == k;
    const long double q =
        x->value[0] * soft[k] + x->value[1] * plain[k] + x->value[2] / (long double)task->classes;
    squares += (q - is_own) * (q - is_own);
    if (is_own) own = q;
  }
  return strcmp(setting(task, "loss"), "mse") ? -logl(own) : squares;
}

/* ---- A matrix or its diagonal, and biases. */

static void recall_affine(const ref_task *task, unknowns *out) {
  take(task, learnt(task, "w") ? "w" : "W", FREE, out);
  take(task, "b", FREE, out);
}

/* Returns 1 if x->value[i] is an off-diagonal weight, 2 for a bias, else 0. */
static int role(const unknowns *x, size_t classes, size_t i) {
  if (i >= x->count - classes) return 2;
  return x->count == 2 * classes || i / classes == i % classes ? 0 : 1;
}

static long double weighted_rows(const ref_task *task) {
  long double rows = 0;
  for (size_t i = 0; i < task->rows; i++) rows += !task->weights || task->weights[i] > 0;
  return rows;
}

/* dirichlet-odir reads log p; structured scaling reads log p at its temperature, mixed with uniform
 * probabilities. */
static void affine_input(const ref_task *task, size_t row, long double *out) {
  const char *const method = crd_calibrator_method(task->calibrator)->name;
  const crd_learnt *const temperature = learnt(task, "temperature");
  const long double uniform = temperature ? 1 / (weighted_rows(task) + 1) : 0;
  temper(task, row, temperature ? 1 / (long double)temperature->values[0] : 1, out);
  for (size_t k = 0; k < task->classes; k++)
    out[k] = temperature || !strcmp(method, "dirichlet-odir")
                 ? logl((1 - uniform) * out[k] + uniform / (long double)task->classes)
                 : (long double)logits(task, row)[k];
}

static long double row_affine(const ref_task *task, const unknowns *x, size_t row, size_t event) {
  const size_t classes = task->classes;
  const bool diagonal = x->count == 2 * classes;
  long double given[CLASSES_MAX], u[CLASSES_MAX], p[CLASSES_MAX];
  (void)event;
  affine_input(task, row, given);
  for (size_t j = 0; j < classes; j++) {
    u[j] = x->value[x->count - classes + j];
    for (size_t k = 0; k < classes; k++)
      if (!diagonal) u[j] += x->value[j * classes + k] * given[k];
    if (diagonal) u[j] += x->value[j] * given[j];
  }
  soften(u, classes, p);
  return -logl(p[task->labels[row]]);
}

/* Per row, if the loss is summed over them. */
static long double odir_penalty(const ref_task *task, const unknowns *x) {
  const bool sum = !strcmp(setting(task, "odir"), "sum"),
             summed = !strcmp(setting(task, "compat"), "neural-clamping-sum");
  const long double classes = (long double)task->classes;
  const long double off = learnt(task, "lambda")->values[0] / (sum ? 1 : classes * (classes - 1));
  const long double bias = learnt(task, "mu")->values[0] / (sum ? 1 : classes);
  long double penalty = 0;
  for (size_t i = 0; i < x->count; i++) {
    const int r = role(x, task->classes, i);
    penalty += (r == 1 ? off : r == 2 ? bias : 0) * x->value[i] * x->value[i];
  }
  return summed ? penalty / (long double)task->rows : penalty;
}

static long double structured_penalty(const ref_task *task, const unknowns *x) {
  const long double classes = (long double)task->classes, rows = weighted_rows(task);
  const long double one = strtold(setting(task, "lambda"), NULL) * classes / rows;
  long double penalty = 0;
  for (size_t i = 0; i < x->count; i++) {
    const int r = role(x, task->classes, i);
    const long double d = x->value[i] - (r == 0 ? 1 : 0);
    penalty += (r == 1 ? one * (classes - 1) : one) * d * d;
  }
  return penalty;
}

/* ---- A piecewise-linear map. */

static void recall_slopes(const ref_task *task, unknowns *out) { take(task, "slope", SLOPE, out); }

/* Returns the end of piece j: a log p, or the row's log p of this rank. */
static long double end_of(const ref_task *task, size_t j, const long double *log_p) {
  const double end = learnt(task, "end")->values[j];
  if (strcmp(setting(task, "form"), "order-invariant") != 0) return end;
  for (size_t k = 0; k < task->classes; k++) {
    size_t above = 0;
    for (size_t i = 0; i < task->classes; i++)
      above += log_p[i] > log_p[k] || (log_p[i] == log_p[k] && i < k);
    if (above + 1 == (size_t)end) return log_p[k];
  }
  return NAN;
}

/* The integral of the slopes from log p up to 0. */
static long double row_bent(const ref_task *task, const unknowns *x, size_t row, size_t event) {
  long double log_p[CLASSES_MAX], u[CLASSES_MAX] = { 0 }, p[CLASSES_MAX];
  (void)event;
  temper(task, row, 1, p);
  for (size_t k = 0; k < task->classes; k++) log_p[k] = logl(p[k]);
  for (size_t k = 0; k < task->classes; k++) {
    long double from = 0;
    u[k] = 0;
    for (size_t j = 0; j < x->count && from > log_p[k]; j++) {
      const long double end = j + 1 < x->count ? end_of(task, j, log_p) : -INFINITY;
      const long double to = fmaxl(log_p[k], fminl(end, from));
      u[k] -= x->value[j] * (from - to);
      from = to;
    }
  }
  soften(u, task->classes, p);
  return -logl(p[task->labels[row]]);
}

/* Per row of positive weight. */
static long double bent_penalty(const ref_task *task, const unknowns *x) {
  long double squares = 0;
  for (size_t j = 0; j + 1 < x->count; j++)
    squares += (x->value[j + 1] - x->value[j]) * (x->value[j + 1] - x->value[j]);
  return strtold(setting(task, "ridge"), NULL) / weighted_rows(task) * squares;
}

/* ---- Events. */

static bool is_top(const ref_task *task) { return crd_calibrator_is_top(task->calibrator) != 0; }

static size_t event_count(const ref_task *task) {
  return is_top(task) || task->classes == 2 ? 1 : task->classes;
}

/* Returns the class of an event. */
static size_t class_of(const ref_task *task, size_t row, size_t event) {
  size_t top = 0;
  if (!is_top(task)) return task->classes == 2 ? 1 : event;
  for (size_t k = 1; k < task->classes; k++)
    if (logits(task, row)[k] > logits(task, row)[top]) top = k;
  return top;
}

/* Computes log p and log(1 - p) of the event; returns whether it happened. */
static bool look(const ref_task *task, size_t row, size_t event, long double log_p[2]) {
  const size_t own = class_of(task, row, event);
  long double p[CLASSES_MAX] = { 0 }, rest = 0;
  temper(task, row, 1, p);
  for (size_t k = 0; k < task->classes; k++)
    if (k != own) rest += p[k];
  log_p[0] = logl(p[own]);
  log_p[1] = logl(rest);
  return (size_t)task->labels[row] == own;
}

/* Cross entropy of sigmoid(u) against a target. */
static long double cross(long double u, long double target) {
  return target * log1pl(expl(-u)) + (1 - target) * log1pl(expl(u));
}

static long double weight(const ref_task *task, size_t row) {
  return task->weights ? task->weights[row] : 1;
}

/* Platt's targets depend on counts: weights are scaled to sum to the number of rows. */
static void recall_line(const ref_task *task, unknowns *out) {
  const bool plain = !strcmp(setting(task, "targets"), "plain");
  long double log_p[2];
  take(task, "slope", FREE, out);
  take(task, "intercept", FREE, out);
  for (size_t e = 0; e < event_count(task); e++) {
    long double count[2] = { 0 }, total = 0;
    for (size_t i = 0; i < task->rows; i++) {
      count[look(task, i, e, log_p)] += weight(task, i);
      total += weight(task, i);
    }
    const long double no = count[0] / total * (long double)task->rows;
    const long double yes = count[1] / total * (long double)task->rows;
    out->target[e][0] = plain ? 0 : 1 / (no + 2);
    out->target[e][1] = plain ? 1 : (yes + 1) / (yes + 2);
  }
}

static long double row_line(const ref_task *task, const unknowns *x, size_t row, size_t event) {
  long double log_p[2];
  const bool happened = look(task, row, event, log_p);
  const long double u =
      x->value[event] * (log_p[0] - log_p[1]) + x->value[event_count(task) + event];
  return cross(u, x->target[event][happened]);
}

/* a, b, c; a = b as one unknown; a, b. */
static void recall_beta(const ref_task *task, unknowns *out) {
  take(task, "a", NOT_BELOW_0, out);
  if (strcmp(setting(task, "variant"), "am") != 0) take(task, "b", NOT_BELOW_0, out);
  if (strcmp(setting(task, "variant"), "ab") != 0) take(task, "c", FREE, out);
}

static long double row_beta(const ref_task *task, const unknowns *x, size_t row, size_t event) {
  const size_t events = event_count(task);
  const char *const variant = setting(task, "variant");
  long double log_p[2];
  const bool happened = look(task, row, event, log_p);
  const long double a = x->value[event];
  const long double b = strcmp(variant, "am") ? x->value[events + event] : a;
  const long double c = strcmp(variant, "ab") ? x->value[x->count - events + event] : 0;
  return cross(a * log_p[0] - b * log_p[1] + c, happened);
}

/* ---- The table. */

static const reference references[] = {
  { "temperature", recall_temperature, row_nll, NULL, false },
  { "temperature-focal", recall_temperature, row_focal, NULL, false },
  { "ensemble-temperature", recall_shares, row_mixture, NULL, false },
  { "vector", recall_affine, row_affine, NULL, false },
  { "matrix", recall_affine, row_affine, NULL, false },
  { "matrix-odir", recall_affine, row_affine, odir_penalty, false },
  { "dirichlet-odir", recall_affine, row_affine, odir_penalty, false },
  { "structured-vector", recall_affine, row_affine, structured_penalty, false },
  { "structured-matrix", recall_affine, row_affine, structured_penalty, false },
  { "intra-order-preserving", recall_slopes, row_bent, bent_penalty, false },
  { "platt", recall_line, row_line, NULL, true },
  { "scaling-binning", recall_line, row_line, NULL, true },
  { "beta", recall_beta, row_beta, NULL, true },
};

static const reference *find(const char *method) {
  for (size_t i = 0; i < sizeof references / sizeof *references; i++)
    if (!strcmp(references[i].method, method)) return &references[i];
  return NULL;
}

bool ref_has_objective(const char *method) { return find(method) != NULL; }

/* The mean over rows and events. */
static long double value(const ref_task *task, const reference *r, const unknowns *x) {
  const size_t events = r->events ? event_count(task) : 1;
  long double sum = 0, total = 0;
  for (size_t i = 0; i < task->rows; i++) {
    if (weight(task, i) == 0) continue;
    for (size_t e = 0; e < events; e++)
      sum += weight(task, i) * r->row(task, x, i, e) / (long double)events;
    total += weight(task, i);
  }
  return sum / total + (r->penalty ? r->penalty(task, x) : 0);
}

static const reference *open_task(const ref_task *task, unknowns *x) {
  const reference *const r = find(crd_calibrator_method(task->calibrator)->name);
  x->count = 0;
  r->recall(task, x);
  return r;
}

long double ref_objective(const ref_task *task) {
  unknowns x;
  const reference *const r = open_task(task, &x);
  return value(task, r, &x);
}

static long double derivative(const ref_task *task, const reference *r, unknowns *x, size_t i) {
  const long double at = x->value[i], h = 2e-5L;
  long double f[5];
  for (int step = -2; step <= 2; step++) {
    x->value[i] = at + step * h;
    f[step + 2] = step ? value(task, r, x) : 0;
  }
  x->value[i] = at;
  return (8 * (f[3] - f[1]) - (f[4] - f[0])) / (12 * h);
}

static bool is_lowest(const unknowns *x, size_t i) {
  if (x->range[i] == SLOPE) return x->value[i] <= 1e-3;
  return x->range[i] != FREE && x->value[i] < 2e-9L; /* the least share is 1e-9 */
}

static bool is_highest(const unknowns *x, size_t i) {
  return x->range[i] == SLOPE && x->value[i] >= 1e3;
}

/* An event's unknowns change only that event's loss: the derivative of the mean over events is
 * scaled by their number. */
long double ref_slope(const ref_task *task) {
  unknowns x;
  const reference *const r = open_task(task, &x);
  const long double events = r->events ? (long double)event_count(task) : 1;
  long double slope[UNKNOWNS_MAX], common = 0, most = 0;
  for (size_t i = 0; i < x.count; i++) {
    slope[i] = events * derivative(task, r, &x, i);
    if (x.range[i] == SHARE) common += x.value[i] * slope[i];
  }
  for (size_t i = 0; i < x.count; i++) {
    if (x.range[i] == SHARE) slope[i] -= common;
    most = fmaxl(most, is_lowest(&x, i)    ? -slope[i]
                       : is_highest(&x, i) ? slope[i]
                                           : fabsl(slope[i]));
  }
  return most;
}
