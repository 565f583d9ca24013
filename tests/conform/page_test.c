/*
 * page_test.c -- properties of every page: valid HTML (tests/page/check reads it), names escaped,
 * the JSON that the output format writes embedded, and the same bytes each time.
 */
#include "support.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char evil[] = "</script><script>alert(1)</script><!--\"'&\x01\x1b[31m\xff\xc3\xa9"
                           "\xe4\xb8\xad\xe6\x96\x87\xe2\x80\xa8";

enum { ROWS = 400, GROUPS = 25, CLASSES_MAX = 3 };

/* Everything that a page can show, all with hostile names. */
typedef struct {
  const crd_result *judged, *result; /* the values, and with all parts */
  const crd_contest *contest;
  crd_series *series; /* the contest, twice */
  const crd_profile *profile;
  const crd_group_table *groups;
  const crd_compat_table *compat;
  const crd_comparison *paired;
  const crd_diagnosis *diagnosis;
  crd_class_profile classes[CLASSES_MAX];
  crd_profile named; /* the profile, with names of classes */
  crd_source source;
  crd_provenance provenance;
} sources;

static const crd_comparison *compare(crd_context *ctx, const crd_predictions *p) {
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "accuracy,ece,auroc",
                                         .resamples = 5 };
  crd_evidence *a = NULL, *b = NULL;
  const crd_comparison *comparison = NULL;
  assert_int_equal(crd_evidence_gather(ctx, p, &options, 0, &a), CRD_OK);
  assert_int_equal(crd_evidence_gather(ctx, p, &options, 0, &b), CRD_OK);
  assert_int_equal(crd_evidence_compare(ctx, a, b, &comparison), CRD_OK);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  return comparison;
}

static sources make(crd_context *ctx, const char *name) {
  test_data data = make_data((test_recipe){
      .rows = ROWS, .classes = CLASSES_MAX, .seed = 7, .spread = 3, .accuracy = 0.7 });
  static int64_t groups[ROWS];
  static const char *names[GROUPS];
  for (size_t i = 0; i < ROWS; i++) groups[i] = (int64_t)(i % GROUPS);
  for (size_t i = 0; i < GROUPS; i++) names[i] = name;
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data.scores, CRD_F64, data.rows, data.classes),
    .labels = crd_array_matrix(data.labels, CRD_I64, data.rows, 1),
    .groups = crd_array_matrix(groups, CRD_I64, ROWS, 1),
    .group_names = names,
    .group_name_count = GROUPS,
    .name = name,
  };
  sources s = { 0 };
  crd_predictions *p = NULL;
  const crd_evaluate_options options = { .size = sizeof options, .resamples = 20, .bins = 10 };
  assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
  assert_int_equal(crd_evaluate(ctx, p, &options, &s.judged), CRD_OK);
  assert_int_equal(crd_evaluate_groups(ctx, p, &options, &s.groups), CRD_OK);
  assert_int_equal(crd_profile_make(ctx, p, NULL, &s.profile), CRD_OK);
  assert_int_equal(crd_compat(ctx, p, "sklearn", 10, &s.compat), CRD_OK);
  assert_int_equal(crd_diagnose(ctx, p, &s.diagnosis), CRD_OK);
  s.paired = compare(ctx, p);
  const crd_contest_options contest = { .size = sizeof contest,
                                        .methods = "temperature,vector,density-ratio",
                                        .resamples = 20,
                                        .profile = CRD_PROFILE_ALL };
  assert_int_equal(crd_contest_split(ctx, p, 0.5, &contest, &s.contest), CRD_OK);
  const crd_series_options caption = { .size = sizeof caption, .caption = name };
  assert_int_equal(crd_series_create(ctx, &caption, &s.series), CRD_OK);
  for (size_t i = 0; i < 2; i++) assert_int_equal(crd_series_add(ctx, s.series, s.contest), CRD_OK);
  crd_predictions_destroy(p);
  free_data(&data);
  return s;
}

