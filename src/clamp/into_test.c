/* into_test.c -- clamped models: probabilities by hand, outputs, names, models that do not fit. */
#include "clamp/stored_testing.h"
#include "clamp/testing.h"

#include "network/model.h"
#include "onnx/graph.h"

/* The network of testing.h as a model. */
typedef struct {
  const char *last; /* an operator behind the logits; NULL: none */
  const char *name; /* of the logits */
  bool second;      /* another input is added */
  bool odd;         /* the first node is one that the engine does not know */
  char ir, opset;   /* 0: those of new models */
} design;

static crd__onnx_graph_value put_weights(crd__onnx_graph *g, const char *name,
                                         const double *weights, size_t in, size_t out) {
  float transposed[HIDDEN * INPUTS];
  for (size_t i = 0; i < in; i++)
    for (size_t j = 0; j < out; j++) transposed[i * out + j] = (float)weights[j * in + i];
  return crd__onnx_graph_floats(g, name, transposed, (int64_t[]){ (int64_t)in, (int64_t)out }, 2);
}

static crd_model *build(crd_context *ctx, const net *n, const design *d) {
  static const int64_t in[] = { -1, INPUTS }, out[] = { -1, CLASSES };
  crd__onnx_graph g;
  crd__text bytes;
  crd_model *model;
  crd__onnx_graph_init(&g, &ctx->alloc);
  if (d->opset) g.opset = d->opset;
  crd__onnx_graph_value x = crd__onnx_graph_input_of(&g, "x", CRD__ONNX_FLOAT, in, 2);
  if (d->second)
    x = crd__onnx_graph_node_as(
        &g, "both", "Add",
        (crd__onnx_graph_value[]){ x, crd__onnx_graph_input_of(&g, "y", CRD__ONNX_FLOAT, in, 2) },
        2, NULL);
  if (d->odd) x = crd__onnx_graph_node_as(&g, "odd", "Mystery", &x, 1, NULL);
  const crd__onnx_graph_value w1 = put_weights(&g, "w1", n->w1, INPUTS, HIDDEN);
  const crd__onnx_graph_value w2 = put_weights(&g, "w2", n->w2, HIDDEN, CLASSES);
  x = crd__onnx_graph_node_as(&g, "first", "MatMul", (crd__onnx_graph_value[]){ x, w1 }, 2, NULL);
  x = crd__onnx_graph_node_as(&g, "hidden", "Tanh", &x, 1, NULL);
  x = crd__onnx_graph_node_as(&g, d->name, "MatMul", (crd__onnx_graph_value[]){ x, w2 }, 2, NULL);
  if (d->last) x = crd__onnx_graph_node_as(&g, "last", d->last, &x, 1, NULL);
  crd__onnx_graph_output_of(&g, x, CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  WORKS(ctx, crd__onnx_graph_finish(ctx, &g, "small", "", &bytes));
  crd__onnx_graph_clear(&g);
  if (d->ir) bytes.bytes[1] = d->ir; /* the first field */
  WORKS(ctx, crd__network_model_adopt(ctx, "small.onnx", &bytes, &model));
  return model;
}

/* Runs the part of a model that computes a value. The engine has no ArgMax, which `predicted` is.
 */
static void run_to(crd_context *ctx, const crd_model *model, const char *value, const void *input,
                   size_t rows, float *out, size_t count) {
  const crd_compile_options options = { .size = sizeof options, .batch = rows };
  crd_model *part;
  crd_network *network;
  WORKS(ctx, crd_model_cut(ctx, model, value, CRD_PART_BEFORE, &part));
  WORKS(ctx, crd_network_compile(ctx, part, &options, &network));
  crd_array x = *crd_network_input(network, 0);
  x.data = input;
  WORKS(ctx, crd_network_run(ctx, network, &x, 1));
  const crd_array *const found = crd_network_output(network, 0);
  assert_int_equal(crd_array_count(found), count);
  for (size_t i = 0; i < count; i++)
    out[i] = found->dtype == CRD_F64 ? (float)((const double *)found->data)[i]
                                     : ((const float *)found->data)[i];
  crd_network_destroy(network);
  crd_model_destroy(part);
}

static void probabilities_by_hand(void **state) {
  static const design designs[] = { { .name = "logits" },
                                    { .name = "logits", .last = "Softmax" },
                                    { .name = "probabilities", .last = "Softmax" },
                                    { .name = "credence_logits" },
                                    { .name = "logits", .ir = 3, .opset = 7 },
                                    { .name = "logits", .ir = 3, .opset = 8, .last = "Softmax" },
                                    { .name = "logits", .ir = 6, .opset = 11 },
                                    { .name = "logits", .ir = 7, .opset = 12, .last = "Softmax" } };
  static const char *const outputs[] = { "probabilities", "probabilities", "*",
                                         "probabilities", "probabilities", "probabilities",
                                         "probabilities", "probabilities" };
  static const double shift[INPUTS] = { 0.6, -0.5, 0.4, 0.5, -0.6, 0.5 };
  static scene s;
  static float found[ROWS * CLASSES];
  open_scene(*state, &(plan){ .sharpness = 1, .shift = shift }, &s);
  crd_clamp *const clamp = fit_with(*state, &s, "lambda=0.1");
  const crd_clamp_summary *const summary = crd_clamp_describe(clamp);
  for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
    crd_model *const model = build(*state, &s.net, &designs[i]);
    crd_model *copy;
    assert_string_equal(crd_clamp_logits(model), designs[i].name);
    WORKS(*state, crd_clamp_into(*state, clamp, model, NULL, NULL, &copy));
    const crd_port *const p = crd_model_output(copy, 1), *const y = crd_model_output(copy, 2);
    assert_string_equal(crd_model_output(copy, 0)->name, crd_model_output(model, 0)->name);
    assert_true(p && y && !crd_model_output(copy, 3) && !crd_model_input(copy, 1));
    if (outputs[i][0] != '*') assert_string_equal(p->name, outputs[i]);
    else assert_true(strstr(p->name, "credence") == p->name && strstr(p->name, "probabilities"));
    assert_non_null(strstr(y->name, "predicted"));
    run_to(*state, copy, p->name, s.samples.inputs, ROWS, found, ROWS * CLASSES);
    for (size_t r = 0; r < ROWS; r++) {
      double z[CLASSES], q[CLASSES], delta[INPUTS];
      for (size_t k = 0; k < INPUTS; k++) delta[k] = summary->delta[k];
      plain_logits(&s.net, s.samples.inputs + r * INPUTS, delta, z);
      plain_softmax(z, summary->temperature, q);
      for (size_t k = 0; k < CLASSES; k++) assert_true(fabs(found[r * CLASSES + k] - q[k]) < 1e-6);
    }
    const char *const about = crd_model_metadata(copy, "credence.clamp");
    assert_non_null(about);
    assert_non_null(strstr(about, "Neural Clamping: delta added to x, |delta| "));
    assert_non_null(strstr(about, "; fitted to 203 rows; gamma=0,lambda=0.1,"));
    crd_model_destroy(copy);
    crd_model_destroy(model);
  }
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* A fit that projected x + delta to the valid range projects in the model too; with normalisation,
 * the range is that of normalised inputs. */
static void projection_is_inside(void **state) {
  static double mean[INPUTS] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 }, std[INPUTS] = { 2, 2, 2, 2, 2, 2 };
  const crd_encoding encodings[] = { { 0 }, { .channels = INPUTS, .mean = mean, .std = std } };
  static scene s;
  static float found[ROWS * CLASSES], inputs[ROWS * INPUTS];
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t e = 0; e < 2; e++) {
    const double m = e ? mean[0] : 0, d = e ? std[0] : 1, low = (0.3 - m) / d, high = (0.7 - m) / d;
    const crd_clamp_options options = { .size = sizeof options,
                                        .settings = "lambda=0.001,project=yes,low=0.3,high=0.7",
                                        .encoding = &encodings[e] };
    crd_clamp *clamp;
    crd_model *copy, *const model = build(*state, &s.net, &(design){ .name = "logits" });
    WORKS(*state, crd_clamp_fit(*state, s.network, s.data, &options, &clamp));
    const crd_clamp_summary *const about = crd_clamp_describe(clamp);
    WORKS(*state, crd_clamp_into(*state, clamp, model, NULL, NULL, &copy));
    for (size_t i = 0; i < ROWS * INPUTS; i++) inputs[i] = (float)((s.samples.inputs[i] - m) / d);
    run_to(*state, copy, "probabilities", inputs, ROWS, found, ROWS * CLASSES);
    size_t projected = 0;
    for (size_t r = 0; r < ROWS; r++) {
      double z[CLASSES], q[CLASSES], moved[INPUTS];
      for (size_t k = 0; k < INPUTS; k++) {
        const double x = inputs[r * INPUTS + k], sum = x + about->delta[k];
        moved[k] = fmin(fmax(sum, low), high) - x;
        projected += sum < low || sum > high;
      }
      plain_logits(&s.net, inputs + r * INPUTS, moved, z);
      plain_softmax(z, about->temperature, q);
      for (size_t k = 0; k < CLASSES; k++) assert_true(fabs(found[r * CLASSES + k] - q[k]) < 1e-5);
    }
    assert_true(projected > ROWS);
    crd_model_destroy(copy);
    crd_model_destroy(model);
    crd_clamp_destroy(clamp);
  }
  close_scene(&s);
}

