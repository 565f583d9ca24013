/* graph_test.c -- a small network is built and read back. */
#include "support.h"

#include "onnx/file.h"
#include "onnx/graph.h"

#include <string.h>

static const float kernel[2][3][1][1] = { { { { 1 } }, { { -2 } }, { { .5F } } } };
static const char weight_name[] = "layer1.0.conv1.weight_of_a_name_that_is_rather_long";

static void build(crd__onnx_graph *g) {
  static const int64_t pads[] = { 0, 0, 1, 1 };
  static const crd__onnx_graph_attribute conv[] = {
    { .name = "group", .i = 1 },
    { .name = "pads", .type = CRD__ATTRIBUTE_INTS, .ints = pads, .count = 4 },
    { .name = "auto_pad", .type = CRD__ATTRIBUTE_STRING, .s = "NOTSET" },
    { .name = NULL },
  };
  static const crd__onnx_graph_attribute leaky[] = {
    { .name = "alpha", .type = CRD__ATTRIBUTE_FLOAT, .f = .125F },
    { .name = NULL },
  };
  g->opset = 13;
  const crd__onnx_graph_value x =
      crd__onnx_graph_input_of(g, "x", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3, 8, 8 }, 4);
  const crd__onnx_graph_value w =
      crd__onnx_graph_floats(g, weight_name, &kernel[0][0][0][0], (int64_t[]){ 2, 3, 1, 1 }, 4);
  const crd__onnx_graph_value inputs[] = { x, w, { .name = "" } };
  const crd__onnx_graph_value h = crd__onnx_graph_node(g, "Conv", inputs, 3, conv);
  const crd__onnx_graph_value y = crd__onnx_graph_node_as(g, "y", "LeakyRelu", &h, 1, leaky);
  crd__onnx_graph_output_of(g, y, CRD__ONNX_FLOAT, (int64_t[]){ -1, 2, 9, 9 }, 4);
}

static void check_conv(const crd__onnx_file *f) {
  const crd__onnx_node *const conv = &f->nodes[0];
  const crd__onnx_tensor *const w = f->edges[conv->inputs[1]].constant;
  assert_true(conv->input_count == 3 && conv->inputs[2] == CRD__ONNX_NONE);
  assert_true(w && w->dtype == CRD_F32 && w->rank == 4 && w->count == 6 && w->dims[1] == 3);
  assert_string_equal(w->name, weight_name);
  assert_memory_equal(w->bytes, kernel, sizeof kernel);
  const crd__onnx_attribute *const pads = crd__onnx_attribute_find(conv, "pads");
  assert_true(pads && pads->type == CRD__ATTRIBUTE_INTS && pads->count == 4 && pads->ints[2] == 1);
  const crd__onnx_attribute *const mode = crd__onnx_attribute_find(conv, "auto_pad");
  assert_true(mode && mode->type == CRD__ATTRIBUTE_STRING && crd__onnx_span_is(mode->s, "NOTSET"));
  const crd__onnx_attribute *const group = crd__onnx_attribute_find(conv, "group");
  assert_true(group && group->type == CRD__ATTRIBUTE_INT && group->i == 1);
}

static void built_graphs_are_read(void **state) {
  crd_context *const ctx = *state;
  crd__onnx_graph g;
  crd__text out;
  crd__onnx_file *f;
  crd__onnx_graph_init(&g, &ctx->alloc);
  crd__text_init(&out, &ctx->alloc);
  build(&g);
  assert_int_equal(crd__onnx_graph_finish(ctx, &g, "net", "a network", &out), CRD_OK);
  const crd__onnx_span bytes = { (const unsigned char *)out.bytes, out.length };
  if (crd__onnx_file_read(ctx, "built", bytes, &f) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  assert_true(f->ir == 8 && f->opset == 13 && f->node_count == 2);
  const crd_port *const x = &f->edges[f->inputs[0]].port, *const y = &f->edges[f->outputs[0]].port;
  assert_true(x->rank == 4 && x->dims[0] == -1 && x->dims[3] == 8);
  assert_string_equal(x->dim_names[0], "rows");
  assert_string_equal(y->name, "y");
  assert_true(y->rank == 4 && y->dims[2] == 9 && f->edges[f->outputs[0]].producer == 1);
  check_conv(f);
  const crd__onnx_attribute *const alpha = crd__onnx_attribute_find(&f->nodes[1], "alpha");
  assert_true(alpha && alpha->type == CRD__ATTRIBUTE_FLOAT && alpha->f == .125F);
  crd__onnx_file_destroy(f);
  crd__onnx_graph_clear(&g);
  crd__text_clear(&out);
}

/* Before IR version 4, an initialiser had to be an input too. */
static void old_graphs_have_nodes_for_constants(void **state) {
  crd_context *const ctx = *state;
  for (int64_t ir = 3; ir <= 4; ir++) {
    crd__onnx_graph g;
    crd__text out;
    crd__onnx_file *f;
    crd__onnx_graph_init(&g, &ctx->alloc);
    crd__text_init(&out, &ctx->alloc);
    g.ir = ir;
    build(&g);
    assert_int_equal(crd__onnx_graph_finish(ctx, &g, "net", "a network", &out), CRD_OK);
    const crd__onnx_span bytes = { (const unsigned char *)out.bytes, out.length };
    assert_int_equal(crd__onnx_file_read(ctx, "built", bytes, &f), CRD_OK);
    assert_int_equal(f->node_count, ir < 4 ? 3 : 2);
    const crd__onnx_node *const first = &f->nodes[0];
    assert_string_equal(first->op, ir < 4 ? "Constant" : "Conv");
    if (ir < 4) {
      const crd__onnx_attribute *const value = crd__onnx_attribute_find(first, "value");
      assert_true(value && value->type == CRD__ATTRIBUTE_TENSOR && value->t);
      assert_true(value->t->dtype == CRD_F32 && value->t->rank == 4 && value->t->dims[1] == 3);
      assert_memory_equal(value->t->bytes, kernel, sizeof kernel);
      assert_string_equal(f->edges[first->outputs[0]].name, weight_name);
    }
    crd__onnx_file_destroy(f);
    crd__onnx_graph_clear(&g);
    crd__text_clear(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(built_graphs_are_read),
                                      cmocka_unit_test(old_graphs_have_nodes_for_constants) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
