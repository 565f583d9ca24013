/* datasets_test.c -- every allocation fails once, for every kind of dataset and what is done with
 * it.
 */
#include "conform/datasets.h"
#include "fault/sweep.h"

/* Reads a few rows: threads of a loader allocate at any time, which is tested beside it. */
static crd_status read_some(crd_context *ctx, const crd_dataset *dataset) {
  static int64_t sample[2 * CIFAR_PIXELS];
  crd_status status = CRD_OK;
  for (size_t row = 0; status == CRD_OK && row < 2; row++)
    status = crd_dataset_read(ctx, dataset, &row, 1, sample);
  return status;
}

static crd_status use(crd_context *ctx, const void *what) {
  crd_dataset *all = NULL, *part = NULL;
  crd_encoding *encoding = NULL;
  crd_overlap overlap;
  crd_status status = crd_dataset_open(ctx, what, NULL, &all);
  assert_true((status == CRD_OK) == (all != NULL));
  if (status == CRD_OK) status = crd_dataset_part(ctx, all, 0, 70, CRD_SPLIT_STRATIFIED, 1, &part);
  if (status == CRD_OK) status = crd_encoding_learn(ctx, all, NULL, &encoding);
  if (status == CRD_OK) status = crd_dataset_encode(ctx, all, encoding);
  if (status == CRD_OK) status = crd_dataset_compare(ctx, all, part, &overlap);
  if (status == CRD_OK) status = read_some(ctx, all);
  crd_encoding_destroy(encoding);
  crd_dataset_destroy(part);
  crd_dataset_destroy(all);
  return status;
}

static void datasets_survive(void **state) {
  crd_context *const ctx = *state;
  const crd_dataset_kind_info *kind;
  for (size_t i = 0; (kind = crd_dataset_kind_at(i)); i++) {
    example e;
    if (example_make(ctx, kind, &e)) sweep(use, e.data, e.data);
    example_remove(&e);
  }
}

static void files_without_a_kind_survive(void **state) {
  crd_context *const ctx = *state;
  const char *const folder = make_folder(NULL, "plain");
  char path[600], corrupted[700];
  static const char *const names[] = { "images", "labels" };
  snprintf(path, sizeof path, "%s/plain.npz", folder);
  put_npz(ctx, path, names, 1);
  snprintf(corrupted, sizeof corrupted, "%s~brightness=2", path);
  sweep(use, corrupted, corrupted);
  put_text_in(folder, "plain.csv",
              "p0,p1,label,group\n.7,.3,0,north\n.2,.8,0,south\n.4,.6,1,west\n");
  snprintf(path, sizeof path, "%s/plain.csv", folder);
  sweep(use, path, path);
  remove_tree(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(datasets_survive), TEST(files_without_a_kind_survive) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
