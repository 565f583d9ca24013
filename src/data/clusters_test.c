/* clusters_test.c -- the column that clusters rows, and their keys. */
#include "data/clusters.h"
#include "support.h"

#include <string.h>

static void persons_are_known_by_the_columns_name(void **state) {
  static const char *const patients[] = { "patient",    "Patient",    "patients",   "patient_id",
                                          "PATIENT ID", "PatientID",  "patientId",  "patient-no",
                                          "patient.id", "PatientUID", "patient_ids" };
  static const char *const subjects[] = { "subject", "Subjects", "subject_id", "SUBJECTID" };
  static const char *const others[] = { "",    "groups",     "outpatient", "patient_age",
                                        "pat", "patientsex", "site",       "subject_line",
                                        "_",   "id" };
  (void)state;
  for (size_t i = 0; i < sizeof patients / sizeof *patients; i++) {
    const char *const noun = crd__data_cluster_noun(patients[i]);
    if (!noun || strcmp(noun, "patients") != 0) fail_msg("%s", patients[i]);
  }
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    assert_string_equal(crd__data_cluster_noun(subjects[i]), "subjects");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (crd__data_cluster_noun(others[i])) fail_msg("'%s' is no person", others[i]);
  assert_true(crd__data_cluster_same("patient", "PatientID") && crd__data_cluster_same(NULL, NULL));
  assert_true(crd__data_cluster_same("site", "site"));
  assert_false(crd__data_cluster_same("patient", "subject") ||
               crd__data_cluster_same("site", "sites"));
  assert_false(crd__data_cluster_same("patient", NULL) || crd__data_cluster_same(NULL, "patient"));
}

/* In Python: int.from_bytes(hashlib.sha256(b"P001").digest()[:8], "little"). */
static void keys_are_the_names_sha256(void **state) {
  (void)state;
  assert_true(crd__data_cluster_key("P001") == UINT64_C(0xcf4bff1e05401edf));
  assert_true(crd__data_cluster_key("7") == UINT64_C(0x8e8a2ce49b690279));
  static const char *const sevens[] = { "007", "+7", "7.0", "7e0" };
  for (size_t i = 0; i < sizeof sevens / sizeof *sevens; i++)
    assert_true(crd__data_cluster_key(sevens[i]) == crd__data_cluster_key("7"));
  static const char *const names[] = { "7",
                                       "-7",
                                       "7.5",
                                       "P7",
                                       "p7",
                                       "7 ",
                                       "nan",
                                       "inf",
                                       "",
                                       "07a",
                                       "9007199254740992",
                                       "9007199254740993" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t j = 0; j < i; j++)
      assert_true(crd__data_cluster_key(names[i]) != crd__data_cluster_key(names[j]));
}

enum { ROWS = 6 };
static const double scores[ROWS][2] = { { 0 } };
static const int64_t labels[ROWS] = { 0 };
static const int64_t numbers[ROWS] = { 7, -3, 7, 8, -3, 8 };
static const unsigned char words[ROWS] = { 1, 0, 1, 2, 0, 2 };
static const char *const names[] = { "-3", "7", "8" };

static crd_predictions_parts parts_with(const crd_group_column *columns, size_t count,
                                        const char *cluster) {
  return (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                  .scores = crd_array_matrix(scores, CRD_F64, ROWS, 2),
                                  .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                  .input = CRD_INPUT_LOGITS,
                                  .group_columns = columns,
                                  .group_column_count = count,
                                  .cluster = cluster };
}

static crd_predictions *make(crd_context *ctx, const crd_predictions_parts *parts) {
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static crd_group_column numbered(const char *name) {
  return (crd_group_column){ name, crd_array_matrix(numbers, CRD_I64, ROWS, 1), NULL, 0 };
}
static crd_group_column named(const char *name) {
  return (crd_group_column){ name, crd_array_matrix(words, CRD_U8, ROWS, 1), names, 3 };
}

/* Ids as numbers and as text give the same clusters. */
static void keys_follow_the_name(void **state) {
  const crd_group_column columns[] = { numbered("site"), numbered("patient"), named("SubjectID") };
  static const char *const asked[] = { NULL, "auto", "patient", "SubjectID", "site" };
  static const char *const found[] = { "patient", "patient", "patient", "SubjectID", "site" };
  for (size_t c = 0; c < sizeof asked / sizeof *asked; c++) {
    const crd_predictions_parts parts = parts_with(columns, 3, asked[c]);
    crd_predictions *const p = make(*state, &parts);
    assert_string_equal(crd_predictions_cluster(p), found[c]);
    for (size_t i = 0; i < ROWS; i++)
      assert_true(p->cluster_keys[i] == crd__data_cluster_key(names[words[i]]));
    crd_predictions_destroy(p);
  }
}

static void rows_are_independent_by_default(void **state) {
  const crd_group_column columns[] = { numbered("site"), numbered("patient") };
  crd_predictions_parts parts = parts_with(columns, 1, NULL);
  parts.groups = crd_array_matrix(numbers, CRD_I64, ROWS, 1);
  crd_predictions *p = make(*state, &parts);
  assert_null(crd_predictions_cluster(p));
  assert_string_equal(crd_predictions_group_column(p, 0), "groups");
  assert_string_equal(crd_predictions_group_column(p, 1), "site");
  assert_null(crd_predictions_group_column(p, 2));
  crd_predictions_destroy(p);
  parts = parts_with(columns, 2, "none");
  p = make(*state, &parts);
  assert_null(crd_predictions_cluster(p));
  crd_predictions_destroy(p);
  parts = parts_with(columns, 2, "ward");
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "no group column 'ward'"));
}

