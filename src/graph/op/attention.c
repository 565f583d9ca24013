/*
 * attention.c -- Attention: softmax(scale Q K^T + bias) V for each head, with keys and values of
 * earlier calls, groups of heads that share keys, masks, causal and sliding windows
 * (kernel/composite/attention.h). Queries, keys and values have four dimensions (batch, head, row,
 * element), or three, with all heads of a row side by side.
 */
#include "engine/kernel/composite/attention.h"
#include "graph/op/plain.h"
#include "graph/op/unbroadcast.h"

#include <math.h>

enum { QUERY, KEY, VALUE, MASK, PAST_KEY, PAST_VALUE, LENGTHS, INPUTS };
enum { RESULT, PRESENT_KEY, PRESENT_VALUE, SCORES, OUTPUTS };

/* ---- Shapes. */

/* An input as heads of rows. */
typedef struct {
  size_t batch, heads, rows, size;
  crd__kernel_heads steps;
} stack;

static crd_status read_stack(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             size_t index, const char *attribute, stack *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, index);
  const int64_t heads = x->rank == 4 ? x->dims[1] : crd__graph_node_int(node, attribute, 0);
  if (x->rank != 3 && x->rank != 4)
    return crd__graph_node_fail(ctx, node, "its input %zu has %zu dimensions; 3 or 4 are supported",
                                index, x->rank);
  if (heads < 1 || (x->rank == 3 && x->dims[2] % heads))
    return crd__graph_node_fail(
        ctx, node, "its input %zu, of %lld elements for each row, has %lld heads (%s)", index,
        (long long)x->dims[x->rank - 1], (long long)heads, attribute);
  *out = (stack){ .batch = (size_t)x->dims[0], .heads = (size_t)heads };
  out->rows = (size_t)x->dims[x->rank - 2];
  out->size = (size_t)x->dims[x->rank - 1];
  if (x->rank == 3) {
    out->rows = (size_t)x->dims[1];
    out->steps = (crd__kernel_heads){ out->rows * out->size, out->size / out->heads, out->size };
    out->size /= out->heads;
  } else
    out->steps =
        (crd__kernel_heads){ out->heads * out->rows * out->size, out->rows * out->size, out->size };
  return CRD_OK;
}

static crd_status read_past(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            const stack *k, const stack *v, crd__kernel_attention *a) {
  const crd__engine_tensor *const key = crd__graph_node_input(net, node, PAST_KEY);
  const crd__engine_tensor *const value = crd__graph_node_input(net, node, PAST_VALUE);
  if (!key && !value) return CRD_OK;
  const int64_t rows = key && key->rank == 4 ? key->dims[2] : -1;
  const int64_t keys[] = { (int64_t)k->batch, (int64_t)k->heads, rows, (int64_t)k->size };
  const int64_t values[] = { (int64_t)v->batch, (int64_t)v->heads, rows, (int64_t)v->size };
  if (!key || !value || !crd__engine_same_shape(key->rank, key->dims, 4, keys) ||
      !crd__engine_same_shape(value->rank, value->dims, 4, values) ||
      crd__graph_node_input(net, node, LENGTHS))
    return crd__graph_node_fail(ctx, node,
                                "its past keys and values must be given together, without "
                                "nonpad_kv_seqlen, in the shapes (%zu, %zu, ..., %zu) and (%zu, "
                                "%zu, ..., %zu)",
                                k->batch, k->heads, k->size, v->batch, v->heads, v->size);
  a->past = (size_t)rows;
  return CRD_OK;
}

/* The mask is broadcast over batch, heads and queries; keys that it does not reach are masked. */
static crd_status read_mask(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            crd__kernel_attention *a) {
  const crd__engine_tensor *const mask = crd__graph_node_input(net, node, MASK);
  const size_t wanted[] = { a->batch, a->heads, a->queries };
  size_t step = 1;
  if (!mask) return CRD_OK;
  a->masked = true;
  a->mask_is_bool = mask->dtype == CRD_BOOL;
  bool fits = mask->rank >= 1 && mask->rank <= 4;
  if (fits) step = a->mask_keys = (size_t)mask->dims[mask->rank - 1];
  for (size_t i = 1; fits && i < mask->rank; i++) { /* from the last but one backwards */
    const size_t length = (size_t)mask->dims[mask->rank - 1 - i];
    fits = length == 1 || length == wanted[3 - i];
    a->mask_steps[3 - i] = length == 1 ? 0 : step;
    step *= length;
  }
  if (fits && a->mask_keys <= a->keys && (a->mask_is_bool || mask->dtype == a->dtype))
    return CRD_OK;
  return crd__graph_node_fail(ctx, node,
                              "its mask, %s of %zu dimensions, cannot be broadcast to %s of (%zu, "
                              "%zu, %zu, %zu)",
                              crd_dtype_name(mask->dtype), mask->rank, crd_dtype_name(a->dtype),
                              a->batch, a->heads, a->queries, a->keys);
}

