/* convert_test.c -- files that are recognised by their first bytes, and the Python lines for them.
 */
#include "io/testing.h"

#include "credence/predictions.h"
#include "io/convert.h"

/* Fixtures are copied to a name without an extension, so that only their content is used. */
static const char *copy_of(crd_context *ctx, const char *fixture, const char *name) {
  char path[512];
  crd__blob blob;
  snprintf(path, sizeof path, "%s/tests/torch/%s", CREDENCE_SOURCE, fixture);
  WORKS(ctx, crd__blob_open(ctx, path, &blob));
  const char *const copy = put_file(name, blob.bytes, blob.length);
  crd__blob_close(&ctx->alloc, &blob);
  return copy;
}

/* Expects the message "PATH: sentence\n line\n line"; $ is the path without extension. */
static void expect(crd_context *ctx, const char *path, const char *sentence, const char *lines) {
  crd_predictions *p;
  char wanted[1024] = "";
  const size_t stem = (size_t)(strrchr(path, '.') - path);
  size_t used = (size_t)snprintf(wanted, sizeof wanted, "%s: %s", path, sentence);
  for (; *lines; lines++)
    used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%.*s",
                             *lines == '$' ? (int)stem : 1, *lines == '$' ? path : lines);
  assert_int_equal(crd_predictions_open(ctx, path, NULL, &p), CRD_EINPUT);
  assert_string_equal(crd_context_message(ctx), wanted);
  unlink(path);
}

static void recognises_first_bytes(void **state) {
#define PICKLE "\n  import pickle, numpy; d = pickle.load(open('$.dat', 'rb'))\n  "
#define JOBLIB "\n  import joblib, numpy; d = joblib.load('$.dat')\n  "
  static const struct {
    const char *fixture, *sentence, *lines;
  } cases[] = {
    { "protocol0.pkl", "a Python pickle, which is not supported; convert it in Python:",
      PICKLE "numpy.savez('$.npz', **d)" },
    { "protocol1.pkl", "a Python pickle, which is not supported; convert it in Python:",
      PICKLE "numpy.savez('$.npz', **d)" },
    { "protocol2.pkl", "a Python pickle of a dict, which is not supported; convert it in Python:",
      PICKLE "numpy.savez('$.npz', **d)" },
    { "protocol5.pkl", "a Python pickle of a dict, which is not supported; convert it in Python:",
      PICKLE "numpy.savez('$.npz', **d)" },
    { "pair.pkl", "a Python pickle of a tuple, which is not supported; convert it in Python:",
      PICKLE "numpy.savez('$.npz', logits=d[0], labels=d[1])" },
    { "frame.pkl",
      "a Python pickle of a pandas.DataFrame, which is not supported; convert it in Python:",
      PICKLE "d.to_csv('$.csv', index=False)" },
    { "dict.joblib", "a joblib dump, which is not supported; convert it in Python:",
      JOBLIB "numpy.savez('$.npz', **d)" },
    { "zlib.joblib",
      "compressed by zlib, as joblib does, which is not supported; convert it in Python:",
      JOBLIB "numpy.savez('$.npz', **d) if isinstance(d, dict) else "
             "numpy.savez('$.npz', *(d if isinstance(d, (tuple, list)) else [d]))" },
    { "table.parquet", "a Parquet file, which is not supported; convert it in Python:",
      "\n  import pandas, numpy; d = pandas.read_parquet('$.dat')\n  "
      "d.to_csv('$.csv', index=False)" },
    { "lists.parquet", "a Parquet file, which is not supported; convert it in Python:",
      "\n  import pandas, numpy; d = pandas.read_parquet('$.dat')\n  "
      "numpy.savez('$.npz', **{k: numpy.stack(d[k]) for k in d})" },
    { "table.feather", "an Arrow file (Feather), which is not supported; convert it in Python:",
      "\n  import pandas, numpy; d = pandas.read_feather('$.dat')\n  "
      "d.to_csv('$.csv', index=False)" },
    { "dict.npy",
      "the elements are Python objects, which are not supported; convert them in Python:",
      "\n  import numpy; d = numpy.load('$.dat', allow_pickle=True).item()\n  "
      "numpy.savez('$.npz', **d)" },
    { "objects.npz",
      "labels: the elements are Python objects, which are not supported; convert them in Python:",
      "\n  import numpy; d = numpy.load('$.dat', allow_pickle=True)\n  "
      "numpy.savez('$.npz', **{k: numpy.array(d[k].tolist()) for k in d})" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect(*state, copy_of(*state, cases[i].fixture, "unknown.dat"), cases[i].sentence,
           cases[i].lines);
}

/* Arrow streams and Feather version 1 are recognised by their magic numbers alone. */
static void recognises_marks(void **state) {
  crd_predictions *p;
  const char *path = put_file("x.dat", "\xff\xff\xff\xff\x78\1\0\0\x10\0\0\0", 12);
  FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, NULL, &p),
        "pyarrow.ipc.open_stream(");
  path = put_file("x.dat", "FEA1\0\0\0\0FEA1", 12);
  FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, NULL, &p), "read_feather(");
  unlink(path);
}

