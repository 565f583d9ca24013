/* testdata.c -- reads folders with model.onnx, test_data_set_0/input_0.pb, ..., output_0.pb, ... */
#include "modelkit/testdata.h"

#include "base/file.h"
#include "onnx/file.h"
#include "support.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const groups[] = { "node", "pytorch-converted", "pytorch-operator", "simple" };

const char *testdata_root(void) {
  const char *const named = getenv("CREDENCE_ONNX_TESTDATA");
  const char *const root = named ? named : CREDENCE_ONNX_TESTDATA;
  return *root ? root : NULL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t testdata_names(char ***out) {
  size_t count = 0;
  char path[TESTDATA_PATH_MAX];
  *out = NULL;
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    snprintf(path, sizeof path, "%s/%s", testdata_root(), groups[g]);
    DIR *const folder = opendir(path);
    if (!folder) fail_msg("%s cannot be read", path);
    for (const struct dirent *entry; (entry = readdir(folder));) {
      if (strncmp(entry->d_name, "test_", 5) != 0) continue;
      snprintf(path, sizeof path, "%s/%s", groups[g], entry->d_name);
      *out = realloc(*out, (count + 1) * sizeof **out);
      (*out)[count++] = strdup(path);
    }
    closedir(folder);
  }
  qsort(*out, count, sizeof **out, by_name);
  return count;
}

static bool read_tensor(crd_context *ctx, const char *path, ref_tensor *out,
                        char why[TESTDATA_WHY]) {
  crd__blob blob;
  crd__onnx_tensor *tensor = NULL;
  if (crd__blob_open(ctx, path, &blob) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  const crd__onnx_span bytes = { blob.bytes, blob.length };
  bool fine = crd__onnx_tensor_read(ctx, path, bytes, &tensor) == CRD_OK;
  if (!fine) snprintf(why, TESTDATA_WHY, "%s", crd_context_message(ctx));
  else if (!tensor->numbers) {
    snprintf(why, TESTDATA_WHY, "elements of ONNX's type %d", tensor->type);
    fine = false;
  } else *out = net_load(tensor->dtype, tensor->rank, tensor->dims, tensor->bytes);
  crd__onnx_tensor_destroy(&ctx->alloc, tensor);
  crd__blob_close(&ctx->alloc, &blob);
  return fine;
}

/* Read all files of one kind. */
static bool read_all(crd_context *ctx, const char *name, const char *kind, ref_tensor *out,
                     size_t *count, char why[TESTDATA_WHY]) {
  char path[TESTDATA_PATH_MAX];
  for (*count = 0;; ++*count) {
    snprintf(path, sizeof path, "%s/%s/test_data_set_0/%s_%zu.pb", testdata_root(), name, kind,
             *count);
    if (access(path, R_OK) != 0) return true;
    assert_true(*count < TESTDATA_TENSORS_MAX);
    if (!read_tensor(ctx, path, &out[*count], why)) return false;
  }
}

bool testdata_open(crd_context *ctx, const char *name, testdata *out, char why[TESTDATA_WHY]) {
  memset(out, 0, sizeof *out);
  snprintf(out->model, sizeof out->model, "%s/%s/model.onnx", testdata_root(), name);
  if (read_all(ctx, name, "input", out->inputs, &out->input_count, why) &&
      read_all(ctx, name, "output", out->outputs, &out->output_count, why))
    return true;
  testdata_close(out);
  return false;
}

void testdata_close(testdata *data) {
  for (size_t i = 0; i < TESTDATA_TENSORS_MAX; i++) {
    free(data->inputs[i].values);
    free(data->outputs[i].values);
  }
}

static bool is_near(crd_dtype dtype, double want, double got) {
  if (isnan(want)) return isnan(got);
  if (isinf(want) || !ref_is_float(dtype)) return want == got;
  return fabs(got - want) <= 1e-7 + 1e-3 * fabs(want);
}

bool testdata_agrees(const ref_tensor *want, const ref_tensor *got, char why[TESTDATA_WHY]) {
  bool same = got->dtype == want->dtype && got->rank == want->rank;
  for (size_t k = 0; same && k < want->rank; k++) same = got->dims[k] == want->dims[k];
  if (!same) {
    snprintf(
        why, TESTDATA_WHY,
        "another type or shape: %s of rank %zu, first %lld, instead of %s of rank %zu, first %lld",
        crd_dtype_name(got->dtype), got->rank, (long long)got->dims[0], crd_dtype_name(want->dtype),
        want->rank, (long long)want->dims[0]);
    return false;
  }
  for (size_t i = 0; i < ref_count(want); i++) {
    if (is_near(want->dtype, want->values[i], ref_round(want->dtype, got->values[i]))) continue;
    snprintf(why, TESTDATA_WHY, "got %.9g instead of %.9g at %zu", got->values[i], want->values[i],
             i);
    return false;
  }
  return true;
}
