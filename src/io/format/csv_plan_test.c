/* csv_plan_test.c -- tables as pandas and spreadsheets write them: the role of each column. */
#include "io/format/csv_testing.h"

static const struct {
  table t;
  const char *entries, *note, *classes; /* NULL: none */
} tables[] = {
  /* A row index: an unnamed column of integers, or one named as pandas does. */
  { { "x.csv", ",label,a,b\n0,0,1,2\n1,1,3,4\n", NULL, NULL },
    "scores=1,2;3,4 label=0;1",
    "columns not used: column 0 (row index); columns chooses the scores",
    "a b" },
  { { "x.csv", ",label,a\n17,0,1\n3,1,3\n", NULL, NULL },
    "scores=1;3 label=0;1",
    "column 0 (row index)",
    NULL },
  { { "x.csv", "Unnamed: 0,label,a\n17,0,1\n3,1,3\n", NULL, NULL },
    "scores=1;3 label=0;1",
    "'Unnamed: 0' (row index)",
    NULL },
  { { "x.csv", "id,label,a\n1,0,1\n2,1,3\n", NULL, NULL },
    "scores=1;3 label=0;1",
    "'id' (row index)",
    NULL },
  { { "x.csv", "id,label,a\n3,0,1\n2,1,3\n", NULL, NULL },
    "scores=3,1;2,3 label=0;1",
    NULL,
    "id a" },
  { { "x.csv", "0,1,.5,.5\n1,0,.2,.8\n2,0,1,0\n3,1,1,0\n4,1,0,1\n", NULL, NULL },
    "scores=0.5,0.5;0.2,0.8;1,0;1,0;0,1 label=1;0;0;1;1",
    "column 0 (row index)",
    NULL },
  { { "x.csv", "0,1,.5,.5\n1,0,.2,.8\n", NULL, NULL },
    "scores=1,0.5,0.5;0,0.2,0.8 label=0;1",
    NULL,
    NULL },
  /* Text columns and empty columns. */
  { { "x.csv", "file,label,a,when,b,\nx.png,0,1,2020-01-01,2,\ny.png,1,3,,4,\n", NULL, NULL },
    "scores=1,2;3,4 label=0;1",
    "'file' (text), 'when' (text), column 5 (text)",
    "a b" },
  /* Labels are column names without their common prefix or suffix. */
  { { "x.csv", "label,prob_cat,prob_dog\ndog,.1,.9\ncat,.7,.3\n", NULL, NULL },
    "scores=0.1,0.9;0.7,0.3 label=1;0",
    NULL,
    "cat dog" },
  { { "x.csv", "label,cat (x),dog (x)\ndog (x),1,9\ncat (x),7,3\n", NULL, NULL },
    "scores=1,9;7,3 label=1;0",
    NULL,
    "cat (x) dog (x)" },
  { { "x.csv", "label,P(cat),P(dog)\ndog,.1,.9\ncat,.7,.3\n", NULL, NULL },
    "scores=0.1,0.9;0.7,0.3 label=1;0",
    NULL,
    "cat dog" },
  { { "x.csv", "label,cat_fine,dog_fine\ndog,1,9\ncat,7,3\n", NULL, NULL },
    "scores=1,9;7,3 label=1;0",
    NULL,
    "cat dog" },
  { { "x.csv", "label,red_car,red_cat\n0,1,9\n1,7,3\n", NULL, NULL },
    "scores=1,9;7,3 label=0;1",
    NULL,
    "red_car red_cat" },
  { { "x.csv", "label,prob_1,prob_2\n0,1,9\n1,7,3\n", NULL, NULL },
    "scores=1,9;7,3 label=0;1",
    NULL,
    "prob_1 prob_2" },
  /* Labels that match no column name are left to the caller. */
  { { "x.csv", "label,p0,p1\ndog,.1,.9\n\"a \"\"b\"\"\",.7,.3\n", NULL, NULL },
    "scores=0.1,0.9;0.7,0.3 label='dog';'a \"b\"'",
    NULL,
    NULL },
  { { "x.csv", "Label,p\nTrue,.1\nFalse,.7\n", NULL, NULL },
    "scores=0.1;0.7 label=1;0",
    NULL,
    NULL },
  { { "x.csv", "confidence,correct\n.9,True\n.8,False\n", NULL, NULL },
    "confidence=0.9;0.8 correct=1;0",
    NULL,
    NULL },
  /* Numbers that are not scores. */
  { { "x.csv", "label,age,prob_0,prob_1\n0,40,.5,.5\n1,50,.1,.9\n", NULL, NULL },
    "scores=0.5,0.5;0.1,0.9 label=0;1",
    "'age' (not named like the scores)",
    NULL },
  { { "x.csv", "label,logit_a,logit_b,age\n0,4,5,1\n1,5,1,2\n", NULL, NULL },
    "scores=4,5;5,1 label=0;1",
    "'age' (not named like the scores)",
    "a b" },
  { { "x.csv", "label,prob_a,prob_b,logit_a,logit_b\n0,.4,.6,1,3\n1,.5,.5,2,2\n", NULL, NULL },
    "scores=1,3;2,2 label=0;1",
    "'prob_a' (not named like the scores)",
    "a b" },
  { { "x.csv", "label,m_a,m_b,age\n0,.4,.6,1\n1,.5,.5,2\n", NULL, NULL },
    "scores=0.4,0.6;0.5,0.5 label=0;1",
    "'age' (not named like the scores)",
    "m_a m_b" },
  { { "x.csv", "label,prob_a,prob_b,other\n0,.4,.3,.3\n1,.5,.5,0\n", NULL, NULL },
    "scores=0.4,0.3,0.3;0.5,0.5,0 label=0;1",
    NULL,
    "prob_a prob_b other" },
  { { "x.csv", "label,prob_a,prob_b,other\n0,4,3,3\n2,5,5,0\n", NULL, NULL },
    "scores=4,3,3;5,5,0 label=0;2",
    NULL,
    "prob_a prob_b other" },
  { { "x.csv", "label,p_a,p_b,other\n0,4,3,3\n1,5,5,0\n", NULL, NULL },
    "scores=4,3,3;5,5,0 label=0;1",
    NULL,
    "p_a p_b other" },
  { { "x.csv", "y_true,age,y_pred,y_prob\n0,40,1,.5\n1,50,1,.9\n", NULL, NULL },
    "scores=0.5;0.9 y_true=0;1",
    "'age' (not named like the scores), 'y_pred' (predicted labels)",
    NULL },
  { { "x.csv", "y_true,y_pred\n0,.5\n1,.9\n", NULL, NULL },
    "scores=0.5;0.9 y_true=0;1",
    NULL,
    NULL },
  { { "x.csv", "y_true,y_pred,confidence\n0,1,.5\n1,1,.9\n", NULL, NULL },
    "confidence=0.5;0.9 y_true=0;1 pred_label=1;1",
    NULL,
    NULL },
  /* Semicolons and decimal commas. */
  { { "x.csv", "label;a;b\n0;1,5;2\n1;3;-4,25e1\n", NULL, NULL },
    "scores=1.5,2;3,-42.5 label=0;1",
    "columns are separated by ';', and the decimal sign is ','",
    "a b" },
  { { "x.csv", "0;1,5;2,5\n1;3,5;4,5\n", NULL, NULL },
    "scores=1.5,2.5;3.5,4.5 label=0;1",
    "the decimal sign is ','",
    NULL },
  { { "x.csv", "label;a\n0;1.5\n", NULL, NULL },
    "scores=1.5 label=0",
    "columns are separated by ';', and the decimal sign is '.'",
    NULL },
  { { "x.tsv", "label\ta\n0\t1,5\n", NULL, NULL },
    "scores=1.5 label=0",
    "columns are separated by tabs, and the decimal sign is ','",
    NULL },
  { { "x.csv", "label,a;b\n0,1\n1,2\n", NULL, NULL }, "scores=1;2 label=0;1", NULL, NULL },
  { { "x.csv", "group,p;q\na;b,1\na;c,2\n", NULL, NULL }, "scores=1;2 group=0;1", NULL, NULL },
  /* Lists of columns. */
  { { "x.csv", "label,p_a,q,p_b,pred_label\n0,1,2,3,0\n1,4,5,6,0\n", NULL, "p_*" },
    "scores=1,3;4,6 label=0;1 pred_label=0;0",
    NULL,
    "a b" },
  { { "x.csv", "label,p_a,q,p_b\n0,1,x,3\n1,4,y,6\n", NULL, "p_b,*" },
    "scores=3,1;6,4 label=0;1",
    NULL,
    "b a" },
  { { "x.csv", "f,a,b,c\nx,1,2,3\ny,4,5,6\n", NULL, "1:3" }, "scores=1,2;4,5", NULL, "a b" },
  { { "x.csv", "0,1,2,3\n1,4,5,6\n", "0", "2:" }, "scores=2,3;5,6 label=0;1", NULL, NULL },
  { { "x.csv", "1,2,3,0\n4,5,6,1\n", "3", ":2" }, "scores=1,2;4,5 label=0;1", NULL, NULL },
  { { "x.csv", "label,1:2,b\n0,1,2\n", NULL, "1:2" }, "scores=1 label=0", NULL, NULL },
  { { "x.csv", "label,a*,ab\n0,1,2\n", NULL, "a*" }, "scores=1 label=0", NULL, NULL },
  { { "x.csv", "label,a1,b22,a3\n0,1,2,3\n1,1,2,3\n", NULL, "?1,*2*" },
    "scores=1,2;1,2 label=0;1",
    NULL,
    "a1 b22" },
};

