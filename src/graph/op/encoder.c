/*
 * encoder.c -- LabelEncoder (values by key) and OneHotEncoder (an indicator for each category) of
 * ai.onnx.ml, on numbers. Values that are strings stand for their index in the list of values.
 */
#include "base/parallel.h"
#include "graph/op/ml.h"
#include "graph/op/plain.h"

#include "engine/kernel/element.h"

#include <math.h>
#include <string.h>

typedef struct {
  crd_dtype from, to;
  size_t count;
  crd__graph_numbers keys, values; /* no values: indices of the strings */
  const int64_t *codes;            /* of the strings */
  double fallback;
  bool zeros; /* unknown categories are all zeros */
} encoder;

/* Return the index of a key; `count`: none. NaN is a key like others. */
static size_t find_key(const crd__graph_numbers *keys, double x) {
  size_t k = 0;
  for (; k < keys->count; k++) {
    const double key = crd__graph_ml_number(keys, k);
    if (key == x || (isnan(key) && isnan(x))) break;
  }
  return k;
}

static double element(crd_dtype dtype, const void *x, size_t index) {
  const crd__engine_tensor tensor = {
    .dtype = dtype, .constant = x, .rank = 1, .dims = { (int64_t)index + 1 }
  };
  return crd__engine_tensor_number(&tensor, index);
}

static void store(crd_dtype dtype, double value, void *y, size_t index) {
  const size_t size = crd_dtype_size(dtype);
  crd__kernel_cast(1, CRD_F64, dtype, 1, &value, (char *)y + index * size);
}

/* ---- LabelEncoder. */

/* Find the first of these lists that is given. */
static crd_status find_list(crd_context *ctx, const crd__graph_node *node,
                            const char *const names[3], crd__graph_numbers *out, size_t *which) {
  *out = (crd__graph_numbers){ .count = 0 };
  for (*which = 0; *which < 3; ++*which) {
    CRD_TRY(crd__graph_ml_numbers(ctx, node, names[*which], out));
    if (out->count) return CRD_OK;
  }
  return CRD_OK;
}

/* Number the strings of the values: equal ones have the index of the first. */
static crd_status number_strings(crd_context *ctx, crd__graph *net, const crd__onnx_attribute *list,
                                 encoder *e) {
  int64_t *codes;
  CRD_TRY(crd__engine_memory(ctx, &net->engine, list->count, sizeof *codes, &codes));
  for (size_t i = 0; i < list->count; i++) {
    size_t k = 0;
    while (list->strings[k].length != list->strings[i].length ||
           memcmp(list->strings[k].bytes, list->strings[i].bytes, list->strings[i].length) != 0)
      k++;
    codes[i] = (int64_t)k;
  }
  e->codes = codes;
  e->to = CRD_I64;
  e->fallback = (double)list->count;
  return CRD_OK;
}

static crd_status read_default(crd_context *ctx, const crd__graph_node *node, size_t which,
                               encoder *e) {
  const crd__onnx_attribute *const t = crd__graph_node_attribute(node, "default_tensor");
  if (which == 0) e->fallback = (double)crd__graph_node_int(node, "default_int64", -1);
  if (which == 1) e->fallback = (double)crd__graph_node_float(node, "default_float", 0);
  if (which == 2 && t && t->t->numbers && t->t->count == 1)
    e->fallback = element(t->t->dtype, t->t->bytes, 0);
  else if (which == 2)
    return crd__graph_node_fail(ctx, node, "it needs a 'default_tensor' of one number");
  return CRD_OK;
}

static crd_status read_labels(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                              encoder *e) {
  static const char *const keys[] = { "keys_int64s", "keys_floats", "keys_tensor" };
  static const char *const values[] = { "values_int64s", "values_floats", "values_tensor" };
  const crd__onnx_attribute *const strings = crd__graph_node_attribute(node, "values_strings");
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  size_t which;
  *e = (encoder){ .from = x->dtype, .count = crd__engine_tensor_count(x) };
  CRD_TRY(find_list(ctx, node, keys, &e->keys, &which));
  if (!e->keys.count) return crd__graph_node_fail(ctx, node, "it has no keys that are numbers");
  CRD_TRY(find_list(ctx, node, values, &e->values, &which));
  if (strings && strings->count) {
    CRD_TRY(crd__graph_ml_count(ctx, node, "values_strings", strings->count, e->keys.count));
    return number_strings(ctx, net, strings, e);
  }
  CRD_TRY(crd__graph_ml_count(ctx, node, "values", e->values.count, e->keys.count));
  e->to = which == 0 ? CRD_I64 : which == 1 ? CRD_F32 : crd__engine_computed(e->values.dtype);
  return read_default(ctx, node, which, e);
}

