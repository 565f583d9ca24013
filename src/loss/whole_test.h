/*
 * whole_test.h -- losses of a whole batch against their definition in plain loops: the value, and
 * the gradient against finite differences of the definition.
 */
#ifndef CRD_LOSS_WHOLE_TEST_H
#define CRD_LOSS_WHOLE_TEST_H

#include "base/random.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 24, MOST_CLASSES = 6 };

typedef struct {
  size_t rows, classes;
  bool shares;
  double z[MOST_ROWS * MOST_CLASSES], t[MOST_ROWS * MOST_CLASSES];
  int64_t y[MOST_ROWS];
  size_t like[MOST_ROWS]; /* the row that has the same logits */
  double weight[MOST_ROWS], history[MOST_ROWS];
  double low, epochs;
} sample;

/* The kinds of batches to test. */
typedef struct {
  const char *name;
  size_t rows, classes;
  size_t distinct; /* logits repeat after this many rows; 0: never */
  double spread;
  int right; /* correct rows: 1 all, -1 none, 0 some */
  bool weighted, shares;
} sample_kind;

static const sample_kind sample_kinds[] = {
  { .name = "random", .rows = 24, .classes = 5, .spread = 4 },
  { .name = "two classes", .rows = 17, .classes = 2, .spread = 3 },
  { .name = "ties", .rows = 21, .classes = 4, .distinct = 7, .spread = 4 },
  { .name = "all tied", .rows = 9, .classes = 3, .distinct = 1, .spread = 2 },
  { .name = "weights", .rows = 24, .classes = 6, .weighted = true, .spread = 4 },
  { .name = "weighted ties",
    .rows = 23,
    .classes = 3,
    .distinct = 4,
    .weighted = true,
    .spread = 3 },
  { .name = "shares", .rows = 22, .classes = 4, .weighted = true, .shares = true, .spread = 3 },
  { .name = "one row", .rows = 1, .classes = 3, .spread = 2 },
  { .name = "all right", .rows = 20, .classes = 4, .spread = 5, .right = 1 },
  { .name = "none right", .rows = 20, .classes = 4, .spread = 5, .right = -1 },
};
enum { SAMPLE_KINDS = sizeof sample_kinds / sizeof *sample_kinds };

static double drawn(uint64_t stream, size_t index) {
  return crd__random_uniform(11, stream, index);
}

static size_t largest(const double *z, size_t classes) {
  size_t best = 0;
  for (size_t k = 1; k < classes; k++)
    if (z[k] > z[best]) best = k;
  return best;
}

static sample make_sample(const sample_kind *kind) {
  sample s = {
    .rows = kind->rows, .classes = kind->classes, .shares = kind->shares, .low = 1, .epochs = 6
  };
  for (size_t i = 0; i < s.rows; i++) {
    const size_t like = s.like[i] = kind->distinct ? i % kind->distinct : i;
    double *const z = s.z + i * s.classes, *const t = s.t + i * s.classes, sum = 0;
    for (size_t k = 0; k < s.classes; k++) {
      z[k] = kind->spread * (drawn(kind->rows, like * s.classes + k) - .5);
      sum += t[k] = drawn(2, i * s.classes + k);
    }
    for (size_t k = 0; k < s.classes; k++) t[k] /= sum;
    s.y[i] = (int64_t)((double)s.classes * drawn(3, i));
    const size_t top = largest(z, s.classes), other = top > 0 ? top - 1 : 1;
    if (kind->right) s.y[i] = (int64_t)(kind->right > 0 ? top : other);
    s.weight[i] = kind->weighted ? floor(4 * drawn(4, i)) / 2 : 1;
    s.history[i] = 1 + floor(6 * drawn(5, i));
  }
  return s;
}

/* A row by definition. */
typedef struct {
  double p[MOST_CLASSES], t[MOST_CLASSES];
  double c, a, h, w; /* confidence, correct, entropy, share of the total weight */
} seen;

static seen see(const sample *s, size_t i) {
  const double *const z = s->z + i * s->classes;
  const size_t top = largest(z, s->classes);
  double mass = 0, total = 0;
  seen row = { .h = 0 };
  for (size_t k = 0; k < s->classes; k++) mass += exp(z[k] - z[top]);
  for (size_t k = 0; k < s->classes; k++) {
    row.p[k] = exp(z[k] - z[top]) / mass;
    row.h -= row.p[k] * log(row.p[k]);
    row.t[k] = s->shares ? s->t[i * s->classes + k] : (double)(s->y[i] == (int64_t)k);
  }
  for (size_t j = 0; j < s->rows; j++) total += s->weight[j];
  row.c = row.p[top];
  row.a = row.t[top];
  row.w = s->weight[i] / total;
  return row;
}

typedef double (*definition)(const sample *s);

static crd_loss_value evaluate(crd_context *ctx, const char *expression, const sample *s,
                               double *gradient) {
  crd_loss *loss = NULL;
  crd_loss_value value = { .value = 0 };
  const crd_array logits = crd_array_matrix(s->z, CRD_F64, s->rows, s->classes);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = s->shares
                                              ? crd_array_matrix(s->t, CRD_F64, s->rows, s->classes)
                                              : crd_array_matrix(s->y, CRD_I64, s->rows, 1),
                                .weights = crd_array_matrix(s->weight, CRD_F64, s->rows, 1),
                                .history = crd_array_matrix(s->history, CRD_F64, s->rows, 1),
                                .history_low = s->low,
                                .epochs = s->epochs };
  if (crd_loss_create(ctx, expression, NULL, &loss) != CRD_OK ||
      crd_loss_evaluate(ctx, loss, &logits, &targets, &value, gradient) != CRD_OK)
    fail_msg("%s: %s", expression, crd_context_message(ctx));
  crd_loss_destroy(loss);
  return value;
}

/* Finite differences of fourth order. */
static double difference(definition f, sample s, size_t cell) {
  const double step = 2e-5, z = s.z[cell];
  double at[5];
  for (int i = -2; i <= 2; i++) {
    s.z[cell] = z + i * step;
    at[i + 2] = f(&s);
  }
  return (8 * (at[3] - at[1]) - (at[4] - at[0])) / (12 * step);
}

/* The loss on one batch against its definition. */
static void check_sample(crd_context *ctx, const char *expression, const char *name,
                         const sample *s, definition f) {
  double gradient[MOST_ROWS * MOST_CLASSES] = { 0 };
  const crd_loss_value found = evaluate(ctx, expression, s, gradient);
  if (!near(found.value, f(s), 1e-13))
    fail_msg("%s, %s: %.17g, expected %.17g", expression, name, found.value, f(s));
  for (size_t i = 0; i < s->rows * s->classes; i++) {
    const double wanted = difference(f, *s, i);
    if (!near(gradient[i], wanted, 1e-9))
      fail_msg("%s, %s: gradient[%zu] is %.17g, expected %.17g", expression, name, i, gradient[i],
               wanted);
  }
}

/* Checks every kind of batch for which the definition has a value. */
static void check_samples(crd_context *ctx, const char *expression, definition f) {
  for (size_t i = 0; i < SAMPLE_KINDS; i++) {
    const sample s = make_sample(&sample_kinds[i]);
    if (isfinite(f(&s))) check_sample(ctx, expression, sample_kinds[i].name, &s, f);
  }
}

#endif
