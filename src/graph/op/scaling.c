/*
 * scaling.c -- the operators of ai.onnx.ml that change the features of a row in place: Scaler
 * (x - offset) scale, Normalizer x / norm(row), Binarizer x > threshold, Imputer (missing values
 * replaced by those of their column).
 */
#include "base/parallel.h"
#include "graph/op/ml.h"

#include <math.h>

typedef enum { SCALER, NORMALIZER, BINARIZER, IMPUTER } kind;
typedef enum { NORM_MAX, NORM_L1, NORM_L2, NORMS } norm;

typedef struct {
  kind kind;
  crd__graph_matrix x;
  norm norm;
  crd__graph_numbers offset, scale; /* one for each column, or for all */
  float threshold;
  double missing; /* the value that is replaced; NaN: NaN */
} scaling;

/* ---- Attributes. */

/* Fail unless a list has an element for each column, or one for all; `empty`: or none. */
static crd_status read_columns(crd_context *ctx, const crd__graph_node *node, const char *name,
                               bool empty, size_t columns, crd__graph_numbers *out) {
  CRD_TRY(crd__graph_ml_numbers(ctx, node, name, out));
  if (out->count == columns || out->count == 1 || (empty && !out->count)) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its '%s' has %zu elements; 1 or %zu are allowed", name,
                              out->count, columns);
}

static crd_status read_scaler(crd_context *ctx, const crd__graph_node *node, scaling *s) {
  CRD_TRY(read_columns(ctx, node, "offset", true, s->x.columns, &s->offset));
  return read_columns(ctx, node, "scale", true, s->x.columns, &s->scale);
}

static crd_status read_normalizer(crd_context *ctx, const crd__graph_node *node, scaling *s) {
  static const char *const words[NORMS] = { "MAX", "L1", "L2" };
  int n = 0;
  while (n < NORMS && !crd__graph_node_word_is(node, "norm", words[n], "MAX")) n++;
  if (n == NORMS) return crd__graph_node_fail(ctx, node, "its 'norm' is none of MAX, L1 and L2");
  s->norm = (norm)n;
  return CRD_OK;
}

static crd_status read_binarizer(crd_context *ctx, const crd__graph_node *node, scaling *s) {
  (void)ctx;
  s->threshold = crd__graph_node_float(node, "threshold", 0);
  return CRD_OK;
}

static crd_status read_imputer(crd_context *ctx, const crd__graph_node *node, scaling *s) {
  const crd__onnx_attribute *const floats = crd__graph_node_attribute(node, "imputed_value_floats");
  const bool real = floats && floats->count;
  s->missing = real ? (double)crd__graph_node_float(node, "replaced_value_float", 0)
                    : (double)crd__graph_node_int(node, "replaced_value_int64", 0);
  return read_columns(ctx, node, real ? "imputed_value_floats" : "imputed_value_int64s", false,
                      s->x.columns, &s->scale);
}

static crd_status read_scaling(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               scaling *s) {
  static crd_status (*const readers[])(crd_context *, const crd__graph_node *, scaling *) = {
    [SCALER] = read_scaler,
    [NORMALIZER] = read_normalizer,
    [BINARIZER] = read_binarizer,
    [IMPUTER] = read_imputer,
  };
  *s = (scaling){ .kind = (kind)node->op->kind };
  CRD_TRY(crd__graph_ml_matrix(ctx, net, node, 0, &s->x));
  return readers[s->kind](ctx, node, s);
}

/* Results are float32, except that integers are imputed by integers, and a threshold keeps the
 * type. */
static crd_status scaling_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  scaling s;
  CRD_TRY(read_scaling(ctx, net, node, &s));
  const bool keeps = s.kind == BINARIZER || s.kind == IMPUTER;
  if (keeps && x->dtype != CRD_F32)
    return crd__graph_node_fail(ctx, node, "its input is %s; only f32 is supported",
                                crd_dtype_name(x->dtype));
  return crd__graph_node_set(ctx, net, node, 0, CRD_F32, x->rank, x->dims);
}

