/*
 * batch_training.c -- see batch_training.h; kernel/batch_train.h has the formulas.
 *
 * Running statistics follow those of the batch, momentum * running + (1 - momentum) * batch. As in
 * PyTorch the variance that goes into them is the unbiased one; where the node itself says
 * training_mode it is not, as ONNX has it.
 */
#include "graph/op/batch_training.h"

#include "engine/kernel/batch_train.h"

/* What a step reads and writes: both ways, there, and back. */
enum { X, SCALE, SHIFT, MEAN, VARIANCE, ROOM, BOTH };
enum { Y = BOTH, ADDEND, THERE };
enum { DY = BOTH, DX, DSCALE, DSHIFT, RESULT, DADDEND, BACK };
/* What the way there leaves for the way back. */
enum { KEPT_X, KEPT_MEAN, KEPT_VARIANCE, KEPT_Y };

/* ---- How channels lie. */

static bool blocked(crd_context *ctx, const crd__engine_plan *p, const crd__engine_tensor *x,
                    crd__engine_layout form, size_t lanes) {
  crd__engine_layout like;
  return crd__engine_layout_blocked(ctx, crd__graph_plan_net(p)->engine.dnn, x->rank, x->dims,
                                    lanes, &like) == CRD_OK &&
         crd__engine_layout_same(form, like);
}

/* In the place of the input; lanes is 1 for forms that the kernel does not know, too. */
static crd_status find_lie(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                           int place, crd__kernel_channels *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(crd__graph_plan_net(p), node, 0);
  crd__engine_layout form;
  *out = (crd__kernel_channels){
    .outer = (size_t)x->dims[0], .inner = 1, .lanes = 1, .channels = (size_t)x->dims[1]
  };
  for (size_t i = 2; i < x->rank; i++) out->inner *= (size_t)x->dims[i];
  CRD_TRY(crd__engine_plan_layout(ctx, p, place, &form));
  for (size_t lanes = 16; lanes >= 8 && out->lanes == 1; lanes /= 2)
    if (blocked(ctx, p, x, form, lanes)) out->lanes = lanes;
  out->blocks = (out->channels + out->lanes - 1) / out->lanes;
  return CRD_OK;
}

/* Where the input lies, if the kernel knows the form; else in C order. */
static crd_status find_input(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                             int *place, crd__kernel_channels *out) {
  CRD_TRY(crd__engine_plan_find(ctx, p, node->inputs[0], place));
  CRD_TRY(find_lie(ctx, p, node, *place, out));
  return out->lanes == 1 ? crd__engine_plan_plain(ctx, p, node->inputs[0], place) : CRD_OK;
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

/* For sums in doubles. */
static crd_status room(crd_context *ctx, crd__engine_plan *p, const crd__kernel_channels *lie,
                       int *place) {
  return scratch(ctx, p, crd__kernel_batch_train_workspace(lie) * sizeof(double) / sizeof(float),
                 place);
}

/* ---- Running statistics. */

typedef struct {
  size_t channels;
  double stay, move;
} following;

/* Memory: the batch's, what was given, and where it goes. */
static crd_status run_following(crd_context *ctx, const crd__engine_step *step) {
  const following *const f = step->self;
  const float *const batch = step->memory[0], *const given = step->memory[1];
  float *const to = step->memory[2];
  (void)ctx;
  for (size_t c = 0; c < f->channels; c++)
    to[c] = (float)(f->stay * (double)given[c] + f->move * (double)batch[c]);
  return CRD_OK;
}

/* Mean (0) or variance (1): to the node's own output where it has one, and in training to where it
 * comes from. */
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

/* ---- There. */

typedef struct {
  crd__kernel_batch_train train;
  bool adds;         /* there is a term of a sum, */
  bool reads_result; /* and x does not tell what was above 0 */
  bool wants_other;  /* it wants a gradient other than the one that comes in */
} training;

static training training_of(const crd__graph_node *node, const crd__kernel_channels *lie) {
  const bool adds = node->addend != CRD__NONE, relu = has_relu(node);
  const double epsilon = (double)crd__graph_node_float(node, "epsilon", 1e-5F);
  return (training){ .train = { .lie = *lie, .epsilon = epsilon, .relu = relu },
                     .adds = adds,
                     .reads_result = adds && relu };
}

static crd_status run_there(crd_context *ctx, const crd__engine_step *step) {
  const training *const t = step->self;
  void *const *const m = step->memory;
  const crd__kernel_batch_train_arrays arrays = { .x = m[X],
                                                  .scale = m[SCALE],
                                                  .shift = m[SHIFT],
                                                  .mean = m[MEAN],
                                                  .variance = m[VARIANCE],
                                                  .room = m[ROOM],
                                                  .y = m[Y],
                                                  .addend = t->adds ? m[ADDEND] : NULL };
  (void)ctx;
  crd__kernel_batch_train_run(step->threads, &t->train, &arrays);
  return CRD_OK;
}

/* In place of the addend where nobody reads that any more. */
static crd_status find_result(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                              int x, int *addend, int *y) {
  crd__engine_layout form;
  if (node->addend == CRD__NONE)
    return crd__engine_plan_output_over(ctx, p, node->outputs[0], x, node->inputs[0], y);
  CRD_TRY(crd__engine_plan_layout(ctx, p, x, &form));
  CRD_TRY(crd__engine_plan_as(ctx, p, node->addend, form, addend));
  return crd__engine_plan_output_over(ctx, p, node->outputs[0], *addend, node->addend, y);
}

crd_status crd__graph_batch_training_plan(crd_context *ctx, crd__engine_plan *p,
                                          const crd__graph_node *node) {
  crd__kernel_channels lie;
  int places[THERE];
  CRD_TRY(find_input(ctx, p, node, &places[X], &lie));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[1], &places[SCALE]));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[2], &places[SHIFT]));
  CRD_TRY(scratch(ctx, p, lie.channels, &places[MEAN]));
  CRD_TRY(scratch(ctx, p, lie.channels, &places[VARIANCE]));
  CRD_TRY(room(ctx, p, &lie, &places[ROOM]));
  /* In training the frame keeps input, scale and shift. */
  for (size_t i = 0; i < 3 && node->back && crd__graph_plan_net(p)->mode != CRD_MODE_TRAINING; i++)
    crd__engine_plan_hold(p, node->inputs[i]);
  CRD_TRY(find_result(ctx, p, node, places[X], &places[ADDEND], &places[Y]));
  const training self = training_of(node, &lie);
  CRD_TRY(crd__engine_plan_step(ctx, p, node, run_there, &self, sizeof self,
                                self.adds ? THERE : ADDEND, places));
  *crd__graph_node_kept(p, node) =
      (crd__engine_kept){ .planned = true,
                          .places = { [KEPT_X] = places[X],
                                      [KEPT_MEAN] = places[MEAN],
                                      [KEPT_VARIANCE] = places[VARIANCE],
                                      [KEPT_Y] = places[Y] } };
  CRD_TRY(plan_following(ctx, p, node, 0, places[MEAN]));
  return plan_following(ctx, p, node, 1, places[VARIANCE]);
}

