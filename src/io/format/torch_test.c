/* torch_test.c -- files that torch.save wrote (tests/torch/make), and malicious archives. */
#include "io/testing.h"

#include "base/memory.h"
#include "credence/array_file.h"
#include "credence/predictions.h"
#include "data/array.h"
#include "io/zip.h"

enum { ROWS = 4, CLASSES = 3 };
static const double truth[ROWS] = { 0, 2, 1, 2 };

static double score(size_t row, size_t col) { return (double)(row * CLASSES + col) / 2 - 3; }

static const char *fixture(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/tests/torch/%s", CREDENCE_SOURCE, name);
  return path;
}

static const crd__io_entry *load(crd_context *ctx, crd__io_bundle *bundle, const char *name) {
  const size_t index = crd__io_bundle_find(bundle, name);
  assert_true(index < bundle->count);
  WORKS(ctx, crd__io_bundle_load(ctx, bundle, index));
  return &bundle->entries[index];
}

static void expect_scores(crd_context *ctx, crd__io_bundle *bundle, const char *name, double sign) {
  const crd__io_entry *const entry = load(ctx, bundle, name);
  assert_int_equal(entry->rank, 2);
  assert_int_equal(crd__data_rows_of(&entry->view), ROWS);
  assert_int_equal(crd__data_cols(&entry->view), CLASSES);
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < CLASSES; j++)
      assert_true(crd__data_array_number(&entry->view, i, j) == sign * score(i, j));
}

static void expect_labels(crd_context *ctx, crd__io_bundle *bundle, const char *name) {
  const crd__io_entry *const entry = load(ctx, bundle, name);
  assert_int_equal(entry->rank, 1);
  assert_int_equal(crd__data_rows_of(&entry->view), ROWS);
  for (size_t i = 0; i < ROWS; i++)
    assert_true(crd__data_array_number(&entry->view, i, 0) == truth[i]);
}

static void reads_what_torch_writes(void **state) {
  static const struct {
    const char *file, *prefix;
    crd_dtype dtype;
    bool in_place;
  } cases[] = {
    { "dict.pt", "", CRD_F32, true },
    { "ordered.pt", "", CRD_F32, true },
    { "parameter.pt", "", CRD_F32, true },
    { "half.pt", "", CRD_F16, true },
    { "rows.pt", "", CRD_F32, true },
    { "bfloat16.pt", "", CRD_F32, false },
    { "double.pt", "", CRD_F64, true },
    { "transposed.pt", "", CRD_F32, false },
    { "sliced.pt", "", CRD_F32, false },
    { "brain_sliced.pt", "", CRD_F32, false },
    { "shared.pt", "", CRD_F32, false },
    { "lists.pt", "", CRD_F64, false },
    { "namespace.pt", "", CRD_F32, true },
    { "protocol4.pt", "", CRD_F32, true },
    { "deflated.pt", "", CRD_F32, false },
    { "big.pt", "", CRD_F64, true },
    { "nested.pt", "val/", CRD_F32, true },
    { "dict.legacy.pt", "", CRD_F32, true },
    { "transposed.legacy.pt", "", CRD_F32, false },
    { "shared.legacy.pt", "", CRD_F32, false },
    { "bfloat16.legacy.pt", "", CRD_F32, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (lean_refuses(cases[i].file)) continue;
    char name[32];
    crd__io_bundle *bundle;
    WORKS(*state, crd__io_bundle_open(*state, fixture(cases[i].file), NULL, &bundle));
    snprintf(name, sizeof name, "%slogits", cases[i].prefix);
    expect_scores(*state, bundle, name, 1);
    const crd__io_entry *const entry = load(*state, bundle, name);
    assert_int_equal(entry->view.dtype, cases[i].dtype);
    assert_true(!entry->owned == cases[i].in_place);
    snprintf(name, sizeof name, "%slabels", cases[i].prefix);
    expect_labels(*state, bundle, name);
    crd__io_bundle_destroy(bundle);
  }
}

static void reads_every_integer(void **state) {
  static const char *const names[] = { "int8",  "int16",  "int32",  "int64",
                                       "uint8", "uint16", "uint32", "uint64" };
  crd__io_bundle *bundle;
  WORKS(*state, crd__io_bundle_open(*state, fixture("integers.pt"), NULL, &bundle));
  assert_int_equal(bundle->count, 9);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) expect_labels(*state, bundle, names[i]);
  const crd__io_entry *const flags = load(*state, bundle, "bool");
  assert_int_equal(flags->view.dtype, CRD_BOOL);
  for (size_t i = 0; i < ROWS; i++)
    assert_true(crd__data_array_number(&flags->view, i, 0) == (truth[i] > 0));
  crd__io_bundle_destroy(bundle);
}

