/* clamp.c -- Neural Clamping of your own network, given by its forward and backward functions.
 *
 *   cc clamp.c $(pkg-config --cflags --libs credence-nn) -o clamp
 *   ./clamp
 *
 * A linear classifier, overconfident, meets a sensor with an offset. The fit finds a perturbation
 * that undoes the offset, and a temperature that lowers the confidence.
 */
#include <credence/credence.h>

#include <stdio.h>

enum { BATCH = 50, ROWS = 1000, INPUTS = 2, CLASSES = 3 };

static const float centres[CLASSES][INPUTS] = { { 1, 0 }, { -1, 1 }, { 0, -1 } };
static const float steepness = 8, offset[INPUTS] = { 0.4F, -0.3F };

/* The logits of class k: steepness * (x . c - |c|^2 / 2). */
static crd_status run(void *self, crd_context *ctx, const float *input, float *output) {
  (void)self, (void)ctx;
  for (int r = 0; r < BATCH; r++)
    for (int k = 0; k < CLASSES; k++) {
      float sum = 0;
      for (int i = 0; i < INPUTS; i++)
        sum += centres[k][i] * (input[r * INPUTS + i] - centres[k][i] / 2);
      output[r * CLASSES + k] = steepness * sum;
    }
  return CRD_OK;
}

/* The gradient with respect to the input; the weights are frozen. */
static crd_status backward(void *self, crd_context *ctx, const float *output_gradient,
                           float *input_gradient) {
  (void)self, (void)ctx;
  for (int r = 0; r < BATCH; r++)
    for (int i = 0; i < INPUTS; i++) {
      float sum = 0;
      for (int k = 0; k < CLASSES; k++)
        sum += steepness * centres[k][i] * output_gradient[r * CLASSES + k];
      input_gradient[r * INPUTS + i] = sum;
    }
  return CRD_OK;
}

/* Samples around the centres of their classes, with noise and the offset of the sensor. */
static void fill(float inputs[ROWS][INPUTS], int64_t labels[ROWS]) {
  unsigned state = 1;
  for (int r = 0; r < ROWS; r++) {
    labels[r] = r % CLASSES;
    for (int i = 0; i < INPUTS; i++) {
      double noise = -6; /* the sum of twelve uniform numbers is nearly normal */
      for (int j = 0; j < 12; j++) {
        state = state * 1664525U + 1013904223U;
        noise += state / 4294967296.0;
      }
      inputs[r][i] = centres[labels[r]][i] + (float)(0.6 * noise) + offset[i];
    }
  }
}

static void show(const crd_clamp_summary *s) {
  printf("T %.2f, delta (%.1f, %.1f), |delta| %.2f\n", s->temperature, (double)s->delta[0],
         (double)s->delta[1], s->delta_norm);
  printf("accuracy %.2f -> %.2f\n", s->before.accuracy, s->after.accuracy);
  printf("ece      %.2f -> %.2f (temperature scaling: %.2f)\n", s->before.ece, s->after.ece,
         s->scaled.ece);
}

int main(void) {
  static float inputs[ROWS][INPUTS];
  static int64_t labels[ROWS];
  static const crd_network_ops ops = { .size = sizeof ops, .run = run, .backward = backward };
  const crd_array input = crd_array_matrix(NULL, CRD_F32, BATCH, INPUTS);
  const crd_array output = crd_array_matrix(NULL, CRD_F32, BATCH, CLASSES);
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, INPUTS),
                                      .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1) };
  crd_context *ctx = NULL;
  crd_network *network = NULL;
  crd_dataset *data = NULL;
  crd_clamp *clamp = NULL;
  fill(inputs, labels);
  crd_status status = crd_context_create(NULL, &ctx);
  if (status == CRD_OK) status = crd_network_create(ctx, &ops, NULL, &input, &output, &network);
  if (status == CRD_OK) status = crd_dataset_create(ctx, &arrays, &data);
  if (status == CRD_OK) status = crd_clamp_fit(ctx, network, data, NULL, &clamp);
  if (status == CRD_OK) show(crd_clamp_describe(clamp));
  else fprintf(stderr, "%s\n", ctx ? crd_context_message(ctx) : "no memory");
  crd_clamp_destroy(clamp);
  crd_dataset_destroy(data);
  crd_network_destroy(network);
  crd_context_destroy(ctx);
  return crd_status_exit_code(status);
}
