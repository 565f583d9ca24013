/*
 * into.c -- a clamped model as one ONNX file: delta is added at its input, or to a tensor inside;
 * temperature and softmax follow its logits as new outputs; everything else is copied unchanged.
 */
#include "base/memory.h"
#include "clamp/clamp.h"
#include "clamp/start.h"
#include "export/export.h"
#include "network/model.h"
#include "onnx/reader.h"
#include "onnx/shift.h"

#include <string.h>

static crd_status to_text(crd_context *ctx, void *self, const void *bytes, size_t count) {
  crd__text_add_bytes(self, bytes, count);
  return crd__text_status(ctx, self);
}

/* Returns the name of the logits: the output, or what its softmax reads. */
static const char *logits_of(const crd__onnx_file *file, int output) {
  const int producer = file->edges[output].producer;
  const crd__onnx_node *const node = producer == CRD__ONNX_NONE ? NULL : &file->nodes[producer];
  const bool softmax = node && !node->domain[0] && strcmp(node->op, "Softmax") == 0;
  return file->edges[softmax ? node->inputs[0] : output].name;
}

const char *crd_clamp_logits(const crd_model *model) {
  const crd__onnx_file *const file = model->file;
  return file->output_count ? logits_of(file, file->outputs[0]) : NULL;
}

/* Returns whether the value is an input, perhaps cast. */
static bool is_given(const crd__onnx_file *file, int edge) {
  const int producer = edge == CRD__ONNX_NONE ? edge : file->edges[edge].producer;
  if (producer != CRD__ONNX_NONE) {
    const crd__onnx_node *const node = &file->nodes[producer];
    if (node->domain[0] || strcmp(node->op, "Cast") != 0) return false;
    edge = node->inputs[0];
  }
  return edge != CRD__ONNX_NONE && file->edges[edge].producer == CRD__ONNX_NONE &&
         !file->edges[edge].constant;
}

const char *crd_clamp_embedding(const crd_model *model) {
  const crd__onnx_file *const file = model->file;
  for (size_t n = 0; n < file->node_count; n++) {
    const crd__onnx_node *const node = &file->nodes[n];
    if (node->domain[0] || strcmp(node->op, "Gather") != 0 || node->input_count != 2 ||
        node->inputs[0] == CRD__ONNX_NONE)
      continue;
    const crd__onnx_tensor *const table = file->edges[node->inputs[0]].constant;
    if (table && table->dtype == CRD_F32 && table->rank == 2 && is_given(file, node->inputs[1]))
      return file->edges[node->outputs[0]].name;
  }
  return NULL;
}

/* Softmax of the logits over T, as a map of calibrators. */
static crd_status make_map(crd_context *ctx, const crd_clamp_summary *s, crd__calibrator_map *out) {
  const double b = 1 / s->temperature;
  *out = (crd__calibrator_map){
    .alloc = ctx->alloc, .classes = s->classes, .input = CRD_INPUT_LOGITS, .reach = CRD__ROWS
  };
  CRD_TRY(crd__calibrator_map_add(ctx, out, CRD__SCALE, &b, 1, NULL, 0));
  return crd__calibrator_map_add(ctx, out, CRD__SOFTMAX, NULL, 0, NULL, 0);
}

/* What was done to the model, for its metadata. */
static void describe(const crd_clamp_summary *s, const char *tensor, const char *logits,
                     crd__text *out) {
  crd__text_addf(out, "Neural Clamping: delta added to %s, |delta| ", tensor);
  crd__text_add_number(out, s->delta_norm);
  crd__text_addf(out, "; probabilities = softmax(%s / T), T ", logits);
  crd__text_add_number(out, s->temperature);
  crd__text_addf(out, "; fitted to %zu rows; %s", s->rows, s->settings);
}

/* Sets the range of each element to which the fit projected x + delta, in memory that the caller
 * frees; NULL if it did not. */
static crd_status read_range(crd_context *ctx, const crd_clamp *clamp, crd__onnx_shift *shift,
                             float **out) {
  const crd_clamp_summary *const s = &clamp->summary;
  const crd_encoding scale = { .channels = s->channels, .mean = clamp->mean, .std = clamp->std };
  crd__clamp_settings settings;
  *out = NULL;
  CRD_TRY(crd__clamp_settings_read(
      ctx, &(crd_clamp_options){ .size = sizeof(crd_clamp_options), .settings = s->settings },
      &settings));
  if (settings.project == 0) return CRD_OK;
  CRD_TRY(crd__new(ctx, 2 * s->count, sizeof **out, "the valid range", out));
  crd__clamp_range(&settings, s->tensor ? NULL : &scale, s->count, *out, *out + s->count);
  shift->low = *out;
  shift->high = *out + s->count;
  return CRD_OK;
}

