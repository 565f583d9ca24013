/* names_test.c -- class names: their sources, precedence, and invalid ones.
 */
#include "io/testing.h"

#include "data/array.h"
#include "data/predictions.h"
#include "io/names.h"
#include "io/write.h"
#include "io/zip.h"

/* Class names that would break an HTML page or a terminal if written unescaped. */
static const char *const three[3] = { "</script>", "a \"b\", c",
                                      "gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xb1" };

typedef struct {
  const char *name, *descr, *shape; /* of NumPy's header */
  const void *data;
  size_t bytes;
} member;

static crd_status to_file(crd_context *ctx, void *self, const void *bytes, size_t count) {
  (void)ctx;
  return fwrite(bytes, 1, count, self) == count ? CRD_OK : CRD_EINPUT;
}

/* Writes logits of three rows and three classes, their labels, and these members. */
static const char *put_npz(crd_context *ctx, const char *name, const member *members,
                           size_t count) {
  static const float logits[9] = { 3, 1, 0, 0, 2, 1, 1, 0, 4 };
  static const signed char labels[3] = { 0, 1, 2 };
  const member all[] = { { "logits", "<f4", "(3, 3)", logits, sizeof logits },
                         { "val_logits", "<f4", "(3, 3)", logits, sizeof logits },
                         { "labels", "|i1", "(3,)", labels, sizeof labels },
                         { "val_labels", "|i1", "(3,)", labels, sizeof labels } };
  const char *path = scratch_path(name);
  FILE *file = fopen(path, "wb");
  const crd__io_sink sink = { to_file, file };
  crd__io_zip *zip;
  WORKS(ctx, crd__io_zip_open(ctx, &sink, &zip));
  for (size_t i = 0; i < 4 + count; i++) {
    const member *const m = i < 4 ? &all[i] : &members[i - 4];
    unsigned char bytes[1024];
    char dict[128], inside[64];
    snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s}", m->descr,
             m->shape);
    snprintf(inside, sizeof inside, "%s.npy", m->name);
    const size_t length = put_npy(bytes, 1, dict, m->data, m->bytes);
    const crd__io_array nothing = { .view = crd_array_matrix("", CRD_U8, 0, 1) };
    WORKS(ctx, crd__io_zip_add(ctx, zip, inside, bytes, length, &nothing));
  }
  WORKS(ctx, crd__io_zip_close(ctx, zip));
  assert_int_equal(fclose(file), 0);
  return path;
}

/* Writes code points as NumPy's U12, in this byte order. */
static void put_points(bool little, unsigned char out[3 * 12 * 4]) {
  static const uint32_t points[3][12] = {
    { '<', '/', 's', 'c', 'r', 'i', 'p', 't', '>' },
    { 'a', ' ', '"', 'b', '"', ',', ' ', 'c' },
    { 'g', 'r', 0xfc, 0xdf, ' ', 0x1f431 },
  };
  for (size_t i = 0; i < 36; i++)
    for (size_t b = 0; b < 4; b++)
      out[4 * i + b] = (unsigned char)(points[i / 12][i % 12] >> 8 * (little ? b : 3 - b));
}

static void check_names(const crd_predictions *p, const char *const *names) {
  for (size_t k = 0; k < 3; k++) {
    const char *const found = crd_predictions_class_name(p, k);
    if (!names || !names[k]) assert_null(found);
    else {
      assert_non_null(found);
      assert_string_equal(found, names[k]);
    }
  }
  assert_null(crd_predictions_class_name(p, 3));
}

static void check_file(crd_context *ctx, const char *path, const crd_open_options *options,
                       const char *const *names) {
  crd_predictions *p;
  WORKS(ctx, crd_predictions_open(ctx, path, options, &p));
  check_names(p, names);
  crd_predictions_destroy(p);
}

static void refuse(crd_context *ctx, const char *path, const crd_open_options *options,
                   const char *words) {
  crd_predictions *p;
  FAILS(ctx, CRD_EINPUT, crd_predictions_open(ctx, path, options, &p), words);
  assert_null(p);
}

static void test_numpy(void **state) {
  static const char bytes[3][14] = { "</script>", "a \"b\", c",
                                     "gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xb1" };
  unsigned char little[144], big[144];
  put_points(true, little);
  put_points(false, big);
  const member cases[] = { { "class_names", "<U12", "(3,)", little, sizeof little },
                           { "class_names", ">U12", "(3,)", big, sizeof big },
                           { "class_names", "|S14", "(3,)", bytes, sizeof bytes } };
  for (size_t i = 0; i < 3; i++) {
    const char *path = put_npz(*state, "n.npz", &cases[i], 1);
    check_file(*state, path, NULL, three);
    unlink(path);
  }
  const char *path = put_npz(*state, "n.npz", NULL, 0);
  check_file(*state, path, NULL, NULL);
  unlink(path);
}

