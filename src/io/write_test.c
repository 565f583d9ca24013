/* write_test.c -- written files are read back, by this library and by NumPy, and written again with
 * the same bytes. */
#include "io/testing.h"

#include "data/array.h"
#include "data/predictions.h"
#include "io/write.h"
#include "io/zip.h"

#include <errno.h>

static const float scores[3][2] = { { 0.1f, 0.9f }, { 1e-30f, 1 }, { 0.25f, 0.75f } };
static const int64_t labels[3] = { 1, INT64_C(1) << 60, -3 };
static const uint16_t weights[3] = { 0x0100, 0x0200, 0x0300 }; /* 1 2 3 in the other byte order */

static void fill(crd__io_array arrays[3]) {
  arrays[0] = (crd__io_array){ .name = "scores", .view = crd_array_matrix(scores, CRD_F32, 3, 2) };
  arrays[1] = (crd__io_array){ .name = "labels", .view = crd_array_matrix(labels, CRD_I64, 3, 1) };
  arrays[2] =
      (crd__io_array){ .name = "weights", .view = crd_array_matrix(weights, CRD_U16, 3, 1) };
  arrays[2].view.swapped = 1;
}

static void check_same(const crd_array *a, const crd_array *b) {
  assert_int_equal(crd__data_rows_of(a), crd__data_rows_of(b));
  assert_int_equal(crd__data_cols(a), crd__data_cols(b));
  for (size_t i = 0; i < crd__data_rows_of(a); i++)
    for (size_t j = 0; j < crd__data_cols(a); j++)
      assert_true(crd__data_array_number(a, i, j) == crd__data_array_number(b, i, j));
}

static void check_file(crd_context *ctx, const char *path, const crd__io_array *arrays,
                       size_t count) {
  crd__io_bundle *bundle;
  crd_array view;
  WORKS(ctx, crd__io_bundle_open(ctx, path, NULL, &bundle));
  for (size_t i = 0; i < count; i++) {
    const size_t index = crd__io_bundle_find(bundle, arrays[i].name);
    assert_true(index < bundle->count);
    WORKS(ctx, crd__io_bundle_matrix(ctx, bundle, index, &view));
    check_same(&arrays[i].view, &view);
    if (strstr(path, ".np") && !strstr(path, ".gz"))
      assert_int_equal(((const unsigned char *)view.data - bundle->bytes) % 64, 0);
  }
  crd__io_bundle_destroy(bundle);
}

static size_t get_file(const char *path, char out[4096]) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(out, 1, 4096, file);
  fclose(file);
  return length;
}

/* Columns are named after the classes only if a reader recognises them as scores. */
static void test_columns(void **state) {
  static const struct {
    const char *names[2], *header;
  } cases[] = {
    { { "cat", "a, \"b\"" }, "cat,\"a, \"\"b\"\"\"\n" },
    { { "3", "dog" }, "3,dog\n" },
    { { "cat", "label" }, "p_0,p_1\n" },        /* would be read as the label */
    { { "confidence", "dog" }, "p_0,p_1\n" },   /* would be read as confidences */
    { { "cat", "" }, "p_0,p_1\n" },             /* columns need names */
    { { "cat", "a\tb" }, "p_0,p_1\n" },         /* a tab in the first line means TSV */
    { { "PK\6\6", "dog" }, "p_0,p_1\n" },       /* the magic number of zip */
    { { "\xef\xbb\xbf", "dog" }, "p_0,p_1\n" }, /* a byte order mark is skipped */
    { { "\x93NUMPY", "dog" }, "p_0,p_1\n" },
    { { "3", "7" }, "p_0,p_1\n" }, /* would be a row */
  };
  const char *path = scratch_path("c.csv");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd__io_array array = { .name = "p",
                                  .view = crd_array_matrix(scores, CRD_F32, 3, 2),
                                  .columns = cases[i].names };
    char text[4096];
    WORKS(*state, crd__io_bundle_write(*state, path, &array, 1));
    assert_true(get_file(path, text) > strlen(cases[i].header));
    assert_memory_equal(text, cases[i].header, strlen(cases[i].header));
  }
  unlink(path);
}

