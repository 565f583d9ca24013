/*
 * recurrent.c -- the recurrent layers LSTM, GRU and RNN (kernel/recurrent/layer.h): checks of their
 * inputs, shapes of their outputs, the forward pass, and their entries.
 *
 * Between the passes the record of the forward pass is kept, as exact derivatives of any activation
 * function need it, instead of computing the products once more.
 */
#include "graph/op/recurrent.h"

#include <stdio.h>

static const char *const input_names[] = { "X",         "W",         "R", "B", "sequence_lens",
                                           "initial_h", "initial_c", "P" };

/* ---- Shapes. */

static crd_status check_input(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                              size_t input, size_t rank, const int64_t *dims) {
  const crd__engine_tensor *const t = crd__graph_node_input(net, node, input);
  char found[96] = "a scalar", wanted[96] = "";
  if (!t || crd__engine_same_shape(t->rank, t->dims, rank, dims)) return CRD_OK;
  for (size_t i = 0, at = 0; i < t->rank && at < sizeof found; i++)
    at += (size_t)snprintf(found + at, sizeof found - at, "%s%lld", i ? "x" : "",
                           (long long)t->dims[i]);
  for (size_t i = 0, at = 0; i < rank && at < sizeof wanted; i++)
    at += (size_t)snprintf(wanted + at, sizeof wanted - at, "%s%lld", i ? "x" : "",
                           (long long)dims[i]);
  return crd__graph_node_fail(ctx, node, "its input %zu (%s) has the shape %s, expected %s", input,
                              input_names[input], found, wanted);
}

static crd_status check_inputs(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               const crd__kernel_recurrent *k) {
  const int64_t d = (int64_t)k->directions, n = (int64_t)k->hidden, batch = (int64_t)k->batch;
  const int64_t gates = (int64_t)crd__kernel_recurrent_gates(k->cell) * n;
  const int64_t state[] = { k->batch_first ? batch : d, k->batch_first ? d : batch, n };
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  for (size_t i = 1; i < CRD__RECURRENT_INPUTS; i++)
    CRD_TRY(
        crd__graph_node_needs(ctx, net, node, i, i == CRD__RECURRENT_LENGTHS ? CRD_I32 : k->dtype));
  CRD_TRY(check_input(ctx, net, node, CRD__RECURRENT_W, 3,
                      (const int64_t[]){ d, gates, (int64_t)k->inputs }));
  CRD_TRY(check_input(ctx, net, node, CRD__RECURRENT_R, 3, (const int64_t[]){ d, gates, n }));
  CRD_TRY(check_input(ctx, net, node, CRD__RECURRENT_B, 2, (const int64_t[]){ d, 2 * gates }));
  CRD_TRY(check_input(ctx, net, node, CRD__RECURRENT_LENGTHS, 1, &batch));
  CRD_TRY(check_input(ctx, net, node, CRD__RECURRENT_H, 3, state));
  CRD_TRY(check_input(ctx, net, node, CRD__RECURRENT_C, 3, state));
  return check_input(ctx, net, node, CRD__RECURRENT_P, 2, (const int64_t[]){ d, 3 * n });
}

/* Fail early if lengths are constants, and out of range. */
static crd_status check_lengths(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, const crd__kernel_recurrent *k) {
  const crd__engine_tensor *const t = crd__graph_node_input(net, node, CRD__RECURRENT_LENGTHS);
  for (size_t b = 0; b < k->batch && t && t->constant; b++)
    CRD_TRY(crd__graph_recurrent_check(ctx, node, k, b, crd__engine_tensor_number(t, b)));
  return CRD_OK;
}

/* Make initial states of zeros constants again. Exporters write the default out, for one batch
 * size: training it would give every row of the batch a state of its own. */
