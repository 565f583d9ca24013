/* edit.c -- models made of models: other weights and metadata, another last layer. */
#include "credence/edit.h"
#include "network/encoding.h"
#include "onnx/layer.h"
#include "onnx/settle.h"

const char *crd_model_metadata(const crd_model *model, const char *key) {
  return crd__onnx_file_metadata(model->file, key);
}

const crd_metadata *crd_model_metadata_at(const crd_model *model, size_t index) {
  return index < model->file->metadata_count ? &model->file->metadata[index] : NULL;
}

crd_status crd_model_update(crd_context *ctx, const crd_model *model, const crd_weights *weights,
                            size_t weight_count, const crd_metadata *metadata,
                            size_t metadata_count, crd_model **out) {
  const crd__onnx_metadata_edit pairs = { metadata, metadata_count };
  crd__text bytes;
  crd__text_init(&bytes, &ctx->alloc);
  const crd_status status =
      crd__onnx_file_update(ctx, model->file, weights, weight_count, pairs, &bytes);
  return crd__network_model_finish(ctx, status, model, &bytes, out);
}

crd_status crd_model_set_classes(crd_context *ctx, const crd_model *model, size_t classes,
                                 crd_model **out) {
  crd__text bytes;
  crd__text_init(&bytes, &ctx->alloc);
  const crd_status status =
      crd__onnx_layer_replace(ctx, model->file, classes, crd__network_no_classes, &bytes);
  return crd__network_model_finish(ctx, status, model, &bytes, out);
}

crd_status crd_model_settle(crd_context *ctx, const crd_model *model, crd_model **out) {
  crd__text bytes;
  crd__text_init(&bytes, &ctx->alloc);
  const crd_status status = crd__onnx_settle_write(ctx, model->file, &bytes);
  return crd__network_model_finish(ctx, status, model, &bytes, out);
}
