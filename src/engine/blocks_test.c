/* blocks_test.c -- arenas that share a budget. */
#include "engine/blocks.h"
#include "support.h"

#include <string.h>

static void a_budget_is_kept(void **state) {
  crd_context *const ctx = *state;
  crd__engine_budget budget = { .limit = 1000 + 2 * CRD__ALIGNMENT };
  crd__engine_arena a = { .budget = &budget }, b = { .budget = &budget }, free_of_it = { 0 };
  void *memory;
  assert_int_equal(crd__engine_arena_add(ctx, &ctx->alloc, &a, 600, &memory), CRD_OK);
  assert_int_equal((uintptr_t)memory % CRD__ALIGNMENT, 0);
  memset(memory, 1, 600);
  assert_int_equal(crd__engine_arena_add(ctx, &ctx->alloc, &b, 401, &memory), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "more than the 0 MB of memory"));
  assert_int_equal(crd__engine_arena_add(ctx, &ctx->alloc, &b, SIZE_MAX - CRD__ALIGNMENT, &memory),
                   CRD_EINPUT);
  assert_int_equal(crd__engine_arena_add(ctx, &ctx->alloc, &b, 400, &memory), CRD_OK);
  assert_int_equal(crd__engine_arena_add(ctx, &ctx->alloc, &free_of_it, 5000, &memory), CRD_OK);
  crd__engine_arena_clear(&ctx->alloc, &a); /* its bytes are back in the budget */
  assert_int_equal(crd__engine_arena_add(ctx, &ctx->alloc, &b, 401, &memory), CRD_OK);
  crd__engine_arena_clear(&ctx->alloc, &b);
  crd__engine_arena_clear(&ctx->alloc, &free_of_it);
  assert_true(budget.used == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_budget_is_kept, open_context, close_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
