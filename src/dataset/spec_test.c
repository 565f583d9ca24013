/* spec_test.c -- names of datasets: what they mean, what is refused, and existing files. */
#include "dataset/spec.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const char *data;
  const char *kind; /* NULL: a file */
  const char *path; /* NULL: none */
  const char *splits[3];
  double part[2];  /* both 0: none */
  int64_t rows[2]; /* -1: not given */
  const char *corruption;
  unsigned severity;
} meaning;

#define ALL .rows = { -1, -1 }
static const meaning meanings[] = {
  { "synthetic:line", "synthetic:line", NULL, ALL },
  { "synthetic:line#train", "synthetic:line", NULL, { "train" }, ALL },
  { "synthetic:line#train+test", "synthetic:line", NULL, { "train", "test" }, ALL },
  { "synthetic:line:rows=5#val", "synthetic:line", "rows=5", { "val" }, ALL },
  { "synthetic:line%70:80", "synthetic:line", NULL, .part = { 70, 80 }, ALL },
  { "synthetic:line%12.5:", "synthetic:line", NULL, .part = { 12.5, 100 }, ALL },
  { "synthetic:line%:0.5", "synthetic:line", NULL, .part = { 0, 0.5 }, ALL },
  { "synthetic:line@3:10", "synthetic:line", NULL, .rows = { 3, 10 } },
  { "synthetic:line@3:", "synthetic:line", NULL, .rows = { 3, -1 } },
  { "synthetic:line@:10", "synthetic:line", NULL, .rows = { -1, 10 } },
  { "synthetic:line~brightness=3", "synthetic:line", NULL, ALL, .corruption = "brightness", 3 },
  { "synthetic:line:seed=1#test+val%0:10@0:5~brightness=5",
    "synthetic:line",
    "seed=1",
    { "test", "val" },
    { 0, 10 },
    { 0, 5 },
    "brightness",
    5 },
  { "missing/file.npz", NULL, "missing/file.npz", ALL },
  { "missing.npz#val@2:3", NULL, "missing.npz", { "val" }, .rows = { 2, 3 } },
  { "missing.npz#a+b%20:30", NULL, "missing.npz", { "a+b" }, { 20, 30 }, ALL },
  { "-", NULL, "-", ALL },
};

static void check_rows(const meaning *m, const crd__dataset_spec *s) {
  assert_int_equal(s->has_from, m->rows[0] >= 0);
  assert_int_equal(s->has_to, m->rows[1] >= 0);
  if (s->has_from) assert_int_equal(s->from, m->rows[0]);
  if (s->has_to) assert_int_equal(s->to, m->rows[1]);
}

static void names_have_meanings(void **state) {
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
    const meaning *const m = &meanings[i];
    crd__dataset_spec s;
    if (crd__dataset_spec_parse(ctx, m->data, &s) != CRD_OK)
      fail_msg("%s: %s", m->data, crd_context_message(ctx));
    if (!m->kind) assert_null(s.kind);
    else assert_string_equal(s.kind->info.name, m->kind);
    if (!m->path) assert_null(s.path);
    else assert_string_equal(s.path, m->path);
    size_t splits = 0;
    for (; splits < 3 && m->splits[splits]; splits++)
      assert_string_equal(s.splits[splits], m->splits[splits]);
    assert_int_equal(s.split_count, splits);
    assert_int_equal(s.has_part, m->part[1] > 0);
    if (s.has_part) assert_true(s.part_from == m->part[0] && s.part_to == m->part[1]);
    check_rows(m, &s);
    if (!m->corruption) assert_null(s.corruption);
    else assert_string_equal(s.corruption->info.name, m->corruption);
    assert_int_equal(s.severity, m->severity);
    crd__dataset_spec_clear(&ctx->alloc, &s);
  }
}

