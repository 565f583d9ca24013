/* step_test.c -- steps of training against plain loops over the same batches: parameters, running
 * statistics of the incomplete last batch, hits of mixup; steps allocate nothing. */
#include "train/testing.h"

/* ---- Plain loops. */

typedef struct {
  crd_network *network;
  crd_loader *loader;
  crd_loss *loss;
  float velocity[256];
} plain;

static void plain_step(crd_context *ctx, plain *p, float rate) {
  crd_batch batch;
  crd_loss_value value;
  float gradient[BATCH * CLASSES];
  crd_array x = *crd_network_input(p->network, 0), g = *crd_network_output(p->network, 0);
  WORKS(ctx, crd_loader_next(ctx, p->loader, &batch));
  assert_int_equal(batch.rows, BATCH);
  x.data = batch.inputs;
  WORKS(ctx, crd_network_run(ctx, p->network, &x, 1));
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(batch.labels, CRD_I64, BATCH, 1) };
  WORKS(ctx, crd_loss_evaluate(ctx, p->loss, crd_network_output(p->network, 0), &targets, &value,
                               gradient));
  g.data = gradient;
  crd_network_clear_gradients(p->network);
  WORKS(ctx, crd_network_backward(ctx, p->network, &g));
  float *v = p->velocity;
  const crd_parameter *parameter;
  for (size_t i = 0; (parameter = crd_network_parameter(p->network, i)); i++)
    for (size_t k = 0; parameter->gradient && k < parameter->count; k++, v++) {
      const float decay = parameter->shape.rank > 1 ? 0.01F : 0;
      *v = 0.9F * *v + (parameter->gradient[k] + decay * parameter->values[k]);
      parameter->values[k] -= rate * *v;
    }
}

/* Dropout depends on the index of the run: the first run of this network has another index than the
 * trainer's unless both count from 0. */
static void steps_are_plain_loops(void **state) {
  enum { EPOCHS = 2, STEPS = EPOCHS * (ROWS / BATCH) };
  school s = begin(
      *state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                    .epochs = EPOCHS,
                                    .optimiser = "sgd(rate=0.05,momentum=0.9,weight-decay=0.01)",
                                    .schedule = "constant" });
  plain p = { 0 };
  const crd_compile_options how = { .size = sizeof how, .batch = BATCH, .mode = CRD_MODE_TRAINING };
  const crd_loader_options reading = {
    .size = sizeof reading, .batch = BATCH, .shuffle = 1, .encoding = s.encoding
  };
  WORKS(*state, crd_network_compile(*state, s.model, &how, &p.network));
  WORKS(*state, crd_loader_create(*state, s.training, &reading, &p.loader));
  WORKS(*state, crd_loss_create(*state, "ce", NULL, &p.loss));
  crd_loader_seek(p.loader, 0, 0);
  for (size_t i = 0; i < STEPS; i++) {
    crd__network_set_run(p.network, i);
    plain_step(*state, &p, 0.05F);
  }
  crd_epoch epoch;
  train_all(&s, &epoch);
  assert_int_equal(s.trainer->at.step, STEPS);
  const crd_parameter *theirs;
  for (size_t i = 0; (theirs = crd_network_parameter(p.network, i)); i++) {
    const crd_parameter *const ours = crd_network_parameter(s.trainer->pass.network, i);
    assert_memory_equal(ours->values, theirs->values, theirs->count * sizeof(float));
  }
  crd_loss_destroy(p.loss);
  crd_loader_destroy(p.loader);
  crd_network_destroy(p.network);
  finish(&s);
}

/* ---- The incomplete last batch. */

static void copy_statistics(const crd_network *from, const crd_network *to) {
  const crd_parameter *p;
  for (size_t i = 0; (p = crd_network_parameter(from, i)); i++)
    if (!p->gradient)
      memcpy(crd_network_parameter(to, i)->values, p->values, p->count * sizeof(float));
}