static void test_round_trip(void **state) {
  static const struct {
    const char *name;
    size_t count;
  } files[] = { { "a.npy", 1 },    { "a.npz", 3 },    { "a.csv", 3 },    { "a.tsv", 3 },
                { "a.csv.gz", 3 }, { "a.npz.gz", 3 }, { "a.npy.gz", 1 }, { "A.CSV", 3 } };
  crd__io_array arrays[3];
  fill(arrays);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (lean_refuses(files[i].name)) continue;
    char first[4096], second[4096];
    const char *path = scratch_path(files[i].name);
    WORKS(*state, crd__io_bundle_write(*state, path, arrays, files[i].count));
    check_file(*state, path, arrays, files[i].count);
    const size_t length = get_file(path, first);
    WORKS(*state, crd__io_bundle_write(*state, path, arrays, files[i].count));
    assert_int_equal(get_file(path, second), length);
    assert_memory_equal(first, second, length);
    unlink(path);
  }
}

static void test_csv_text(void **state) {
  crd__io_array arrays[3];
  char text[4096];
  fill(arrays);
  const char *path = scratch_path("b.tsv");
  WORKS(*state, crd__io_bundle_write(*state, path, arrays, 2));
  text[get_file(path, text)] = '\0';
  assert_non_null(strstr(text, "scores_0\tscores_1\tlabels\n"));
  assert_non_null(strstr(text, "0.25\t0.75\t-3\n"));
  assert_non_null(strstr(text, "\t1152921504606846976\n"));
  unlink(path);
}

enum { ROWS = 30000, COLS = 3 };

/* Returns more elements than are written at once: 0, 1, 2, ... */
static crd_array large_view(void) {
  static int32_t data[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) data[i] = i;
  return crd_array_matrix(data, CRD_I32, ROWS, COLS);
}

/* Strided columns and strided rows. */
static void test_strides(void **state) {
  crd_array views[2] = { large_view(), large_view() };
  views[0].strides[0] = sizeof(int32_t);
  views[0].strides[1] = ROWS * sizeof(int32_t);
  views[1].dims[1] = 2;
  for (size_t i = 0; i < 2; i++) {
    const crd__io_array array = { .name = "m", .view = views[i] };
    const char *path = scratch_path("c.npz");
    WORKS(*state, crd__io_bundle_write(*state, path, &array, 1));
    check_file(*state, path, &array, 1);
    unlink(path);
  }
}

static void test_refusals(void **state) {
  crd__io_array arrays[3];
  fill(arrays);
  FAILS(*state, CRD_EUSAGE, crd__io_bundle_write(*state, "x.json", arrays, 1),
        "x.json: no format that can be written has this extension, known are npy npz safetensors "
        "csv tsv");
  const char *path = scratch_path("d.npy");
  FAILS(*state, CRD_EUSAGE, crd__io_bundle_write(*state, path, arrays, 2), "npy holds one array");
  assert_int_not_equal(access(path, F_OK), 0);
  arrays[1].view.dims[0] = 2;
  FAILS(*state, CRD_EUSAGE, crd__io_bundle_write(*state, scratch_path("d.csv"), arrays, 2),
        "scores has 3 rows and labels 2 rows: all columns of a table must have the same number");
  FAILS(*state, CRD_EUSAGE, crd__io_bundle_write(*state, scratch_path("d.csv"), arrays, 0),
        "nothing to write");
  FAILS(*state, CRD_ESYSTEM, crd__io_bundle_write(*state, "/nonexistent/d.csv", arrays, 1),
        "/nonexistent/d.csv: cannot write");
}

static int refused;

