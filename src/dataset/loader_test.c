/* loader_test.c -- batches: each row once an epoch, the same bits however they are made. */
#include "dataset/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { C = 2, H = 5, W = 6, SIZE = C * H * W, ROWS = 43, BATCH = 8, BATCHES = 5 };

static const char *const names[] = { "a", "b", "c" };
static const test_plan plan = { ROWS, C, H, W, .labels = names, .label_count = 3 };

static crd_loader *created(crd_context *ctx, const crd_dataset *dataset,
                           const crd_loader_options *options) {
  crd_loader *loader;
  if (crd_loader_create(ctx, dataset, options, &loader) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return loader;
}

static crd_batch next(crd_context *ctx, crd_loader *loader) {
  crd_batch batch;
  if (crd_loader_next(ctx, loader, &batch) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return batch;
}

/* ---- Orders. */

static void rows_come_once_an_epoch(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const dataset = test_dataset(ctx, TEST_BYTES, &plan);
  for (int shuffled = 0; shuffled < 2; shuffled++)
    for (int keep = 0; keep < 2; keep++) {
      crd_loader *const loader = created(ctx, dataset,
                                         &(crd_loader_options){ .size = sizeof(crd_loader_options),
                                                                .batch = BATCH,
                                                                .shuffle = shuffled,
                                                                .keep_last = keep,
                                                                .seed = 5 });
      assert_int_equal(crd_loader_batches(loader), BATCHES + keep);
      for (size_t epoch = 0; epoch < 3; epoch++) {
        unsigned seen[ROWS] = { 0 };
        size_t moved = 0, total = 0;
        for (size_t b = 0; b < crd_loader_batches(loader); b++) {
          const crd_batch batch = next(ctx, loader);
          assert_int_equal(batch.rows, b < BATCHES ? BATCH : ROWS - BATCHES * BATCH);
          assert_null(batch.weights);
          for (size_t i = 0; i < batch.rows; i++, total++) {
            seen[batch.positions[i]]++;
            moved += batch.positions[i] != total;
            assert_int_equal(batch.labels[i], crd_dataset_label(dataset, batch.positions[i]));
          }
        }
        assert_int_equal(total, keep ? ROWS : BATCH * BATCHES);
        if (shuffled) assert_true(moved > ROWS / 2);
        else assert_int_equal(moved, 0);
        for (size_t i = 0; i < ROWS; i++) assert_true(seen[i] <= 1);
      }
      crd_loader_destroy(loader);
    }
  crd_dataset_destroy(dataset);
}

/* Every row is equally often first: a test of Fisher-Yates's bounds, within five standard errors.
 */
static void orders_are_uniform(void **state) {
  crd_context *const ctx = *state;
  enum { FEW = 5, EPOCHS = 20000 };
  crd_dataset *const dataset = test_dataset(
      ctx, TEST_BYTES, &(test_plan){ .count = FEW, .channels = 1, .height = 1, .width = 1 });
  crd_loader *const loader = created(
      ctx, dataset,
      &(crd_loader_options){ .size = sizeof(crd_loader_options), .batch = FEW, .shuffle = 1 });
  static double count[FEW][FEW];
  for (size_t epoch = 0; epoch < EPOCHS; epoch++) {
    const crd_batch batch = next(ctx, loader);
    for (size_t i = 0; i < FEW; i++) count[i][batch.positions[i]]++;
  }
  for (size_t i = 0; i < FEW; i++)
    for (size_t j = 0; j < FEW; j++)
      assert_true(fabs(count[i][j] - EPOCHS / FEW) < 5 * sqrt(EPOCHS * 0.2 * 0.8));
  crd_loader_destroy(loader);
  crd_dataset_destroy(dataset);
}

/* ---- The same bits. */

typedef struct {
  size_t positions[3 * BATCHES][BATCH];
  float inputs[3 * BATCHES][BATCH][SIZE];
} epochs;

static double mean[C] = { 0.4, 0.6 }, deviation[C] = { 0.3, 0.2 };
static const crd_encoding encoding = { .channels = C, .mean = mean, .std = deviation };
static const crd_loader_options usual = { .size = sizeof usual,
                                          .batch = BATCH,
                                          .shuffle = 1,
                                          .seed = 77,
                                          .augment = "flip",
                                          .encoding = &encoding };

static void keep_batch(const crd_batch *batch, size_t number, epochs *out) {
  memcpy(out->positions[number], batch->positions, sizeof out->positions[0]);
  memcpy(out->inputs[number], batch->inputs, sizeof out->inputs[0]);
}

/* Whatever holds the samples, however many threads there are, in whatever order batches are
 * requested: a batch is a function of seed, epoch and index. */
static void batches_do_not_depend_on_how_they_are_made(void **state) {
  crd_context *const ctx = *state;
  static epochs first, other;
  for (test_way way = TEST_BYTES; way < TEST_KINDS; way++) {
    crd_dataset *const dataset = test_dataset(ctx, way, &plan);
    for (unsigned workers = 1; workers <= 3; workers++) {
      crd_loader_options options = usual;
      options.workers = workers;
      crd_loader *const loader = created(ctx, dataset, &options);
      epochs *const out = way == TEST_BYTES && workers == 1 ? &first : &other;
      for (size_t n = 0; n < 3 * BATCHES; n++) {
        const crd_batch batch = next(ctx, loader);
        keep_batch(&batch, n, out);
      }
      if (out == &other) assert_memory_equal(&first, &other, sizeof first);
      for (size_t n = 3 * BATCHES; n-- > 0;) {
        crd_loader_seek(loader, n / BATCHES, n % BATCHES);
        const crd_batch batch = next(ctx, loader);
        keep_batch(&batch, n, &other);
      }
      assert_memory_equal(&first, &other, sizeof first);
      crd_loader_destroy(loader);
    }
    crd_dataset_destroy(dataset);
  }
}

/* ---- What is in a batch. */

/* Each image is normalised, and mirrored or not; about half are, and not the same in each epoch. */
static void images_are_augmented_and_normalised(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const dataset = test_dataset(ctx, TEST_BYTES, &plan);
  crd_loader *const loader = created(ctx, dataset, &usual);
  size_t mirrored = 0, changed = 0;
  int was[ROWS] = { 0 };
  for (size_t n = 0; n < 20 * BATCHES; n++) {
    const crd_batch batch = next(ctx, loader);
    for (size_t i = 0; i < batch.rows; i++) {
      const size_t row = batch.positions[i];
      const float *const image = (const float *)batch.inputs + i * SIZE;
      bool same[2] = { true, true };
      for (size_t k = 0; k < SIZE; k++) {
        const size_t c = k / (H * W), turned = k - k % W + (W - 1 - k % W);
        for (size_t m = 0; m < 2; m++) {
          const float value = (float)test_byte(row, m ? turned : k) / 255.0F;
          same[m] &= image[k] == (float)(((double)value - mean[c]) / deviation[c]);
        }
      }
      assert_true(same[0] || same[1]);
      mirrored += same[1];
      changed += was[row] && was[row] != 1 + same[1];
      was[row] = 1 + same[1];
    }
  }
  assert_true(fabs((double)mirrored - 400) < 5 * sqrt(800 * 0.25));
  assert_in_range(changed, 200, 600);
  crd_loader_destroy(loader);
  crd_dataset_destroy(dataset);
}

/* An augmentation belongs to the sample, not to its row. */
static void samples_keep_their_augmentation_in_parts(void **state) {
  crd_context *const ctx = *state;
  static const size_t some[] = { 30, 7, 12 };
  crd_dataset *const all = test_dataset(ctx, TEST_BYTES, &plan), *part;
  assert_int_equal(crd_dataset_take(ctx, all, some, 3, &part), CRD_OK);
  crd_loader_options options = {
    .size = sizeof options, .batch = ROWS, .seed = 3, .augment = "flip"
  };
  crd_loader *const whole = created(ctx, all, &options);
  options.batch = 3;
  crd_loader *const piece = created(ctx, part, &options);
  for (size_t epoch = 0; epoch < 10; epoch++) {
    const crd_batch a = next(ctx, whole), b = next(ctx, piece);
    for (size_t i = 0; i < 3; i++)
      assert_memory_equal((const float *)a.inputs + some[i] * SIZE,
                          (const float *)b.inputs + i * SIZE, SIZE * sizeof(float));
  }
  crd_loader_destroy(whole);
  crd_loader_destroy(piece);
  crd_dataset_destroy(all);
  crd_dataset_destroy(part);
}

static void vectors_and_weights(void **state) {
  crd_context *const ctx = *state;
  static const float x[4][2] = { { 0, 10 }, { 1, 20 }, { 2, 30 }, { 3, 40 } };
  static const double weights[4] = { 1, 0.5, 2, 0 };
  static double centre[2] = { 1, 20 }, spread[2] = { 2, 10 };
  const crd_encoding columns = { .channels = 2, .mean = centre, .std = spread };
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(x, CRD_F32, 4, 2),
                                      .weights = crd_array_matrix(weights, CRD_F64, 4, 1) };
  crd_dataset *dataset;
  assert_int_equal(crd_dataset_create(ctx, &arrays, &dataset), CRD_OK);
  crd_loader *const loader = created(
      ctx, dataset,
      &(crd_loader_options){
          .size = sizeof(crd_loader_options), .batch = 3, .keep_last = 1, .encoding = &columns });
  for (size_t b = 0; b < 2; b++) {
    const crd_batch batch = next(ctx, loader);
    assert_int_equal(batch.rows, b ? 1 : 3);
    for (size_t i = 0; i < (b ? 1 : 3); i++) {
      const float *const row = (const float *)batch.inputs + 2 * i;
      assert_true(row[0] == (x[3 * b + i][0] - 1) / 2 && row[1] == (x[3 * b + i][1] - 20) / 10);
      assert_true(batch.weights[i] == weights[3 * b + i]);
      assert_int_equal(batch.labels[i], -1);
    }
  }
  crd_loader_destroy(loader);
  crd_loader *none;
  assert_int_equal(crd_loader_create(ctx, dataset,
                                     &(crd_loader_options){ .size = sizeof(crd_loader_options),
                                                            .batch = 2,
                                                            .augment = "flip" },
                                     &none),
                   CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "augmentations are for images"));
  assert_int_equal(crd_loader_create(ctx, dataset,
                                     &(crd_loader_options){ .size = sizeof(crd_loader_options),
                                                            .batch = 2,
                                                            .encoding = &encoding },
                                     &none),
                   CRD_OK);
  crd_loader_destroy(none);
  crd_dataset_destroy(dataset);
}

