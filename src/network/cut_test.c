/* cut_test.c -- parts of models: what they contain, and what cannot be cut. */
#include "network/runs_test.h"

#include "network/model.h"
#include "onnx/messages_test.h"
#include "onnx/reader.h"

/* Free dimensions of the input are free inside as well; a pooled one is not. */
static void free_dimensions_stay_free(void **state) {
  crd_model *const model = open_model(*state, DATA_FILE("image.onnx"));
  crd_model *const map = cut(*state, model, "active", CRD_PART_BEFORE);
  crd_model *const flat = cut(*state, model, "flat", CRD_PART_AFTER);
  const crd_port *const inner = crd_model_output(map, 0), *const last = crd_model_input(flat, 0);
  assert_int_equal(inner->rank, 4);
  assert_int_equal(inner->dims[0], -1);
  assert_string_equal(inner->dim_names[0], "N");
  assert_int_equal(inner->dims[1], 4);
  assert_int_equal(inner->dims[2], -1);
  assert_int_equal(inner->dims[3], -1);
  assert_int_equal(last->rank, 2);
  assert_int_equal(last->dims[0], -1);
  assert_int_equal(last->dims[1], 4);
  crd_model_destroy(map);
  crd_model_destroy(flat);
  crd_model_destroy(model);
}

/* ---- A graph with everything that may be in one. */

static void put_floats(builder *b, const char *name) {
  static const float numbers[] = { 1, 2, 3 };
  open_tensor(b, GRAPH_INITIALIZER, name, CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1);
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, numbers, sizeof numbers);
  leave(b);
}

static void put_pair(builder *b, const char *key, const char *value) {
  enter(b, MODEL_METADATA);
  crd__onnx_proto_string(top(b), ENTRY_KEY, key);
  crd__onnx_proto_string(top(b), ENTRY_VALUE, value);
  leave(b);
}

/* x + a = h;  h + b = i;  i + h = j, around i;  Relu(j) = k;  k + c = y, the output;  and, unused,
 * x + d = u, Odd(u) = v, with a graph inside. */
