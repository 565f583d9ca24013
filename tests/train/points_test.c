/*
 * points_test.c -- a run that is killed at each system call of its checkpoints (open, every write,
 * fsync, close, rename; before and after it) and then resumed ends with the same bytes as one that
 * nobody disturbed.
 *
 * Of the writes of a file only the first kills, unless the program is called with "all".
 *
 * Every run is a process of its own, which kills itself: this one only forks, so that no thread of
 * OpenMP is lost in a child.
 */
#include "train/testing.h"

#include "base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* ---- System calls that kill the process. */

static bool all;        /* every write may kill */
static long calls_left; /* before the call that kills; negative: never */
static bool before;     /* it kills before it is made, not after */
static bool written;    /* the open file has been written to */

/* Counts a call; `begins`: it is about to be made. */
static void pass(bool begins) {
  if (begins == before && calls_left >= 0 && calls_left-- == 0) raise(SIGKILL);
}

static int killing_open(const char *path, int flags, mode_t mode) {
  const bool writes = flags & O_CREAT;
  if (writes) pass(true);
  const int fd = crd__system_files.open(path, flags, mode);
  if (writes) pass(false);
  if (writes) written = false;
  return fd;
}

static ssize_t killing_write(int fd, const void *bytes, size_t count) {
  const bool kills = all || !written;
  if (kills) pass(true);
  const size_t part = written ? count : count / 2 + 1; /* files are torn within their header */
  const ssize_t put = crd__system_files.write(fd, bytes, part);
  if (kills) pass(false);
  written = true;
  return put;
}

static int killing_sync(int fd) {
  pass(true);
  const int result = crd__system_files.sync(fd);
  pass(false);
  return result;
}

static int killing_rename(const char *from, const char *to) {
  pass(true);
  const int result = crd__system_files.rename(from, to);
  pass(false);
  return result;
}

/* ---- A run. */

static const char *checkpoint, *model_path;

/* Trains to the end, from the checkpoint if there is one, and saves the model. */
static void run(void) {
  crd__file_ops ops = crd__system_files;
  crd_context *const ctx = test_context();
  crd_epoch epoch;
  crd_model *model;
  ops.open = killing_open;
  ops.write = killing_write;
  ops.sync = killing_sync;
  ops.rename = killing_rename;
  crd_context_set_threads(ctx, 1);
  school s = begin(
      ctx, &(crd_train_options){ .size = sizeof(crd_train_options), .epochs = 2, .best = "nll" });
  if (crd__file_exists(checkpoint)) WORKS(ctx, crd_trainer_load(ctx, s.trainer, checkpoint));
  ctx->files = &ops;
  WORKS(ctx, crd_trainer_save_to(ctx, s.trainer, checkpoint, 1e6));
  train_all(&s, &epoch);
  WORKS(ctx, crd_trainer_model(ctx, s.trainer, &model));
  WORKS(ctx, crd_model_save(ctx, model, model_path));
  crd_model_destroy(model);
  finish(&s);
  crd_context_destroy(ctx);
}

/* Runs in a child; returns whether it ended by itself, and not by a kill. */
static bool run_apart(long calls, bool begins) {
  int status;
  calls_left = calls;
  before = begins;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    run();
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) assert_int_equal(WEXITSTATUS(status), 0);
  else assert_int_equal(WTERMSIG(status), SIGKILL);
  return WIFEXITED(status);
}

static size_t read_whole(const char *path, unsigned char *out, size_t size) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(out, 1, size, file);
  fclose(file);
  assert_true(length < size);
  return length;
}

static void remove_all(void) {
  char command[600];
  snprintf(command, sizeof command, "rm -f '%s'* '%s'*", checkpoint, model_path);
  assert_int_equal(system(command), 0);
}

static void every_point_between_write_fsync_and_rename(void **state) {
  static unsigned char expected[1 << 14], found[1 << 14];
  size_t killed = 0;
  (void)state;
  checkpoint = scratch_path("points.checkpoint");
  model_path = scratch_path("points.onnx");
  remove_all();
  assert_true(run_apart(-1, true));
  const size_t length = read_whole(model_path, expected, sizeof expected);
  for (int begins = 0; begins < 2; begins++)
    for (long n = 0;; n++) {
      remove_all();
      if (run_apart(n, begins)) break; /* fewer than n calls */
      assert_true(run_apart(-1, true));
      assert_int_equal(read_whole(model_path, found, sizeof found), length);
      assert_memory_equal(expected, found, length);
      killed++;
    }
  assert_true(killed >= 2 * 3 * 4); /* three files: open, write, sync, rename; before and after */
  remove_all();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_point_between_write_fsync_and_rename),
  };
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
