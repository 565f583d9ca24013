/*
 * losses.h -- batches and expressions to test every loss of the table with.
 *
 * Logits of a row are a shuffled, jittered arithmetic sequence: no two are close, so that no finite
 * difference crosses a tie of classes, where losses have kinks or jumps by definition.
 */
#ifndef CRD_TESTS_CONFORM_LOSSES_H
#define CRD_TESTS_CONFORM_LOSSES_H

#include "support.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 64, CLASSES_MAX = 40, CELLS_MAX = ROWS_MAX * CLASSES_MAX, IGNORED = -100 };

typedef enum { DRAWN, SATURATED, TIED, EQUAL } scores_kind;
typedef enum { ANY, ONE_CLASS, RIGHT, WRONG, SHARES } labels_kind;

typedef struct {
  const char *name;
  scores_kind scores;
  labels_kind labels;
  size_t rows, classes;
  bool weighted; /* weights 0 to 3, and rows with the label IGNORED */
} batch_kind;

static const batch_kind batch_kinds[] = {
  { "random 64x10", DRAWN, ANY, 64, 10, false },
  { "random 7x3, weighted", DRAWN, ANY, 7, 3, true },
  { "shares 7x10, weighted", DRAWN, SHARES, 7, 10, true },
  { "saturated 7x3", SATURATED, ANY, 7, 3, false },
  { "ties 16x3", TIED, ANY, 16, 3, false },
  { "random 1x2", DRAWN, ANY, 1, 2, false },
  { "random 2x2", DRAWN, ANY, 2, 2, false },
  { "random 1x10", DRAWN, ANY, 1, 10, false },
  { "random 2x40", DRAWN, ANY, 2, 40, false },
  { "random 64x2, weighted", DRAWN, ANY, 64, 2, true },
  { "random 64x40, weighted", DRAWN, ANY, 64, 40, true },
  { "shares 64x3", DRAWN, SHARES, 64, 3, false },
  { "shares 1x3", DRAWN, SHARES, 1, 3, false },
  { "saturated 1x2", SATURATED, ANY, 1, 2, false },
  { "saturated 64x40, weighted", SATURATED, ANY, 64, 40, true },
  { "saturated shares 7x3", SATURATED, SHARES, 7, 3, false },
  { "saturated, all right", SATURATED, RIGHT, 7, 10, false },
  { "saturated, all wrong", SATURATED, WRONG, 7, 10, false },
  { "ties 64x10, weighted", TIED, ANY, 64, 10, true },
  { "one class 7x3", DRAWN, ONE_CLASS, 7, 3, false },
  { "all right 7x10", DRAWN, RIGHT, 7, 10, false },
  { "all wrong 7x10", DRAWN, WRONG, 7, 10, false },
  { "equal logits 7x3", EQUAL, ANY, 7, 3, false },
  { "equal logits 2x2", EQUAL, ONE_CLASS, 2, 2, false },
};
enum { BATCH_KINDS = sizeof batch_kinds / sizeof *batch_kinds };

typedef struct {
  const batch_kind *kind;
  size_t rows, classes;
  double z[CELLS_MAX], shares[CELLS_MAX], weight[ROWS_MAX], history[ROWS_MAX];
  int64_t label[ROWS_MAX];
} batch;

static inline size_t argmax(const double *z, size_t count) {
  size_t best = 0;
  for (size_t k = 1; k < count; k++)
    if (z[k] > z[best]) best = k;
  return best;
}

static inline double draw(uint64_t seed, uint64_t stream, size_t index) {
  return crd__random_uniform(seed, stream, index);
}

/* A sequence from -1 to 1 in random order. */
static inline void shuffle_ladder(uint64_t seed, size_t row, size_t classes, double *z) {
  for (size_t k = 0; k < classes; k++) z[k] = 2 * (double)k / (double)(classes - 1) - 1;
  for (size_t k = classes - 1; k > 0; k--) {
    const size_t other = (size_t)(draw(seed, 1, row * CLASSES_MAX + k) * (double)(k + 1));
    const double kept = z[k];
    z[k] = z[other];
    z[other] = kept;
  }
}

static inline void draw_scores(batch *b, uint64_t seed, size_t row) {
  double *const z = b->z + row * b->classes;
  const scores_kind kind = b->kind->scores;
  const double height = kind == SATURATED ? 1e4 : 1 + 2 * draw(seed, 2, row);
  for (size_t k = 0; kind == EQUAL && k < b->classes; k++) z[k] = 0.25;
  if (kind == EQUAL) return;
  if (kind == TIED && row >= 2) { /* repeats one of the first two rows, bit for bit */
    memcpy(z, b->z + (row % 2) * b->classes, b->classes * sizeof *z);
    return;
  }
  shuffle_ladder(seed, row, b->classes, z);
  for (size_t k = 0; k < b->classes; k++) {
    z[k] *= height;
    if (kind != SATURATED)
      z[k] += height * draw(seed, 3, row * CLASSES_MAX + k) / (double)b->classes;
  }
}

static inline void draw_targets(batch *b, uint64_t seed, size_t row) {
  const size_t best = argmax(b->z + row * b->classes, b->classes);
  const double u = draw(seed, 4, row), v = draw(seed, 5, row);
  const int64_t other = (int64_t)((best + 1 + (size_t)(v * (double)(b->classes - 1))) % b->classes);
  const labels_kind kind = b->kind->labels;
  b->label[row] = kind == ONE_CLASS                             ? 0
                  : kind == RIGHT || (kind != WRONG && u < 0.6) ? (int64_t)best
                                                                : other;
  double *const t = b->shares + row * b->classes;
  memset(t, 0, b->classes * sizeof *t);
  t[best] = u;
  t[other] += 1 - u;
  b->weight[row] = b->kind->weighted ? (double)((row + 1) % 4) : 1;
  if (b->kind->weighted && row % 5 == 4) b->label[row] = IGNORED;
  b->history[row] = floor(6 * draw(seed, 6, row));
}

