/*
 * loss_calls_test.c -- calls of every loss in the table: memory is reused, threads change no bit,
 * and invalid batches fail with a message and leave outputs unchanged.
 */
#include "conform/losses.h"
#include "data/array.h"

#include <pthread.h>

/* ---- Memory: a batch no larger than an earlier one allocates nothing. */

static void check_memory(const crd_loss_info *info, const batch *b) {
  double gradient[CELLS_MAX];
  test_allocator memory = { .fail_at = -1 };
  const crd_allocator alloc = failing_allocator(&memory);
  crd_context *ctx = NULL;
  assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
  crd_context_set_threads(ctx, 1);
  crd_loss *const loss = make_loss(ctx, info->name, b->classes, CRD_REDUCTION_MEAN);
  const long fresh = memory.calls;
  (void)evaluate(ctx, loss, b, gradient);
  assert_true(memory.calls > fresh); /* or nothing is counted */
  const long before = memory.calls;
  for (int i = 0; i < 3; i++) (void)evaluate(ctx, loss, b, i ? gradient : NULL);
  batch smaller = *b;
  smaller.rows /= 2;
  (void)evaluate(ctx, loss, &smaller, gradient);
  if (memory.calls != before) fail_msg("%s: %ld allocations", info->name, memory.calls - before);
  crd_loss_destroy(loss);
  crd_context_destroy(ctx);
  assert_int_equal(memory.live, 0);
}

static void memory_is_kept(void **state) {
  batch b;
  (void)state;
  make_batch(&batch_kinds[1], 5, &b);
  for (size_t i = 0; i < crd_loss_count(); i++) check_memory(crd_loss_at(i), &b);
}

/* ---- Threads: a batch of several chunks, and several evaluations of one loss. */

enum { MANY = 4000, TWICE = 2 };

typedef struct {
  const crd_loss *loss;
  const double *z, *history;
  const int64_t *labels;
  double *gradient;
  crd_loss_value value;
} job;

static crd_status run(crd_context *ctx, job *j) {
  const crd_array logits = crd_array_matrix(j->z, CRD_F64, MANY, CLASSES_MAX);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(j->labels, CRD_I64, MANY, 1),
                                .history = crd_array_matrix(j->history, CRD_F64, MANY, 1),
                                .epochs = 9 };
  return crd_loss_evaluate(ctx, j->loss, &logits, &targets, &j->value, j->gradient);
}

/* Evaluates twice on a thread of its own. */
static void *work(void *arg) {
  crd_context *ctx = NULL;
  crd_status status = crd_context_create(NULL, &ctx);
  if (status != CRD_OK) return NULL;
  crd_context_set_threads(ctx, 1);
  for (int i = 0; i < TWICE && status == CRD_OK; i++) status = run(ctx, arg);
  crd_context_destroy(ctx);
  return status == CRD_OK ? arg : NULL;
}

static void same(const job *a, const job *b) {
  if (!same_bits(a->value.value, b->value.value) ||
      !same_bits(a->value.gradient_norm, b->value.gradient_norm) ||
      memcmp(a->gradient, b->gradient, MANY * CLASSES_MAX * sizeof(double)) != 0)
    fail_msg("%s: threads change it: %.17g, %.17g", crd_loss_term(a->loss, 0), a->value.value,
             b->value.value);
}

/* With one thread, with three, and twice at once. */
static void check_threads(crd_context *ctx, const char *expression, job model, double *gradients) {
  job jobs[4];
  pthread_t threads[2];
  void *result;
  crd_loss *const loss = make_loss(ctx, expression, CLASSES_MAX, CRD_REDUCTION_MEAN);
  for (size_t i = 0; i < 4; i++) {
    jobs[i] = model;
    jobs[i].loss = loss;
    jobs[i].gradient = gradients + i * MANY * CLASSES_MAX;
  }
  for (size_t i = 0; i < 2; i++) {
    crd_context_set_threads(ctx, i ? 3 : 1);
    if (run(ctx, &jobs[i]) != CRD_OK) fail_msg("%s: %s", expression, crd_context_message(ctx));
  }
  crd_context_set_threads(ctx, 0);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[2 + i]), 0);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(pthread_join(threads[i], &result), 0);
    assert_non_null(result);
  }
  for (size_t i = 1; i < 4; i++) same(&jobs[0], &jobs[i]);
  crd_loss_destroy(loss);
}

static void threads_change_no_bit(void **state) {
  test_data data = make_data((test_recipe){
      .rows = MANY, .classes = CLASSES_MAX, .seed = 3, .spread = 2, .accuracy = .6 });
  double *const gradients = calloc((size_t)4 * MANY * CLASSES_MAX, sizeof(double));
  double *const history = calloc(MANY, sizeof(double));
  const job model = { .z = data.scores, .history = history, .labels = data.labels };
  for (size_t i = 0; i < MANY; i++) history[i] = (double)(i * 7 % 10);
  for (size_t i = 0; i < crd_loss_count(); i++)
    check_threads(*state, crd_loss_at(i)->name, model, gradients);
  free(gradients);
  free(history);
  free_data(&data);
}