static void fix_zero_states(crd__graph *net, const crd__graph_node *node) {
  for (size_t i = CRD__RECURRENT_H; i <= CRD__RECURRENT_C && i < node->input_count; i++) {
    crd__engine_tensor *const t =
        node->inputs[i] == CRD__NONE ? NULL : &net->engine.tensors[node->inputs[i]];
    if (!t || !t->initial) continue;
    const unsigned char *const bytes = t->initial;
    size_t zeros = 0;
    while (zeros < crd__engine_tensor_bytes(t) && bytes[zeros] == 0) zeros++;
    if (zeros < crd__engine_tensor_bytes(t)) continue;
    t->constant = t->initial;
    t->initial = NULL;
  }
}

static crd_status recurrent_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__kernel_recurrent k;
  CRD_TRY(crd__graph_recurrent_read(ctx, net, node, &k));
  CRD_TRY(check_inputs(ctx, net, node, &k));
  CRD_TRY(check_lengths(ctx, net, node, &k));
  fix_zero_states(net, node);
  const int64_t steps = (int64_t)k.steps, d = (int64_t)k.directions, batch = (int64_t)k.batch;
  const int64_t n = (int64_t)k.hidden, first[] = { batch, steps, d, n }, last[] = { batch, d, n };
  const int64_t y[] = { steps, d, batch, n }, state[] = { d, batch, n };
  CRD_TRY(
      crd__graph_node_set(ctx, net, node, CRD__RECURRENT_Y, k.dtype, 4, k.batch_first ? first : y));
  CRD_TRY(crd__graph_node_set(ctx, net, node, CRD__RECURRENT_Y_H, k.dtype, 3,
                              k.batch_first ? last : state));
  return crd__graph_node_set(ctx, net, node, CRD__RECURRENT_Y_C, k.dtype, 3,
                             k.batch_first ? last : state);
}

/* ---- Forward pass. */

typedef struct {
  crd__kernel_recurrent k;
  bool kept;
  bool inputs[CRD__RECURRENT_INPUTS], outputs[CRD__RECURRENT_OUTPUTS]; /* those that are given */
} recurrence;

/* Memory: the inputs and outputs that are given, the record, the scratch buffer. */
static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const recurrence *const self = step->self;
  const void *in[CRD__RECURRENT_INPUTS] = { NULL };
  void *out[CRD__RECURRENT_OUTPUTS] = { NULL };
  size_t next = 0;
  for (size_t i = 0; i < CRD__RECURRENT_INPUTS; i++)
    if (self->inputs[i]) in[i] = step->memory[next++];
  for (size_t i = 0; i < CRD__RECURRENT_OUTPUTS; i++)
    if (self->outputs[i]) out[i] = step->memory[next++];
  const crd__kernel_recurrent_arrays a = { .x = in[CRD__RECURRENT_X],
                                           .w = in[CRD__RECURRENT_W],
                                           .r = in[CRD__RECURRENT_R],
                                           .b = in[CRD__RECURRENT_B],
                                           .lengths = in[CRD__RECURRENT_LENGTHS],
                                           .h = in[CRD__RECURRENT_H],
                                           .c = in[CRD__RECURRENT_C],
                                           .p = in[CRD__RECURRENT_P],
                                           .y = out[CRD__RECURRENT_Y],
                                           .y_h = out[CRD__RECURRENT_Y_H],
                                           .y_c = out[CRD__RECURRENT_Y_C],
                                           .record = step->memory[next],
                                           .scratch = step->memory[next + 1] };
  for (size_t b = 0; b < self->k.batch && a.lengths; b++)
    CRD_TRY(crd__graph_recurrent_check(ctx, step->node, &self->k, b, (double)a.lengths[b]));
  crd__kernel_recurrent_run(step->threads, &self->k, self->kept, &a);
  return CRD_OK;
}

crd_status crd__graph_recurrent_buffer(crd_context *ctx, crd__engine_plan *plan, size_t bytes,
                                       int *place) {
  crd__engine_layout layout;
  const int64_t count = (int64_t)(bytes / sizeof(float)) + 1;
  CRD_TRY(crd__engine_layout_plain(ctx, crd__graph_plan_net(plan)->engine.dnn, 1, &count, &layout));
  return crd__engine_plan_scratch(ctx, plan, layout, place);
}