/* Links the sources that point to each other. */
static void join(crd_context *ctx, sources *s, const char *name) {
  assert_int_equal(s->profile->class_count, CLASSES_MAX);
  s->named = *s->profile;
  for (size_t i = 0; i < CLASSES_MAX; i++) {
    s->classes[i] = s->profile->classes[i];
    s->classes[i].name = name;
  }
  s->named.classes = s->classes;
  const crd_result_parts with = { .size = sizeof with,
                                  .paired = s->paired,
                                  .groups = s->groups,
                                  .compat = s->compat,
                                  .profile = &s->named };
  assert_int_equal(crd_result_with(ctx, s->judged, &with, &s->result), CRD_OK);
  s->source = (crd_source){ .name = name, .bytes = 12345 };
  s->provenance = (crd_provenance){ .command = name,
                                    .version = "0",
                                    .build = name,
                                    .seed = 1,
                                    .source_count = 1,
                                    .sources = &s->source };
}

static void drop(sources *s) {
  crd_series_destroy(s->series);
  crd_contest_destroy(s->contest);
  crd_result_destroy(s->result);
  crd_result_destroy(s->judged);
  crd_profile_destroy(s->profile);
  crd_group_table_destroy(s->groups);
  crd_compat_destroy(s->compat);
  crd_comparison_destroy(s->paired);
  crd_diagnosis_destroy(s->diagnosis);
}

static char *read_all(const char *path) {
  enum { MOST = 1 << 23 };
  FILE *const file = fopen(path, "rb");
  char *const bytes = calloc(1, MOST);
  assert_true(file && bytes && fread(bytes, 1, MOST - 1, file) > 0);
  fclose(file);
  return bytes;
}

/* Returns the bytes of a page that passed the checker; the caller frees them. */
static char *write_page(crd_context *ctx, const crd_page_part *parts, size_t count,
                        const char *title) {
  char path[256], command[512];
  crd_output *output = NULL;
  assert_int_equal(crd_output_open(ctx, temporary_path(path, "page.html"), &output), CRD_OK);
  assert_int_equal(
      crd_page_write(ctx, parts, count,
                     &(crd_page_options){ .size = sizeof(crd_page_options), .title = title },
                     output),
      CRD_OK);
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  snprintf(command, sizeof command, "tests/page/check %s", path);
  assert_int_equal(system(command), 0);
  char *const bytes = read_all(path);
  unlink(path);
  return bytes;
}

static void expect_has(const char *page, const char *part) {
  if (!strstr(page, part)) fail_msg("no %s", part);
}

static size_t times(const char *page, const char *part) {
  size_t count = 0;
  for (; (page = strstr(page, part)); page++) count++;
  return count;
}

static void pages_are_sound(void **state) {
  crd_context *const ctx = *state;
  sources s = make(ctx, evil);
  join(*state, &s, evil);
  const crd_page_part parts[] = {
    { .contest = s.contest, .series = crd_series_describe(s.series), .provenance = &s.provenance },
    { .result = s.result, .diagnosis = s.diagnosis, .provenance = &s.provenance }
  };
  static const char *const places[] = { "run1-repeats",     "run1-methods",  "run1-explorer",
                                        "run1-fits",        "run2-metrics",  "run2-paired",
                                        "run2-compat",      "run2-explorer", "run2-figures",
                                        "run2-classes",     "run2-groups",   "run2-findings",
                                        "run2-conventions", "run2-raw",      "run1-reproduce" };
  char *const page = write_page(ctx, parts, 2, evil), *const again =
                                                          write_page(ctx, parts, 2, evil);
  assert_string_equal(page, again);
  assert_null(strstr(page, "<script>alert"));
  assert_null(strstr(page, "nan\""));
  assert_null(strstr(page, "\x1b"));
  expect_has(page, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--&quot;&#39;&amp;");
  expect_has(page, "\\u003c/script\\u003e\\u003cscript\\u003ealert(1)\\u003c/script\\u003e");
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char place[64];
    snprintf(place, sizeof place, "<section id=\"%s\"", places[i]);
    expect_has(page, place);
    snprintf(place, sizeof place, "<a href=\"#%s\"", places[i]);
    expect_has(page, place);
  }
  expect_has(page, "failed: "); /* density-ratio has no features */
  expect_has(page, "failed in 2 of 2 runs: ");
  expect_has(page, "5 more groups have smaller errors");
  free(page);
  free(again);
  for (size_t i = 0; i < 2; i++) {
    char *const alone = write_page(ctx, &parts[i], 1, NULL);
    assert_int_equal(times(alone, "<h1>"), 1);
    assert_int_equal(times(alone, "<h4>"), 0);
    assert_int_equal(times(alone, "<figure class=\"confidence\">"), i == 0 ? 2 : 1);
    free(alone);
  }
  drop(&s);
}

