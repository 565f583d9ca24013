/*
 * einsum.c -- Einsum: products of elements, summed over the indices that the result lacks, as in
 * "bik,bjk->bij".
 *
 * An ellipsis stands for the dimensions that have no letter, which are broadcast. Without "->" the
 * result has the ellipsis, then all letters that occur once, sorted. A factor with a letter twice
 * is read along its diagonal. The gradient with respect to a factor is the sum of products of the
 * incoming one and the other factors, with the indices of the factor, on its diagonal.
 */
#include "engine/kernel/composite/einsum.h"
#include "graph/op/plain.h"

#include <string.h>

/* Indices: letters, then the dimensions of ellipses, the last of which is the last one. */
enum { LETTERS = 52, IDS = LETTERS + CRD_RANK_MAX, LENGTH = 256 };

typedef struct {
  size_t count, dots; /* dots: dimensions of its ellipsis */
  unsigned char ids[CRD_RANK_MAX];
  int64_t dims[CRD_RANK_MAX];
} term;

typedef struct {
  size_t factors;
  term inputs[CRD__EINSUM_FACTORS], output;
  int64_t size[IDS];
  unsigned uses[IDS]; /* by the inputs */
} equation;

static int id_of(char letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  return letter >= 'a' && letter <= 'z' ? 26 + letter - 'a' : -1;
}

/* ---- Parsing. */

static crd_status add_id(crd_context *ctx, const crd__graph_node *node, int id, term *t) {
  if (t->count == CRD_RANK_MAX)
    return crd__graph_node_fail(ctx, node, "a term of its equation has more than %d indices",
                                CRD_RANK_MAX);
  t->ids[t->count++] = (unsigned char)id;
  return CRD_OK;
}

/* Read one term; `dots` is the number of dimensions that its ellipsis stands for. */
static crd_status read_term(crd_context *ctx, const crd__graph_node *node, const char *text,
                            size_t length, size_t dots, term *out) {
  bool dotted = false;
  out->count = 0;
  for (size_t i = 0; i < length; i++) {
    const int id = id_of(text[i]);
    if (id >= 0) {
      CRD_TRY(add_id(ctx, node, id, out));
      continue;
    }
    if (dotted || i + 3 > length || strncmp(text + i, "...", 3) != 0)
      return crd__graph_node_fail(
          ctx, node, "its equation has '%c' where letters and one '...' are allowed", text[i]);
    for (size_t d = 0; d < dots; d++) CRD_TRY(add_id(ctx, node, (int)(IDS - dots + d), out));
    dotted = true;
    i += 2;
  }
  out->dots = dotted ? dots : 0;
  return CRD_OK;
}

static size_t count_letters(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += id_of(text[i]) >= 0;
  return count;
}

/* Set the lengths of the indices; dimensions of length 1 are broadcast. */
static crd_status take_sizes(crd_context *ctx, const crd__graph_node *node, equation *q,
                             const crd__engine_tensor *x, term *t) {
  if (t->count != x->rank)
    return crd__graph_node_fail(ctx, node,
                                "its equation has %zu indices for an input of %zu dimensions",
                                t->count, x->rank);
  for (size_t i = 0; i < t->count; i++) {
    int64_t *const size = &q->size[t->ids[i]];
    t->dims[i] = x->dims[i];
    if (!q->uses[t->ids[i]]++ || *size == 1) *size = x->dims[i];
    else if (x->dims[i] != *size && x->dims[i] != 1)
      return crd__graph_node_fail(ctx, node, "an index of its equation has lengths %lld and %lld",
                                  (long long)*size, (long long)x->dims[i]);
  }
  return CRD_OK;
}

