/* update_test.c -- models with other weights and metadata: what changes, and what keeps its bytes.
 */
#include "messages_test.h"

#include "onnx/update.h"

#include <stdio.h>
#include <unistd.h>

static const float old_values[] = { 1, -2, 3 }, new_values[] = { .5F, 7, -1e-30F };
static const crd_weights w_new = { "w", new_values, 3 };

typedef enum { RAW, PACKED, LOOSE, SPLIT } form;

/* A float32 initialiser in one of the forms in which files have them, with a field after it. */
static void put_weights(builder *b, const char *name, const float *values, form how) {
  const float *const v = values;
  open_tensor(b, GRAPH_INITIALIZER, name, CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1);
  if (how == RAW) crd__onnx_proto_bytes(top(b), TENSOR_RAW, v, 12);
  if (how == PACKED) crd__onnx_proto_bytes(top(b), TENSOR_FLOATS, v, 12);
  for (int i = 0; i < 3 && how == LOOSE; i++) crd__onnx_proto_float(top(b), TENSOR_FLOATS, v[i]);
  if (how == SPLIT) crd__onnx_proto_bytes(top(b), TENSOR_FLOATS, v, 8);
  crd__onnx_proto_string(top(b), 97, "future of the tensor");
  if (how == SPLIT) crd__onnx_proto_float(top(b), TENSOR_FLOATS, v[2]);
  leave(b);
}

static void put_pair(builder *b, const char *key, const char *value) {
  enter(b, MODEL_METADATA);
  crd__onnx_proto_string(top(b), ENTRY_KEY, key);
  if (value) crd__onnx_proto_string(top(b), ENTRY_VALUE, value);
  leave(b);
}