static crd_status recurrent_plan(crd_context *ctx, crd__engine_plan *p,
                                 const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  recurrence self = { .kept = node->back };
  int places[CRD__RECURRENT_INPUTS + CRD__RECURRENT_OUTPUTS + 2];
  size_t count = 0;
  CRD_TRY(crd__graph_recurrent_read(ctx, net, node, &self.k));
  for (size_t i = 0; i < CRD__RECURRENT_INPUTS; i++) {
    self.inputs[i] = crd__graph_node_input(net, node, i) != NULL;
    if (self.inputs[i]) CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[i], &places[count++]));
  }
  for (size_t i = 0; i < CRD__RECURRENT_OUTPUTS; i++) {
    self.outputs[i] = crd__graph_node_output(net, node, i) != NULL;
    if (self.outputs[i])
      CRD_TRY(crd__engine_plan_output(ctx, p, node->outputs[i], &places[count++]));
  }
  int *const record = &places[count++], *const scratch = &places[count++];
  CRD_TRY(crd__graph_recurrent_buffer(ctx, p, crd__kernel_recurrent_record(&self.k, self.kept),
                                      record));
  CRD_TRY(crd__graph_recurrent_buffer(ctx, p, crd__kernel_recurrent_scratch(&self.k), scratch));
  if (self.kept)
    *crd__graph_node_kept(p, node) = (crd__engine_kept){ .planned = true, .places = { *record } };
  return crd__engine_plan_step(ctx, p, node, run, &self, sizeof self, count, places);
}

/* ---- Entries. */

static uint64_t recurrent_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, CRD__RECURRENT_X);
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, CRD__RECURRENT_W);
  const crd__engine_tensor *const r = crd__graph_node_input(net, node, CRD__RECURRENT_R);
  const uint64_t rows = (uint64_t)x->dims[0] * (uint64_t)x->dims[1];
  return 2 * rows * (crd__engine_tensor_count(w) + crd__engine_tensor_count(r));
}

#define COMMON                                                                                     \
  { "activation_alpha", CRD__ATTRIBUTE_FLOATS }, { "activation_beta", CRD__ATTRIBUTE_FLOATS },     \
      { "activations", CRD__ATTRIBUTE_STRINGS }, { "clip", CRD__ATTRIBUTE_FLOAT },                 \
      { "direction", CRD__ATTRIBUTE_STRING }, { "hidden_size", CRD__ATTRIBUTE_INT }, {             \
    "layout", CRD__ATTRIBUTE_INT                                                                   \
  }

static const crd__graph_op_attribute lstm_attributes[] = {
  COMMON,
  { "input_forget", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute gru_attributes[] = {
  COMMON,
  { "linear_before_reset", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute rnn_attributes[] = {
  COMMON,
  { .name = NULL },
};

/* The backward pass reads x, W, R, the lengths and P; the rest is in the record. */
#define RECURRENT(entry, id, name, inputs, outputs, list)                                          \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, "f16, f32, f64; all directions, layouts and activation functions", 7,          \
              CRD__OPSET, 1, 1 },                                                                  \
    .kind = id,                                                                                    \
    .inputs_least = 3,                                                                             \
    .inputs_most = inputs,                                                                         \
    .outputs_least = 0,                                                                            \
    .outputs_most = outputs,                                                                       \
    .attributes = list,                                                                            \
    .infer = recurrent_infer,                                                                      \
    .plan = recurrent_plan,                                                                        \
    .flops = recurrent_flops,                                                                      \
    .backward = crd__graph_recurrent_backward,                                                     \
    .keep = 1 << CRD__RECURRENT_X | 1 << CRD__RECURRENT_W | 1 << CRD__RECURRENT_R |                \
            1 << CRD__RECURRENT_LENGTHS | 1 << CRD__RECURRENT_P,                                   \
  }

RECURRENT(lstm, CRD__LSTM, "LSTM", 8, 3, lstm_attributes);
RECURRENT(gru, CRD__GRU, "GRU", 6, 2, gru_attributes);
RECURRENT(rnn, CRD__RNN, "RNN", 6, 2, rnn_attributes);
