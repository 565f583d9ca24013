/*
 * edits_test.c -- edits of networks that PyTorch exported: trained parameters in place of old ones,
 * parts in a row, joined parts.
 *
 * The parameters and running statistics of a trained network, written into the file's bytes by
 * plain search, must give the same model as crd_model_update.
 */
#include "modelkit/modelkit.h"
#include "network/model.h"
#include "network/runs_test.h"

#include "base/file.h"

/* ---- Other parameters. */

static const char stem[] = NET_FOLDER "/resnet20-opset11-dynamic";
enum { BATCH = 4, PARAMETERS_MAX = 200 };

static void *find(void *bytes, size_t length, const void *part, size_t count) {
  for (size_t i = 0; i + count <= length; i++)
    if (memcmp((char *)bytes + i, part, count) == 0) return (char *)bytes + i;
  return NULL;
}

/* Two runs in training move the running statistics; then every parameter moves. */
static void train(crd_context *ctx, crd_network *network, const crd_array *x) {
  const crd_parameter *p;
  for (int i = 0; i < 2; i++) WORKS(ctx, crd_network_run(ctx, network, x, 1));
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++)
    for (size_t k = 0; p->gradient && k < p->count; k++)
      p->values[k] += 1e-3F * (float)((k * 7 + i) % 11);
}

/* The file's bytes, with the values of each parameter where the old ones were. */
static crd_model *patch(crd_context *ctx, const crd_network *before, const crd_network *after,
                        unsigned char **bytes) {
  char path[NET_STEM_MAX + 8];
  crd__blob blob;
  crd_model *model;
  const crd_parameter *p;
  snprintf(path, sizeof path, "%s.onnx", stem);
  WORKS(ctx, crd__blob_open(ctx, path, &blob));
  *bytes = malloc(blob.length);
  memcpy(*bytes, blob.bytes, blob.length);
  for (size_t i = 0; (p = crd_network_parameter(before, i)); i++) {
    char name[128]; /* the name of the tensor comes before its data */
    const int length = snprintf(name, sizeof name, "%c%s", (int)strlen(p->name), p->name);
    unsigned char *at = find(*bytes, blob.length, name, (size_t)length);
    assert_non_null(at);
    const size_t left = blob.length - (size_t)(at - *bytes), size = p->count * 4;
    unsigned char *const data = find(at, left, p->values, size);
    if (!data) fail_msg("%s: its values are not in the file", p->name);
    memcpy(data, crd_network_parameter(after, i)->values, size);
  }
  WORKS(ctx, crd_model_open_memory(ctx, "patched.onnx", *bytes, blob.length, &model));
  crd__blob_close(&ctx->alloc, &blob);
  return model;
}

static crd_network *compile(crd_context *ctx, const crd_model *model, crd_mode mode) {
  crd_network *network;
  const crd_compile_options how = { .size = sizeof how, .batch = BATCH, .mode = mode };
  WORKS(ctx, crd_network_compile(ctx, model, &how, &network));
  return network;
}

static crd_model *update(crd_context *ctx, const crd_model *model, const crd_network *network) {
  crd_weights weights[PARAMETERS_MAX];
  crd_model *updated;
  const crd_parameter *p;
  size_t count = 0, statistics = 0;
  for (; (p = crd_network_parameter(network, count)); count++) {
    assert_true(count < PARAMETERS_MAX);
    weights[count] = (crd_weights){ p->name, p->values, p->count };
    statistics += p->gradient == NULL;
  }
  assert_true(statistics > 0 && count > statistics);
  WORKS(ctx, crd_model_update(ctx, model, weights, count, NULL, 0, &updated));
  return updated;
}

static void a_trained_network_becomes_a_model(void **state) {
  crd_model *const model = net_open_stored(*state, stem);
  crd_array_file *const file = net_beside(*state, stem, ".x.npy");
  const crd_array *const rows = crd_array_file_array(file);
  crd_network *const before = compile(*state, model, CRD_MODE_TRAINING);
  crd_network *const trained = compile(*state, model, CRD_MODE_TRAINING);
  crd_array x = *crd_network_input(trained, 0);
  const size_t count = crd_array_count(&x), given = crd_array_count(rows);
  float *const values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count; i++)
    values[i] = ((const float *)rows->data)[i % given] * (i < given ? 1.F : -.5F);
  x.data = values;
  train(*state, trained, &x);
  unsigned char *bytes;
  crd_model *const wanted = patch(*state, before, trained, &bytes);
  crd_model *const updated = update(*state, model, trained);
  crd_network *const left = compile(*state, wanted, CRD_MODE_INFERENCE);
  crd_network *const right = compile(*state, updated, CRD_MODE_INFERENCE);
  crd_network *const old = compile(*state, model, CRD_MODE_INFERENCE);
  WORKS(*state, crd_network_run(*state, left, &x, 1));
  WORKS(*state, crd_network_run(*state, right, &x, 1));
  WORKS(*state, crd_network_run(*state, old, &x, 1));
  const crd_array *const a = crd_network_output(left, 0), *const b = crd_network_output(right, 0);
  const size_t bytes_out = crd_array_count(a) * sizeof(float);
  assert_memory_equal(a->data, b->data, bytes_out);
  assert_memory_not_equal(a->data, crd_network_output(old, 0)->data, bytes_out);
  crd_network *const networks[] = { before, trained, left, right, old };
  for (size_t i = 0; i < 5; i++) crd_network_destroy(networks[i]);
  crd_model_destroy(wanted);
  crd_model_destroy(updated);
  crd_model_destroy(model);
  crd_array_file_destroy(file);
  free(bytes);
  free(values);
}

