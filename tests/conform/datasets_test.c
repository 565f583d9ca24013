/*
 * datasets_test.c -- what every kind of dataset must do: labels in range, splits that add up, the
 * same samples in any order and on any number of threads, parts, encodings and batches.
 */
#include "conform/datasets.h"

#include <math.h>

/* ---- All samples, as bytes. */

typedef struct {
  size_t rows, bytes; /* of a sample */
  unsigned char *all;
} contents;

static contents read_all(crd_context *ctx, const crd_dataset *dataset, bool backwards) {
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  contents c = { .rows = shape->rows, .bytes = crd_dtype_size(shape->dtype) };
  for (size_t i = 0; i < shape->rank; i++) c.bytes *= (size_t)shape->dims[i];
  size_t *const rows = calloc(c.rows, sizeof *rows);
  unsigned char *const read = calloc(c.rows, c.bytes);
  c.all = calloc(c.rows, c.bytes);
  for (size_t i = 0; i < c.rows; i++) rows[i] = backwards ? c.rows - 1 - i : i;
  WORKS(ctx, crd_dataset_read(ctx, dataset, rows, c.rows, read));
  for (size_t i = 0; i < c.rows; i++)
    memcpy(c.all + rows[i] * c.bytes, read + i * c.bytes, c.bytes);
  free(rows);
  free(read);
  return c;
}

static void check_equal(const char *data, const contents *a, const contents *b) {
  if (a->rows != b->rows || a->bytes != b->bytes || memcmp(a->all, b->all, a->rows * a->bytes) != 0)
    fail_msg("%s: samples differ", data);
}

/* ---- Checks. */

static void check_info(const crd_dataset_kind_info *kind) {
  assert_true(kind->name[0] && kind->summary[0] && kind->reference);
  assert_true(kind->name[strspn(kind->name, "abcdefghijklmnopqrstuvwxyz0123456789.:-")] == '\0');
  assert_ptr_equal(crd_dataset_kind_find(kind->name), kind);
}

static void check_rows(const char *data, const crd_dataset *dataset) {
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  size_t labelled = 0;
  assert_string_equal(shape->name, data);
  assert_true(shape->rows > 0 && shape->classes > 1);
  for (size_t k = 0; k < shape->classes; k++) assert_non_null(shape->class_names[k]);
  for (size_t i = 0; i < shape->rows; i++) {
    const int64_t label = crd_dataset_label(dataset, i);
    const double weight = crd_dataset_weight(dataset, i);
    assert_true(label >= -1 && label < (int64_t)shape->classes);
    assert_true(weight >= 0 && isfinite(weight) && (shape->has_weights || weight == 1));
    assert_true(shape->has_groups || !crd_dataset_group(dataset, i));
    if (i) assert_true(crd_dataset_index(dataset, i) > crd_dataset_index(dataset, i - 1));
    labelled += label >= 0;
  }
  assert_int_equal(labelled, shape->rows); /* the examples are */
}

/* Numbers of images from bytes are in [0, 1]; reading does not depend on order or threads. */
static void check_samples(crd_context *ctx, const char *data, const crd_dataset *dataset) {
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  const contents first = read_all(ctx, dataset, false);
  for (unsigned threads = 1; threads <= 3; threads++) {
    crd_context_set_threads(ctx, threads);
    const contents again = read_all(ctx, dataset, threads % 2);
    check_equal(data, &first, &again);
    free(again.all);
  }
  crd_context_set_threads(ctx, 0);
  for (size_t i = 0; shape->dtype == CRD_F32 && i < first.rows * first.bytes / 4; i++) {
    const float value = ((const float *)(const void *)first.all)[i];
    assert_true(isfinite(value));
    if (shape->type == CRD_SAMPLES_IMAGES) assert_true(value >= 0 && value <= 1);
  }
  free(first.all);
}

/* Splits that the kind names open, one by one and together. */
static void check_splits(crd_context *ctx, const example *e, size_t all) {
  static const char *const usual = "train test";
  const char *const splits = e->kind->splits ? e->kind->splits : usual;
  char both[700];
  size_t sum = 0;
  snprintf(both, sizeof both, "%s", e->data);
  for (const char *at = splits; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
    char data[700], name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
    snprintf(data, sizeof data, "%.600s#%s", e->data, name);
    crd_dataset *const dataset = opened(ctx, data);
    sum += crd_dataset_describe(dataset)->rows;
    crd_dataset_destroy(dataset);
    strcat(strcat(both, at == splits ? "#" : "+"), name);
  }
  if (!*splits) return;
  assert_int_equal(sum, all);
  crd_dataset *const dataset = opened(ctx, both);
  assert_int_equal(crd_dataset_describe(dataset)->rows, all);
  crd_dataset_destroy(dataset);
}

