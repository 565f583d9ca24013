/*
 * zoo_test.c -- networks of the zoo against the same architectures in PyTorch, with the same
 * weights (tests/golden/make-zoo): logits in evaluation; loss, gradients with respect to input and
 * parameters and running statistics in training.
 *
 * The networks of tests/zoo must also have the graph that the zoo builds today. tests/long/zoo runs
 * this over another folder, with networks of full size.
 */
#include "credence/loss.h"
#include "credence/zoo.h"
#include "modelkit/modelkit.h"
#include "network/model.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZOO_FOLDER CREDENCE_SOURCE "/tests/zoo"
/* Relative to the largest value; the file has the tolerance of gradients. */
static const double logit_tolerance = 1e-4, loss_tolerance = 1e-4, running_tolerance = 1e-4;

typedef struct {
  crd_context *ctx;
  const char *stem, *name;
  crd_model *model;
  crd_array_file *x, *labels;
  size_t rows;
} specimen;

static void must(const specimen *s, crd_status status) {
  if (status != CRD_OK) fail_msg("%s: %s", s->name, crd_context_message(s->ctx));
}

static crd_array_file *stored(const specimen *s, const char *prefix, const char *name) {
  char ending[256];
  snprintf(ending, sizeof ending, ".torch.safetensors#%s%s", prefix, name);
  return net_beside(s->ctx, s->stem, ending);
}

static double number(const specimen *s, const char *name) {
  crd_array_file *const file = stored(s, "", name);
  const crd_array *const a = crd_array_file_array(file);
  const double value =
      a->dtype == CRD_F64 ? *(const double *)a->data : (double)*(const float *)a->data;
  crd_array_file_destroy(file);
  return value;
}

static specimen open_specimen(crd_context *ctx, const char *stem) {
  specimen s = { .ctx = ctx, .stem = stem, .name = net_name(stem) };
  s.model = net_open_stored(ctx, stem);
  s.x = stored(&s, "", "x");
  s.labels = stored(&s, "", "labels");
  s.rows = (size_t)crd_array_file_array(s.x)->dims[0];
  return s;
}

static void close_specimen(specimen *s) {
  crd_array_file_destroy(s->x);
  crd_array_file_destroy(s->labels);
  crd_model_destroy(s->model);
}

static crd_network *compile_and_run(const specimen *s, crd_mode mode) {
  crd_network *network = NULL;
  const crd_compile_options options = { .size = sizeof options, .batch = s->rows, .mode = mode };
  must(s, crd_network_compile(s->ctx, s->model, &options, &network));
  must(s, crd_network_run(s->ctx, network, crd_array_file_array(s->x), 1));
  return network;
}

/* ---- Comparison. */

/* Returns the Euclidean distance relative to the norm of theirs; the plain norm if that is 0. */
static double distance(const specimen *s, const char *prefix, const char *name, const float *ours,
                       size_t count) {
  crd_array_file *const file = stored(s, prefix, name);
  const crd_array *const a = crd_array_file_array(file);
  const float *const theirs = a->data;
  double off = 0, norm = 0;
  if (crd_array_count(a) != count) fail_msg("%s: %s has another size", s->name, name);
  for (size_t i = 0; i < count; i++) {
    off += ((double)ours[i] - (double)theirs[i]) * ((double)ours[i] - (double)theirs[i]);
    norm += (double)theirs[i] * (double)theirs[i];
  }
  crd_array_file_destroy(file);
  return norm > 0 ? sqrt(off / norm) : sqrt(off);
}

static double compare(const specimen *s, const char *prefix, const char *name, const float *ours,
                      size_t count, double allowed) {
  const double off = distance(s, prefix, name, ours, count);
  if (!(off <= allowed))
    fail_msg("%s: %s%s is off by %.2g, allowed is %.2g", s->name, prefix, name, off, allowed);
  return off;
}

/* Returns the loss of the last run, and its gradient. */
static double lose(const specimen *s, const crd_network *network, float *gradient) {
  const crd_array *const logits = crd_network_output(network, 0);
  const crd_array view = crd_array_matrix(logits->data, CRD_F32, s->rows, (size_t)logits->dims[1]);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(crd_array_file_array(s->labels)->data,
                                                           CRD_I64, s->rows, 1) };
  crd_loss_value value;
  crd_loss *loss;
  must(s, crd_loss_create(s->ctx, "ce", NULL, &loss));
  must(s, crd_loss_evaluate(s->ctx, loss, &view, &targets, &value, gradient));
  crd_loss_destroy(loss);
  return value.value;
}