static void test_numpy_lies(void **state) {
  static const char bytes[] = "a\0bc\0\0d\0\0";
  static const unsigned char half[] = { 'a', 0, 0, 0, 0, 0xd8, 0, 0, 'b', 0, 0, 0 };
  static const unsigned char far[] = { 'a', 0, 0, 0, 'b', 0, 0, 0, 0, 0, 0x11, 0 };
  static const unsigned char number[] = { 0, 1, 2 };
  static const struct {
    member m;
    const char *words;
  } cases[] = {
    { { "class_names", "|S3", "(3,)", bytes, 9 },
      "class_names: string 0 holds U+0000, which is not a Unicode character" },
    { { "class_names", "<U1", "(3,)", half, 12 }, "class_names: string 1 holds U+D800" },
    { { "class_names", "<U1", "(3,)", far, 12 }, "class_names: string 2 holds U+110000" },
    { { "class_names", "|S3", "(2,)", "catdog", 6 }, "n.npz: 2 class names for 3 classes" },
    { { "class_names", "|S3", "(1, 3)", bytes, 9 }, "strings in 2 dimensions, allowed is one" },
    { { "class_names", "|S3", "(3,)", bytes, 8 }, "declares 3 x 3 u8 = 9 bytes, found 8" },
    { { "class_names", "|S0", "(3,)", bytes, 0 }, "found '|S0'" },
    { { "class_names", "|i1", "(3,)", number, 3 }, "class_names holds numbers, expected strings" },
    { { "weights", "|S3", "(3,)", "catdogcow", 9 }, "weights holds strings, expected numbers" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = put_npz(*state, "n.npz", &cases[i].m, 1);
    refuse(*state, path, NULL, cases[i].words);
    unlink(path);
  }
}

/* Precedence: the given file, then val_class_names, then class_names; the others are not read. */
static void test_preference(void **state) {
  static const char *const own[3] = { "a", "b", "c" }, *const group[3] = { "d", "e", "f" };
  static const char *const given[3] = { "x", NULL, "z" };
  static const member both[] = { { "class_names", "|S1", "(3,)", "abc", 3 },
                                 { "val_class_names", "|S1", "(3,)", "def", 3 },
                                 { "test_class_names", "|S1", "(2,)", "gh", 2 } };
  const char *path = put_npz(*state, "n.npz", both, 3);
  const char *names = put_text("names.txt", "\xef\xbb\xbfx\r\n\nz");
  char val[512];
  snprintf(val, sizeof val, "%s#val", path);
  check_file(*state, path, NULL, own);
  check_file(*state, val, NULL, group);
  check_file(*state, val,
             &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = names }, given);
  unlink(path);
  path = put_npz(*state, "n.npz", both, 1);
  check_file(*state, val, NULL, own);
  unlink(path);
  path = put_npz(*state, "n.npz", &(member){ "class_names", "|S1", "(2,)", "ab", 2 }, 1);
  check_file(*state, path,
             &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = names }, given);
  unlink(path);
  unlink(names);
}

static void test_given_lies(void **state) {
  const char *path = put_npz(*state, "n.npz", NULL, 0);
  const char *names = put_text("names.txt", "cat\ndog\n");
  refuse(*state, path,
         &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = names },
         "names.txt: found 2 names, ");
  refuse(*state, path,
         &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = names },
         "n.npz has 3 classes");
  names = put_text("names.txt", "");
  refuse(*state, path,
         &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = names },
         "found 0 names");
  names = put_file("names.txt", "a\0\nb\0\nc\0\n", 9);
  refuse(*state, path,
         &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = names },
         "names.txt: holds a zero byte: this is not UTF-8 text");
  unlink(names);
  refuse(*state, path,
         &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = names },
         "names.txt: ");
  unlink(path);
}

static void test_header(void **state) {
  static const char *const numbered[] = { "0,1,2", "p0,p1,p2", "class_00,class_01,class_02" };
  static const char *const named[][3] = {
    { "cat", "dog", "cow" }, { "1", "2", "3" }, { "p0", "p1", "q2" },
    { "p0", "p2", "p1" },    { "3", "7", "9" }, { "p", "p1", "p2" },
  };
  char text[256];
  for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
    snprintf(text, sizeof text, "label,%s\n0,3,1,0\n", numbered[i]);
    const char *path = put_text("h.csv", text);
    check_file(*state, path, NULL, NULL);
    unlink(path);
  }
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    snprintf(text, sizeof text, "%s,label,%s,weight,%s\n3,0,1,1,0\n", named[i][0], named[i][1],
             named[i][2]);
    const char *path = put_text("h.csv", text);
    check_file(*state, path, NULL, named[i]);
    unlink(path);
  }
  const char *path =
      put_text("h.csv", "label,\"a \"\"b\"\", c\",</script>,gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xb1,x\n"
                        "0,1,3,0,1\n");
  check_file(*state, path,
             &(crd_open_options){ .size = sizeof(crd_open_options), .columns = "</script>,1,3" },
             three);
  unlink(path);
}

