/*
 * doctor_test.c -- every finding, on data with and without the fault.
 *
 * Healthy predictions are calibrated by construction: labels are drawn from the softmax of the
 * logits. Each ailment changes one thing.
 */
#include "doctor/finding.h"
#include "support.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 4000, CLASSES = 4, CELLS = ROWS * CLASSES };

typedef struct {
  double scores[CELLS], labels[CELLS], weights[ROWS];
  size_t rows, columns, label_columns;
  bool weighted;
  crd_input input;
  crd_binary binary;
} patient;

static patient it;

static double *row(size_t i) { return it.scores + i * it.columns; }

/* exp(z - m) / S, into p. */
static void softmax(const double *z, double *p, size_t count) {
  double top = -INFINITY, mass = 0;
  for (size_t k = 0; k < count; k++) top = fmax(top, z[k]);
  for (size_t k = 0; k < count; k++) mass += p[k] = exp(z[k] - top);
  for (size_t k = 0; k < count; k++) p[k] /= mass;
}

/* Logits, and labels that are drawn from them. */
static void healthy(void) {
  memset(&it, 0, sizeof it);
  it.rows = ROWS, it.columns = CLASSES, it.label_columns = 1;
  for (size_t i = 0; i < ROWS; i++) {
    double p[CLASSES], draw = crd__random_uniform(1, 2, i);
    for (size_t k = 0; k < CLASSES; k++)
      row(i)[k] = 8 * crd__random_uniform(1, 1, i * CLASSES + k) - 4;
    softmax(row(i), p, CLASSES);
    size_t label = 0;
    while (label + 1 < CLASSES && (draw -= p[label]) > 0) label++;
    it.labels[i] = (double)label;
    it.weights[i] = 1;
  }
}

static void probabilities(void) {
  for (size_t i = 0; i < ROWS; i++) softmax(row(i), row(i), CLASSES);
}
static void one_hot(void) {
  for (size_t i = ROWS; i-- > 0;) {
    const double label = it.labels[i];
    for (size_t k = CLASSES; k-- > 0;) it.labels[i * CLASSES + k] = label == (double)k;
  }
  it.label_columns = CLASSES;
}
static void equal_weights(void) { it.weighted = true; }
/* Confidence and correctness alone. */
static void pairs(void) {
  for (size_t i = 0; i < ROWS; i++) {
    double p[CLASSES];
    size_t top = 0;
    softmax(row(i), p, CLASSES);
    for (size_t k = 1; k < CLASSES; k++)
      if (p[k] > p[top]) top = k;
    it.scores[i] = p[top];
    it.labels[i] = it.labels[i] == (double)top;
  }
  it.columns = 1;
  it.input = CRD_INPUT_PAIRS;
}
/* Two classes, the score of class 1. */
static void binary(void) {
  for (size_t i = 0; i < ROWS; i++) {
    it.scores[i] = 8 * crd__random_uniform(2, 1, i) - 4;
    it.labels[i] = crd__random_uniform(2, 2, i) < 1 / (1 + exp(-it.scores[i]));
  }
  it.columns = 1;
}
static void scale(double factor) {
  for (size_t i = 0; i < CELLS; i++) it.scores[i] *= factor;
}

/* ---- Ailments. */

static void nan_and_inf(void) { row(7)[1] = (double)NAN, row(50)[0] = INFINITY; }
static void masked(void) { row(3)[2] = -INFINITY; }
static void percentages(void) { probabilities(), scale(100); }
static void broken_sum(void) { probabilities(), row(17)[0] += 0.3, row(17)[1] += 0.2; }
static void broken_value(void) { probabilities(), row(17)[0] = 1.25; }
static void declared(void) { broken_sum(), it.input = CRD_INPUT_PROBABILITIES; }
static void misdeclared(void) { probabilities(), it.input = CRD_INPUT_LOGITS; }
static void unlikely(void) { it.input = CRD_INPUT_PROBABILITIES; }
static void rounded(void) {
  probabilities();
  for (size_t i = 0; i < CELLS; i++) it.scores[i] = rint(it.scores[i] * 10) / 10;
  row(0)[0] = 0.8, row(0)[1] = 0.05, row(0)[2] = row(0)[3] = 0;
}
static void near_sum(void) { probabilities(), row(17)[0] += 0.008; }
static void nan_among_probabilities(void) { probabilities(), row(9)[0] = (double)NAN; }
static void logarithms(void) {
  probabilities();
  for (size_t i = 0; i < CELLS; i++) it.scores[i] = log(it.scores[i]);
}
static void positive(void) { /* as after a ReLU: row sums are not 100 */
  for (size_t i = 0; i < CELLS; i++) it.scores[i] += 6;
}
static void sigmoids(void) {
  for (size_t i = 0; i < CELLS; i++) it.scores[i] = 1 / (1 + exp(-it.scores[i]));
}
static void pair_percentages(void) { pairs(), scale(100); }

