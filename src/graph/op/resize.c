/*
 * resize.c -- Resize and Upsample: interpolation between the elements of an array, one axis after
 * the other (the weights are products of those of the axes), the last one first. Axes whose
 * positions are those of the input are left out.
 */
#include "engine/kernel/copy.h"
#include "engine/kernel/gather.h"
#include "graph/op/plain.h"
#include "graph/op/resample.h"

static crd_status resize_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__graph_resampling r;
  CRD_TRY(crd__graph_resampling_read(ctx, net, node, &r));
  return crd__graph_node_set(ctx, net, node, 0, crd__graph_node_input(net, node, 0)->dtype, r.rank,
                             r.out);
}

/* ---- The passes over the axes. */

typedef struct {
  bool nearest;
  crd__kernel_resample r;
} pass;

static bool is_identity(const crd__kernel_resample *r) {
  bool same = r->in == r->out;
  for (size_t j = 0; same && j < r->out; j++)
    for (size_t t = j * r->taps; t < (j + 1) * r->taps; t++)
      same = same && r->weight[t] == (r->index[t] == (int32_t)j ? 1 : 0);
  return same;
}

/* Compute the tables of all passes that change something, in the order of the forward pass. The
 * first reads the type of the input, the last writes it; between them float16 is float64. */
static crd_status make_passes(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                              size_t *count, pass passes[CRD_RANK_MAX]) {
  const crd_dtype dtype = crd__graph_node_input(net, node, 0)->dtype;
  crd__graph_resampling s;
  size_t outer = 1, inner = 1;
  *count = 0;
  CRD_TRY(crd__graph_resampling_read(ctx, net, node, &s));
  const crd_dtype between = s.how.mode == CRD__SAMPLE_NEAREST || dtype == CRD_F32 ? dtype : CRD_F64;
  for (size_t d = 0; d < s.rank; d++) outer *= (size_t)s.in[d];
  for (size_t d = s.rank; d-- > 0; inner *= (size_t)s.out[d]) {
    const crd__kernel_sampling how = crd__graph_resampling_of(node, &s, d);
    crd__kernel_resample r = { .from = between,
                               .to = between,
                               .in = (size_t)s.in[d],
                               .out = (size_t)s.out[d],
                               .inner = inner,
                               .taps = crd__kernel_resample_taps(&how, s.factor[d]) };
    int32_t *index;
    double *weight;
    outer /= r.in;
    r.outer = outer;
    if (r.in == r.out && s.factor[d] == 1) continue;
    CRD_TRY(crd__engine_memory(ctx, &net->engine, r.out * r.taps, sizeof *index, &index));
    CRD_TRY(crd__engine_memory(ctx, &net->engine, r.out * r.taps, sizeof *weight, &weight));
    crd__kernel_resample_table(&how, r.in, r.out, s.factor[d], index, weight);
    r.index = index;
    r.weight = weight;
    if (!is_identity(&r))
      passes[(*count)++] = (pass){ .nearest = how.mode == CRD__SAMPLE_NEAREST, .r = r };
  }
  if (*count) passes[0].r.from = passes[*count - 1].r.to = dtype;
  return CRD_OK;
}

static crd__kernel_gather gather_of(const crd__kernel_resample *r) {
  return (crd__kernel_gather){ .size = crd_dtype_size(r->from),
                               .outer = r->outer,
                               .length = r->in,
                               .inner = r->inner,
                               .index_type = CRD_I32,
                               .index = r->index,
                               .count = r->out };
}

/* Add a scratch buffer of this many bytes. */
static crd_status add_scratch(crd_context *ctx, crd__engine_plan *p, size_t bytes, int *place) {
  const int64_t floats = (int64_t)((bytes + sizeof(float) - 1) / sizeof(float));
  crd__engine_layout layout;
  CRD_TRY(crd__engine_layout_plain(ctx, crd__graph_plan_net(p)->engine.dnn, 1, &floats, &layout));
  return crd__engine_plan_scratch(ctx, p, layout, place);
}

/* ---- Forward pass. */

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const pass *const s = step->self;
  const crd__kernel_gather g = gather_of(&s->r);
  int64_t bad;
  (void)ctx;
  if (s->nearest)
    (void)crd__kernel_gather_run(step->threads, &g, step->memory[0], step->memory[1], &bad);
  else crd__kernel_resample_run(step->threads, &s->r, step->memory[0], step->memory[1]);
  return CRD_OK;
}

typedef struct {
  int64_t count;
  size_t size;
} copying;

static crd_status run_copy(crd_context *ctx, const crd__engine_step *step) {
  const copying *const c = step->self;
  (void)ctx;
  crd__kernel_copy(step->threads, c->size, 1, &c->count, step->memory[1], NULL, step->memory[0],
                   NULL);
  return CRD_OK;
}

