/*
 * training_test.c -- five training steps of ResNet-20 from the same weights and batches as
 * torch.optim.SGD (tools/make-networks training) must have the same losses.
 *
 * Torch's update, for each parameter p with gradient g:  g += decay p;  v = momentum v + g;  p -=
 * rate v, with v = g in the first step. The loss is the library's own cross-entropy.
 *
 * Both sides divide the output of each residual block by 8 beforehand: else one ReLU whose input
 * rounds to the other side of 0 shows in the third digit of the losses, and no two programs agree.
 */
#include "credence/loss.h"
#include "modelkit/modelkit.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5 };
static const double tolerance = 1e-4;
static const float rate = .01F, momentum = .9F, decay = 1e-4F, calm = 1.F / 8, pixel = 1.F / 32;

typedef struct {
  crd_context *ctx;
  const char *stem;
  crd_model *model;
  crd_network *network;
  crd_loss *loss;
  crd_array_file *images, *labels, *losses;
  size_t batch;
  float *x, *gradient, *velocity;
} course;

static void must(const course *c, crd_status status) {
  if (status != CRD_OK) fail_msg("%s", crd_context_message(c->ctx));
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length >= tail && !strcmp(name + length - tail, end);
}

/* Counts all parameters; scales the residual blocks. */
static size_t count_parameters(const crd_network *network) {
  const crd_parameter *p;
  size_t count = 0;
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++) {
    count += p->count;
    for (size_t k = 0; ends_with(p->name, "bn2.weight") && k < p->count; k++) p->values[k] *= calm;
  }
  return count;
}

static course begin(crd_context *ctx, const char *stem) {
  course c = { .ctx = ctx, .stem = stem, .model = net_open_stored(ctx, stem) };
  c.images = net_beside(ctx, stem, ".training.safetensors#images");
  c.labels = net_beside(ctx, stem, ".training.safetensors#labels");
  c.losses = net_beside(ctx, stem, ".training.safetensors#losses");
  c.batch = (size_t)crd_array_file_array(c.images)->dims[0] / STEPS;
  const crd_compile_options options = { .size = sizeof options,
                                        .batch = c.batch,
                                        .mode = CRD_MODE_TRAINING };
  must(&c, crd_network_compile(ctx, c.model, &options, &c.network));
  must(&c, crd_loss_create(ctx, "ce", NULL, &c.loss));
  c.x = calloc(crd_array_count(crd_network_input(c.network, 0)), sizeof *c.x);
  c.gradient = calloc(crd_array_count(crd_network_output(c.network, 0)), sizeof *c.gradient);
  const size_t parameters = count_parameters(c.network);
  if (parameters == 0) fail_msg("%s: no parameters", stem);
  c.velocity = calloc(parameters, sizeof *c.velocity);
  return c;
}

static void end(course *c) {
  free(c->x);
  free(c->gradient);
  free(c->velocity);
  crd_loss_destroy(c->loss);
  crd_network_destroy(c->network);
  crd_model_destroy(c->model);
  crd_array_file_destroy(c->images);
  crd_array_file_destroy(c->labels);
  crd_array_file_destroy(c->losses);
}

/* Returns the loss of a batch, and computes the gradients with respect to parameters. */
static double learn(course *c, size_t number) {
  crd_array x = *crd_network_input(c->network, 0);
  const size_t count = crd_array_count(&x);
  const int8_t *const bytes =
      (const int8_t *)crd_array_file_array(c->images)->data + number * count;
  const int64_t *const labels =
      (const int64_t *)crd_array_file_array(c->labels)->data + number * c->batch;
  for (size_t i = 0; i < count; i++) c->x[i] = (float)bytes[i] * pixel;
  x.data = c->x;
  must(c, crd_network_run(c->ctx, c->network, &x, 1));
  crd_array logits = *crd_network_output(c->network, 0);
  const crd_array view = crd_array_matrix(logits.data, CRD_F32, c->batch, (size_t)logits.dims[1]);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(labels, CRD_I64, c->batch, 1) };
  crd_loss_value value;
  must(c, crd_loss_evaluate(c->ctx, c->loss, &view, &targets, &value, c->gradient));
  logits.data = c->gradient;
  crd_network_clear_gradients(c->network);
  must(c, crd_network_backward(c->ctx, c->network, &logits));
  return value.value;
}

static void update(course *c, bool first) {
  const crd_parameter *p;
  float *v = c->velocity;
  for (size_t i = 0; (p = crd_network_parameter(c->network, i)); i++)
    for (size_t k = 0; p->gradient && k < p->count; k++, v++) {
      const float g = p->gradient[k] + decay * p->values[k];
      *v = first ? g : momentum * *v + g;
      p->values[k] -= rate * *v;
    }
}

/* Running means and variances are updated as torch's are. */
static void compare_statistics(const course *c) {
  const crd_parameter *p;
  size_t compared = 0;
  for (size_t i = 0; (p = crd_network_parameter(c->network, i)); i++) {
    char ending[256];
    if (p->gradient) continue;
    snprintf(ending, sizeof ending, ".training.safetensors#running.%s", p->name);
    crd_array_file *const array = net_beside(c->ctx, c->stem, ending);
    const float *const theirs = crd_array_file_array(array)->data;
    assert_int_equal(crd_array_count(crd_array_file_array(array)), p->count);
    for (size_t k = 0; k < p->count; k++)
      if (!near((double)p->values[k], (double)theirs[k], tolerance))
        fail_msg("%s: %.9g, not %.9g at %zu", p->name, (double)p->values[k], (double)theirs[k], k);
    compared++;
    crd_array_file_destroy(array);
  }
  assert_int_equal(compared, 2 * 19);
}

static void losses_follow_torch(void **state) {
  crd_context *const ctx = test_context();
  course c = begin(ctx, *state);
  const double *const theirs = crd_array_file_array(c.losses)->data;
  for (size_t i = 0; i < STEPS; i++) {
    const double ours = learn(&c, i);
    if (!(fabs(ours - theirs[i]) <= tolerance * theirs[i]))
      fail_msg("step %zu: the loss is %.9g, not %.9g", i, ours, theirs[i]);
    update(&c, i == 0);
  }
  compare_statistics(&c);
  end(&c);
  crd_context_destroy(ctx);
}

/* Training is deterministic. */
static void the_same_bits_again(void **state) {
  crd_context *const ctx = test_context();
  double losses[2][STEPS];
  for (size_t k = 0; k < 2; k++) {
    course c = begin(ctx, *state);
    for (size_t i = 0; i < STEPS; i++) {
      losses[k][i] = learn(&c, i);
      update(&c, i == 0);
    }
    end(&c);
  }
  assert_memory_equal(losses[0], losses[1], sizeof losses[0]);
  crd_context_destroy(ctx);
}

/* Takes the path of a network without its .onnx; default: this repository's. */
int main(int argc, char **argv) {
  static char stored[] = NET_FOLDER "/resnet20-opset11-dynamic";
  char *const stem = argc > 1 ? argv[1] : stored;
  const struct CMUnitTest tests[] = {
    { "losses_follow_torch", losses_follow_torch, NULL, NULL, stem },
    { "the_same_bits_again", the_same_bits_again, NULL, NULL, stem },
  };
  if (!crd_operator_at(0)) {
    cannot_test_networks("training against PyTorch");
    return 0;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