/* Fails once; later writes succeed, and must not hide the failure. */
static ssize_t refuse_first(int fd, const void *bytes, size_t count) {
  errno = ENOSPC;
  return refused++ == 0 ? -1 : write(fd, bytes, count);
}

/* A full disk: the old file stays, gzipped or not. */
static void test_full_disk(void **state) {
  static const char *const names[] = { "e.csv", "e.csv.gz", "e.npz" };
  crd_context *ctx = *state;
  crd__file_ops files = crd__system_files;
  const crd__io_array array = { .name = "m", .view = large_view() };
  files.write = refuse_first;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (lean_refuses(names[i])) continue;
    const char *path = put_text(names[i], "old");
    char text[4096];
    refused = 0;
    ctx->files = &files;
    FAILS(ctx, CRD_ESYSTEM, crd__io_bundle_write(ctx, path, &array, 1), "cannot write");
    ctx->files = &crd__system_files;
    assert_int_equal(get_file(path, text), 3);
    unlink(path);
  }
}

static void test_crc(void **state) {
  (void)state;
  assert_int_equal(crd__io_crc32(0, "123456789", 9), 0xcbf43926);
  assert_int_equal(crd__io_crc32(crd__io_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}

/* ---- Rows that are computed when they are written. */

enum { MADE = 70000, MADE_COLS = 17 };

static double made_value(size_t row, size_t col) { return (double)row + (double)col / 32; }

typedef struct {
  size_t next, most; /* rows are pulled in order, and not all at once */
} maker;

static crd_status make_rows(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  maker *m = self;
  double *values = out;
  (void)ctx;
  assert_true(from == m->next || from == 0);
  m->next = from + count;
  if (count > m->most) m->most = count;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < MADE_COLS; j++) values[i * MADE_COLS + j] = made_value(from + i, j);
  return CRD_OK;
}

static crd_status make_numbers(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  int32_t *values = out;
  (void)ctx;
  (void)self;
  for (size_t i = 0; i < count; i++) values[i] = (int32_t)(from + i);
  return CRD_OK;
}

static void check_made(crd_context *ctx, const char *path, size_t count) {
  static const char *const names[] = { "scores", "labels" };
  crd__io_bundle *bundle;
  crd_array view;
  WORKS(ctx, crd__io_bundle_open(ctx, path, NULL, &bundle));
  for (size_t a = 0; a < count; a++) {
    WORKS(ctx, crd__io_bundle_matrix(ctx, bundle, crd__io_bundle_find(bundle, names[a]), &view));
    assert_int_equal(crd__data_rows_of(&view), MADE);
    assert_int_equal(crd__data_cols(&view), a ? 1 : MADE_COLS);
    for (size_t i = 0; i < MADE; i++)
      for (size_t j = 0; j < crd__data_cols(&view); j++)
        assert_true(crd__data_array_number(&view, i, j) == made_value(i, j));
  }
  crd__io_bundle_destroy(bundle);
}

static void test_made(void **state) {
  static const struct {
    const char *name;
    size_t count, times; /* how often each row is computed */
  } files[] = { { "m.npy", 1, 1 },
                { "m.npz", 2, 1 },
                { "m.csv", 2, 1 },
                { "m.safetensors", 2, 1 },
                { "m.npz.gz", 2, 1 } };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (lean_refuses(files[i].name)) continue;
    maker m = { 0 };
    const char *path = scratch_path(files[i].name);
    const crd__io_array arrays[] = {
      { .name = "scores",
        .view = { .dtype = CRD_F64, .rank = 2, .dims = { MADE, MADE_COLS } },
        .source = { make_rows, &m, 0 } },
      { .name = "labels",
        .view = { .dtype = CRD_I32, .rank = 2, .dims = { MADE, 1 } },
        .source = { make_numbers, NULL, 0 } },
    };
    WORKS(*state, crd__io_bundle_write(*state, path, arrays, files[i].count));
    assert_int_equal(m.next, MADE);
    assert_true(m.most < MADE); /* never all at once */
    check_made(*state, path, files[i].count);
    if (strcmp(files[i].name, "m.npz") == 0) {
      char command[512];
      snprintf(command, sizeof command,
               "/usr/bin/python3 -c 'import numpy as np; z = np.load(\"%s\"); assert "
               "z[\"scores\"].sum() == %d * (%d - 1) / 2 * %d + %d * %d / 64 * (%d - 1)'",
               path, MADE, MADE, MADE_COLS, MADE, MADE_COLS, MADE_COLS);
      if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0)
        assert_int_equal(system(command), 0);
      else cannot_test("numpy reads an archive made in one pass", "no numpy");
    }
    unlink(path);
  }
}