static void compare_loss(const specimen *s, const char *name, double ours) {
  const double theirs = number(s, name);
  if (!(fabs(ours - theirs) <= loss_tolerance * theirs))
    fail_msg("%s: %s is %.9g, not %.9g", s->name, name, ours, theirs);
}

/* ---- Both modes. */

static void check_evaluation(const specimen *s) {
  crd_network *const network = compile_and_run(s, CRD_MODE_INFERENCE);
  const crd_array *const logits = crd_network_output(network, 0);
  assert_string_equal(crd_model_input(s->model, 0)->name, "input");
  assert_string_equal(crd_model_output(s->model, 0)->name, "logits");
  compare(s, "", "logits", logits->data, crd_array_count(logits), logit_tolerance);
  compare_loss(s, "evaluation_loss", lose(s, network, NULL));
  crd_network_destroy(network);
}

/* Returns the largest error of a gradient. A gradient of 0 may have rounding errors, up to a
 * fraction of the largest one. */
static double compare_parameters(const specimen *s, const crd_network *network, double allowed) {
  const crd_parameter *p;
  double worst = 0, largest = 0;
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++)
    for (size_t k = 0; p->gradient && k < p->count; k++)
      largest = fmax(largest, fabs((double)p->gradient[k]));
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++) {
    if (!p->gradient) compare(s, "running.", p->name, p->values, p->count, running_tolerance);
    else if (distance(s, "gradient.", p->name, p->gradient, p->count) > 1e-5 * largest)
      worst = fmax(worst, compare(s, "gradient.", p->name, p->gradient, p->count, allowed));
  }
  return worst;
}

static void check_training(const specimen *s) {
  const double allowed = number(s, "tolerance");
  crd_network *const network = compile_and_run(s, CRD_MODE_TRAINING);
  crd_array cotangent = *crd_network_output(network, 0);
  float *const gradient = calloc(crd_array_count(&cotangent), sizeof *gradient);
  compare_loss(s, "training_loss", lose(s, network, gradient));
  cotangent.data = gradient;
  must(s, crd_network_backward(s->ctx, network, &cotangent));
  double worst = compare_parameters(s, network, allowed);
  const crd_array *const input = crd_network_input_gradient(network, 0);
  if (input)
    worst =
        fmax(worst, compare(s, "gradient.", "input", input->data, crd_array_count(input), allowed));
  print_message("%s: gradients off by %.1e\n", s->name, worst);
  free(gradient);
  crd_network_destroy(network);
}

static void network_agrees(void **state) {
  crd_context *const ctx = test_context();
  specimen s = open_specimen(ctx, *state);
  check_evaluation(&s);
  check_training(&s);
  close_specimen(&s);
  crd_context_destroy(ctx);
}

/* ---- The graph that is built today. */

static void same_attributes(const char *name, const crd__onnx_node *a, const crd__onnx_node *b) {
  assert_int_equal(a->attribute_count, b->attribute_count);
  for (size_t i = 0; i < a->attribute_count; i++) {
    const crd__onnx_attribute *const x = &a->attributes[i];
    const crd__onnx_attribute *const y = crd__onnx_attribute_find(b, x->name);
    if (!y || x->type != y->type || x->i != y->i || x->f != y->f || x->count != y->count ||
        (x->count && memcmp(x->ints, y->ints, x->count * sizeof *x->ints) != 0))
      fail_msg("%s: attribute %s of %s differs", name, x->name, a->name);
  }
}

/* Vectors have other values in the stored file; weights are drawn with the library's logarithms and
 * cosines, whose last digits may differ between machines. */
static void same_values(const char *name, const crd__onnx_tensor *x, const crd__onnx_tensor *y) {
  assert_int_equal(x->dtype, y->dtype);
  if (x->dtype != CRD_F32) assert_memory_equal(x->bytes, y->bytes, 8 * x->count);
  for (size_t i = 0; x->dtype == CRD_F32 && x->rank != 1 && i < x->count; i++) {
    float a, b;
    memcpy(&a, x->bytes + i * sizeof a, sizeof a);
    memcpy(&b, y->bytes + i * sizeof b, sizeof b);
    if (!(fabsf(a - b) <= 1e-6F * fabsf(a)))
      fail_msg("%s: %s is %.9g at %zu, not %.9g", name, x->name, (double)b, i, (double)a);
  }
}

