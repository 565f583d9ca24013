/*
 * zoo_test.c -- what holds for every architecture: it has the published number of parameters,
 * compiles for inference and training, runs, has both cuts, right gradients, and bytes that depend
 * on settings and seed alone.
 */
#include "credence/zoo.h"
#include "io/testing.h"
#include "network/model.h"

#include <math.h>

/* ---- Numbers of parameters. */

typedef struct {
  const char *network;
  crd_architecture_shape shape;
  uint64_t exact;        /* 0: unknown */
  const char *published; /* millions, as the paper rounds them; NULL: not published */
} size_case;

#define IMAGE(k, c, h, w)                                                                          \
  {                                                                                                \
    .size = sizeof(crd_architecture_shape), .classes = (k), .rank = 3, .dims = {(c), (h), (w) }    \
  }
#define VECTOR(k, n)                                                                               \
  {                                                                                                \
    .size = sizeof(crd_architecture_shape), .classes = (k), .rank = 1, .dims = {(n) }              \
  }
#define TEXT(k, n, tokens)                                                                         \
  {                                                                                                \
    .size = sizeof(crd_architecture_shape), .classes = (k), .rank = 1, .dims = { (n) },            \
    .words = (tokens)                                                                              \
  }
#define CIFAR IMAGE(10, 3, 32, 32)