static void test_single_column(void **state) {
  static const char *const names[3] = { "no", "yes", NULL };
  const char *path = put_text("h.csv", "label,score\n0,0.3\n1,0.8\n");
  const char *given = put_text("names.txt", "no\nyes\n");
  check_file(*state, path, NULL, NULL);
  check_file(*state, path,
             &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = given }, names);
  unlink(path);
  path = put_text("h.csv", "confidence,true_label,pred_label\n0.3,no,yes\n0.9,yes,yes\n");
  check_file(*state, path,
             &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = given }, NULL);
  unlink(path);
  unlink(given);
}

static void check_labels(crd_context *ctx, const char *path, const crd_open_options *options,
                         const int64_t *labels, size_t rows) {
  crd_predictions *p;
  WORKS(ctx, crd_predictions_open(ctx, path, options, &p));
  assert_int_equal(crd_predictions_rows(p), rows);
  for (size_t i = 0; i < rows; i++)
    assert_true(((const double *)p->parts.labels.data)[i * (size_t)p->parts.labels.strides[0] /
                                                       sizeof(double)] == (double)labels[i]);
  crd_predictions_destroy(p);
}

static void test_labels_in_words(void **state) {
  static const int64_t labels[] = { 1, 0, 1, 0 };
  const char *path =
      put_text("w.csv", "label,cat,\"d\"\"og\"\n\"d\"\"og\",1,2\ncat,2,1\n1,0,3\n0.0,1,0\n");
  check_labels(*state, path, NULL, labels, 4);
  const char *given = put_text("names.txt", "no\nyes\n");
  refuse(*state, path,
         &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = given },
         "line 2, column 1 ('label'): found 'd\"\"og', expected a number or the name of a class");
  path = put_text("w.csv", "label,p\nyes,0.1\nno,0.2\nyes,0.3\n 0,0.5\n");
  check_labels(*state, path,
               &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = given },
               labels, 4);
  refuse(*state, path, NULL, "found 'yes', expected a number");
  const char *scores = put_text("s.csv", "no,yes\n1,2\n3,0\n1,2\n3,0\n");
  check_labels(
      *state, scores,
      &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = given, .labels = path },
      labels, 4);
  /* Duplicate and empty names cannot be used as labels. */
  path = put_text("w.csv", "label,cat,cat\ncat,1,2\n");
  refuse(*state, path, NULL, "found 'cat', expected a number");
  path = put_text("w.csv", "label,cat,dog\n,1,2\n");
  given = put_text("names.txt", "cat\n\n");
  refuse(*state, path,
         &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = given },
         "found nothing");
  path = put_text("w.csv", "label,cat,dog\nfish,1,2\n");
  refuse(*state, path, NULL, "found 'fish', expected a number or the name of a class");
  path = put_text("w.csv", "label,cat,dog\n0,cat,2\n");
  refuse(*state, path, NULL, "column 2 ('cat'): found 'cat', expected a number");
  unlink(path);
  unlink(scores);
  unlink(given);
}

/* ---- Labels that are strings. */

static void check_strings(crd_context *ctx, const member *members, size_t count,
                          const int64_t *wanted, const char *note) {
  const char *path = put_npz(ctx, "t.npz", members, count);
  const crd_open_options options = { .size = sizeof options, .label_key = "t" };
  crd_predictions *p;
  WORKS(ctx, crd_predictions_open(ctx, path, &options, &p));
  for (size_t i = 0; i < 3; i++) {
    int64_t label;
    assert_true(crd__data_array_integer(&p->parts.labels, i, 0, &label) && label == wanted[i]);
  }
  bool noted = false;
  for (size_t i = 0; crd_predictions_note(p, i); i++)
    noted = noted || strstr(crd_predictions_note(p, i), note ? note : "strings");
  assert_true(noted == (note != NULL));
  crd_predictions_destroy(p);
  unlink(path);
}

static void test_strings_in_npz(void **state) {
  static const int64_t sorted[] = { 2, 0, 1 }, named[] = { 0, 2, 1 }, numbers[] = { 2, 0, 1 };
  const member labels = { "t", "|S3", "(3,)", "dogantbat", 9 };
  const member wide = { "t", "<U1", "(3,)", "c\0\0\0a\0\0\0b\0\0\0", 12 };
  const member both[] = { labels, { "class_names", "|S3", "(3,)", "dogbatant", 9 } };
  const member digits = { "t", "|S1", "(3,)", "201", 3 };
  check_strings(*state, &labels, 1, sorted,
                "labels are strings, classes are taken in their sorted order: 0 ant, 1 bat, 2 dog");
  check_strings(*state, &wide, 1, sorted, "0 a, 1 b, 2 c");
  check_strings(*state, both, 2, named, NULL);
  check_strings(*state, &digits, 1, numbers, NULL);
}

