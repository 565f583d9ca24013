/* network.c -- an ONNX network in your own program: compiled once, run for every batch.
 *
 *   cc network.c $(pkg-config --cflags --libs credence-nn) -o network && ./network net.onnx
 *
 * The network has one input of two values per row (e.g. tests/cli/data/net.onnx).
 */
#include <credence/credence.h>

#include <stdio.h>

enum { BATCH = 4 };
static const float rows[BATCH][2] = { { 0, 0 }, { 1, 2 }, { -1, 3 }, { 2, -2 } };

/* A run allocates nothing; its output is valid until the next run. */
static crd_status step(crd_context *ctx, crd_network *network) {
  const crd_array input = { rows, CRD_F32, 2, { BATCH, 2 } };
  const crd_status status = crd_network_run(ctx, network, &input, 1);
  if (status != CRD_OK) return status;
  const crd_array *output = crd_network_output(network, 0);
  const float *at = output->data;
  for (size_t i = 0; i < BATCH; i++)
    for (int64_t k = 0; k < output->dims[1]; k++)
      printf("%.4f%c", (double)*at++, k + 1 < output->dims[1] ? ' ' : '\n');
  return CRD_OK;
}

int main(int argc, char **argv) {
  const crd_compile_options options = { .size = sizeof options, .batch = BATCH };
  crd_context *ctx = NULL;
  crd_model *model = NULL;
  crd_network *network = NULL;
  if (argc != 2) return fprintf(stderr, "usage: network MODEL.onnx\n"), 2;
  crd_status status = crd_context_create(NULL, &ctx);
  if (status == CRD_OK) status = crd_model_open(ctx, argv[1], &model);
  if (status == CRD_OK) status = crd_network_compile(ctx, model, &options, &network);
  if (status == CRD_OK) status = step(ctx, network);
  if (status != CRD_OK) fprintf(stderr, "%s\n", ctx ? crd_context_message(ctx) : "no memory");
  crd_network_destroy(network);
  crd_model_destroy(model);
  crd_context_destroy(ctx);
  return crd_status_exit_code(status);
}
