/* file_test.c -- models made field by field, as files: nodes, edges, attributes; and hostile ones.
 */
#include "messages_test.h"

#include "onnx/file.h"

#include <stdio.h>
#include <stdlib.h>

static crd_status try_read(builder *b, crd__onnx_file **out) {
  while (b->depth) leave(b);
  const crd_status status = crd__onnx_file_read(b->ctx, "m.onnx", made(b), out);
  assert_true((status == CRD_OK) == (*out != NULL));
  return status;
}

static crd__onnx_file *must_read(builder *b) {
  crd__onnx_file *file;
  if (try_read(b, &file) != CRD_OK) fail_msg("%s", crd_context_message(b->ctx));
  return file;
}

static void done(builder *b, crd__onnx_file *file) {
  crd__onnx_file_destroy(file);
  crd__text_clear(top(b));
}

/* Parsing must fail, with a message that contains these words. */
static void refused(builder *b, const char *words) {
  crd__onnx_file *file;
  assert_int_equal(try_read(b, &file), CRD_EINPUT);
  check_message(b, words);
  check_message(b, "m.onnx: ");
  crd__text_clear(top(b));
}

static void put_floats(builder *b, const char *name, const float *values, int64_t count) {
  open_tensor(b, GRAPH_INITIALIZER, name, CRD__ONNX_FLOAT, &count, 1);
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, values, (size_t)count * sizeof *values);
  leave(b);
}

/* ---- Parsing. */

static void reads_a_graph(void **state) {
  static const float ones[] = { 1, 1, 1 };
  builder b = begin(state);
  crd__onnx_proto_string(top(&b), MODEL_PRODUCER, "maker");
  crd__onnx_proto_string(top(&b), MODEL_PRODUCER_VERSION, "2.0");
  open_graph(&b, "y");
  put_value(&b, GRAPH_INPUT, "w", CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1);
  put_value(&b, GRAPH_VALUE, "h", CRD__ONNX_INT64, (int64_t[]){ -2, 3 }, 2);
  put_value(&b, GRAPH_VALUE, "nobody's", CRD__ONNX_FLOAT, NULL, 0);
  put_floats(&b, "w", ones, 3);
  put_node(&b, "Add", "x,w", "h");
  open_node(&b, "Clip", "h,,w", "y,");
  crd__onnx_proto_string(top(&b), NODE_NAME, "last");
  crd__onnx_proto_string(top(&b), NODE_DOMAIN, "ai.onnx");
  leave(&b);
  crd__onnx_file *const f = must_read(&b);
  assert_string_equal(f->producer, "maker 2.0");
  assert_true(f->ir == 7 && f->opset == 13 && f->weight_bytes == 12);
  assert_true(f->node_count == 2 && f->edge_count == 4);
  assert_true(f->input_count == 1 && f->output_count == 1);
  const crd__onnx_edge *const x = &f->edges[f->inputs[0]], *const y = &f->edges[f->outputs[0]];
  assert_string_equal(x->name, "x");
  assert_true(x->typed && x->port.known && x->port.rank == 2 && x->port.dtype == CRD_F32);
  assert_true(x->port.dims[0] == -1 && x->port.dims[1] == 3 && !x->port.dim_names[1]);
  assert_string_equal(x->port.dim_names[0], "N");
  assert_true(x->producer == CRD__ONNX_NONE && !x->constant && y->producer == 1);
  const crd__onnx_node *const add = &f->nodes[0], *const clip = &f->nodes[1];
  assert_string_equal(add->name, "h");
  assert_string_equal(add->op, "Add");
  assert_string_equal(clip->name, "last");
  assert_string_equal(clip->domain, "");
  const crd__onnx_edge *const w = &f->edges[add->inputs[1]], *const h = &f->edges[add->outputs[0]];
  assert_true(w->constant && w->constant->count == 3 && w->typed && w->port.rank == 1);
  assert_memory_equal(w->constant->bytes, ones, sizeof ones);
  assert_true(h->typed && h->port.dtype == CRD_I64 && h->port.dims[0] == -1);
  assert_null(h->port.dim_names[0]);
  assert_true(clip->input_count == 3 && clip->inputs[1] == CRD__ONNX_NONE);
  assert_true(clip->output_count == 2 && clip->outputs[1] == CRD__ONNX_NONE);
  done(&b, f);
}