/* Every metric measured has exactly one row of the table. */
static void metrics_are_all_listed(void **state) {
  sources s = make(*state, "plain");
  char *const page = write_page(*state, &(crd_page_part){ .result = s.judged }, 1, NULL);
  char *const from = strstr(page, "Metrics on all rows");
  assert_non_null(from);
  char *const to = strstr(from, "</table>");
  assert_non_null(to);
  *to = '\0';
  assert_int_equal(times(from, "<th scope=\"row\">"), s.judged->value_count);
  for (size_t i = 0; i < s.judged->value_count; i++) {
    char row[128];
    snprintf(row, sizeof row, "<th scope=\"row\">%s</th>", s.judged->values[i].metric->title);
    expect_has(from, row);
  }
  free(page);
  drop(&s);
}

/* The page embeds the JSON of the output format, five characters escaped. */
static void data_are_the_form(void **state) {
  crd_context *const ctx = *state;
  char path[256];
  crd_output *output = NULL;
  sources s = make(ctx, evil);
  join(*state, &s, evil);
  const crd_page_part part = { .result = s.result, .provenance = &s.provenance };
  const crd_report_options options = { .size = sizeof options, .provenance = &s.provenance };
  assert_int_equal(crd_output_open(ctx, temporary_path(path, "page.json"), &output), CRD_OK);
  assert_int_equal(crd_report_write(ctx, s.result, "json", &options, output), CRD_OK);
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  char *const form = read_all(path), *const page = write_page(ctx, &part, 1, NULL);
  static const char begin[] = "<script type=\"application/json\" id=\"data-1\">\n";
  const char *const found = strstr(page, begin);
  assert_non_null(found);
  json_error_t error;
  json_t *const a = json_loads(form, 0, &error);
  json_t *const b = json_loads(found + strlen(begin), JSON_DISABLE_EOF_CHECK, &error);
  assert_true(a && b && json_equal(a, b));
  json_decref(a);
  json_decref(b);
  free(form);
  free(page);
  unlink(path);
  drop(&s);
}

/* One row, results without metrics or bins, contests in which no method wins. */
static void little_is_enough(void **state) {
  crd_context *const ctx = *state;
  static const double scores[] = { 0.9, 0.1 };
  static const int64_t labels[] = { 0 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F64, 1, 2),
                                        .labels = crd_array_matrix(labels, CRD_I64, 1, 1),
                                        .binary = CRD_BINARY_POS };
  crd_predictions *p = NULL;
  const crd_result *one = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
  assert_int_equal(crd_evaluate(ctx, p, NULL, &one), CRD_OK);
  const crd_result empty = { .rows = 3, .input = CRD_INPUT_PAIRS };
  const crd_candidate identity = { .name = "identity", .result = one };
  const crd_contest contest = {
    .count = 1, .candidates = &identity, .chosen = &identity, .verdict = "Leave it."
  };
  const crd_page_part all[] = { { .result = one }, { .result = &empty }, { .contest = &contest } };
  free(write_page(ctx, all, 3, NULL));
  char *const page = write_page(ctx, all, 1, NULL);
  expect_has(page, "temperatures need a result stored with <code>crd_profile_make</code>");
  free(page);
  crd_result_destroy(one);
  crd_predictions_destroy(p);
}

static void expect_refused(crd_context *ctx, const crd_page_part *parts, size_t count,
                           const char *sentence) {
  assert_int_equal(crd_page_write(ctx, parts, count, NULL, NULL), CRD_EUSAGE);
  assert_string_equal(crd_context_message(ctx), sentence);
}

static void refusals_are_sentences(void **state) {
  crd_context *const ctx = *state;
  const crd_result result = { 0 };
  const crd_contest contest = { 0 };
  const crd_page_part neither = { 0 }, both = { .result = &result, .contest = &contest };
  expect_refused(ctx, NULL, 0, "a page needs at least one run, none was given");
  expect_refused(ctx, &neither, 1, "run 1 of a page has neither, allowed is a result or a contest");
  expect_refused(ctx, &both, 1, "run 1 of a page has both, allowed is a result or a contest");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pages_are_sound),        cmocka_unit_test(metrics_are_all_listed),
    cmocka_unit_test(data_are_the_form),      cmocka_unit_test(little_is_enough),
    cmocka_unit_test(refusals_are_sentences),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