static void from_one(void) {
  for (size_t i = 0; i < ROWS; i++) it.labels[i] += 1;
}
static void too_high(void) { it.labels[4] = CLASSES + 5, it.labels[9] = -1; }
static void not_whole(void) { it.labels[4] = 0.5; }
static void two_hot(void) { one_hot(), it.labels[17] = it.labels[18] = 1; }
static void bad_pair(void) { pairs(), it.labels[4] = 2; }

static void shuffled(void) {
  const double first = it.labels[0];
  scale(4);
  memmove(it.labels, it.labels + 1, (ROWS - 1) * sizeof *it.labels);
  it.labels[ROWS - 1] = first;
}
static void shifted_classes(void) {
  for (size_t i = 0; i < ROWS; i++) it.labels[i] = (double)(((int)it.labels[i] + 1) % CLASSES);
}
static void constant(void) {
  for (size_t i = 0; i < ROWS; i++) row(i)[2] = 9;
}
static void timid_chance(void) { shuffled(), scale(0.01); }

static void impossible(void) {
  probabilities();
  for (size_t i = 0; i < 5; i++) {
    for (size_t k = 0; k < CLASSES; k++) row(i)[k] = 0;
    row(i)[((size_t)it.labels[i] + 1) % CLASSES] = 0.75;
    row(i)[((size_t)it.labels[i] + 2) % CLASSES] = 0.25;
  }
}
static void impossible_once(void) {
  static const double p[] = { 1, 0, 0, 0, 0.5, 0.25, 0.25, 0 };
  memcpy(it.scores, p, sizeof p);
  it.labels[0] = 1, it.labels[1] = 0;
  it.rows = 2;
}
static void harmless_zeros(void) {
  probabilities();
  for (size_t i = 0; i < 5; i++) {
    for (size_t k = 0; k < CLASSES; k++) row(i)[k] = 0;
    row(i)[(size_t)it.labels[i]] = 0.75;
    row(i)[((size_t)it.labels[i] + 2) % CLASSES] = 0.25;
  }
}
static void saturated(void) {
  probabilities();
  for (size_t i = 0; i < 100; i++)
    for (size_t k = 0; k < CLASSES; k++) row(i)[k] = (double)k == it.labels[i];
}
static void far_apart(void) { row(5)[(size_t)it.labels[5]] = 1000; }
static void copied(void) {
  for (size_t i = 100; i < 200; i++) {
    memcpy(row(i), row(5), CLASSES * sizeof *it.scores);
    it.labels[i] = i < 150 ? it.labels[5] : (double)(((int)it.labels[5] + 1) % CLASSES);
  }
}
static void copied_once(void) {
  memcpy(row(8), row(5), CLASSES * sizeof *it.scores);
  it.labels[8] = (double)(((int)it.labels[5] + 1) % CLASSES);
}
static void absent(void) {
  for (size_t i = 0; i < ROWS; i++) it.labels[i] = it.labels[i] == 3 ? 2 : it.labels[i];
}
static void shunned(void) {
  for (size_t i = 0; i < ROWS; i++) row(i)[3] = -9;
}
static void heavy(void) {
  for (size_t i = 0; i < ROWS; i++) it.labels[i] = i % 20 ? 0 : it.labels[i];
}
static void weights(void) { it.weighted = true, it.weights[1] = 5; }