static inline void make_batch(const batch_kind *kind, uint64_t seed, batch *b) {
  *b = (batch){ .kind = kind, .rows = kind->rows, .classes = kind->classes };
  for (size_t i = 0; i < b->rows; i++) {
    draw_scores(b, seed, i);
    draw_targets(b, seed, i);
  }
}

static inline crd_array batch_logits(const batch *b) {
  return crd_array_matrix(b->z, CRD_F64, b->rows, b->classes);
}

static inline crd_targets batch_targets(const batch *b) {
  crd_targets t = { .size = sizeof t,
                    .labels = crd_array_matrix(b->label, CRD_I64, b->rows, 1),
                    .weights = crd_array_matrix(b->weight, CRD_F64, b->rows, 1),
                    .has_ignored = 1,
                    .ignored = IGNORED,
                    .history = crd_array_matrix(b->history, CRD_F64, b->rows, 1),
                    .epochs = 5 };
  if (b->kind->labels == SHARES)
    t.labels = crd_array_matrix(b->shares, CRD_F64, b->rows, b->classes);
  if (!b->kind->weighted) t.weights = (crd_array){ 0 };
  return t;
}

/* Returns whether this loss can be evaluated on these targets. */
static inline bool fits(const crd_loss_info *info, const batch *b) {
  return info->soft_targets || b->kind->labels != SHARES;
}

/* ---- Expressions: a loss with defaults, with every choice, with numbers on both sides of a
 * default. */

enum { VARIANTS_MAX = 16, EXPRESSION_SIZE = 1024 };
typedef struct {
  size_t count;
  char texts[VARIANTS_MAX][EXPRESSION_SIZE];
} variants;

static inline void add_variant(variants *v, const char *loss, const char *setting,
                               const char *value) {
  assert_true(v->count < VARIANTS_MAX);
  if (!setting) snprintf(v->texts[v->count++], EXPRESSION_SIZE, "%s", loss);
  else snprintf(v->texts[v->count++], EXPRESSION_SIZE, "%s(%s=%s)", loss, setting, value);
}

static inline void add_words(variants *v, const char *loss, const crd_setting_info *setting) {
  char word[64];
  for (const char *at = setting->words; *at; at += strspn(at, " ")) {
    const size_t length = strcspn(at, " ");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    add_variant(v, loss, setting->name, word);
    at += length;
  }
}

/* The smallest and largest value that papers tried, if the table has them; else half and twice the
 * default. */
static inline void add_numbers(variants *v, const crd_loss_info *info,
                               const crd_setting_info *setting) {
  char value[64];
  const size_t length = strlen(setting->name);
  double low = atof(setting->standard) / 2, high = atof(setting->standard) * 2;
  if (strncmp(info->grid, setting->name, length) == 0 && info->grid[length] == ' ') {
    const char *at = info->grid + length;
    char *end;
    low = high = strtod(at, &end);
    for (double next = high; end != at; at = end, next = strtod(at, &end)) high = next;
  }
  if (setting->whole) low = ceil(low);
  const double both[] = { fmax(low, setting->low), fmin(high, setting->high) };
  for (size_t i = 0; i < 2; i++) {
    snprintf(value, sizeof value, "%g", both[i]);
    add_variant(v, info->name, setting->name, value);
  }
}

/* A list with one number per class, instead of a choice. */
static inline void add_list(variants *v, const char *loss, const crd_setting_info *setting,
                            size_t classes) {
  char list[8 * CLASSES_MAX] = "";
  for (size_t k = 0; k < classes; k++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%g", k ? "," : "",
             0.25 * (double)(1 + k % 5));
  add_variant(v, loss, setting->name, list);
}

static inline variants variants_of(const crd_loss_info *info, size_t classes) {
  variants v = { 0 };
  add_variant(&v, info->name, NULL, NULL);
  for (size_t i = 0; i < info->setting_count; i++) {
    const crd_setting_info *const setting = &info->settings[i];
    if (setting->words) add_words(&v, info->name, setting);
    else add_numbers(&v, info, setting);
    if (setting->list) add_list(&v, info->name, setting, classes);
  }
  return v;
}

/* ---- Evaluation. */

static inline crd_loss *make_loss(crd_context *ctx, const char *expression, size_t classes,
                                  crd_reduction reduction) {
  double counts[CLASSES_MAX];
  crd_loss *loss = NULL;
  for (size_t k = 0; k < CLASSES_MAX; k++) counts[k] = (double)(10 + 7 * (k % 6));
  const crd_loss_options options = {
    .size = sizeof options, .reduction = reduction, .classes = classes, .class_counts = counts
  };
  if (crd_loss_create(ctx, expression, &options, &loss) != CRD_OK)
    fail_msg("%s: %s", expression, crd_context_message(ctx));
  return loss;
}

static inline crd_loss_value evaluate(crd_context *ctx, const crd_loss *loss, const batch *b,
                                      double *gradient) {
  const crd_array logits = batch_logits(b);
  const crd_targets targets = batch_targets(b);
  crd_loss_value value;
  if (crd_loss_evaluate(ctx, loss, &logits, &targets, &value, gradient) != CRD_OK)
    fail_msg("%s, %s: %s", crd_loss_term(loss, 0), b->kind->name, crd_context_message(ctx));
  return value;
}

static inline double largest(const double *x, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

#endif