static crd_status read_factors(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               const char *text, size_t length, equation *q) {
  const char *const end = text + length;
  for (q->factors = 0; q->factors < node->input_count; q->factors++) {
    const crd__engine_tensor *const x = crd__graph_node_input(net, node, q->factors);
    term *const t = &q->inputs[q->factors];
    if (text > end)
      return crd__graph_node_fail(ctx, node, "its equation has %zu terms for %zu inputs",
                                  q->factors, node->input_count);
    const char *const comma = memchr(text, ',', (size_t)(end - text));
    const size_t here = (size_t)((comma ? comma : end) - text), letters = count_letters(text, here);
    CRD_TRY(crd__graph_node_needs(ctx, net, node, q->factors,
                                  crd__graph_node_input(net, node, 0)->dtype));
    CRD_TRY(read_term(ctx, node, text, here, x->rank > letters ? x->rank - letters : 0, t));
    CRD_TRY(take_sizes(ctx, node, q, x, t));
    text += here + 1;
  }
  if (text <= end)
    return crd__graph_node_fail(ctx, node, "its equation has more terms than its %zu inputs",
                                node->input_count);
  return CRD_OK;
}

static crd_status read_output(crd_context *ctx, const crd__graph_node *node, const char *text,
                              equation *q) {
  bool seen[IDS] = { false };
  size_t dots = 0;
  for (size_t f = 0; f < q->factors; f++)
    if (q->inputs[f].dots > dots) dots = q->inputs[f].dots;
  if (text) CRD_TRY(read_term(ctx, node, text, strlen(text), dots, &q->output));
  else {
    q->output.count = 0;
    for (size_t d = IDS - dots; d < IDS; d++) CRD_TRY(add_id(ctx, node, (int)d, &q->output));
    for (int id = 0; id < LETTERS; id++)
      if (q->uses[id] == 1) CRD_TRY(add_id(ctx, node, id, &q->output));
  }
  for (size_t i = 0; i < q->output.count; i++) {
    const size_t id = q->output.ids[i];
    if (seen[id] || !q->uses[id])
      return crd__graph_node_fail(ctx, node, "its equation's result has an index %s",
                                  seen[id] ? "twice" : "that no input has");
    seen[id] = true;
    q->output.dims[i] = q->size[id];
  }
  return CRD_OK;
}

static crd_status read_equation(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, equation *q) {
  const crd__onnx_attribute *const a = crd__graph_node_attribute(node, "equation");
  char text[LENGTH];
  size_t length = 0;
  memset(q, 0, sizeof *q);
  if (!a) return crd__graph_node_fail(ctx, node, "it has no 'equation'");
  for (size_t i = 0; i < a->s.length; i++) {
    const char c = ((const char *)a->s.bytes)[i];
    if (c == ' ') continue;
    if (!c || length + 1 == LENGTH)
      return crd__graph_node_fail(ctx, node, "its 'equation' has %s",
                                  c ? "more than 255 characters" : "a null character");
    text[length++] = c;
  }
  text[length] = '\0';
  if (crd__graph_node_input(net, node, 0)->dtype == CRD_BOOL)
    return crd__graph_node_fail(ctx, node, "its inputs must be numeric, not bool");
  char *const arrow = strstr(text, "->");
  CRD_TRY(read_factors(ctx, net, node, text, arrow ? (size_t)(arrow - text) : length, q));
  CRD_TRY(read_output(ctx, node, arrow ? arrow + 2 : NULL, q));
  size_t used = 0;
  for (size_t id = 0; id < IDS; id++) used += q->uses[id] > 0;
  if (used > CRD__EINSUM_INDICES)
    return crd__graph_node_fail(ctx, node, "its equation has %zu indices; at most %d are supported",
                                used, CRD__EINSUM_INDICES);
  return CRD_OK;
}

/* ---- Sums of products. */