static void sure(void) { scale(2); }
static void unsure(void) { scale(0.3); }
static void few(void) { it.rows = 50; }
/* Five correct rows: a gap of more than two sample standard errors, but no evidence. */
static void all_right(void) {
  static const double confidence[] = { 0.7, 0.8, 0.5, 1, 0.7 };
  pairs();
  it.rows = 5;
  for (size_t i = 0; i < 5; i++) it.scores[i] = confidence[i], it.labels[i] = 1;
}
static void uneven(void) {
  pairs();
  for (size_t i = 0; i < ROWS; i++) {
    it.scores[i] = i % 2 ? 0.6 : 0.8;
    it.labels[i] = i % 2 ? i % 10 < 4 : 1;
  }
}
static void high_scores(void) {
  binary();
  for (size_t i = 0; i < ROWS; i++) { /* class 1 is the rarer one */
    it.scores[i] -= 1.5;
    it.labels[i] = crd__random_uniform(2, 2, i) < 1 / (1 + exp(-it.scores[i]));
    it.scores[i] += 0.7;
  }
  it.binary = CRD_BINARY_POS;
}
static void all_nan(void) {
  for (size_t i = 0; i < ROWS; i++) row(i)[1] = (double)NAN;
}

static const struct {
  const char *finding;
  void (*fall_ill)(void);
  crd_severity severity;
  const char *found, *advice; /* required substrings */
} ailments[] = {
  { "not-finite", nan_and_inf, CRD_PROBLEM, "in 2 rows (7, 50): NaN in 1, inf in 1.", "NaN" },
  { "not-finite", masked, CRD_PROBLEM, "in 1 row (3): -inf in 1.", "masked" },
  { "input-kind", percentages, CRD_PROBLEM, "percentages", "by 100" },
  { "input-kind", pair_percentages, CRD_PROBLEM, "percentages", "by 100" },
  { "input-kind", broken_sum, CRD_PROBLEM, "to 1.5 and are not 1 in 1 row (17). Therefore", "" },
  { "input-kind", declared, CRD_PROBLEM, "to 1.5 and are not 1 in 1 row (17).", "" },
  { "input-kind", broken_value, CRD_PROBLEM, "to 1.25 and are outside [0, 1] in 1 row (17)", "" },
  { "input-kind", misdeclared, CRD_WARNING, "declared to be logits", "with input probabilities" },
  { "input-kind", unlikely, CRD_PROBLEM, "declared to be probabilities", "with input logits" },
  { "input-kind", rounded, CRD_PROBLEM, "are not 1 in", "more digits" },
  { "input-kind", near_sum, CRD_NOTE, "within 0.008 (row 17", "digits" },
  { "input-kind", sigmoids, CRD_WARNING, "rows sum to", "sigmoid" },
  { "input-kind", positive, CRD_FINE, "Logits: values range from", "" },
  { "input-kind", logarithms, CRD_FINE, "Log-probabilities", "" },
  { "input-kind", nan_among_probabilities, CRD_FINE, "Probabilities", "" },
  { "labels", from_one, CRD_PROBLEM, "from 1 to 4, for 4 classes", "Subtract 1" },
  { "labels", too_high, CRD_PROBLEM, "in 2 rows (4, 9): labels row 4: found class 9", "up to 9" },
  { "labels", not_whole, CRD_PROBLEM, "found 0.5, expected an integer", "repair" },
  { "labels", two_hot, CRD_PROBLEM, "classes are marked", "repair" },
  { "labels", bad_pair, CRD_PROBLEM, "in 1 row (4): correct row 4: found 2", "repair" },
  { "unrelated-labels", shuffled, CRD_PROBLEM, "yet the mean confidence", "shuffled" },
  { "unrelated-labels", timid_chance, CRD_WARNING, "unrelated to the predictions", "order" },
  { "unrelated-labels", shifted_classes, CRD_PROBLEM, "is below the 0.25", "reversed" },
  { "unrelated-labels", constant, CRD_WARNING, "Every row predicts class 2; ", "trained" },
  { "exact-zeros", impossible, CRD_WARNING, "In 5 rows (0, 1, 2, ...) the true class",
    "Store logits" },
  { "exact-zeros", impossible_once, CRD_WARNING,
    "mean NLL is 345.7 with them, 0.6931 without; 50 %", "floor" },
  { "exact-zeros", harmless_zeros, CRD_NOTE, "0.0625 %", "logits" },
  { "saturated", saturated, CRD_WARNING, "100 of 4000 confidences are exactly 1 (2.5 %", "logits" },
  { "saturated", far_apart, CRD_NOTE, "1 of 4000", "temperature" },
  { "duplicated-rows", copied, CRD_WARNING, "100 rows of scores repeat an earlier one", "twice" },
  { "duplicated-rows", copied, CRD_WARNING, "(row 100 equals row 5); labels agree in 50", "twice" },
  { "duplicated-rows", saturated, CRD_FINE, "No row", "" },
  { "duplicated-rows", copied_once, CRD_NOTE, "(row 8 equals row 5); labels differ", "twice" },
  { "absent-classes", absent, CRD_WARNING, "1 of 4 classes have no label (3)", "Classwise" },
  { "absent-classes", shunned, CRD_NOTE, "1 with labels is never predicted (3)", "confusion" },
  { "imbalance", heavy, CRD_WARNING, "class 0 with 96.", "classwise" },
  { "weights", weights, CRD_NOTE, "from 1 to 5: an effective sample size of 3984.1 rows",
    "evaluate" },
  { "confidence", sure, CRD_WARNING, "Overconfident", "temperature above 1" },
  { "confidence", unsure, CRD_WARNING, "Underconfident", "temperature below 1" },
  { "confidence", uneven, CRD_WARNING, "Calibrated on average, but not at every",
    "more parameters" },
  { "confidence", high_scores, CRD_WARNING, "Probabilities of class 1 are too high", "Platt" },
  { "confidence", shuffled, CRD_WARNING, "Overconfident", "labels first" },
  { "confidence", all_right, CRD_NOTE, "accuracy 1: gap -0.26", "more rows" },
  { "confidence", few, CRD_NOTE, "only a large one", "more rows" },
  { "confidence", all_nan, CRD_PROBLEM, "No row could be evaluated", "above" },
};
enum { AILMENTS = sizeof ailments / sizeof *ailments };