static void texts_are_tokens(void **state) {
  crd_context *const ctx = *state;
  static const char *const texts[] = { "a b a", "b", "" };
  static const int64_t expected[3][2] = { { 2, 3 }, { 3, 0 }, { 0, 0 } };
  crd_dataset *const dataset =
      test_dataset(ctx, TEST_BYTES, &(test_plan){ .count = 3, .texts = texts });
  crd_encoding *words;
  crd_loader *loader;
  assert_int_equal(
      crd_loader_create(ctx, dataset,
                        &(crd_loader_options){ .size = sizeof(crd_loader_options), .batch = 3 },
                        &loader),
      CRD_EUSAGE);
  assert_int_equal(crd_encoding_learn(
                       ctx, dataset,
                       &(crd_encoding_options){ .size = sizeof(crd_encoding_options), .length = 2 },
                       &words),
                   CRD_OK);
  assert_int_equal(crd_dataset_encode(ctx, dataset, words), CRD_OK);
  loader = created(
      ctx, dataset,
      &(crd_loader_options){ .size = sizeof(crd_loader_options), .batch = 3, .encoding = words });
  const crd_batch batch = next(ctx, loader);
  assert_memory_equal(batch.inputs, expected, sizeof expected);
  crd_loader_destroy(loader);
  crd_encoding_destroy(words);
  crd_dataset_destroy(dataset);
}

