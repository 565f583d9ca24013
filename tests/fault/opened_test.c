/* opened_test.c -- every allocation fails once, for files that are opened and written. */
#include "fault/sweep.h"

#include "io/format.h"
#include "math/tsne/tsne.h"

static crd_status open_file(crd_context *ctx, const void *path) {
  crd_predictions *p = NULL;
  const crd_result *result = NULL;
  crd_status status = open_test_file(ctx, path, &p);
  assert_true((status == CRD_OK) == (p != NULL));
  if (status == CRD_OK) status = crd_evaluate(ctx, p, NULL, &result);
  crd_result_destroy(result);
  crd_predictions_destroy(p);
  return status;
}

static crd_status identify(crd_context *ctx, const void *path) {
  crd_source source;
  return crd_source_identify(ctx, path, &source);
}

/* Returns whether there is a test file of this format. */
static bool has_test_file(const char *format) {
  for (size_t i = 0; test_file_name(i); i++) {
    const char *const dot = strchr(test_file_name(i), '.');
    if (strcmp(dot + 1, format) == 0) return true;
  }
  return false;
}

/* One file of each format that can be written; the others are tested beside their readers. */
static void formats_survive(void **state) {
  (void)state;
  for (size_t i = 0; crd__io_format_at(i); i++)
    assert_true(!crd__io_format_at(i)->write || has_test_file(crd__io_format_at(i)->info.name));
  for (size_t i = 0; test_file_name(i); i++) {
    char path[256];
    write_test_file(i, &data, path);
    sweep(open_file, path, test_file_name(i));
    sweep(identify, path, test_file_name(i));
    remove_test_file(path);
  }
}

/* Opens the first rows of the data, without names or groups. */
static crd_status data_open(crd_context *ctx, size_t rows, crd_predictions **out) {
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(data.scores, CRD_F64, rows,
                                                                   data.classes),
                                        .labels = crd_array_matrix(data.labels, CRD_I64, rows, 1),
                                        .input = CRD_INPUT_LOGITS };
  return crd_predictions_create(ctx, &parts, out);
}

/* Groups given as text are kept by name. */
static void names_survive(void **state) {
  char path[256];
  (void)state;
  FILE *const file = fopen(temporary_path(path, "sites.csv"), "w");
  fputs("p0,p1,label,group\n.7,.3,0,north\n.2,.8,0,south\n.4,.6,1,north\n", file);
  fclose(file);
  sweep(open_file, path, "groups by name");
  unlink(path);
}

/* Lists the files of a name, and reads them as one data set. */
static crd_status join_files(crd_context *ctx, const void *name) {
  const crd_open_options how = { .size = sizeof how, .group_by = "site" };
  crd_files *files = NULL;
  crd_predictions *p = NULL;
  const crd_result *result = NULL;
  crd_status status = crd_files_list(ctx, name, &files);
  assert_true((status == CRD_OK) == (files != NULL));
  if (status == CRD_OK) assert_true(crd_files_at(files, 1) && !crd_files_at(files, 2));
  if (status == CRD_OK) status = crd_predictions_open(ctx, name, &how, &p);
  assert_true((status == CRD_OK) == (p != NULL));
  if (status == CRD_OK) assert_int_equal(crd_predictions_rows(p), 5);
  if (status == CRD_OK) status = crd_evaluate(ctx, p, NULL, &result);
  crd_result_destroy(result);
  crd_predictions_destroy(p);
  crd_files_destroy(files);
  return status;
}

/* Several files as a list and as a pattern, also with rows: groups and labels by name in tables,
 * numbers and strings in archives; names with '#', which must not be taken for a group. */
static void shards_survive(void **state) {
  static const char *const contents[] = {
    "cat,dog,label,site\n.7,.3,cat,north\n.2,.8,cat,south\n.4,.6,dog,north\n",
    "cat,dog,label,site\n.1,.9,dog,east\n.6,.4,cat,north\n",
  };
  char paths[2][256], name[700];
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    FILE *const file = fopen(temporary_path(paths[i], i ? "shard#2.csv" : "shard#1.csv"), "w");
    assert_non_null(file);
    fputs(contents[i], file);
    fclose(file);
  }
  snprintf(name, sizeof name, "%s,%s", paths[1], paths[0]);
  sweep(join_files, name, "a list of tables");
  snprintf(name, sizeof name, "%s,%s@0:5", paths[0], paths[1]);
  sweep(join_files, name, "rows of a list of tables");
  snprintf(name, sizeof name, "%.*s?.csv", (int)strlen(paths[0]) - 5, paths[0]);
  sweep(join_files, name, "a pattern of tables");
  sweep(identify, name, "a pattern of tables");
  for (size_t i = 0; i < 2; i++) unlink(paths[i]);
}

