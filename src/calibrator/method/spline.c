/*
 * spline.c -- spline calibration: a spline is fitted to the cumulative differences.
 *
 * Rows are sorted by their probability c; h(t_i) at percentile t_i = i / (n - 1) is the sum of
 * (event - c) over all rows up to i, divided by n. Its derivative is the difference between event
 * frequency and c there. h is smoothed by a least-squares natural cubic spline with evenly spaced
 * knots, and row i gets c_i + h'(t_i); between rows the curve is linear.
 *
 * Rows of equal probability are in file order, as in the authors' program; if a file is sorted by
 * class and many probabilities are 1, ties=even is the better choice.
 *
 * The spline is parametrised by its values at the knots: its second derivatives there follow from a
 * tridiagonal system (1 4 1), with 0 at both ends.
 *
 * Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu, Hartley: Calibration of neural networks using
 * splines (2021).
 */
#include "base/memory.h"
#include "calibrator/curve.h"
#include "calibrator/samples.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { KNOTS_MAX = 64 };
enum { CHECKED = 1 << 16 }; /* rows between looks for interrupts */
enum { SCOPE, KNOTS, TIES };
enum { IN_ORDER, EVEN };
static const crd_setting_info settings[] = {
  [SCOPE] = CRD__SCOPE("top-1"),
  [KNOTS] = { .name = "knots",
              .help = "number of knots of the spline, both ends included",
              .standard = "6",
              .low = 2,
              .high = KNOTS_MAX,
              .whole = 1 },
  [TIES] = { .name = "ties",
             .help = "rows of equal probability: in file order, or each with their mean label",
             .standard = "in-order",
             .words = "in-order even" },
};

/* bend[j][k]: the second derivative at knot j for a value of 1 at knot k and 0 at the others. */
typedef struct {
  size_t knots;
  double width;
  double bend[KNOTS_MAX][KNOTS_MAX];
} basis;

/* Thomas algorithm on (1 4 1), for all right-hand sides 6/width^2 (1 -2 1) at once. */
static void make_basis(size_t knots, basis *b) {
  const size_t n = knots;
  double factor[KNOTS_MAX] = { 0 };
  memset(b->bend, 0, sizeof b->bend);
  b->knots = n;
  b->width = 1 / (double)(n - 1);
  const double scale = 6 / (b->width * b->width);
  for (size_t j = 1; j + 1 < n; j++) {
    const double pivot = 4 - factor[j - 1];
    factor[j] = 1 / pivot;
    for (size_t k = 0; k < n; k++) {
      const double side = k == j ? -2 : k + 1 == j || k == j + 1 ? 1 : 0;
      b->bend[j][k] = (scale * side - b->bend[j - 1][k]) / pivot;
    }
  }
  for (size_t j = n - 1; j-- > 1;)
    for (size_t k = 0; k < n; k++) b->bend[j][k] -= factor[j] * b->bend[j + 1][k];
}

/* Computes the coefficient of each knot's value in the spline (or its derivative) at t. */
static void weigh_knots(const basis *b, double t, bool slope, double *out) {
  assert(b->knots >= 2);
  const size_t last = b->knots - 2, at = (size_t)(t / b->width), j = at < last ? at : last;
  const double h = b->width, u = t - (double)j * h;
  const double low =
      slope ? -u * u / (2 * h) + u - h / 3 : -u * u * u / (6 * h) + u * u / 2 - h * u / 3;
  const double high = slope ? u * u / (2 * h) - h / 6 : u * u * u / (6 * h) - h * u / 6;
  for (size_t k = 0; k < b->knots; k++) out[k] = low * b->bend[j][k] + high * b->bend[j + 1][k];
  out[j] += slope ? -1 / h : 1 - u / h;
  out[j + 1] += slope ? 1 / h : u / h;
}

/* The normal equations of least squares. */
typedef struct {
  double matrix[KNOTS_MAX][KNOTS_MAX], side[KNOTS_MAX], square, weight;
} equations;

static void add_equation(equations *e, const double *x, size_t n, double h, double weight) {
  for (size_t j = 0; j < n; j++) {
    e->side[j] += weight * x[j] * h;
    for (size_t k = 0; k <= j; k++) e->matrix[j][k] += weight * x[j] * x[k];
  }
  e->square += weight * h * h;
  e->weight += weight;
}

/* Solves by Cholesky; a relative 1e-13 on the diagonal regularises knots without rows. */
static void solve(equations *e, size_t n, double *x) {
  double(*const l)[KNOTS_MAX] = e->matrix, most = 0;
  for (size_t j = 0; j < n; j++) most = fmax(most, l[j][j]);
  for (size_t j = 0; j < n; j++) {
    l[j][j] += 1e-13 * most;
    for (size_t k = 0; k < j; k++) l[j][j] -= l[j][k] * l[j][k];
    l[j][j] = sqrt(fmax(l[j][j], 1e-14 * most));
    for (size_t i = j + 1; i < n; i++) {
      for (size_t k = 0; k < j; k++) l[i][j] -= l[i][k] * l[j][k];
      l[i][j] /= l[j][j];
    }
  }
  for (size_t j = 0; j < n; j++) {
    x[j] = e->side[j];
    for (size_t k = 0; k < j; k++) x[j] -= l[j][k] * x[k];
    x[j] /= l[j][j];
  }
  for (size_t j = n; j-- > 0;) {
    for (size_t i = j + 1; i < n; i++) x[j] -= l[i][j] * x[i];
    x[j] /= l[j][j];
  }
}