/* Adds a value of 2 x `size`, even if that is negative. */
static void put_size(builder *b, unsigned field, const char *name, int64_t size) {
  enter(b, field);
  crd__onnx_proto_string(top(b), VALUE_NAME, name);
  enter(b, VALUE_TYPE);
  enter(b, TYPE_TENSOR);
  crd__onnx_proto_int(top(b), TENSOR_ELEMENT, CRD__ONNX_FLOAT);
  enter(b, TENSOR_SHAPE);
  for (size_t i = 0; i < 2; i++) {
    enter(b, SHAPE_DIM);
    crd__onnx_proto_int(top(b), DIM_VALUE, i ? size : 2);
    leave(b);
  }
  for (size_t i = 0; i < 4; i++) leave(b);
}

static void negative_sizes_of_inputs_fail(void **state) {
  static const struct {
    int64_t size;
    const char *words;
  } cases[] = { { -1, "dimension 1 of the input 'z' is -1; a size must be at least 0" },
                { INT64_MIN, "dimension 1 of the input 'z' is -9223372036854775808" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    builder b = begin(state);
    open_graph(&b, "y");
    put_size(&b, GRAPH_INPUT, "z", cases[i].size);
    put_node(&b, "Add", "x,z", "y");
    refused(&b, cases[i].words);
  }
  /* Other values merely have unknown sizes then. */
  builder b = begin(state);
  open_graph(&b, "y");
  put_size(&b, GRAPH_INPUT, "z", 0);
  put_size(&b, GRAPH_VALUE, "h", -5);
  put_node(&b, "Add", "x,z", "h");
  put_node(&b, "Relu", "h", "y");
  crd__onnx_file *const f = must_read(&b);
  assert_true(f->edges[f->inputs[1]].port.dims[1] == 0);
  assert_true(f->edges[f->nodes[0].outputs[0]].port.dims[1] == -1);
  done(&b, f);
}

/* Nodes keep the order of the file unless it is invalid; a late one goes right before its reader.
 */
static void sorts_nodes(void **state) {
  static const char *const in_order[] = { "A", "B", "C", "D" };
  builder b = begin(state);
  open_graph(&b, "d");
  put_node(&b, "B", "a", "b");
  put_node(&b, "D", "b,c", "d");
  put_node(&b, "A", "x", "a");
  put_node(&b, "C", "a,a", "c");
  crd__onnx_file *const f = must_read(&b);
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(f->nodes[i].op, in_order[i]);
    assert_int_equal(f->edges[f->nodes[i].outputs[0]].producer, i);
  }
  done(&b, f);
}

/* A reversed chain: the stack must not grow with it, and the time only linearly. */
static void sorts_a_long_chain(void **state) {
  enum { LENGTH = 100000 };
  char in[24], out[24];
  builder b = begin(state);
  open_graph(&b, "v100000");
  for (int i = LENGTH; i > 0; i--) {
    snprintf(in, sizeof in, i == 1 ? "x" : "v%d", i - 1);
    snprintf(out, sizeof out, "v%d", i);
    put_node(&b, "Relu", in, out);
  }
  crd__onnx_file *const f = must_read(&b);
  assert_int_equal(f->node_count, LENGTH);
  assert_string_equal(f->nodes[0].name, "v1");
  assert_string_equal(f->nodes[LENGTH - 1].name, "v100000");
  done(&b, f);
}

/* ---- Attributes. */

static void put_attribute(builder *b, const char *name, int type) {
  enter(b, NODE_ATTRIBUTE);
  crd__onnx_proto_string(top(b), ATTRIBUTE_NAME, name);
  if (type) crd__onnx_proto_int(top(b), ATTRIBUTE_TYPE, type);
}

/* A field of four bytes: key, and the bits in little-endian order. */
static void put_float(builder *b, unsigned field, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  const char bytes[] = { (char)(field << 3 | 5), (char)(bits & 0xff), (char)(bits >> 8 & 0xff),
                         (char)(bits >> 16 & 0xff), (char)(bits >> 24) };
  crd__text_add_bytes(top(b), bytes, sizeof bytes);
}

