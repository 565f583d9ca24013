/* fuse_test.c -- that rules find what they are for in networks as they are exported; that the
 * result stays the same is seen by golden/networks. */
#include "net/fuse.h"

#include "support.h"

#include <stdio.h>

static size_t count(const crd__net *net, const crd__op *op) {
  size_t found = 0;
  for (size_t n = 0; n < net->node_count; n++)
    found += !net->nodes[n].gone && net->nodes[n].op == op;
  return found;
}

static crd__net *open_fused(crd_context *ctx, const char *path, crd__onnx_file **file) {
  const crd_compile_options options = { .batch = 1 };
  crd__net *net;
  assert_int_equal(crd__onnx_file_open(ctx, path, file), CRD_OK);
  assert_int_equal(crd__net_create(ctx, *file, &options, &net), CRD_OK);
  for (size_t n = 0; n < net->node_count; n++)
    assert_int_equal(crd__net_infer(ctx, net, &net->nodes[n]), CRD_OK);
  assert_int_equal(crd__net_fuse(ctx, net), CRD_OK);
  return net;
}

/* Fused, what was written in many nodes is one; what that is fused into has it as `after`. */
static const struct {
  const char *name;
  size_t norms, products; /* that are left */
  size_t after;           /* curves behind products and convolutions, at least */
} cases[] = {
  { "vit-opset11-dynamic", 7, 15, 3 },       { "vit-opset17", 7, 15, 3 },
  { "mixer-opset9-dynamic", 7, 12, 6 },      { "mixer-opset17-dynamic", 7, 12, 6 },
  { "mobilenet-opset13-dynamic", 0, 0, 20 },
};

static void exported_networks_are_fused(void **state) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[300];
    crd__onnx_file *file;
    size_t after = 0;
    snprintf(path, sizeof path, "%s/tests/networks/%s.onnx", CREDENCE_SOURCE, cases[i].name);
    crd__net *const net = open_fused(*state, path, &file);
    for (size_t n = 0; n < net->node_count; n++)
      for (size_t k = 0; k < net->nodes[n].after.count && !net->nodes[n].gone; k++)
        after += !net->nodes[n].after.items[k].sum;
    assert_int_equal(count(net, &crd__op_erf), 0);
    assert_int_equal(count(net, &crd__op_gelu), 0);
    assert_int_equal(count(net, &crd__op_sqrt), 0);
    assert_int_equal(count(net, &crd__op_layer_normalization), cases[i].norms);
    assert_int_equal(count(net, &crd__op_matmul), cases[i].products);
    assert_true(after >= cases[i].after);
    crd__net_destroy(net);
    crd__onnx_file_destroy(file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(exported_networks_are_fused) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
