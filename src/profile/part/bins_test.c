/* bins_test.c -- reliability diagrams with any number of bins, merged from fine bins. */
#include "profile/kinds_test.h"

static double coarse_ece(const crd_fine_bins *fine, unsigned bins) {
  double gaps = 0, weight = 0;
  for (unsigned m = 0; m < bins; m++) {
    const crd_fine_bin bin = coarse_bin(fine, bins, m);
    gaps += fabs(bin.confidence - bin.correct);
    weight += bin.weight;
  }
  return gaps / weight;
}

/* Fine bins add up to the diagram of any number of bins that divides theirs. */
static void fine_bins_add_up(void **state) {
  static const unsigned grids[] = { 1, 2, 3, 10, 15, 20, 25, 30, 50, 60, 75, 100, 150, 300 };
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    kind k;
    open_kind(ctx, n, &k);
    const double total = total_weight(&k);
    const crd_profile *const p = profile_of(
        ctx, k.predictions,
        (crd_profile_options){ .size = sizeof(crd_profile_options), .parts = CRD_PROFILE_BINS });
    assert_int_equal(p->bins.bins, 300);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
      const crd_result *const r = result_of(ctx, k.predictions, "ece", grids[g]);
      assert_true(near(coarse_ece(&p->bins, grids[g]), value_of(r, "ece"), 1e-15));
      for (unsigned m = 0; m < grids[g]; m++) {
        const crd_fine_bin bin = coarse_bin(&p->bins, grids[g], m);
        const double share = bin.weight / total;
        assert_int_equal(bin.rows, r->bins[m].rows);
        assert_true(near(share, r->bins[m].weight, 1e-15));
        if (isnan(r->bins[m].confidence)) continue;
        assert_true(near(bin.confidence / bin.weight, r->bins[m].confidence, 1e-15));
        assert_true(near(bin.correct / bin.weight, r->bins[m].accuracy, 1e-15));
      }
      crd_result_destroy(r);
    }
    for (size_t i = 0; i < p->bins.count; i++) {
      assert_true(p->bins.items[i].rows > 0 && p->bins.items[i].index < 300);
      if (i > 0) assert_true(p->bins.items[i].index > p->bins.items[i - 1].index);
    }
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fine_bins_add_up),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