/* Adds an attribute of each type; `typed` is false for files that do not give the type. */
static void put_all_attributes(builder *b, bool typed) {
  static const float half[] = { .5F, -2 };
  put_attribute(b, "alpha", typed ? CRD__ATTRIBUTE_FLOAT : 0);
  put_float(b, ATTRIBUTE_FLOAT, .25F);
  leave(b);
  put_attribute(b, "axis", typed ? CRD__ATTRIBUTE_INT : 0);
  crd__onnx_proto_int(top(b), ATTRIBUTE_INT, -1);
  leave(b);
  put_attribute(b, "mode", typed ? CRD__ATTRIBUTE_STRING : 0);
  crd__onnx_proto_string(top(b), ATTRIBUTE_STRING, "edge");
  leave(b);
  put_attribute(b, "value", typed ? CRD__ATTRIBUTE_TENSOR : 0);
  open_tensor(b, ATTRIBUTE_TENSOR, NULL, CRD__ONNX_FLOAT, (int64_t[]){ 2, 1 }, 2);
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, half, sizeof half);
  leave(b);
  leave(b);
  put_attribute(b, "body", typed ? CRD__ATTRIBUTE_GRAPH : 0);
  enter(b, ATTRIBUTE_GRAPH);
  put_node(b, "Neg", "q", "r");
  leave(b);
  leave(b);
  put_attribute(b, "scales", typed ? CRD__ATTRIBUTE_FLOATS : 0);
  crd__onnx_proto_bytes(top(b), ATTRIBUTE_FLOATS, half, sizeof half); /* packed */
  put_float(b, ATTRIBUTE_FLOATS, 7);                                  /* and alone */
  leave(b);
  put_attribute(b, "pads", typed ? CRD__ATTRIBUTE_INTS : 0);
  crd__onnx_proto_int(top(b), ATTRIBUTE_INTS, 3);
  crd__onnx_proto_bytes(top(b), ATTRIBUTE_INTS, "\x01\xac\x02", 3); /* 1, 300 */
  leave(b);
  put_attribute(b, "names", typed ? CRD__ATTRIBUTE_STRINGS : 0);
  crd__onnx_proto_string(top(b), ATTRIBUTE_STRINGS, "one");
  crd__onnx_proto_string(top(b), ATTRIBUTE_STRINGS, "two");
  leave(b);
}

static void reads_attributes(void **state) {
  for (int typed = 0; typed < 2; typed++) {
    builder b = begin(state);
    open_graph(&b, "y");
    open_node(&b, "Odd", "x", "y");
    put_all_attributes(&b, typed);
    leave(&b);
    crd__onnx_file *const f = must_read(&b);
    const crd__onnx_node *const n = &f->nodes[0];
    const crd__onnx_attribute *const a = n->attributes;
    assert_int_equal(n->attribute_count, 8);
    for (int i = 0; i < 8; i++) assert_int_equal(a[i].type, i + 1);
    assert_true(a[0].f == .25F && a[1].i == -1 && crd__onnx_span_is(a[2].s, "edge"));
    assert_true(a[3].t->rank == 2 && a[3].t->count == 2 && a[3].t->dtype == CRD_F32);
    assert_true(a[5].count == 3 && a[5].floats[1] == -2 && a[5].floats[2] == 7);
    assert_true(a[6].count == 3 && a[6].ints[0] == 3 && a[6].ints[2] == 300 && a[7].count == 2);
    assert_ptr_equal(crd__onnx_attribute_find(n, "pads"), &a[6]);
    assert_null(crd__onnx_attribute_find(n, "pad"));
    done(&b, f);
  }
}

static void attributes_must_be_what_they_say(void **state) {
  static const int kinds[] = { CRD__ATTRIBUTE_FLOAT,  CRD__ATTRIBUTE_INT,  CRD__ATTRIBUTE_STRING,
                               CRD__ATTRIBUTE_FLOATS, CRD__ATTRIBUTE_INTS, CRD__ATTRIBUTE_STRINGS,
                               CRD__ATTRIBUTE_TENSOR };
  static const unsigned fields[] = { ATTRIBUTE_FLOAT,
                                     ATTRIBUTE_INT,
                                     ATTRIBUTE_STRING,
                                     ATTRIBUTE_FLOATS,
                                     ATTRIBUTE_INTS,
                                     ATTRIBUTE_STRINGS,
                                     0 };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    builder b = begin(state);
    open_graph(&b, "y");
    open_node(&b, "Odd", "x", "y");
    put_attribute(&b, "bad", kinds[i]);
    if (kinds[i] == CRD__ATTRIBUTE_INT) crd__onnx_proto_string(top(&b), fields[i], "1");
    else if (kinds[i] == CRD__ATTRIBUTE_INTS) put_float(&b, fields[i], 1);
    else if (fields[i]) crd__onnx_proto_int(top(&b), fields[i], 1);
    refused(&b, "node 'y': attribute 'bad' has the type ");
  }
}