static crd_status add_delta(crd_context *ctx, const crd_clamp *clamp, const crd_model *model,
                            const char *tensor, const char *logits, crd__text *out) {
  const crd_clamp_summary *const s = &clamp->summary;
  crd__text about;
  float *range;
  crd__text_init(&about, &ctx->alloc);
  describe(s, tensor, logits, &about);
  const crd_metadata pair = { .key = "credence.clamp", .value = about.bytes };
  crd__onnx_shift shift = {
    .value = tensor, .values = s->delta, .rank = s->rank, .metadata = { &pair, 1 }
  };
  memcpy(shift.dims, s->dims, sizeof shift.dims);
  crd_status status = read_range(ctx, clamp, &shift, &range);
  if (status == CRD_OK) status = crd__text_status(ctx, &about);
  if (status == CRD_OK) status = crd__onnx_shift_write(ctx, model->file, &shift, out);
  crd__text_clear(&about);
  crd__free(&ctx->alloc, range);
  return status;
}

static crd_status append(crd_context *ctx, const crd_clamp_summary *s, const crd_model *model,
                         const crd__text *shifted, const char *logits, crd__text *out) {
  const crd__io_sink sink = { to_text, out };
  const crd__onnx_span bytes = { (const unsigned char *)shifted->bytes, shifted->length };
  crd__calibrator_map map;
  crd_status status = make_map(ctx, s, &map);
  if (status == CRD_OK)
    status = crd__export_into(ctx, &map, model->file->path, bytes, logits, NULL, &sink);
  crd__calibrator_map_clear(&map);
  return status;
}

/* ---- Values inside a graph, whose shapes most files do not give. */

static bool has_shape(const crd_node_info *sum, const crd_clamp_summary *s) {
  bool same = sum->rank == s->rank + 1 && sum->dtype == CRD_F32;
  for (size_t i = 0; same && i < s->rank; i++) same = sum->dims[i + 1] == s->dims[i];
  return same;
}

/* Fails if delta and the tensor cannot be added, or if the sum is larger than the tensor. Where the
 * engine cannot tell, neither can this. In the copy, nothing but the sum reads the tensor. */
static crd_status check_sum(crd_context *ctx, const crd_clamp_summary *s, const char *tensor,
                            const crd_model *copy) {
  const crd__onnx_file *const file = copy->file;
  const crd_survey *survey;
  bool good = true;
  crd_status status = crd_survey_make(ctx, copy, NULL, &survey);
  if (status == CRD_EINPUT || status == CRD_EUSAGE) return CRD_OK; /* free dimensions, say */
  if (status != CRD_OK) return status;
  for (size_t n = 0; n < file->node_count && good; n++) {
    const crd__onnx_node *const node = &file->nodes[n];
    const crd_node_info *const sum = &survey->nodes[n];
    if (!node->input_count || node->inputs[0] == CRD__ONNX_NONE ||
        strcmp(file->edges[node->inputs[0]].name, tensor) != 0)
      continue;
    const int producer = file->edges[node->inputs[0]].producer;
    const bool told = producer != CRD__ONNX_NONE && survey->nodes[producer].known;
    good = sum->known ? has_shape(sum, s) : !told;
  }
  crd_survey_destroy(survey);
  if (good) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s: '%.60s' does not have the shape of the perturbation",
                   file->path, tensor);
}

crd_status crd_clamp_into(crd_context *ctx, const crd_clamp *clamp, const crd_model *model,
                          const char *tensor, const char *logits, crd_model **out) {
  const crd_clamp_summary *const s = &clamp->summary;
  const crd_port *const input = crd_model_input(model, 0);
  crd__text shifted, whole;
  *out = NULL;
  if (!tensor) tensor = s->tensor;
  if (!tensor && (!input || crd_model_input(model, 1)))
    return crd__fail(ctx, CRD_EINPUT, "%s: the model has %s inputs; name the tensor to perturb",
                     model->file->path, input ? "several" : "no");
  if (!tensor) tensor = input->name;
  if (!logits) logits = crd_clamp_logits(model);
  if (!logits) return crd__fail(ctx, CRD_EINPUT, "%s: the model has no output", model->file->path);
  crd__text_init(&shifted, &ctx->alloc);
  crd__text_init(&whole, &ctx->alloc);
  crd_status status = add_delta(ctx, clamp, model, tensor, logits, &shifted);
  if (status == CRD_OK) status = append(ctx, s, model, &shifted, logits, &whole);
  crd__text_clear(&shifted);
  status = crd__network_model_finish(ctx, status, model, &whole, out);
  if (status == CRD_OK) status = check_sum(ctx, s, tensor, *out);
  if (status == CRD_OK) return CRD_OK;
  crd_model_destroy(*out);
  *out = NULL;
  return status;
}
