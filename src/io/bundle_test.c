/* bundle_test.c -- the frame: formats by content, gzip, pipes, and each allocation failing once. */
#include "data/array.h"
#include "io/testing.h"

#include "data/predictions.h"
#include "io/format.h"
#include "io/write.h"

#include <sys/stat.h>
#include <sys/wait.h>

static const char table[] = "group,label,a,b\nu,0,1,2\nv,1,3,4\n";
static const double numbers[4] = { 1, 2, 3, 4 };

static const char *put_npz(crd_context *ctx, const char *name) {
  const crd__io_array arrays[] = {
    { .name = "logits", .view = crd_array_matrix(numbers, CRD_F64, 2, 2) },
    { .name = "labels", .view = crd_array_matrix("\0\1", CRD_U8, 2, 1) },
    { .name = "probs", .view = crd_array_matrix(numbers, CRD_F64, 2, 2) },
  };
  const char *path = scratch_path(name);
  WORKS(ctx, crd__io_bundle_write(ctx, path, arrays, 3));
  return path;
}

/* Content decides, not the name. */
static void test_recognition(void **state) {
  static const char *const suffixes[] = { "npy", "npz", "csv" };
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    char name[32];
    snprintf(name, sizeof name, "r.%s", suffixes[i]);
    const char *path = put_npz(*state, "r.npz");
    const char *moved = scratch_path(name);
    rename(path, moved);
    crd__io_bundle *bundle;
    WORKS(*state, crd__io_bundle_open(*state, moved, NULL, &bundle));
    assert_string_equal(bundle->format->info.name, "npz");
    crd__io_bundle_destroy(bundle);
    unlink(moved);
  }
}

static void test_formats(void **state) {
  (void)state;
  size_t count = 0;
  for (const crd__io_format *format; (format = crd__io_format_at(count)); count++) {
    char name[64] = "x.";
    assert_true(strlen(format->info.name) > 0 && strlen(format->info.summary) > 0);
    strncat(name, format->info.extensions, strcspn(format->info.extensions, " "));
    assert_ptr_equal(crd__io_format_of(name), format);
  }
  assert_int_equal(count, 8);
  assert_null(crd__io_format_of("npy"));
  assert_null(crd__io_format_of(".npy"));
}

/* The output of libarchive: intact, with damage in the last eight bytes, truncated, and twice in a
 * row. */
static void test_gzip(void **state) {
  crd_context *ctx = *state;
  if (lean_refuses("g.csv.gz")) return;
  const crd__io_array array = { .name = "label", .view = crd_array_matrix(numbers, CRD_F64, 4, 1) };
  const char *path = scratch_path("g.csv.gz");
  unsigned char bytes[1024];
  crd__io_bundle *bundle;
  WORKS(ctx, crd__io_bundle_write(ctx, path, &array, 1));
  FILE *file = fopen(path, "rb");
  const size_t length = fread(bytes, 1, sizeof bytes / 2, file);
  fclose(file);
  unlink(path);
  WORKS(ctx, crd__io_bundle_open_memory(ctx, "g.csv.gz", bytes, length, NULL, &bundle));
  assert_int_equal(crd__data_rows_of(&bundle->entries[0].view), 4);
  crd__io_bundle_destroy(bundle);
  bytes[length - 5] ^= 1;
  FAILS(ctx, CRD_EINPUT, crd__io_bundle_open_memory(ctx, "g.csv.gz", bytes, length, NULL, &bundle),
        "g.csv.gz: cannot decompress: the gzip checksum does not match");
  bytes[length - 5] ^= 1;
  FAILS(ctx, CRD_EINPUT, crd__io_bundle_open_memory(ctx, "g.gz", bytes, length - 9, NULL, &bundle),
        "g.gz: cannot decompress");
  memcpy(bytes + length, bytes, length);
  FAILS(ctx, CRD_EINPUT,
        crd__io_bundle_open_memory(ctx, "g.csv.gz", bytes, 2 * length, NULL, &bundle),
        "line 6, column 1 ('label'): found 'label'");
}

