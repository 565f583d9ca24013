/*
 * batch_training.c -- see batch_training.h; kernel/batch_train.h has the formulas.
 *
 * Running statistics follow those of the batch: momentum * running + (1 - momentum) * batch. As in
 * PyTorch they get the unbiased variance, but with training_mode in the node the biased one, as
 * ONNX defines it.
 */
#include "graph/op/batch_training.h"

#include "engine/kernel/batch_train.h"

/* The memory of a step: common to both passes, forward, and backward. */
enum { X, SCALE, SHIFT, MEAN, VARIANCE, WORKSPACE, BOTH };
enum { Y = BOTH, ADDEND, FORWARD };
enum { DY = BOTH, DX, DSCALE, DSHIFT, RESULT, DADDEND, BACKWARD };
/* Slots that the forward pass saves for the backward pass. */
enum { KEPT_X, KEPT_MEAN, KEPT_VARIANCE, KEPT_Y };

/* ---- Layout of the channels. */

static bool blocked(crd_context *ctx, const crd__engine_plan *p, const crd__engine_tensor *x,
                    crd__engine_layout layout, size_t lanes) {
  crd__engine_layout like;
  return crd__engine_layout_blocked(ctx, crd__graph_plan_net(p)->engine.dnn, x->rank, x->dims,
                                    lanes, &like) == CRD_OK &&
         crd__engine_layout_same(layout, like);
}

/* Find how channels are laid out in the place of the input; lanes is 1 also for layouts that the
 * kernel does not support. */
static crd_status find_layout(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                              int place, crd__kernel_channels *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(crd__graph_plan_net(p), node, 0);
  crd__engine_layout layout;
  *out = (crd__kernel_channels){
    .outer = (size_t)x->dims[0], .inner = 1, .lanes = 1, .channels = (size_t)x->dims[1]
  };
  for (size_t i = 2; i < x->rank; i++) out->inner *= (size_t)x->dims[i];
  CRD_TRY(crd__engine_plan_layout(ctx, p, place, &layout));
  for (size_t lanes = 16; lanes >= 8 && out->lanes == 1; lanes /= 2)
    if (blocked(ctx, p, x, layout, lanes)) out->lanes = lanes;
  out->blocks = (out->channels + out->lanes - 1) / out->lanes;
  return CRD_OK;
}

/* A matrix in C order is also one of blocks of channels; so sixteen channels are computed at once
 * instead of one. */
static void use_lanes(crd__kernel_channels *c) {
  for (size_t lanes = 16; lanes >= 8 && c->lanes == 1 && c->inner == 1; lanes /= 2)
    if (c->channels % lanes == 0) c->lanes = lanes;
  c->blocks = (c->channels + c->lanes - 1) / c->lanes;
}

/* Find the place of the input if the kernel supports its layout, else one in C order. */
static crd_status find_input(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                             int *place, crd__kernel_channels *out) {
  CRD_TRY(crd__engine_plan_find(ctx, p, node->inputs[0], place));
  CRD_TRY(find_layout(ctx, p, node, *place, out));
  if (out->lanes == 1) CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[0], place));
  use_lanes(out);
  return CRD_OK;
}

static bool has_relu(const crd__graph_node *node) {
  return node->after.count && !node->after.items[node->after.count - 1].sum;
}

static crd_status scratch(crd_context *ctx, crd__engine_plan *p, size_t count, int *place) {
  const int64_t dims[] = { (int64_t)count };
  crd__engine_layout list;
  CRD_TRY(crd__engine_layout_plain(ctx, crd__graph_plan_net(p)->engine.dnn, 1, dims, &list));
  return crd__engine_plan_scratch(ctx, p, list, place);
}

/* Add a workspace for sums in float64. */
static crd_status workspace(crd_context *ctx, crd__engine_plan *p,
                            const crd__kernel_channels *channels, int *place) {
  return scratch(
      ctx, p, crd__kernel_batch_train_workspace(channels) * sizeof(double) / sizeof(float), place);
}

/* ---- Running statistics. */

typedef struct {
  size_t channels;
  double stay, move;
} following;

/* Memory: the batch's statistic, the running one, and its destination. */
static crd_status run_following(crd_context *ctx, const crd__engine_step *step) {
  const following *const f = step->self;
  const float *const batch = step->memory[0], *const given = step->memory[1];
  float *const to = step->memory[2];
  (void)ctx;
  for (size_t c = 0; c < f->channels; c++)
    to[c] = (float)(f->stay * (double)given[c] + f->move * (double)batch[c]);
  return CRD_OK;
}

/* Update the mean (0) or variance (1): to the node's output if it has one, and in training in
 * place. */
