/*
 * onnx.c -- exports a map as a graph of ONNX operators over a batch of rows.
 *
 * Scores and probabilities are float32, as in networks; all between is float64: an export differs
 * from apply only by the final rounding. Events are columns: q is (rows, events), or (rows,
 * classes) if all classes share one. Tables are looked up by binary search, without memory per row.
 */
#include "base/memory.h"
#include "data/predictions.h"
#include "export/export.h"
#include "onnx/graph.h"

#include <math.h>

typedef crd__onnx_graph_value tensor;

typedef struct {
  crd_context *ctx;
  crd__onnx_graph graph;
  const crd__calibrator_map *map;
  size_t events;
  const crd__export_onnx_place *place; /* NULL: a standalone model */
} writer;

/* ---- Shorthands. */

static const crd__onnx_graph_attribute axis_1[] = { { .name = "axis", .i = 1 }, { .name = NULL } };
static const crd__onnx_graph_attribute axes_1[] = {
  { .name = "axes", .type = CRD__ATTRIBUTE_INTS, .ints = (const int64_t[]){ 1 }, .count = 1 },
  { .name = NULL },
};

static tensor one(writer *w, const char *op, tensor a) {
  return crd__onnx_graph_node(&w->graph, op, &a, 1, NULL);
}

static tensor two(writer *w, const char *op, tensor a, tensor b) {
  return crd__onnx_graph_node(&w->graph, op, (tensor[]){ a, b }, 2, NULL);
}

static tensor choose(writer *w, tensor condition, tensor yes, tensor no) {
  return crd__onnx_graph_node(&w->graph, "Where", (tensor[]){ condition, yes, no }, 3, NULL);
}

static tensor number(writer *w, double value) {
  return crd__onnx_graph_doubles(&w->graph, &value, 0, 0);
}

static tensor along(writer *w, const char *op, tensor a) {
  return crd__onnx_graph_node(&w->graph, op, &a, 1, axis_1);
}

static tensor cast(writer *w, tensor a, int type) {
  const crd__onnx_graph_attribute to[] = { { .name = "to", .i = type }, { .name = NULL } };
  return crd__onnx_graph_node(&w->graph, "Cast", &a, 1, to);
}

static tensor join(writer *w, tensor a, tensor b) {
  return crd__onnx_graph_node(&w->graph, "Concat", (tensor[]){ a, b }, 2, axis_1);
}

/* The axes became an input in operator set 13. */
static tensor sum(writer *w, tensor a) {
  if (w->graph.opset < 13) return crd__onnx_graph_node(&w->graph, "ReduceSum", &a, 1, axes_1);
  return two(w, "ReduceSum", a, crd__onnx_graph_int64s(&w->graph, (int64_t[]){ 1 }, 1));
}

/* The axes became an input in operator set 18. */
static tensor largest(writer *w, tensor a) {
  if (w->graph.opset >= 18)
    return two(w, "ReduceMax", a, crd__onnx_graph_int64s(&w->graph, (int64_t[]){ 1 }, 1));
  return crd__onnx_graph_node(&w->graph, "ReduceMax", &a, 1, axes_1);
}

/* Max and Min broadcast since operator set 8, and take integers since 12. */
static tensor above_zero(writer *w, tensor a) {
  return w->graph.opset < 8 ? one(w, "Relu", a) : two(w, "Max", a, number(w, 0));
}

static tensor least_index(writer *w, tensor a, tensor b) {
  return w->graph.opset < 12 ? choose(w, two(w, "Greater", a, b), b, a) : two(w, "Min", a, b);
}

static tensor complement(writer *w, tensor a) { return two(w, "Sub", number(w, 1), a); }

static tensor column(writer *w, tensor a, int64_t which) {
  const tensor index = crd__onnx_graph_int64s(&w->graph, &which, 1);
  return crd__onnx_graph_node(&w->graph, "Gather", (tensor[]){ a, index }, 2, axis_1);
}

static tensor argmax(writer *w, tensor a, bool keep) {
  const crd__onnx_graph_attribute attributes[] = { axis_1[0],
                                                   { .name = "keepdims", .i = keep },
                                                   { .name = NULL } };
  return crd__onnx_graph_node(&w->graph, "ArgMax", &a, 1, attributes);
}

/* ---- Steps of rows. */