static crd_status label_encoder_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  encoder e;
  CRD_TRY(read_labels(ctx, net, node, &e));
  net->engine.tensors[node->outputs[0]].strings = e.codes != NULL;
  return crd__graph_node_set(ctx, net, node, 0, e.to, x->rank, x->dims);
}

static crd_status encode_labels(crd_context *ctx, const crd__engine_step *step) {
  const encoder *const e = step->self;
  (void)ctx;
  for (size_t i = 0; i < e->count; i++) {
    const size_t k = find_key(&e->keys, element(e->from, step->memory[0], i));
    const double value = k == e->keys.count ? e->fallback
                         : e->codes         ? (double)e->codes[k]
                                            : crd__graph_ml_number(&e->values, k);
    store(e->to, value, step->memory[1], i);
  }
  return CRD_OK;
}

static crd_status label_encoder_plan(crd_context *ctx, crd__engine_plan *plan,
                                     const crd__graph_node *node) {
  encoder e;
  CRD_TRY(read_labels(ctx, crd__graph_plan_net(plan), node, &e));
  return crd__graph_plain_plan(ctx, plan, node, encode_labels, &e, sizeof e);
}

/* ---- OneHotEncoder. */

static crd_status read_categories(crd_context *ctx, const crd__graph *net,
                                  const crd__graph_node *node, encoder *e) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  *e = (encoder){ .from = x->dtype,
                  .count = crd__engine_tensor_count(x),
                  .zeros = crd__graph_node_int(node, "zeros", 1) != 0 };
  CRD_TRY(crd__graph_ml_numbers(ctx, node, "cats_int64s", &e->keys));
  if (e->keys.count) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "it has no categories that are numbers");
}

static crd_status one_hot_encoder_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  int64_t dims[CRD_RANK_MAX + 1];
  encoder e;
  CRD_TRY(read_categories(ctx, net, node, &e));
  memcpy(dims, x->dims, sizeof x->dims);
  dims[x->rank] = (int64_t)e.keys.count;
  return crd__graph_node_set(ctx, net, node, 0, CRD_F32, x->rank + 1, dims);
}

static crd_status encode_categories(crd_context *ctx, const crd__engine_step *step) {
  const encoder *const e = step->self;
  float *const y = step->memory[1];
  for (size_t i = 0; i < e->count; i++) {
    const double x = element(e->from, step->memory[0], i);
    const size_t k = find_key(&e->keys, trunc(x));
    if (k == e->keys.count && !e->zeros)
      return crd__graph_node_fail(ctx, step->node, "%g is not one of its categories", x);
    for (size_t c = 0; c < e->keys.count; c++) y[i * e->keys.count + c] = c == k ? 1 : 0;
  }
  return CRD_OK;
}

static crd_status one_hot_encoder_plan(crd_context *ctx, crd__engine_plan *plan,
                                       const crd__graph_node *node) {
  encoder e;
  CRD_TRY(read_categories(ctx, crd__graph_plan_net(plan), node, &e));
  return crd__graph_plain_plan(ctx, plan, node, encode_categories, &e, sizeof e);
}

static const crd__graph_op_attribute labels[] = {
  { "default_float", CRD__ATTRIBUTE_FLOAT },
  { "default_int64", CRD__ATTRIBUTE_INT },
  { "default_string", CRD__ATTRIBUTE_STRING },
  { "default_tensor", CRD__ATTRIBUTE_TENSOR },
  { "keys_floats", CRD__ATTRIBUTE_FLOATS },
  { "keys_int64s", CRD__ATTRIBUTE_INTS },
  { "keys_strings", CRD__ATTRIBUTE_STRINGS },
  { "keys_tensor", CRD__ATTRIBUTE_TENSOR },
  { "values_floats", CRD__ATTRIBUTE_FLOATS },
  { "values_int64s", CRD__ATTRIBUTE_INTS },
  { "values_strings", CRD__ATTRIBUTE_STRINGS },
  { "values_tensor", CRD__ATTRIBUTE_TENSOR },
  { .name = NULL },
};
static const crd__graph_op_attribute categories[] = {
  { "cats_int64s", CRD__ATTRIBUTE_INTS },
  { "cats_strings", CRD__ATTRIBUTE_STRINGS },
  { "zeros", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_label_encoder = {
  .info = { CRD__ML "LabelEncoder", "keys that are numbers", 2, CRD__OPSET_ML, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = labels,
  .infer = label_encoder_infer,
  .plan = label_encoder_plan,
};

const crd__graph_op crd__graph_op_one_hot_encoder = {
  .info = { CRD__ML "OneHotEncoder", "categories that are numbers", 1, CRD__OPSET_ML, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = categories,
  .infer = one_hot_encoder_infer,
  .plan = one_hot_encoder_plan,
};
