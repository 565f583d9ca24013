/* trainer_test.c -- training a small network: it learns, always to the same bits. */
#include "train/testing.h"

#include "network/stream.h"

/* ---- It learns. */

static void a_small_network_learns(void **state) {
  school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                 .epochs = 30,
                                                 .optimiser = "adamw(rate=0.02)",
                                                 .monitor_count = 1 });
  crd_epoch epoch;
  int done;
  WORKS(*state, crd_trainer_epoch(*state, s.trainer, &epoch, &done));
  const double first = epoch_value(&epoch, "loss");
  assert_int_equal(epoch.epoch, 1);
  assert_int_equal(done, 0);
  train_all(&s, &epoch);
  assert_int_equal(epoch.epoch, 30);
  assert_true(epoch_value(&epoch, "loss") < 0.7 * first);
  assert_true(epoch_value(&epoch, "train.accuracy") > 0.7);
  assert_true(epoch_value(&epoch, "validation.accuracy") > 0.7);
  assert_true(epoch_value(&epoch, "validation.temperature") > 0);
  assert_true(epoch_value(&epoch, "validation.ece_oracle_t") >= 0);
  /* The end is the end. */
  WORKS(*state, crd_trainer_epoch(*state, s.trainer, &epoch, &done));
  assert_true(done && epoch.epoch == 0 && crd_trainer_epochs(s.trainer) == 30);
  assert_true(crd_trainer_record(s.trainer, 30, &epoch) && epoch.epoch == 30);
  assert_false(crd_trainer_record(s.trainer, 31, &epoch));
  finish(&s);
}

static void columns_are_named(void **state) {
  static const char *const expected[] = { "loss",
                                          "loss.ce",
                                          "loss.dca",
                                          "loss.ce#2",
                                          "train.accuracy",
                                          "train-eval.accuracy",
                                          "train-eval.ece",
                                          "train-eval.nll",
                                          "train-eval.brier",
                                          "train-eval.auroc",
                                          "train-eval.nll-refinement",
                                          "train-eval.aurc",
                                          "train-eval.temperature",
                                          "train-eval.ece_oracle_t",
                                          "validation.accuracy",
                                          "validation.ece",
                                          "validation.nll",
                                          "validation.brier",
                                          "validation.auroc",
                                          "validation.nll-refinement",
                                          "validation.aurc",
                                          "validation.temperature",
                                          "validation.ece_oracle_t" };
  school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                 .loss = "ce + 2*dca + 0.5*ce",
                                                 .epochs = 1,
                                                 .best = "aurc",
                                                 .evaluate_train = 1 });
  crd_epoch epoch;
  train_all(&s, &epoch);
  assert_int_equal(epoch.count, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < epoch.count; i++) assert_string_equal(epoch.values[i].name, expected[i]);
  assert_true(near(epoch_value(&epoch, "loss"),
                   1.5 * epoch_value(&epoch, "loss.ce") + 2 * epoch_value(&epoch, "loss.dca"),
                   1e-12));
  finish(&s);
}

/* ---- The same bits. */

static size_t train_to(crd_context *ctx, const crd_train_options *options, float out[static 256]) {
  school s = begin(ctx, options);
  crd_epoch epoch;
  train_all(&s, &epoch);
  const size_t count = parameters_of(s.trainer, out);
  finish(&s);
  return count;
}

static const crd_train_options variants[] = {
  { .loss = NULL },
  { .keep_last = 1 },
  { .batch = 64, .keep_last = 1 }, /* one batch of all rows */
  { .clip = 0.1, .schedule = "one-cycle" },
  { .mixup = 0.4 },
  { .loss = "ce + mmce", .mixup = 0.4 }, /* has no soft targets */
  { .loss = "ce + crl", .keep_last = 1 },
  { .loss = "weighted-ce", .decay = CRD_DECAY_ALL, .optimiser = "adam" },
};

static void training_is_deterministic(void **state) {
  crd_context_set_threads(*state, 2);
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    float one[256], other[256], another[256];
    const size_t count = train_to(*state, &variants[i], one);
    train_to(*state, &variants[i], other);
    assert_memory_equal(one, other, count * sizeof *one);
    crd_context_set_seed(*state, 1);
    train_to(*state, &variants[i], another);
    crd_context_set_seed(*state, 0);
    assert_memory_not_equal(one, another, count * sizeof *one);
  }
}

/* Options change the result: none is forgotten. */
static void options_matter(void **state) {
  float results[sizeof variants / sizeof *variants][256];
  size_t count = 0;
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
    count = train_to(*state, &variants[i], results[i]);
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
    for (size_t k = 0; k < i; k++)
      assert_memory_not_equal(results[i], results[k], count * sizeof **results);
}

/* ---- Weights and class counts. */