static const size_case sizes[] = {
  { "mlp", VECTOR(26, 16), 16 * 128 + 128 + 128 * 128 + 128 + 128 * 26 + 26, NULL },
  { "mlp", IMAGE(10, 1, 28, 28), 118282, NULL },
  { "mlp(hidden=5)", VECTOR(2, 3), 3 * 5 + 5 + 5 * 2 + 2, NULL },
  { "lenet5", IMAGE(10, 1, 28, 28), 61706, NULL },
  { "lenet5", IMAGE(10, 1, 32, 32), 61706, NULL },
  { "cnn", IMAGE(10, 1, 28, 28), 29178, NULL },
  { "resnet8", CIFAR, 75290, NULL },
  { "resnet8", IMAGE(10, 1, 28, 28), 75002, NULL },
  { "resnet14", CIFAR, 172506, NULL },
  { "resnet20", CIFAR, 269722, "0.27" },
  { "resnet32", CIFAR, 464154, "0.46" },
  { "resnet44", CIFAR, 658586, "0.66" },
  { "resnet56", CIFAR, 853018, "0.85" },
  { "resnet110", CIFAR, 1727962, "1.7" },
  { "wrn", CIFAR, 2748890, NULL },
  { "wrn(depth=40,width=1)", CIFAR, 0, "0.6" },
  { "wrn(depth=40,width=2)", CIFAR, 0, "2.2" },
  { "wrn(depth=40,width=4)", CIFAR, 0, "8.9" },
  { "wrn(depth=16,width=8)", CIFAR, 0, "11.0" },
  { "wrn(depth=22,width=8)", CIFAR, 0, "17.2" },
  { "wrn(depth=28,width=10)", CIFAR, 36479194, "36.5" },
  { "wrn(depth=40,width=10)", CIFAR, 55841754, "55.8" },
  /* 13 convolutions of configuration D, their norms, 512 hidden units, the classes. */
  { "vgg16bn", CIFAR, 14714688 + 2 * 4224 + 512 * 512 + 512 + 512 * 10 + 10, NULL },
  { "text-cnn", TEXT(20, 500, 20002),
    20002 * 100 + 100 * 128 * 5 + 4 * 128 * 128 * 5 + 10 * 128 + 128 * 128 + 128 + 128 * 20 + 20,
    NULL },
  { "head", IMAGE(2, 256, 6, 6), 256 * 128 + 2 * 128 + 128 * 25 * 256 + 256 + 256 * 2 + 2, NULL },
  { "head", VECTOR(8, 512), 512 * 256 + 256 + 256 * 8 + 8, NULL },
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool names(const char *expression, const char *name) {
  const size_t length = strlen(name);
  return !strncmp(expression, name, length) && (!expression[length] || expression[length] == '(');
}

static void parameters_are_the_published_ones(void **state) {
  for (size_t i = 0; i < SIZES; i++) {
    const size_case *const c = &sizes[i];
    uint64_t found;
    WORKS(*state, crd_architecture_parameters(*state, c->network, &c->shape, &found));
    if (c->exact && found != c->exact)
      fail_msg("%s has %llu parameters, not %llu", c->network, (unsigned long long)found,
               (unsigned long long)c->exact);
    if (!c->published) continue;
    char text[32];
    const int digits = (int)strlen(strchr(c->published, '.')) - 1;
    snprintf(text, sizeof text, "%.*f", digits, (double)found / 1e6);
    if (strcmp(text, c->published) != 0)
      fail_msg("%s has %s M parameters, not %s M", c->network, text, c->published);
  }
  for (size_t i = 0; crd_architecture_at(i); i++) {
    bool any = false;
    for (size_t k = 0; k < SIZES; k++) any |= names(sizes[k].network, crd_architecture_at(i)->name);
    if (!any) fail_msg("%s: no case with its number of parameters", crd_architecture_at(i)->name);
  }
}

/* ---- Small ones, in every mode. */

typedef struct {
  const char *network;
  crd_architecture_shape shape;
  bool conv; /* has the cut `conv` */
} small_case;

static const small_case smalls[] = {
  { "mlp(hidden=6,5)", VECTOR(3, 7), false },
  { "mlp(dropout=0.5)", IMAGE(3, 2, 5, 3), false },
  { "mlp(activation=tanh)",
    { .size = sizeof(crd_architecture_shape), .classes = 2, .rank = 2, .dims = { 4, 3 } },
    false },
  { "lenet5", IMAGE(4, 1, 12, 15), true },
  { "lenet5(activation=tanh,pooling=average)", IMAGE(4, 3, 33, 32), true },
  { "cnn(width=3)", IMAGE(2, 1, 8, 11), true },
  { "resnet8(width=2)", IMAGE(3, 1, 8, 9), true },
  { "resnet14(width=1)", IMAGE(3, 3, 8, 8), true },
  { "resnet20(width=2)", IMAGE(3, 3, 9, 8), true },
  { "resnet32(width=1)", IMAGE(3, 3, 8, 8), true },
  { "resnet44(width=1)", IMAGE(3, 3, 8, 8), true },
  { "resnet56(width=1)", IMAGE(3, 3, 8, 8), true },
  { "resnet110(width=1)", IMAGE(3, 3, 8, 8), true },
  { "wrn(depth=10,width=1,dropout=0.3)", IMAGE(3, 1, 8, 8), true },
  { "wrn(depth=10,width=1)", IMAGE(3, 1, 9, 8), true },
  { "vgg16bn(width=1,hidden=4)", IMAGE(2, 3, 16, 17), true },
  { "text-cnn(embedding=3,width=4)", TEXT(3, 21, 9), true },
  { "text-cnn(embedding=3,width=4)", TEXT(3, 1, 2), true },
  { "head(hidden=3)", IMAGE(2, 5, 3, 2), true },
  { "head(hidden=3)", IMAGE(2, 5, 1, 1), true },
  { "head(hidden=3)", VECTOR(2, 6), false },
};
enum { SMALLS = sizeof smalls / sizeof *smalls, BATCH = 4 };

static crd_model *build(crd_context *ctx, const small_case *c) {
  crd_model *model;
  WORKS(ctx, crd_architecture_build(ctx, c->network, &c->shape, &model));
  return model;
}

/* Inputs of all kinds, in `memory`. */
static crd_array inputs_of(const crd_network *network, size_t words, void **memory) {
  crd_array x = *crd_network_input(network, 0);
  const size_t count = crd_array_count(&x);
  *memory = calloc(count, 8);
  assert_non_null(*memory);
  for (size_t i = 0; i < count; i++) {
    const size_t mixed = (i * 2654435761U + 7) % 1009;
    if (x.dtype == CRD_I64) ((int64_t *)*memory)[i] = (int64_t)(mixed % words);
    else ((float *)*memory)[i] = (float)mixed / 500 - 1;
  }
  x.data = *memory;
  return x;
}

/* Logits are finite, differ between rows, and with the statistics of the batch they are of order 1
 * before training. */
static void check_logits(const char *name, const crd_array *logits, size_t classes, crd_mode mode) {
  const float *const values = logits->data;
  double most = 0, apart = 0;
  assert_true(logits->rank == 2 && logits->dims[0] == BATCH && logits->dims[1] == (int64_t)classes);
  for (size_t i = 0; i < BATCH * classes; i++) {
    if (!isfinite(values[i])) fail_msg("%s: a logit is not finite", name);
    most = fmax(most, fabs((double)values[i]));
    apart = fmax(apart, fabs((double)values[i] - (double)values[i % classes]));
  }
  if ((most > 30 && mode == CRD_MODE_TRAINING) || (apart < 1e-6 && !strstr(name, "text")))
    fail_msg("%s: logits are %g at most, and differ by %g between rows", name, most, apart);
}

/* Parameters of the compiled network are those that are counted. */
static void check_count(crd_context *ctx, const small_case *c, const crd_network *network) {
  const crd_parameter *p;
  uint64_t counted, found = 0;
  for (size_t k = 0; (p = crd_network_parameter(network, k)); k++)
    found += p->gradient ? p->count : 0;
  WORKS(ctx, crd_architecture_parameters(ctx, c->network, &c->shape, &counted));
  if (found != counted)
    fail_msg("%s: %llu parameters are counted, %llu are trained", c->network,
             (unsigned long long)counted, (unsigned long long)found);
}

static void run_in_mode(crd_context *ctx, const small_case *c, const crd_model *model,
                        crd_mode mode) {
  crd_network *network;
  void *memory;
  const crd_compile_options options = { .size = sizeof options, .batch = BATCH, .mode = mode };
  WORKS(ctx, crd_network_compile(ctx, model, &options, &network));
  const crd_array x = inputs_of(network, c->shape.words, &memory);
  WORKS(ctx, crd_network_run(ctx, network, &x, 1));
  crd_array logits = *crd_network_output(network, 0);
  check_logits(c->network, &logits, c->shape.classes, mode);
  if (mode == CRD_MODE_TRAINING) {
    float ones[64];
    for (size_t i = 0; i < 64; i++) ones[i] = i % 3 ? 1 : -1;
    logits.data = ones;
    WORKS(ctx, crd_network_backward(ctx, network, &logits));
    check_count(ctx, c, network);
  }
  free(memory);
  crd_network_destroy(network);
}

static void networks_run_and_train(void **state) {
  for (size_t i = 0; i < SMALLS; i++) {
    crd_model *const model = build(*state, &smalls[i]);
    run_in_mode(*state, &smalls[i], model, CRD_MODE_INFERENCE);
    run_in_mode(*state, &smalls[i], model, CRD_MODE_TRAINING);
    crd_model_destroy(model);
  }
  for (size_t i = 0; crd_architecture_at(i); i++) {
    bool any = false;
    for (size_t k = 0; k < SMALLS; k++)
      any |= names(smalls[k].network, crd_architecture_at(i)->name);
    if (!any) fail_msg("%s: no small case", crd_architecture_at(i)->name);
  }
}

/* ---- Structure of the file. */

static const crd__onnx_edge *find_edge(const crd__onnx_file *file, const char *name) {
  for (size_t i = 0; i < file->edge_count; i++)
    if (!strcmp(file->edges[i].name, name)) return &file->edges[i];
  return NULL;
}

/* The number of nodes of `op` that read the edge; "Dropout" nodes are looked through. */
static size_t readers(const crd__onnx_file *file, const char *edge, const char *op) {
  size_t count = 0;
  for (size_t n = 0; n < file->node_count; n++) {
    const crd__onnx_node *const node = &file->nodes[n];
    if (strcmp(file->edges[node->inputs[0]].name, edge) != 0) continue;
    if (!strcmp(node->op, "Dropout") && strcmp(op, "Dropout") != 0)
      count += readers(file, file->edges[node->outputs[0]].name, op);
    else count += strstr(node->op, op) != NULL;
  }
  return count;
}

static void files_have_the_agreed_names(void **state) {
  for (size_t i = 0; i < SMALLS; i++) {
    const small_case *const c = &smalls[i];
    crd_model *const model = build(*state, c);
    const crd__onnx_file *const file = model->file;
    const crd_port *const in = crd_model_input(model, 0), *const out = crd_model_output(model, 0);
    assert_true(file->ir == 8 && file->opset == 17);
    assert_null(crd_model_input(model, 1));
    assert_null(crd_model_output(model, 1));
    assert_string_equal(in->name, "input");
    assert_true(in->rank == c->shape.rank + 1 && in->dims[0] == -1);
    assert_true(in->dtype == (c->shape.words ? CRD_I64 : CRD_F32));
    for (size_t d = 0; d < c->shape.rank; d++) assert_int_equal(in->dims[d + 1], c->shape.dims[d]);
    assert_string_equal(out->name, "logits");
    assert_true(out->rank == 2 && out->dims[0] == -1 && out->dims[1] == (int64_t)c->shape.classes);
    if (!find_edge(file, "penultimate") || readers(file, "penultimate", "Gemm") != 1)
      fail_msg("%s: the last layer must read 'penultimate'", c->network);
    if (!find_edge(file, "conv") != !c->conv) fail_msg("%s: 'conv'?", c->network);
    if (c->conv && readers(file, "conv", "Pool") != 1)
      fail_msg("%s: 'conv' must be read by a pool", c->network);
    crd_model_destroy(model);
  }
}

static size_t count_nodes(const crd_model *model, const char *op) {
  size_t count = 0;
  for (size_t n = 0; n < model->file->node_count; n++)
    count += !strcmp(model->file->nodes[n].op, op);
  return count;
}

static void dropout_is_a_node(void **state) {
  static const struct {
    const char *network;
    crd_architecture_shape shape;
    size_t nodes;
  } cases[] = {
    { "mlp", VECTOR(2, 3), 0 },
    { "mlp(dropout=0.5,hidden=3,3,3)", VECTOR(2, 3), 3 },
    { "wrn(depth=10,width=1,dropout=0.3)", IMAGE(2, 1, 8, 8), 3 },
    { "wrn(depth=10,width=1)", IMAGE(2, 1, 8, 8), 0 },
    { "vgg16bn(width=1)", IMAGE(2, 1, 16, 16), 2 },
    { "text-cnn(width=1)", TEXT(2, 9, 4), 1 },
    { "head", IMAGE(2, 3, 2, 2), 2 },
    { "head(dropout=0)", VECTOR(2, 3), 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_model *model;
    WORKS(*state, crd_architecture_build(*state, cases[i].network, &cases[i].shape, &model));
    assert_int_equal(count_nodes(model, "Dropout"), cases[i].nodes);
    crd_model_destroy(model);
  }
}

/* ---- Bytes. */

static char *bytes_of(crd_context *ctx, const small_case *c, size_t *length) {
  crd_model *const model = build(ctx, c);
  const char *const path = scratch_path("zoo.onnx");
  WORKS(ctx, crd_model_save(ctx, model, path));
  crd_model_destroy(model);
  FILE *const file = fopen(path, "rb");
  char *const bytes = malloc(1 << 22);
  assert_true(file && bytes);
  *length = fread(bytes, 1, 1 << 22, file);
  assert_true(*length > 0 && *length < 1 << 22);
  fclose(file);
  remove(path);
  return bytes;
}

static void bytes_follow_from_settings_and_seed(void **state) {
  for (size_t i = 0; i < SMALLS; i++) {
    size_t lengths[3];
    char *bytes[3];
    for (unsigned k = 0; k < 3; k++) {
      crd_context *ctx;
      assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
      crd_context_set_threads(ctx, 1 + k);
      crd_context_set_seed(ctx, k == 2 ? 12 : 11);
      bytes[k] = bytes_of(ctx, &smalls[i], &lengths[k]);
      crd_context_destroy(ctx);
    }
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    assert_int_equal(lengths[0], lengths[2]);
    assert_true(memcmp(bytes[0], bytes[2], lengths[0]) != 0);
    for (size_t k = 0; k < 3; k++) free(bytes[k]);
  }
  (void)state;
}

/* ---- Gradients. */

static const small_case checked[] = {
  { "mlp(hidden=6,5)", VECTOR(3, 7), false },
  { "lenet5(activation=tanh,pooling=average)", IMAGE(4, 1, 12, 12), true },
  { "cnn(width=2)", IMAGE(2, 1, 8, 8), true },
  { "resnet8(width=2)", IMAGE(3, 1, 8, 8), true },
  { "wrn(depth=10,width=1)", IMAGE(3, 1, 8, 8), true },
  { "text-cnn(embedding=3,width=4,dropout=0)", TEXT(3, 21, 9), true },
  { "head(hidden=3,dropout=0)", IMAGE(2, 5, 3, 3), true },
};

static void gradients_are_right(void **state) {
  for (size_t i = 0; i < sizeof checked / sizeof *checked; i++) {
    crd_model *const model = build(*state, &checked[i]);
    crd_network *network;
    const crd_check *check;
    const crd_compile_options options = { .size = sizeof options,
                                          .batch = BATCH,
                                          .mode = CRD_MODE_TRAINING };
    crd_check_options how = { .size = sizeof how,
                              .subject = CRD_CHECK_PARAMETERS,
                              .directions = 5 };
    void *memory;
    WORKS(*state, crd_network_compile(*state, model, &options, &network));
    const crd_array x = inputs_of(network, checked[i].shape.words, &memory);
    if (checked[i].shape.words) { /* batch norms of equal texts have no variance */
      how.inputs = &x;
      how.input_count = 1;
    }
    WORKS(*state, crd_network_check(*state, network, &how, &check));
    if (check->verdict != CRD_CHECK_RIGHT)
      fail_msg("%s: %zu of %zu directions have wrong gradients, %zu are unsure", checked[i].network,
               check->failed, check->count, check->unsure);
    crd_check_destroy(check);
    free(memory);
    crd_network_destroy(network);
    crd_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(parameters_are_the_published_ones),   TEST(networks_run_and_train),
    TEST(files_have_the_agreed_names),         TEST(dropout_is_a_node),
    TEST(bytes_follow_from_settings_and_seed), TEST(gradients_are_right),
  };
  if (!crd_operator_at(0)) {
    cannot_test_networks("architectures");
    return 0;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