/* ---- Invalid batches. */

enum { FEW = 3, TWO = 2 };

/* A valid batch of three rows and two classes, for cases to make invalid. */
typedef struct {
  double z[FEW * TWO], labels[FEW], shares[FEW * TWO], weights[FEW], history[FEW];
  crd_array logits;
  crd_targets targets;
} call;

static void make_call(call *c) {
  *c = (call){ .z = { 1, 0, 2, -1, 0, 0.5 },
               .labels = { 0, 1, 1 },
               .shares = { 1, 0, 0.5, 0.5, 0.25, 0.75 },
               .weights = { 1, 2, 1 },
               .history = { 0, 1, 2 } };
  c->logits = crd_array_matrix(c->z, CRD_F64, FEW, TWO);
  c->targets = (crd_targets){ .size = sizeof(crd_targets),
                              .labels = crd_array_matrix(c->labels, CRD_F64, FEW, 1),
                              .weights = crd_array_matrix(c->weights, CRD_F64, FEW, 1),
                              .history = crd_array_matrix(c->history, CRD_F64, FEW, 1),
                              .epochs = 3 };
}

static void use_shares(call *c) {
  c->targets.labels = crd_array_matrix(c->shares, CRD_F64, FEW, TWO);
}
static void label_below(call *c) { c->labels[1] = -1; }
static void label_beyond(call *c) { c->labels[2] = TWO; }
static void label_between(call *c) { c->labels[1] = 0.5; }
static void label_nan(call *c) { c->labels[0] = (double)NAN; }
static void logit_nan(call *c) { c->z[3] = (double)NAN; }
static void logit_infinite(call *c) { c->z[4] = (double)INFINITY; }
static void logit_below(call *c) { c->z[0] = -(double)INFINITY; }
static void weight_below(call *c) { c->weights[2] = -1; }
static void weight_infinite(call *c) { c->weights[1] = (double)INFINITY; }
static void weight_nan(call *c) { c->weights[0] = (double)NAN; }
static void weights_short(call *c) { c->targets.weights.dims[0] = TWO; }
static void weights_wide(call *c) {
  c->targets.weights = crd_array_matrix(c->z, CRD_F64, FEW, TWO);
}
static void labels_short(call *c) { c->targets.labels.dims[0] = TWO; }
static void labels_wide(call *c) { c->targets.labels.dims[1] = 3; }
static void history_short(call *c) { c->targets.history.dims[0] = TWO; }
static void history_wide(call *c) {
  c->targets.history = crd_array_matrix(c->z, CRD_F64, FEW, TWO);
}
static void history_below(call *c) { c->history[1] = -1; }
static void history_beyond(call *c) { c->history[2] = 3.5; }
static void history_nan(call *c) { c->history[0] = (double)NAN; }
static void no_rows(call *c) { c->logits.dims[0] = c->targets.labels.dims[0] = 0; }
static void one_class(call *c) { c->logits = crd_array_matrix(c->z, CRD_F64, FEW, 1); }
static void whole_logits(call *c) { c->logits = crd_array_matrix(c->z, CRD_I64, FEW, TWO); }
static void half_logits(call *c) { c->logits = crd_array_matrix(c->z, CRD_F16, FEW, TWO); }
static void shares_short(call *c) {
  use_shares(c);
  c->shares[2] = 0.25;
}
static void share_below(call *c) {
  use_shares(c);
  c->shares[4] = -0.25;
  c->shares[5] = 1.25;
}
static void share_nan(call *c) {
  use_shares(c);
  c->shares[1] = (double)NAN;
}

