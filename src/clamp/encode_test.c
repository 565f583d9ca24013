/* encode_test.c -- delta behind an embedding: fits with an encoder have the bits of fits on what it
 * computes. */
#include "clamp/encode.h"
#include "clamp/testing.h"

#include "network/model.h"
#include "onnx/graph.h"

enum { WORDS = 11, LENGTH = 3, WIDTH = INPUTS / LENGTH };

/* Tokens, what the table has for them, and the parts of a model in front of that and behind it. */
typedef struct {
  float table[WORDS * WIDTH], w[INPUTS * CLASSES];
  float tokens[ROWS * LENGTH], embedded[ROWS * INPUTS];
  int64_t labels[ROWS];
  crd_model *model;
  crd_network *encoder, *network;
  crd_dataset *texts, *vectors;
} stage;

static crd_model *build(crd_context *ctx, const stage *s) {
  static const int64_t in[] = { -1, LENGTH }, flat[] = { 0, INPUTS }, out[] = { -1, CLASSES };
  crd__onnx_graph g;
  crd__text bytes;
  crd_model *model;
  crd__onnx_graph_init(&g, &ctx->alloc);
  crd__onnx_graph_value x = crd__onnx_graph_input_of(&g, "tokens", CRD__ONNX_INT64, in, 2);
  const crd__onnx_graph_value table =
      crd__onnx_graph_floats(&g, "table", s->table, (int64_t[]){ WORDS, WIDTH }, 2);
  const crd__onnx_graph_value weights =
      crd__onnx_graph_floats(&g, "w", s->w, (int64_t[]){ INPUTS, CLASSES }, 2);
  x = crd__onnx_graph_node_as(&g, "embedded", "Gather", (crd__onnx_graph_value[]){ table, x }, 2,
                              NULL);
  x = crd__onnx_graph_node_as(&g, "flat", "Reshape",
                              (crd__onnx_graph_value[]){ x, crd__onnx_graph_int64s(&g, flat, 2) },
                              2, NULL);
  x = crd__onnx_graph_node_as(&g, "curved", "Tanh", &x, 1, NULL);
  x = crd__onnx_graph_node_as(&g, "logits", "MatMul", (crd__onnx_graph_value[]){ x, weights }, 2,
                              NULL);
  crd__onnx_graph_output_of(&g, x, CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  WORKS(ctx, crd__onnx_graph_finish(ctx, &g, "texts", "", &bytes));
  crd__onnx_graph_clear(&g);
  WORKS(ctx, crd__network_model_adopt(ctx, "texts.onnx", &bytes, &model));
  return model;
}

static crd_network *compile(crd_context *ctx, const crd_model *model, const char *tensor,
                            crd_model_part part, size_t batch) {
  const crd_compile_options how = { .size = sizeof how,
                                    .batch = batch,
                                    .mode = part == CRD_PART_AFTER ? CRD_MODE_INPUT_GRADIENT : 0 };
  crd_model *half;
  crd_network *network;
  WORKS(ctx, crd_model_cut(ctx, model, tensor, part, &half));
  WORKS(ctx, crd_network_compile(ctx, half, &how, &network));
  crd_model_destroy(half);
  return network;
}

static crd_dataset *make_rows(crd_context *ctx, const float *inputs, size_t columns,
                              const int64_t *labels) {
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, columns),
                                      .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                      .classes = CLASSES };
  crd_dataset *data;
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &data));
  return data;
}

/* Returns the class that the network has for a perturbed row, so that a perturbation helps; for
 * every fourth row another one. */
static int64_t best_class(const stage *s, size_t row) {
  double z[CLASSES] = { 0 };
  size_t best = 0;
  for (size_t i = 0; i < INPUTS; i++)
    for (size_t k = 0; k < CLASSES; k++)
      z[k] += tanh(s->embedded[row * INPUTS + i] + 0.7) * s->w[i * CLASSES + k];
  for (size_t k = 1; k < CLASSES; k++) best = z[k] > z[best] ? k : best;
  return (int64_t)((best + (row % 4 == 0)) % CLASSES);
}

static void begin(crd_context *ctx, const char *tensor, stage *s) {
  if (!ctx->threads) crd_context_set_threads(ctx, 1);
  for (size_t i = 0; i < WORDS * WIDTH; i++) s->table[i] = (float)crd__random_normal(9, 0, i);
  for (size_t i = 0; i < ROWS * LENGTH; i++)
    s->tokens[i] = (float)(crd__random_bits(9, 1, i) % WORDS);
  for (size_t i = 0; i < ROWS * INPUTS; i++)
    s->embedded[i] = s->table[(size_t)s->tokens[i / WIDTH] * WIDTH + i % WIDTH];
  for (size_t i = 0; i < INPUTS * CLASSES; i++) s->w[i] = (float)crd__random_normal(9, 2, i);
  for (size_t r = 0; r < ROWS; r++) s->labels[r] = best_class(s, r);
  s->model = build(ctx, s);
  s->encoder = compile(ctx, s->model, tensor, CRD_PART_BEFORE, BATCH);
  s->network = compile(ctx, s->model, tensor, CRD_PART_AFTER, BATCH);
  s->texts = make_rows(ctx, s->tokens, LENGTH, s->labels);
  s->vectors = make_rows(ctx, s->embedded, INPUTS, s->labels);
}

static void end(stage *s) {
  crd_network_destroy(s->encoder);
  crd_network_destroy(s->network);
  crd_model_destroy(s->model);
  crd_dataset_destroy(s->texts);
  crd_dataset_destroy(s->vectors);
}

