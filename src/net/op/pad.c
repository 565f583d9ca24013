/*
 * pad.c -- Pad: more numbers at the edges. `constant` gives them a value (and cuts off where a pad
 * is below 0), `edge` repeats the last, `reflect` mirrors without the last, `wrap` goes on from the
 * other end.
 *
 * The middle is copied first; then the dimensions get their edges one after the other, from what
 * already stands in the result, so that corners come by themselves.
 */
#include "net/kernel/copy.h"
#include "net/kernel/walk.h"
#include "net/op/plain.h"

#include <string.h>

typedef enum { CONSTANT, EDGE, REFLECT, WRAP } filling;
static const char *const words[] = { "constant", "edge", "reflect", "wrap" };

typedef struct {
  filling mode;
  crd__shape in, out;
  int64_t begin[CRD_RANK_MAX], end[CRD_RANK_MAX];
  size_t size;
  bool given; /* the value is the second number of the step's memory */
  unsigned char value[8];
} padding;

static crd_status read_mode(crd_context *ctx, const crd__node *node, filling *out) {
  for (int i = 0; i < 4; i++)
    if (crd__node_word_is(node, "mode", words[i], "constant")) {
      *out = (filling)i;
      return CRD_OK;
    }
  return crd__node_fail(ctx, node, "its mode is none of constant, edge, reflect, wrap");
}

/* Pads of all dimensions, or of those that the axes (operator set 18 on) name. */
static crd_status read_pads(crd_context *ctx, const crd__net *net, const crd__node *node,
                            padding *p) {
  const size_t rank = p->in.rank;
  bool marks[CRD_RANK_MAX];
  crd__list pads, axes = { .given = false };
  CRD_TRY(crd__plain_list(ctx, net, node, "pads", 10, 1, &pads));
  if (node->opset >= 18) CRD_TRY(crd__node_list_input(ctx, net, node, 3, &axes));
  CRD_TRY(crd__node_axes(ctx, node, &axes, rank, false, marks));
  const size_t count = axes.given ? axes.count : rank;
  if (pads.count != 2 * count)
    return crd__node_fail(ctx, node, "it has %zu pads, not 2 for each of %zu dimensions",
                          pads.count, count);
  for (size_t i = 0; i < count; i++) {
    size_t d = i;
    if (axes.given) CRD_TRY(crd__node_axis(ctx, node, axes.items[i], rank, &d));
    p->begin[d] = pads.items[i];
    p->end[d] = pads.items[count + i];
  }
  return CRD_OK;
}

static crd_status check_pads(crd_context *ctx, const crd__node *node, padding *p) {
  const int64_t most = (int64_t)1 << 40;
  for (size_t d = 0; d < p->in.rank; d++) {
    const int64_t length = p->in.dims[d], low = p->begin[d] < p->end[d] ? p->begin[d] : p->end[d];
    const int64_t high = p->begin[d] < p->end[d] ? p->end[d] : p->begin[d];
    const int64_t reach = p->mode == CONSTANT ? most
                          : p->mode == EDGE   ? (length ? most : 0)
                          : p->mode == WRAP   ? length
                                              : length - 1;
    if (low < (p->mode == CONSTANT ? -length : 0) || high > (high > 0 ? reach : most))
      return crd__node_fail(ctx, node, "pads of %lld and %lld do not go with a dimension of %lld",
                            (long long)p->begin[d], (long long)p->end[d], (long long)length);
    p->out.dims[d] = length + p->begin[d] + p->end[d];
  }
  return CRD_OK;
}

static crd_status read_padding(crd_context *ctx, const crd__net *net, const crd__node *node,
                               padding *p) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  *p = (padding){ .in = crd__shape_of(x),
                  .out = crd__shape_of(x),
                  .size = crd_dtype_size(x->dtype),
                  .given = node->opset >= 11 && crd__node_input(net, node, 2) };
  if (node->opset < 11) { /* real numbers only, in those days */
    const float value = crd__node_float(node, "value", 0);
    if (x->dtype == CRD_F32) memcpy(p->value, &value, sizeof value);
    else if (value != 0)
      return crd__node_fail(ctx, node,
                            "its input is %s; up to operator set 10 only f32 is "
                            "supported",
                            crd_dtype_name(x->dtype));
  }
  CRD_TRY(read_mode(ctx, node, &p->mode));
  CRD_TRY(read_pads(ctx, net, node, p));
  return check_pads(ctx, node, p);
}

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  padding p;
  if (node->opset >= 11) {
    const crd__tensor *const value = crd__node_input(net, node, 2);
    CRD_TRY(crd__node_needs(ctx, net, node, 2, x->dtype));
    if (value && crd__tensor_count(value) != 1)
      return crd__node_fail(ctx, node, "its value must be one number");
  }
  CRD_TRY(read_padding(ctx, net, node, &p));
  return crd__node_set(ctx, net, node, 0, x->dtype, p.out.rank, p.out.dims);
}

