/*
 * onnx.c -- a map as a graph of ONNX operators, over a batch of rows.
 *
 * Scores come and probabilities go as floats, as networks have them; in between all is double, so
 * that an export differs from apply by the last rounding alone. Events are columns: q is (rows,
 * events). A table is looked up by counting how many of its entries are below q.
 */
#include "base/memory.h"
#include "calibrator/export/export.h"
#include "onnx/graph.h"

#include <math.h>

typedef struct {
  crd_context *ctx;
  crd__graph graph;
  const crd__map *map;
  size_t events;
} writer;

/* ---- Shorthands. */

static const crd__attribute axis_1[] = { { "axis", 1, false }, { .name = NULL } };
static const crd__attribute axes_1[] = { { "axes", 1, true }, { .name = NULL } };

static crd__value one(writer *w, const char *op, crd__value a) {
  return crd__graph_node(&w->graph, op, &a, 1, NULL);
}

static crd__value two(writer *w, const char *op, crd__value a, crd__value b) {
  return crd__graph_node(&w->graph, op, (crd__value[]){ a, b }, 2, NULL);
}

static crd__value choose(writer *w, crd__value condition, crd__value yes, crd__value no) {
  return crd__graph_node(&w->graph, "Where", (crd__value[]){ condition, yes, no }, 3, NULL);
}

static crd__value number(writer *w, double value) {
  return crd__graph_doubles(&w->graph, &value, 0, 0);
}

static crd__value along(writer *w, const char *op, crd__value a) {
  return crd__graph_node(&w->graph, op, &a, 1, axis_1);
}

static crd__value cast(writer *w, crd__value a, int type) {
  const crd__attribute to[] = { { "to", type, false }, { .name = NULL } };
  return crd__graph_node(&w->graph, "Cast", &a, 1, to);
}

static crd__value join(writer *w, crd__value a, crd__value b) {
  return crd__graph_node(&w->graph, "Concat", (crd__value[]){ a, b }, 2, axis_1);
}

static crd__value sum(writer *w, crd__value a) {
  return two(w, "ReduceSum", a, crd__graph_int64s(&w->graph, (int64_t[]){ 1 }, 1));
}

static crd__value largest(writer *w, crd__value a) {
  return crd__graph_node(&w->graph, "ReduceMax", &a, 1, axes_1);
}

static crd__value complement(writer *w, crd__value a) { return two(w, "Sub", number(w, 1), a); }

static crd__value column(writer *w, crd__value a, int64_t which) {
  const crd__value index = crd__graph_int64s(&w->graph, &which, 1);
  return crd__graph_node(&w->graph, "Gather", (crd__value[]){ a, index }, 2, axis_1);
}

static crd__value argmax(writer *w, crd__value a, bool keep) {
  const crd__attribute attributes[] = { axis_1[0], { "keepdims", keep, false }, { .name = NULL } };
  return crd__graph_node(&w->graph, "ArgMax", &a, 1, attributes);
}

/* ---- Steps of rows. */

static crd__value mix(writer *w, const crd__step *step, crd__value x) {
  crd__value total = x;
  for (size_t j = 0; j < step->a.start[1]; j++) {
    const crd__value scaled = two(w, "Mul", x, number(w, step->b.values[j]));
    const crd__value part =
        two(w, "Mul", along(w, "Softmax", scaled), number(w, step->a.values[j]));
    total = j ? two(w, "Add", total, part) : part;
  }
  return total;
}

static crd__value affine(writer *w, const crd__step *step, crd__value x) {
  const size_t n = w->map->classes;
  static const crd__attribute across[] = { { "transB", 1, false }, { .name = NULL } };
  const crd__value inputs[] = { x, crd__graph_doubles(&w->graph, step->a.values, n, n),
                                crd__graph_doubles(&w->graph, step->b.values, 0, n) };
  return crd__graph_node(&w->graph, "Gemm", inputs, 3, across);
}

/* The first line, and behind each bend what its slope is more. */
static crd__value bent(writer *w, const crd__step *step, crd__value x) {
  crd__segment before = crd__step_segment(step, 0, 0);
  crd__value total = two(w, "Mul", two(w, "Sub", x, number(w, before.at)), number(w, before.slope));
  total = two(w, "Add", total, number(w, before.value));
  for (size_t i = 1; i < crd__step_segments(step, 0); i++) {
    const crd__segment here = crd__step_segment(step, 0, i);
    const crd__value way = two(w, "Max", two(w, "Sub", x, number(w, here.at)), number(w, 0));
    total = two(w, "Add", total, two(w, "Mul", way, number(w, here.slope - before.slope)));
    before = here;
  }
  return total;
}