static void check_refusals(crd_context *ctx, const example *e) {
  char data[700];
  snprintf(data, sizeof data, "%.600s#nosuchsplit", e->data);
  REFUSED(ctx, CRD_EUSAGE, data, "nosuchsplit");
  snprintf(data, sizeof data, "%s:/no/such/path", e->kind->name);
  crd_dataset *dataset;
  const crd_status status = crd_dataset_open(ctx, data, NULL, &dataset);
  assert_true(status == CRD_EINPUT || status == CRD_EUSAGE);
  assert_null(dataset);
  assert_non_null(strstr(crd_context_message(ctx), "/no/such/path"));
}

/* Halves of a random order are disjoint, and slices are what they say. */
static void check_parts(crd_context *ctx, const example *e, const crd_dataset *all) {
  const size_t rows = crd_dataset_describe(all)->rows;
  unsigned char *const seen = calloc(rows, 1);
  for (int half = 0; half < 2; half++) {
    char data[700];
    snprintf(data, sizeof data, "%.600s%s", e->data, half ? "%50:" : "%:50");
    crd_dataset *const part = opened(ctx, data);
    for (size_t i = 0; i < crd_dataset_describe(part)->rows; i++) {
      const size_t index = crd_dataset_index(part, i);
      assert_true(index < rows && !seen[index]++);
      assert_int_equal(crd_dataset_label(part, i), crd_dataset_label(all, index));
    }
    crd_dataset_destroy(part);
  }
  for (size_t i = 0; i < rows; i++) assert_int_equal(seen[i], 1);
  free(seen);
  char data[700];
  snprintf(data, sizeof data, "%.600s@1:%zu", e->data, rows);
  crd_dataset *const slice = opened(ctx, data);
  assert_int_equal(crd_dataset_describe(slice)->rows, rows - 1);
  assert_int_equal(crd_dataset_index(slice, 0), 1);
  crd_dataset_destroy(slice);
}

/* Batches hold what reading gives, normalised. */
static void check_batches(crd_context *ctx, const char *data, const crd_dataset *dataset,
                          const crd_encoding *encoding) {
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  const contents all = read_all(ctx, dataset, false);
  const size_t values = all.bytes / crd_dtype_size(shape->dtype);
  crd_loader *loader;
  crd_batch batch;
  WORKS(ctx, crd_loader_create(ctx, dataset,
                               &(crd_loader_options){ .size = sizeof(crd_loader_options),
                                                      .batch = 2,
                                                      .shuffle = 1,
                                                      .keep_last = 1,
                                                      .encoding = encoding },
                               &loader));
  for (size_t b = 0; b < crd_loader_batches(loader); b++) {
    WORKS(ctx, crd_loader_next(ctx, loader, &batch));
    for (size_t i = 0; i < batch.rows; i++) {
      const unsigned char *const sample = all.all + batch.positions[i] * all.bytes;
      const float *const given = (const float *)batch.inputs + i * values;
      assert_int_equal(batch.labels[i], crd_dataset_label(dataset, batch.positions[i]));
      if (shape->type == CRD_SAMPLES_TEXTS)
        assert_memory_equal((const int64_t *)batch.inputs + i * values, sample, all.bytes);
      for (size_t k = 0; shape->type != CRD_SAMPLES_TEXTS && k < values; k++) {
        const size_t c = k / (values / encoding->channels);
        const double value = (double)((const float *)(const void *)sample)[k];
        if (given[k] != (float)((value - encoding->mean[c]) / encoding->std[c]))
          fail_msg("%s: row %zu, value %zu", data, batch.positions[i], k);
      }
    }
  }
  crd_loader_destroy(loader);
  free(all.all);
}

static void check_encoded(crd_context *ctx, const char *data, crd_dataset *dataset) {
  crd_encoding *encoding;
  WORKS(ctx, crd_encoding_learn(
                 ctx, dataset,
                 &(crd_encoding_options){ .size = sizeof(crd_encoding_options), .length = 7 },
                 &encoding));
  const size_t classes = crd_dataset_describe(dataset)->classes;
  WORKS(ctx, crd_dataset_encode(ctx, dataset, encoding));
  assert_int_equal(crd_dataset_describe(dataset)->classes, encoding->class_count);
  assert_true(encoding->class_count <= classes && encoding->class_count > 1);
  check_rows(data, dataset);
  check_samples(ctx, data, dataset);
  check_batches(ctx, data, dataset, encoding);
  crd_encoding_destroy(encoding);
}

static void every_kind_keeps_the_rules(void **state) {
  crd_context *const ctx = *state;
  const crd_dataset_kind_info *kind;
  for (size_t i = 0; (kind = crd_dataset_kind_at(i)); i++) {
    example e;
    check_info(kind);
    if (example_make(ctx, kind, &e)) {
      crd_dataset *const dataset = opened(ctx, e.data);
      const size_t rows = crd_dataset_describe(dataset)->rows;
      check_rows(e.data, dataset);
      if (crd_dataset_describe(dataset)->type != CRD_SAMPLES_TEXTS)
        check_samples(ctx, e.data, dataset);
      check_splits(ctx, &e, rows);
      check_refusals(ctx, &e);
      check_parts(ctx, &e, dataset);
      check_encoded(ctx, e.data, dataset);
      crd_dataset_destroy(dataset);
    }
    example_remove(&e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(every_kind_keeps_the_rules) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