static crd_status read_types(crd_context *ctx, const crd__graph *net, const crd__graph_node *node) {
  static const size_t same[] = { KEY, VALUE, PAST_KEY, PAST_VALUE };
  const crd_dtype dtype = crd__graph_node_input(net, node, QUERY)->dtype;
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    CRD_TRY(crd__graph_node_needs(ctx, net, node, same[i], dtype));
  return crd__graph_node_needs(ctx, net, node, LENGTHS, CRD_I64);
}

static crd_status read_settings(crd_context *ctx, const crd__graph_node *node,
                                crd__kernel_attention *a) {
  const int64_t kind = crd__graph_node_int(node, "qk_matmul_output_mode", 0);
  a->scale = a->size ? 1 / sqrt((double)a->size) : 1;
  if (crd__graph_node_has(node, "scale"))
    a->scale = (double)crd__graph_node_float(node, "scale", 1);
  a->softcap = (double)crd__graph_node_float(node, "softcap", 0);
  a->causal = crd__graph_node_int(node, "is_causal", 0) != 0;
  a->left = crd__graph_node_int(node, "left_window_size", -1);
  a->right = crd__graph_node_int(node, "right_window_size", -1);
  a->kind = (crd__kernel_scores)kind;
  if (kind < 0 || kind > CRD__SCORES_SOFTMAX || a->left < -1 || a->right < -1 || a->softcap < 0)
    return crd__graph_node_fail(ctx, node,
                                "qk_matmul_output_mode %lld, windows %lld and %lld, softcap %g: "
                                "0 to 3, -1 or more, and 0 or more are allowed",
                                (long long)kind, (long long)a->left, (long long)a->right,
                                a->softcap);
  return CRD_OK;
}

static crd_status read_node(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            crd__kernel_attention *a) {
  const crd__engine_tensor *const lengths = crd__graph_node_input(net, node, LENGTHS);
  stack q, k, v;
  CRD_TRY(read_types(ctx, net, node));
  CRD_TRY(read_stack(ctx, net, node, QUERY, "q_num_heads", &q));
  CRD_TRY(read_stack(ctx, net, node, KEY, "kv_num_heads", &k));
  CRD_TRY(read_stack(ctx, net, node, VALUE, "kv_num_heads", &v));
  if (q.batch != k.batch || q.batch != v.batch || k.heads != v.heads || k.rows != v.rows ||
      q.size != k.size || q.heads % k.heads)
    return crd__graph_node_fail(ctx, node,
                                "its queries, %zu x %zu heads of %zu elements, keys, %zu x %zu of "
                                "%zu (%zu rows), and values, %zu x %zu (%zu rows), do not fit",
                                q.batch, q.heads, q.size, k.batch, k.heads, k.size, k.rows, v.batch,
                                v.heads, v.rows);
  if (lengths && (lengths->rank != 1 || (size_t)lengths->dims[0] != q.batch))
    return crd__graph_node_fail(ctx, node, "its nonpad_kv_seqlen must have %zu elements", q.batch);
  *a = (crd__kernel_attention){ .dtype = crd__graph_node_input(net, node, QUERY)->dtype,
                                .batch = q.batch,
                                .heads = q.heads,
                                .groups = k.heads,
                                .queries = q.rows,
                                .size = q.size,
                                .value_size = v.size,
                                .q = q.steps,
                                .k = k.steps,
                                .v = v.steps };
  CRD_TRY(read_past(ctx, net, node, &k, &v, a));
  a->keys = a->past + k.rows;
  const size_t width = v.size, all = q.heads * v.size;
  a->y = crd__graph_node_input(net, node, QUERY)->rank == 3
             ? (crd__kernel_heads){ q.rows * all, width, all }
             : (crd__kernel_heads){ q.rows * all, q.rows * width, width };
  CRD_TRY(read_settings(ctx, node, a));
  return read_mask(ctx, net, node, a);
}