/* The clusters of another model's file are shared unless it clusters the rows differently. */
static void clusters_are_shared(void **state) {
  const crd_group_column person = named("patient"), other = numbered("subject");
  crd_predictions_parts parts = parts_with(&person, 1, NULL);
  crd_predictions *const from = make(*state, &parts);
  parts.group_column_count = 0;
  crd_predictions *const to = make(*state, &parts);
  assert_int_equal(crd_predictions_share_clusters(*state, to, from), CRD_OK);
  assert_string_equal(crd_predictions_cluster(to), "patient");
  assert_memory_equal(to->cluster_keys, from->cluster_keys, ROWS * sizeof *to->cluster_keys);
  const uint64_t *const keys = to->cluster_keys;
  const char *const word = crd_predictions_cluster(to);
  assert_int_equal(crd_predictions_share_clusters(*state, to, from), CRD_OK);
  assert_ptr_equal(to->cluster_keys, keys); /* nothing to change: others may be reading */
  assert_ptr_equal(crd_predictions_cluster(to), word);
  parts.group_column_count = 1; /* the same patients, numbered differently in another file */
  const crd_group_column renamed = { "patient", crd_array_matrix(words, CRD_U8, ROWS, 1), NULL, 0 };
  parts.group_columns = &renamed;
  crd_predictions *const again = make(*state, &parts);
  assert_true(again->cluster_keys[0] != from->cluster_keys[0]);
  assert_int_equal(crd_predictions_share_clusters(*state, again, from), CRD_OK);
  assert_memory_equal(again->cluster_keys, from->cluster_keys, ROWS * sizeof *to->cluster_keys);
  crd_predictions_destroy(again);
  static const int64_t coarse[ROWS] = { 1, 2, 1, 1, 2, 1 }, fine[ROWS] = { 1, 2, 1, 3, 4, 3 };
  const int64_t *const others[] = { coarse, fine };
  for (size_t i = 0; i < 2; i++) { /* different clusters are not replaced */
    const crd_group_column unlike = { "patient", crd_array_matrix(others[i], CRD_I64, ROWS, 1),
                                      NULL, 0 };
    parts.group_columns = &unlike;
    crd_predictions *const apart = make(*state, &parts);
    assert_int_equal(crd_predictions_share_clusters(*state, apart, from), CRD_OK);
    assert_true(apart->cluster_keys[0] == crd__data_cluster_key("1"));
    crd_predictions_destroy(apart);
  }
  parts = parts_with(&other, 1, NULL);
  crd_predictions *const own = make(*state, &parts);
  assert_int_equal(crd_predictions_share_clusters(*state, own, from), CRD_OK);
  assert_string_equal(crd_predictions_cluster(own), "patient"); /* the same clusters */
  crd_predictions_destroy(own);
  crd_predictions_destroy(to);
  crd_predictions_destroy(from);
}

/* Picked rows keep their cluster, and splits keep clusters together, of any sizes. */
static void splits_keep_clusters_together(void **state) {
  enum { MANY = 300, PATIENTS = 37 };
  static double many[MANY][2];
  static int64_t zeros[MANY], patient[MANY];
  unsigned fold[MANY], of[PATIENTS];
  for (size_t i = 0; i < MANY; i++) patient[i] = (int64_t)(i * i % 97 % PATIENTS);
  const crd_group_column columns[] = {
    { "site", crd_array_matrix(zeros, CRD_I64, MANY, 1), NULL, 0 },
    { "patient", crd_array_matrix(patient, CRD_I64, MANY, 1), NULL, 0 },
  };
  crd_predictions_parts parts = parts_with(columns, 2, NULL);
  parts.scores = crd_array_matrix(many, CRD_F64, MANY, 2);
  parts.labels = crd_array_matrix(zeros, CRD_I64, MANY, 1);
  crd_predictions *const p = make(*state, &parts);
  assert_int_equal(crd_predictions_split(*state, p, CRD_SPLIT_GROUPS, 5, fold), CRD_OK);
  memset(of, 0xff, sizeof of);
  for (size_t i = 0; i < MANY; i++) {
    if (of[patient[i]] == UINT32_MAX) of[patient[i]] = fold[i];
    assert_int_equal(of[patient[i]], fold[i]);
  }
  const size_t rows[] = { 5, 250, 17 };
  crd_predictions *picked;
  assert_int_equal(crd__data_predictions_pick(*state, p, rows, 3, &picked), CRD_OK);
  for (size_t i = 0; i < 3; i++)
    assert_true(picked->cluster_keys[crd__data_row_at(picked, i)] == p->cluster_keys[rows[i]]);
  crd_predictions_destroy(picked);
  crd_predictions_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(persons_are_known_by_the_columns_name),
    cmocka_unit_test(keys_are_the_names_sha256),
    cmocka_unit_test(keys_follow_the_name),
    cmocka_unit_test(rows_are_independent_by_default),
    cmocka_unit_test(clusters_are_shared),
    cmocka_unit_test(splits_keep_clusters_together),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
