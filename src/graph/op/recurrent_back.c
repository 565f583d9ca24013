/* recurrent_back.c -- the backward pass of LSTM, GRU and RNN: one step, which reads the record of
 * the forward pass. */
#include "graph/op/recurrent.h"

/* Inputs of the forward pass that it reads. */
static const size_t reads[] = { CRD__RECURRENT_X, CRD__RECURRENT_W, CRD__RECURRENT_R,
                                CRD__RECURRENT_LENGTHS, CRD__RECURRENT_P };
enum { READS = sizeof reads / sizeof *reads };
enum { PLACES = READS + CRD__RECURRENT_OUTPUTS + CRD__RECURRENT_INPUTS + 2 };

typedef struct {
  crd__kernel_recurrent k;
  bool inputs[CRD__RECURRENT_INPUTS]; /* those that are read */
  bool incoming[CRD__RECURRENT_OUTPUTS], wants[CRD__RECURRENT_INPUTS];
} returning;

/* Memory: inputs, incoming gradients and results, those that there are; the record, the scratch
 * buffer. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const returning *const r = step->self;
  const void *in[CRD__RECURRENT_INPUTS] = { NULL }, *from[CRD__RECURRENT_OUTPUTS] = { NULL };
  void *to[CRD__RECURRENT_INPUTS] = { NULL };
  size_t next = 0;
  (void)ctx;
  for (size_t i = 0; i < CRD__RECURRENT_INPUTS; i++)
    if (r->inputs[i]) in[i] = step->memory[next++];
  for (size_t i = 0; i < CRD__RECURRENT_OUTPUTS; i++)
    if (r->incoming[i]) from[i] = step->memory[next++];
  for (size_t i = 0; i < CRD__RECURRENT_INPUTS; i++)
    if (r->wants[i]) to[i] = step->memory[next++];
  const crd__kernel_recurrent_gradients a = { .x = in[CRD__RECURRENT_X],
                                              .w = in[CRD__RECURRENT_W],
                                              .r = in[CRD__RECURRENT_R],
                                              .p = in[CRD__RECURRENT_P],
                                              .lengths = in[CRD__RECURRENT_LENGTHS],
                                              .dy = from[CRD__RECURRENT_Y],
                                              .dy_h = from[CRD__RECURRENT_Y_H],
                                              .dy_c = from[CRD__RECURRENT_Y_C],
                                              .record = step->memory[next],
                                              .scratch = step->memory[next + 1],
                                              .dx = to[CRD__RECURRENT_X],
                                              .dw = to[CRD__RECURRENT_W],
                                              .dr = to[CRD__RECURRENT_R],
                                              .db = to[CRD__RECURRENT_B],
                                              .dh = to[CRD__RECURRENT_H],
                                              .dc = to[CRD__RECURRENT_C],
                                              .dp = to[CRD__RECURRENT_P] };
  crd__kernel_recurrent_back(step->threads, &r->k, &a);
  return CRD_OK;
}

/* Place what the step reads. */
static crd_status find_operands(crd_context *ctx, crd__graph_backward *back,
                                const crd__graph_node *node, returning *r, int places[PLACES],
                                size_t *count) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  for (size_t i = 0; i < READS; i++) {
    const size_t input = reads[i];
    r->inputs[input] = crd__graph_node_input(crd__graph_plan_net(p), node, input) != NULL;
    if (r->inputs[input])
      CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[input], &places[(*count)++]));
  }
  for (size_t i = 0; i < CRD__RECURRENT_OUTPUTS; i++) {
    const int incoming = crd__graph_backward_incoming(back, node, i);
    r->incoming[i] = incoming != CRD__NONE;
    if (r->incoming[i]) CRD_TRY(crd__engine_plan_plain(ctx, p, incoming, &places[(*count)++]));
  }
  return CRD_OK;
}

/* Place the record and the scratch buffer. A node without a forward pass has empty outputs: its
 * record is empty. */
static crd_status find_buffers(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                               const returning *r, int places[2]) {
  const crd__engine_kept *const kept = crd__graph_node_kept(p, node);
  places[0] = kept->places[0];
  if (!kept->planned)
    CRD_TRY(
        crd__graph_recurrent_buffer(ctx, p, crd__kernel_recurrent_record(&r->k, true), &places[0]));
  return crd__graph_recurrent_buffer(ctx, p, crd__kernel_recurrent_back_scratch(&r->k), &places[1]);
}

crd_status crd__graph_recurrent_backward(crd_context *ctx, crd__graph_backward *back,
                                         const crd__graph_node *node) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  returning r = { .inputs = { 0 } };
  int places[PLACES], results[CRD__RECURRENT_INPUTS] = { 0 };
  size_t count = 0;
  CRD_TRY(crd__graph_recurrent_read(ctx, crd__graph_plan_net(p), node, &r.k));
  CRD_TRY(find_operands(ctx, back, node, &r, places, &count));
  for (size_t i = 0; i < CRD__RECURRENT_INPUTS; i++) {
    r.wants[i] = i != CRD__RECURRENT_LENGTHS && crd__graph_backward_wants(back, node, i);
    if (!r.wants[i]) continue;
    CRD_TRY(crd__graph_backward_tensor(ctx, back, node, i, &results[i]));
    CRD_TRY(crd__engine_plan_output(ctx, p, results[i], &places[count++]));
  }
  CRD_TRY(find_buffers(ctx, p, node, &r, &places[count]));
  CRD_TRY(crd__engine_plan_step(ctx, p, node, run_back, &r, sizeof r, count + 2, places));
  for (size_t i = 0; i < CRD__RECURRENT_INPUTS; i++)
    if (r.wants[i]) CRD_TRY(crd__graph_backward_give(ctx, back, node, i, results[i]));
  return CRD_OK;
}