static tensor mix(writer *w, const crd__calibrator_step *step, tensor x) {
  tensor total = x;
  for (size_t j = 0; j < step->a.start[1]; j++) {
    const tensor scaled = two(w, "Mul", x, number(w, step->b.values[j]));
    const tensor part = two(w, "Mul", along(w, "Softmax", scaled), number(w, step->a.values[j]));
    total = j ? two(w, "Add", total, part) : part;
  }
  return total;
}

static tensor affine(writer *w, const crd__calibrator_step *step, tensor x) {
  const size_t n = w->map->classes;
  static const crd__onnx_graph_attribute across[] = { { .name = "transB", .i = 1 },
                                                      { .name = NULL } };
  const tensor inputs[] = { x, crd__onnx_graph_doubles(&w->graph, step->a.values, n, n),
                            crd__onnx_graph_doubles(&w->graph, step->b.values, 0, n) };
  return crd__onnx_graph_node(&w->graph, "Gemm", inputs, 3, across);
}

/* Adds a piecewise linear function: the first line, plus the change of slope beyond each knot. */
static tensor bent(writer *w, const crd__calibrator_step *step, tensor x) {
  crd__calibrator_segment before = crd__calibrator_step_segment(step, 0, 0);
  tensor total = two(w, "Mul", two(w, "Sub", x, number(w, before.at)), number(w, before.slope));
  total = two(w, "Add", total, number(w, before.value));
  for (size_t i = 1; i < crd__calibrator_step_segments(step, 0); i++) {
    const crd__calibrator_segment here = crd__calibrator_step_segment(step, 0, i);
    const tensor way = above_zero(w, two(w, "Sub", x, number(w, here.at)));
    total = two(w, "Add", total, two(w, "Mul", way, number(w, here.slope - before.slope)));
    before = here;
  }
  return total;
}

static tensor run_row(writer *w, const crd__calibrator_step *step, tensor x) {
  const size_t n = w->map->classes;
  if (step->op == CRD__SCALE) return two(w, "Mul", x, number(w, step->a.values[0]));
  if (step->op == CRD__AFFINE) return affine(w, step, x);
  if (step->op == CRD__BENT) return bent(w, step, x);
  if (step->op == CRD__SOFTMAX) return along(w, "Softmax", x);
  if (step->op == CRD__MIX) return mix(w, step, x);
  if (step->op == CRD__LOG) return one(w, "Log", x);
  x = two(w, "Mul", x, crd__onnx_graph_doubles(&w->graph, step->a.values, 0, n));
  return two(w, "Add", x, crd__onnx_graph_doubles(&w->graph, step->b.values, 0, n));
}

/* ---- Steps of events. */

/* Collects parameter `which` of each event's `stride` parameters into a row vector. */
static crd_status take_column(writer *w, const crd__calibrator_step *step, size_t which,
                              size_t stride, tensor *out) {
  double *values;
  CRD_TRY(crd__new(w->ctx, w->events, sizeof *values, "an export", &values));
  for (size_t e = 0; e < w->events; e++) values[e] = step->a.values[e * stride + which];
  *out = crd__onnx_graph_doubles(&w->graph, values, 0, w->events);
  crd__free(&w->ctx->alloc, values);
  return CRD_OK;
}

/* From exp(-|x|), so that small probabilities keep their precision; the operator Sigmoid loses it
 * in some runtimes, and the lookup then finds another step. */
static tensor sigmoid(writer *w, tensor x) {
  const tensor e = one(w, "Exp", one(w, "Neg", one(w, "Abs", x)));
  const tensor top = choose(w, two(w, "Greater", x, number(w, 0)), number(w, 1), e);
  return two(w, "Div", top, two(w, "Add", e, number(w, 1)));
}

static crd_status logistic(writer *w, const crd__calibrator_step *step, tensor s, tensor *q) {
  tensor slope, offset;
  CRD_TRY(take_column(w, step, 0, 2, &slope));
  CRD_TRY(take_column(w, step, 1, 2, &offset));
  *q = sigmoid(w, two(w, "Add", two(w, "Mul", s, slope), offset));
  return CRD_OK;
}

/* log(1 + exp(x)); not every runtime has the operator Softplus in float64. */
static tensor softplus(writer *w, tensor x) {
  const tensor e = one(w, "Exp", one(w, "Neg", one(w, "Abs", x)));
  return two(w, "Add", two(w, "Max", x, number(w, 0)),
             one(w, "Log", two(w, "Add", e, number(w, 1))));
}