static const crd_diagnosis *diagnose(crd_context *ctx) {
  const crd_array judged = crd_array_matrix(it.labels, CRD_F64, it.rows, it.label_columns);
  const bool paired = it.input == CRD_INPUT_PAIRS;
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(it.scores, CRD_F64, it.rows, it.columns),
    .labels = paired ? (crd_array){ 0 } : judged,
    .correct = paired ? judged : (crd_array){ 0 },
    .weights = it.weighted ? crd_array_matrix(it.weights, CRD_F64, it.rows, 1) : (crd_array){ 0 },
    .input = it.input,
    .trusted = 1,
    .binary = it.binary,
  };
  crd_predictions *p = NULL;
  const crd_diagnosis *diagnosis = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK ||
      crd_diagnose(ctx, p, &diagnosis) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return diagnosis;
}

static const crd_finding *find(const crd_diagnosis *diagnosis, const char *name) {
  for (size_t i = 0; i < diagnosis->finding_count; i++)
    if (strcmp(diagnosis->findings[i].info->name, name) == 0) return &diagnosis->findings[i];
  return NULL;
}

static void ailments_are_found(void **state) {
  for (size_t i = 0; i < AILMENTS; i++) {
    healthy();
    ailments[i].fall_ill();
    const crd_diagnosis *const diagnosis = diagnose(*state);
    const crd_finding *const f = find(diagnosis, ailments[i].finding);
    if (!f) {
      fail_msg("%zu: %s says nothing", i, ailments[i].finding);
      break;
    }
    if (f->severity != ailments[i].severity || !strstr(f->found, ailments[i].found) ||
        !strstr(f->advice, ailments[i].advice))
      fail_msg("%zu: %s: %s: %s %s", i, f->info->name, crd_severity_name(f->severity), f->found,
               f->advice);
    crd_diagnosis_destroy(diagnosis);
  }
}

