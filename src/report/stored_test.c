/* stored_test.c -- hand-made structs, written, read and written again: the same bytes. */
#include "report/stored/sample_test.h"

static crd_stored *read_part(const char *bytes, size_t length) {
  crd_stored *stored = NULL;
  if (crd__report_stored_read(ctx, bytes, length, &stored) != CRD_OK)
    fail_msg("%s\n%s", crd_context_message(ctx), bytes);
  return stored;
}

static crd_stored *expect_same(const crd_page_part *p) {
  crd__text first = write_part(p);
  crd_stored *const stored = read_part(first.bytes, first.length);
  crd__text second = write_part(crd_stored_part(stored));
  assert_string_equal(first.bytes, second.bytes);
  crd__text_clear(&first);
  crd__text_clear(&second);
  return stored;
}

static void result_comes_back(void **state) {
  (void)state;
  crd_stored *const stored = expect_same(&part);
  const crd_result *const r = crd_stored_part(stored)->result;
  assert_null(crd_stored_part(stored)->contest);
  assert_string_equal(r->name, "dir/\xef\xbf\xbd.csv");
  assert_true(r->rows == 4 && r->classes == 3 && r->weighted && r->resamples == 7);
  assert_ptr_equal(r->values[0].metric, crd_metric_find("ece"));
  assert_true(r->values[0].p == 3.125e-5 && isnan(r->values[1].noise_floor));
  assert_true(isinf(r->values[1].value) && isinf(r->values[1].high) && !r->values[1].reason);
  assert_true(r->paired->resamples == 7 && signbit(r->paired->items[0].value));
  assert_true(r->groups->items[0].number == -3 && r->groups->items[1].number == INT64_MAX);
  assert_true(!r->groups->items[1].result && r->groups->items[2].result->rows == 1);
  assert_string_equal(r->compat->peer->summary, crd_peer_at(0)->summary);
  const crd_operating_table *const o = r->operating;
  assert_true(o->count == 2 && o->binary && o->guarantee == CRD_GUARANTEE_BOOTSTRAP);
  assert_true(o->items[0].promise == CRD_PROMISE_UNDECIDED && o->items[0].promised == 0.02);
  assert_true(o->items[0].risk.high == 0.5 && o->items[0].risk.total == 3);
  assert_true(isnan(o->items[0].npv.value) && o->items[0].sensitivity.count == 2);
  assert_true(isnan(o->items[1].threshold) && isnan(o->items[1].promised));
  assert_true(o->items[1].target.kind == CRD_TARGET_COVERAGE && o->measured_rows == 4);
  assert_true(isnan(r->bins[0].accuracy) && r->bins[3].accuracy_low == 0.25);
  const crd_profile *const p = r->profile;
  assert_int_equal(p->parts, CRD_PROFILE_ALL);
  assert_true(p->bins.count == 2 && p->bins.items[1].weight == 3 && p->bins.items[1].index == 299);
  assert_true(p->bins.items[1].confidence == 1 / 3.0 && signbit(p->bins.items[1].correct));
  const crd_fine_bin *const light = &p->temperatures[1].bins.items[0];
  assert_true(light->correct == 5e-324 && light->weight == 0.5 && light->rows == 2);
  assert_true(p->roc.points[1].x == 1e22 && p->roc.points[1].y == 1.7976931348623157e308);
  assert_true(p->precision_right.count == 0 && p->density_wrong.count == 1);
  assert_true(p->classes[0].number == 2 && !p->classes[1].name && p->by_bins[1].bins == 15);
  assert_true(p->smooth_bandwidth == 0.0625 && isnan(p->smooth[0].high));
  const crd_provenance *const from = crd_stored_part(stored)->provenance;
  assert_true(from->seed == (UINT64_C(1) << 53) + 1 && from->sources[0].bytes == UINT64_MAX);
  assert_string_equal(from->sources[0].sha256, sources[0].sha256);
  const crd_diagnosis *const d = crd_stored_part(stored)->diagnosis;
  assert_true(!d->name && d->classes == 0 && d->input == CRD_INPUT_PAIRS);
  assert_true(d->findings[0].info == crd_finding_at(1) && d->findings[0].severity == CRD_NOTE);
  crd_stored_destroy(stored);
}

/* Parts that were not requested, and missing members, stay absent. */
static void little_comes_back(void **state) {
  (void)state;
  for (unsigned parts = 0; parts <= CRD_PROFILE_ALL; parts++) {
    crd_profile some = profile;
    crd_result r = sample;
    some.parts = parts;
    some.by_bins_count = parts % 2;
    if (!(parts & CRD_PROFILE_GROUPS)) some.groups = NULL;
    r.value_count = 2;
    r.values = values;
    r.profile = &some;
    crd_stored *const stored = expect_same(&(crd_page_part){ .result = &r });
    assert_int_equal(crd_stored_part(stored)->result->profile->parts, parts);
    crd_stored_destroy(stored);
  }
  crd_result r = { .classes = 2, .input = CRD_INPUT_LOGITS, .binary = CRD_BINARY_POS };
  crd_stored *stored = expect_same(&(crd_page_part){ .result = &r });
  assert_int_equal(crd_stored_part(stored)->result->binary, CRD_BINARY_POS);
  assert_null(crd_stored_part(stored)->result->profile);
  crd_stored_destroy(stored);
  crd_stored_destroy(NULL);
}

/* Contests in older files have neither a score nor rejected methods. */
static void contest_of_old_comes_back(void **state) {
  (void)state;
  crd_contest old = contest;
  old.score = NULL;
  old.best = NULL;
  old.rejected_count = 0;
  crd_stored *const stored = expect_same(&(crd_page_part){ .contest = &old });
  const crd_contest *const c = crd_stored_part(stored)->contest;
  assert_null(c->score);
  assert_null(c->best);
  assert_int_equal(c->rejected_count, 0);
  crd_stored_destroy(stored);
}

static void contest_comes_back(void **state) {
  (void)state;
  crd_stored *const stored = expect_same(&(crd_page_part){ .contest = &contest });
  const crd_contest *const c = crd_stored_part(stored)->contest;
  assert_true(c->chosen == &c->candidates[2] && c->folds == 2 && c->resamples == 9);
  assert_ptr_equal(c->candidates[1].method, crd_method_find("platt"));
  assert_true(!c->candidates[0].certificate && c->candidates[1].certificate->rows_clipped == 2);
  const crd_candidate *const last = &c->candidates[2];
  assert_string_equal(last->certificate->bounds, "a,b_c");
  assert_true(last->learnt_count == 3 && last->learnt[0].values[0] == 1.5);
  assert_true(last->learnt[1].parts == 1 && last->learnt[1].start[1] == 2);
  assert_true(last->learnt[2].parts == 3 && last->learnt[2].start[2] == 2);
  assert_true(last->result->rows == 5 && last->result->resamples == 9);
  assert_int_equal(c->candidates[0].result->input, CRD_INPUT_LOGITS);
  assert_int_equal(last->result->input, CRD_INPUT_PROBABILITIES);
  assert_null(c->candidates[3].method); /* external */
  assert_string_equal(c->candidates[3].failure, "not today");
  crd_stored_destroy(stored);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(result_comes_back),
                                      cmocka_unit_test(little_comes_back),
                                      cmocka_unit_test(contest_comes_back),
                                      cmocka_unit_test(contest_of_old_comes_back) };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