static void names_what_has_no_name(void **state) {
  crd__io_bundle *bundle;
  WORKS(*state, crd__io_bundle_open(*state, fixture("tuple.pt"), NULL, &bundle));
  expect_scores(*state, bundle, "arr_0", 1);
  expect_labels(*state, bundle, "arr_1");
  crd__io_bundle_destroy(bundle);
  WORKS(*state, crd__io_bundle_open(*state, fixture("single.pt"), NULL, &bundle));
  assert_int_equal(bundle->count, 1);
  expect_scores(*state, bundle, "scores", 1);
  crd__io_bundle_destroy(bundle);
  WORKS(*state, crd__io_bundle_open(*state, fixture("lists.pt"), NULL, &bundle));
  assert_string_equal(load(*state, bundle, "class_names")->names[1], "bee");
  crd__io_bundle_destroy(bundle);
  WORKS(*state, crd__io_bundle_open(*state, fixture("nested.pt"), NULL, &bundle));
  expect_scores(*state, bundle, "test/logits", -1);
  crd__io_bundle_destroy(bundle);
}

/* permute(2, 0, 1) of arange(24).reshape(2, 3, 4): element (i, j, k) is 12 j + 4 k + i. */
static void gathers_any_rank(void **state) {
  crd_array_file *array;
  WORKS(*state, crd_array_file_open(*state, fixture("cube.pt"), &array));
  const crd_array *const tensor = crd_array_file_array(array);
  const float *at = tensor->data;
  assert_int_equal(tensor->rank, 3);
  assert_int_equal(crd_array_count(tensor), 24);
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 2; j++)
      for (size_t k = 0; k < 3; k++) assert_true(*at++ == (float)(12 * j + 4 * k + i));
  crd_array_file_destroy(array);
}

static void opens_predictions(void **state) {
  static const struct {
    const char *file, *group;
  } cases[] = { { "dict.pt", "" }, { "nested.pt", "#val" }, { "dict.legacy.pt", "" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[600];
    crd_predictions *p;
    snprintf(path, sizeof path, "%s%s", fixture(cases[i].file), cases[i].group);
    WORKS(*state, crd_predictions_open(*state, path, NULL, &p));
    assert_int_equal(crd_predictions_rows(p), ROWS);
    assert_int_equal(crd_predictions_classes(p), CLASSES);
    crd_predictions_destroy(p);
  }
}

static void refuses_the_rest(void **state) {
  static const struct {
    const char *file, *words;
  } cases[] = {
    { "module.pt", "holds a __main__.Net, expected tensors; run the model" },
    { "module.pt", "map_location='cpu', weights_only=False)\n  numpy.savez('" },
    { "numpy.pt",
      "holds objects such as a numpy.ndarray, expected tensors; convert it in Python:" },
    { "numpy.pt", "tests/torch/numpy.npz', **d)" },
    { "sparse.pt", "logits: is a torch._utils._rebuild_sparse_tensor, expected a tensor" },
    { "complex.pt", "logits: the elements are torch.ComplexFloatStorage, allowed are float16" },
    { "expanded.pt", "declares 100000 x 100000 f32 = 40000000000 bytes in a file of" },
    { "state_dict.pt", "these are the weights of a model (a state_dict), not its predictions" },
    { "empty.pt", "logits is empty" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_predictions *p;
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, fixture(cases[i].file), NULL, &p),
          cases[i].words);
  }
}