/* Iterator over the rows: percentiles and cumulative differences. */
typedef struct {
  const crd__calibrator_event_data *data;
  const crd__calibrator_samples *samples;
  double scale;        /* of weights, so that their sum is the number of rows */
  double first, span;  /* percentile: (mass + half of the row's - first) / span */
  size_t next, sample; /* the next row, and its sample ... */
  size_t left;         /* ... which has this many rows left */
  double weight;       /* of the last row */
  double mass, height; /* of all rows up to it */
} walk;

static double weight_of(const walk *w, size_t place) {
  return w->data->weights[w->samples->order[place]] * w->scale;
}

static walk start(const crd__calibrator_event_data *data, const crd__calibrator_samples *samples) {
  const double rows = (double)samples->rows;
  walk w = { .data = data, .samples = samples, .left = samples->ties[0] };
  w.scale = rows / (double)data->rows;
  w.first = weight_of(&w, 0) / 2;
  w.span = rows - w.first - weight_of(&w, samples->rows - 1) / 2;
  return w;
}

/* Returns the row's event; with ties=even, the mean over rows of equal probability. */
static double event_of(const walk *w) {
  const crd__calibrator_samples *const s = w->samples;
  if (w->data->settings[TIES] == EVEN) return s->hits[w->sample] / s->weight[w->sample];
  return w->data->happened[s->order[w->next]];
}

/* Advances by one row: returns its percentile, and sets w->height to h. */
static double step(walk *w) {
  const crd__calibrator_samples *const s = w->samples;
  w->weight = weight_of(w, w->next);
  const double t = (w->mass + w->weight / 2 - w->first) / w->span;
  w->mass += w->weight;
  w->height += w->weight * (event_of(w) - s->x[w->sample]) / (double)s->rows;
  if (--w->left == 0 && ++w->sample < s->count) w->left = s->ties[w->sample];
  w->next++;
  return fmin(1, fmax(0, t));
}

/* Fits the spline's values at the knots; sets *error to the mean squared error of h. */
static crd_status fit_spline(crd_context *ctx, walk w, const basis *b, double *knots,
                             double *error) {
  equations e = { 0 };
  while (w.next < w.samples->rows) {
    double x[KNOTS_MAX];
    if (w.next % CHECKED == 0) CRD_TRY(crd__check_interrupt(ctx));
    weigh_knots(b, step(&w), false, x);
    add_equation(&e, x, b->knots, w.height, w.weight);
  }
  double left = e.square;
  solve(&e, b->knots, knots);
  for (size_t j = 0; j < b->knots; j++) left -= knots[j] * e.side[j];
  *error = fmax(0, left) / e.weight;
  return CRD_OK;
}

static double slope_at(const basis *b, const double *knots, double t) {
  double x[KNOTS_MAX], slope = 0;
  weigh_knots(b, t, true, x);
  for (size_t j = 0; j < b->knots; j++) slope += x[j] * knots[j];
  return slope;
}

/* Builds the curve. At ties it has the value of the last row, and just below that of the first. */
static crd_status draw(crd_context *ctx, walk w, const basis *b, const double *knots,
                       crd__calibrator_curve *curve) {
  const crd__calibrator_samples *const s = w.samples;
  for (size_t i = 0; i < s->count; i++) {
    if (i % CHECKED == 0) CRD_TRY(crd__check_interrupt(ctx));
    const double below = crd__calibrator_samples_below(s, i),
                 first = s->x[i] + slope_at(b, knots, step(&w));
    double y = first;
    for (size_t r = 1; r < s->ties[i]; r++) y = s->x[i] + slope_at(b, knots, step(&w));
    if (s->ties[i] > 1 && i > 0 && s->x[i - 1] < below) {
      crd__calibrator_curve_add(curve, below, first);
      crd__calibrator_curve_add(curve, below, y);
    }
    crd__calibrator_curve_add(curve, s->x[i], y);
  }
  return CRD_OK;
}

static crd_status spline_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                             crd__calibrator_fitted *out) {
  crd__calibrator_samples samples = { 0 };
  crd__calibrator_curve curve = { 0 };
  double knots[KNOTS_MAX];
  basis b;
  crd_status status = crd__calibrator_samples_make(ctx, data, data->probability, &samples);
  if (status == CRD_OK) status = crd__calibrator_curve_create(ctx, 3 * samples.count, &curve);
  out->certificate = (crd_certificate){ .converged = 1, .objective = NAN, .gradient_norm = NAN };
  if (status == CRD_OK) {
    make_basis((size_t)fmin(data->settings[KNOTS], (double)samples.rows), &b);
    const walk begin = start(data, &samples);
    status = fit_spline(ctx, begin, &b, knots, &out->certificate.objective);
    if (status == CRD_OK) status = draw(ctx, begin, &b, knots, &curve);
  }
  if (status == CRD_OK)
    status = crd__calibrator_curve_learn(ctx, crd__calibrator_curve_learns, &curve, out);
  crd__calibrator_curve_clear(&ctx->alloc, &curve);
  crd__calibrator_samples_clear(&ctx->alloc, &samples);
  return status;
}

static const crd__calibrator_event_method event = { .fit = spline_fit,
                                                    .apply = crd__calibrator_curve_apply,
                                                    .describe = crd__calibrator_curve_describe };

const crd__calibrator_method crd__calibrator_method_spline = {
  .info = { .name = "spline",
            .summary = "spline calibration: derivative of a cumulative-difference spline",
            .meaning = "Fits smooth curves of any shape without bins. The curve need not be "
                       "monotone, so the ranking of rows may change; it has as many points as "
                       "there are distinct probabilities.",
            .reference = "Gupta et al. 2021, Calibration of neural networks using splines",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .as_is = true,
  .learns = crd__calibrator_curve_learns,
  .event = &event,
};
