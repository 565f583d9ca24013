/*
 * pass.c -- the network compiled for training on batches of one size.
 *
 * Incomplete last batches have a network of their own: padding would change batch statistics.
 */
#include "base/memory.h"
#include "train/trainer.h"

#include <string.h>

/* The input as the data has it, or the frozen part of the network. */
static crd_array input_of(const crd_trainer *t, size_t batch) {
  const crd_dataset_shape *const data = crd_dataset_describe(t->training);
  const crd_array *const features = &t->frozen.sample;
  const bool frozen = t->frozen.front;
  const size_t rank = frozen ? features->rank : data->rank;
  crd_array input = { .dtype = frozen ? CRD_F32 : data->dtype,
                      .rank = rank + 1,
                      .dims = { (int64_t)batch } };
  memcpy(input.dims + 1, frozen ? features->dims : data->dims, rank * sizeof *input.dims);
  return input;
}

static crd_status check_output(crd_context *ctx, const crd_array *output, size_t batch,
                               size_t classes) {
  if (output->rank == 2 && output->dtype == CRD_F32 && (uint64_t)output->dims[0] == batch &&
      (uint64_t)output->dims[1] == classes)
    return CRD_OK;
  if (output->rank != 2 || output->dtype != CRD_F32 || (uint64_t)output->dims[0] != batch)
    return crd__fail(ctx, CRD_EINPUT, "the model's output is not one row of f32 logits per sample");
  return crd__fail(ctx, CRD_EINPUT, "the model has %lld outputs, the training data %zu classes",
                   (long long)output->dims[1], classes);
}

crd_status crd__train_pass_make(crd_context *ctx, const crd_trainer *trainer, size_t batch,
                                crd__train_pass *out) {
  const crd_dataset_shape *const data = crd_dataset_describe(trainer->training);
  const crd_array input = input_of(trainer, batch);
  const crd_compile_options options = { .size = sizeof options,
                                        .batch = batch,
                                        .inputs = &input,
                                        .input_count = 1,
                                        .mode = CRD_MODE_TRAINING,
                                        .parameters_only = 1 };
  *out = (crd__train_pass){ .batch = batch };
  const crd_status status = crd_network_compile(ctx, trainer->model, &options, &out->network);
  if (status != CRD_OK) /* a shape that does not fit is no fault of the caller's options here */
    return status == CRD_EUSAGE ? CRD_EINPUT : status;
  if (crd_network_input(out->network, 1))
    return crd__fail(ctx, CRD_EINPUT, "the model has several inputs; only one can be trained on");
  out->input = *crd_network_input(out->network, 0);
  out->output = *crd_network_output(out->network, 0);
  CRD_TRY(check_output(ctx, &out->output, batch, data->classes));
  CRD_TRY(crd__new(ctx, crd_array_count(&out->output), sizeof(float), "gradients", &out->gradient));
  CRD_TRY(crd__train_parameters_make(ctx, out->network, trainer->options.decay,
                                     crd__train_optimiser_at(trainer->optimiser.chosen.index),
                                     &out->parameters));
  if (out->parameters.elements) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "the model has no weights to train");
}

void crd__train_pass_clear(const crd_allocator *alloc, crd__train_pass *pass) {
  crd__train_parameters_clear(alloc, &pass->parameters);
  crd__free(alloc, pass->gradient);
  crd_network_destroy(pass->network);
  *pass = (crd__train_pass){ 0 };
}
