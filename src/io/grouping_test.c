/* grouping_test.c -- group columns of files: by name, as text or numbers, and which clusters rows.
 */
#include "io/testing.h"

#include "data/array.h"
#include "data/clusters.h"
#include "data/predictions.h"
#include "io/write.h"

enum { ROWS = 4 };
static const double logits[ROWS][3] = { { 3, -1, 0 }, { -2, 4, 1 }, { 5, 0, -3 }, { 1, 2, 9 } };
static const int32_t labels[ROWS] = { 0, 1, 0, 2 };
static const int16_t sites[ROWS] = { 4, -1, 4, -1 }, people[ROWS] = { 7, 8, 9, 7 };
static const double fractions[ROWS] = { 1, 2, 2.5, 1 };

static crd__io_array array(const char *name, const void *data, crd_dtype dtype, size_t rows) {
  return (crd__io_array){ .name = name, .view = crd_array_matrix(data, dtype, rows, 1) };
}

/* Writes logits and labels with this prefix, and up to two more arrays. */
static const char *put_npz(crd_context *ctx, const char *prefix, crd__io_array a, crd__io_array b) {
  char names[2][32];
  snprintf(names[0], sizeof names[0], "%slogits", prefix);
  snprintf(names[1], sizeof names[1], "%slabels", prefix);
  const crd__io_array arrays[] = { { .name = names[0],
                                     .view = crd_array_matrix(logits, CRD_F64, ROWS, 3) },
                                   array(names[1], labels, CRD_I32, ROWS),
                                   a,
                                   b };
  const char *const path = scratch_path("g.npz");
  WORKS(ctx, crd__io_bundle_write(ctx, path, arrays, b.name ? 4 : 3));
  return path;
}

static crd_predictions *open_as(crd_context *ctx, const char *path, const char *tail,
                                crd_open_options options) {
  char text[512];
  crd_predictions *p;
  options.size = sizeof options; /* tables leave it out */
  snprintf(text, sizeof text, "%s%s", path, tail);
  WORKS(ctx, crd_predictions_open(ctx, text, &options, &p));
  return p;
}

static bool has_note(const crd_predictions *p, const char *words) {
  for (size_t i = 0; crd_predictions_note(p, i); i++)
    if (strstr(crd_predictions_note(p, i), words)) return true;
  return false;
}

/* An array named patient clusters the rows; other groups do so only on request. */
static void arrays_by_name(void **state) {
  static const struct {
    const char *prefix, *first, *second, *tail;
    crd_open_options options;
    const char *cluster; /* NULL: none */
    size_t columns;
  } cases[] = {
    { "", "groups", NULL, "", { 0 }, NULL, 1 },
    { "", "groups", NULL, "", { .cluster = "groups" }, "groups", 1 },
    { "", "group", NULL, "", { .cluster = "groups" }, "groups", 1 },
    { "", "group", NULL, "", { .cluster = "group" }, "group", 1 },
    { "", "groups", "PatientID", "", { 0 }, "PatientID", 2 },
    { "", "groups", "PatientID", "", { .cluster = "none" }, NULL, 1 },
    { "", "groups", "subjects", "", { .cluster = "groups" }, "groups", 1 },
    { "", "ward", "subjects", "", { .cluster = "groups" }, "subjects", 1 },
    { "", "ward", "subjects", "", { .cluster = "ward" }, "ward", 1 },
    { "", "ward", "groups", "", { .group_by = "ward,groups,ward" }, NULL, 2 },
    { "val_", "val_patient", "patient", "#val", { 0 }, "patient", 1 },
    { "val_", "test_patient", "patients", "#val", { 0 }, NULL, 0 },
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const char *const path =
        put_npz(*state, cases[c].prefix, array(cases[c].first, sites, CRD_I16, ROWS),
                array(cases[c].second, people, CRD_I16, ROWS));
    crd_predictions *const p = open_as(*state, path, cases[c].tail, cases[c].options);
    const char *const cluster = crd_predictions_cluster(p);
    if (!cluster != !cases[c].cluster || (cluster && strcmp(cluster, cases[c].cluster) != 0) ||
        p->parts.group_column_count != cases[c].columns)
      fail_msg("case %zu: %s, %zu columns", c, cluster ? cluster : "none",
               p->parts.group_column_count);
    crd_predictions_destroy(p);
    unlink(path);
  }
}

/* Requested groups must exist and fit; arrays that only have such a name are skipped, with a note.
 */
