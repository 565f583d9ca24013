/*
 * onnx_references_test.c -- the references of tests/ref/op against the test data that ONNX
 * publishes: every model that has only operators with a reference, evaluated node by node.
 */
#include "modelkit/testdata.h"
#include "onnx/file.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES_MAX = 256 };

/* The values computed so far, by name. */
typedef struct {
  const crd__onnx_file *file;
  ref_tensor values[EDGES_MAX];
} graph;

static ref_tensor copy(const ref_tensor *t) {
  ref_tensor c = *t;
  c.slack = NULL;
  c.values = calloc(ref_count(t) + 1, sizeof(double));
  for (size_t i = 0; i < ref_count(t); i++) c.values[i] = ref_round(t->dtype, t->values[i]);
  return c;
}

static ref_tensor load(const crd__onnx_tensor *t) {
  return net_load(t->dtype, t->rank, t->dims, t->bytes);
}

static bool read_attribute(const crd__onnx_attribute *from, net_attributes *all, size_t i) {
  ref_attribute *const to = &all->list[i];
  *to = (ref_attribute){ .name = from->name, .kind = (ref_kind)from->type, .count = from->count };
  if (from->count > REF_NUMBERS_MAX || from->type > REF_INTS) return false;
  if (from->type == REF_FLOAT) to->numbers[0] = (double)from->f;
  if (from->type == REF_INT) to->numbers[0] = (double)from->i;
  for (size_t k = 0; k < from->count; k++)
    to->numbers[k] = from->type == REF_INTS ? (double)from->ints[k] : (double)from->floats[k];
  if (from->type == REF_WORD) {
    snprintf(all->words[i], NET_NAME_MAX, "%.*s", (int)from->s.length, (const char *)from->s.bytes);
    to->word = all->words[i];
  }
  if (from->type == REF_TENSOR) {
    if (!from->t->numbers) return false;
    all->tensors[i] = load(from->t);
    to->tensor = &all->tensors[i];
  }
  return true;
}

/* Returns false if the operator has no reference. */
static bool evaluate(graph *g, const crd__onnx_node *node) {
  const ref_tensor *inputs[TESTDATA_TENSORS_MAX];
  net_attributes attributes = { 0 };
  ref_node own = { .op = node->op, .opset = (int)g->file->opset, .inputs = inputs };
  own.input_count = node->input_count;
  own.output_count = node->output_count;
  own.attributes = attributes.list;
  bool ours = !strcmp(node->domain, "") && node->attribute_count <= NET_ATTRIBUTES_MAX &&
              node->input_count <= TESTDATA_TENSORS_MAX && node->output_count <= REF_OUTPUTS_MAX;
  for (size_t i = 0; ours && i < node->input_count; i++) {
    const int edge = node->inputs[i];
    inputs[i] = edge == CRD__ONNX_NONE ? NULL : &g->values[edge];
    ours = !inputs[i] || inputs[i]->values;
  }
  for (size_t i = 0; ours && i < node->attribute_count; i++)
    ours = read_attribute(&node->attributes[i], &attributes, i);
  ours = ours && ref_compute(&own);
  for (size_t i = 0; ours && i < node->output_count; i++)
    if (node->outputs[i] != CRD__ONNX_NONE) g->values[node->outputs[i]] = copy(&own.outputs[i]);
  ref_clear(&own);
  net_attributes_clear(&attributes);
  return ours;
}

static bool is_stored_as(const crd__onnx_edge *edge, const ref_tensor *t) {
  return edge->typed && edge->port.dtype == t->dtype;
}

/* Returns false if some operator or type has no reference. */
static bool evaluate_all(graph *g, const testdata *data) {
  const crd__onnx_file *const file = g->file;
  if (file->edge_count > EDGES_MAX || file->input_count != data->input_count) return false;
  /* Types that NumPy lacks are stored as others. */
  for (size_t i = 0; i < file->input_count; i++)
    if (!is_stored_as(&file->edges[file->inputs[i]], &data->inputs[i])) return false;
  for (size_t i = 0; i < file->output_count; i++)
    if (!is_stored_as(&file->edges[file->outputs[i]], &data->outputs[i])) return false;
  for (size_t i = 0; i < file->edge_count; i++) {
    const crd__onnx_tensor *const constant = file->edges[i].constant;
    if (constant && constant->numbers) g->values[i] = load(constant);
  }
  for (size_t i = 0; i < file->input_count; i++)
    g->values[file->inputs[i]] = copy(&data->inputs[i]);
  for (size_t i = 0; i < file->node_count; i++)
    if (!evaluate(g, &file->nodes[i])) return false;
  return true;
}

static bool draws(const crd__onnx_file *file, const testdata *data) {
  return file->node_count && !strcmp(file->nodes[0].op, "Dropout") && data->input_count == 3 &&
         data->inputs[2].values[0] != 0 && data->inputs[1].values[0] != 0;
}

/* ONNX Runtime and PyTorch dispute these (onnx_testdata_left_out.txt), or there is no reference. */
static bool is_left_out(const char *name) {
  static const char *const names[] = { "node/test_resize_downsample_scales_cubic_align_corners",
                                       "node/test_resize_downsample_scales_linear_align_corners",
                                       "node/test_resize_tf_crop_and_resize" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* 1: agrees; 0: no reference; -1: wrong. */
static int judge(crd_context *ctx, const char *name) {
  char why[TESTDATA_WHY];
  testdata data;
  graph g = { 0 };
  crd__onnx_file *file = NULL;
  int verdict = 0;
  if (is_left_out(name) || !testdata_open(ctx, name, &data, why)) return 0;
  if (crd__onnx_file_open(ctx, data.model, &file) == CRD_OK) {
    g.file = file;
    if (!draws(file, &data) && evaluate_all(&g, &data)) verdict = 1;
    for (size_t i = 0; verdict == 1 && i < data.output_count; i++) {
      if (testdata_agrees(&data.outputs[i], &g.values[file->outputs[i]], why)) continue;
      print_error("%s: output %zu: %s\n", name, i, why);
      verdict = -1;
    }
  }
  for (size_t i = 0; i < EDGES_MAX; i++) free(g.values[i].values);
  crd__onnx_file_destroy(file);
  testdata_close(&data);
  return verdict;
}

static void references_agree(void **state) {
  if (!testdata_root()) {
    cannot_test("references", "ONNX's test data (Debian: libonnx-testdata) are missing");
    return;
  }
  char **names;
  const size_t count = testdata_names(&names);
  size_t agree = 0, wrong = 0;
  for (size_t i = 0; i < count; i++) {
    const int verdict = judge(*state, names[i]);
    agree += verdict > 0;
    wrong += verdict < 0;
    free(names[i]);
  }
  free(names);
  print_message("%zu of %zu models agree\n", agree, count);
  assert_int_equal(wrong, 0);
  assert_true(agree >= 400); /* of onnx 1.12; fewer: something was not read */
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(references_agree) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
