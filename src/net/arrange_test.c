/* arrange_test.c -- offsets beside those of plain loops over all pairs; long chains; interruption.
 */
#include "support.h"

#include "base/context.h"
#include "net/plan_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t rounded(size_t bytes) {
  return (bytes + CRD__ALIGNMENT - 1) / CRD__ALIGNMENT * CRD__ALIGNMENT;
}

static bool in_block(const crd__buffer *b) { return !b->fixed && b->first <= b->last; }

/* Is [at, at + bytes) free of all buffers that were placed and overlap in time? */
static bool is_free(const crd__buffer *buffers, const bool *placed, size_t count, size_t mine,
                    size_t at) {
  const crd__buffer *const m = &buffers[mine];
  for (size_t i = 0; i < count; i++) {
    const crd__buffer *const b = &buffers[i];
    if (!placed[i] || b->first > m->last || m->first > b->last) continue;
    if (at < b->offset + rounded(b->bytes) && b->offset < at + rounded(m->bytes)) return false;
  }
  return true;
}

/* Largest first, the earlier of equals; each at the lowest multiple of the alignment. */
static size_t arrange_plainly(crd__buffer *buffers, size_t count) {
  bool placed[64] = { false };
  size_t bytes = CRD__ALIGNMENT;
  for (;;) {
    size_t next = count;
    for (size_t i = 0; i < count; i++)
      if (!placed[i] && in_block(&buffers[i]) &&
          (next == count || buffers[i].bytes > buffers[next].bytes))
        next = i;
    if (next == count) return bytes;
    size_t at = 0;
    while (!is_free(buffers, placed, count, next, at)) at += CRD__ALIGNMENT;
    buffers[next].offset = at;
    placed[next] = true;
    if (at + rounded(buffers[next].bytes) > bytes) bytes = at + rounded(buffers[next].bytes);
  }
}

static void agrees_with_plain_loops(void **state) {
  (void)state;
  crd_context *const ctx = test_context();
  for (unsigned seed = 0; seed < 300; seed++) {
    enum { MOST = 40 };
    crd__buffer buffers[MOST], expected[MOST];
    uint32_t x = 2654435761u * (seed + 1);
    const size_t count = seed % MOST + 1, steps = seed % 23 + 1;
    for (size_t i = 0; i < count; i++) {
      uint32_t draws[4];
      for (size_t k = 0; k < 4; k++) draws[k] = (x = 1664525u * x + 1013904223u) >> 8;
      const int a = (int)(draws[0] % (steps + 1)), b = (int)(draws[1] % (steps + 1));
      buffers[i] = (crd__buffer){ .bytes = 1 + draws[2] % 500, .first = a, .last = b };
      if (draws[3] % 4) buffers[i].last = a + (b > a ? b - a : 0);
      if (draws[3] % 9 == 0) buffers[i].fixed = &buffers[i];
    }
    memcpy(expected, buffers, sizeof buffers);
    crd__plan plan = { .buffers = buffers, .buffer_count = count, .step_count = steps };
    assert_int_equal(crd__plan_arrange(ctx, &plan), CRD_OK);
    assert_int_equal(plan.bytes, arrange_plainly(expected, count));
    for (size_t i = 0; i < count; i++)
      if (in_block(&buffers[i])) assert_int_equal(buffers[i].offset, expected[i].offset);
  }
  crd_context_destroy(ctx);
}

/* A chain: each buffer is written by one step and read by the next. Comparing all pairs would take
 * a minute here. */
static void plans_long_chains(void **state) {
  enum { LONG = 300000, SECONDS = 10 };
  (void)state;
  crd_context *const ctx = test_context();
  crd__buffer *const buffers = calloc(LONG, sizeof *buffers);
  for (int i = 0; i < LONG; i++)
    buffers[i] = (crd__buffer){ .bytes = 64 + 64 * (size_t)(i % 3), .first = i, .last = i + 1 };
  crd__plan plan = { .buffers = buffers, .buffer_count = LONG, .step_count = LONG };
  const clock_t before = clock();
  assert_int_equal(crd__plan_arrange(ctx, &plan), CRD_OK);
  assert_true(clock() - before < (clock_t)SECONDS * CLOCKS_PER_SEC);
  for (int i = 0; i + 1 < LONG; i++)
    assert_true(buffers[i].offset + rounded(buffers[i].bytes) <= buffers[i + 1].offset ||
                buffers[i + 1].offset + rounded(buffers[i + 1].bytes) <= buffers[i].offset);
  crd_context_interrupt(ctx);
  assert_int_equal(crd__plan_arrange(ctx, &plan), CRD_EINTERRUPTED);
  free(buffers);
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(agrees_with_plain_loops),
    cmocka_unit_test(plans_long_chains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
