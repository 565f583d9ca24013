/*
 * files_test.c -- every system call on files fails once.
 *
 * Reading: an error, or the same result by other means (a file that cannot be mapped is read).
 * Writing: an error, no file under the new name, the old file unchanged, no temporary file left.
 * Either way every descriptor is closed again.
 */
#include "support.h"

#include "base/context.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The n-th call of the operation `target` fails with `reason`; a write may be short. */
static struct {
  int target, countdown, reason;
  bool unmapped; /* no file can be mapped: all are read */
  bool reached;
} fault;
enum { OPEN, READ, WRITE, MAP, SYNC, CLOSE, RENAME, OPERATIONS };

static bool strikes(int operation) {
  if (operation != fault.target || fault.countdown-- != 0) return false;
  fault.reached = true;
  errno = fault.reason;
  return true;
}
static int bad_open(const char *path, int flags, mode_t mode) {
  return strikes(OPEN) ? -1 : crd__system_files.open(path, flags, mode);
}
static ssize_t bad_read(int fd, void *bytes, size_t count) {
  return strikes(READ) ? -1 : crd__system_files.read(fd, bytes, count);
}
/* A few bytes at a time, so that a loop over short writes is exercised as well. */
static ssize_t bad_write(int fd, const void *bytes, size_t count) {
  return strikes(WRITE) ? -1 : crd__system_files.write(fd, bytes, count < 100 ? count : 100);
}
static void *bad_map(int fd, size_t length) {
  return strikes(MAP) || fault.unmapped ? NULL : crd__system_files.map(fd, length);
}
static int bad_sync(int fd) { return strikes(SYNC) ? -1 : crd__system_files.sync(fd); }
static int bad_close(int fd) {
  const int result = crd__system_files.close(fd); /* closed nevertheless, as the system would */
  return strikes(CLOSE) ? -1 : result;
}
static int bad_rename(const char *from, const char *to) {
  return strikes(RENAME) ? -1 : crd__system_files.rename(from, to);
}
static const crd__file_ops bad_files = { bad_open, bad_read,  bad_write, bad_map,
                                         bad_sync, bad_close, bad_rename };

static crd_context *faulty_context(int target, int countdown, int reason) {
  crd_context *const ctx = test_context();
  ctx->files = &bad_files;
  fault.target = target;
  fault.countdown = countdown;
  fault.reason = reason;
  fault.unmapped = false;
  fault.reached = false;
  return ctx;
}

static test_data data;

/* Returns whether a message names the file, or one of a pattern's. */
static bool names_file(const char *message, const char *path) {
  char begin[256];
  snprintf(begin, sizeof begin, "%.*s", (int)strcspn(path, "?"), path);
  return strstr(message, begin) != NULL;
}

/* Returns whether the fault occurred. */
static bool read_with_fault(const char *path, size_t rows, int target, int n, bool unmapped) {
  const size_t descriptors = open_descriptors();
  crd_context *const ctx = faulty_context(target, n, EIO);
  crd_predictions *p = NULL;
  fault.unmapped = unmapped;
  const crd_status status = open_test_file(ctx, path, &p);
  assert_true((status == CRD_OK) == (p != NULL));
  if (status == CRD_OK) assert_int_equal(crd_predictions_rows(p), rows);
  else {
    assert_int_equal(status, CRD_ESYSTEM);
    assert_true(names_file(crd_context_message(ctx), path));
  }
  if (target == OPEN && n == 0) assert_int_equal(status, CRD_ESYSTEM);
  if (target == READ && n == 0) assert_int_equal(status, unmapped ? CRD_ESYSTEM : CRD_OK);
  crd_predictions_destroy(p);
  crd_context_destroy(ctx);
  if (open_descriptors() != descriptors) fail_msg("%s: a descriptor stays open", path);
  return fault.reached;
}

/* Every operation fails, once at each of its calls. */
static void sweep(const char *path, size_t rows) {
  for (int unmapped = 0; unmapped < 2; unmapped++)
    for (int target = 0; target < OPERATIONS; target++)
      for (int n = 0; read_with_fault(path, rows, target, n, unmapped);) n++;
}