/* y = x + w, with another constant, and a graph inside a node that has a tensor 'w' of its own. */
static builder make(void **state, const float *values, form how) {
  builder b = begin(state);
  crd__onnx_proto_int(top(&b), MODEL_IR, 9);
  put_pair(&b, "author", "somebody");
  enter(&b, MODEL_GRAPH);
  put_value(&b, GRAPH_INPUT, "x", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  put_weights(&b, "w", values, how);
  put_weights(&b, "v", old_values, how);
  open_tensor(&b, GRAPH_INITIALIZER, "n", CRD__ONNX_INT64, (int64_t[]){ 1 }, 1);
  crd__onnx_proto_int(top(&b), TENSOR_INT64S, 5);
  leave(&b);
  put_node(&b, "Add", "x,w", "y");
  open_node(&b, "Odd", "y", "z");
  enter(&b, NODE_ATTRIBUTE);
  crd__onnx_proto_string(top(&b), ATTRIBUTE_NAME, "body");
  enter(&b, ATTRIBUTE_GRAPH);
  put_weights(&b, "w", old_values, how);
  while (b.depth > 1) leave(&b);
  put_value(&b, GRAPH_OUTPUT, "z", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  leave(&b);
  put_pair(&b, "task", NULL);
  return b;
}

static crd__onnx_file *read_made(const builder *b) {
  crd__onnx_file *file;
  if (crd__onnx_file_read(b->ctx, "made.onnx", made(b), &file) != CRD_OK)
    fail_msg("%s", crd_context_message(b->ctx));
  return file;
}

static crd__text updated(const builder *b, const crd_weights *weights, size_t count,
                         const crd_metadata *metadata, size_t pairs) {
  crd__onnx_file *const file = read_made(b);
  crd__text out;
  crd__text_init(&out, &b->ctx->alloc);
  const crd__onnx_metadata_edit edit = { metadata, pairs };
  if (crd__onnx_file_update(b->ctx, file, weights, count, edit, &out) != CRD_OK)
    fail_msg("%s", crd_context_message(b->ctx));
  crd__onnx_file_destroy(file);
  return out;
}

static void assert_same(const crd__text *got, const builder *want) {
  assert_int_equal(got->length, made(want).length);
  assert_memory_equal(got->bytes, made(want).bytes, got->length);
}

/* Whatever the form, the bytes are those of a model whose weights were raw from the beginning. */
static void replaces_values(void **state) {
  builder want = make(state, new_values, RAW);
  builder same = make(state, old_values, RAW);
  for (form how = RAW; how <= SPLIT; how++) {
    const crd_weights all[] = { { "v", old_values, 3 }, w_new };
    builder b = make(state, old_values, how);
    crd__text out = updated(&b, all, 2, NULL, 0);
    crd__onnx_file *file;
    assert_int_equal(crd__onnx_file_read(
                         b.ctx, "new.onnx",
                         (crd__onnx_span){ (const unsigned char *)out.bytes, out.length }, &file),
                     CRD_OK);
    assert_memory_equal(file->edges[file->nodes[0].inputs[1]].constant->bytes, new_values, 12);
    if (how == RAW) assert_same(&out, &want);
    crd__onnx_file_destroy(file);
    crd__text_clear(&out);
    crd__text_clear(top(&b));
  }
  const crd_weights own[] = { { "w", old_values, 3 } };
  crd__text out = updated(&same, own, 1, NULL, 0);
  assert_same(&out, &same);
  crd__text_clear(&out);
  crd__text_clear(top(&want));
  crd__text_clear(top(&same));
}

static void keeps_everything_else(void **state) {
  for (form how = RAW; how <= SPLIT; how++) {
    builder b = make(state, old_values, how);
    crd__text out = updated(&b, NULL, 0, NULL, 0);
    assert_same(&out, &b);
    crd__text_clear(&out);
    crd__text_clear(top(&b));
  }
}

/* External data: embedded for all, replaced for one. */
static void replaces_external_values(void **state) {
  char path[256];
  temporary_path(path, "update.bin");
  const char *const name = strrchr(path, '/') + 1;
  FILE *const side = fopen(path, "wb");
  assert_true(side && fwrite(old_values, 4, 3, side) == 3 && fclose(side) == 0);
  builder b = begin(state);
  open_graph(&b, "z");
  for (const char *w = "v"; w; w = *w == 'v' ? "w" : NULL) {
    open_tensor(&b, GRAPH_INITIALIZER, w, CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1);
    put_place(&b, name, "0", "12");
    leave(&b);
  }
  put_node(&b, "Add", "x,w", "y");
  put_node(&b, "Add", "y,v", "z");
  while (b.depth) leave(&b);
  strcat(path, ".onnx");
  FILE *const model = fopen(path, "wb");
  assert_true(model && fwrite(made(&b).bytes, 1, made(&b).length, model) == made(&b).length);
  assert_int_equal(fclose(model), 0);
  crd__onnx_file *file, *again;
  assert_int_equal(crd__onnx_file_open(b.ctx, path, &file), CRD_OK);
  crd__text out;
  crd__text_init(&out, &b.ctx->alloc);
  const crd__onnx_metadata_edit none = { NULL, 0 };
  assert_int_equal(crd__onnx_file_update(b.ctx, file, &w_new, 1, none, &out), CRD_OK);
  const crd__onnx_span bytes = { (const unsigned char *)out.bytes, out.length };
  assert_int_equal(crd__onnx_file_read(b.ctx, "/nowhere/m.onnx", bytes, &again), CRD_OK);
  assert_memory_equal(again->edges[again->nodes[0].inputs[1]].constant->bytes, new_values, 12);
  assert_memory_equal(again->edges[again->nodes[1].inputs[1]].constant->bytes, old_values, 12);
  crd__onnx_file_destroy(file);
  crd__onnx_file_destroy(again);
  crd__text_clear(&out);
  crd__text_clear(top(&b));
  unlink(path);
  path[strlen(path) - 5] = '\0';
  unlink(path);
}

/* ---- Metadata. */

static void reads_metadata(void **state) {
  builder b = make(state, old_values, RAW);
  put_pair(&b, "author", "somebody else");
  put_pair(&b, "", "nameless");
  crd__onnx_file *const file = read_made(&b);
  assert_int_equal(file->metadata_count, 4);
  assert_string_equal(crd__onnx_file_metadata(file, "author"), "somebody else");
  assert_string_equal(crd__onnx_file_metadata(file, "task"), "");
  assert_string_equal(crd__onnx_file_metadata(file, ""), "nameless");
  assert_null(crd__onnx_file_metadata(file, "Author"));
  crd__onnx_file_destroy(file);
  crd__text_clear(top(&b));
}

static void changes_metadata(void **state) {
  static const crd_metadata changes[] = {
    { "b", "lost: given twice" }, { "author", NULL }, { "b", "2" }, { "a", "" }, { "none", NULL },
  };
  builder b = make(state, old_values, RAW), twice = make(state, old_values, RAW);
  put_pair(&twice, "a", "old");
  put_pair(&twice, "author", "another");
  crd__text first = updated(&b, NULL, 0, changes, 5), second = updated(&twice, NULL, 0, changes, 5);
  assert_int_equal(first.length, second.length); /* earlier values do not matter */
  assert_memory_equal(first.bytes, second.bytes, first.length);
  crd__onnx_file *file;
  const crd__onnx_span bytes = { (const unsigned char *)first.bytes, first.length };
  assert_int_equal(crd__onnx_file_read(b.ctx, "new.onnx", bytes, &file), CRD_OK);
  assert_int_equal(file->metadata_count, 3);
  assert_null(crd__onnx_file_metadata(file, "author"));
  assert_string_equal(crd__onnx_file_metadata(file, "task"), "");
  assert_string_equal(crd__onnx_file_metadata(file, "a"), "");
  assert_string_equal(file->metadata[1].key, "b");
  assert_string_equal(file->metadata[1].value, "2");
  crd__onnx_file_destroy(file);
  crd__text_clear(&first);
  crd__text_clear(&second);
  crd__text_clear(top(&b));
  crd__text_clear(top(&twice));
}

static void invalid_metadata_is_refused(void **state) {
  static const struct {
    const char *bytes, *words;
  } bad[] = {
    { "\x70\x05", "an entry of the metadata has the wrong wire type" },
    { "\x72\x03\x0a\x05k", "an entry of the metadata is truncated" },
    { "\x72\x03\x0a\x01\xff", "a key of the metadata, '?', is not UTF-8: byte 0 is 0xff" },
    { "\x72\x04\x12\x02v\x80", "a value of the metadata, 'v?', is not UTF-8: byte 1 is 0x80" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    builder b = make(state, old_values, RAW);
    crd__onnx_file *file;
    crd__text_add(top(&b), bad[i].bytes);
    assert_int_equal(crd__onnx_file_read(b.ctx, "made.onnx", made(&b), &file), CRD_EINPUT);
    check_message(&b, bad[i].words);
    assert_null(file);
    crd__text_clear(top(&b));
  }
}

/* ---- Wrong names and sizes. */

static void unknown_weights_are_refused(void **state) {
  static const struct {
    crd_weights weights[2];
    const char *words;
  } bad[] = {
    { { { "ww", new_values, 3 } }, "no initialiser is called 'ww'; did you mean 'w'?" },
    { { { "elsewhere", new_values, 3 } }, "no initialiser is called 'elsewhere'" },
    { { { "y", new_values, 3 } }, "no initialiser is called 'y'; did you mean 'w'?" },
    { { { "n", new_values, 1 } },
      "initialiser 'n' is i64, only f16, bf16 and f32 can be replaced" },
    { { { "w", new_values, 2 } }, "initialiser 'w' has 3 values, found 2 new ones" },
    { { { "w", new_values, 3 }, { "w", new_values, 3 } }, "the values of 'w' are given twice" },
  };
  builder b = make(state, old_values, RAW);
  crd__onnx_file *const file = read_made(&b);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    crd__text out;
    crd__text_init(&out, &b.ctx->alloc);
    const crd__onnx_metadata_edit none = { NULL, 0 };
    const size_t count = bad[i].weights[1].name ? 2 : 1;
    assert_int_equal(crd__onnx_file_update(b.ctx, file, bad[i].weights, count, none, &out),
                     CRD_EUSAGE);
    check_message(&b, bad[i].words);
    assert_int_equal(out.length, 0);
  }
  crd__onnx_file_destroy(file);
  crd__text_clear(top(&b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(replaces_values),
    cmocka_unit_test(keeps_everything_else),
    cmocka_unit_test(replaces_external_values),
    cmocka_unit_test(reads_metadata),
    cmocka_unit_test(changes_metadata),
    cmocka_unit_test(invalid_metadata_is_refused),
    cmocka_unit_test(unknown_weights_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