/* With a rate of 0 only running statistics change: by every batch, the last one too. */
static void running_statistics_see_the_last_batch(void **state) {
  enum { LAST = ROWS % BATCH, BATCHES = ROWS / BATCH + 1 };
  school s = begin(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                 .epochs = 1,
                                                 .optimiser = "sgd(rate=0)",
                                                 .keep_last = 1 });
  const crd_loader_options reading = {
    .size = sizeof reading, .batch = BATCH, .shuffle = 1, .keep_last = 1, .encoding = s.encoding
  };
  crd_network *full, *rest;
  crd_loader *loader;
  crd_epoch epoch;
  crd_compile_options how = { .size = sizeof how, .batch = BATCH, .mode = CRD_MODE_TRAINING };
  WORKS(*state, crd_network_compile(*state, s.model, &how, &full));
  how.batch = LAST;
  WORKS(*state, crd_network_compile(*state, s.model, &how, &rest));
  WORKS(*state, crd_loader_create(*state, s.training, &reading, &loader));
  crd_loader_seek(loader, 0, 0);
  for (size_t i = 0; i < BATCHES; i++) {
    crd_network *const network = i + 1 < BATCHES ? full : rest;
    crd_array x = *crd_network_input(network, 0);
    crd_batch batch;
    WORKS(*state, crd_loader_next(*state, loader, &batch));
    x.data = batch.inputs;
    if (network == rest) copy_statistics(full, rest);
    WORKS(*state, crd_network_run(*state, network, &x, 1));
  }
  train_all(&s, &epoch);
  const crd_parameter *p;
  size_t compared = 0;
  for (size_t i = 0; (p = crd_network_parameter(rest, i)); i++) {
    const crd_parameter *const ours = crd_network_parameter(s.trainer->pass.network, i);
    assert_memory_equal(ours->values, p->values, p->count * sizeof(float));
    compared += !p->gradient;
  }
  assert_int_equal(compared, 2);
  crd_loader_destroy(loader);
  crd_network_destroy(full);
  crd_network_destroy(rest);
  finish(&s);
}

/* ---- Mixup. */

/* Where all labels are the same, a mixed target is that label: one hit for each row, no more. */
static void mixed_hits_are_shares(void **state) {
  static const int64_t labels[ROWS];
  school s = prepare(*state, &(crd_train_options){ .size = sizeof(crd_train_options),
                                                   .epochs = 40,
                                                   .mixup = 1,
                                                   .optimiser = "adamw(rate=0.05)" });
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(all_samples()->inputs, CRD_F32,
                                                                 ROWS, INPUTS),
                                      .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                      .classes = CLASSES };
  crd_epoch epoch;
  crd_dataset_destroy(s.training);
  WORKS(*state, crd_dataset_create(*state, &arrays, &s.training));
  WORKS(*state, enrol(&s));
  train_all(&s, &epoch);
  assert_true(near(epoch_value(&epoch, "train.accuracy"), 1, 1e-9));
  finish(&s);
}

/* ---- Memory. */

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

/* Nor do the threads of the loader. */
static void steps_allocate_nothing(void **state) {
  test_allocator memory = { .fail_at = -1 };
  const crd_allocator counting = failing_allocator(&memory);
  crd_context *ctx;
  (void)state;
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    assert_int_equal(crd_context_create(&counting, &ctx), CRD_OK);
    school s = begin(ctx, &variants[i]);
    WORKS(ctx, crd__train_step(ctx, s.trainer));
    const long before = memory.calls;
    for (size_t k = 0; s.trainer->at.batch < s.trainer->batches; k++)
      WORKS(ctx, crd__train_step(ctx, s.trainer));
    assert_int_equal(memory.calls, before);
    finish(&s);
    crd_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(steps_are_plain_loops),
    TEST(running_statistics_see_the_last_batch),
    TEST(mixed_hits_are_shares),
    TEST(steps_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