static void nothing(void) {}
static void (*const kinds[])(void) = {
  nothing, probabilities, one_hot, pairs, binary, equal_weights
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void health_is_found(void **state) {
  for (size_t kind = 0; kind < KINDS; kind++) {
    healthy();
    kinds[kind]();
    const crd_diagnosis *const diagnosis = diagnose(*state);
    for (size_t i = 0; i < diagnosis->finding_count; i++) {
      const crd_finding *const f = &diagnosis->findings[i];
      if (f->severity != CRD_FINE || *f->advice)
        fail_msg("kind %zu: %s: %s: %s", kind, f->info->name, crd_severity_name(f->severity),
                 f->found);
    }
    assert_string_equal(diagnosis->verdict, "no problems found");
    crd_diagnosis_destroy(diagnosis);
  }
}

/* Every finding has a name and a summary, some data with it and some without. */
static void every_finding_is_exercised(void **state) {
  assert_null(crd_finding_at(crd_finding_count()));
  for (size_t i = 0; i < crd_finding_count(); i++) {
    const crd_finding_info *const info = crd_finding_at(i);
    bool sick = false, well = false;
    assert_true(strlen(info->name) > 3 && strlen(info->summary) > 10);
    for (size_t a = 0; a < AILMENTS; a++)
      sick |= strcmp(ailments[a].finding, info->name) == 0 && ailments[a].severity != CRD_FINE;
    for (size_t kind = 0; kind < KINDS; kind++) {
      healthy();
      kinds[kind]();
      const crd_diagnosis *const diagnosis = diagnose(*state);
      well |= find(diagnosis, info->name) != NULL;
      crd_diagnosis_destroy(diagnosis);
    }
    if (!sick || !well) fail_msg("%s: sick %d, well %d", info->name, sick, well);
  }
}

/* All later findings take faulty labels into account. */
static void labels_from_one_are_understood(void **state) {
  healthy();
  from_one();
  const crd_diagnosis *const diagnosis = diagnose(*state);
  assert_int_equal(find(diagnosis, "unrelated-labels")->severity, CRD_FINE);
  assert_int_equal(find(diagnosis, "confidence")->severity, CRD_FINE);
  assert_int_equal(find(diagnosis, "absent-classes")->severity, CRD_FINE);
  assert_string_equal(diagnosis->verdict,
                      "1 problem: labels; metrics are wrong until this is fixed");
  crd_diagnosis_destroy(diagnosis);
}

static void the_worst_comes_first(void **state) {
  healthy();
  saturated();
  weights();
  row(700)[1] = (double)NAN;
  const crd_diagnosis *const diagnosis = diagnose(*state);
  for (size_t i = 1; i < diagnosis->finding_count; i++)
    assert_true(diagnosis->findings[i - 1].severity <= diagnosis->findings[i].severity);
  assert_int_equal(diagnosis->rows, ROWS);
  assert_int_equal(diagnosis->classes, CLASSES);
  assert_int_equal(diagnosis->input, CRD_INPUT_PROBABILITIES);
  assert_string_equal(diagnosis->verdict,
                      "1 problem: not-finite; metrics are wrong until this is fixed; 1 warning: "
                      "saturated");
  crd_diagnosis_destroy(diagnosis);
}

/* Ties: the first class. */
static void the_largest_class_is_found(void **state) {
  (void)state;
  assert_int_equal(crd__doctor_largest((size_t[]){ 3, 1, 2 }, 3), 0);
  assert_int_equal(crd__doctor_largest((size_t[]){ 1, 3, 2 }, 3), 1);
  assert_int_equal(crd__doctor_largest((size_t[]){ 1, 2, 3 }, 3), 2);
  assert_int_equal(crd__doctor_largest((size_t[]){ 1, 3, 3 }, 3), 1);
  assert_int_equal(crd__doctor_largest((size_t[]){ 1, 2, 3 }, 2), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ailments_are_found),         cmocka_unit_test(health_is_found),
    cmocka_unit_test(every_finding_is_exercised), cmocka_unit_test(labels_from_one_are_understood),
    cmocka_unit_test(the_worst_comes_first),      cmocka_unit_test(the_largest_class_is_found),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
