/* checkpoint_test.c -- runs that are interrupted after any step and continue from their checkpoint
 * end with the same bits; checkpoints of other runs, damaged ones and full disks. */
#include "train/testing.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>

/* ---- Interruptions. */

/* Interrupts after this many reports of progress: one for each step. */
typedef struct {
  crd_context *ctx;
  long left;
} interrupter;

static void count_down(void *self, const char *stage, uint64_t done, uint64_t total) {
  interrupter *const i = self;
  (void)done, (void)total;
  if (strncmp(stage, "epoch", 5) == 0 && --i->left == 0) crd_context_interrupt(i->ctx);
}

/* Trains until it is interrupted after `steps` steps; -1: never. Returns whether it finished. */
static bool run_until(const school *s, long steps) {
  interrupter i = { s->ctx, steps };
  crd_status status = CRD_OK;
  int done = crd_trainer_done(s->trainer);
  crd_context_set_progress(s->ctx, count_down, &i);
  while (!done && status == CRD_OK) {
    crd_epoch epoch;
    status = crd_trainer_epoch(s->ctx, s->trainer, &epoch, &done);
  }
  crd_context_set_progress(s->ctx, NULL, NULL);
  if (status != CRD_OK && status != CRD_EINTERRUPTED) fail_msg("%s", crd_context_message(s->ctx));
  return status == CRD_OK;
}

/* Everything that a run leaves. */
typedef struct {
  float values[256], best[256];
  size_t count, kept;
  double records[12][32];
  uint32_t learned[ROWS];
  float max_logit[ROWS];
} outcome;

static void look(const school *s, outcome *out) {
  const crd_trainer *const t = s->trainer;
  memset(out, 0, sizeof *out);
  out->count = parameters_of(t, out->values);
  if (t->best_values) memcpy(out->best, t->best_values, out->count * sizeof *out->best);
  out->kept = crd_trainer_best(t);
  for (size_t i = 0; i < t->records.count; i++)
    memcpy(out->records[i], crd__train_records_row(&t->records, i),
           crd__train_records_width(&t->records) * sizeof(double));
  if (t->learned) memcpy(out->learned, t->learned, sizeof out->learned);
  if (t->max_logit) memcpy(out->max_logit, t->max_logit, sizeof out->max_logit);
}

static const crd_train_options variants[] = {
  { .best = "nll", .evaluate_train = 1, .keep_last = 1, .loss = "ce + crl" },
  { .optimiser = "sgd", .mixup = 0.3, .monitor_count = 1 },
  { .best = "accuracy", .patience = 1, .optimiser = "adamw(rate=0.3)" },
};

static void a_resumed_run_has_the_same_bits(void **state) {
  const char *const path = scratch_path("resumed.checkpoint");
  for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
    outcome whole, parts;
    school s = begin(*state, &variants[v]);
    assert_true(run_until(&s, -1));
    look(&s, &whole);
    const size_t steps = (size_t)s.trainer->at.step;
    finish(&s);
    for (size_t at = 1; at <= steps; at++) {
      s = begin(*state, &variants[v]);
      run_until(&s, (long)at); /* the last one interrupts the evaluation, or nothing */
      WORKS(*state, crd_trainer_save(*state, s.trainer, path));
      finish(&s);
      s = begin(*state, &variants[v]);
      WORKS(*state, crd_trainer_load(*state, s.trainer, path));
      assert_true(run_until(&s, -1));
      look(&s, &parts);
      finish(&s);
      assert_memory_equal(&whole, &parts, sizeof whole);
    }
  }
  unlink(path);
}

/* A run that was killed between its last checkpoint and its results still has all of them. */
static void a_finished_run_is_loaded(void **state) {
  const char *const path = scratch_path("finished.checkpoint");
  outcome whole, loaded;
  school s = begin(*state, &variants[0]);
  assert_true(run_until(&s, -1));
  look(&s, &whole);
  WORKS(*state, crd_trainer_save(*state, s.trainer, path));
  finish(&s);
  s = begin(*state, &variants[0]);
  WORKS(*state, crd_trainer_load(*state, s.trainer, path));
  assert_true(crd_trainer_done(s.trainer));
  look(&s, &loaded);
  finish(&s);
  assert_memory_equal(&whole, &loaded, sizeof whole);
  unlink(path);
}

/* An interruption leaves the trainer ready to go on by itself. */
static void an_interrupted_trainer_goes_on(void **state) {
  outcome whole, parts;
  school s = begin(*state, &variants[0]);
  assert_true(run_until(&s, -1));
  look(&s, &whole);
  finish(&s);
  s = begin(*state, &variants[0]);
  while (!run_until(&s, 1)) continue;
  look(&s, &parts);
  finish(&s);
  assert_memory_equal(&whole, &parts, sizeof whole);
}