/* log p = -softplus(-s), log(1 - p) = -softplus(s). */
static crd_status beta(writer *w, const crd__calibrator_step *step, tensor s, tensor *q) {
  tensor a, b, c;
  CRD_TRY(take_column(w, step, 0, 3, &a));
  CRD_TRY(take_column(w, step, 1, 3, &b));
  CRD_TRY(take_column(w, step, 2, 3, &c));
  const tensor yes = two(w, "Mul", softplus(w, one(w, "Neg", s)), a);
  const tensor no = two(w, "Mul", softplus(w, s), b);
  *q = sigmoid(w, two(w, "Add", two(w, "Sub", no, yes), c));
  return CRD_OK;
}

/* The segments of all events, one event after the other: the end of each (the last: infinity) and
 * its line. */
typedef struct {
  size_t count;
  double *edges, *at, *value, *slope;
  int64_t *first, *last; /* of each event */
  size_t longest;        /* segments of an event */
} tables;

static void free_tables(const crd_allocator *alloc, tables *t) {
  crd__free(alloc, t->edges);
  crd__free(alloc, t->at);
  crd__free(alloc, t->value);
  crd__free(alloc, t->slope);
  crd__free(alloc, t->first);
  crd__free(alloc, t->last);
}

static void fill_event(const crd__calibrator_step *step, size_t e, tables *t) {
  const size_t segments = crd__calibrator_step_segments(step, e);
  t->first[e] = (int64_t)t->count;
  for (size_t i = 0; i < segments; i++) {
    const crd__calibrator_segment segment = crd__calibrator_step_segment(step, e, i);
    t->edges[t->count] = i + 1 < segments ? segment.high : (double)INFINITY;
    t->value[t->count] = segment.value;
    t->at[t->count] = segment.at;
    t->slope[t->count++] = segment.slope;
  }
  t->last[e] = (int64_t)t->count - 1;
  if (segments > t->longest) t->longest = segments;
}

static crd_status make_tables(writer *w, const crd__calibrator_step *step, tables *t) {
  const size_t cells = step->a.start[w->events] + w->events;
  CRD_TRY(crd__new(w->ctx, cells, sizeof *t->edges, "an export", &t->edges));
  CRD_TRY(crd__new(w->ctx, cells, sizeof *t->at, "an export", &t->at));
  CRD_TRY(crd__new(w->ctx, cells, sizeof *t->value, "an export", &t->value));
  CRD_TRY(crd__new(w->ctx, cells, sizeof *t->slope, "an export", &t->slope));
  CRD_TRY(crd__new(w->ctx, w->events, sizeof *t->first, "an export", &t->first));
  CRD_TRY(crd__new(w->ctx, w->events, sizeof *t->last, "an export", &t->last));
  for (size_t e = 0; e < w->events; e++) fill_event(step, e, t);
  return CRD_OK;
}

/* Finds the index of the segment of each row and event, by binary search. The last segment ends at
 * infinity, so no step goes beyond it. */
static tensor find_places(writer *w, const tables *t, tensor q) {
  crd__onnx_graph *const g = &w->graph;
  const tensor edges = crd__onnx_graph_doubles(g, t->edges, 0, t->count);
  const tensor last = crd__onnx_graph_int64s(g, t->last, w->events);
  tensor place = crd__onnx_graph_int64s(g, t->first, w->events);
  int64_t step = 1;
  while ((size_t)step * 2 < t->longest) step *= 2;
  for (; step; step /= 2) {
    const tensor next = two(w, "Add", place, crd__onnx_graph_int64s(g, &step, 1));
    const tensor before = two(w, "Sub", next, crd__onnx_graph_int64s(g, (int64_t[]){ 1 }, 1));
    const tensor edge = two(w, "Gather", edges, least_index(w, before, last));
    place = choose(w, two(w, "Greater", q, edge), next, place);
  }
  return place;
}

static tensor look_up(writer *w, const tables *t, const double *table, tensor places) {
  return two(w, "Gather", crd__onnx_graph_doubles(&w->graph, table, 0, t->count), places);
}

/* Evaluates the segment's line at q, clipped to [0, 1]. */
static tensor follow(writer *w, const tables *t, tensor q, tensor places) {
  const tensor way = two(w, "Sub", q, look_up(w, t, t->at, places));
  const tensor rise = two(w, "Mul", look_up(w, t, t->slope, places), way);
  const tensor line = two(w, "Add", look_up(w, t, t->value, places), rise);
  return two(w, "Min", two(w, "Max", line, number(w, 0)), number(w, 1));
}