static crd_status make_nothing(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  (void)self;
  (void)count;
  (void)out;
  return from ? crd__fail(ctx, CRD_EINPUT, "row %zu is bad", from) : CRD_OK;
}

/* A source that fails in the middle leaves no file behind. */
static void test_made_badly(void **state) {
  static const char *const names[] = { "f.npy", "f.npz", "f.csv", "f.safetensors", "f.csv.gz" };
  const crd__io_array array = {
    .name = "scores",
    .view = { .dtype = CRD_F64, .rank = 2, .dims = { MADE, MADE_COLS } },
    .source = { make_nothing, NULL, 0 }
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (lean_refuses(names[i])) continue;
    const char *path = scratch_path(names[i]);
    FAILS(*state, CRD_EINPUT, crd__io_bundle_write(*state, path, &array, 1), "is bad");
    assert_int_not_equal(access(path, F_OK), 0);
  }
}

/* Text formats write strings with any content. */
static void test_words(void **state) {
  static const char *const words[] = { "a,b", "say \"no\"", "", "plain", " " };
  static const uint8_t numbers[6] = { 2, 1, 0, 3, 4, 5 };
  char text[4096];
  const crd__io_array array = { .name = "groups",
                                .view = crd_array_matrix(numbers, CRD_U8, 6, 1),
                                .words = words,
                                .word_count = 5 };
  const char *path = scratch_path("w.csv");
  WORKS(*state, crd__io_bundle_write(*state, path, &array, 1));
  text[get_file(path, text)] = '\0';
  assert_string_equal(text, "groups\n\"\"\n\"say \"\"no\"\"\"\n\"a,b\"\nplain\n\" \"\n5\n");
  unlink(path);
}

/* Makes strings with each character up to U+00FF: alone, first, last and in between. */
static size_t make_words(char words[][8], size_t most) {
  size_t count = 0;
  for (int c = 1; c < 256; c++) {
    char letter[3] = { (char)c };
    if (c >= 128) { /* as two bytes */
      letter[0] = (char)(0xc0 | c >> 6);
      letter[1] = (char)(0x80 | (c & 63));
    } else if (c < ' ' && !strchr("\t\r\n", c)) continue; /* a control character */
    assert_true(count + 5 <= most);
    snprintf(words[count++], 8, "%sx", letter);
    snprintf(words[count++], 8, "x%s", letter);
    snprintf(words[count++], 8, "x%sx", letter);
    snprintf(words[count++], 8, "%sx%s", letter, letter);
    if (!strchr("0123456789", c)) snprintf(words[count++], 8, "%s", letter);
  }
  return count;
}

static void check_words(const crd_predictions_parts *parts, char words[][8], size_t count,
                        const char *file) {
  assert_int_equal(parts->group_column_count, 1);
  const crd_group_column *const groups = parts->group_columns;
  assert_int_equal(crd__data_rows_of(&groups->ids), count);
  for (size_t i = 0; i < count; i++) {
    const size_t at = (size_t)crd__data_array_number(&groups->ids, i, 0);
    assert_true(at < groups->name_count);
    if (strcmp(groups->names[at], words[i]) != 0)
      fail_msg("%s: '%s' comes back as '%s'", file, words[i], groups->names[at]);
  }
}

