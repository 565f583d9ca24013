/*
 * networks_test.c -- networks exported by PyTorch (tools/make-networks) against the logits that it
 * computes in float64.
 *
 * Every .onnx file in tests/networks is run on the batch stored beside it; networks with a variable
 * batch size also on other batches, whose rows must give the stored logits.
 */
#include "modelkit/modelkit.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 3 };
static const double tolerance = 1e-4; /* relative to the largest logit */
static const size_t open_batches[] = { 1, 7, 2 };

typedef struct {
  crd_array tensor;
  void *bytes;
} array;

/* ---- Arrays as NumPy stores them: version 1, C order, native bytes. */

static crd_dtype dtype_of(const char *header, const char *path) {
  static const struct {
    const char *word;
    crd_dtype dtype;
  } kinds[] = { { "'<f4'", CRD_F32 }, { "'<i8'", CRD_I64 } };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(header, kinds[i].word)) return kinds[i].dtype;
  fail_msg("%s: %s is neither f4 nor i8", path, header);
  return CRD_F32;
}

static crd_array parse_header(const char *header, const char *path) {
  crd_array t = { .dtype = dtype_of(header, path) };
  const char *at = strstr(header, "'shape': (");
  if (!at || !strstr(header, "'fortran_order': False")) fail_msg("%s: %s", path, header);
  at += strlen("'shape': (");
  for (char *end = NULL; *at != ')' && t.rank < CRD_RANK_MAX; at = end) {
    t.dims[t.rank++] = strtoll(at, &end, 10);
    if (end == at) fail_msg("%s: no shape in %s", path, header);
    end += strspn(end, ", ");
  }
  return t;
}

static array read_array(const char *stem, const char *ending) {
  char path[512], header[512] = "";
  unsigned char start[10];
  snprintf(path, sizeof path, "%s%s", stem, ending);
  FILE *const file = fopen(path, "rb");
  if (!file || fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY\x01", 7) != 0)
    fail_msg("%s: not an array", path);
  const size_t length = start[8] + 256u * start[9];
  if (length >= sizeof header || fread(header, 1, length, file) != length)
    fail_msg("%s: its header has %zu bytes", path, length);
  array a = { .tensor = parse_header(header, path) };
  const size_t bytes = crd_array_count(&a.tensor) * crd_dtype_size(a.tensor.dtype);
  a.bytes = malloc(bytes);
  if (!a.bytes || fread(a.bytes, 1, bytes, file) != bytes) fail_msg("%s: too short", path);
  fclose(file);
  a.tensor.data = a.bytes;
  return a;
}

/* ---- Batches */

static size_t row_bytes(const crd_array *t) {
  if (t->dims[0] < 1) fail_msg("no rows are stored");
  return crd_array_count(t) / (size_t)t->dims[0] * crd_dtype_size(t->dtype);
}

/* A batch of stored rows, repeated: row i is the stored row (i + 1) % rows. */
static size_t stored_row(size_t i, size_t rows) { return (i + 1) % rows; }

static array repeat_rows(const crd_array *stored, size_t batch) {
  const size_t bytes = row_bytes(stored);
  array a = { .tensor = *stored, .bytes = malloc(batch * bytes) };
  assert_non_null(a.bytes);
  for (size_t i = 0; i < batch; i++)
    memcpy((char *)a.bytes + i * bytes,
           (const char *)stored->data + stored_row(i, (size_t)stored->dims[0]) * bytes, bytes);
  a.tensor.dims[0] = (int64_t)batch;
  a.tensor.data = a.bytes;
  return a;
}

static double largest(const float *values, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs((double)values[i]));
  return most;
}

static void compare_row(const char *name, size_t row, const float *ours, const float *theirs,
                        size_t classes, double allowed) {
  for (size_t k = 0; k < classes; k++)
    if (!(fabs((double)ours[k] - (double)theirs[k]) <= allowed))
      fail_msg("%s: row %zu, class %zu: %.9g, not %.9g (allowed is a difference of %.2g)", name,
               row, k, (double)ours[k], (double)theirs[k], allowed);
}

static crd_network *compile(crd_context *ctx, const crd_model *model, size_t batch,
                            const char *name) {
  crd_network *network = NULL;
  const crd_compile_options options = { .size = sizeof options, .batch = batch };
  if (crd_network_compile(ctx, model, &options, &network) != CRD_OK)
    fail_msg("%s: %s", name, crd_context_message(ctx));
  return network;
}

