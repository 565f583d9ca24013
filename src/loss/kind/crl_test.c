/* crl_test.c -- compared with its definition; invalid histories. */
#include "loss/whole_test.h"

typedef enum { LARGEST, MARGIN, ENTROPY } kind;

static double confidence(const sample *s, size_t i, kind k) {
  const seen row = see(s, i);
  const size_t top = largest(s->z + i * s->classes, s->classes);
  double second = 0;
  for (size_t j = 0; j < s->classes; j++)
    if (j != top) second = fmax(second, row.p[j]);
  return k == LARGEST ? row.c : k == MARGIN ? row.c - second : 1 - row.h / log((double)s->classes);
}

static double plain(const sample *s, kind k) {
  size_t rows[MOST_ROWS], count = 0;
  double sum = 0;
  for (size_t i = 0; i < s->rows; i++)
    if (s->weight[i] > 0) rows[count++] = i;
  for (size_t n = 0; count > 1 && n < count; n++) {
    const size_t i = rows[n], j = rows[(n + 1) % count];
    const double apart = (s->history[i] - s->history[j]) / (s->epochs - s->low);
    const double gap = confidence(s, i, k) - confidence(s, j, k);
    const double miss = apart == 0 ? 0 : fabs(apart) - (apart > 0 ? gap : -gap);
    sum += (see(s, i).w + see(s, j).w) / 2 * fmax(0, miss);
  }
  return sum;
}

static double plain_largest(const sample *s) { return plain(s, LARGEST); }
static double plain_margin(const sample *s) { return plain(s, MARGIN); }
static double plain_entropy(const sample *s) { return plain(s, ENTROPY); }

static void is_its_definition(void **state) {
  check_samples(*state, "crl", plain_largest);
  check_samples(*state, "crl(confidence=margin)", plain_margin);
  check_samples(*state, "crl(confidence=entropy)", plain_entropy);
}

/* Before the first epoch all counts are 0, and the loss is 0. */
static void first_epoch_ranks_nothing(void **state) {
  double gradient[MOST_ROWS * MOST_CLASSES] = { 0 };
  sample s = make_sample(&sample_kinds[0]);
  memset(s.history, 0, sizeof s.history);
  s.low = s.epochs = 0;
  const crd_loss_value value = evaluate(*state, "crl", &s, gradient);
  assert_true(value.value == 0 && value.gradient_norm == 0);
}

static void bad_histories_are_refused(void **state) {
  static const double bad[] = { -1, 5.5, NAN, INFINITY };
  const double z[4] = { 0 };
  const int64_t y[2] = { 0, 1 };
  double history[2] = { 5, 0 };
  crd_loss *loss = NULL;
  crd_loss_value value;
  const crd_array logits = crd_array_matrix(z, CRD_F64, 2, 2);
  crd_targets targets = { .size = sizeof targets,
                          .labels = crd_array_matrix(y, CRD_I64, 2, 1),
                          .epochs = 5 };
  assert_int_equal(crd_loss_create(*state, "ce + crl", NULL, &loss), CRD_OK);
  assert_int_equal(crd_loss_evaluate(*state, loss, &logits, &targets, &value, NULL), CRD_EUSAGE);
  targets.history = crd_array_matrix(history, CRD_F64, 2, 1);
  assert_int_equal(crd_loss_evaluate(*state, loss, &logits, &targets, &value, NULL), CRD_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    history[1] = bad[i];
    assert_int_equal(crd_loss_evaluate(*state, loss, &logits, &targets, &value, NULL), CRD_EINPUT);
    assert_non_null(strstr(crd_context_message(*state), "history row 1"));
  }
  crd_loss_destroy(loss);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(is_its_definition),
                                      cmocka_unit_test(first_epoch_ranks_nothing),
                                      cmocka_unit_test(bad_histories_are_refused) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