/* ---- Samples that take long to read are read once. */

static void decoded_samples_are_kept(void **state) {
  crd_context *const ctx = *state;
  for (test_way way = TEST_DECODED; way < TEST_KINDS; way++) {
    crd_dataset *const dataset = test_dataset(ctx, way, &plan);
    test_self *const self = dataset->store->self;
    crd_loader *const loader = created(
        ctx, dataset,
        &(crd_loader_options){ .size = sizeof(crd_loader_options), .batch = ROWS, .workers = 2 });
    for (size_t epoch = 0; epoch < 10; epoch++) next(ctx, loader);
    crd_loader_destroy(loader);
    const size_t reads = atomic_load(&self->reads);
    if (way == TEST_FLOATS) assert_true(reads >= 10 * ROWS);
    else assert_in_range(reads, ROWS, 3 * ROWS); /* threads may read a sample at the same time */
    crd_dataset_destroy(dataset);
  }
}

/* ---- Failures. */

static void a_bad_sample_fails_its_batch(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const dataset = test_dataset(ctx, TEST_DECODED, &plan);
  test_self *const self = dataset->store->self;
  crd_batch batch;
  self->failing = 2 * BATCH + 1;
  for (unsigned workers = 1; workers <= 3; workers++) {
    crd_loader *const loader =
        created(ctx, dataset,
                &(crd_loader_options){
                    .size = sizeof(crd_loader_options), .batch = BATCH, .workers = workers });
    for (size_t again = 0; again < 2; again++) {
      for (size_t b = 0; b < 2; b++) next(ctx, loader);
      assert_int_equal(crd_loader_next(ctx, loader, &batch), CRD_EINPUT);
      assert_string_equal(crd_context_message(ctx), "sample 17 is corrupt");
      assert_null(batch.inputs);
      assert_int_equal(crd_loader_next(ctx, loader, &batch), CRD_EINPUT);
      crd_loader_seek(loader, 7, 3);
      for (size_t b = 0; b < 2; b++) next(ctx, loader);
      crd_loader_seek(loader, 0, 0);
    }
    crd_loader_destroy(loader);
  }
  crd_dataset_destroy(dataset);
}