static crd_status plan_following(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                                 size_t kind, int batch) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const double count = (double)crd__engine_tensor_count(x) / (double)x->dims[1];
  const bool unbiased = kind == 1 && count > 1 && !crd__graph_node_int(node, "training_mode", 0);
  const double momentum = (double)crd__graph_node_float(node, "momentum", .9F);
  const following self = { .channels = (size_t)x->dims[1],
                           .stay = momentum,
                           .move = (1 - momentum) * (unbiased ? count / (count - 1) : 1) };
  int places[3] = { batch };
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[3 + kind], &places[1]));
  if (crd__graph_node_output(net, node, 1 + kind)) {
    CRD_TRY(crd__engine_plan_output(ctx, p, node->outputs[1 + kind], &places[2]));
    CRD_TRY(crd__engine_plan_step(ctx, p, node, run_following, &self, sizeof self, 3, places));
  }
  places[2] = places[1];
  return net->engine.tensors[node->inputs[3 + kind]].initial
             ? crd__engine_plan_step(ctx, p, node, run_following, &self, sizeof self, 3, places)
             : CRD_OK;
}

/* ---- Forward pass. */

typedef struct {
  crd__kernel_batch_train train;
  bool adds;         /* it has an addend, */
  bool reads_result; /* x alone does not show where the result is above 0 */
  bool wants_other;  /* the addend needs a gradient that is not the incoming one */
} training;

static training training_of(const crd__graph_node *node, const crd__kernel_channels *channels) {
  const bool adds = node->addend != CRD__NONE, relu = has_relu(node);
  const double epsilon = (double)crd__graph_node_float(node, "epsilon", 1e-5F);
  return (training){ .train = { .layout = *channels, .epsilon = epsilon, .relu = relu },
                     .adds = adds,
                     .reads_result = adds && relu };
}

static crd_status run_forward(crd_context *ctx, const crd__engine_step *step) {
  const training *const t = step->self;
  void *const *const m = step->memory;
  const crd__kernel_batch_train_arrays arrays = { .x = m[X],
                                                  .scale = m[SCALE],
                                                  .shift = m[SHIFT],
                                                  .mean = m[MEAN],
                                                  .variance = m[VARIANCE],
                                                  .workspace = m[WORKSPACE],
                                                  .y = m[Y],
                                                  .addend = t->adds ? m[ADDEND] : NULL };
  (void)ctx;
  crd__kernel_batch_train_run(step->threads, &t->train, &arrays);
  return CRD_OK;
}

/* Place the result over the addend if that has no other reader. */
static crd_status find_result(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                              int x, int *addend, int *y) {
  crd__engine_layout layout;
  if (node->addend == CRD__NONE)
    return crd__engine_plan_output_over(ctx, p, node->outputs[0], x, node->inputs[0], y);
  CRD_TRY(crd__engine_plan_layout(ctx, p, x, &layout));
  CRD_TRY(crd__engine_plan_as(ctx, p, node->addend, layout, addend));
  return crd__engine_plan_output_over(ctx, p, node->outputs[0], *addend, node->addend, y);
}

crd_status crd__graph_batch_training_plan(crd_context *ctx, crd__engine_plan *p,
                                          const crd__graph_node *node) {
  crd__kernel_channels channels;
  int places[FORWARD];
  CRD_TRY(find_input(ctx, p, node, &places[X], &channels));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[1], &places[SCALE]));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[2], &places[SHIFT]));
  CRD_TRY(scratch(ctx, p, channels.channels, &places[MEAN]));
  CRD_TRY(scratch(ctx, p, channels.channels, &places[VARIANCE]));
  CRD_TRY(workspace(ctx, p, &channels, &places[WORKSPACE]));
  /* In training the frame keeps input, scale and shift. */
  for (size_t i = 0; i < 3 && node->back && crd__graph_plan_net(p)->mode != CRD_MODE_TRAINING; i++)
    crd__engine_plan_hold(p, node->inputs[i]);
  CRD_TRY(find_result(ctx, p, node, places[X], &places[ADDEND], &places[Y]));
  const training self = training_of(node, &channels);
  CRD_TRY(crd__engine_plan_step(ctx, p, node, run_forward, &self, sizeof self,
                                self.adds ? FORWARD : ADDEND, places));
  *crd__graph_node_kept(p, node) =
      (crd__engine_kept){ .planned = true,
                          .places = { [KEPT_X] = places[X],
                                      [KEPT_MEAN] = places[MEAN],
                                      [KEPT_VARIANCE] = places[VARIANCE],
                                      [KEPT_Y] = places[Y] } };
  CRD_TRY(plan_following(ctx, p, node, 0, places[MEAN]));
  return plan_following(ctx, p, node, 1, places[VARIANCE]);
}