/* The weighted mean of the first step's losses. */
static double first_loss(crd_context *ctx, const char *loss, bool weighted) {
  school s = prepare(
      ctx, &(crd_train_options){
               .size = sizeof(crd_train_options), .loss = loss, .epochs = 1, .batch = ROWS });
  crd_epoch epoch;
  crd_dataset_destroy(s.training);
  s.training = rows_from(ctx, 0, ROWS, weighted);
  WORKS(ctx, enrol(&s));
  train_all(&s, &epoch);
  const double value = epoch_value(&epoch, "loss");
  finish(&s);
  return value;
}

static void weights_and_counts_reach_the_loss(void **state) {
  const double plain_ce = first_loss(*state, "ce", false);
  assert_true(plain_ce != first_loss(*state, "ce", true));
  assert_true(plain_ce != first_loss(*state, "weighted-ce", false));
}

/* ---- The best epoch. */

static void the_best_epoch_is_kept(void **state) {
  school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                 .epochs = 12,
                                                 .optimiser = "adamw(rate=0.2)",
                                                 .best = "nll" });
  crd_epoch epoch;
  float kept[256], now[256];
  double least = INFINITY;
  size_t best = 0;
  for (int done = 0; !done;) {
    WORKS(*state, crd_trainer_epoch(*state, s.trainer, &epoch, &done));
    const double nll = epoch_value(&epoch, "validation.nll");
    assert_int_equal(epoch.best, nll < least);
    if (nll >= least) continue;
    least = nll;
    best = epoch.epoch;
    parameters_of(s.trainer, kept);
  }
  assert_int_equal(crd_trainer_best(s.trainer), best);
  assert_true(best < 12); /* else the last parameters are the best ones, and nothing is tested */
  const size_t count = parameters_of(s.trainer, now);
  assert_memory_not_equal(now, kept, count * sizeof *now);
  assert_memory_equal(s.trainer->best_values, kept, count * sizeof *kept);
  finish(&s);
}

/* Refine, then calibrate: the epoch that is best after recalibration, whatever its nll. */
static void refinement_chooses_an_epoch(void **state) {
  static const char *const metrics[] = { "nll-refinement", "brier-refinement" };
  for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
    school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                   .epochs = 12,
                                                   .optimiser = "adamw(rate=0.2)",
                                                   .best = metrics[m] });
    crd_epoch epoch;
    char column[64];
    double least = INFINITY;
    size_t best = 0;
    snprintf(column, sizeof column, "validation.%s", metrics[m]);
    for (int done = 0; !done;) {
      WORKS(*state, crd_trainer_epoch(*state, s.trainer, &epoch, &done));
      const double value = epoch_value(&epoch, column);
      assert_true(value >= 0);
      if (value >= least) continue;
      least = value;
      best = epoch.epoch;
    }
    assert_int_equal(crd_trainer_best(s.trainer), best);
    finish(&s);
  }
}

static void patience_ends_a_run(void **state) {
  school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                 .epochs = 100,
                                                 .optimiser = "adamw(rate=0.5)",
                                                 .best = "accuracy",
                                                 .patience = 3 });
  crd_epoch epoch;
  train_all(&s, &epoch);
  assert_true(epoch.epoch < 100);
  assert_int_equal(epoch.epoch, crd_trainer_best(s.trainer) + 3);
  finish(&s);
}

/* ---- Learned epochs. */

static void rows_are_learned_for_good(void **state) {
  enum { EPOCHS = 6 };
  school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                 .epochs = EPOCHS,
                                                 .optimiser = "adamw(rate=0.05)",
                                                 .evaluate_train = 1 });
  uint32_t learned[ROWS] = { 0 };
  float largest[ROWS];
  size_t late = 0;
  for (uint32_t e = 1; e <= EPOCHS; e++) {
    crd_epoch epoch;
    int done;
    crd_model *model;
    float logits[ROWS * CLASSES];
    WORKS(*state, crd_trainer_epoch(*state, s.trainer, &epoch, &done));
    WORKS(*state, crd_trainer_model(*state, s.trainer, &model));
    WORKS(*state, crd__network_logits(*state, model, s.training, s.encoding, 7, logits));
    for (size_t i = 0; i < ROWS; i++) {
      const float *const z = logits + i * CLASSES;
      const size_t label = (size_t)crd_dataset_label(s.training, i);
      bool right = true;
      for (size_t k = 0; k < CLASSES; k++) right = right && (k == label || z[k] < z[label]);
      learned[i] = !right ? 0 : learned[i] ? learned[i] : e;
      for (size_t k = 0; k < CLASSES; k++) largest[i] = k ? fmaxf(largest[i], z[k]) : z[k];
    }
    crd_model_destroy(model);
  }
  for (size_t i = 0; i < ROWS; i++) {
    assert_int_equal(crd_trainer_learned(s.trainer)[i], learned[i]);
    assert_true(near(crd_trainer_max_logits(s.trainer)[i], largest[i], 1e-6));
    late += learned[i] > 1;
  }
  assert_true(late > 0);
  const char *const paths[] = { scratch_path("learned.npz"), scratch_path("learned.csv") };
  for (size_t p = 0; p < 2; p++) {
    const crd_learned_file *file;
    WORKS(*state, crd_trainer_learned_save(*state, s.trainer, paths[p]));
    WORKS(*state, crd_learned_file_open(*state, paths[p], &file));
    assert_int_equal(file->rows, ROWS);
    assert_memory_equal(file->learned, learned, sizeof learned);
    assert_memory_equal(file->max_logit, crd_trainer_max_logits(s.trainer), sizeof largest);
    crd_learned_file_destroy(file);
  }
  finish(&s);
}