static void mismatches_fail(void **state) {
  const struct {
    crd__io_array array;
    const char *words;
  } cases[] = {
    { array("patient", people, CRD_I16, 3), "patient is 3 x 1, expected a group for each of 4" },
    { array("patient", fractions, CRD_F64, ROWS), "patient row 2 is neither an integer" },
  };
  crd_predictions *p;
  for (size_t c = 0; c < 2; c++) {
    const char *const path = put_npz(*state, "", cases[c].array, (crd__io_array){ 0 });
    const crd_open_options asked = { .size = sizeof asked, .cluster = "patient" };
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, &asked, &p), cases[c].words);
    p = open_as(*state, path, "", (crd_open_options){ .size = sizeof(crd_open_options) });
    assert_null(crd_predictions_cluster(p));
    assert_true(has_note(p, "rows are not clustered by patient") && has_note(p, cases[c].words));
    crd_predictions_destroy(p);
    const crd_open_options missing = { .size = sizeof missing, .group_by = "patient,ward" };
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, &missing, &p),
          c ? "patient row 2" : "patient is 3 x 1");
    unlink(path);
  }
  const char *const path =
      put_npz(*state, "", array("ward", sites, CRD_I16, ROWS), (crd__io_array){ 0 });
  const crd_open_options missing = { .size = sizeof missing, .group_by = "ward,floor" };
  FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, &missing, &p),
        "no array or column 'floor' to group rows by: found logits, labels, ward");
  unlink(path);
}

static crd_predictions *open_text(crd_context *ctx, const char *text, crd_open_options options) {
  const char *const path = put_file("g.csv", text, strlen(text));
  crd_predictions *const p = open_as(ctx, path, "", options);
  unlink(path);
  return p;
}

/* Group columns of a table are chosen by name or index; they are text unless all values are
 * integers. */
static void columns_of_a_table(void **state) {
  static const char text[] = "Patient_ID,site,label,a,b,ward\n"
                             "007,north,0,3,1,2\n12,south,1,2,4,3\n7,north,1,1,2,2\n";
  crd_predictions *p = open_text(
      *state, text, (crd_open_options){ .size = sizeof(crd_open_options), .group_by = "site,5" });
  assert_string_equal(crd_predictions_cluster(p), "Patient_ID");
  assert_int_equal(crd_predictions_classes(p), 2);
  assert_int_equal(p->parts.group_column_count, 3);
  assert_string_equal(crd_predictions_group_column(p, 0), "site");
  assert_string_equal(crd_predictions_group_column(p, 1), "5");
  const crd_group_column *const site = &p->parts.group_columns[0];
  assert_string_equal(site->names[(size_t)crd__data_array_number(&site->ids, 1, 0)], "south");
  assert_true(crd__data_array_number(&p->parts.group_columns[1].ids, 1, 0) == 3);
  assert_true(p->cluster_keys[0] == crd__data_cluster_key("7"));
  assert_true(p->cluster_keys[1] == crd__data_cluster_key("12"));
  assert_true(p->cluster_keys[2] == p->cluster_keys[0]);
  crd_predictions_destroy(p);
  /* One name that is not an integer makes all of them text; the groups do not change. */
  p = open_text(*state, "subject,label,a,b\n007,0,3,1\n7,1,2,4\nP1,1,1,2\n",
                (crd_open_options){ .size = sizeof(crd_open_options) });
  assert_true(p->cluster_keys[0] == crd__data_cluster_key("7"));
  assert_true(p->cluster_keys[1] == p->cluster_keys[0]);
  assert_true(p->cluster_keys[2] == crd__data_cluster_key("P1"));
  crd_predictions_destroy(p);
}

/* A class may be called patient: a column of scores is not a group column. */
static void a_class_called_patient(void **state) {
  crd_predictions *p = open_text(*state, "label,patient,control\n0,1,0\n1,0.25,0.75\n",
                                 (crd_open_options){ .size = sizeof(crd_open_options) });
  assert_int_equal(crd_predictions_classes(p), 2);
  assert_string_equal(crd_predictions_class_name(p, 0), "patient");
  assert_null(crd_predictions_cluster(p));
  crd_predictions_destroy(p);
  p = open_text(*state, "label,patient,a,b\n0,1,0.5,0.5\n1,2,0.25,0.75\n",
                (crd_open_options){ .size = sizeof(crd_open_options), .columns = "patient,b" });
  assert_string_equal(crd_predictions_class_name(p, 0), "patient");
  assert_null(crd_predictions_cluster(p));
  crd_predictions_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(arrays_by_name), TEST(mismatches_fail),
                                      TEST(columns_of_a_table), TEST(a_class_called_patient) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