static crd_status resize_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  crd__graph *const net = crd__graph_plan_net(p);
  pass passes[CRD_RANK_MAX];
  size_t count;
  int places[2];
  CRD_TRY(make_passes(ctx, net, node, &count, passes));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[0], &places[0]));
  for (size_t i = 0; i + 1 < count; i++, places[0] = places[1]) {
    const crd__kernel_resample *const r = &passes[i].r;
    CRD_TRY(add_scratch(ctx, p, r->outer * r->out * r->inner * crd_dtype_size(r->to), &places[1]));
    CRD_TRY(crd__engine_plan_step(ctx, p, node, run, &passes[i], sizeof *passes, 2, places));
  }
  CRD_TRY(crd__engine_plan_output(ctx, p, node->outputs[0], &places[1]));
  if (count)
    return crd__engine_plan_step(ctx, p, node, run, &passes[count - 1], sizeof *passes, 2, places);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const copying c = { (int64_t)crd__engine_tensor_count(x), crd_dtype_size(x->dtype) };
  return crd__engine_plan_step(ctx, p, node, run_copy, &c, sizeof c, 2, places);
}

/* ---- Backward pass: the transposed passes, in reverse order. */

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const pass *const s = step->self;
  const crd__kernel_gather g = gather_of(&s->r);
  (void)ctx;
  if (s->nearest) crd__kernel_gather_back(step->threads, &g, step->memory[0], step->memory[1]);
  else crd__kernel_resample_back(step->threads, &s->r, step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status resize_backward(crd_context *ctx, crd__graph_backward *back,
                                  const crd__graph_node *node) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  pass passes[CRD_RANK_MAX];
  size_t count;
  int places[2], result;
  CRD_TRY(make_passes(ctx, crd__graph_plan_net(p), node, &count, passes));
  if (!count) return crd__graph_backward_give(ctx, back, node, 0, incoming);
  CRD_TRY(crd__engine_plan_plain(ctx, p, incoming, &places[0]));
  for (size_t i = count; i-- > 1; places[0] = places[1]) {
    const crd__kernel_resample *const r = &passes[i].r;
    CRD_TRY(add_scratch(ctx, p, r->outer * r->in * r->inner * sizeof(float), &places[1]));
    CRD_TRY(crd__engine_plan_step(ctx, p, node, run_back, &passes[i], sizeof *passes, 2, places));
  }
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__engine_plan_output(ctx, p, result, &places[1]));
  CRD_TRY(crd__engine_plan_step(ctx, p, node, run_back, &passes[0], sizeof *passes, 2, places));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

/* Weights and sums over all axes, if these are resampled one after the other. */
static uint64_t resize_flops(const crd__graph *net, const crd__graph_node *node) {
  const uint64_t results = crd__engine_tensor_count(crd__graph_node_output(net, node, 0));
  const bool nearest = crd__graph_node_word_is(node, "mode", "nearest", "nearest");
  const bool cubic = crd__graph_node_word_is(node, "mode", "cubic", "nearest");
  return nearest ? 0 : (cubic ? 16 : 8) * results;
}

static const crd__graph_op_attribute attributes[] = {
  { "antialias", CRD__ATTRIBUTE_INT },
  { "axes", CRD__ATTRIBUTE_INTS },
  { "coordinate_transformation_mode", CRD__ATTRIBUTE_STRING },
  { "cubic_coeff_a", CRD__ATTRIBUTE_FLOAT },
  { "exclude_outside", CRD__ATTRIBUTE_INT },
  { "extrapolation_value", CRD__ATTRIBUTE_FLOAT },
  { "keep_aspect_ratio_policy", CRD__ATTRIBUTE_STRING },
  { "mode", CRD__ATTRIBUTE_STRING },
  { "nearest_mode", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};
static const crd__graph_op_attribute upsample_attributes[] = {
  { "mode", CRD__ATTRIBUTE_STRING },
  { "scales", CRD__ATTRIBUTE_FLOATS },
  { .name = NULL },
};

#define RESIZE(entry, title, supported, since, until, most, list, settings_bits)                   \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { title, supported, since, until, 1, 1 },                                              \
    .inputs_least = 1,                                                                             \
    .inputs_most = most,                                                                           \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = list,                                                                            \
    .infer = resize_infer,                                                                         \
    .plan = resize_plan,                                                                           \
    .flops = resize_flops,                                                                         \
    .backward = resize_backward,                                                                   \
    .settings = settings_bits,                                                                     \
  }

RESIZE(resize, "Resize",
       "nearest: any type; linear, cubic: f16, f32, f64, i8, u8; every coordinate mode but "
       "tf_crop_and_resize",
       10, CRD__OPSET, 4, attributes, CRD__KEEP_X1 | CRD__KEEP_X2);
RESIZE(upsample, "Upsample", "nearest: any type; linear: f16, f32, f64", 7, 9, 2,
       upsample_attributes, CRD__KEEP_X1);