/* ---- Archives with a pickle of ours. */

static crd_status to_text(crd_context *ctx, void *self, const void *bytes, size_t count) {
  crd__text_add_bytes(self, bytes, count);
  return crd__text_status(ctx, self);
}

/* An archive with this pickle and a storage of six floats under the key 0. */
static void make_archive(crd_context *ctx, const char *pickle, size_t length, crd__text *out) {
  static const float numbers[6] = { 1, 2, 3, 4, 5, 6 };
  const crd__io_array nothing = { .view = crd_array_matrix(numbers, CRD_U8, 0, 1) };
  const crd__io_array storage = { .view = crd_array_matrix(numbers, CRD_F32, 6, 1) };
  const crd__io_sink sink = { to_text, out };
  crd__io_zip *zip;
  crd__text_init(out, &ctx->alloc);
  WORKS(ctx, crd__io_zip_open(ctx, &sink, &zip));
  WORKS(ctx, crd__io_zip_add(ctx, zip, "a/data.pkl", pickle, length, &nothing));
  WORKS(ctx, crd__io_zip_add(ctx, zip, "a/data/0", "", 0, &storage));
  WORKS(ctx, crd__io_zip_close(ctx, zip));
}

#define STORAGE(key, count)                                                                        \
  "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0" key "X\3\0\0\0cpuK" count "tQ"
/* A tensor; offset, sizes and strides are opcodes. */
#define TENSOR(storage, offset, sizes, strides)                                                    \
  "ctorch._utils\n_rebuild_tensor_v2\n(" storage offset sizes strides "\x89NtR"

static void checks_bounds(void **state) {
  static const struct {
    const char *pickle;
    size_t length;
    const char *words; /* NULL: it is fine */
  } cases[] = {
#define CASE(text, words) { "\x80\2" text ".", sizeof "\x80\2" text ".", words }
    CASE(TENSOR(STORAGE("0", "\6"), "K\0", "K\2K\3\x86", "K\3K\1\x86"), NULL),
    CASE(TENSOR(STORAGE("0", "\6"), "K\1", "K\2K\3\x86", "K\3K\1\x86"), "from element 1 on"),
    CASE(TENSOR(STORAGE("0", "\6"), "K\0", "K\3K\3\x86", "K\3K\1\x86"), "its storage has 24"),
    CASE(TENSOR(STORAGE("0", "\6"), "K\0", "K\2K\3\x86", "K\4K\1\x86"), "its storage has 24"),
    CASE(TENSOR(STORAGE("0", "\6"), "J\xff\xff\xff\xff", "K\2\x85", "K\1\x85"), "is damaged"),
    CASE(TENSOR(STORAGE("0", "\6"), "K\0", "K\2\x85", "J\xff\xff\xff\xff\x85"), "is damaged"),
    CASE(TENSOR(STORAGE("0", "\6"), "K\0", "K\2K\3\x86", "K\1\x85"), "is damaged"),
    CASE(TENSOR(STORAGE("0", "\6"), "K\0", "\x8a\10\0\0\0\0\0\0\0\x40\x8a\1\x40\x86", "K\0K\0\x86"),
         "more than this machine can address"),
    CASE(
        TENSOR(STORAGE("0", "\6"), "\x8a\10\xff\xff\xff\xff\xff\xff\xff\x7f", "K\2\x85", "K\1\x85"),
        "from element"),
    CASE(TENSOR(STORAGE("0", "\7"), "K\0", "K\2\x85", "K\1\x85"), "has 24 bytes, expected 28"),
    CASE(TENSOR(STORAGE("1", "\6"), "K\0", "K\2\x85", "K\1\x85"), "holds no 'data/1'"),
    CASE(TENSOR("K\1", "K\0", "K\2\x85", "K\1\x85"), "storage is damaged"),
    CASE("}(X\6\0\0\0logits" TENSOR(STORAGE("0", "\6"), "K\0", "K\2K\3\x86",
                                    "K\3K\1\x86") "X\6\0\0\0logitsK\1u",
         NULL),
#undef CASE
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__text file;
    crd__io_bundle *bundle;
    make_archive(*state, cases[i].pickle, cases[i].length - 1, &file);
    WORKS(*state,
          crd__io_bundle_open_memory(*state, "x.pt", file.bytes, file.length, NULL, &bundle));
    if (cases[i].words)
      FAILS(*state, CRD_EINPUT, crd__io_bundle_load(*state, bundle, 0), cases[i].words);
    else {
      WORKS(*state, crd__io_bundle_load(*state, bundle, 0));
      assert_true(crd__data_array_number(&bundle->entries[0].view, 1, 0) == 4);
    }
    crd__io_bundle_destroy(bundle);
    crd__text_clear(&file);
  }
}