/* ---- Parts. */

static void check_cut(crd_context *ctx, const crd_model *model, const char *at, const crd_array *x,
                      const crd_array *want) {
  crd_model *const before = cut(ctx, model, at, CRD_PART_BEFORE);
  crd_model *const after = cut(ctx, model, at, CRD_PART_AFTER);
  assert_string_equal(crd_model_output(before, 0)->name, at);
  assert_string_equal(crd_model_input(after, 0)->name, at);
  assert_null(crd_model_output(before, 1));
  assert_null(crd_model_output(after, 1));
  assert_null(crd_model_input(after, 1));
  assert_true(crd_model_input(after, 0)->known);
  assert_int_equal(crd_model_input(after, 0)->dims[0], crd_model_input(model, 0)->dims[0]);
  crd_array inner = run_once(ctx, before, x);
  crd_array got = run_once(ctx, after, &inner);
  check_near(at, &got, want);
  drop(ctx, &inner);
  drop(ctx, &got);
  crd_model_destroy(before);
  crd_model_destroy(after);
}

/* Tries the first output of every node; returns how many everything passes through. */
static size_t check_cuts(crd_context *ctx, const char *path) {
  enum { EVERY = 12 };
  crd_model *const model = net_open_stored(ctx, path);
  crd_array_file *const file = net_beside(ctx, path, ".x.npy");
  const crd_array *const x = crd_array_file_array(file);
  crd_array want = run_once(ctx, model, x);
  const crd__onnx_file *const inside = model->file;
  size_t cuts = 0;
  for (size_t n = 0; n < inside->node_count; n++) {
    crd_model *after;
    const char *const at = inside->edges[inside->nodes[n].outputs[0]].name;
    const crd_status status = crd_model_cut(ctx, model, at, CRD_PART_AFTER, &after);
    crd_model_destroy(after);
    if (status == CRD_OK && cuts++ % EVERY == 0) check_cut(ctx, model, at, x, &want);
    if (status != CRD_OK) assert_int_equal(status, CRD_EUSAGE);
  }
  drop(ctx, &want);
  crd_array_file_destroy(file);
  crd_model_destroy(model);
  return cuts;
}

static void parts_in_a_row_are_the_whole(void **state) {
  static const char *const names[] = { "resnet20-opset11-dynamic", "densenet121-cifar-opset13",
                                       "mixer-opset17-dynamic", "squeezenet-opset17" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[NET_STEM_MAX];
    snprintf(path, sizeof path, "%s/%s", NET_FOLDER, names[i]);
    assert_true(check_cuts(*state, path) > 5);
  }
}

/* What was cut apart is the same again. */
static void parts_join_to_the_whole(void **state) {
  static const crd_metadata pairs[] = { { "credence.mean", "[1]" },
                                        { "credence.class_names", "[\"a\"]" },
                                        { "author", "x" } };
  crd_model *const plain = net_open_stored(*state, stem);
  crd_model *model;
  WORKS(*state, crd_model_update(*state, plain, NULL, 0, pairs, 3, &model));
  crd_array_file *const file = net_beside(*state, stem, ".x.npy");
  const crd_array *const x = crd_array_file_array(file);
  const char *const at =
      model->file->edges[model->file->nodes[model->file->node_count - 2].outputs[0]]
          .name; /* the input of the last node */
  crd_model *const before = cut(*state, model, at, CRD_PART_BEFORE);
  crd_model *const after = cut(*state, model, at, CRD_PART_AFTER);
  crd_model *both;
  WORKS(*state, crd_model_join(*state, before, after, &both));
  crd_array want = run_once(*state, model, x), got = run_once(*state, both, x);
  assert_memory_equal(got.data, want.data, crd_array_count(&want) * sizeof(float));
  assert_int_equal(both->file->node_count, model->file->node_count);
  for (size_t i = 0; i < 3; i++)
    assert_string_equal(crd_model_metadata(both, pairs[i].key), pairs[i].value);
  assert_string_equal(crd_model_output(both, 0)->name, crd_model_output(model, 0)->name);
  drop(*state, &want);
  drop(*state, &got);
  crd_array_file_destroy(file);
  crd_model *const all[] = { plain, model, before, after, both };
  for (size_t i = 0; i < 5; i++) crd_model_destroy(all[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(a_trained_network_becomes_a_model),
                                      TEST(parts_in_a_row_are_the_whole),
                                      TEST(parts_join_to_the_whole) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