/* ---- Predictions of the epochs. */

static void predictions_of_epochs_are_written(void **state) {
  char folder[256], path[600];
  snprintf(folder, sizeof folder, "%s", scratch_path("epochs"));
  snprintf(path, sizeof path, "rm -rf '%s' && mkdir '%s'", folder, folder);
  assert_int_equal(system(path), 0);
  school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                 .epochs = 2,
                                                 .monitor_count = 1,
                                                 .evaluate_train = 1,
                                                 .logits = folder });
  crd_epoch epoch;
  train_all(&s, &epoch);
  for (int i = 0; i < 2; i++) {
    crd_predictions *predictions;
    const crd_result *result;
    const char *const name = i ? "train-eval" : "validation";
    snprintf(path, sizeof path, "%s/%s-0002.npz", folder, name);
    WORKS(*state, crd_predictions_open(*state, path, NULL, &predictions));
    WORKS(*state, crd_evaluate(*state, predictions,
                               &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                        .metrics = "nll" },
                               &result));
    snprintf(path, sizeof path, "%s.nll", name);
    assert_true(same_bits(value_of(result, "nll"), epoch_value(&epoch, path)));
    crd_result_destroy(result);
    crd_predictions_destroy(predictions);
  }
  finish(&s);
  snprintf(path, sizeof path, "rm -r '%s'", folder);
  assert_int_equal(system(path), 0);
}

/* ---- Failures. */

static void diverging_runs_stop(void **state) {
  school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                 .epochs = 200,
                                                 .optimiser = "sgd(rate=1e6)",
                                                 .schedule = "constant" });
  crd_status status = CRD_OK;
  crd_epoch epoch;
  for (int done = 0; !done && status == CRD_OK;)
    status = crd_trainer_epoch(*state, s.trainer, &epoch, &done);
  assert_int_equal(status, CRD_ENUMERIC);
  assert_non_null(strstr(crd_context_message(*state), "training diverged in epoch "));
  assert_non_null(strstr(crd_context_message(*state), "; try a smaller rate, or clip"));
  finish(&s);
}

/* Creates a trainer that must fail. */
static void refused(crd_context *ctx, crd_status code, const crd_train_options *options,
                    const char *words) {
  school s = prepare(ctx, options);
  FAILS(ctx, code, enrol(&s), words);
  assert_null(s.trainer);
  finish(&s);
}

static void bad_options_are_named(void **state) {
  static const struct {
    crd_train_options options;
    const char *words;
  } faults[] = {
    { { .loss = "cee" }, "no loss is called 'cee'; did you mean 'ce'?" },
    { { .loss = "ce + -1*entropy" }, "needs allow_negative" },
    { { .optimiser = "adan" }, "no optimiser is called 'adan'; did you mean 'adam'?" },
    { { .schedule = "cosinus" }, "no schedule is called 'cosinus'; did you mean 'cosine'?" },
    { { .best = "acuracy" }, "did you mean 'accuracy'?" },
    { { .best = "confidence" }, "best is 'confidence', allowed is one metric" },
    { { .best = "ece,nll" }, "best is 'ece,nll', allowed is one metric" },
    { { .patience = 2 }, "patience needs a metric that improves: best" },
    { { .clip = -1 }, "clip is -1, allowed are finite numbers from 0 on" },
    { { .mixup = (double)NAN }, "mixup is nan" },
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    refused(*state, CRD_EUSAGE, &faults[i].options, faults[i].words);
  refused(*state, CRD_EINPUT,
          &(crd_train_options){ .size = sizeof(crd_train_options), .batch = ROWS + 1 }, "");
}

static void models_that_do_not_fit_are_refused(void **state) {
  school s = prepare(*state, NULL);
  crd_model_destroy(s.model);
  s.model = small_model_ending(*state, "Softmax");
  FAILS(*state, CRD_EINPUT, enrol(&s), "its output is a softmax; training needs logits");
  finish(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(a_small_network_learns),
    TEST(columns_are_named),
    TEST(training_is_deterministic),
    TEST(options_matter),
    TEST(weights_and_counts_reach_the_loss),
    TEST(the_best_epoch_is_kept),
    TEST(refinement_chooses_an_epoch),
    TEST(patience_ends_a_run),
    TEST(rows_are_learned_for_good),
    TEST(predictions_of_epochs_are_written),
    TEST(diverging_runs_stop),
    TEST(bad_options_are_named),
    TEST(models_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