/* A dict with 200 references to one dict of 200 lists would take 40000 steps, but has no more
 * arrays. */
static void bounds_the_walk(void **state) {
  crd__text pickle, file;
  crd__io_bundle *bundle;
  crd__text_init(&pickle, &((crd_context *)*state)->alloc);
  crd__text_add_bytes(&pickle, "\x80\2}(K\1", 6);
  crd__text_add(&pickle, "}q");
  crd__text_add_bytes(&pickle, "\0(", 2);
  for (int i = 0; i < 200; i++) crd__text_addf(&pickle, "K%c]", i + 1);
  crd__text_add(&pickle, "u");
  for (int i = 0; i < 200; i++) {
    crd__text_addf(&pickle, "K%ch", i + 2);
    crd__text_add_bytes(&pickle, "", 1);
  }
  crd__text_add(&pickle, "u.");
  make_archive(*state, pickle.bytes, pickle.length, &file);
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, "x.pt", file.bytes, file.length, NULL, &bundle),
        "too many times");
  crd__text_clear(&pickle);
  crd__text_clear(&file);
}

static crd_status open_fixture(crd_context *ctx, const void *path) {
  crd_predictions *p;
  const crd_status status = crd_predictions_open(ctx, path, NULL, &p);
  crd_predictions_destroy(p);
  return status;
}

static void survives_no_memory(void **state) {
  static const char *const names[] = { "dict.pt", "transposed.pt", "deflated.pt", "lists.pt",
                                       "shared.legacy.pt" };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!lean_refuses(names[i])) fail_each_allocation(open_fixture, fixture(names[i]));
}

/* Every truncated file fails, or still has the same arrays. */
static void survives_truncation(void **state) {
  static const char *const names[] = { "dict.legacy.pt", "transposed.pt" };
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    crd__blob blob;
    WORKS(*state, crd__blob_open(*state, fixture(names[n]), &blob));
    for (size_t length = 1; length < blob.length; length++) {
      crd__io_bundle *bundle;
      if (crd__io_bundle_open_memory(*state, "x.pt", blob.bytes, length, NULL, &bundle) != CRD_OK)
        continue;
      const size_t index = crd__io_bundle_find(bundle, "logits");
      if (crd__io_bundle_load(*state, bundle, index) == CRD_OK)
        expect_scores(*state, bundle, "logits", 1);
      crd__io_bundle_destroy(bundle);
    }
    crd__blob_close(&((crd_context *)*state)->alloc, &blob);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(reads_what_torch_writes), TEST(reads_every_integer), TEST(names_what_has_no_name),
    TEST(gathers_any_rank),        TEST(opens_predictions),   TEST(refuses_the_rest),
    TEST(checks_bounds),           TEST(bounds_the_walk),     TEST(survives_no_memory),
    TEST(survives_truncation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
