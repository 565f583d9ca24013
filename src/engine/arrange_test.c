/* arrange_test.c -- offset assignment against its definition, over many random lifetimes. */
#include "engine/plan_private.h"

#include "support.h"

#include <stdlib.h>

enum { BUFFERS = 80 };

static size_t rounded(size_t bytes) {
  return (bytes + CRD__ALIGNMENT - 1) / CRD__ALIGNMENT * CRD__ALIGNMENT;
}

static bool together(const crd__engine_buffer *a, const crd__engine_buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

static bool clash(const crd__engine_buffer *a, const crd__engine_buffer *b) {
  return together(a, b) && a->offset < b->offset + rounded(b->bytes) &&
         b->offset < a->offset + rounded(a->bytes);
}

/* Largest first, the earlier one of equals; each at the lowest aligned offset without a
 * conflict. */
static size_t place_by_definition(crd__engine_buffer *buffers) {
  bool placed[BUFFERS] = { false };
  size_t end = CRD__ALIGNMENT;
  for (;;) {
    size_t next = BUFFERS;
    for (size_t i = 0; i < BUFFERS; i++)
      if (!placed[i] && !buffers[i].fixed && buffers[i].first <= buffers[i].last &&
          (next == BUFFERS || buffers[i].bytes > buffers[next].bytes))
        next = i;
    if (next == BUFFERS) return end;
    bool free = false;
    for (buffers[next].offset = 0; !free; buffers[next].offset += free ? 0 : CRD__ALIGNMENT) {
      free = true;
      for (size_t i = 0; free && i < BUFFERS; i++)
        free = !placed[i] || !clash(&buffers[i], &buffers[next]);
    }
    placed[next] = true;
    if (buffers[next].offset + rounded(buffers[next].bytes) > end)
      end = buffers[next].offset + rounded(buffers[next].bytes);
  }
}

static void offsets_are_those_of_the_definition(void **state) {
  static char constant[1];
  for (unsigned seed = 1; seed <= 8; seed++) {
    crd__engine_buffer buffers[BUFFERS], expected[BUFFERS];
    const unsigned longest = seed % 4 == 0 ? 300 : seed % 4 == 1 ? 3 : 40;
    srand(seed);
    for (size_t i = 0; i < BUFFERS; i++) {
      const int first = rand() % 300;
      buffers[i] =
          (crd__engine_buffer){ .bytes = (size_t)(rand() % 1500 + (rand() % 7 == 0 ? 0 : 1)),
                                .first = first,
                                .last = first + rand() % (int)longest,
                                .fixed = rand() % 9 == 0 ? constant : NULL };
      if (rand() % 11 == 0) buffers[i].last = first - 1; /* no step uses it */
      expected[i] = buffers[i];
    }
    crd__engine_plan plan = { .buffer_count = BUFFERS, .buffers = buffers };
    assert_int_equal(crd__engine_plan_arrange(*state, &plan), CRD_OK);
    assert_int_equal(plan.bytes, place_by_definition(expected));
    for (size_t i = 0; i < BUFFERS; i++) assert_int_equal(buffers[i].offset, expected[i].offset);
  }
}

static void nothing_needs_no_place(void **state) {
  crd__engine_plan plan = { 0 };
  assert_int_equal(crd__engine_plan_arrange(*state, &plan), CRD_OK);
  assert_int_equal(plan.bytes, CRD__ALIGNMENT);
}

static void it_can_be_interrupted(void **state) {
  crd__engine_buffer buffer = { .bytes = 8, .last = 3 };
  crd__engine_plan plan = { .buffer_count = 1, .buffers = &buffer };
  (void)state;
  crd_context *const ctx = test_context();
  crd_context_interrupt(ctx);
  assert_int_equal(crd__engine_plan_arrange(ctx, &plan), CRD_EINTERRUPTED);
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(offsets_are_those_of_the_definition),
    cmocka_unit_test(nothing_needs_no_place),
    cmocka_unit_test(it_can_be_interrupted),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