static crd_status attention_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__kernel_attention a;
  CRD_TRY(read_node(ctx, net, node, &a));
  const bool flat = crd__graph_node_input(net, node, QUERY)->rank == 3;
  const int64_t batch = (int64_t)a.batch, heads = (int64_t)a.heads, groups = (int64_t)a.groups;
  const int64_t queries = (int64_t)a.queries, keys = (int64_t)a.keys;
  const int64_t size = (int64_t)a.size, width = (int64_t)a.value_size;
  const int64_t y[] = { batch, heads, queries, width }, rows[] = { batch, queries, heads * width };
  CRD_TRY(crd__graph_node_set(ctx, net, node, RESULT, a.dtype, flat ? 3 : 4, flat ? rows : y));
  CRD_TRY(crd__graph_node_set(ctx, net, node, PRESENT_KEY, a.dtype, 4,
                              (int64_t[]){ batch, groups, keys, size }));
  CRD_TRY(crd__graph_node_set(ctx, net, node, PRESENT_VALUE, a.dtype, 4,
                              (int64_t[]){ batch, groups, keys, width }));
  return crd__graph_node_set(ctx, net, node, SCORES, a.dtype, 4,
                             (int64_t[]){ batch, heads, queries, keys });
}

/* ---- Steps. Their operands may be left out: `at` has the index of each, or NONE. */

enum { GRADIENT = INPUTS, WORKSPACE, WRITTEN, OPERANDS = WRITTEN + 6 };
typedef struct {
  crd__kernel_attention a;
  int at[OPERANDS];
} attending;

static void *operand(const crd__engine_step *step, size_t which) {
  const attending *const s = step->self;
  return s->at[which] == CRD__NONE ? NULL : step->memory[s->at[which]];
}

static crd__kernel_attention_in inputs_of(const crd__engine_step *step) {
  return (crd__kernel_attention_in){ .q = operand(step, QUERY),
                                     .k = operand(step, KEY),
                                     .v = operand(step, VALUE),
                                     .mask = operand(step, MASK),
                                     .past_k = operand(step, PAST_KEY),
                                     .past_v = operand(step, PAST_VALUE),
                                     .lengths = operand(step, LENGTHS) };
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const crd__kernel_attention *const a = &((const attending *)step->self)->a;
  const crd__kernel_attention_in in = inputs_of(step);
  void *const key = operand(step, WRITTEN + PRESENT_KEY);
  void *const value = operand(step, WRITTEN + PRESENT_VALUE);
  (void)ctx;
  crd__kernel_attention_run(step->threads, a, &in, operand(step, WRITTEN + RESULT),
                            operand(step, WRITTEN + SCORES), operand(step, WORKSPACE));
  if (key) crd__kernel_attention_join(a, a->k, a->size, in.past_k, in.k, key);
  if (value) crd__kernel_attention_join(a, a->v, a->value_size, in.past_v, in.v, value);
  return CRD_OK;
}

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const crd__kernel_attention_in in = inputs_of(step);
  const crd__kernel_attention_out out = { .q = operand(step, WRITTEN + QUERY),
                                          .k = operand(step, WRITTEN + KEY),
                                          .v = operand(step, WRITTEN + VALUE),
                                          .mask = operand(step, WRITTEN + MASK),
                                          .past_k = operand(step, WRITTEN + PAST_KEY),
                                          .past_v = operand(step, WRITTEN + PAST_VALUE) };
  (void)ctx;
  crd__kernel_attention_back(step->threads, &((const attending *)step->self)->a, &in,
                             operand(step, GRADIENT), &out, operand(step, WORKSPACE));
  return CRD_OK;
}

/* ---- Planning. */

/* A step whose places are found one by one. */
typedef struct {
  attending self;
  size_t count;
  int places[OPERANDS];
} draft;

static crd_status add_workspace(crd_context *ctx, crd__engine_plan *plan,
                                const crd__graph_node *node, draft *d) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const size_t doubles = crd__kernel_attention_workspace(&d->self.a, net->engine.threads);
  const int64_t dims[] = { (int64_t)doubles, 2 };
  int tensor;
  if (!crd__engine_tensor_fits(&net->engine, CRD_F32, 2, dims))
    return crd__graph_node_fail(ctx, node, "its workspace would need more memory than there is");
  CRD_TRY(crd__engine_plan_tensor(ctx, plan, "a workspace", 2, dims, &tensor));
  d->self.at[WORKSPACE] = (int)d->count;
  return crd__engine_plan_output(ctx, plan, tensor, &d->places[d->count++]);
}

static crd_status begin(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                        draft *d) {
  *d = (draft){ .count = 0 };
  for (size_t i = 0; i < OPERANDS; i++) d->self.at[i] = CRD__NONE;
  CRD_TRY(read_node(ctx, crd__graph_plan_net(plan), node, &d->self.a));
  for (size_t i = 0; i < node->input_count; i++) {
    if (node->inputs[i] == CRD__NONE) continue;
    d->self.at[i] = (int)d->count;
    CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[i], &d->places[d->count++]));
  }
  return add_workspace(ctx, plan, node, d);
}

