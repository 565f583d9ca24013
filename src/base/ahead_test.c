/* ahead_test.c -- pieces in order, once each, whatever the number of threads; failures; seeking. */
#include "base/ahead.h"
#include "base/memory.h"
#include "base/random.h"
#include "support.h"

#include <string.h>

enum { SLOTS = 3, WIDTH = 64 };

typedef struct {
  uint64_t values[SLOTS][WIDTH];
  atomic_size_t users[SLOTS];   /* threads that write a slot now */
  atomic_size_t by_worker[16];  /* threads that use a worker's number now */
  atomic_uint_fast64_t failing; /* this piece fails */
  atomic_size_t failures;       /* that many times */
  atomic_size_t made;
  atomic_bool shared; /* something was used by two threads at once */
  bool patient;       /* pieces last until they are no longer wanted */
} pieces;

static crd_status fill(crd_context *local, void *arg, unsigned worker, uint64_t number,
                       size_t slot) {
  pieces *const p = arg;
  if (atomic_fetch_add(&p->users[slot], 1) || atomic_fetch_add(&p->by_worker[worker], 1))
    atomic_store(&p->shared, true);
  atomic_fetch_add(&p->made, 1);
  for (size_t i = 0; i < WIDTH; i++) p->values[slot][i] = crd__random_bits(number, 0, i);
  while (p->patient && !crd__interrupted(local)) continue;
  atomic_fetch_sub(&p->users[slot], 1);
  atomic_fetch_sub(&p->by_worker[worker], 1);
  if (atomic_load(&p->failing) != number || !atomic_load(&p->failures)) return CRD_OK;
  atomic_fetch_sub(&p->failures, 1);
  return crd__fail(local, CRD_EINPUT, "piece %u", (unsigned)number);
}

static crd__ahead *started(crd_context *ctx, unsigned workers, pieces *p) {
  crd__ahead *ahead;
  assert_int_equal(crd__ahead_create(ctx, workers, SLOTS, fill, p, &ahead), CRD_OK);
  return ahead;
}

static void expect(crd_context *ctx, crd__ahead *ahead, pieces *p, uint64_t number) {
  size_t slot;
  assert_int_equal(crd__ahead_next(ctx, ahead, &slot), CRD_OK);
  for (unsigned again = 0; again < 3; again++) /* it stays as it is while it is ours */
    for (size_t i = 0; i < WIDTH; i++)
      assert_true(p->values[slot][i] == crd__random_bits(number, 0, i));
}

static void pieces_come_in_order(void **state) {
  for (unsigned workers = 0; workers <= 4; workers++) {
    pieces p = { .failures = 0 };
    crd__ahead *const ahead = started(*state, workers, &p);
    for (uint64_t n = 0; n < 500; n++) expect(*state, ahead, &p, n);
    crd__ahead_destroy(ahead);
    assert_false(atomic_load(&p.shared));
    assert_in_range(atomic_load(&p.made), 500, 500 + SLOTS);
  }
}

static void the_lowest_failure_is_reported(void **state) {
  crd_context *const ctx = *state;
  for (unsigned workers = 0; workers <= 4; workers++) {
    pieces p = { .failing = 5, .failures = 2 };
    crd__ahead *const ahead = started(ctx, workers, &p);
    size_t slot;
    for (uint64_t n = 0; n < 5; n++) expect(ctx, ahead, &p, n);
    for (size_t again = 0; again < 2; again++) {
      assert_int_equal(crd__ahead_next(ctx, ahead, &slot), CRD_EINPUT);
      assert_string_equal(crd_context_message(ctx), "piece 5");
    }
    for (uint64_t n = 5; n < 50; n++) expect(ctx, ahead, &p, n);
    crd__ahead_destroy(ahead);
    assert_false(atomic_load(&p.shared));
  }
}

static void seeking_gives_every_slot_back(void **state) {
  for (unsigned workers = 0; workers <= 3; workers++) {
    pieces p = { .failures = 0 };
    crd__ahead *const ahead = started(*state, workers, &p);
    static const uint64_t places[] = { 0, 7, 1000000007, 3, 3, UINT64_C(1) << 40, 2 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      crd__ahead_seek(ahead, places[i]);
      for (uint64_t n = 0; n < i + 1; n++) expect(*state, ahead, &p, places[i] + n);
    }
    crd__ahead_destroy(ahead);
    assert_false(atomic_load(&p.shared));
  }
}

/* Workers stop when their pieces are not wanted any more, or this test does not end. */
static void unwanted_pieces_end(void **state) {
  pieces p = { .patient = true };
  crd__ahead *const ahead = started(*state, 2, &p);
  crd__ahead_seek(ahead, 9);
  crd__ahead_destroy(ahead);
  crd__ahead_destroy(NULL);
}

static void a_wish_is_granted(void **state) {
  crd_context *const ctx = *state;
  assert_int_equal(crd__ahead_workers(ctx, 3), 3);
  assert_int_equal(crd__ahead_workers(ctx, 1000), 64);
  for (unsigned threads = 1; threads <= 100; threads++) {
    crd_context_set_threads(ctx, threads);
    const unsigned chosen = crd__ahead_workers(ctx, 0);
    assert_int_equal(chosen, threads < 8 ? 1 : threads / 4 < 8 ? threads / 4 : 8);
  }
  crd_context_set_threads(ctx, 0);
}

static void memory_may_run_out(void **state) {
  (void)state;
  for (long at = 1;; at++) {
    test_allocator counter = { .fail_at = at };
    const crd_allocator alloc = failing_allocator(&counter);
    pieces p = { .failures = 0 };
    crd_context *ctx;
    crd__ahead *ahead;
    assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
    const crd_status status = crd__ahead_create(ctx, 2, SLOTS, fill, &p, &ahead);
    const bool reached = counter.calls > at;
    assert_int_equal(status, reached ? CRD_ENOMEM : CRD_OK);
    crd__ahead_destroy(ahead);
    crd_context_destroy(ctx);
    assert_int_equal(counter.live, 0);
    if (!reached) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pieces_come_in_order),
    cmocka_unit_test(the_lowest_failure_is_reported),
    cmocka_unit_test(seeking_gives_every_slot_back),
    cmocka_unit_test(unwanted_pieces_end),
    cmocka_unit_test(a_wish_is_granted),
    cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