/* ---- Errors. */

static void graphs_that_make_no_sense_are_refused(void **state) {
  static const struct {
    const char *nodes[3][2]; /* inputs and outputs of each */
    const char *words;
  } cases[] = {
    { { { "x", "h" }, { "g", "y" } },
      "node 'y' (Odd) reads 'g', which is neither the output of a node" },
    { { { "x", "h" } }, "the graph has an output 'y', which is neither" },
    { { { "x", "y" }, { "x", "y" } }, "node 'y' produces 'y', which node 'y' produces already" },
    { { { "x", "y" }, { "y", "x" } },
      "node 'x' produces 'x', which an input of the graph is already" },
    { { { "x", "y" }, { "y", "w" } }, "node 'w' produces 'w', which an initialiser is already" },
    { { { "x,h", "y" }, { "y", "g" }, { "g", "h" } }, "is part of a cycle: it reads '" },
    { { { "y", "y" } }, "node 'y' (Odd) is part of a cycle: it reads 'y'" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    builder b = begin(state);
    open_graph(&b, "y");
    put_floats(&b, "w", (const float[]){ 1 }, 1);
    for (size_t n = 0; n < 3 && cases[i].nodes[n][0]; n++)
      put_node(&b, "Odd", cases[i].nodes[n][0], cases[i].nodes[n][1]);
    refused(&b, cases[i].words);
  }
}

static void put_twice(builder *b) {
  for (size_t i = 0; i < 2; i++) put_floats(b, "w", (const float[]){ 1 }, 1);
}
static void put_second_x(builder *b) { put_value(b, GRAPH_INPUT, "x", CRD__ONNX_FLOAT, NULL, 0); }
static void put_nameless(builder *b) { put_value(b, GRAPH_INPUT, NULL, CRD__ONNX_FLOAT, NULL, 0); }
static void put_sparse(builder *b) {
  enter(b, GRAPH_SPARSE);
  leave(b);
}
static void put_idle(builder *b) {
  enter(b, GRAPH_NODE);
  leave(b);
}
static void put_zero_name(builder *b) {
  enter(b, GRAPH_NODE);
  crd__onnx_proto_bytes(top(b), NODE_OUTPUT, "a\0b", 3);
  crd__onnx_proto_string(top(b), NODE_OP, "Odd");
  leave(b);
}
static void put_bad_name(builder *b) { put_node(b, "Odd", "x", "a\xff"); }
static void put_high_rank(builder *b) {
  put_value(b, GRAPH_INPUT, "v", CRD__ONNX_FLOAT, (int64_t[9]){ 1 }, 9);
}

static void odd_fields_are_refused(void **state) {
  static const struct {
    void (*put)(builder *b);
    const char *words;
  } cases[] = {
    { put_twice, "two initialisers are called 'w'" },
    { put_second_x, "two inputs are called 'x'" },
    { put_nameless, "an input of the graph has no name" },
    { put_sparse, "the graph has a sparse initialiser" },
    { put_idle, "node '' has no operator" },
    { put_zero_name, "the name of an output, 'a', is not UTF-8: byte 1 is 0x00" },
    { put_bad_name, "is not UTF-8: byte 1 is 0xff" },
    { put_high_rank, "'v' has more than 8 dimensions" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    builder b = begin(state);
    open_graph(&b, "y");
    put_node(&b, "Odd", "x", "y");
    cases[i].put(&b);
    refused(&b, cases[i].words);
  }
}

/* ---- A model with everything, truncated and corrupted. */

static void put_rich_model(builder *b) {
  crd__onnx_proto_string(top(b), MODEL_PRODUCER, "maker");
  open_graph(b, "y");
  put_value(b, GRAPH_VALUE, "h", CRD__ONNX_INT64, (int64_t[]){ -2, 3 }, 2);
  put_floats(b, "w", (const float[]){ 1, 2, 3 }, 3);
  open_tensor(b, GRAPH_INITIALIZER, "i", 3, (int64_t[]){ 4 }, 1);
  crd__onnx_proto_int(top(b), TENSOR_INT32S, -1);
  crd__onnx_proto_bytes(top(b), TENSOR_INT32S, "\x01\x02\x03", 3);
  leave(b);
  put_node(b, "Add", "h,i", "y");
  open_node(b, "Odd", "x,w", "h");
  put_all_attributes(b, true);
  while (b->depth) leave(b);
}

/* Reads all that can be read, so that sanitizers see it. */
static uint64_t touch(const crd__onnx_file *f) {
  uint64_t sum = 0;
  for (size_t e = 0; e < f->edge_count; e++) {
    const crd__onnx_tensor *const t = f->edges[e].constant;
    sum += strlen(f->edges[e].name);
    for (size_t i = 0; t && t->bytes && i < t->count * crd_dtype_size(t->dtype); i++)
      sum += t->bytes[i];
  }
  for (size_t n = 0; n < f->node_count; n++)
    for (size_t i = 0; i < f->nodes[n].input_count; i++)
      if (f->nodes[n].inputs[i] != CRD__ONNX_NONE)
        assert_true(f->edges[f->nodes[n].inputs[i]].producer < (int)n);
  return sum;
}

/* Reads a copy in a buffer of exactly this length, so that sanitizers detect overreads. */
static crd_status read_copy(crd_context *ctx, const void *bytes, size_t length) {
  unsigned char *const copy = malloc(length ? length : 1);
  crd__onnx_file *file;
  memcpy(copy, bytes, length);
  const crd_status status =
      crd__onnx_file_read(ctx, "m.onnx", (crd__onnx_span){ copy, length }, &file);
  if (status == CRD_OK) assert_true(touch(file) > 0 || file->edge_count == 0);
  else assert_null(file);
  crd__onnx_file_destroy(file);
  free(copy);
  return status;
}

static void truncated_files_fail(void **state) {
  builder b = begin(state);
  put_rich_model(&b);
  const crd__onnx_span all = made(&b);
  for (size_t length = 0; length < all.length; length++)
    assert_int_equal(read_copy(b.ctx, all.bytes, length), CRD_EINPUT);
  assert_int_equal(read_copy(b.ctx, all.bytes, all.length), CRD_OK);
  crd__text_clear(top(&b));
}

static void changed_bytes_do_no_harm(void **state) {
  builder b = begin(state);
  put_rich_model(&b);
  unsigned char *const bytes = (unsigned char *)b.texts[0].bytes;
  size_t let_in = 0, kept_out = 0;
  for (size_t i = 0; i < b.texts[0].length; i++)
    for (unsigned bit = 0; bit <= 8; bit++) { /* each alone, and all */
      const unsigned char mask = (unsigned char)(bit == 8 ? 0xff : 1U << bit);
      bytes[i] ^= mask;
      const crd_status status = read_copy(b.ctx, bytes, b.texts[0].length);
      bytes[i] ^= mask;
      if (status != CRD_OK) assert_int_equal(status, CRD_EINPUT);
      let_in += status == CRD_OK;
      kept_out += status != CRD_OK;
    }
  assert_true(let_in > 100 && kept_out > 100);
  crd__text_clear(top(&b));
}

static void deep_graphs_are_refused(void **state) {
  builder b = begin(state);
  open_graph(&b, "y");
  for (size_t i = 0; i < 40; i++) {
    open_node(&b, "If", i ? NULL : "x", i ? "z" : "y");
    enter(&b, NODE_ATTRIBUTE);
    crd__onnx_proto_string(top(&b), ATTRIBUTE_NAME, "then_branch");
    enter(&b, ATTRIBUTE_GRAPH);
  }
  refused(&b, "not an ONNX model, or truncated");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reads_a_graph),
    cmocka_unit_test(negative_sizes_of_inputs_fail),
    cmocka_unit_test(sorts_nodes),
    cmocka_unit_test(sorts_a_long_chain),
    cmocka_unit_test(reads_attributes),
    cmocka_unit_test(attributes_must_be_what_they_say),
    cmocka_unit_test(graphs_that_make_no_sense_are_refused),
    cmocka_unit_test(odd_fields_are_refused),
    cmocka_unit_test(truncated_files_fail),
    cmocka_unit_test(changed_bytes_do_no_harm),
    cmocka_unit_test(deep_graphs_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
