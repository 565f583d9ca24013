/* contestants_test.c -- lists of methods, and methods with too many parameters. */
#include "support.h"

#include "base/memory.h"
#include "contest/contest.h"

#include <string.h>

typedef struct {
  crd__contest_contestant *items;
  size_t count;
  crd__text note;
} field;

static field enter(crd_context *ctx, const char *list, size_t classes, size_t rows) {
  const crd__contest_fit_size size = { .classes = classes, .rows = rows };
  const crd_contest_options options = { .size = sizeof options, .methods = list };
  field f = { 0 };
  crd__text_init(&f.note, &ctx->alloc);
  if (crd__contest_contestants_read(ctx, &options, &size, &f.note, &f.items, &f.count) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  assert_string_equal(f.items[0].name, "identity");
  return f;
}

static void leave(crd_context *ctx, field *f) {
  crd__contest_contestants_free(&ctx->alloc, f->items, f->count);
  crd__text_clear(&f->note);
}

static bool takes_part(const field *f, const char *name) {
  for (size_t i = 0; i < f->count; i++)
    if (strcmp(f->items[i].name, name) == 0) return true;
  return false;
}

/* With 200000 classes only methods whose parameters are shared by all classes are fitted. */
static void too_many_parameters_are_left_out(void **state) {
  crd_context *const ctx = *state;
  field f = enter(ctx, NULL, 200000, 25);
  assert_true(takes_part(&f, "temperature") && takes_part(&f, "ensemble-temperature"));
  assert_false(takes_part(&f, "vector") || takes_part(&f, "platt") || takes_part(&f, "isotonic"));
  assert_non_null(f.note.bytes);
  assert_non_null(strstr(f.note.bytes, "more parameters than the 25 rows to fit them on: "));
  assert_non_null(strstr(f.note.bytes, "vector (400000)"));
  assert_non_null(strstr(f.note.bytes, "platt (400000)"));
  leave(ctx, &f);
  f = enter(ctx, "all", 200000, 25);
  assert_false(takes_part(&f, "matrix") || takes_part(&f, "dirichlet-odir"));
  assert_non_null(strstr(f.note.bytes, "matrix (40000200000)"));
  leave(ctx, &f);
}

static void as_many_parameters_as_rows_are_fitted(void **state) {
  crd_context *const ctx = *state;
  field enough = enter(ctx, NULL, 30, 60), fewer = enter(ctx, NULL, 30, 59);
  assert_true(takes_part(&enough, "vector") && takes_part(&enough, "platt"));
  assert_false(takes_part(&enough, "dirichlet-odir"));
  assert_non_null(strstr(enough.note.bytes, "dirichlet-odir (932)"));
  assert_false(takes_part(&fewer, "vector") || takes_part(&fewer, "platt"));
  leave(ctx, &enough);
  leave(ctx, &fewer);
  enough = enter(ctx, NULL, 30, 932);
  assert_true(takes_part(&enough, "dirichlet-odir"));
  assert_int_equal(enough.note.length, 0);
  leave(ctx, &enough);
}

/* With two classes, and with confidence pairs (no classes), a method fits one event. */
static void events_are_counted(void **state) {
  crd_context *const ctx = *state;
  static const size_t classes[] = { 0, 2 };
  for (size_t i = 0; i < 2; i++) {
    field two = enter(ctx, NULL, classes[i], 2), one = enter(ctx, NULL, classes[i], 1);
    assert_true(takes_part(&two, "platt"));
    assert_false(takes_part(&one, "platt"));
    assert_non_null(strstr(one.note.bytes, "the 1 row to fit"));
    assert_non_null(strstr(one.note.bytes, "platt (2)"));
    leave(ctx, &two);
    leave(ctx, &one);
  }
}

static void named_methods_are_fitted(void **state) {
  crd_context *const ctx = *state;
  field f = enter(ctx, "vector,platt(scope=top-1)", 1000, 10);
  assert_int_equal(f.count, 3);
  assert_true(takes_part(&f, "vector") && takes_part(&f, "platt(scope=top-1)"));
  assert_int_equal(f.note.length, 0);
  leave(ctx, &f);
}

/* The note is in the table; with folds it counts the rows of all folds but one. */
static void contests_say_who_was_left_out(void **state) {
  crd_context *const ctx = *state;
  test_data data =
      make_data((test_recipe){ .rows = 80, .classes = 35, .seed = 4, .spread = 3, .accuracy = .6 });
  crd_predictions *const p = data_predictions(ctx, &data, 0, data.rows);
  const crd_contest *contest = NULL;
  if (crd_contest_folds(ctx, p, 4, NULL, &contest) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  assert_int_equal(contest->note_count, 1);
  assert_non_null(strstr(contest->notes[0], "the 60 rows"));
  assert_non_null(strstr(contest->notes[0], "vector (70)"));
  for (size_t i = 0; i < contest->count; i++) {
    assert_null(contest->candidates[i].failure);
    assert_string_not_equal(contest->candidates[i].name, "vector");
  }
  crd_contest_destroy(contest);
  crd_predictions_destroy(p);
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(too_many_parameters_are_left_out),
    cmocka_unit_test(as_many_parameters_as_rows_are_fitted),
    cmocka_unit_test(events_are_counted),
    cmocka_unit_test(named_methods_are_fitted),
    cmocka_unit_test(contests_say_who_was_left_out),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