static const struct {
  void (*spoil)(call *c);
  crd_status status;
  const char *message;
} refusals[] = {
  { label_below, CRD_EINPUT, "labels row 1 is -1, allowed are 0 to 1" },
  { label_beyond, CRD_EINPUT, "labels row 2 is 2, allowed are 0 to 1" },
  { label_between, CRD_EINPUT, "labels row 1 is not a class index" },
  { label_nan, CRD_EINPUT, "labels row 0 is not a class index" },
  { logit_nan, CRD_EINPUT, "logits row 1, class 1 is NaN, expected a finite number" },
  { logit_infinite, CRD_EINPUT, "logits row 2, class 0 is infinite, expected a finite number" },
  { logit_below, CRD_EINPUT, "logits row 0, class 0 is minus infinity, expected a finite number" },
  { weight_below, CRD_EINPUT, "weights row 2 is negative or not finite" },
  { weight_infinite, CRD_EINPUT, "weights row 1 is negative or not finite" },
  { weight_nan, CRD_EINPUT, "weights row 0 is negative or not finite" },
  { weights_short, CRD_EUSAGE, "weights are 2 x 1, expected 3 x 1" },
  { weights_wide, CRD_EUSAGE, "weights are 3 x 2, expected 3 x 1" },
  { labels_short, CRD_EUSAGE, "labels are 2 x 1, expected 3 x 1, or 3 x 2 class probabilities" },
  { labels_wide, CRD_EUSAGE, "labels are 3 x 3, expected 3 x 1, or 3 x 2 class probabilities" },
  { history_short, CRD_EUSAGE, "the history is 2 x 1, expected 3 x 1" },
  { history_wide, CRD_EUSAGE, "the history is 3 x 2, expected 3 x 1" },
  { history_below, CRD_EINPUT, "history row 1 is -1, allowed are 0 to 3, its epochs" },
  { history_beyond, CRD_EINPUT, "history row 2 is 3.5, allowed are 0 to 3, its epochs" },
  { history_nan, CRD_EINPUT, "history row 0 is nan, allowed are 0 to 3, its epochs" },
  { no_rows, CRD_EUSAGE, "logits are 0 x 2, expected at least one row and two classes" },
  { one_class, CRD_EUSAGE, "logits are 3 x 1, expected at least one row and two classes" },
  { whole_logits, CRD_EUSAGE, "logits are i64, allowed are f32 and f64" },
  { half_logits, CRD_EUSAGE, "logits are f16, allowed are f32 and f64" },
  { shares_short, CRD_EINPUT, "labels row 1: class probabilities do not sum to 1" },
  { share_below, CRD_EINPUT, "labels row 2, class 0 is not a probability from 0 to 1" },
  { share_nan, CRD_EINPUT, "labels row 0, class 1 is not a probability from 0 to 1" },
};

/* Outputs are unchanged after a failure. */
static void expect_refusal(crd_context *ctx, const crd_loss *loss, const call *c, crd_status status,
                           const char *message) {
  double gradient[FEW * TWO], untouched[FEW * TWO];
  crd_loss_value value, before;
  memset(&before, 0x5a, sizeof before);
  memset(untouched, 0x5a, sizeof untouched);
  value = before;
  memcpy(gradient, untouched, sizeof gradient);
  assert_int_equal(crd_loss_evaluate(ctx, loss, &c->logits, &c->targets, &value, gradient), status);
  if (strcmp(crd_context_message(ctx), message) != 0)
    fail_msg("%s: '%s', expected '%s'", crd_loss_term(loss, 0), crd_context_message(ctx), message);
  assert_memory_equal(&value, &before, sizeof value);
  assert_memory_equal(gradient, untouched, sizeof gradient);
}

static void bad_calls_are_refused(void **state) {
  crd_context *const ctx = *state;
  double gradient[FEW * TWO];
  crd_loss_value value;
  call c;
  for (size_t i = 0; i < crd_loss_count(); i++) {
    const crd_loss_info *const info = crd_loss_at(i);
    crd_loss *const loss = make_loss(ctx, info->name, TWO, CRD_REDUCTION_MEAN);
    for (size_t r = 0; r < sizeof refusals / sizeof *refusals; r++) {
      make_call(&c);
      refusals[r].spoil(&c);
      if (crd__data_cols(&c.targets.labels) == 1 || refusals[r].spoil == labels_wide ||
          info->soft_targets)
        expect_refusal(ctx, loss, &c, refusals[r].status, refusals[r].message);
    }
    make_call(&c); /* the loss still works afterwards */
    assert_int_equal(crd_loss_evaluate(ctx, loss, &c.logits, &c.targets, &value, gradient), CRD_OK);
    crd_loss_destroy(loss);
  }
}

/* The table's `targets` and `history` are what evaluation requires. */
static void the_table_tells_what_is_needed(void **state) {
  crd_context *const ctx = *state;
  char message[128];
  call c;
  for (size_t i = 0; i < crd_loss_count(); i++) {
    const crd_loss_info *const info = crd_loss_at(i);
    crd_loss *const loss = make_loss(ctx, info->name, TWO, CRD_REDUCTION_MEAN);
    crd_loss_value value;
    make_call(&c);
    use_shares(&c);
    snprintf(message, sizeof message, "%s needs class indices, found class probabilities",
             info->name);
    if (!info->soft_targets) expect_refusal(ctx, loss, &c, CRD_EUSAGE, message);
    else
      assert_int_equal(crd_loss_evaluate(ctx, loss, &c.logits, &c.targets, &value, NULL), CRD_OK);
    make_call(&c);
    c.targets.history = (crd_array){ 0 };
    snprintf(message, sizeof message, "%s needs a history: how often each row was correct",
             info->name);
    if (info->history) expect_refusal(ctx, loss, &c, CRD_EUSAGE, message);
    else
      assert_int_equal(crd_loss_evaluate(ctx, loss, &c.logits, &c.targets, &value, NULL), CRD_OK);
    crd_loss_destroy(loss);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(memory_is_kept),
    cmocka_unit_test(threads_change_no_bit),
    cmocka_unit_test(bad_calls_are_refused),
    cmocka_unit_test(the_table_tells_what_is_needed),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