static void test_columns(void **state) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    crd__io_bundle *bundle;
    char text[512], classes[256] = "";
    size_t used = 0;
    WORKS(*state, open_table(*state, &tables[i].t, &bundle));
    describe(bundle, text, sizeof text);
    assert_string_equal(text, tables[i].entries);
    for (size_t k = 0; k < bundle->class_name_count; k++)
      used += (size_t)snprintf(classes + used, sizeof classes - used, "%s%s", k ? " " : "",
                               bundle->class_names[k]);
    assert_string_equal(classes, tables[i].classes ? tables[i].classes : "");
    if (!tables[i].note) assert_int_equal(bundle->notes.count, 0);
    else if (bundle->notes.count != 1 || !strstr(bundle->notes.items[0], tables[i].note))
      fail_msg("%s: noted '%s'", tables[i].t.text,
               bundle->notes.count ? bundle->notes.items[0] : "nothing");
    crd__io_bundle_destroy(bundle);
  }
}

static void test_lists_refused(void **state) {
  static const struct {
    table t;
    const char *words;
    crd_status status;
  } cases[] = {
    { { "x.csv", "label,a\n0,1\n", NULL, "b*" }, "no column of numbers fits 'b*'", CRD_EINPUT },
    { { "x.csv", "0,1\n0,1\n", NULL, "b*" },
      "no column of numbers fits 'b*': the first line has no names",
      CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n", NULL, "1:5" },
      "there are no columns '1:5', allowed are ranges in 0:2",
      CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n", NULL, "1:1" }, "there are no columns '1:1'", CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n", NULL, "0:-1" }, "there are no columns '0:-1'", CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n", NULL, ":" }, "there is no column ':'", CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n", NULL, "1,0:2" }, "column '0:2' is listed twice", CRD_EUSAGE },
    { { "x.csv", "label;a\n0;1,5\n1;3,5\n1;2.5\n", NULL, NULL },
      "found '2.5', expected a number",
      CRD_EINPUT },
    { { "x.csv", "label,a\n0,1\n1,2\n1,abc\n", NULL, NULL },
      "line 4, column 2 ('a'): found 'abc', expected a number",
      CRD_EINPUT },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__io_bundle *bundle;
    FAILS(*state, cases[i].status, open_table(*state, &cases[i].t, &bundle), cases[i].words);
    assert_null(bundle);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_columns), TEST(test_lists_refused) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
