/*
 * edges_test.c -- a large model is opened without loading it into memory.
 *
 * The file is sparse, with holes for its weights. Each tensor is as small as the range that the
 * system maps around one byte that is read, so reading all names loads the whole file unless pages
 * are dropped on the way.
 */
#include "messages_test.h"

#include "onnx/file.h"

#include <stdio.h>
#include <unistd.h>

enum { TENSORS = 2048, FLOATS = 8192, BYTES = 4 * FLOATS, LIMIT_KB = 24 << 10 }; /* of 64 MB */

/* Peak resident memory of the process in kB; 0: unknown. */
static long most_resident(void) {
  long most = 0;
  char line[256];
  FILE *const file = fopen("/proc/self/status", "r");
  while (file && !most && fgets(line, sizeof line, file)) (void)sscanf(line, "VmHWM: %ld", &most);
  if (file) fclose(file);
  return most;
}

/* A tensor without its data, which follows it; the header has the same length for all tensors. */
static crd__text head_of(crd_context *ctx, size_t number) {
  static const int64_t dims[] = { FLOATS };
  void *state = ctx;
  builder b = begin(&state);
  char name[16];
  crd__text head;
  crd__text_init(&head, &ctx->alloc);
  snprintf(name, sizeof name, "w%04zu", number);
  open_tensor(&b, GRAPH_INITIALIZER, name, CRD__ONNX_FLOAT, dims, 1);
  crd__onnx_proto_head(top(&b), TENSOR_RAW, BYTES);
  crd__onnx_proto_head(&head, GRAPH_INITIALIZER, top(&b)->length + BYTES);
  crd__text_add_bytes(&head, top(&b)->bytes, top(&b)->length);
  crd__text_clear(top(&b));
  return head;
}

/* One node per tensor, which looks its name up. */
static void put_nodes(builder *b) {
  for (size_t i = 0; i < TENSORS; i++) {
    char reads[16], makes[16];
    snprintf(reads, sizeof reads, "w%04zu", i);
    snprintf(makes, sizeof makes, "y%zu", i);
    put_node(b, "Identity", reads, makes);
  }
  put_value(b, GRAPH_OUTPUT, "y0", CRD__ONNX_FLOAT, NULL, 0);
}

static void write_and_clear(FILE *file, crd__text *text) {
  assert_int_equal(fwrite(text->bytes, 1, text->length, file), text->length);
  crd__text_clear(text);
}

static void write_model(crd_context *ctx, const char *path) {
  void *state = ctx;
  builder b = begin(&state);
  crd__text head = head_of(ctx, 0);
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  enter(&b, MODEL_GRAPH);
  put_nodes(&b);
  crd__onnx_proto_head(&b.texts[0], MODEL_GRAPH, top(&b)->length + TENSORS * (head.length + BYTES));
  write_and_clear(file, &b.texts[0]);
  write_and_clear(file, top(&b));
  for (size_t i = 0; i < TENSORS; i++) {
    crd__text_clear(&head);
    head = head_of(ctx, i);
    assert_int_equal(fwrite(head.bytes, 1, head.length, file), head.length);
    assert_int_equal(fseek(file, BYTES - 1, SEEK_CUR), 0);
    assert_int_equal(fputc(0, file), 0);
  }
  crd__text_clear(&head);
  assert_int_equal(fclose(file), 0);
}

/* The system maps around a byte only pages that are in its cache already. */
static void read_all(const char *path) {
  char bytes[1 << 16];
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  while (fread(bytes, 1, sizeof bytes, file) == sizeof bytes) continue;
  assert_int_equal(fclose(file), 0);
}

static void little_of_a_large_model_is_in_memory(void **state) {
  char path[256];
  crd__onnx_file *file;
  temporary_path(path, "large.onnx");
  write_model(*state, path);
  read_all(path);
  const long before = most_resident();
  const crd_status status = crd__onnx_file_open(*state, path, &file);
  const long after = most_resident();
  unlink(path);
  if (status != CRD_OK) fail_msg("%s", crd_context_message(*state));
  assert_int_equal(file->weight_bytes, (uint64_t)TENSORS * BYTES);
  crd__onnx_file_destroy(file);
  if (!before) cannot_test("little_of_a_large_model_is_in_memory", "no /proc/self/status");
  if (after - before > LIMIT_KB) fail_msg("%ld kB more than before", after - before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(little_of_a_large_model_is_in_memory, open_context,
                                    close_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