/* What of the input is in the output. */
static void copy_middle(const padding *p, unsigned threads, char *y, const char *x,
                        const int64_t *to, const int64_t *from) {
  int64_t dims[CRD_RANK_MAX];
  for (size_t d = 0; d < p->in.rank; d++) {
    const int64_t cut = p->begin[d] < 0 ? -p->begin[d] : 0;
    dims[d] = p->in.dims[d] - cut + (p->end[d] < 0 ? p->end[d] : 0);
    if (dims[d] <= 0) return;
    x += (size_t)(cut * from[d]) * p->size;
    y += (size_t)((p->begin[d] > 0 ? p->begin[d] : 0) * to[d]) * p->size;
  }
  crd__copy(threads, p->size, p->in.rank, dims, y, to, x, from);
}

/* Both edges of dimension d; before it all is there, behind it only the middle is. */
static void extend(const padding *p, unsigned threads, size_t d, char *y, const int64_t *steps) {
  int64_t dims[CRD_RANK_MAX], source[CRD_RANK_MAX];
  const int64_t size = (int64_t)p->size, begin = p->begin[d], length = p->in.dims[d];
  for (size_t i = 0; i < p->in.rank; i++) {
    dims[i] = i < d ? p->out.dims[i] : p->in.dims[i];
    source[i] = steps[i];
    if (i > d) y += p->begin[i] * steps[i] * size;
  }
  const int64_t turn = p->mode == EDGE ? 0 : p->mode == REFLECT ? -1 : 1;
  source[d] = turn * steps[d];
  /* Where the number before the first, and that behind the last, comes from; the edge at the begin
   * is filled from its own first number on. */
  const int64_t first = p->mode == EDGE ? begin : p->mode == REFLECT ? 2 * begin : length;
  const int64_t behind = p->mode == EDGE      ? begin + length - 1
                         : p->mode == REFLECT ? begin + length - 2
                                              : begin;
  dims[d] = begin;
  crd__copy(threads, p->size, p->in.rank, dims, y, steps, y + first * steps[d] * size, source);
  dims[d] = p->end[d];
  crd__copy(threads, p->size, p->in.rank, dims, y + (begin + length) * steps[d] * size, steps,
            y + behind * steps[d] * size, source);
}

static crd_status run(crd_context *ctx, const crd__step *step) {
  const padding *const p = step->self;
  char *const y = step->memory[step->count - 1];
  int64_t to[CRD_RANK_MAX], from[CRD_RANK_MAX];
  (void)ctx;
  crd__strides_make(p->out.rank, p->out.dims, to);
  crd__strides_make(p->in.rank, p->in.dims, from);
  if (p->mode == CONSTANT)
    crd__fill(step->threads, p->size, p->out.rank, p->out.dims, y, NULL,
              p->given ? step->memory[1] : p->value);
  copy_middle(p, step->threads, y, step->memory[0], to, from);
  for (size_t d = 0; d < p->in.rank && p->mode != CONSTANT; d++) extend(p, step->threads, d, y, to);
  return CRD_OK;
}

static crd_status plan(crd_context *ctx, crd__plan *steps, const crd__node *node) {
  padding p;
  int places[3];
  size_t count = 0;
  CRD_TRY(read_padding(ctx, crd__plan_net(steps), node, &p));
  CRD_TRY(crd__plan_plain(ctx, steps, node->inputs[0], &places[count++]));
  if (p.given) CRD_TRY(crd__plan_plain(ctx, steps, node->inputs[2], &places[count++]));
  CRD_TRY(crd__plan_output(ctx, steps, node->outputs[0], &places[count++]));
  return crd__plan_step(ctx, steps, node, run, &p, sizeof p, count, places);
}

static const crd__op_attribute attributes[] = {
  { "mode", CRD__ATTRIBUTE_STRING },
  { "pads", CRD__ATTRIBUTE_INTS },
  { "value", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

static uint64_t flops(const crd__net *net, const crd__node *node) {
  (void)net, (void)node;
  return 0;
}

const crd__op crd__op_pad = {
  .info = { "Pad", "any type; constant, edge, reflect, wrap; pads must not depend on data", 2, 20 },
  .inputs_least = 1,
  .inputs_most = 4,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = infer,
  .plan = plan,
  .flops = flops,
};