static crd__value run_row(writer *w, const crd__step *step, crd__value x) {
  const size_t n = w->map->classes;
  if (step->op == CRD__SCALE) return two(w, "Mul", x, number(w, step->a.values[0]));
  if (step->op == CRD__AFFINE) return affine(w, step, x);
  if (step->op == CRD__BENT) return bent(w, step, x);
  if (step->op == CRD__SOFTMAX) return along(w, "Softmax", x);
  if (step->op == CRD__MIX) return mix(w, step, x);
  x = two(w, "Mul", x, crd__graph_doubles(&w->graph, step->a.values, 0, n));
  return two(w, "Add", x, crd__graph_doubles(&w->graph, step->b.values, 0, n));
}

/* ---- Steps of events. */

/* Every events' number `which` of `stride`, as a row. */
static crd_status take_column(writer *w, const crd__step *step, size_t which, size_t stride,
                              crd__value *out) {
  double *values;
  CRD_TRY(crd__new(w->ctx, w->events, sizeof *values, "an export", &values));
  for (size_t e = 0; e < w->events; e++) values[e] = step->a.values[e * stride + which];
  *out = crd__graph_doubles(&w->graph, values, 0, w->events);
  crd__free(&w->ctx->alloc, values);
  return CRD_OK;
}

static crd_status logistic(writer *w, const crd__step *step, crd__value s, crd__value *q) {
  crd__value slope, offset;
  CRD_TRY(take_column(w, step, 0, 2, &slope));
  CRD_TRY(take_column(w, step, 1, 2, &offset));
  *q = one(w, "Sigmoid", two(w, "Add", two(w, "Mul", s, slope), offset));
  return CRD_OK;
}

/* log(1 + exp(x)); the operator Softplus is not to be had in double everywhere. */
static crd__value softplus(writer *w, crd__value x) {
  const crd__value e = one(w, "Exp", one(w, "Neg", one(w, "Abs", x)));
  return two(w, "Add", two(w, "Max", x, number(w, 0)),
             one(w, "Log", two(w, "Add", e, number(w, 1))));
}

/* log p = -softplus(-s), log(1 - p) = -softplus(s). */
static crd_status beta(writer *w, const crd__step *step, crd__value s, crd__value *q) {
  crd__value a, b, c;
  CRD_TRY(take_column(w, step, 0, 3, &a));
  CRD_TRY(take_column(w, step, 1, 3, &b));
  CRD_TRY(take_column(w, step, 2, 3, &c));
  const crd__value yes = two(w, "Mul", softplus(w, one(w, "Neg", s)), a);
  const crd__value no = two(w, "Mul", softplus(w, s), b);
  *q = one(w, "Sigmoid", two(w, "Add", two(w, "Sub", no, yes), c));
  return CRD_OK;
}

/* Tables of all events, each `width` + 1 long: of edges, and of what holds behind each of them. */
typedef struct {
  size_t width;
  double *edges, *at, *value, *slope;
} tables;

static void fill_event(const crd__step *step, size_t e, tables *t) {
  const size_t count = crd__step_segments(step, e);
  for (size_t i = 0; i < t->width; i++) t->edges[e * t->width + i] = (double)INFINITY;
  for (size_t i = 0; i < count; i++) {
    const crd__segment segment = crd__step_segment(step, e, i);
    const size_t to = e * (t->width + 1) + i;
    if (i + 1 < count) t->edges[e * t->width + i] = segment.high;
    t->value[to] = segment.value;
    t->at[to] = segment.at;
    t->slope[to] = segment.slope;
  }
}

static crd_status make_tables(writer *w, const crd__step *step, tables *t) {
  t->width = 1;
  for (size_t e = 0; e < w->events; e++) {
    const size_t count = crd__step_segments(step, e);
    if (count > t->width + 1) t->width = count - 1;
  }
  const size_t cells = w->events * (t->width + 1);
  CRD_TRY(crd__new(w->ctx, cells, sizeof(double), "an export", &t->edges));
  CRD_TRY(crd__new(w->ctx, cells, sizeof(double), "an export", &t->at));
  CRD_TRY(crd__new(w->ctx, cells, sizeof(double), "an export", &t->value));
  CRD_TRY(crd__new(w->ctx, cells, sizeof(double), "an export", &t->slope));
  for (size_t e = 0; e < w->events; e++) fill_event(step, e, t);
  return CRD_OK;
}