static const struct {
  const char *data, *message;
} refusals[] = {
  { "synthetic:lime",
    "synthetic:lime: no such file, and no kind of dataset is called 'synthetic:lime'; did you mean "
    "'synthetic:line'?" },
  { "synthetic:linex#train", "did you mean 'synthetic:line'?" },
  { "wordwithoutdot", "no kind of dataset is called 'wordwithoutdot'; crd_dataset_kind_at lists" },
  { "nokind:path/x.csv#train", "no kind of dataset is called 'nokind'" },
  { "", "found no dataset" },
  { "#train", "found no dataset" },
  { "/tmp", "/tmp is a folder; expected KIND:PATH, as in folder:/tmp" },
  { "synthetic:line:", "found no path after 'synthetic:line:'" },
  { "synthetic:line#", "found no name after '#' or '+'" },
  { "synthetic:line#train+", "found no name after '#' or '+'" },
  { "synthetic:line#train+train", "split 'train' is named twice" },
  { "synthetic:line#trian", "found split 'trian', allowed are train val test" },
  { "synthetic:line#trai", "found split 'trai', allowed are train val test" },
  { "synthetic:line%80:70", "found '80:70' after '%'" },
  { "synthetic:line%70:70", "found '70:70' after '%'" },
  { "synthetic:line%-1:70", "found '-1:70' after '%'" },
  { "synthetic:line%0:101", "found '0:101' after '%'" },
  { "synthetic:line%:", "found ':' after '%'" },
  { "synthetic:line%10", "found '10' after '%'" },
  { "synthetic:line%1:2:3", "found '1:2:3' after '%'" },
  { "synthetic:line@", "found '' after '@'" },
  { "synthetic:line@5", "found '5' after '@'" },
  { "synthetic:line@a:b", "found 'a:b' after '@'" },
  { "synthetic:line@99999999999999999999:", "found '99999999999999999999:' after '@'" },
  { "synthetic:line~fog", "found 'fog' after '~', expected CORRUPTION=SEVERITY" },
  { "synthetic:line~=3", "found '=3' after '~'" },
  { "synthetic:line~brightnes=3", "did you mean 'brightness'?" },
  { "synthetic:line~brightness=6", "found severity '6', allowed are 1 to 5" },
  { "synthetic:line~brightness=0", "found severity '0', allowed are 1 to 5" },
  { "synthetic:line@0:5%10:20", "found '0:5%10:20' after '@'" },
  { "synthetic:line~brightness=3@0:5", "found severity '3@0:5'" },
  { "synthetic:line@0:5@0:5", "expected [#SPLIT[+SPLIT]]" },
};

static void others_are_refused(void **state) {
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    crd__dataset_spec s;
    const crd_status status = crd__dataset_spec_parse(ctx, refusals[i].data, &s);
    crd__dataset_spec_clear(&ctx->alloc, &s);
    if (status != CRD_EUSAGE) fail_msg("'%s' is not refused", refusals[i].data);
    if (!strstr(crd_context_message(ctx), refusals[i].message))
      fail_msg("'%s': %s", refusals[i].data, crd_context_message(ctx));
  }
}

static void existing_files_win(void **state) {
  crd_context *const ctx = *state;
  static const struct {
    const char *file, *data, *group;
  } cases[] = {
    { "synthetic:line", "synthetic:line", NULL },
    { "synthetic:line#train", "synthetic:line#train@0:5", NULL },
    { "a~b=3", "a~b=3", NULL },
    { "a%10:20", "a%10:20@0:5", NULL },
    { "word", "word#train", "train" },
    { "nokind:x", "nokind:x%10:20", NULL },
    { "me@home#1.npz", "me@home#1.npz#train@0:5", "train" },
  };
  char folder[256], before[1024];
  assert_non_null(getcwd(before, sizeof before));
  temporary_path(folder, "spec");
  remove(folder);
  assert_non_null(mkdtemp(strcat(folder, "XXXXXX")));
  assert_int_equal(chdir(folder), 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__dataset_spec s;
    FILE *const file = fopen(cases[i].file, "w");
    assert_non_null(file);
    fclose(file);
    if (crd__dataset_spec_parse(ctx, cases[i].data, &s) != CRD_OK)
      fail_msg("%s: %s", cases[i].data, crd_context_message(ctx));
    assert_null(s.kind);
    assert_string_equal(s.path, cases[i].file);
    assert_int_equal(s.split_count, cases[i].group != NULL);
    crd__dataset_spec_clear(&ctx->alloc, &s);
    remove(cases[i].file);
  }
  assert_int_equal(chdir(before), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* A folder's name is a path of a kind, and nothing else. */
static void existing_folders_are_paths(void **state) {
  crd_context *const ctx = *state;
  char folder[200], data[256];
  crd__dataset_spec s;
  assert_true(snprintf(folder, sizeof folder, "/tmp/synthetic:line@%ld#x", (long)getpid()) > 0);
  assert_non_null(mkdtemp(strcat(folder, "XXXXXX")));
  snprintf(data, sizeof data, "synthetic:line:%s#test@0:5", folder);
  assert_int_equal(crd__dataset_spec_parse(ctx, data, &s), CRD_OK);
  assert_string_equal(s.path, folder);
  assert_int_equal(s.split_count, 1);
  assert_true(s.has_to && s.to == 5);
  crd__dataset_spec_clear(&ctx->alloc, &s);
  snprintf(data, sizeof data, "%s", folder);
  assert_int_equal(crd__dataset_spec_parse(ctx, data, &s), CRD_EUSAGE);
  crd__dataset_spec_clear(&ctx->alloc, &s);
  assert_int_equal(rmdir(folder), 0);
}

static void memory_may_run_out(void **state) {
  (void)state;
  test_allocator counter = { .fail_at = 1 };
  const crd_allocator alloc = failing_allocator(&counter);
  crd_context *ctx;
  crd__dataset_spec s;
  assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
  assert_int_equal(crd__dataset_spec_parse(ctx, "synthetic:line", &s), CRD_ENOMEM);
  crd__dataset_spec_clear(&alloc, &s);
  crd_context_destroy(ctx);
  assert_int_equal(counter.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_have_meanings), cmocka_unit_test(others_are_refused),
    cmocka_unit_test(existing_files_win),  cmocka_unit_test(existing_folders_are_paths),
    cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
