/* by_bins_test.c -- the metrics, measured with each number of bins. */
#include "profile/kinds_test.h"

static void other_bins_are_the_metrics(void **state) {
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    kind k;
    open_kind(ctx, n, &k);
    const crd_profile *const p = profile_of(
        ctx, k.predictions,
        (crd_profile_options){ .size = sizeof(crd_profile_options), .parts = CRD_PROFILE_CURVES });
    assert_int_equal(p->by_bins_count, 23);
    for (size_t i = 0; i < p->by_bins_count; i++) {
      const crd_bins_point *const at = &p->by_bins[i];
      const crd_result *const r = result_of(ctx, k.predictions, "ece,ece-debiased,aece", at->bins);
      assert_true(same_bits(at->ece, value_of(r, "ece")));
      assert_true(same_bits(at->ece_debiased, value_of(r, "ece-debiased")));
      assert_true(same_bits(at->aece, value_of(r, "aece")));
      assert_true(same_bits(at->noise_floor, r->values[0].noise_floor));
      if (i > 0) assert_true(at->bins > at[-1].bins);
      crd_result_destroy(r);
    }
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(other_bins_are_the_metrics),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
