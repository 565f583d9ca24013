/* store_test.c -- samples as they are read: bytes, numbers, corrupted ones, and what is kept. */
#include "dataset/testing.h"
#include "dataset/transform/transform.h"

enum { C = 1, H = 3, W = 4, SIZE = C * H * W, COUNT = 5 };
static const test_plan plan = { .count = COUNT, .channels = C, .height = H, .width = W };

static void bytes_and_numbers_are_the_same(void **state) {
  crd_context *const ctx = *state;
  for (test_way way = TEST_BYTES; way < TEST_KINDS; way++) {
    crd_dataset *const dataset = test_dataset(ctx, way, &plan);
    for (size_t row = 0; row < COUNT; row++) {
      float found[SIZE];
      assert_int_equal(crd_dataset_read(ctx, dataset, &row, 1, found), CRD_OK);
      for (size_t i = 0; i < SIZE; i++) assert_true(found[i] == (float)test_byte(row, i) / 255.0F);
    }
    crd_dataset_destroy(dataset);
  }
}

static void a_bad_sample_is_not_kept(void **state) {
  crd_context *const ctx = *state;
  for (test_way way = TEST_DECODED; way < TEST_KINDS; way++) {
    crd_dataset *const dataset = test_dataset(ctx, way, &plan);
    test_self *const self = dataset->store->self;
    const size_t row = 3;
    float found[SIZE];
    self->failing = row;
    for (size_t again = 0; again < 2; again++)
      assert_int_equal(crd_dataset_read(ctx, dataset, &row, 1, found), CRD_EINPUT);
    self->failing = SIZE_MAX;
    assert_int_equal(crd_dataset_read(ctx, dataset, &row, 1, found), CRD_OK);
    assert_true(found[0] == (float)test_byte(row, 0) / 255.0F);
    crd_dataset_destroy(dataset);
  }
}

/* Adds the severity and a random number: with it, the call can be recognised. */
static crd_status mark(crd_context *ctx, const crd__transform_call *call, const float *in,
                       float *out) {
  (void)ctx;
  assert_true(call->channels == C && call->height == H && call->width == W);
  const float more = (float)call->severity + (float)crd__random_uniform(call->key, call->stream, 0);
  for (size_t i = 0; i < SIZE; i++) out[i] = in[i] + more;
  return CRD_OK;
}

/* The same for each way of storing samples, read again or kept, alone or in a batch; other samples
 * get other random numbers. */
static void samples_are_corrupted(void **state) {
  crd_context *const ctx = *state;
  static const crd__transform marker = { .info = { .name = "mark" }, .apply = mark };
  float first[COUNT] = { 0 };
  for (test_way way = TEST_BYTES; way < TEST_KINDS; way++) {
    crd_dataset *const dataset = test_dataset(ctx, way, &plan);
    crd__dataset_store *const store = dataset->store;
    crd__dataset_cache_destroy(&store->alloc, store->cache);
    store->cache = NULL;
    store->corruption = &marker;
    store->severity = 2;
    if (way % 2) assert_int_equal(crd__dataset_cache_create(ctx, store), CRD_OK);
    for (size_t again = 0; again < 2; again++)
      for (size_t row = 0; row < COUNT; row++) {
        float found[SIZE];
        assert_int_equal(crd_dataset_read(ctx, dataset, &row, 1, found), CRD_OK);
        const float more = found[0] - (float)test_byte(row, 0) / 255.0F;
        assert_true(more >= 2 && more < 3.0001F);
        if (way == TEST_BYTES && again == 0) first[row] = found[0];
        assert_true(found[0] == first[row]);
        if (row) assert_true(more != first[row - 1] - (float)test_byte(row - 1, 0) / 255.0F);
      }
    crd_loader *loader;
    crd_batch batch;
    assert_int_equal(crd_loader_create(ctx, dataset,
                                       &(crd_loader_options){ .size = sizeof(crd_loader_options),
                                                              .batch = COUNT },
                                       &loader),
                     CRD_OK);
    assert_int_equal(crd_loader_next(ctx, loader, &batch), CRD_OK);
    for (size_t row = 0; row < COUNT; row++)
      assert_true(((const float *)batch.inputs)[row * SIZE] == first[row]);
    crd_loader_destroy(loader);
    crd_dataset_destroy(dataset);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_and_numbers_are_the_same),
    cmocka_unit_test(a_bad_sample_is_not_kept),
    cmocka_unit_test(samples_are_corrupted),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
