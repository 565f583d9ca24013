/* csv_test.c -- the role of each column of a table, and every way in which a table can be invalid.
 */
#include "data/array.h"
#include "io/format/csv_testing.h"

static void test_tables(void **state) {
  static const struct {
    table t;
    const char *entries;
  } cases[] = {
    { { "x.csv", "label,a,b\n0,1,2\n1,3,4\n", NULL, NULL }, "scores=1,2;3,4 label=0;1" },
    { { "x.csv", "a,y,b\n1,0,2\n3,1,4", NULL, NULL }, "scores=1,2;3,4 y=0;1" },
    { { "x.csv", "0,1,2\n1,3,4\n", NULL, NULL }, "scores=1,2;3,4 label=0;1" },
    { { "x.tsv", "0\t1\t2\n", NULL, NULL }, "scores=1,2 label=0" },
    { { "x.txt", "label\ta,b\n0\t1\n", NULL, NULL }, "scores=1 label=0" },
    { { "-", "label,a\n0,1\n", NULL, NULL }, "scores=1 label=0" },
    { { "x.csv", "\xef\xbb\xbflabel,a\r\n0,1\r\n\r\n \n", NULL, NULL }, "scores=1 label=0" },
    { { "x.csv", " \"label\" , \"a, \"\"b\"\"\" \n \"0\", 1e2 \n", NULL, NULL },
      "scores=100 label=0" },
    { { "x.csv", "label,\"a\nb\"\n0,1\n", NULL, NULL }, "scores=1 label=0" },
    { { "x.csv", "weight,group,label,p,confidence\n1,u,0,5,9\n2,v,1,6,9\n3,u,1,7,9\n", NULL, NULL },
      "scores=5;6;7 label=0;1;1 weight=1;2;3 group=0;1;0" },
    { { "x.csv", "group,label,p\n7,0,1\n-2,1,0\n7,1,0\n", NULL, NULL },
      "scores=1;0;0 label=0;1;1 group=7;-2;7" },
    { { "x.csv", "group,label,p\n9007199254740992,0,1\n3,1,0\n", NULL, NULL },
      "scores=1;0 label=0;1 group=9007199254740992;3" },
    { { "x.csv", "group,label,p\n9007199254740993,0,1\n9007199254740992,1,0\n", NULL, NULL },
      "scores=1;0 label=0;1 group=0;1" },
    { { "x.csv", "confidence,correct\n.9,1\n", NULL, NULL }, "confidence=0.9 correct=1" },
    { { "x.csv", "true_label,pred_label,confidence\n1,2,.5\n", NULL, NULL },
      "confidence=0.5 true_label=1 pred_label=2" },
    { { "x.csv", "file,label,a,b\nx.png,0,1,2\n", NULL, "b,a" }, "scores=2,1 label=0" },
    { { "x.csv", "file,label,a,b\n,0,1,2\n", NULL, "3,a" }, "scores=2,1 label=0" },
    { { "x.csv", "c,label,a\n1,0,2\n", "c", NULL }, "scores=2 label=1" },
    { { "x.csv", "5,6,1\n", "2", NULL }, "scores=5,6 label=1" },
    { { "x.csv", "5,6,1\n", NULL, "0,1" }, "scores=5,6" },
    { { "x.csv", "5,6,1\n", "0", "2" }, "scores=1 label=5" },
    { { "x.csv", "3\n1\n", NULL, NULL }, "label=3;1" },
    { { "x.csv", "label,a\n0,-inf\n1,Infinity\n", NULL, NULL }, "scores=-inf;inf label=0;1" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__io_bundle *bundle;
    char text[512];
    WORKS(*state, open_table(*state, &cases[i].t, &bundle));
    describe(bundle, text, sizeof text);
    assert_string_equal(text, cases[i].entries);
    crd__io_bundle_destroy(bundle);
  }
}

static void test_faults(void **state) {
  static const struct {
    table t;
    const char *words;
    crd_status status;
  } cases[] = {
    { { "x.csv", "label,mass\n0,1\n1,abc\n", NULL, NULL },
      "x.csv: line 3, column 2 ('mass'): found 'abc', expected a number",
      CRD_EINPUT },
    { { "x.csv", "0,1\n1,1 2\n", NULL, NULL }, "line 2, column 2: found '1 2'", CRD_EINPUT },
    { { "x.csv", "label,a\n0,\n", NULL, NULL },
      "line 2, column 2 ('a'): found nothing, expected a number",
      CRD_EINPUT },
    { { "x.csv", "label,a,b\n0,1,2\n0,1\n", NULL, NULL },
      "x.csv: line 3 has 2 fields, the first line has 3",
      CRD_EINPUT },
    { { "x.csv", "label,a,b\n0,1,2,3,4\n", NULL, NULL },
      "line 2 has at least 4 fields, the first line has 3",
      CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n\n1,2\n", NULL, NULL },
      "line 3 has 1 fields, the first line has 2",
      CRD_EINPUT },
    { { "x.csv", "label\n0\n\n1\n", NULL, NULL },
      "line 3, column 1 ('label'): found nothing",
      CRD_EINPUT },
    { { "x.csv", "label,\"a\nb\"\n0,x\n", NULL, NULL }, "line 3, column 2 ('a?b')", CRD_EINPUT },
    { { "x.csv", "label,a\n0,\"1\n", NULL, NULL },
      "line 2, column 2: a quote is opened and not closed",
      CRD_EINPUT },
    { { "x.csv", "label,a\n0,\"1\"2\n", NULL, NULL },
      "found '2' after a closing quote",
      CRD_EINPUT },
    { { "x.csv", "", NULL, NULL }, "x.csv: the file is empty", CRD_EINPUT },
    { { "x.csv", " \r\n\n", NULL, NULL }, "blank lines only", CRD_EINPUT },
    { { "x.csv", "label,a\n", NULL, NULL }, "there are no rows", CRD_EINPUT },
    { { "x.csv", "label,target,a\n0,0,1\n", NULL, NULL },
      "columns 'label' and 'target' have the same role",
      CRD_EINPUT },
    { { "x.csv", "weights,weight,a\n0,0,1\n", NULL, NULL }, "have the same role", CRD_EINPUT },
    { { "x.csv", ",label,a\n0.5,0,1\n", NULL, NULL },
      "column 1 has no name in the first line",
      CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n", "z", NULL }, "there is no column 'z'", CRD_EINPUT },
    { { "x.csv", "0,1\n0,1\n", "2", NULL },
      "there is no column '2', allowed are 0 .. 1",
      CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n", NULL, "a,a" }, "column 'a' is listed twice", CRD_EUSAGE },
    { { "x.csv", "label,a\n0,1\n", "a", "a" }, "cannot be both a score and the label", CRD_EUSAGE },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__io_bundle *bundle;
    FAILS(*state, cases[i].status, open_table(*state, &cases[i].t, &bundle), cases[i].words);
    assert_null(bundle);
  }
}

static void test_zero_byte(void **state) {
  static const char text[] = "label,a\n0,1\n0,\0002\n";
  crd__io_bundle *bundle;
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, "x.csv", text, sizeof text - 1, NULL, &bundle),
        "x.csv: line 3 holds a zero byte");
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, "data", text, sizeof text - 1, NULL, &bundle),
        "data: the content is not of a known format");
}

