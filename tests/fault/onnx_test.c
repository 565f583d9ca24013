/* onnx_test.c -- ONNX files opened and saved while every allocation fails once. */
#include "sweep.h"

#include "base/context.h"
#include "onnx/file.h"

#include <sys/stat.h>

static crd_status open_and_save(crd_context *ctx, const void *path) {
  crd__onnx_file *file;
  const crd_status opened = crd__onnx_file_open(ctx, path, &file);
  assert_true((opened == CRD_OK) == (file != NULL));
  CRD_TRY(opened);
  const crd_status status = crd__onnx_file_save(ctx, file, "/dev/null");
  crd__onnx_file_destroy(file);
  return status;
}

static void models_are_opened_and_saved(void **state) {
  static const char *const names[] = { "function", "gemm", "graph", "lists", "unsorted" };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/fuzz_onnx/%s", CREDENCE_SOURCE, names[i]);
    sweep(open_and_save, path, names[i]);
  }
}

static void copy_file(const char *from, const char *to) {
  char bytes[4096];
  FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
  assert_true(in && out);
  const size_t count = fread(bytes, 1, sizeof bytes, in);
  assert_true(count > 0 && fwrite(bytes, 1, count, out) == count);
  assert_int_equal(fclose(in) | fclose(out), 0);
}

/* The model of the corpus refers to eight bytes at offset 4 of a file beside it. */
static void weights_lie_beside(void **state) {
  char folder[256], model[300], weights[300];
  (void)state;
  temporary_path(folder, "beside");
  assert_int_equal(mkdir(folder, 0700), 0);
  snprintf(model, sizeof model, "%s/m.onnx", folder);
  snprintf(weights, sizeof weights, "%s/w.bin", folder);
  copy_file(CREDENCE_SOURCE "/tests/fuzz/corpus/fuzz_onnx/external", model);
  copy_file(CREDENCE_SOURCE "/tests/fuzz/corpus/fuzz_onnx/gemm", weights);
  sweep(open_and_save, model, "weights beside the model");
  unlink(model);
  unlink(weights);
  rmdir(folder);
}

static crd_status read_tensor(crd_context *ctx, const void *bytes) {
  crd__onnx_tensor *tensor;
  const crd_status status =
      crd__onnx_tensor_read(ctx, "t.pb", *(const crd__onnx_span *)bytes, &tensor);
  assert_true((status == CRD_OK) == (tensor != NULL));
  crd__onnx_tensor_destroy(&ctx->alloc, tensor);
  return status;
}

/* A tensor t of i8 whose elements are a repeated field and must be copied. */
static void tensors_are_read(void **state) {
  static const unsigned char bytes[] = "\x08\x02\x10\x03\x42\x01t\x2a\x02\x01\x02";
  const crd__onnx_span span = { bytes, sizeof bytes - 1 };
  (void)state;
  sweep(read_tensor, &span, "a tensor");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(models_are_opened_and_saved),
    cmocka_unit_test(weights_lie_beside),
    cmocka_unit_test(tensors_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