static void same_edge(const char *name, const crd__onnx_edge *x, const crd__onnx_edge *y) {
  if (strcmp(x->name, y->name) != 0 || !x->constant != !y->constant)
    fail_msg("%s: '%s' and '%s'", name, x->name, y->name);
  if (!x->constant) return;
  if (x->constant->rank != y->constant->rank || x->constant->count != y->constant->count ||
      memcmp(x->constant->dims, y->constant->dims, x->constant->rank * sizeof(int64_t)) != 0)
    fail_msg("%s: %s has another shape", name, x->name);
  same_values(name, x->constant, y->constant);
}

static void same_graph(const char *name, const crd__onnx_file *a, const crd__onnx_file *b) {
  assert_int_equal(a->node_count, b->node_count);
  for (size_t n = 0; n < a->node_count; n++) {
    const crd__onnx_node *const x = &a->nodes[n], *const y = &b->nodes[n];
    if (strcmp(x->op, y->op) != 0) fail_msg("%s: %s is %s, not %s", name, x->name, x->op, y->op);
    assert_int_equal(x->input_count, y->input_count);
    same_attributes(name, x, y);
    for (size_t i = 0; i < x->input_count; i++)
      same_edge(name, &a->edges[x->inputs[i]], &b->edges[y->inputs[i]]);
    same_edge(name, &a->edges[x->outputs[0]], &b->edges[y->outputs[0]]);
  }
}

static crd_architecture_shape read_shape(const char *text, size_t classes, size_t words) {
  crd_architecture_shape shape = { .size = sizeof shape, .classes = classes, .words = words };
  char *end;
  for (;; text = end + 1) {
    shape.dims[shape.rank++] = strtoll(text, &end, 10);
    if (*end != 'x') return shape;
  }
}

static void networks_are_built_as_stored(void **state) {
  crd_context *const ctx = test_context();
  FILE *const cases = fopen(ZOO_FOLDER "/cases.txt", "r");
  char line[256], name[64], expression[96], shape[32], stem[NET_STEM_MAX];
  size_t count = 0, classes, words;
  (void)state;
  assert_non_null(cases);
  while (fgets(line, sizeof line, cases)) {
    if (*line == '#') continue;
    assert_int_equal(
        sscanf(line, "%63s %95s %zu %31s %zu", name, expression, &classes, shape, &words), 5);
    const crd_architecture_shape wanted = read_shape(shape, classes, words);
    crd_model *built;
    if (crd_architecture_build(ctx, expression, &wanted, &built) != CRD_OK)
      fail_msg("%s", crd_context_message(ctx));
    snprintf(stem, sizeof stem, "%s/%s", ZOO_FOLDER, name);
    crd_model *const old = net_open_stored(ctx, stem);
    same_graph(name, old->file, built->file);
    crd_model_destroy(old);
    crd_model_destroy(built);
    count++;
  }
  fclose(cases);
  static char stems[NET_STORED_MAX][NET_STEM_MAX];
  assert_int_equal(count, net_stored(ZOO_FOLDER, stems));
  crd_context_destroy(ctx);
}

/* Takes a folder; default: this repository's. */
int main(int argc, char **argv) {
  static char stems[NET_STORED_MAX][NET_STEM_MAX];
  struct CMUnitTest tests[NET_STORED_MAX + 1] = { { NULL, NULL, NULL, NULL, NULL } };
  if (!crd_operator_at(0)) {
    cannot_test_networks("the zoo against PyTorch");
    return 0;
  }
  size_t count = net_stored(argc > 1 ? argv[1] : ZOO_FOLDER, stems);
  for (size_t i = 0; i < count; i++)
    tests[i] = (struct CMUnitTest){ net_name(stems[i]), network_agrees, NULL, NULL, stems[i] };
  if (argc < 2)
    tests[count++] =
        (struct CMUnitTest){ "built_as_stored", networks_are_built_as_stored, NULL, NULL, NULL };
  return count ? _cmocka_run_group_tests("zoo", tests, count, NULL, NULL) : 1;
}