/* Describe the sum of products of `factors` with the indices of `result`. */
static crd__kernel_einsum describe(const equation *q, crd_dtype dtype, const term *result,
                                   size_t count, const term *const factors[]) {
  crd__kernel_einsum e = { .dtype = dtype, .factors = count };
  size_t index[IDS];
  bool placed[IDS] = { false };
  for (size_t i = 0; i < result->count; i++) { /* those that the result broadcasts are summed */
    const size_t id = result->ids[i];
    if (result->dims[i] != q->size[id] || placed[id]) continue;
    placed[id] = true;
    index[id] = e.kept;
    e.size[e.kept++] = (size_t)q->size[id];
  }
  ptrdiff_t length = 1;
  for (size_t i = result->count; i-- > 0; length *= (ptrdiff_t)result->dims[i])
    if (result->dims[i] == q->size[result->ids[i]]) e.result[index[result->ids[i]]] += length;
  for (size_t i = 0; i < result->count; i++)
    if (memchr(result->ids, result->ids[i], i)) e.zeros = (size_t)length;
  e.indices = e.kept;
  for (size_t id = 0; id < IDS; id++) {
    if (placed[id] || !q->uses[id]) continue;
    index[id] = e.indices;
    e.size[e.indices++] = (size_t)q->size[id];
  }
  for (size_t f = 0; f < count; f++) {
    ptrdiff_t stride = 1;
    for (size_t i = factors[f]->count; i-- > 0; stride *= (ptrdiff_t)factors[f]->dims[i])
      if (factors[f]->dims[i] != 1) e.stride[f][index[factors[f]->ids[i]]] += stride;
  }
  return e;
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const crd__kernel_einsum *const e = step->self;
  const void *factors[CRD__EINSUM_FACTORS];
  (void)ctx;
  for (size_t f = 0; f < e->factors; f++) factors[f] = step->memory[f];
  crd__kernel_einsum_run(step->threads, e, factors, step->memory[e->factors]);
  return CRD_OK;
}

static crd_status einsum_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  equation q;
  CRD_TRY(read_equation(ctx, net, node, &q));
  return crd__graph_node_set(ctx, net, node, 0, crd__graph_node_input(net, node, 0)->dtype,
                             q.output.count, q.output.dims);
}

static crd_status einsum_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const term *factors[CRD__EINSUM_FACTORS];
  equation q;
  CRD_TRY(read_equation(ctx, net, node, &q));
  for (size_t f = 0; f < q.factors; f++) factors[f] = &q.inputs[f];
  const crd__kernel_einsum e =
      describe(&q, crd__graph_node_input(net, node, 0)->dtype, &q.output, q.factors, factors);
  return crd__graph_plain_plan(ctx, p, node, run, &e, sizeof e);
}

static crd_status back_factor(crd_context *ctx, crd__graph_backward *back,
                              const crd__graph_node *node, const equation *q, size_t input) {
  const term *factors[CRD__EINSUM_FACTORS], *const own = &q->inputs[input];
  crd__graph_plain_step step = { .run = run, .size = sizeof(crd__kernel_einsum) };
  for (size_t f = 0; f < q->factors; f++) {
    if (f == input) continue;
    factors[step.count] = &q->inputs[f];
    step.read[step.count++] = node->inputs[f];
  }
  factors[step.count] = &q->output; /* with the incoming gradient */
  const crd__kernel_einsum e = describe(q, CRD_F32, own, q->factors, factors);
  step.self = &e;
  return crd__graph_plain_back(ctx, back, node, input, &step);
}

static crd_status einsum_backward(crd_context *ctx, crd__graph_backward *back,
                                  const crd__graph_node *node) {
  equation q;
  CRD_TRY(read_equation(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &q));
  for (size_t f = 0; f < q.factors; f++)
    if (crd__graph_backward_wants(back, node, f)) CRD_TRY(back_factor(ctx, back, node, &q, f));
  return CRD_OK;
}

/* Count a product or sum for each factor and each combination of indices. The equation has been
 * read before, by `infer`: reading it again cannot fail, and needs no context for a message. */
static uint64_t einsum_flops(const crd__graph *net, const crd__graph_node *node) {
  uint64_t combinations = 1;
  equation q;
  if (read_equation(NULL, net, node, &q) != CRD_OK) return 0;
  for (size_t id = 0; id < IDS; id++)
    if (q.uses[id]) combinations *= (uint64_t)q.size[id];
  return q.factors * combinations;
}

static const crd__graph_op_attribute attributes[] = {
  { "equation", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_einsum = {
  .info = { "Einsum", "any numeric type; up to three inputs", 12, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = CRD__EINSUM_FACTORS,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = einsum_infer,
  .plan = einsum_plan,
  .flops = einsum_flops,
  .backward = einsum_backward,
  .keep = CRD__KEEP_X | CRD__KEEP_X1 | CRD__KEEP_X2,
};
