/* user_network.c -- your own network behind the library's interface: forward and backward pass.
 *
 *   cc user_network.c $(pkg-config --cflags --libs credence-nn) -lm -o user_network
 *   ./user_network
 *
 * Two layers, y = V tanh(W x + b), for a batch of rows. It works wherever a crd_network does; here
 * it is run, differentiated with respect to its input, and its gradient is checked.
 */
#include <credence/credence.h>

#include <math.h>
#include <stdio.h>

enum { BATCH = 4, INPUTS = 3, HIDDEN = 8, CLASSES = 2 };

typedef struct {
  float w[HIDDEN][INPUTS], b[HIDDEN], v[CLASSES][HIDDEN];
  float hidden[BATCH][HIDDEN]; /* kept by a run for the backward pass */
} layers;

static void fill(layers *n) {
  for (int j = 0; j < HIDDEN; j++) {
    for (int i = 0; i < INPUTS; i++) n->w[j][i] = (float)sin(1 + 3 * j + i);
    for (int k = 0; k < CLASSES; k++) n->v[k][j] = (float)cos(2 + 5 * k + j);
    n->b[j] = (float)j / HIDDEN;
  }
}

static crd_status run(void *self, crd_context *ctx, const float *input, float *output) {
  layers *n = self;
  for (int r = 0; r < BATCH; r++) {
    const float *x = input + r * INPUTS;
    if (!isfinite(x[0])) return crd_context_fail(ctx, CRD_EINPUT, "an input is not a number");
    for (int k = 0; k < CLASSES; k++) output[r * CLASSES + k] = 0;
    for (int j = 0; j < HIDDEN; j++) {
      float sum = n->b[j];
      for (int i = 0; i < INPUTS; i++) sum += n->w[j][i] * x[i];
      n->hidden[r][j] = tanhf(sum);
      for (int k = 0; k < CLASSES; k++) output[r * CLASSES + k] += n->v[k][j] * n->hidden[r][j];
    }
  }
  return CRD_OK;
}

static crd_status backward(void *self, crd_context *ctx, const float *output_gradient,
                           float *input_gradient) {
  const layers *n = self;
  (void)ctx;
  for (int r = 0; r < BATCH; r++) {
    float *dx = input_gradient + r * INPUTS;
    for (int i = 0; i < INPUTS; i++) dx[i] = 0;
    for (int j = 0; j < HIDDEN; j++) {
      float d = 0;
      for (int k = 0; k < CLASSES; k++) d += n->v[k][j] * output_gradient[r * CLASSES + k];
      d *= 1 - n->hidden[r][j] * n->hidden[r][j];
      for (int i = 0; i < INPUTS; i++) dx[i] += n->w[j][i] * d;
    }
  }
  return CRD_OK;
}

/* Computes the gradient of the sum of all first logits with respect to the input. */
static crd_status step(crd_context *ctx, crd_network *network) {
  static const float rows[BATCH][INPUTS] = { { 0, 0, 0 }, { 1, 0, -1 }, { 0, 2, 0 }, { 1, 1, 1 } };
  static const float first[BATCH][CLASSES] = { { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 } };
  const crd_array input = { rows, CRD_F32, 2, { BATCH, INPUTS } };
  const crd_array gradient = { first, CRD_F32, 2, { BATCH, CLASSES } };
  crd_status status = crd_network_run(ctx, network, &input, 1);
  if (status == CRD_OK) status = crd_network_backward(ctx, network, &gradient);
  if (status != CRD_OK) return status;
  const float *y = crd_network_output(network, 0)->data;
  const float *dx = crd_network_input_gradient(network, 0)->data;
  for (int r = 0; r < BATCH; r++, y += CLASSES, dx += INPUTS)
    printf("logits %7.4f %7.4f  gradient %7.4f %7.4f %7.4f\n", (double)y[0], (double)y[1],
           (double)dx[0], (double)dx[1], (double)dx[2]);
  return CRD_OK;
}

/* Does the same as `credence net check` for an ONNX file. */
static crd_status check_gradient(crd_context *ctx, crd_network *network) {
  const crd_check *check;
  crd_status status = crd_network_check(ctx, network, NULL, &check);
  if (status != CRD_OK) return status;
  printf("gradient check: %zu directions, %zu wrong\n", check->count, check->failed);
  if (check->failed) status = crd_context_fail(ctx, CRD_ENUMERIC, "the gradient is wrong");
  crd_check_destroy(check);
  return status;
}

int main(void) {
  static const crd_network_ops ops = { .size = sizeof ops, .run = run, .backward = backward };
  const crd_array input = { NULL, CRD_F32, 2, { BATCH, INPUTS } };
  const crd_array output = { NULL, CRD_F32, 2, { BATCH, CLASSES } };
  crd_context *ctx = NULL;
  crd_network *network = NULL;
  layers n;
  fill(&n);
  crd_status status = crd_context_create(NULL, &ctx);
  if (status == CRD_OK) status = crd_network_create(ctx, &ops, &n, &input, &output, &network);
  if (status == CRD_OK) status = step(ctx, network);
  if (status == CRD_OK) status = check_gradient(ctx, network);
  if (status != CRD_OK) fprintf(stderr, "%s\n", ctx ? crd_context_message(ctx) : "no memory");
  crd_network_destroy(network);
  crd_context_destroy(ctx);
  return crd_status_exit_code(status);
}
