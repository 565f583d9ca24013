/* cut.c -- parts of models, with the metadata that belongs to them. */
#include "credence/edit.h"
#include "network/encoding.h"
#include "network/shape.h"
#include "onnx/part.h"

static crd_status choose_before(crd_context *ctx, const crd_model *model, int edge, crd_port *port,
                                crd__onnx_part *part) {
  const crd__onnx_file *const file = model->file;
  if (file->edges[edge].producer == CRD__ONNX_NONE)
    return crd__fail(ctx, CRD_EUSAGE, "%s: '%.60s' is an input: nothing comes before it",
                     file->path, file->edges[edge].name);
  CRD_TRY(crd__onnx_part_before(ctx, file, &edge, 1, part));
  CRD_TRY(crd__network_shape(ctx, model, edge, port));
  part->ports[0] = port;
  part->metadata = crd__network_no_classes;
  return CRD_OK;
}

static crd_status choose_after(crd_context *ctx, const crd_model *model, int edge, crd_port *port,
                               crd__onnx_part *part) {
  CRD_TRY(crd__network_shape(ctx, model, edge, port));
  const char *const rows =
      port->known && port->rank && port->dims[0] < 0 ? port->dim_names[0] : NULL;
  CRD_TRY(crd__onnx_part_after(ctx, model->file, edge, rows, part));
  part->port = port;
  part->metadata = crd__network_no_inputs;
  return CRD_OK;
}

crd_status crd_model_cut(crd_context *ctx, const crd_model *model, const char *tensor,
                         crd_model_part part, crd_model **out) {
  crd__onnx_part chosen = { .input = CRD__ONNX_NONE };
  crd_port port;
  crd__text bytes;
  int edge;
  crd__text_init(&bytes, &ctx->alloc);
  crd_status status = crd__onnx_part_find(ctx, model->file, tensor, &edge);
  if (status == CRD_OK)
    status = part == CRD_PART_BEFORE ? choose_before(ctx, model, edge, &port, &chosen)
                                     : choose_after(ctx, model, edge, &port, &chosen);
  if (status == CRD_OK) status = crd__onnx_part_write(ctx, &chosen, &bytes);
  crd__onnx_part_clear(&ctx->alloc, &chosen);
  return crd__network_model_finish(ctx, status, model, &bytes, out);
}