static builder make(void **state) {
  builder b = begin(state);
  put_pair(&b, "credence.mean", "[1]");
  put_pair(&b, "credence.class_names", "[\"x\"]");
  put_pair(&b, "author", "somebody");
  enter(&b, MODEL_TRAINING);
  leave(&b);
  open_graph(&b, "y");
  put_value(&b, GRAPH_OUTPUT, "j", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  put_value(&b, GRAPH_INPUT, "b", CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1); /* an initialiser too */
  for (const char *name = "a\0b\0c\0d\0"; *name; name += 2) put_floats(&b, name);
  put_node(&b, "Add", "x,a", "h");
  put_node(&b, "Add", "h,b", "i");
  put_node(&b, "Add", "i,h", "j");
  put_node(&b, "Relu", "j", "k");
  put_node(&b, "Add", "k,c", "y");
  put_node(&b, "Add", "x,d", "u");
  put_node(&b, "Identity", "a", "s");
  put_value(&b, GRAPH_VALUE, "i", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  put_value(&b, GRAPH_VALUE, "u", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  enter(&b, GRAPH_QUANTIZATION);
  leave(&b);
  crd__onnx_proto_string(top(&b), 98, "future of the graph");
  open_node(&b, "Odd", "u", "v");
  enter(&b, NODE_ATTRIBUTE);
  crd__onnx_proto_string(top(&b), ATTRIBUTE_NAME, "body");
  enter(&b, ATTRIBUTE_GRAPH);
  while (b.depth) leave(&b);
  return b;
}

static crd_model *open_made(const builder *b) {
  crd_model *model;
  WORKS(b->ctx, crd_model_open_memory(b->ctx, "made.onnx", made(b).bytes, made(b).length, &model));
  return model;
}

/* The names of edges, and the operators of nodes, in their order. */
static void check_inside(const crd_model *model, const char *edges, const char *nodes) {
  char text[200] = "";
  const crd__onnx_file *const file = model->file;
  for (size_t i = 0; i < file->edge_count; i++) strcat(strcat(text, file->edges[i].name), " ");
  assert_string_equal(text, edges);
  *text = '\0';
  for (size_t i = 0; i < file->node_count; i++) strcat(strcat(text, file->nodes[i].op), " ");
  assert_string_equal(text, nodes);
}

/* Counts fields of a graph, or of the model itself, that have this name in them (NULL: any). */
static size_t count_fields(const crd_model *model, bool graph, unsigned field, const char *name) {
  const crd__onnx_resources *const inside = model->file->inside;
  crd__onnx_message m = crd__onnx_message_of(graph ? inside->model.graph : inside->model.all);
  size_t count = 0;
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    crd__onnx_message value = crd__onnx_message_of(f.inside);
    bool found = !name;
    for (crd__onnx_field v; name && crd__onnx_message_next(&value, &v);)
      found |= v.number == VALUE_NAME && crd__onnx_span_is(v.inside, name);
    count += f.number == field && found;
  }
  return count;
}

static void values_are_declared_once(void **state) {
  builder b = make(state);
  crd_model *const model = open_made(&b);
  crd_model *const before = cut(b.ctx, model, "i", CRD_PART_BEFORE);
  assert_int_equal(count_fields(model, true, GRAPH_VALUE, "i"), 1);
  assert_int_equal(count_fields(before, true, GRAPH_VALUE, "i"), 0);
  assert_int_equal(count_fields(before, true, GRAPH_OUTPUT, "i"), 1);
  assert_int_equal(count_fields(before, true, GRAPH_VALUE, "u"), 0);
  assert_int_equal(count_fields(before, true, GRAPH_QUANTIZATION, NULL), 0);
  assert_int_equal(count_fields(before, true, 98, NULL), 1);
  assert_int_equal(count_fields(before, false, MODEL_TRAINING, NULL), 0);
  crd_model *const after = cut(b.ctx, model, "k", CRD_PART_AFTER);
  crd_model *both;
  WORKS(b.ctx, crd_model_join(b.ctx, before, before, &both));
  assert_int_equal(count_fields(both, false, MODEL_IR, NULL), 1);
  assert_int_equal(count_fields(both, false, MODEL_OPSET, NULL), 1);
  assert_int_equal(count_fields(both, true, GRAPH_OUTPUT, NULL), 1);
  assert_int_equal(count_fields(both, true, GRAPH_INPUT, "x"), 1);
  crd_model *const all[] = { model, before, after, both };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) crd_model_destroy(all[i]);
  crd__text_clear(top(&b));
}

static void parts_have_what_they_need(void **state) {
  builder b = make(state);
  crd_model *const model = open_made(&b);
  crd_model *const before = cut(b.ctx, model, "i", CRD_PART_BEFORE);
  check_inside(before, "a b x h i ", "Add Add ");
  assert_string_equal(crd_model_output(before, 0)->name, "i");
  assert_string_equal(crd_model_output(before, 0)->dim_names[0], "N");
  assert_null(crd_model_output(before, 1));
  assert_null(crd_model_metadata(before, "credence.class_names"));
  assert_string_equal(crd_model_metadata(before, "credence.mean"), "[1]");
  assert_string_equal(crd_model_metadata(before, "author"), "somebody");
  crd_model *const after = cut(b.ctx, model, "k", CRD_PART_AFTER);
  check_inside(after, "c k y ", "Add ");
  assert_string_equal(crd_model_input(after, 0)->dim_names[0], "N");
  assert_null(crd_model_metadata(after, "credence.mean"));
  assert_string_equal(crd_model_metadata(after, "credence.class_names"), "[\"x\"]");
  crd_model *const whole = cut(b.ctx, model, "x", CRD_PART_AFTER); /* without unused nodes */
  check_inside(whole, "a b c x h i j k y ", "Add Add Add Relu Add ");
  assert_null(crd_model_output(whole, 1));
  crd_model *const same = cut(b.ctx, model, "y", CRD_PART_BEFORE);
  check_inside(same, "a b c x h i j k y ", "Add Add Add Relu Add ");
  crd_model *const all[] = { before, after, whole, same, model };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) crd_model_destroy(all[i]);
  crd__text_clear(top(&b));
}

static void other_cuts_are_refused(void **state) {
  static const struct {
    const char *at;
    crd_model_part part;
    crd_status status;
    const char *words;
  } bad[] = {
    { "x", CRD_PART_BEFORE, CRD_EUSAGE, "'x' is an input: nothing comes before it" },
    { "y", CRD_PART_AFTER, CRD_EUSAGE, "'y' is the output: nothing comes after it" },
    { "a", CRD_PART_BEFORE, CRD_EUSAGE, "'a' is a constant: it does not depend on an input" },
    { "s", CRD_PART_AFTER, CRD_EUSAGE, "'s' is a constant: it does not depend on an input" },
    { "hh", CRD_PART_BEFORE, CRD_EUSAGE, "no tensor is called 'hh'; did you mean 'h'?" },
    { "penultimate", CRD_PART_AFTER, CRD_EUSAGE, "no tensor is called 'penultimate'" },
    { "", CRD_PART_AFTER, CRD_EUSAGE, "no tensor is called ''" },
    { "i", CRD_PART_AFTER, CRD_EUSAGE,
      "node 'j' (Add) reads 'h', which does not depend on 'i': paths around it lead to the "
      "output" },
    { "u", CRD_PART_AFTER, CRD_EUSAGE, "the output 'y' does not depend on 'u'" },
    { "v", CRD_PART_BEFORE, CRD_EINPUT, "node 'v' (Odd) has a graph inside" },
  };
  builder b = make(state);
  crd_model *const model = open_made(&b);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    crd_model *out = model;
    FAILS(b.ctx, bad[i].status, crd_model_cut(b.ctx, model, bad[i].at, bad[i].part, &out),
          bad[i].words);
    FAILS(b.ctx, bad[i].status, crd_model_cut(b.ctx, model, bad[i].at, bad[i].part, &out),
          "made.onnx: ");
    assert_null(out);
  }
  crd_model_destroy(model);
  crd__text_clear(top(&b));
}

/* ---- The number of rows, which PyTorch takes from the input for every view. */