static void checkpoints_come_by_themselves(void **state) {
  const char *const path = scratch_path("itself.checkpoint");
  school s = begin(*state, NULL);
  unlink(path);
  WORKS(*state, crd_trainer_save_to(*state, s.trainer, path, 1e6));
  run_until(&s, 2); /* within the first epoch */
  assert_false(crd__file_exists(path));
  run_until(&s, 2); /* after its end */
  assert_true(crd__file_exists(path));
  unlink(path);
  WORKS(*state, crd_trainer_save_to(*state, s.trainer, path, 0));
  run_until(&s, 2); /* after the first step */
  assert_true(crd__file_exists(path));
  finish(&s);
  s = begin(*state, NULL);
  WORKS(*state, crd_trainer_load(*state, s.trainer, path));
  assert_true(s.trainer->at.step >= 4);
  finish(&s);
  unlink(path);
}

static void a_finished_run_stays_finished(void **state) {
  const char *const path = scratch_path("finished.checkpoint");
  school s = begin(*state, NULL);
  crd_epoch epoch;
  train_all(&s, &epoch);
  WORKS(*state, crd_trainer_save(*state, s.trainer, path));
  finish(&s);
  s = begin(*state, NULL);
  WORKS(*state, crd_trainer_load(*state, s.trainer, path));
  assert_true(crd_trainer_done(s.trainer));
  assert_int_equal(crd_trainer_epochs(s.trainer), 3);
  assert_true(crd_trainer_record(s.trainer, 3, &epoch) && epoch_value(&epoch, "loss") > 0);
  finish(&s);
  unlink(path);
}

/* ---- Other runs. */

static void save_some(crd_context *ctx, const crd_train_options *options, const char *path) {
  school s = begin(ctx, options);
  run_until(&s, 4);
  WORKS(ctx, crd_trainer_save(ctx, s.trainer, path));
  finish(&s);
}

/* Loading fails with this message, and leaves the trainer as it was. */
static void refuses(school *s, const char *path, const char *words) {
  float before[256], after[256];
  const size_t count = parameters_of(s->trainer, before);
  FAILS(s->ctx, CRD_EINPUT, crd_trainer_load(s->ctx, s->trainer, path), words);
  parameters_of(s->trainer, after);
  assert_memory_equal(before, after, count * sizeof *before);
  assert_int_equal(s->trainer->at.step, 0);
  assert_int_equal(crd_trainer_epochs(s->trainer), 0);
}

static void other_runs_are_refused(void **state) {
  static const struct {
    crd_train_options options;
    const char *words;
  } others[] = {
    { { .loss = "ce + dca" }, "the checkpoint was saved with loss 'ce', now it is 'ce + dca'" },
    { { .optimiser = "adamw(rate=0.5)" }, "now it is 'adamw(rate=0.5," },
    { { .schedule = "constant" }, "with schedule 'cosine(warm-up=0.05,least=0)'" },
    { { .epochs = 4 }, "with epochs '3', now it is '4'" },
    { { .batch = 17 }, "with batch '16', now it is '17'" },
    { { .decay = CRD_DECAY_ALL }, "with decay 'weights', now it is 'all'" },
    { { .clip = 2 }, "with clip '0', now it is '2'" },
    { { .mixup = 0.5 }, "with mixup '0', now it is '0.5'" },
    { { .keep_last = 1 }, "with keep_last '0', now it is '1'" },
    { { .evaluate_train = 1 }, "with evaluate_train '0', now it is '1'" },
    { { .monitor_count = 1 }, "was saved with another" },
  };
  const char *const path = scratch_path("other.checkpoint");
  save_some(*state, NULL, path);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    school s = begin(*state, &others[i].options);
    refuses(&s, path, others[i].words);
    finish(&s);
  }
  crd_context_set_seed(*state, 5);
  school s = begin(*state, NULL);
  refuses(&s, path, "with seed '0', now it is '5'");
  finish(&s);
  crd_context_set_seed(*state, 0);
  s = prepare(*state, NULL);
  crd_dataset *const swapped = s.training;
  s.training = s.validation;
  s.validation = swapped;
  WORKS(*state, enrol(&s));
  refuses(&s, path, "was saved with another training data");
  finish(&s);
  unlink(path);
}

/* ---- Damaged files. */

static size_t read_whole(const char *path, unsigned char *out, size_t size) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(out, 1, size, file);
  fclose(file);
  assert_true(length < size);
  return length;
}

