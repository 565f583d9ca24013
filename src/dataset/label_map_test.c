/* label_map_test.c -- labels merged and renamed. */
#include "dataset/kind/testing.h"

static const char table[] = "label,a\nnormal,1\nviral,2\nbacterial,3\nnormal,4\n";

static crd_dataset *mapped(crd_context *ctx, const char *data, const char *map) {
  return opened_with(
      ctx, data, &(crd_dataset_options){ .size = sizeof(crd_dataset_options), .label_map = map });
}

static void labels_get_other_classes(void **state) {
  crd_context *const ctx = *state;
  const char *const path = put_text("map.csv", table), *const data = data_of("csv", path, "");
  static const struct {
    const char *map;
    size_t classes;
    const char *expected[4];
  } cases[] = {
    { "any=1,normal=0", 2, { "0", "1", "1", "0" } },
    { "normal=0,any=1", 2, { "0", "1", "1", "0" } },
    { "normal=b,viral=c,bacterial=a", 3, { "b", "c", "a", "b" } },
    { "any=all", 1, { "all", "all", "all", "all" } },
    { "any=1,normal=0,absent=2", 2, { "0", "1", "1", "0" } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_dataset *const dataset = mapped(ctx, data, cases[i].map);
    assert_int_equal(crd_dataset_describe(dataset)->classes, cases[i].classes);
    for (size_t row = 0; row < 4; row++)
      assert_string_equal(class_of(dataset, row), cases[i].expected[row]);
    const char *const note = crd_dataset_note(dataset, 0);
    if (strstr(cases[i].map, "absent")) assert_non_null(strstr(note, "labelled 'absent'"));
    else assert_null(note);
    crd_dataset_destroy(dataset);
  }
  unlink(path);
}

static void bad_maps_fail(void **state) {
  crd_context *const ctx = *state;
  const char *const path = put_text("map.csv", table), *const data = data_of("csv", path, "");
  static const struct {
    const char *map;
    crd_status status;
    const char *words;
  } cases[] = {
    { "", CRD_EUSAGE, "label_map: found '', expected NAME=CLASS" },
    { "normal", CRD_EUSAGE, "label_map: found 'normal', expected NAME=CLASS" },
    { "normal=0,=1", CRD_EUSAGE, "found '=1', expected NAME=CLASS" },
    { "normal=0,viral=", CRD_EUSAGE, "found 'viral=', expected NAME=CLASS" },
    { "normal=0,viral=1", CRD_EINPUT, "map.csv: label 'bacterial' has no class in label_map" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd_dataset_options options = { .size = sizeof options, .label_map = cases[i].map };
    crd_dataset *dataset;
    FAILS(ctx, cases[i].status, crd_dataset_open(ctx, data, &options, &dataset), cases[i].words);
    assert_null(dataset);
  }
  unlink(path);
}

static crd_status open_mapped(crd_context *ctx, const void *data) {
  crd_dataset *dataset;
  const crd_dataset_options options = { .size = sizeof options,
                                        .label_map = "any=1,normal=0,absent=3" };
  const crd_status status = crd_dataset_open(ctx, data, &options, &dataset);
  crd_dataset_destroy(dataset);
  return status;
}

static void no_allocation_leaks(void **state) {
  (void)state;
  const char *const path = put_text("map.csv", table);
  fail_each_allocation(open_mapped, data_of("csv", path, ""));
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(labels_get_other_classes), TEST(bad_maps_fail),
                                      TEST(no_allocation_leaks) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