/* Many columns, and more groups than a small hash table holds. */
static void test_sizes(void **state) {
  enum { GROUPS = 5000 };
  static char text[GROUPS * 32];
  size_t used = (size_t)sprintf(text, "group,label,a\n");
  for (int i = 0; i < GROUPS; i++)
    used += (size_t)sprintf(text + used, "g%d,0,%d\n", i * 7919 % GROUPS, i);
  crd__io_bundle *bundle;
  WORKS(*state, crd__io_bundle_open_memory(*state, "x.csv", text, used, NULL, &bundle));
  const crd__io_entry *const entry = &bundle->entries[crd__io_bundle_find(bundle, "group")];
  crd_array groups = entry->view;
  for (size_t i = 0; i < GROUPS; i++)
    assert_true(crd__data_array_number(&groups, i, 0) == (double)i);
  assert_int_equal(entry->word_count, GROUPS);
  assert_string_equal(entry->words[0], "g0");
  assert_string_equal(entry->words[1], "g2919");
  crd__io_bundle_destroy(bundle);
  used = (size_t)sprintf(text, "0");
  for (int i = 1; i < 1000; i++) used += (size_t)sprintf(text + used, ",%d", i);
  WORKS(*state, crd__io_bundle_open_memory(*state, "x.csv", text, used, NULL, &bundle));
  assert_int_equal(crd__data_cols(&bundle->entries[0].view), 999);
  assert_true(crd__data_array_number(&bundle->entries[0].view, 0, 998) == 999);
  crd__io_bundle_destroy(bundle);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_tables), TEST(test_faults), TEST(test_zero_byte),
                                      TEST(test_sizes) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