static crd_status table(writer *w, const crd__calibrator_step *step, tensor s, tensor *q) {
  tables t = { 0 };
  (void)s;
  const crd_status status = make_tables(w, step, &t);
  if (status == CRD_OK) {
    const tensor places = find_places(w, &t, *q);
    *q = step->op == CRD__LINES ? follow(w, &t, *q, places) : look_up(w, &t, t.value, places);
  }
  free_tables(&w->ctx->alloc, &t);
  return status;
}

static crd_status odds(writer *w, const crd__calibrator_step *step, tensor s, tensor *q) {
  (void)w, (void)step;
  *q = s;
  return CRD_OK;
}

static crd_status run_events(writer *w, tensor s, tensor *q) {
  static crd_status (*const steps[CRD__OPS])(writer *, const crd__calibrator_step *, tensor,
                                             tensor *) = {
    [CRD__ODDS] = odds,   [CRD__LOGISTIC] = logistic, [CRD__BETA] = beta,
    [CRD__STEPS] = table, [CRD__LINES] = table,
  };
  const crd__calibrator_op first = w->map->steps[0].op;
  if (first == CRD__STEPS || first == CRD__LINES) *q = sigmoid(w, s);
  for (size_t i = 0; i < w->map->count; i++)
    CRD_TRY(steps[w->map->steps[i].op](w, &w->map->steps[i], s, q));
  return CRD_OK;
}

/* ---- Log-odds, and from events to rows. */

/* Of logits x: the argmax, the other logits (with -infinity at the argmax), and its log-odds. */
typedef struct {
  tensor which, is_top, others, odds;
} top_parts;

static crd_status take_apart(writer *w, tensor x, top_parts *out) {
  const size_t n = w->map->classes;
  int64_t *classes;
  CRD_TRY(crd__new(w->ctx, n, sizeof *classes, "an export", &classes));
  for (size_t k = 0; k < n; k++) classes[k] = (int64_t)k;
  out->which = argmax(w, x, true);
  out->is_top = two(w, "Equal", out->which, crd__onnx_graph_int64s(&w->graph, classes, n));
  crd__free(&w->ctx->alloc, classes);
  out->others = choose(w, out->is_top, number(w, -(double)INFINITY), x);
  const tensor second = largest(w, out->others);
  const tensor mass = sum(w, one(w, "Exp", two(w, "Sub", out->others, second)));
  out->odds = two(w, "Sub", two(w, "Sub", largest(w, x), second), one(w, "Log", mass));
  return CRD_OK;
}

/* Only the largest probability can be so near to 1 that 1 - p cancels. */
static tensor log_odds(writer *w, tensor x, const top_parts *top) {
  const tensor log_p = along(w, "LogSoftmax", x);
  const tensor log_rest = one(w, "Log", complement(w, one(w, "Exp", log_p)));
  return choose(w, top->is_top, top->odds, two(w, "Sub", log_p, log_rest));
}

static crd_status run_all(writer *w, tensor x, tensor *out) {
  const size_t n = w->map->classes;
  const bool one_event = w->map->reach == CRD__ALL_EVENTS && n == 2;
  top_parts top;
  tensor q;
  CRD_TRY(take_apart(w, x, &top));
  const tensor s = log_odds(w, x, &top);
  CRD_TRY(run_events(w, one_event ? column(w, s, 1) : s, &q));
  if (one_event) {
    *out = join(w, complement(w, q), q);
    return CRD_OK;
  }
  const tensor total = sum(w, q);
  *out = choose(w, two(w, "Greater", total, number(w, 0)), two(w, "Div", q, total),
                number(w, 1 / (double)n));
  return CRD_OK;
}

static crd_status run_top(writer *w, tensor x, tensor *out) {
  top_parts top;
  tensor q;
  CRD_TRY(take_apart(w, x, &top));
  CRD_TRY(run_events(w, top.odds, &q));
  const tensor rest = two(w, "Mul", along(w, "Softmax", top.others), complement(w, q));
  *out = choose(w, top.is_top, q, rest);
  return CRD_OK;
}

/* ---- The model. */

/* Raises probabilities to their floor; in float64, where 1e-300 is representable. */
static tensor raise(writer *w, tensor given) {
  const crd__data_floor *const floor = &w->map->floor;
  if (floor->first == floor->others) return two(w, "Max", given, number(w, floor->others));
  return join(w, two(w, "Max", column(w, given, 0), number(w, floor->first)),
              two(w, "Max", column(w, given, 1), number(w, floor->others)));
}