/* A table whose first column has the letters of a magic number is a table. */
static void tables_are_not_taken_for_binary(void **state) {
  static const char *const heads[] = { "PAR1", "PAR1a", "FEA1" };
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    char text[80];
    crd_predictions *p;
    snprintf(text, sizeof text, "%s,b,label\n0.25,0.75,1\n0.5,0.5,0\n", heads[i]);
    const char *const path = put_text("magic.csv", text);
    WORKS(*state, crd_predictions_open(*state, path, NULL, &p));
    assert_string_equal(crd_predictions_class_name(p, 0), heads[i]);
    crd_predictions_destroy(p);
    unlink(path);
  }
}

/* The suggested output never overwrites the input, and names are valid Python strings. */
static void quotes_the_name(void **state) {
  expect(
      *state, copy_of(*state, "objects.npz", "same.npz"),
      "labels: the elements are Python objects, which are not supported; convert them in Python:",
      "\n  import numpy; d = numpy.load('$.npz', allow_pickle=True)\n  "
      "numpy.savez('$-converted.npz', **{k: numpy.array(d[k].tolist()) for k in d})");
  crd_predictions *p;
  const char *const path = copy_of(*state, "protocol5.pkl", "it's.pkl");
  FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, NULL, &p), "-it\\'s.pkl', 'rb'))\n");
  unlink(path);
}

/* If the error message has no space for both lines, both are left out. */
static void leaves_out_long_lines(void **state) {
  crd__io_bundle *bundle;
  char name[500];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, name, "PAR1\x15 and so on", 15, NULL, &bundle),
        "a Parquet file, which is not supported; convert it in Python:");
  assert_null(strchr(crd_context_message(*state), '\n'));
}

static crd_status open_fixture(crd_context *ctx, const void *path) {
  crd_predictions *p;
  const crd_status status = crd_predictions_open(ctx, path, NULL, &p);
  crd_predictions_destroy(p);
  return status == CRD_EINPUT ? CRD_OK : status;
}

static void survives_no_memory(void **state) {
  const char *const path = copy_of(*state, "protocol5.pkl", "memory.pkl");
  fail_each_allocation(open_fixture, path);
  unlink(path);
}

/* A safetensors header whose length begins with the bytes of a pickle is not one. */
static void leaves_safetensors_alone(void **state) {
  enum { HEADER = 0x280280 };
  static char file[8 + HEADER + 4];
  crd__io_bundle *bundle;
  const char json[] = "{\"scores\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]}}";
  memset(file, ' ', sizeof file);
  memcpy(file, "\x80\2\x28\0\0\0\0\0", 8);
  memcpy(file + 8, json, sizeof json - 1);
  WORKS(*state, crd__io_bundle_open_memory(*state, "x", file, sizeof file, NULL, &bundle));
  crd__io_bundle_destroy(bundle);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(recognises_first_bytes),          TEST(recognises_marks),      TEST(quotes_the_name),
    TEST(tables_are_not_taken_for_binary), TEST(leaves_out_long_lines), TEST(survives_no_memory),
    TEST(leaves_safetensors_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