/* ---- Rows. */

typedef struct {
  const scaling *s;
  const float *x;
  float *y;
} work;

static double of_column(const crd__graph_numbers *list, size_t column, double fallback) {
  if (!list->count) return fallback;
  return crd__graph_ml_number(list, list->count == 1 ? 0 : column);
}

/* The largest absolute value keeps its sign, as in other implementations; 0: the row is kept. */
static double norm_of(const scaling *s, const float *x) {
  double sum = 0, most = -INFINITY;
  for (size_t c = 0; c < s->x.columns; c++) {
    const double v = (double)x[c];
    sum += s->norm == NORM_L2 ? v * v : fabs(v);
    most = v > most ? v : most;
  }
  return s->norm == NORM_MAX ? most : s->norm == NORM_L2 ? sqrt(sum) : sum;
}

static float change(const scaling *s, size_t c, double x, double size) {
  const bool missing = x == s->missing || (isnan(x) && isnan(s->missing));
  if (s->kind == SCALER)
    return (float)((x - of_column(&s->offset, c, 0)) * of_column(&s->scale, c, 1));
  if (s->kind == NORMALIZER) return (float)(size != 0 ? x / size : x);
  if (s->kind == BINARIZER) return x > (double)s->threshold ? 1 : 0;
  return (float)(missing ? of_column(&s->scale, c, 0) : x);
}

static void change_rows(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const size_t columns = w->s->x.columns;
  for (size_t i = from; i < to; i++) {
    const float *const x = w->x + i * columns;
    const double size = w->s->kind == NORMALIZER ? norm_of(w->s, x) : 0;
    for (size_t c = 0; c < columns; c++)
      w->y[i * columns + c] = change(w->s, c, (double)x[c], size);
  }
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const scaling *const s = step->self;
  work w = { .s = s, .x = step->memory[0], .y = step->memory[1] };
  (void)ctx;
  crd__parallel_spans(step->threads, s->x.rows, (1 << 12) / (s->x.columns + 1), change_rows, &w);
  return CRD_OK;
}

static crd_status scaling_plan(crd_context *ctx, crd__engine_plan *plan,
                               const crd__graph_node *node) {
  scaling s;
  CRD_TRY(read_scaling(ctx, crd__graph_plan_net(plan), node, &s));
  return crd__graph_ml_plan(ctx, plan, node, run, &s, sizeof s);
}

static const crd__graph_op_attribute scaler[] = {
  { "offset", CRD__ATTRIBUTE_FLOATS },
  { "scale", CRD__ATTRIBUTE_FLOATS },
  { .name = NULL },
};
static const crd__graph_op_attribute normalizer[] = {
  { "norm", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};
static const crd__graph_op_attribute binarizer[] = {
  { "threshold", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};
static const crd__graph_op_attribute imputer[] = {
  { "imputed_value_floats", CRD__ATTRIBUTE_FLOATS },
  { "imputed_value_int64s", CRD__ATTRIBUTE_INTS },
  { "replaced_value_float", CRD__ATTRIBUTE_FLOAT },
  { "replaced_value_int64", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

#define SCALING(entry, id, name, types, names)                                                     \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { CRD__ML name, types, 1, CRD__OPSET_ML, 0, 0 },                                       \
    .kind = id,                                                                                    \
    .inputs_least = 1,                                                                             \
    .inputs_most = 1,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = names,                                                                           \
    .infer = scaling_infer,                                                                        \
    .plan = scaling_plan,                                                                          \
  }

SCALING(scaler, SCALER, "Scaler", "any numeric type", scaler);
SCALING(normalizer, NORMALIZER, "Normalizer", "any numeric type", normalizer);
SCALING(binarizer, BINARIZER, "Binarizer", "f32", binarizer);
SCALING(imputer, IMPUTER, "Imputer", "f32", imputer);