/* Patients as text in a table and as strings in an archive; also shared with another model. */
static crd_status cluster(crd_context *ctx, const void *path) {
  const crd_open_options how = { .size = sizeof how, .group_by = "site" };
  const crd_evaluate_options what = { .size = sizeof what,
                                      .metrics = "accuracy,auroc",
                                      .resamples = 2 };
  crd_predictions *p = NULL, *other = NULL, *view = NULL;
  crd_evidence *evidence = NULL, *more = NULL;
  const crd_group_table *groups = NULL;
  crd_status status = crd_predictions_open(ctx, path, &how, &p);
  if (status == CRD_OK) status = data_open(ctx, crd_predictions_rows(p), &other);
  if (status == CRD_OK) status = crd_predictions_view(ctx, other, &view);
  if (status == CRD_OK) status = crd_predictions_share_clusters(ctx, view, p);
  if (status == CRD_OK) status = crd_predictions_share_clusters(ctx, other, p);
  if (status == CRD_OK) status = crd_evidence_gather(ctx, p, &what, 0, &evidence);
  if (status == CRD_OK) status = crd_evidence_gather(ctx, p, &what, 100, &more);
  if (status == CRD_OK) status = crd_evidence_merge(ctx, evidence, more);
  if (status == CRD_OK) status = crd_evaluate_groups(ctx, p, &what, &groups);
  crd_group_table_destroy(groups);
  crd_evidence_destroy(evidence);
  crd_evidence_destroy(more);
  crd_predictions_destroy(view);
  crd_predictions_destroy(other);
  crd_predictions_destroy(p);
  return status;
}

static void clusters_survive(void **state) {
  char path[256];
  (void)state;
  FILE *const file = fopen(temporary_path(path, "patients.csv"), "w");
  fputs("p0,p1,label,site,patient\n.7,.3,0,north,P1\n.2,.8,0,south,P2\n.4,.6,1,north,P1\n", file);
  fclose(file);
  sweep(cluster, path, "patients in a table");
  unlink(path);
  sweep(cluster, CREDENCE_SOURCE "/tests/cli/data/patients.npz", "patients in an archive");
}

/* The same archive twice, whose arrays are joined when they are used: numbers and strings. */
static crd_status join_archives(crd_context *ctx, const void *name) {
  const crd_open_options how = { .size = sizeof how, .group_by = "site" };
  crd_predictions *p = NULL;
  crd_status status = crd_predictions_open(ctx, name, &how, &p);
  assert_true((status == CRD_OK) == (p != NULL));
  if (status == CRD_OK) assert_int_equal(crd_predictions_rows(p), 2 * 24);
  crd_predictions_destroy(p);
  return status;
}

static void archives_survive(void **state) {
  static const char archive[] = CREDENCE_SOURCE "/tests/cli/data/patients.npz";
  char link[256], name[700];
  (void)state;
  assert_int_equal(symlink(archive, temporary_path(link, "patients.npz")), 0);
  snprintf(name, sizeof name, "%s,%s", archive, link);
  sweep(join_archives, name, "a list of archives");
  unlink(link);
}

/* Embeds the features (t-SNE) in few iterations. */
static crd_status draw_map(crd_context *ctx, const void *what) {
  const crd__math_tsne_options options = { .perplexity = 5, .iterations = 2, .angle = 0.5 };
  double points[2 * 40] = { -7 };
  (void)what;
  assert_true(data.rows == 40);
  const crd_status status =
      crd__math_tsne(ctx, data.features, data.rows, TEST_FEATURES, &options, points);
  assert_true((status == CRD_OK) == (points[0] != -7)); /* all or nothing */
  return status;
}

static void maps_survive(void **state) {
  (void)state;
  sweep(draw_map, NULL, "t-SNE");
}

static crd_status write_gradient(crd_context *ctx, const void *how) {
  crd_predictions *p = NULL;
  crd_loss *loss = NULL;
  crd_loss_value value;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_loss_create(ctx, "ce + 10*dca", NULL, &loss);
  if (status == CRD_OK) status = crd_loss_predictions(ctx, loss, p, how, &value);
  crd_loss_destroy(loss);
  crd_predictions_destroy(p);
  return status;
}

static void gradients_survive(void **state) {
  char path[300];
  (void)state;
  snprintf(path, sizeof path, "%s.npy", folder_file);
  for (int single = 0; single < 2; single++) {
    const crd_loss_reading how = { .size = sizeof how, .gradient = path, .float32 = single };
    sweep(write_gradient, &how, "a gradient in a file");
  }
  unlink(path);
}

typedef struct {
  char from[300], to[300];
} array_files;

static crd_status keep_array(crd_context *ctx, const void *files) {
  const array_files *const f = files;
  crd_array_file *array = NULL;
  crd_status status = crd_array_file_open(ctx, f->from, &array);
  assert_true((status == CRD_OK) == (array != NULL));
  if (status == CRD_OK) status = crd_array_save(ctx, crd_array_file_array(array), "a", f->to);
  crd_array_file_destroy(array);
  return status;
}

/* An array that is copied when opened: it is in Fortran order. */
static void arrays_survive(void **state) {
  (void)state;
  array_files files;
  char path[256];
  FILE *const file = fopen(temporary_path(path, "order.npy"), "wb");
  fprintf(file, "\x93NUMPY%c%c\x76%c%-118s", 1, 0, 0,
          "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2), }");
  fputs("abcdefgh", file);
  fclose(file);
  snprintf(files.from, sizeof files.from, "%s@1:2", path);
  snprintf(files.to, sizeof files.to, "%s.npz", folder_file);
  sweep(keep_array, &files, "an array");
  unlink(files.to);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(formats_survive),   cmocka_unit_test(names_survive),
    cmocka_unit_test(shards_survive),    cmocka_unit_test(archives_survive),
    cmocka_unit_test(clusters_survive),  cmocka_unit_test(maps_survive),
    cmocka_unit_test(gradients_survive), cmocka_unit_test(arrays_survive),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