/* For each row and event: the place in the tables. */
static crd_status find_places(writer *w, const tables *t, crd__value q, crd__value *out) {
  static const crd__attribute flat[] = { { "keepdims", 0, false }, { .name = NULL } };
  int64_t *first;
  CRD_TRY(crd__new(w->ctx, w->events, sizeof *first, "an export", &first));
  for (size_t e = 0; e < w->events; e++) first[e] = (int64_t)(e * (t->width + 1));
  const crd__value last = crd__graph_int64s(&w->graph, (int64_t[]){ 2 }, 1);
  const crd__value above = two(w, "Greater", two(w, "Unsqueeze", q, last),
                               crd__graph_doubles(&w->graph, t->edges, w->events, t->width));
  const crd__value inputs[] = { cast(w, above, CRD__ONNX_INT64), last };
  const crd__value count = crd__graph_node(&w->graph, "ReduceSum", inputs, 2, flat);
  *out = two(w, "Add", count, crd__graph_int64s(&w->graph, first, w->events));
  crd__free(&w->ctx->alloc, first);
  return CRD_OK;
}

static crd__value look_up(writer *w, const tables *t, const double *table, crd__value places) {
  return two(w, "Gather", crd__graph_doubles(&w->graph, table, 0, w->events * (t->width + 1)),
             places);
}

/* How far a line has come since its table's entry. */
static crd__value rise(writer *w, const tables *t, crd__value q, crd__value places) {
  const crd__value way = two(w, "Sub", q, look_up(w, t, t->at, places));
  return two(w, "Mul", look_up(w, t, t->slope, places), way);
}

static crd_status table(writer *w, const crd__step *step, crd__value s, crd__value *q) {
  tables t = { 0 };
  crd__value places;
  (void)s;
  crd_status status = make_tables(w, step, &t);
  if (status == CRD_OK) status = find_places(w, &t, *q, &places);
  if (status == CRD_OK) {
    const crd__value value = look_up(w, &t, t.value, places);
    *q = step->op == CRD__LINES ? two(w, "Add", value, rise(w, &t, *q, places)) : value;
  }
  crd__free(&w->ctx->alloc, t.edges);
  crd__free(&w->ctx->alloc, t.at);
  crd__free(&w->ctx->alloc, t.value);
  crd__free(&w->ctx->alloc, t.slope);
  return status;
}

static crd_status run_events(writer *w, crd__value s, crd__value *q) {
  static crd_status (*const steps[CRD__OPS])(writer *, const crd__step *, crd__value,
                                             crd__value *) = {
    [CRD__LOGISTIC] = logistic, [CRD__BETA] = beta, [CRD__STEPS] = table, [CRD__LINES] = table
  };
  const crd__op first = w->map->steps[0].op;
  if (first == CRD__STEPS || first == CRD__LINES) *q = one(w, "Sigmoid", s);
  for (size_t i = 0; i < w->map->count; i++)
    CRD_TRY(steps[w->map->steps[i].op](w, &w->map->steps[i], s, q));
  return CRD_OK;
}

/* ---- Log-odds, and from events to rows. */

/* Of logits x: which is the largest, the others (it being -infinity), and its log-odds. */
typedef struct {
  crd__value which, is_top, others, odds;
} top_parts;

static crd_status take_apart(writer *w, crd__value x, top_parts *out) {
  const size_t n = w->map->classes;
  int64_t *classes;
  CRD_TRY(crd__new(w->ctx, n, sizeof *classes, "an export", &classes));
  for (size_t k = 0; k < n; k++) classes[k] = (int64_t)k;
  out->which = argmax(w, x, true);
  out->is_top = two(w, "Equal", out->which, crd__graph_int64s(&w->graph, classes, n));
  crd__free(&w->ctx->alloc, classes);
  out->others = choose(w, out->is_top, number(w, -(double)INFINITY), x);
  const crd__value second = largest(w, out->others);
  const crd__value mass = sum(w, one(w, "Exp", two(w, "Sub", out->others, second)));
  out->odds = two(w, "Sub", two(w, "Sub", largest(w, x), second), one(w, "Log", mass));
  return CRD_OK;
}