/* ---- And back. */

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const training *const t = step->self;
  void *const *const m = step->memory;
  const crd__kernel_batch_train_gradients arrays = { .x = m[X],
                                                     .scale = m[SCALE],
                                                     .shift = m[SHIFT],
                                                     .mean = m[MEAN],
                                                     .variance = m[VARIANCE],
                                                     .room = m[ROOM],
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

/* Where gradients by x and by the addend go; the latter is what comes in, without a Relu. */
static crd_status find_results(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node, int dy, int results[4], int *dx,
                               int *daddend) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  crd__engine_layout form;
  results[3] = CRD__NONE;
  if (!crd__graph_backward_wants_addend(back, node))
    return crd__engine_plan_output_over(ctx, p, results[0], dy, incoming, dx);
  if (!has_relu(node)) {
    CRD_TRY(crd__graph_backward_give_addend(ctx, back, node, incoming));
    return crd__engine_plan_output_over(ctx, p, results[0], dy, incoming, dx);
  }
  CRD_TRY(crd__engine_plan_layout(ctx, p, dy, &form));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &results[3]));
  CRD_TRY(crd__engine_plan_output_over(ctx, p, results[3], dy, incoming, daddend));
  return crd__engine_plan_output_as(ctx, p, results[0], form, dx);
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
  crd__kernel_channels lie;
  crd__engine_layout form;
  int results[4];
  int places[BACK] = { [X] = kept[KEPT_X],
                       [MEAN] = kept[KEPT_MEAN],
                       [VARIANCE] = kept[KEPT_VARIANCE],
                       [RESULT] = kept[KEPT_Y] };
  for (size_t i = 1; i < 3; i++)
    if (crd__graph_backward_incoming(back, node, i) != CRD__NONE)
      return crd__graph_node_fail(ctx, node, "there is no gradient of its running statistics");
  if (!crd__graph_node_kept(p, node)->planned) return CRD_OK; /* nothing went there */
  CRD_TRY(find_lie(ctx, p, node, places[X], &lie));
  CRD_TRY(crd__engine_plan_layout(ctx, p, places[X], &form));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[1], &places[SCALE]));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[2], &places[SHIFT]));
  CRD_TRY(room(ctx, p, &lie, &places[ROOM]));
  CRD_TRY(crd__engine_plan_as(ctx, p, incoming, form, &places[DY]));
  for (size_t i = 0; i < 3; i++)
    CRD_TRY(crd__graph_backward_tensor(ctx, back, node, i, &results[i]));
  CRD_TRY(find_results(ctx, back, node, places[DY], results, &places[DX], &places[DADDEND]));
  CRD_TRY(crd__engine_plan_output(ctx, p, results[1], &places[DSCALE]));
  CRD_TRY(crd__engine_plan_output(ctx, p, results[2], &places[DSHIFT]));
  training self = training_of(node, &lie);
  self.wants_other = results[3] != CRD__NONE;
  const size_t count = self.wants_other ? BACK : self.reads_result ? DADDEND : RESULT;
  CRD_TRY(crd__engine_plan_step(ctx, p, node, run_back, &self, sizeof self, count, places));
  CRD_TRY(give_all(ctx, back, node, results));
  for (size_t i = 0; i < 3 && crd__graph_plan_net(p)->mode != CRD_MODE_TRAINING; i++)
    crd__engine_plan_release(p, node->inputs[i]);
  return CRD_OK;
}
