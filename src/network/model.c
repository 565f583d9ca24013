/* model.c -- the public model: an open file, its inputs and outputs. */
#include "network/model.h"
#include "base/memory.h"

static crd_status wrap(crd_context *ctx, crd__onnx_file *file, crd_model **out) {
  crd_model *model;
  const crd_status status = crd__new(ctx, 1, sizeof *model, "a model", &model);
  if (status != CRD_OK) {
    crd__onnx_file_destroy(file);
    return status;
  }
  *model = (crd_model){ .alloc = ctx->alloc, .file = file };
  *out = model;
  return CRD_OK;
}

crd_status crd_model_open(crd_context *ctx, const char *path, crd_model **out) {
  crd__onnx_file *file;
  *out = NULL;
  CRD_TRY(crd__onnx_file_open(ctx, path, &file));
  return wrap(ctx, file, out);
}

crd_status crd_model_open_memory(crd_context *ctx, const char *name, const void *bytes,
                                 size_t length, crd_model **out) {
  crd__onnx_file *file;
  *out = NULL;
  CRD_TRY(crd__onnx_file_read(ctx, name, (crd__onnx_span){ bytes, length }, &file));
  return wrap(ctx, file, out);
}

/* Opens a model whose bytes stay with the caller until this succeeds. */
static crd_status open_text(crd_context *ctx, const char *name, const crd__text *bytes,
                            crd_model **out) {
  CRD_TRY(crd__text_status(ctx, bytes));
  return crd_model_open_memory(ctx, name, bytes->length ? bytes->bytes : "", bytes->length, out);
}

crd_status crd__network_model_adopt(crd_context *ctx, const char *name, crd__text *bytes,
                                    crd_model **out) {
  *out = NULL;
  const crd_status status = open_text(ctx, name, bytes, out);
  if (status == CRD_OK) {
    (*out)->bytes = bytes->bytes;
    bytes->bytes = NULL;
  }
  crd__text_clear(bytes);
  return status;
}

crd_status crd__network_model_finish(crd_context *ctx, crd_status status, const crd_model *from,
                                     crd__text *bytes, crd_model **out) {
  *out = NULL;
  if (status == CRD_OK) return crd__network_model_adopt(ctx, from->file->path, bytes, out);
  crd__text_clear(bytes);
  return status;
}

void crd_model_destroy(crd_model *model) {
  if (!model) return;
  const crd_allocator alloc = model->alloc;
  crd__onnx_file_destroy(model->file);
  crd__free(&alloc, model->bytes);
  crd__free(&alloc, model);
}

crd_status crd_model_save(crd_context *ctx, const crd_model *model, const char *path) {
  return crd__onnx_file_save(ctx, model->file, path);
}

const crd_port *crd_model_input(const crd_model *model, size_t index) {
  const crd__onnx_file *const file = model->file;
  return index < file->input_count ? &file->edges[file->inputs[index]].port : NULL;
}

const crd_port *crd_model_output(const crd_model *model, size_t index) {
  const crd__onnx_file *const file = model->file;
  return index < file->output_count ? &file->edges[file->outputs[index]].port : NULL;
}