static crd_status add_result(crd_context *ctx, crd__engine_plan *plan, draft *d, size_t which,
                             int tensor) {
  d->self.at[WRITTEN + which] = (int)d->count;
  return crd__engine_plan_output(ctx, plan, tensor, &d->places[d->count++]);
}

static crd_status attention_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node) {
  draft d;
  CRD_TRY(begin(ctx, plan, node, &d));
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i] != CRD__NONE) CRD_TRY(add_result(ctx, plan, &d, i, node->outputs[i]));
  return crd__engine_plan_step(ctx, plan, node, run, &d.self, sizeof d.self, d.count, d.places);
}

/* The gradient with respect to a mask is computed for each sample, head and query. */
static crd_status add_gradient(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node, size_t input, draft *d, int *tensor) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const crd__kernel_attention *const a = &d->self.a;
  const int64_t dims[] = { (int64_t)a->batch, (int64_t)a->heads, (int64_t)a->queries,
                           (int64_t)a->mask_keys };
  if (input == MASK) CRD_TRY(crd__engine_plan_tensor(ctx, plan, "a mask", 4, dims, tensor));
  else CRD_TRY(crd__graph_backward_tensor(ctx, back, node, input, tensor));
  return add_result(ctx, plan, d, input, *tensor);
}

static crd_status attention_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const int incoming = crd__graph_backward_incoming(back, node, RESULT);
  int tensors[LENGTHS];
  draft d;
  for (size_t i = PRESENT_KEY; i < OUTPUTS; i++)
    if (crd__graph_backward_incoming(back, node, i) != CRD__NONE)
      return crd__graph_node_fail(ctx, node, "its output %zu has no gradient", i);
  CRD_TRY(begin(ctx, plan, node, &d));
  d.self.at[GRADIENT] = (int)d.count;
  CRD_TRY(crd__engine_plan_plain(ctx, plan, incoming, &d.places[d.count++]));
  for (size_t i = 0; i < LENGTHS; i++)
    if (crd__graph_backward_wants(back, node, i))
      CRD_TRY(add_gradient(ctx, back, node, i, &d, &tensors[i]));
  CRD_TRY(
      crd__engine_plan_step(ctx, plan, node, run_back, &d.self, sizeof d.self, d.count, d.places));
  for (size_t i = 0; i < LENGTHS; i++) {
    if (!crd__graph_backward_wants(back, node, i)) continue;
    if (i == MASK) CRD_TRY(crd__graph_unbroadcast_give(ctx, back, node, i, tensors[i], NULL));
    else CRD_TRY(crd__graph_backward_give(ctx, back, node, i, tensors[i]));
  }
  return CRD_OK;
}

static uint64_t attention_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const q = crd__graph_node_input(net, node, QUERY);
  const crd__engine_tensor *const k = crd__graph_node_input(net, node, KEY);
  const crd__engine_tensor *const past = crd__graph_node_input(net, node, PAST_KEY);
  const uint64_t keys = (uint64_t)(k->dims[k->rank - 2] + (past ? past->dims[2] : 0));
  return 2 * keys *
         (crd__engine_tensor_count(q) +
          crd__engine_tensor_count(crd__graph_node_output(net, node, RESULT)));
}

static const crd__graph_op_attribute attributes[] = {
  { "is_causal", CRD__ATTRIBUTE_INT },
  { "kv_num_heads", CRD__ATTRIBUTE_INT },
  { "left_window_size", CRD__ATTRIBUTE_INT },
  { "q_num_heads", CRD__ATTRIBUTE_INT },
  { "qk_matmul_output_mode", CRD__ATTRIBUTE_INT },
  { "right_window_size", CRD__ATTRIBUTE_INT },
  { "scale", CRD__ATTRIBUTE_FLOAT },
  { "softcap", CRD__ATTRIBUTE_FLOAT },
  { "softmax_precision", CRD__ATTRIBUTE_INT }, /* it is float64 in any case */
  { .name = NULL },
};

const crd__graph_op crd__graph_op_attention = {
  .info = { "Attention", "f16, f32, f64; masks, groups of heads, past keys; gradient of Y only", 23,
            CRD__OPSET, 1, 1 },
  .inputs_least = 3,
  .inputs_most = INPUTS,
  .outputs_least = 1,
  .outputs_most = OUTPUTS,
  .attributes = attributes,
  .infer = attention_infer,
  .plan = attention_plan,
  .flops = attention_flops,
  .backward = attention_backward,
  .keep = (1U << INPUTS) - 1,
};