static void test_strings_refused(void **state) {
  static const struct {
    member members[2];
    size_t count;
    const char *words;
  } cases[] = {
    { { { "t", "|S3", "(3,)", "dogantdog", 9 } },
      1,
      "t.npz: labels are 2 different strings for 3 classes: an array class_names" },
    { { { "t", "|S3", "(3,)", "dogantcow", 9 }, { "class_names", "|S3", "(3,)", "dogbatant", 9 } },
      2,
      "t row 2: found 'cow', expected the name of a class: dog ..." },
    { { { "t", "|S3", "(3,)", "dogantdog", 9 }, { "class_names", "|S3", "(3,)", "dogantant", 9 } },
      2,
      "labels are strings, but two classes have the same name" },
    { { { "t", "|S3", "(2,)", "dogant", 6 }, { "class_names", "|S3", "(3,)", "dogbatant", 9 } },
      2,
      "2 labels for 3 rows" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = put_npz(*state, "t.npz", cases[i].members, cases[i].count);
    refuse(*state, path, &(crd_open_options){ .size = sizeof(crd_open_options), .label_key = "t" },
           cases[i].words);
    unlink(path);
  }
}

/* In tables whose columns have no class names, string labels become the class names. */
static void test_strings_in_tables(void **state) {
  static const char *const names[3] = { "ant", "bat", "dog" };
  const char *path = put_text("t.csv", "label,p0,p1,p2\ndog,1,2,3\nant,1,2,3\nbat,0,1,2\n");
  check_file(*state, path, NULL, names);
  unlink(path);
  path = put_text("t.csv", "y_true,y_pred,confidence\nyes,no,.5\nno,no,.7\nyes,maybe,.2\n");
  crd_predictions *p;
  WORKS(*state, crd_predictions_open(*state, path, NULL, &p));
  for (size_t i = 0; i < 3; i++)
    assert_true((crd__data_array_number(&p->parts.labels, i, 0) ==
                 crd__data_array_number(&p->parts.predicted, i, 0)) == (i == 1));
  crd_predictions_destroy(p);
  unlink(path);
}

static void test_twins(void **state) {
  static const struct {
    const char *header, *note;
  } cases[] = {
    { "cat,dog,cat", "classes 0 and 2 are both called 'cat'" },
    { "cat,cat,cat", "classes 0 and 1 are both called 'cat', and there are more such" },
    { "cat,dog,cow", NULL },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[128];
    crd_predictions *p;
    snprintf(text, sizeof text, "label,%s\n0,3,1,0\n", cases[i].header);
    const char *path = put_text("t.csv", text);
    WORKS(*state, crd_predictions_open(*state, path, NULL, &p));
    bool noted = false;
    for (size_t n = 0; crd_predictions_note(p, n); n++)
      noted = noted ||
              strcmp(crd_predictions_note(p, n), cases[i].note ? cases[i].note : "") == 0 ||
              (!cases[i].note && strstr(crd_predictions_note(p, n), "called"));
    assert_int_equal(noted, cases[i].note != NULL);
    crd_predictions_destroy(p);
    unlink(path);
  }
}

typedef struct {
  const char *path, *names;
} order;

static crd_status open_order(crd_context *ctx, const void *arg) {
  const order *const o = arg;
  crd_predictions *p;
  const crd_status status = crd_predictions_open(
      ctx, o->path,
      &(crd_open_options){ .size = sizeof(crd_open_options), .class_names = o->names }, &p);
  crd_predictions_destroy(p);
  return status;
}

static void test_allocations(void **state) {
  unsigned char points[144];
  put_points(true, points);
  const member m = { "class_names", "<U12", "(3,)", points, sizeof points };
  const char *npz = put_npz(*state, "n.npz", &m, 1);
  const char *csv = put_text("n.csv", "label,cat,dog,cat\n0,3,1,0\n");
  const char *names = put_text("names.txt", "cat\ndog\ncat\n");
  const order orders[] = { { npz, NULL }, { npz, names }, { csv, NULL }, { csv, names } };
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    fail_each_allocation(open_order, &orders[i]);
  unlink(npz);
  unlink(csv);
  unlink(names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_numpy),          TEST(test_numpy_lies),      TEST(test_preference),
    TEST(test_given_lies),     TEST(test_header),          TEST(test_single_column),
    TEST(test_strings_in_npz), TEST(test_strings_refused), TEST(test_strings_in_tables),
    TEST(test_twins),          TEST(test_allocations),     TEST(test_labels_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