static void options_are_checked(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const dataset = test_dataset(ctx, TEST_BYTES, &plan);
  static const struct {
    crd_loader_options options;
    crd_status status;
    const char *message;
  } cases[] = {
    { { .size = sizeof(crd_loader_options), .batch = ROWS + 1 },
      CRD_EINPUT,
      "43 samples are fewer than a batch of 44" },
    { { .size = sizeof(crd_loader_options) }, CRD_EINPUT, "fewer than a batch of 128" },
    { { .size = sizeof(crd_loader_options), .batch = 1, .augment = "flop" },
      CRD_EUSAGE,
      "did you mean 'flip'?" },
    { { .size = sizeof(crd_loader_options), .batch = 1, .augment = "flip(p=2)" },
      CRD_EUSAGE,
      "at character 6" },
    { { .size = sizeof(crd_loader_options), .batch = 1, .augment = "flip +" },
      CRD_EUSAGE,
      "found the end, expected the name of an" },
    { { .size = sizeof(crd_loader_options), .batch = 1, .augment = "flip flip" },
      CRD_EUSAGE,
      "at character 6 found 'flip', expected '+'" },
  };
  crd_loader *loader;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(crd_loader_create(ctx, dataset, &cases[i].options, &loader), cases[i].status);
    assert_null(loader);
    if (!strstr(crd_context_message(ctx), cases[i].message))
      fail_msg("%s", crd_context_message(ctx));
  }
  static double one[1] = { 1 };
  const crd_encoding grey = { .channels = 1, .mean = one, .std = one };
  assert_int_equal(crd_loader_create(ctx, dataset,
                                     &(crd_loader_options){ .size = sizeof(crd_loader_options),
                                                            .batch = 1,
                                                            .encoding = &grey },
                                     &loader),
                   CRD_EINPUT);
  assert_string_equal(crd_context_message(ctx),
                      "test: samples have 2 channels, the encoding has 1");
  loader = created(
      ctx, dataset,
      &(crd_loader_options){ .size = sizeof(crd_loader_options), .batch = 1000, .keep_last = 1 });
  assert_int_equal(next(ctx, loader).rows, ROWS);
  crd_loader_destroy(loader);
  crd_loader_destroy(NULL);
  crd_dataset_destroy(dataset);
}

static void memory_may_run_out(void **state) {
  (void)state;
  for (long at = 1;; at++) {
    test_allocator counter = { .fail_at = -1 };
    const crd_allocator alloc = failing_allocator(&counter);
    crd_context *ctx;
    crd__dataset_store *store;
    crd_dataset *dataset;
    crd_loader *loader;
    assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
    assert_int_equal(test_store(ctx, TEST_FLOATS, &plan, &store), CRD_OK);
    assert_int_equal(crd__dataset_of_store(ctx, store, "test", &dataset), CRD_OK);
    counter.fail_at = counter.calls + at;
    const crd_status status = crd_loader_create(ctx, dataset, &usual, &loader);
    const bool reached = status != CRD_OK;
    if (reached) assert_int_equal(status, CRD_ENOMEM);
    else counter.fail_at = -1;
    crd_loader_destroy(loader);
    crd_dataset_destroy(dataset);
    crd_context_destroy(ctx);
    assert_int_equal(counter.live, 0);
    if (!reached) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_come_once_an_epoch),
    cmocka_unit_test(orders_are_uniform),
    cmocka_unit_test(batches_do_not_depend_on_how_they_are_made),
    cmocka_unit_test(images_are_augmented_and_normalised),
    cmocka_unit_test(samples_keep_their_augmentation_in_parts),
    cmocka_unit_test(vectors_and_weights),
    cmocka_unit_test(texts_are_tokens),
    cmocka_unit_test(decoded_samples_are_kept),
    cmocka_unit_test(a_bad_sample_fails_its_batch),
    cmocka_unit_test(options_are_checked),
    cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