static void reading_fails_cleanly(void **state) {
  (void)state;
  for (size_t i = 0; test_file_name(i); i++) {
    char path[256];
    write_test_file(i, &data, path);
    sweep(path, data.rows);
    remove_test_file(path);
  }
}

/* An unreadable file is an input error (CRD_EINPUT); a failure of the system is not. */
static void unreadable_files_are_input(void **state) {
  (void)state;
  static const struct {
    int reason;
    crd_status status;
  } rows[] = {
    { ENOENT, CRD_EINPUT }, { EACCES, CRD_EINPUT },  { EPERM, CRD_EINPUT },
    { ELOOP, CRD_EINPUT },  { ENOTDIR, CRD_EINPUT }, { ENAMETOOLONG, CRD_EINPUT },
    { ENXIO, CRD_EINPUT },  { EMFILE, CRD_ESYSTEM }, { ENFILE, CRD_ESYSTEM },
    { EIO, CRD_ESYSTEM },   { ENOMEM, CRD_ESYSTEM },
  };
  for (size_t i = 0; test_file_name(i); i++) {
    char path[256];
    write_test_file(i, &data, path);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      crd_context *const ctx = faulty_context(OPEN, 0, rows[r].reason);
      crd_predictions *p = NULL;
      assert_int_equal(open_test_file(ctx, path, &p), rows[r].status);
      assert_non_null(strstr(crd_context_message(ctx), strerror(rows[r].reason)));
      crd_context_destroy(ctx);
    }
    remove_test_file(path);
  }
}

/* Several files as one: the fault is in either, and the other is closed. */
static void reading_several_fails_cleanly(void **state) {
  char paths[2][256], pattern[256];
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    FILE *const file = fopen(temporary_path(paths[i], i ? "shard-2.csv" : "shard-1.csv"), "w");
    assert_non_null(file);
    fputs("p0,p1,label\n.7,.3,0\n.2,.8,1\n", file);
    fclose(file);
  }
  snprintf(pattern, sizeof pattern, "%.*s?.csv", (int)strlen(paths[0]) - 5, paths[0]);
  sweep(pattern, 4);
  assert_true(read_with_fault(pattern, 4, OPEN, 1, false)); /* the second file */
  for (size_t i = 0; i < 2; i++) unlink(paths[i]);
}

/* Read-only formats. */
static void reading_others_fails_cleanly(void **state) {
  static const struct {
    const char *path;
    size_t rows;
  } files[] = {
    { CREDENCE_SOURCE "/tests/torch/dict.pt", 4 },
    { CREDENCE_SOURCE "/tests/torch/dict.legacy.pt", 4 },
    { CREDENCE_SOURCE "/tests/fuzz/corpus/fuzz_jsonl/by_class", 2 },
  };
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) sweep(files[i].path, files[i].rows);
}

/* A file that is opened and then found invalid is closed again, whichever function opened it. */
static void invalid_files_are_closed(void **state) {
  static const char *const unfit[] = { "/", "/dev/null", "/nonexistent/file", CREDENCE_SOURCE,
                                       (CREDENCE_SOURCE "/CMakeLists.txt") };
  crd_context *const ctx = test_context();
  const size_t descriptors = open_descriptors();
  (void)state;
  for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
    crd_predictions *p = NULL;
    crd_evidence *e = NULL;
    crd_calibrator *c = NULL;
    crd_model *m = NULL;
    crd_array_file *a = NULL;
    crd_stored *s = NULL;
    const crd_run *r = NULL;
    assert_int_not_equal(crd_predictions_open(ctx, unfit[i], NULL, &p), CRD_OK);
    assert_int_not_equal(crd_evidence_load(ctx, unfit[i], &e), CRD_OK);
    assert_int_not_equal(crd_calibrator_load(ctx, unfit[i], &c), CRD_OK);
    assert_int_not_equal(crd_model_open(ctx, unfit[i], &m), CRD_OK);
    assert_int_not_equal(crd_array_file_open(ctx, unfit[i], &a), CRD_OK);
    assert_int_not_equal(crd_stored_load(ctx, unfit[i], &s), CRD_OK);
    assert_int_not_equal(crd_run_load(ctx, unfit[i], &r), CRD_OK);
    if (open_descriptors() != descriptors) fail_msg("%s stays open", unfit[i]);
  }
  crd_context_destroy(ctx);
}

