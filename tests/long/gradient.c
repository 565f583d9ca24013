/*
 * gradient.c -- gradient with respect to the first input of a frozen network, for long/models.
 *
 *   gradient MODEL COTANGENT OUT INPUT...    arrays are .npy files; OUT gets float32 values
 */
#include "credence/credence.h"
#include "credence/network.h"

#include <stdio.h>

enum { INPUTS_MAX = 8 };

static crd_status open_arrays(crd_context *ctx, char **paths, size_t count, crd_array_file **files,
                              crd_array *arrays) {
  for (size_t i = 0; i < count; i++) {
    const crd_status status = crd_array_file_open(ctx, paths[i], &files[i]);
    if (status != CRD_OK) return status;
    arrays[i] = *crd_array_file_array(files[i]);
  }
  return CRD_OK;
}

static crd_status write_gradient(crd_context *ctx, const crd_network *network, const char *path) {
  const crd_array *const g = crd_network_input_gradient(network, 0);
  if (!g) return crd_context_fail(ctx, CRD_EINPUT, "no gradient with respect to the input");
  FILE *const file = fopen(path, "wb");
  const size_t count = crd_array_count(g);
  const int good = file && fwrite(g->data, sizeof(float), count, file) == count;
  if (file && fclose(file) == 0 && good) return CRD_OK;
  return crd_context_fail(ctx, CRD_ESYSTEM, "the gradient cannot be written");
}

/* arrays[0] is the cotangent, the inputs follow. */
static crd_status differentiate(crd_context *ctx, char **argv, const crd_array *arrays,
                                size_t inputs) {
  crd_model *model = NULL;
  crd_network *network = NULL;
  crd_array shapes[INPUTS_MAX];
  for (size_t i = 0; i < inputs; i++) {
    shapes[i] = arrays[i + 1];
    shapes[i].data = NULL;
  }
  const crd_compile_options how = {
    .size = sizeof how, .mode = CRD_MODE_INPUT_GRADIENT, .inputs = shapes, .input_count = inputs
  };
  crd_status status = crd_model_open(ctx, argv[1], &model);
  if (status == CRD_OK) status = crd_network_compile(ctx, model, &how, &network);
  if (status == CRD_OK) status = crd_network_run(ctx, network, arrays + 1, inputs);
  if (status == CRD_OK) status = crd_network_backward(ctx, network, arrays);
  if (status == CRD_OK) status = write_gradient(ctx, network, argv[3]);
  crd_network_destroy(network);
  crd_model_destroy(model);
  return status;
}

int main(int argc, char **argv) {
  crd_context *ctx = NULL;
  crd_array_file *files[INPUTS_MAX + 1] = { NULL };
  crd_array arrays[INPUTS_MAX + 1];
  const size_t inputs = argc > 4 ? (size_t)argc - 4 : 0;
  if (inputs < 1 || inputs > INPUTS_MAX || crd_context_create(NULL, &ctx) != CRD_OK) return 2;
  crd_status status = open_arrays(ctx, argv + 2, 1, files, arrays);
  if (status == CRD_OK) status = open_arrays(ctx, argv + 4, inputs, files + 1, arrays + 1);
  if (status == CRD_OK) status = differentiate(ctx, argv, arrays, inputs);
  if (status != CRD_OK) fprintf(stderr, "%s\n", crd_context_message(ctx));
  for (size_t i = 0; i <= INPUTS_MAX; i++) crd_array_file_destroy(files[i]);
  crd_context_destroy(ctx);
  return status == CRD_OK ? 0 : 1;
}
