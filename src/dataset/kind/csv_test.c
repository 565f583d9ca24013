/* csv_test.c -- tables: roles of columns, labels of text, missing values. */
#include "dataset/kind/testing.h"

typedef struct {
  const char *text, *label_column;
  size_t rows, features, classes;
  float first[4];
  const char *label; /* of the first row */
} good;

/* Headers and separators, and the column of labels as documented. */
static void the_label_column_is_found(void **state) {
  crd_context *const ctx = *state;
  static const good cases[] = {
    { "\"label\",\"a\",\"b\"\n\"T\",2,8\n\"I\",5,-1e2\n", NULL, 2, 2, 2, { 2, 8 }, "T" },
    { "a,b,target\n1,2,0\n3,4,1\n", NULL, 2, 2, 2, { 1, 2 }, "0" },
    { "a,b,Label\n1,2,x\n3,4,y\n", NULL, 2, 2, 2, { 1, 2 }, "x" },
    { "a;b;class\n1,5;2;x\n3,5;4;y\n", NULL, 2, 2, 2, { 1.5F, 2 }, "x" },
    { "a\tb\tspecies\n1\t2\tiris \"x\"\n3\t4\tb\n", NULL, 2, 2, 2, { 1, 2 }, "iris \"x\"" },
    { "a,b,label\n1,2,x\n3,4,y\n", "a", 2, 0, 0, { 0 }, NULL },
    { "a,b,c\n1,2,3\n3,4,3\n", "b", 2, 2, 2, { 1, 3 }, "2" },
    { "a,b,c\n1,2,3\n3,4,3\n", "0", 2, 2, 2, { 2, 3 }, "1" },
    { "1,2.5,3\n0,4,5\n", NULL, 2, 2, 2, { 2.5F, 3 }, "1" },
    { "T,2,8\nI,5,12\n", NULL, 2, 2, 2, { 2, 8 }, "T" },
    { "5.1,3.5,setosa\n4.9,3,virginica\n", NULL, 2, 2, 2, { 5.1F, 3.5F }, "setosa" },
    { "label,0,1\nx,5,6\ny,7,8\n", NULL, 2, 2, 2, { 5, 6 }, "x" },
    { "label,a\n1.0,5\n1,6\n01,6\n", NULL, 3, 1, 1, { 5 }, "1" },
    { ",label,a\n0,x,5\n1,y,6\n2,x,7\n", NULL, 3, 1, 2, { 5 }, "x" },
    { "id,label,a\n1,x,5\n2,y,6\n", NULL, 2, 1, 2, { 5 }, "x" },
    { "id,label,a\n7,x,5\n9,y,6\n", NULL, 2, 2, 2, { 7, 5 }, "x" }, /* it does not count */
    { "\xef\xbb\xbflabel,a\r\nx,5\r\ny,6\r\n\r\n", NULL, 2, 1, 2, { 5 }, "x" },
    { "label,weight,age\nx,70,5\ny,80,6\n", NULL, 2, 2, 2, { 70, 5 }, "x" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const good *const c = &cases[i];
    const crd_dataset_options options = { .size = sizeof options, .label_column = c->label_column };
    const char *const path = put_text("good.csv", c->text), *const data = data_of("csv", path, "");
    if (c->classes == 0) { /* the column of labels is text: no feature */
      crd_dataset *none;
      FAILS(ctx, CRD_EINPUT, crd_dataset_open(ctx, data, &options, &none),
            "line 2, column 3 ('label'): found 'x', expected a number");
    } else {
      crd_dataset *const dataset = opened_with(ctx, data, &options);
      check_shape(dataset, c->rows, 1, (const int64_t[]){ (int64_t)c->features }, c->classes);
      assert_int_equal(crd_dataset_describe(dataset)->type, CRD_SAMPLES_VECTORS);
      check_row(ctx, dataset, 0, c->first, c->features);
      assert_string_equal(class_of(dataset, 0), c->label);
      crd_dataset_destroy(dataset);
    }
    unlink(path);
  }
}

static void bad_tables_fail(void **state) {
  crd_context *const ctx = *state;
  static const struct {
    const char *text, *words;
  } cases[] = {
    { "label,a,b\nx,1,2\ny,,4\n",
      "bad.csv: line 3, column 2 ('a'): found nothing, expected a number; missing values are not" },
    { "label,a,b\nx,1,2\ny,NA,4\n", "bad.csv: line 3, column 2 ('a'): found 'NA', expected" },
    { "label,a,b\nx,1,2\ny,nan,4\n", "found 'nan', expected a finite number of float32" },
    { "label,a,b\nx,1,2\ny,1e39,4\n", "found '1e39', expected a finite number of float32" },
    { "label,a,town\nx,1,Bern\ny,2,Rome\n",
      "bad.csv: line 2, column 3 ('town'): found 'Bern', expected a number; encode text" },
    { "label,a\n,1\ny,2\n",
      "bad.csv: line 2, column 1 ('label'): found nothing, expected a label" },
    { "label,a\n0.5,1\n1,2\n",
      "line 2, column 1 ('label'): found '0.5', expected a class (an integer, or text); "
      "label_column chooses the column" },
    { "label,a\nx,NA\ny,2\nz,NA\n", "line 2, column 2 ('a'): found 'NA'" }, /* still a header */
    { "a,b\n1,2\n3,4\n", "bad.csv: no column of labels: found a, b; expected label, target" },
    { "a,town,kind\n1,Bern,x\n2,Rome,y\n", "bad.csv: no column of labels: found a, town, kind" },
    { "label\nx\ny\n", "bad.csv: no column of features: found 1 columns" },
    { "label,a\n", "bad.csv: there are no rows" },
    { "label,a\nx,1\ny,1,2\n", "bad.csv: line 3 has at least 3 fields, the first line has 2" },
    { "label,a,b\nx,1,2\ny,1\n", "bad.csv: line 3 has 2 fields, the first line has 3" },
    { "label,a\nx,\"1\n", "a quote is opened and not closed" },
    { "", "bad.csv: the file is empty" },
    { "\n \n", "bad.csv: the file holds blank lines only" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const path = put_text("bad.csv", cases[i].text);
    REFUSED(ctx, CRD_EINPUT, data_of("csv", path, ""), cases[i].words);
    unlink(path);
  }
  const char *const path = put_text("bad.csv", "label,a\nx,1\n");
  crd_dataset *dataset;
  FAILS(ctx, CRD_EINPUT,
        crd_dataset_open(
            ctx, data_of("csv", path, ""),
            &(crd_dataset_options){ .size = sizeof(crd_dataset_options), .label_column = "nope" },
            &dataset),
        "bad.csv: there is no column 'nope'");
  REFUSED(ctx, CRD_EUSAGE, data_of("csv", path, "#train"), "no column 'split'");
  unlink(path);
  REFUSED(ctx, CRD_EUSAGE, "csv", "expected csv:PATH");
}

static void groups_and_splits_are_columns(void **state) {
  crd_context *const ctx = *state;
  const char *const path = put_text("roles.csv", "split,patient_id,label,a\ntrain,7,x,1\n"
                                                 "test,8,y,2\ntrain,7,y,3\n");
  crd_dataset *dataset = opened(ctx, data_of("csv", path, ""));
  check_shape(dataset, 3, 1, (const int64_t[]){ 1 }, 2);
  assert_true(crd_dataset_describe(dataset)->has_groups);
  assert_string_equal(crd_dataset_group(dataset, 0), "7");
  assert_string_equal(crd_dataset_group(dataset, 2), "7");
  crd_dataset_destroy(dataset);
  dataset = opened(ctx, data_of("csv", path, "#test"));
  assert_int_equal(crd_dataset_describe(dataset)->rows, 1);
  check_row(ctx, dataset, 0, (const float[]){ 2 }, 1);
  crd_dataset_destroy(dataset);
  REFUSED(ctx, CRD_EUSAGE, data_of("csv", path, "#val"), "no split is called 'val'");
  fail_each_allocation(open_and_read, data_of("csv", path, "#train"));
  put_text("roles.csv", "split,patient_id,label,a\ntrain,7,x,1\ntest,7,y,2\n");
  REFUSED(ctx, CRD_EINPUT, data_of("csv", path, "#train"),
          "group '7' is in split 'train' and in split 'test'");
  unlink(path);
}

static void notes_tell_what_was_guessed(void **state) {
  crd_context *const ctx = *state;
  const char *const path = put_text("notes.csv", "index,a,kind\n0,5,x\n1,6,y\n");
  crd_dataset *const dataset = opened(ctx, data_of("csv", path, ""));
  assert_string_equal(crd_dataset_note(dataset, 0),
                      "column 0 ('index') counts the rows and is not used");
  assert_non_null(
      strstr(crd_dataset_note(dataset, 1), "labels are column 2, the only one of text"));
  crd_dataset_destroy(dataset);
  unlink(path);
}

static void real_tables_are_read(void **state) {
  crd_context *const ctx = *state;
  if (lean_refuses("letter.csv.gz")) return;
  static const struct {
    const char *name;
    size_t rows, features, classes;
  } cases[] = {
    { "letter", 20000, 16, 26 }, { "satellite", 6435, 36, 6 }, { "spam", 4601, 57, 2 },
    { "dna", 3186, 180, 3 },     { "vowel", 990, 10, 11 },     { "pima", 768, 8, 2 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[512];
    snprintf(path, sizeof path, "%.400s/data/tabular/%s.csv.gz", shared_folder(), cases[i].name);
    if (!is_there("dataset-csv", path)) return;
    crd_dataset *const dataset = opened(ctx, data_of("csv", path, ""));
    check_shape(dataset, cases[i].rows, 1, (const int64_t[]){ (int64_t)cases[i].features },
                cases[i].classes);
    crd_dataset_destroy(dataset);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(the_label_column_is_found),     TEST(bad_tables_fail),
    TEST(groups_and_splits_are_columns), TEST(notes_tell_what_was_guessed),
    TEST(real_tables_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