/* Delta may be added behind the input: here to the sum of two inputs. */
static void other_tensors(void **state) {
  static scene s;
  crd_model *copy;
  open_scene(*state, &(plan){ .sharpness = 1 }, &s);
  crd_clamp *const clamp = fit_with(*state, &s, "start=random,spread=1,fit=temperature");
  crd_model *const model = build(*state, &s.net, &(design){ .name = "logits", .second = true });
  FAILS(*state, CRD_EINPUT, crd_clamp_into(*state, clamp, model, NULL, NULL, &copy),
        "small.onnx: the model has several inputs; name the tensor to perturb");
  assert_null(copy);
  WORKS(*state, crd_clamp_into(*state, clamp, model, "both", NULL, &copy));
  assert_non_null(strstr(crd_model_metadata(copy, "credence.clamp"), "delta added to both"));
  crd_model_destroy(copy);
  FAILS(*state, CRD_EUSAGE, crd_clamp_into(*state, clamp, model, "bot", NULL, &copy),
        "small.onnx: no tensor is called 'bot'; did you mean 'both'?");
  FAILS(*state, CRD_EUSAGE, crd_clamp_into(*state, clamp, model, "logits", NULL, &copy),
        "small.onnx: rows of 'logits' have the shape 3, the perturbation 6");
  FAILS(*state, CRD_EUSAGE, crd_clamp_into(*state, clamp, model, "hidden", NULL, &copy),
        "small.onnx: 'hidden' does not have the shape of the perturbation");
  FAILS(*state, CRD_EUSAGE, crd_clamp_into(*state, clamp, model, "x", "logit", &copy), "'logit'");
  assert_null(copy);
  crd_model_destroy(model);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* Behind a node that the engine does not know, shapes are unknown. */
static void unknown_nodes(void **state) {
  static const char *const tensors[] = { "x", "odd" };
  static scene s;
  crd_model *copy;
  open_scene(*state, &(plan){ .sharpness = 1 }, &s);
  crd_clamp *const clamp = fit_with(*state, &s, "start=random,spread=1,fit=temperature");
  crd_model *const model = build(*state, &s.net, &(design){ .name = "logits", .odd = true });
  for (size_t i = 0; i < 2; i++) {
    WORKS(*state, crd_clamp_into(*state, clamp, model, tensors[i], NULL, &copy));
    crd_model_destroy(copy);
  }
  crd_model_destroy(model);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* ---- Clamps of other shapes. */

static void clamps_that_do_not_fit(void **state) {
  static const float delta[8];
  static scene s;
  crd_port shape = { .rank = 2, .dims = { -1, INPUTS } };
  crd_model *copy;
  open_scene(*state, &(plan){ .sharpness = 1 }, &s);
  crd_model *const model = build(*state, &s.net, &(design){ .name = "logits" });
  crd_clamp *clamp = stored_clamp(*state, CLASSES + 1, 1, shape.rank, shape.dims, delta);
  FAILS(*state, CRD_EUSAGE, crd_clamp_into(*state, clamp, model, NULL, NULL, &copy),
        "small.onnx: 'logits' has 3 columns; scores of 4 classes were calibrated");
  crd_clamp_destroy(clamp);
  shape.dims[1] = 8;
  clamp = stored_clamp(*state, CLASSES, 1, shape.rank, shape.dims, delta);
  FAILS(*state, CRD_EUSAGE, crd_clamp_into(*state, clamp, model, NULL, NULL, &copy),
        "small.onnx: rows of 'x' have the shape 6, the perturbation 8");
  assert_null(copy);
  crd_clamp_destroy(clamp);
  crd_model_destroy(model);
  close_scene(&s);
}

/* Operator sets without broadcasting, and those that nobody knows yet. */
static void other_operator_sets(void **state) {
  static const struct {
    char opset;
    crd_status status;
    const char *words;
  } sets[] = {
    { 6, CRD_EINPUT, "small.onnx: the model has operator set 6; at least 7 is needed" },
    { 27, CRD_EUSAGE,
      "small.onnx: the model has operator set 27; the nodes to be added exist in operator sets 7 "
      "to 26" },
  };
  static const float delta[INPUTS];
  static scene s;
  static const int64_t dims[] = { -1, INPUTS };
  crd_model *copy;
  open_scene(*state, &(plan){ .sharpness = 1 }, &s);
  crd_clamp *const clamp = stored_clamp(*state, CLASSES, 1, 2, dims, delta);
  for (size_t i = 0; i < 2; i++) {
    crd_model *const model =
        build(*state, &s.net, &(design){ .name = "logits", .opset = sets[i].opset });
    FAILS(*state, sets[i].status, crd_clamp_into(*state, clamp, model, NULL, NULL, &copy),
          sets[i].words);
    assert_null(copy);
    crd_model_destroy(model);
  }
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(probabilities_by_hand),  TEST(projection_is_inside),
                                      TEST(other_tensors),          TEST(unknown_nodes),
                                      TEST(clamps_that_do_not_fit), TEST(other_operator_sets) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
