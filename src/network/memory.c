/*
 * memory.c -- the largest batch whose intermediate tensors fit into a given memory.
 *
 * In a forward and backward pass nearly all tensors live until the end, and their size is
 * proportional to the batch: a ViT-S/16 takes 46 MB a row. A survey of a few rows measures that
 * without allocating the whole.
 */
#include "base/memory.h"
#include "base/options.h"
#include "network/model.h"

#include <string.h>

enum { PROBE = 8 }; /* rows; smaller batches have other kernels and scratch buffers */

/* Surveys the model with a batch of `rows`. */
static crd_status measure(crd_context *ctx, const crd_model *model,
                          const crd_compile_options *options, size_t rows, uint64_t *bytes) {
  crd_compile_options how = *options;
  crd_array *inputs;
  const crd_survey *survey = NULL;
  CRD_TRY(crd__new(ctx, options->input_count + 1, sizeof *inputs, "inputs", &inputs));
  for (size_t i = 0; i < options->input_count; i++) {
    inputs[i] = options->inputs[i];
    if (inputs[i].rank && !inputs[i].data) inputs[i].dims[0] = (int64_t)rows;
  }
  how.batch = rows;
  how.inputs = inputs;
  const crd_status status = crd_survey_make(ctx, model, &how, &survey);
  if (status == CRD_OK) *bytes = survey->memory_bytes;
  crd_survey_destroy(survey);
  crd__free(&ctx->alloc, inputs);
  return status;
}

crd_status crd_survey_batch(crd_context *ctx, const crd_model *model,
                            const crd_compile_options *options, uint64_t bytes, size_t *batch) {
  crd_compile_options own;
  *batch = 1;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_compile_options, options, &own));
  const size_t wanted = own.batch ? own.batch : 1;
  const size_t rows = wanted < PROBE ? wanted : PROBE;
  uint64_t found;
  *batch = wanted;
  CRD_TRY(measure(ctx, model, &own, rows, &found));
  while (*batch > 1 && (double)found / (double)rows * (double)*batch > (double)bytes) *batch /= 2;
  return CRD_OK;
}