static char folder[256], target_file[300];

static size_t files_in_folder(void) {
  size_t count = 0;
  DIR *const dir = opendir(folder);
  for (const struct dirent *e; (e = readdir(dir));) count += e->d_name[0] != '.';
  closedir(dir);
  return count;
}

static void read_back(char *text, size_t size) {
  FILE *const file = fopen(target_file, "r");
  assert_non_null(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

static void writing_leaves_the_old_file(void **state) {
  (void)state;
  static char text[1000], found[1100];
  memset(text, 'n', sizeof text - 1);
  assert_int_equal(mkdir(temporary_path(folder, "folder"), 0777), 0);
  snprintf(target_file, sizeof target_file, "%s/file", folder);
  for (int target = 0; target < OPERATIONS; target++)
    for (int n = 0;; n++) {
      const size_t descriptors = open_descriptors();
      FILE *const old = fopen(target_file, "w");
      fputs("old", old);
      fclose(old);
      crd_context *const ctx = faulty_context(target, n, ENOSPC);
      crd_output *output = NULL;
      crd_status status = crd_output_open(ctx, target_file, &output);
      if (status == CRD_OK) status = crd_output_write(ctx, output, text, sizeof text - 1);
      if (status == CRD_OK) status = crd_output_commit(ctx, output);
      else crd_output_discard(output);
      assert_int_equal(files_in_folder(), 1);
      read_back(found, sizeof found);
      assert_string_equal(found, status == CRD_OK ? text : "old");
      assert_int_equal(status, fault.reached ? CRD_ESYSTEM : CRD_OK);
      if (fault.reached) assert_non_null(strstr(crd_context_message(ctx), target_file));
      crd_context_destroy(ctx);
      assert_int_equal(open_descriptors(), descriptors);
      if (fault.reached) continue;
      assert_true(n > 0 || target == READ || target == MAP); /* all others must be called */
      break;
    }
  unlink(target_file);
  rmdir(folder);
}

/* Two new files that belong together: after any failure neither exists. */
static void two_files_or_none(void **state) {
  char paths[2][300];
  (void)state;
  assert_int_equal(mkdir(temporary_path(folder, "two"), 0777), 0);
  for (int i = 0; i < 2; i++) snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
  for (int target = 0; target < OPERATIONS; target++)
    for (int n = 0;; n++) {
      const size_t descriptors = open_descriptors();
      crd_context *const ctx = faulty_context(target, n, ENOSPC);
      crd_output *outputs[2] = { NULL, NULL };
      crd_status status = CRD_OK;
      for (int i = 0; i < 2 && status == CRD_OK; i++) {
        status = crd_output_open(ctx, paths[i], &outputs[i]);
        if (status == CRD_OK) status = crd_output_write(ctx, outputs[i], "new", 3);
      }
      if (status == CRD_OK) status = crd_output_commit_both(ctx, outputs[0], outputs[1]);
      else
        for (int i = 0; i < 2; i++) crd_output_discard(outputs[i]);
      assert_int_equal(status, fault.reached ? CRD_ESYSTEM : CRD_OK);
      assert_int_equal(files_in_folder(), status == CRD_OK ? 2 : 0);
      crd_context_destroy(ctx);
      assert_int_equal(open_descriptors(), descriptors);
      for (int i = 0; i < 2; i++) unlink(paths[i]);
      if (!fault.reached) break;
    }
  rmdir(folder);
}

static int set_up(void **state) {
  (void)state;
  data = make_data(
      (test_recipe){ .rows = 40, .classes = 3, .seed = 50, .spread = 2, .accuracy = 0.7 });
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  free_data(&data);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reading_fails_cleanly),         cmocka_unit_test(unreadable_files_are_input),
    cmocka_unit_test(reading_others_fails_cleanly),  cmocka_unit_test(invalid_files_are_closed),
    cmocka_unit_test(writing_leaves_the_old_file),   cmocka_unit_test(two_files_or_none),
    cmocka_unit_test(reading_several_fails_cleanly),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