/* ---- Backward pass. */

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const training *const t = step->self;
  void *const *const m = step->memory;
  const crd__kernel_batch_train_gradients arrays = { .x = m[X],
                                                     .scale = m[SCALE],
                                                     .shift = m[SHIFT],
                                                     .mean = m[MEAN],
                                                     .variance = m[VARIANCE],
                                                     .workspace = m[WORKSPACE],
                                                     .dy = m[DY],
                                                     .dx = m[DX],
                                                     .dscale = m[DSCALE],
                                                     .dshift = m[DSHIFT],
                                                     .y = t->reads_result ? m[RESULT] : NULL,
                                                     .daddend =
                                                         t->wants_other ? m[DADDEND] : NULL };
  (void)ctx;
  crd__kernel_batch_train_back(step->threads, &t->train, &arrays);
  return CRD_OK;
}

/* Place the gradients with respect to x and to the addend; without a ReLU, the latter is the
 * incoming one. */
static crd_status find_results(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node, int dy, int results[4], int *dx,
                               int *daddend) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  crd__engine_layout layout;
  results[3] = CRD__NONE;
  if (!crd__graph_backward_wants_addend(back, node))
    return crd__engine_plan_output_over(ctx, p, results[0], dy, incoming, dx);
  if (!has_relu(node)) {
    CRD_TRY(crd__graph_backward_give_addend(ctx, back, node, incoming));
    return crd__engine_plan_output_over(ctx, p, results[0], dy, incoming, dx);
  }
  CRD_TRY(crd__engine_plan_layout(ctx, p, dy, &layout));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &results[3]));
  CRD_TRY(crd__engine_plan_output_over(ctx, p, results[3], dy, incoming, daddend));
  return crd__engine_plan_output_as(ctx, p, results[0], layout, dx);
}

static crd_status give_all(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node,
                           const int results[4]) {
  for (size_t i = 0; i < 3; i++)
    if (crd__graph_backward_wants(back, node, i))
      CRD_TRY(crd__graph_backward_give(ctx, back, node, i, results[i]));
  return results[3] == CRD__NONE ? CRD_OK
                                 : crd__graph_backward_give_addend(ctx, back, node, results[3]);
}

crd_status crd__graph_batch_training_back(crd_context *ctx, crd__graph_backward *back,
                                          const crd__graph_node *node) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const int *const kept = crd__graph_node_kept(p, node)->places;
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  crd__kernel_channels channels;
  crd__engine_layout layout;
  int results[4];
  int places[BACKWARD] = { [X] = kept[KEPT_X],
                           [MEAN] = kept[KEPT_MEAN],
                           [VARIANCE] = kept[KEPT_VARIANCE],
                           [RESULT] = kept[KEPT_Y] };
  for (size_t i = 1; i < 3; i++)
    if (crd__graph_backward_incoming(back, node, i) != CRD__NONE)
      return crd__graph_node_fail(ctx, node,
                                  "the gradient of its running statistics is not supported");
  if (!crd__graph_node_kept(p, node)->planned) return CRD_OK; /* the forward pass was empty */
  CRD_TRY(find_layout(ctx, p, node, places[X], &channels));
  use_lanes(&channels);
  CRD_TRY(crd__engine_plan_layout(ctx, p, places[X], &layout));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[1], &places[SCALE]));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[2], &places[SHIFT]));
  CRD_TRY(workspace(ctx, p, &channels, &places[WORKSPACE]));
  CRD_TRY(crd__engine_plan_as(ctx, p, incoming, layout, &places[DY]));
  for (size_t i = 0; i < 3; i++)
    CRD_TRY(crd__graph_backward_tensor(ctx, back, node, i, &results[i]));
  CRD_TRY(find_results(ctx, back, node, places[DY], results, &places[DX], &places[DADDEND]));
  CRD_TRY(crd__engine_plan_output(ctx, p, results[1], &places[DSCALE]));
  CRD_TRY(crd__engine_plan_output(ctx, p, results[2], &places[DSHIFT]));
  training self = training_of(node, &channels);
  self.wants_other = results[3] != CRD__NONE;
  const size_t count = self.wants_other ? BACKWARD : self.reads_result ? DADDEND : RESULT;
  CRD_TRY(crd__engine_plan_step(ctx, p, node, run_back, &self, sizeof self, count, places));
  CRD_TRY(give_all(ctx, back, node, results));
  for (size_t i = 0; i < 3 && crd__graph_plan_net(p)->mode != CRD_MODE_TRAINING; i++)
    crd__engine_plan_release(p, node->inputs[i]);
  return CRD_OK;
}
