/* rewrite_test.c -- external data: found, rejected, and embedded. */
#include "messages_test.h"

#include "base/file.h"
#include "onnx/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder with weights in it and below it, and files outside that no model may read: one of them
 * has a name with the folder's name as prefix. */
static struct { char top[256], folder[300], model[320], out[320], secret[320], near[320]; } places;

static void write_file(const char *path, const void *bytes, size_t count) {
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

static const char *in_folder(const char *name) {
  static char path[400];
  snprintf(path, sizeof path, "%s/%s", places.folder, name);
  return path;
}

static const float weights[] = { 1, 2, 3, 4, 5, 6 };

static int make_places(void **state) {
  temporary_path(places.top, "onnx"); /* may be left from a killed process of the same number */
  if (!mkdtemp(strcat(places.top, "-XXXXXX"))) return 1;
  snprintf(places.folder, sizeof places.folder, "%s/model", places.top);
  snprintf(places.model, sizeof places.model, "%s/m.onnx", places.folder);
  snprintf(places.out, sizeof places.out, "%s/out.onnx", places.folder);
  snprintf(places.secret, sizeof places.secret, "%s/secret", places.top);
  if (mkdir(places.folder, 0700) || mkdir(in_folder("sub"), 0700)) return 1;
  write_file(in_folder("w.bin"), weights, sizeof weights);
  write_file(in_folder("sub/w.bin"), weights, sizeof weights);
  snprintf(places.near, sizeof places.near, "%s.near", places.folder);
  write_file(places.secret, weights, sizeof weights);
  write_file(places.near, weights, sizeof weights);
  if (symlink("../secret", in_folder("out-link")) || symlink("..", in_folder("up")) ||
      symlink("../model.near", in_folder("near-link")) ||
      symlink("sub/w.bin", in_folder("in-link")) || symlink("self", in_folder("self")) ||
      mkfifo(in_folder("pipe"), 0600))
    return 1;
  return open_context(state);
}

static int remove_places(void **state) {
  static const char *const names[] = {
    "w.bin",   "sub/w.bin", "out-link", "near-link", "up",
    "in-link", "self",      "pipe",     "m.onnx",    "out.onnx"
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(in_folder(names[i]));
  unlink(places.secret);
  unlink(places.near);
  rmdir(in_folder("sub"));
  rmdir(places.folder);
  return rmdir(places.top) | close_context(state);
}

/* A model with three floats of external data, and unknown fields. */
static void put_model(builder *b, const char *location, const char *offset, const char *length) {
  crd__onnx_proto_string(top(b), 99, "future of the model");
  open_graph(b, "y");
  crd__onnx_proto_string(top(b), 98, "future of the graph");
  open_tensor(b, GRAPH_INITIALIZER, "w", CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1);
  put_place(b, location, offset, length);
  crd__onnx_proto_string(top(b), 97, "future of the tensor");
  leave(b);
  put_node(b, "Add", "x,w", "y");
  while (b->depth) leave(b);
}

static crd_status open_made(builder *b, crd__onnx_file **out) {
  write_file(places.model, made(b).bytes, made(b).length);
  const crd_status status = crd__onnx_file_open(b->ctx, places.model, out);
  assert_true((status == CRD_OK) == (*out != NULL));
  return status;
}

static const crd__onnx_tensor *weight_of(const crd__onnx_file *file) {
  return file->edges[file->nodes[0].inputs[1]].constant;
}

/* ---- Reading. */

static void finds_weights_beside_the_model(void **state) {
  static const struct {
    const char *location, *offset, *length;
    size_t first;
  } good[] = {
    { "w.bin", NULL, NULL, 0 },  { "w.bin", "12", NULL, 3 },     { "w.bin", "4", "12", 1 },
    { "./w.bin", "0", NULL, 0 }, { "sub/w.bin", "12", "12", 3 }, { "in-link", "12", "12", 3 },
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    builder b = begin(state);
    crd__onnx_file *file;
    put_model(&b, good[i].location, good[i].offset, good[i].length);
    if (open_made(&b, &file) != CRD_OK) fail_msg("%s", crd_context_message(b.ctx));
    assert_memory_equal(weight_of(file)->bytes, weights + good[i].first, 12);
    assert_int_equal(file->weight_bytes, 12);
    crd__onnx_file_destroy(file);
    crd__text_clear(top(&b));
  }
}

static void other_places_are_refused(void **state) {
  static const struct {
    const char *location, *offset, *length, *words;
  } bad[] = {
    { NULL, NULL, NULL, "tensor 'w' has external data without a location" },
    { "", NULL, NULL, "'' does not name a file in the same folder" },
    { "/etc/hosts", NULL, NULL, "'/etc/hosts' does not name a file in the same folder" },
    { "../secret", NULL, NULL, "'../secret' does not name a file in the same folder" },
    { "sub/../../secret", NULL, NULL, "does not name a file in the same folder" },
    { "sub/..", NULL, NULL, "does not name a file in the same folder" },
    { "out-link", NULL, NULL, "'out-link' is outside the folder" },
    { "near-link", NULL, NULL, "'near-link' is outside the folder" },
    { "up/secret", NULL, NULL, "'up/secret' is outside the folder" },
    { "self", NULL, NULL, "cannot open" },
    { "pipe", NULL, NULL, "'pipe' is not a regular file" },
    { "sub", NULL, NULL, "'sub' is not a regular file" },
    { "none", NULL, NULL, "weights of tensor 'w'" },
    { "w.bin", "16", NULL, "needs 12 bytes from byte 16 of 'w.bin', which has 24" },
    { "w.bin", "9223372036854775807", NULL, "of 'w.bin', which has 24" },
    { "w.bin", "-4", NULL, "the offset of its external data is '-4'" },
    { "w.bin", "4x", NULL, "the offset of its external data is '4x'" },
    { "w.bin", "", NULL, "the offset of its external data is ''" },
    { "w.bin", NULL, "11", "tensor 'w' has 11 bytes in 'w.bin', its type and dimensions need 12" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    builder b = begin(state);
    crd__onnx_file *file;
    put_model(&b, bad[i].location, bad[i].offset, bad[i].length);
    assert_int_equal(open_made(&b, &file), CRD_EINPUT);
    check_message(&b, bad[i].words);
    check_message(&b, places.model);
    crd__text_clear(top(&b));
  }
}

/* ---- Writing. */

static crd__blob saved(crd_context *ctx, const crd__onnx_file *file) {
  crd__blob blob;
  if (crd__onnx_file_save(ctx, file, places.out) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  assert_int_equal(crd__blob_open(ctx, places.out, &blob), CRD_OK);
  return blob;
}

/* The expected result for put_model: the same fields, with the data embedded. */
static void put_expected(builder *b) {
  crd__onnx_proto_string(top(b), 99, "future of the model");
  crd__onnx_proto_int(top(b), MODEL_IR, 8);
  enter(b, MODEL_OPSET);
  crd__onnx_proto_int(top(b), OPSET_VERSION, 13);
  leave(b);
  enter(b, MODEL_GRAPH);
  put_value(b, GRAPH_INPUT, "x", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  put_value(b, GRAPH_OUTPUT, "y", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  crd__onnx_proto_string(top(b), 98, "future of the graph");
  open_tensor(b, GRAPH_INITIALIZER, "w", CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1);
  crd__onnx_proto_string(top(b), 97, "future of the tensor");
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, weights + 1, 12);
  leave(b);
  put_node(b, "Add", "x,w", "y");
  while (b->depth) leave(b);
}

static void puts_weights_inside(void **state) {
  builder b = begin(state), expected = begin(state);
  crd__onnx_file *file, *again;
  put_model(&b, "w.bin", "4", NULL);
  put_expected(&expected);
  assert_int_equal(open_made(&b, &file), CRD_OK);
  crd__blob first = saved(b.ctx, file);
  assert_int_equal(first.length, made(&expected).length);
  assert_memory_equal(first.bytes, made(&expected).bytes, first.length);
  assert_int_equal(crd__onnx_file_open(b.ctx, places.out, &again), CRD_OK);
  assert_memory_equal(weight_of(again)->bytes, weights + 1, 12);
  crd__blob second = saved(b.ctx, again); /* overwrites the mapped file */
  assert_int_equal(second.length, first.length);
  assert_memory_equal(second.bytes, first.bytes, first.length);
  crd__onnx_file_destroy(file);
  crd__onnx_file_destroy(again);
  crd__blob_close(&b.ctx->alloc, &first);
  crd__blob_close(&b.ctx->alloc, &second);
  crd__text_clear(top(&b));
  crd__text_clear(top(&expected));
}

/* Messages that enclose a tensor with external data, outermost first. */
static const unsigned deep_ways[][6] = {
  { MODEL_GRAPH, GRAPH_NODE, NODE_ATTRIBUTE, ATTRIBUTE_TENSOR },
  { MODEL_GRAPH, GRAPH_NODE, NODE_ATTRIBUTE, ATTRIBUTE_TENSORS },
  { MODEL_GRAPH, GRAPH_NODE, NODE_ATTRIBUTE, ATTRIBUTE_GRAPH, GRAPH_INITIALIZER },
  { MODEL_GRAPH, GRAPH_NODE, NODE_ATTRIBUTE, ATTRIBUTE_GRAPHS, GRAPH_SPARSE, SPARSE_VALUES },
  { MODEL_FUNCTION, FUNCTION_NODE, NODE_ATTRIBUTE, ATTRIBUTE_TENSOR },
  { MODEL_TRAINING, TRAINING_FIRST, GRAPH_INITIALIZER },
};

static void put_deep(builder *b, const unsigned *way) {
  if (*way != MODEL_GRAPH) {
    enter(b, MODEL_GRAPH);
    leave(b);
  }
  for (size_t i = 0; i < 6 && way[i]; i++) {
    enter(b, way[i]);
    if (i == 1) crd__onnx_proto_string(top(b), NODE_OP, "Odd");
    if (i == 2 && way[3]) crd__onnx_proto_string(top(b), ATTRIBUTE_NAME, "a");
  }
  crd__onnx_proto_int(top(b), TENSOR_DIM, 3);
  crd__onnx_proto_int(top(b), TENSOR_TYPE, CRD__ONNX_FLOAT);
  put_place(b, "w.bin", "8", "12");
  while (b->depth) leave(b);
}

static bool contains(const crd__blob *blob, const void *bytes, size_t count) {
  for (size_t i = 0; i + count <= blob->length; i++)
    if (memcmp(blob->bytes + i, bytes, count) == 0) return true;
  return false;
}

static void finds_tensors_everywhere(void **state) {
  for (size_t i = 0; i < sizeof deep_ways / sizeof *deep_ways; i++) {
    builder b = begin(state);
    crd__onnx_file *file;
    put_deep(&b, deep_ways[i]);
    if (open_made(&b, &file) != CRD_OK) fail_msg("%zu: %s", i, crd_context_message(b.ctx));
    crd__blob blob = saved(b.ctx, file);
    assert_true(contains(&blob, weights + 2, 12));
    assert_false(contains(&blob, "w.bin", 5));
    crd__onnx_file_destroy(file);
    assert_int_equal(crd__onnx_file_open(b.ctx, places.out, &file), CRD_OK);
    crd__onnx_file_destroy(file);
    crd__blob_close(&b.ctx->alloc, &blob);
    crd__text_clear(top(&b));
  }
}

/* All but weights and version is copied byte for byte, however unusually it is encoded. */
static void keeps_other_bytes(void **state) {
  static const char odd[] = "\x08\x09"                  /* IR version 9 */
                            "\x3a\x86\x80\x00"          /* a graph, with a long length of 6, */
                            "\x92\x06\x82\x00hi"        /* in it field 98, with a long one of 2 */
                            "\x9d\x06\x01\x02\x03\x04"; /* field 99, of four bytes */
  builder b = begin(state);
  crd__onnx_file *file;
  crd__text_add_bytes(top(&b), odd, sizeof odd - 1);
  assert_int_equal(open_made(&b, &file), CRD_OK);
  crd__blob blob = saved(b.ctx, file);
  assert_int_equal(blob.length, made(&b).length);
  assert_memory_equal(blob.bytes, made(&b).bytes, blob.length);
  crd__onnx_file_destroy(file);
  crd__blob_close(&b.ctx->alloc, &blob);
  crd__text_clear(top(&b));
}

/* A type of unknown element size can be opened, but not embedded. */
static void unknown_types_cannot_be_put_inside(void **state) {
  builder b = begin(state);
  crd__onnx_file *file;
  open_graph(&b, "x");
  open_tensor(&b, GRAPH_INITIALIZER, "w", 17, (int64_t[]){ 3 }, 1);
  put_place(&b, "w.bin", NULL, NULL);
  while (b.depth) leave(&b);
  assert_int_equal(open_made(&b, &file), CRD_OK);
  assert_int_equal(crd__onnx_file_save(b.ctx, file, places.out), CRD_EINPUT);
  check_message(&b, "tensor 'w' has external data of type 17");
  crd__onnx_file_destroy(file);
  crd__text_clear(top(&b));
}

/* A sparse file of three gigabytes. */
static void too_much_for_one_file_is_refused(void **state) {
  builder b = begin(state);
  crd__onnx_file *file;
  assert_int_equal(truncate(in_folder("w.bin"), 3LL << 30), 0);
  open_graph(&b, "x");
  open_tensor(&b, GRAPH_INITIALIZER, "w", CRD__ONNX_FLOAT, (int64_t[]){ 3LL << 28 }, 1);
  put_place(&b, "w.bin", NULL, NULL);
  while (b.depth) leave(&b);
  assert_int_equal(open_made(&b, &file), CRD_OK);
  assert_int_equal(crd__onnx_file_save(b.ctx, file, places.out), CRD_EINPUT);
  check_message(&b, "allowed are at most 2147483647");
  assert_int_equal(truncate(in_folder("w.bin"), sizeof weights), 0);
  crd__onnx_file_destroy(file);
  crd__text_clear(top(&b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_weights_beside_the_model),
    cmocka_unit_test(other_places_are_refused),
    cmocka_unit_test(puts_weights_inside),
    cmocka_unit_test(finds_tensors_everywhere),
    cmocka_unit_test(keeps_other_bytes),
    cmocka_unit_test(unknown_types_cannot_be_put_inside),
    cmocka_unit_test(too_much_for_one_file_is_refused),
  };
  return cmocka_run_group_tests(tests, make_places, remove_places);
}