/* Runs the network; returns its logits, borrowed from it. */
static const crd_array *run(crd_context *ctx, crd_network *network, const crd_array *x,
                            size_t classes, const char *name) {
  if (crd_network_run(ctx, network, x, 1) != CRD_OK)
    fail_msg("%s: %s", name, crd_context_message(ctx));
  const crd_array *const y = crd_network_output(network, 0);
  assert_non_null(y);
  assert_null(crd_network_output(network, 1));
  assert_int_equal(y->dtype, CRD_F32);
  assert_int_equal(y->rank, 2);
  assert_int_equal(y->dims[0], x->dims[0]);
  assert_int_equal(y->dims[1], classes);
  return y;
}

/* ---- The checks of one network */

typedef struct {
  crd_context *ctx;
  const char *name;
  crd_model *model;
  array x, logits;
  size_t classes;
  double allowed;
} specimen;

/* Runs twice: the second run reuses the memory of the first. */
static void check_batch(const specimen *s, size_t batch) {
  const size_t rows = (size_t)s->x.tensor.dims[0];
  crd_network *const network = compile(s->ctx, s->model, batch, s->name);
  array x = repeat_rows(&s->x.tensor, batch);
  for (int again = 0; again < 2; again++) {
    const crd_array *const y = run(s->ctx, network, &x.tensor, s->classes, s->name);
    for (size_t i = 0; i < batch; i++)
      compare_row(s->name, i, (const float *)y->data + i * s->classes,
                  (const float *)s->logits.bytes + stored_row(i, rows) * s->classes, s->classes,
                  s->allowed);
  }
  free(x.bytes);
  crd_network_destroy(network);
}

static void check_ports(const specimen *s, bool dynamic) {
  const crd_port *const in = crd_model_input(s->model, 0), *const out =
                                                               crd_model_output(s->model, 0);
  assert_non_null(in);
  assert_non_null(out);
  assert_string_equal(in->name, "x");
  assert_string_equal(out->name, "logits");
  assert_null(crd_model_input(s->model, 1));
  assert_int_equal(in->dtype, s->x.tensor.dtype);
  assert_int_equal(in->rank, s->x.tensor.rank);
  assert_int_equal(in->dims[0], dynamic ? -1 : s->x.tensor.dims[0]);
}

static void check_network(crd_context *ctx, const char *stem) {
  const char *const name = net_name(stem);
  const bool dynamic = strstr(name, "-dynamic");
  specimen s = { .ctx = ctx,
                 .name = name,
                 .model = net_open_stored(ctx, stem),
                 .x = read_array(stem, ".x.npy"),
                 .logits = read_array(stem, ".logits.npy") };
  s.classes = (size_t)s.logits.tensor.dims[1];
  s.allowed = tolerance * largest(s.logits.bytes, crd_array_count(&s.logits.tensor));
  check_ports(&s, dynamic);
  check_batch(&s, (size_t)s.x.tensor.dims[0]);
  for (size_t i = 0; dynamic && i < BATCHES; i++) check_batch(&s, open_batches[i]);
  crd_model_destroy(s.model);
  free(s.x.bytes);
  free(s.logits.bytes);
}

/* ---- One test for each file */

static void test_network(void **state) {
  crd_context *const ctx = test_context();
  check_network(ctx, *state);
  crd_context_destroy(ctx);
}

int main(void) {
  static char stems[NET_STORED_MAX][NET_STEM_MAX];
  struct CMUnitTest tests[NET_STORED_MAX] = { { NULL, NULL, NULL, NULL, NULL } };
  const size_t count = net_stored(NET_FOLDER, stems);
  if (count == 0) {
    fprintf(stderr, "tests/networks holds no .onnx file\n");
    return 1;
  }
  if (!crd_operator_at(0)) {
    cannot_test_networks("networks of PyTorch");
    return 0;
  }
  for (size_t i = 0; i < count; i++)
    tests[i] = (struct CMUnitTest){ net_name(stems[i]), test_network, NULL, NULL, stems[i] };
  return _cmocka_run_group_tests("networks", tests, count, NULL, NULL);
}