/* Only the largest can be so near to 1 that 1 - p says nothing. */
static crd__value log_odds(writer *w, crd__value x, const top_parts *top) {
  const crd__value log_p = along(w, "LogSoftmax", x);
  const crd__value log_rest = one(w, "Log", complement(w, one(w, "Exp", log_p)));
  return choose(w, top->is_top, top->odds, two(w, "Sub", log_p, log_rest));
}

static crd_status run_all(writer *w, crd__value x, crd__value *out) {
  const size_t n = w->map->classes;
  top_parts top;
  crd__value q;
  CRD_TRY(take_apart(w, x, &top));
  const crd__value s = log_odds(w, x, &top);
  CRD_TRY(run_events(w, n == 2 ? column(w, s, 1) : s, &q));
  if (n == 2) {
    *out = join(w, complement(w, q), q);
    return CRD_OK;
  }
  const crd__value total = sum(w, q);
  *out = choose(w, two(w, "Greater", total, number(w, 0)), two(w, "Div", q, total),
                number(w, 1 / (double)n));
  return CRD_OK;
}

static crd_status run_top(writer *w, crd__value x, crd__value *out) {
  top_parts top;
  crd__value q;
  CRD_TRY(take_apart(w, x, &top));
  CRD_TRY(run_events(w, top.odds, &q));
  const crd__value rest = two(w, "Mul", along(w, "Softmax", top.others), complement(w, q));
  *out = choose(w, top.is_top, q, rest);
  return CRD_OK;
}

/* ---- The model. */

/* From what is given to logits. */
static crd__value read_row(writer *w, crd__value given) {
  if (w->map->normalise) return along(w, "LogSoftmax", given);
  if (w->map->input == CRD_INPUT_LOGITS) return given;
  const crd__value positive = two(w, "Max", given, number(w, 1e-300));
  if (w->map->input == CRD_INPUT_PROBABILITIES)
    return two(w, "Sub", one(w, "Log", positive), one(w, "Log", sum(w, given)));
  const crd__value c = two(w, "Min", positive, number(w, 1 - 0x1p-53));
  return join(w, one(w, "Log", complement(w, c)), one(w, "Log", c));
}

static crd_status build(writer *w) {
  const crd__map *const map = w->map;
  const bool pairs = map->input == CRD_INPUT_PAIRS, top = map->reach == CRD__TOP_EVENT;
  const crd__value given = crd__graph_input(&w->graph, pairs ? "confidence" : "scores",
                                            CRD__ONNX_FLOAT, pairs ? 1 : map->classes);
  const crd__value x = read_row(w, cast(w, given, CRD__ONNX_DOUBLE));
  crd__value p = x;
  for (size_t i = 0; map->reach == CRD__ROWS && i < map->count; i++)
    p = run_row(w, &map->steps[i], p);
  if (map->reach != CRD__ROWS) CRD_TRY((top ? run_top : run_all)(w, x, &p));
  if (pairs) {
    crd__graph_output(&w->graph, column(w, p, 1), "probability", CRD__ONNX_FLOAT, 1);
    return CRD_OK;
  }
  crd__graph_output(&w->graph, p, "probabilities", CRD__ONNX_FLOAT, map->classes);
  crd__graph_output(&w->graph, argmax(w, top ? x : p, false), "predicted", CRD__ONNX_INT64, 0);
  return CRD_OK;
}

static crd_status write(crd_context *ctx, const crd__map *map, const char *about, crd__text *out) {
  writer w = { .ctx = ctx, .map = map };
  w.events = map->reach == CRD__ALL_EVENTS && map->classes > 2 ? map->classes : 1;
  crd__graph_init(&w.graph, &ctx->alloc);
  crd_status status = build(&w);
  if (status == CRD_OK) status = crd__graph_finish(ctx, &w.graph, "calibrate", about, out);
  crd__graph_clear(&w.graph);
  return status;
}

const crd__export crd__export_onnx = {
  .info = { .name = "onnx",
            .summary = "an ONNX model of operators, for model runtimes (opset 17)",
            .extension = "onnx" },
  .write = write,
};
