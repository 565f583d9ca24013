/* parallel_test.c -- every row once, the lowest failure, progress, interrupts, size of chunks. */
#include "base/parallel.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <time.h>

typedef struct {
  unsigned char seen[1000];
  unsigned most; /* workers */
} job;

static crd_status mark(crd_context *local, void *arg, unsigned worker, size_t from, size_t to) {
  job *const j = arg;
  (void)local;
  assert_true(worker < j->most);
  for (size_t i = from; i < to; i++) j->seen[i]++;
  return CRD_OK;
}

static crd_context *context(unsigned threads) {
  crd_context *ctx = NULL;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd_context_set_threads(ctx, threads);
  return ctx;
}

static void every_row_once(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 9; threads += 4) {
    crd_context *const ctx = context(threads);
    job j = { .most = crd__parallel_workers(ctx, 91) };
    assert_int_equal(j.most, threads);
    assert_int_equal(crd__parallel_for(ctx, NULL, 1000, 11, mark, &j), CRD_OK);
    for (size_t i = 0; i < 1000; i++) assert_int_equal(j.seen[i], 1);
    assert_int_equal(crd__parallel_for(ctx, NULL, 0, 11, mark, &j), CRD_OK);
    crd_context_destroy(ctx);
  }
}

/* The first two chunks fail while both are running, the one at `late` after the other. */
typedef struct {
  size_t late;
  atomic_bool started[2];
} race;

static crd_status fail_in_turn(crd_context *local, void *arg, unsigned worker, size_t from,
                               size_t to) {
  race *const r = arg;
  const struct timespec moment = { .tv_nsec = 1000000 }, pause = { .tv_nsec = 30000000 };
  (void)worker;
  (void)to;
  if (from > 10) return CRD_OK;
  atomic_store(&r->started[from / 10], true);
  for (int wait = 0; wait < 5000 && !atomic_load(&r->started[1 - from / 10]); wait++)
    nanosleep(&moment, NULL);
  if (from == r->late) nanosleep(&pause, NULL);
  return crd__fail(local, CRD_EINPUT, "chunk at %zu is bad", from);
}

static void the_lowest_failure_is_reported(void **state) {
  (void)state;
  crd_context *const ctx = context(4);
  for (size_t late = 0; late <= 10; late += 10) {
    race r = { .late = late };
    assert_int_equal(crd__parallel_for(ctx, NULL, 1000, 10, fail_in_turn, &r), CRD_EINPUT);
    assert_string_equal(crd_context_message(ctx), "chunk at 0 is bad");
  }
  crd_context_destroy(ctx);
}

static void watch(void *self, const char *stage, uint64_t done, uint64_t total) {
  assert_string_equal(stage, "marking");
  assert_int_equal(total, 1000);
  assert_true(done > 0 && done <= 1000);
  ++*(int *)self;
}

static void progress_is_reported(void **state) {
  (void)state;
  int calls = 0;
  crd_context *const ctx = context(1);
  crd_context_set_progress(ctx, watch, &calls);
  job j = { .most = 1 };
  assert_int_equal(crd__parallel_for(ctx, "marking", 1000, 100, mark, &j), CRD_OK);
  assert_int_equal(calls, 10);
  crd_context_destroy(ctx);
}

static void interruption_stops_the_work(void **state) {
  (void)state;
  crd_context *const ctx = context(2);
  job j = { .most = 2 };
  crd_context_interrupt(ctx);
  assert_int_equal(crd__parallel_for(ctx, NULL, 1000, 10, mark, &j), CRD_EINTERRUPTED);
  for (size_t i = 0; i < 1000; i++) assert_int_equal(j.seen[i], 0);
  assert_int_equal(crd__parallel_for(ctx, NULL, 1000, 10, mark, &j), CRD_OK); /* it is over */
  for (size_t i = 0; i < 1000; i++) assert_int_equal(j.seen[i], 1);
  crd_context_destroy(ctx);
}

typedef struct {
  unsigned char seen[1000];
  atomic_size_t calls;
  size_t least;
} spanned;

static void mark_span(void *arg, size_t from, size_t to) {
  spanned *const s = arg;
  assert_true(from < to && to <= 1000);
  atomic_fetch_add(&s->calls, 1);
  if (atomic_load(&s->calls) > 1) assert_true(to - from >= s->least);
  for (size_t i = from; i < to; i++) s->seen[i]++;
}

static void spans_are_no_shorter_than_the_grain(void **state) {
  (void)state;
  const struct {
    unsigned threads;
    size_t total, grain, calls[2]; /* with this grain, and with a grain of 1 */
  } table[] = {
    { 1, 1000, 1, { 1, 1 } },   { 3, 1000, 1, { 3, 3 } },  { 3, 1000, 400, { 2, 3 } },
    { 3, 1000, 501, { 1, 3 } }, { 7, 1000, 10, { 7, 7 } }, { 4, 400, 400, { 1, 4 } },
    { 4, 3, 1, { 3, 3 } },      { 4, 0, 1, { 0, 0 } },     { 4, 1000, 0, { 4, 4 } },
    { 2, 799, 400, { 1, 2 } },
  };
  for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
    spanned s = { .least = CRD__CUT_ALL ? 1 : table[t].grain };
    crd__parallel_spans(table[t].threads, table[t].total, table[t].grain, mark_span, &s);
    assert_int_equal(atomic_load(&s.calls), table[t].calls[CRD__CUT_ALL]);
    for (size_t i = 0; i < 1000; i++) assert_int_equal(s.seen[i], i < table[t].total);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_row_once),
    cmocka_unit_test(the_lowest_failure_is_reported),
    cmocka_unit_test(progress_is_reported),
    cmocka_unit_test(interruption_stops_the_work),
    cmocka_unit_test(spans_are_no_shorter_than_the_grain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