static void put_indices(builder *b, const char *name, int64_t value) {
  open_tensor(b, GRAPH_INITIALIZER, name, CRD__ONNX_INT64, (int64_t[]){ 1 }, 1);
  crd__onnx_proto_int(top(b), TENSOR_INT64S, value);
  leave(b);
}

static void put_ints(builder *b, const char *name, int64_t value) {
  enter(b, NODE_ATTRIBUTE);
  crd__onnx_proto_string(top(b), ATTRIBUTE_NAME, name);
  crd__onnx_proto_int(top(b), ATTRIBUTE_INT, value);
  crd__onnx_proto_int(top(b), ATTRIBUTE_TYPE, CRD__ATTRIBUTE_INT);
  leave(b);
}

typedef struct {
  bool gather, whole; /* Shape and Gather; all of the shape is used */
  int64_t index;      /* of Gather, or where Shape starts */
} rows_form;

/* h = Relu(x);  y = Reshape(h, (rows of x, -1)). */
static builder make_view(void **state, rows_form form) {
  builder b = begin(state);
  crd__onnx_proto_int(top(&b), MODEL_IR, 8);
  enter(&b, MODEL_OPSET);
  crd__onnx_proto_int(top(&b), OPSET_VERSION, 17);
  leave(&b);
  enter(&b, MODEL_GRAPH);
  put_value(&b, GRAPH_INPUT, "x", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3, 2 }, 3);
  put_value(&b, GRAPH_OUTPUT, "y", CRD__ONNX_FLOAT, (int64_t[]){ -1, -2 }, 2);
  put_indices(&b, "index", form.index);
  put_indices(&b, "rest", -1);
  put_node(&b, "Relu", "x", "h");
  open_node(&b, "Shape", "x", "s");
  if (!form.gather && !form.whole) put_ints(&b, "start", form.index);
  if (!form.gather && !form.whole) put_ints(&b, "end", form.index + 1);
  leave(&b);
  if (form.gather) put_node(&b, "Gather", "s,index", "n");
  open_node(&b, "Concat", form.gather ? "n,rest" : "s,rest", "to");
  put_ints(&b, "axis", 0);
  leave(&b);
  put_node(&b, "Reshape", form.whole ? "h,s" : "h,to", "y");
  while (b.depth) leave(&b);
  return b;
}

static void rows_are_those_of_the_tensor(void **state) {
  static const rows_form good[] = { { .index = 0 }, { .gather = true } };
  static const float values[2 * 3 * 2] = { 1, -1, 2, -2, 3, -3, 4, 5, 6, 7, 8, 9 };
  const crd_array x = { .data = values, .dtype = CRD_F32, .rank = 3, .dims = { 2, 3, 2 } };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    builder b = make_view(state, good[i]);
    crd_model *const model = open_made(&b);
    crd_model *const before = cut(b.ctx, model, "h", CRD_PART_BEFORE);
    crd_model *const after = cut(b.ctx, model, "h", CRD_PART_AFTER);
    crd_array want = run_once(b.ctx, model, &x), inner = run_once(b.ctx, before, &x);
    crd_array got = run_once(b.ctx, after, &inner);
    assert_int_equal(got.dims[0], 2);
    check_near("y", &got, &want);
    crd_array *const arrays[] = { &want, &inner, &got };
    for (size_t k = 0; k < 3; k++) drop(b.ctx, arrays[k]);
    crd_model *const all[] = { model, before, after };
    for (size_t k = 0; k < 3; k++) crd_model_destroy(all[k]);
    crd__text_clear(top(&b));
  }
}

static void other_dimensions_are_paths_around(void **state) {
  static const rows_form bad[] = { { .index = 1 },
                                   { .gather = true, .index = 1 },
                                   { .whole = true } };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    builder b = make_view(state, bad[i]);
    crd_model *const model = open_made(&b);
    crd_model *after = model;
    FAILS(b.ctx, CRD_EUSAGE, crd_model_cut(b.ctx, model, "h", CRD_PART_AFTER, &after),
          "which does not depend on 'h': paths around it lead to the output");
    assert_null(after);
    crd_model_destroy(model);
    crd__text_clear(top(&b));
  }
}

static crd_status cut_somewhere(crd_context *ctx, const void *part) {
  crd_model *model = NULL, *out = NULL;
  crd_status status = crd_model_open(ctx, DATA_FILE("image.onnx"), &model);
  if (status == CRD_OK)
    status = crd_model_cut(ctx, model, "mean", *(const crd_model_part *)part, &out);
  assert_true((status == CRD_OK) == (out != NULL));
  crd_model_destroy(out);
  crd_model_destroy(model);
  return status;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  for (crd_model_part part = CRD_PART_BEFORE; part <= CRD_PART_AFTER; part++)
    fail_each_allocation(cut_somewhere, &part);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(free_dimensions_stay_free),    TEST(parts_have_what_they_need),
    TEST(values_are_declared_once),     TEST(other_cuts_are_refused),
    TEST(rows_are_those_of_the_tensor), TEST(other_dimensions_are_paths_around),
    TEST(survives_lack_of_memory)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