static void damaged_files_are_refused(void **state) {
  static unsigned char bytes[1 << 16], changed[1 << 16];
  const char *const path = scratch_path("damaged.checkpoint");
  save_some(*state, NULL, path);
  const size_t length = read_whole(path, bytes, sizeof bytes);
  school s = begin(*state, NULL);
  for (size_t cut = 0; cut < length; cut += 1 + cut / 8) {
    put_file("damaged.checkpoint", bytes, cut);
    refuses(&s, path, "");
  }
  for (size_t at = 0; at < length; at += 97) { /* any bit: refused, or a state like another */
    memcpy(changed, bytes, length);
    changed[at] ^= 0x40;
    put_file("damaged.checkpoint", changed, length);
    if (crd_trainer_load(*state, s.trainer, path) == CRD_OK) {
      finish(&s);
      s = begin(*state, NULL);
    }
  }
  finish(&s);
  FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, NULL, &(crd_predictions *){ 0 }),
        "");
  unlink(path);
}

static void other_files_are_no_checkpoints(void **state) {
  const char *const path = scratch_path("array.safetensors");
  const crd_array one = crd_array_matrix((const float[]){ 1, 2 }, CRD_F32, 2, 1);
  school s = begin(*state, NULL);
  WORKS(*state, crd_array_save(*state, &one, "x", path));
  refuses(&s, path, "not a checkpoint: it has no array 'fingerprint'");
  refuses(&s, scratch_path("missing.checkpoint"), "No such file");
  finish(&s);
  unlink(path);
}

/* ---- The disk. */

static long writes_left; /* before the disk is full */
static int failing;      /* which call fails: 0 write, 1 sync, 2 rename */

static ssize_t some_write(int fd, const void *bytes, size_t count) {
  if (failing == 0 && writes_left-- <= 0) {
    errno = ENOSPC;
    return -1;
  }
  return write(fd, bytes, count);
}

static int no_sync(int fd) {
  if (failing != 1) return fsync(fd);
  errno = ENOSPC;
  return -1;
}

static int no_rename(const char *from, const char *to) {
  if (failing != 2) return rename(from, to);
  errno = EIO;
  return -1;
}

static void a_full_disk_leaves_the_last_checkpoint(void **state) {
  static unsigned char before[1 << 16], after[1 << 16];
  const char *const path = scratch_path("full.checkpoint");
  crd_context *const ctx = *state;
  crd__file_ops ops = crd__system_files;
  ops.write = some_write;
  ops.sync = no_sync;
  ops.rename = no_rename;
  save_some(ctx, NULL, path);
  const size_t length = read_whole(path, before, sizeof before);
  school s = begin(ctx, NULL);
  WORKS(ctx, crd_trainer_load(ctx, s.trainer, path));
  run_until(&s, 1);
  for (failing = 0; failing < 3; failing++)
    for (writes_left = 0; writes_left < 6; writes_left++) {
      const long all = writes_left;
      ctx->files = &ops;
      FAILS(ctx, CRD_ESYSTEM, crd_trainer_save(ctx, s.trainer, path), "full.checkpoint: cannot");
      ctx->files = &crd__system_files;
      writes_left = all;
      assert_int_equal(read_whole(path, after, sizeof after), length);
      assert_memory_equal(before, after, length);
    }
  WORKS(ctx, crd_trainer_save(ctx, s.trainer, path)); /* the disk has space again */
  finish(&s);
  s = begin(ctx, NULL);
  WORKS(ctx, crd_trainer_load(ctx, s.trainer, path));
  assert_int_equal(s.trainer->at.step, 5);
  finish(&s);
  unlink(path);
}

/* A diverged run leaves the last good checkpoint. */
static void invalid_parameters_are_not_saved(void **state) {
  const char *const path = scratch_path("invalid.checkpoint");
  school s = begin(*state, NULL);
  WORKS(*state, crd_trainer_save(*state, s.trainer, path));
  s.trainer->pass.parameters.items[1].shape->values[0] = (float)NAN;
  FAILS(*state, CRD_ENUMERIC, crd_trainer_save(*state, s.trainer, path),
        "training diverged in epoch 1, step 0: the parameter '");
  s.trainer->pass.parameters.items[1].shape->values[0] = 1;
  WORKS(*state, crd_trainer_load(*state, s.trainer, path));
  finish(&s);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(a_resumed_run_has_the_same_bits),
    TEST(a_finished_run_is_loaded),
    TEST(an_interrupted_trainer_goes_on),
    TEST(checkpoints_come_by_themselves),
    TEST(a_finished_run_stays_finished),
    TEST(other_runs_are_refused),
    TEST(damaged_files_are_refused),
    TEST(other_files_are_no_checkpoints),
    TEST(a_full_disk_leaves_the_last_checkpoint),
    TEST(invalid_parameters_are_not_saved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