/* Strings with any first and last byte survive a round trip through tables. */
static void test_words_come_back(void **state) {
  enum { MOST = 1280 };
  static const char *const files[] = { "b.csv", "b.tsv", "b.csv.gz" };
  static char words[MOST][8];
  static const char *pointers[MOST];
  static int64_t numbers[MOST], truth[MOST];
  static double certain[2 * MOST];
  const size_t count = make_words(words, MOST);
  for (size_t i = 0; i < count; i++) {
    pointers[i] = words[i];
    numbers[i] = (int64_t)i;
    certain[2 * i] = 1;
  }
  const crd__io_array arrays[] = {
    { .name = "probabilities", .view = crd_array_matrix(certain, CRD_F64, count, 2) },
    { .name = "labels", .view = crd_array_matrix(truth, CRD_I64, count, 1) },
    { .name = "groups",
      .view = crd_array_matrix(numbers, CRD_I64, count, 1),
      .words = pointers,
      .word_count = count },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *const path = scratch_path(files[i]);
    crd_predictions *p = NULL;
    if (lean_refuses(path)) continue;
    WORKS(*state, crd__io_bundle_write(*state, path, arrays, 3));
    WORKS(*state, crd_predictions_open(*state, path, NULL, &p));
    check_words(&p->parts, words, count, files[i]);
    crd_predictions_destroy(p);
    unlink(path);
  }
}

/* NumPy reads our files, and we read NumPy's. */
static void test_numpy(void **state) {
  static const char script[] =
      "import sys, numpy as np\n"
      "z = np.load(sys.argv[1])\n"
      "assert sorted(z.files) == ['labels', 'scores', 'weights'], z.files\n"
      "assert z['scores'].dtype == 'f4' and z['scores'].shape == (3, 2)\n"
      "assert z['scores'][0, 1] == np.float32(0.9)\n"
      "assert z['labels'].tolist() == [1, 1 << 60, -3]\n"
      "assert z['weights'].tolist() == [1, 2, 3]\n"
      "np.savez(sys.argv[2] + '.npz', **z)\n"
      "np.savez_compressed(sys.argv[3] + '.npz', **z)\n";
  crd__io_array arrays[3];
  char command[2048], stored[300], deflated[300];
  if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    cannot_test("numpy", "/usr/bin/python3 has no numpy");
    return;
  }
  fill(arrays);
  const char *ours = scratch_path("n.npz"), *code = put_text("n.py", script);
  WORKS(*state, crd__io_bundle_write(*state, ours, arrays, 3));
  snprintf(stored, sizeof stored, "%s", scratch_path("stored"));
  snprintf(deflated, sizeof deflated, "%s", scratch_path("deflated"));
  snprintf(command, sizeof command, "/usr/bin/python3 %s %s %s %s", code, ours, stored, deflated);
  assert_int_equal(system(command), 0);
  strcat(stored, ".npz");
  strcat(deflated, ".npz");
  crd__io_bundle *bundle;
  const char *const made[] = { stored, deflated };
  for (size_t i = 0; i < 2; i++) {
    crd_array view;
    if (lean_refuses(made[i])) continue;
    WORKS(*state, crd__io_bundle_open(*state, made[i], NULL, &bundle));
    for (size_t a = 0; a < 3; a++) {
      const size_t index = crd__io_bundle_find(bundle, arrays[a].name);
      WORKS(*state, crd__io_bundle_matrix(*state, bundle, index, &view));
      check_same(&arrays[a].view, &view);
    }
    crd__io_bundle_destroy(bundle);
  }
  unlink(stored);
  unlink(deflated);
  unlink(ours);
  unlink(code);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_columns),  TEST(test_round_trip), TEST(test_csv_text), TEST(test_strides),
    TEST(test_refusals), TEST(test_full_disk),  TEST(test_crc),      TEST(test_numpy),
    TEST(test_made),     TEST(test_made_badly), TEST(test_words),    TEST(test_words_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