/* ---- Fits. */

static void fits_behind_an_embedding(void **state) {
  static const char *const settings[] = {
    "",
    "lambda=0.1",
    "lambda=0.1,gamma=1,start=entropy,low=-9,high=9",
    "lambda=0.1,project=yes,low=-1,high=1",
    "lambda=0.1,optimiser=sgd,batch=48,epochs=3,rate=0.1",
  };
  static stage s;
  begin(*state, "flat", &s);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const crd_clamp_options inside = { .size = sizeof inside,
                                       .settings = settings[i],
                                       .encoder = s.encoder,
                                       .tensor = "flat" },
                            plain = { .size = sizeof plain, .settings = settings[i] };
    crd_clamp *a, *b;
    WORKS(*state, crd_clamp_fit(*state, s.network, s.texts, &inside, &a));
    WORKS(*state, crd_clamp_fit(*state, s.network, s.vectors, &plain, &b));
    const crd_clamp_summary *const found = crd_clamp_describe(a), *const same =
                                                                      crd_clamp_describe(b);
    assert_string_equal(found->tensor, "flat");
    assert_null(same->tensor);
    assert_true(found->rank == 1 && found->dims[0] == INPUTS);
    assert_int_equal(found->count, INPUTS);
    assert_memory_equal(found->delta, same->delta, INPUTS * sizeof *found->delta);
    assert_true(found->temperature == same->temperature && found->objective == same->objective);
    assert_true(i == 0 || found->delta_norm > 0.01);
    crd_clamp_destroy(a);
    crd_clamp_destroy(b);
  }
  end(&s);
}

/* Mean and standard deviation are of the data; low and high are a range of the tensor. */
static void scales_of_the_data(void **state) {
  double mean[LENGTH] = { 1, 0, 0 }, std[LENGTH] = { 1, 1, 1 };
  const crd_encoding encoding = { .channels = LENGTH, .mean = mean, .std = std };
  static stage s;
  crd_clamp *a, *b;
  begin(*state, "flat", &s);
  const char *const settings = "lambda=0.1,project=yes,low=-1,high=1";
  const crd_clamp_options inside = { .size = sizeof inside,
                                     .settings = settings,
                                     .encoder = s.encoder,
                                     .encoding = &encoding },
                          plain = { .size = sizeof plain, .settings = settings };
  for (size_t r = 0; r < ROWS; r++) s.tokens[r * LENGTH]++;
  WORKS(*state, crd_clamp_fit(*state, s.network, s.texts, &inside, &a));
  WORKS(*state, crd_clamp_fit(*state, s.network, s.vectors, &plain, &b));
  const crd_clamp_summary *const found = crd_clamp_describe(a);
  assert_int_equal(found->channels, LENGTH);
  assert_true(found->delta_norm > 0.01);
  assert_memory_equal(found->delta, crd_clamp_describe(b)->delta, INPUTS * sizeof *found->delta);
  crd_clamp_destroy(a);
  crd_clamp_destroy(b);
  end(&s);
}

/* ---- The model. */

static void embeddings_are_found(void **state) {
  static stage s;
  crd_clamp *clamp;
  crd_model *whole;
  begin(*state, "embedded", &s);
  assert_string_equal(crd_clamp_embedding(s.model), "embedded");
  const crd_clamp_options how = {
    .size = sizeof how, .settings = "lambda=0.1", .encoder = s.encoder, .tensor = "embedded"
  };
  WORKS(*state, crd_clamp_fit(*state, s.network, s.texts, &how, &clamp));
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  assert_true(found->rank == 2 && found->dims[0] == LENGTH && found->dims[1] == WIDTH);
  WORKS(*state, crd_clamp_into(*state, clamp, s.model, NULL, NULL, &whole));
  assert_non_null(strstr(crd_model_metadata(whole, "credence.clamp"), "delta added to embedded,"));
  crd_model_destroy(whole);
  crd_clamp_destroy(clamp);
  end(&s);
}

/* ---- Failures. */

static void networks_that_do_not_fit(void **state) {
  static stage s;
  crd_clamp *clamp;
  begin(*state, "flat", &s);
  crd_clamp_options how = { .size = sizeof how, .settings = "lambda=1", .encoder = s.encoder };
  FAILS(*state, CRD_EINPUT, crd_clamp_fit(*state, s.network, s.vectors, &how, &clamp),
        "the encoder does not take batches of the data's samples");
  FAILS(*state, CRD_EINPUT, crd_clamp_fit(*state, s.encoder, s.texts, &how, &clamp),
        "the network does not take what the encoder computes: f32 of the same shape");
  assert_null(clamp);
  crd_network *const other = compile(*state, s.model, "flat", CRD_PART_BEFORE, BATCH / 2);
  how.encoder = other;
  FAILS(*state, CRD_EINPUT, crd_clamp_fit(*state, s.network, s.texts, &how, &clamp),
        "the encoder does not take batches of the data's samples");
  crd_network_destroy(other);
  how.encoder = s.encoder;
  s.tokens[5] = 1.5F;
  FAILS(*state, CRD_EINPUT, crd_clamp_fit(*state, s.network, s.texts, &how, &clamp),
        "batch row 1 has the token 1.5, which is not an integer");
  s.tokens[5] = (float)NAN;
  FAILS(*state, CRD_EINPUT, crd_clamp_fit(*state, s.network, s.texts, &how, &clamp), "");
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(fits_behind_an_embedding), TEST(scales_of_the_data),
                                      TEST(embeddings_are_found), TEST(networks_that_do_not_fit) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
