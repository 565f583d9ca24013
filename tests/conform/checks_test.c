/*
 * checks_test.c -- crd_network_check over networks of tests/networks and over seeds: it accepts
 * correct gradients. These networks have many kinks, some of which cancel between the points of a
 * difference, so that gradients are looked at again before they are called wrong (check.c, MANY).
 */
#include "modelkit/modelkit.h"
#include "support.h"

static const char *const stems[] = { NET_FOLDER "/alexnet-opset11-dynamic",
                                     NET_FOLDER "/tangle-opset11" };
enum { SEEDS = 4 };

static void check(crd_context *ctx, const crd_model *model, const char *stem, crd_mode mode,
                  crd_check_subject subject) {
  const crd_compile_options how = {
    .size = sizeof how, .batch = 4, .mode = mode, .parameters_only = 1
  };
  const crd_check_options what = { .size = sizeof what, .subject = subject };
  crd_network *network;
  const crd_check *found;
  assert_int_equal(crd_network_compile(ctx, model, &how, &network), CRD_OK);
  if (crd_network_check(ctx, network, &what, &found) != CRD_OK)
    fail_msg("%s: %s", net_name(stem), crd_context_message(ctx));
  assert_int_equal(found->count, 20);
  if (found->verdict != CRD_CHECK_RIGHT)
    fail_msg("%s: verdict %d, an error of %.3g, at most %.3g", net_name(stem), (int)found->verdict,
             found->directions[found->worst].error, found->limit);
  crd_check_destroy(found);
  crd_network_destroy(network);
}

static void right_gradients_pass(void **state) {
  (void)state;
  if (!crd_operator_at(0)) {
    cannot_test_networks("checks of gradients");
    return;
  }
  for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
    crd_context *const ctx = test_context();
    crd_model *const model = net_open_stored(ctx, stems[i]);
    crd_context_set_threads(ctx, 1);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      crd_context_set_seed(ctx, seed);
      check(ctx, model, stems[i], CRD_MODE_INPUT_GRADIENT, CRD_CHECK_INPUTS);
    }
    check(ctx, model, stems[i], CRD_MODE_TRAINING, CRD_CHECK_PARAMETERS);
    crd_model_destroy(model);
    crd_context_destroy(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(right_gradients_pass) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