/* If the writer of a pipe closes it early, the bytes read so far are treated as the file. */
static void test_pipe(void **state) {
  const char *path = scratch_path("pipe.csv");
  static const struct {
    size_t sent;
    const char *words;
  } cases[] = {
    { sizeof table - 1, NULL },
    { sizeof table - 5, "line 3 has 3 fields, the first line has 4" },
    { 0, "pipe.csv: the file is empty" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t child = fork();
    if (child == 0) {
      FILE *file = fopen(path, "wb");
      const bool ok = file && fwrite(table, 1, cases[i].sent, file) == cases[i].sent;
      _exit(ok && fclose(file) == 0 ? 0 : 1);
    }
    crd__io_bundle *bundle;
    const crd_status status = crd__io_bundle_open(*state, path, NULL, &bundle);
    waitpid(child, NULL, 0);
    if (cases[i].words) FAILS(*state, CRD_EINPUT, status, cases[i].words);
    else WORKS(*state, status);
    crd__io_bundle_destroy(bundle);
    unlink(path);
  }
}

static ssize_t refuse_read(int fd, void *bytes, size_t count) {
  (void)fd, (void)bytes, (void)count;
  return -1;
}

static void *refuse_map(int fd, size_t length) {
  (void)fd, (void)length;
  return NULL;
}

static void test_read_faults(void **state) {
  crd_context *ctx = *state;
  crd__file_ops files = crd__system_files;
  const char *path = put_text("f.csv", table);
  crd__io_bundle *bundle;
  files.map = refuse_map;
  ctx->files = &files;
  WORKS(ctx, crd__io_bundle_open(ctx, path, NULL, &bundle)); /* read instead */
  crd__io_bundle_destroy(bundle);
  files.read = refuse_read;
  assert_int_not_equal(crd__io_bundle_open(ctx, path, NULL, &bundle), CRD_OK);
  assert_null(bundle);
  unlink(path);
}

/* ---- Each allocation failing once. */

static crd_status open_and_write(crd_context *ctx, const char *path,
                                 const crd_open_options *options, const char *out) {
  crd_predictions *predictions;
  CRD_TRY(crd_predictions_open(ctx, path, options, &predictions));
  const crd__io_array arrays[] = { { .name = "scores", .view = predictions->parts.scores },
                                   { .name = "labels", .view = predictions->parts.labels } };
  const crd_status status = crd__io_bundle_write(ctx, out, arrays, 2);
  crd_predictions_destroy(predictions);
  return status;
}

typedef struct {
  const char *path, *out;
  const crd_open_options *options;
} trip;

static crd_status travel(crd_context *ctx, const void *arg) {
  const trip *t = arg;
  return open_and_write(ctx, t->path, t->options, t->out);
}

static void sweep(const char *path, const crd_open_options *options, const char *out) {
  const trip t = { path, out, options };
  fail_each_allocation(travel, &t);
  unlink(out);
}

static void test_allocations(void **state) {
  char tail[512], labels[512];
  const char *path = put_npz(*state, "s.npz");
  snprintf(tail, sizeof tail, "%s@0:2", path);
  sweep(tail, NULL, scratch_path("so.npz"));
  const crd__io_array deflated[] = { { .name = "logits",
                                       .view = crd_array_matrix(numbers, CRD_F64, 2, 2) } };
  const char *gzipped = scratch_path("s.npy.gz");
  snprintf(labels, sizeof labels, "%s", path);
  if (!lean_refuses(gzipped)) {
    WORKS(*state, crd__io_bundle_write(*state, gzipped, deflated, 1));
    sweep(gzipped, &(crd_open_options){ .size = sizeof(crd_open_options), .labels = labels },
          scratch_path("so.csv.gz"));
    unlink(gzipped);
  }
  unlink(path);
  path = put_text("s.csv", table);
  sweep(path, &(crd_open_options){ .size = sizeof(crd_open_options), .columns = "b,a" },
        scratch_path("so.tsv"));
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_recognition), TEST(test_formats),     TEST(test_gzip),
    TEST(test_pipe),        TEST(test_read_faults), TEST(test_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