static tensor read_confidence(writer *w, tensor given) {
  const crd__data_floor *const floor = &w->map->floor;
  const tensor c = two(w, "Max", given, number(w, floor->others)), rest = complement(w, c);
  const tensor full = two(w, "Greater", number(w, floor->first), rest);
  return join(w, choose(w, full, number(w, log(floor->first)), one(w, "Log", rest)),
              choose(w, full, number(w, log1p(-floor->first)), one(w, "Log", c)));
}

/* Converts the input to logits. */
static tensor read_row(writer *w, tensor given) {
  if (w->map->normalise) return along(w, "LogSoftmax", given);
  if (w->map->input == CRD_INPUT_LOGITS) return given;
  if (w->map->input == CRD_INPUT_PAIRS) return read_confidence(w, given);
  const tensor beyond = two(w, "Greater", given, number(w, CRD__PROBABILITY_MAX));
  const tensor p = choose(w, beyond, number(w, 1), raise(w, given));
  return two(w, "Sub", one(w, "Log", p), one(w, "Log", sum(w, p)));
}

static tensor take_scores(writer *w) {
  const bool pairs = w->map->input == CRD_INPUT_PAIRS;
  if (w->place) return crd__onnx_graph_foreign(&w->graph, w->place->scores, CRD__ONNX_DOUBLE);
  const tensor given = crd__onnx_graph_input(&w->graph, pairs ? "confidence" : "scores",
                                             CRD__ONNX_FLOAT, pairs ? 1 : w->map->classes);
  return cast(w, given, CRD__ONNX_DOUBLE);
}

static crd_status build(writer *w) {
  const crd__calibrator_map *const map = w->map;
  const bool pairs = map->input == CRD_INPUT_PAIRS, top = map->reach == CRD__TOP_EVENT;
  const tensor x = read_row(w, take_scores(w));
  tensor p = x;
  for (size_t i = 0; map->reach == CRD__ROWS && i < map->count; i++)
    p = run_row(w, &map->steps[i], p);
  if (map->reach != CRD__ROWS) CRD_TRY((top ? run_top : run_all)(w, x, &p));
  if (pairs) {
    crd__onnx_graph_output(&w->graph, column(w, p, 1), "probability", CRD__ONNX_FLOAT, 1);
    return CRD_OK;
  }
  crd__onnx_graph_output(&w->graph, p, w->place ? w->place->probabilities : "probabilities",
                         CRD__ONNX_FLOAT, map->classes);
  crd__onnx_graph_output(&w->graph, argmax(w, crd__calibrator_map_keeps_top(map) ? x : p, false),
                         w->place ? w->place->predicted : "predicted", CRD__ONNX_INT64, 0);
  return CRD_OK;
}

static writer begin(crd_context *ctx, const crd__calibrator_map *map) {
  writer w = { .ctx = ctx, .map = map };
  w.events = map->reach == CRD__ALL_EVENTS && map->classes > 2 ? map->classes : 1;
  crd__onnx_graph_init(&w.graph, &ctx->alloc);
  return w;
}

static crd_status onnx_write(crd_context *ctx, const crd__calibrator_map *map,
                             const crd__export_words *words, crd__text *out) {
  writer w = begin(ctx, map);
  crd_status status = build(&w);
  if (status == CRD_OK)
    status = crd__onnx_graph_finish(ctx, &w.graph, "calibrate", words->about, out);
  crd__onnx_graph_clear(&w.graph);
  return status;
}

/* Where exists since operator set 9, as do constants of integers; arithmetic broadcasts since 7. */
int crd__export_onnx_opset(const crd__calibrator_map *map) {
  return map->reach == CRD__ROWS && map->input == CRD_INPUT_LOGITS ? 7 : 9;
}

crd_status crd__export_onnx_nodes(crd_context *ctx, const crd__calibrator_map *map,
                                  const crd__export_onnx_place *place, crd__text *out) {
  writer w = begin(ctx, map);
  w.place = place;
  w.graph.prefix = place->prefix;
  w.graph.ir = place->ir;
  w.graph.opset = place->opset;
  w.graph.rows = place->rows;
  const crd_status status = build(&w);
  *out = w.graph.body;
  return status == CRD_OK ? crd__text_status(ctx, out) : status;
}

const crd__export crd__export_onnx = {
  .info = { .name = "onnx",
            .summary = "ONNX model for inference runtimes (opset 17)",
            .extension = "onnx" },
  .write = onnx_write,
};
