/* arena_test.c -- objects that are freed at once, with their texts, growing arrays and parts. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/text.h"
#include "support.h"

#include <stdint.h>
#include <string.h>

static char order[8];

static void note_order(const void *part) { strncat(order, part, 1); }

static void everything_is_freed(void **state) {
  test_allocator counts = { .fail_at = -1 };
  const crd_allocator alloc = failing_allocator(&counts);
  crd_context *ctx;
  crd__notes notes = { 0 };
  (void)state;
  assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
  const long before = counts.live;
  struct {
    const char *name;
    double *values;
  } * object;
  assert_int_equal(crd__arena_new(ctx, sizeof *object, "an object", &object), CRD_OK);
  assert_null(object->name);
  assert_int_equal(crd__arena_add(ctx, object, 3, sizeof(double), "values", &object->values),
                   CRD_OK);
  assert_true(object->values[0] == 0 && object->values[2] == 0);
  assert_true((uintptr_t)object->values % _Alignof(max_align_t) == 0);
  assert_int_equal(crd__arena_text(ctx, object, "a name", &object->name), CRD_OK);
  assert_string_equal(object->name, "a name");
  assert_int_equal(crd__arena_text(ctx, object, NULL, &object->name), CRD_OK);
  assert_null(object->name);
  for (int i = 0; i < 20; i++)
    assert_int_equal(crd__notes_add(ctx, crd__arena_allocator(object), &notes, "note %d", i),
                     CRD_OK);
  assert_string_equal(notes.items[19], "note 19");
  assert_true(counts.live > before);
  crd__arena_free(object);
  assert_int_equal(counts.live, before);
  crd__arena_free(NULL);
  crd_context_destroy(ctx);
}

/* Memory moves when it grows, and may be freed before the object, in any order. */
static void the_list_survives_changes(void **state) {
  crd_context *const ctx = *state;
  enum { COUNT = 5 };
  char *pieces[COUNT], *object;
  assert_int_equal(crd__arena_new(ctx, 1, "an object", &object), CRD_OK);
  const crd_allocator *const alloc = crd__arena_allocator(object);
  for (size_t i = 0; i < COUNT; i++) {
    pieces[i] = crd__calloc(alloc, 1, 1);
    assert_non_null(pieces[i]);
    *pieces[i] = (char)('a' + i);
  }
  for (size_t bytes = 2; bytes < 100000; bytes *= 7)
    for (size_t i = 0; i < COUNT; i++) {
      pieces[i] = crd__resize(alloc, pieces[i], bytes, 1);
      assert_non_null(pieces[i]);
      assert_int_equal(*pieces[i], 'a' + i);
    }
  crd__free(alloc, pieces[2]);
  crd__free(alloc, pieces[4]);
  crd__free(alloc, pieces[0]);
  assert_null(crd__resize(alloc, NULL, SIZE_MAX - 8, 1));
  assert_int_equal(*pieces[1], 'b');
  crd__arena_free(object);
}

static void parts_are_destroyed_once_and_in_reverse(void **state) {
  test_allocator counts = { .fail_at = -1 };
  const crd_allocator alloc = failing_allocator(&counts);
  crd_context *ctx;
  char *object, *values;
  (void)state;
  *order = '\0';
  assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
  assert_int_equal(crd__arena_new(ctx, 1, "an object", &object), CRD_OK);
  assert_int_equal(crd__arena_keep(ctx, object, "1", note_order), CRD_OK);
  assert_int_equal(crd__arena_keep(ctx, object, NULL, note_order), CRD_OK);
  assert_int_equal(crd__arena_keep(ctx, object, "2", note_order), CRD_OK);
  assert_string_equal(order, "");
  counts.fail_at = counts.calls;
  assert_int_equal(crd__arena_keep(ctx, object, "3", note_order), CRD_ENOMEM);
  assert_string_equal(order, "3"); /* at once */
  assert_int_equal(crd__arena_add(ctx, object, SIZE_MAX, 2, "values", &values), CRD_ENOMEM);
  assert_null(values);
  assert_non_null(strstr(crd_context_message(ctx), "no memory for values"));
  crd__arena_free(object);
  assert_string_equal(order, "321");
  crd_context_destroy(ctx);
  assert_int_equal(counts.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(everything_is_freed),
    cmocka_unit_test(the_list_survives_changes),
    cmocka_unit_test(parts_are_destroyed_once_and_in_reverse),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
