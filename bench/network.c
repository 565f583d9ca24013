/* network.c -- whole networks on two threads: forward pass of a batch of images; forward and
 * backward pass to a perturbation shared by all images (frozen-); forward and backward pass in
 * training mode to all parameters, without the optimiser's step (training-).
 *
 * The networks are those of tools/make-networks, which makes missing files; the peers build the
 * same ones with the same weights. Compilation is not counted, nor are the peers' first runs.
 * Answers are logits of the first and the last row over the root mean square of all.
 */
#include "data.h"
#include "npy.h"

#include "credence/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, SHOWN = BENCH_ANSWERS / 2, CIFAR = 3 * 32 * 32, IMAGENET = 3 * 224 * 224 };

/* Prefixes of the names of cases. */
static const struct {
  const char *prefix, *suffix; /* suffix: of the file, with batch norms as separate nodes */
  crd_mode mode;
  double work; /* in forward passes: a backward pass counts one, or two with weights */
} kinds[] = {
  { "network-", "", CRD_MODE_INFERENCE, 1 },
  { "frozen-", "", CRD_MODE_INPUT_GRADIENT, 2 },
  { "training-", "-norms", CRD_MODE_TRAINING, 3 },
};

typedef struct {
  size_t kind;
  crd_context *ctx;
  crd_model *model;
  crd_network *network;
  float *images, *gradient; /* gradient: dL/d(logits) */
  double flops;
} state;

static const bench_case cases[] = {
  { "network-resnet20-cifar", 128, CIFAR, 1 },
  { "network-resnet32-cifar", 128, CIFAR, 1 },
  { "network-densenet121-cifar", 128, CIFAR, 1 },
  { "network-vgg16bn-cifar", 128, CIFAR, 1 },
  { "network-resnet50", 8, IMAGENET, 1 },
  { "network-vit", 8, IMAGENET, 1 },
  { "frozen-resnet20-cifar", 128, CIFAR, 1 },
  { "training-resnet20-cifar", 128, CIFAR, 1 },
  { "training-densenet121-cifar", 32, CIFAR, 1 },
  { "training-vgg16bn-cifar", 64, CIFAR, 1 },
  { "training-vit", 8, IMAGENET, 1 },
};

static void release(void *self) {
  state *s = self;
  if (!s) return;
  crd_network_destroy(s->network);
  crd_model_destroy(s->model);
  crd_context_destroy(s->ctx);
  free(s->images);
  free(s->gradient);
  free(s);
}

static bool compile(state *s, const char *path, size_t batch) {
  const crd_compile_options options = { .size = sizeof options,
                                        .batch = batch,
                                        .mode = kinds[s->kind].mode,
                                        .shared_gradient = 1,
                                        .parameters_only = 1 };
  const crd_compile_options plain = { .size = sizeof plain, .batch = batch };
  const crd_survey *survey = NULL;
  const bool good = crd_model_open(s->ctx, path, &s->model) == CRD_OK &&
                    crd_network_compile(s->ctx, s->model, &options, &s->network) == CRD_OK &&
                    crd_survey_make(s->ctx, s->model, &plain, &survey) == CRD_OK;
  if (good) s->flops = (double)survey->flops * kinds[s->kind].work;
  else fprintf(stderr, "bench: %s\n", crd_context_message(s->ctx));
  crd_survey_destroy(survey);
  return good;
}

static bool make_images(state *s, const bench_case *size) {
  const size_t count = size->rows * size->cols;
  s->images = malloc(count * sizeof *s->images);
  for (size_t i = 0; s->images && i < count; i++) s->images[i] = bench_noise(i + 1);
  const size_t logits = crd_array_count(crd_network_output(s->network, 0));
  s->gradient = malloc(logits * sizeof *s->gradient);
  for (size_t i = 0; s->gradient && i < logits; i++) s->gradient[i] = bench_noise(i + 1);
  return s->images && s->gradient;
}

static size_t kind_of(const char *name) {
  size_t kind = 0;
  while (strncmp(name, kinds[kind].prefix, strlen(kinds[kind].prefix)) != 0) kind++;
  return kind;
}

static void *prepare(const bench_case *size, const char *folder) {
  const size_t kind = kind_of(size->name);
  const char *const name = size->name + strlen(kinds[kind].prefix);
  const signed char mode = (signed char)kinds[kind].mode;
  char path[512];
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->kind = kind;
  bool good = bench_find_network(name, kinds[kind].suffix, path, sizeof path) &&
              crd_context_create(NULL, &s->ctx) == CRD_OK;
  if (good) {
    crd_context_set_threads(s->ctx, THREADS);
    good = compile(s, path, size->rows) && make_images(s, size) &&
           bench_npy_write(folder, "name", "i1", name, strlen(name), 1) &&
           bench_npy_write(folder, "mode", "i1", &mode, 1, 1) &&
           bench_npy_write(folder, "gradient", "f4", s->gradient,
                           crd_array_count(crd_network_output(s->network, 0)), 1) &&
           bench_npy_write(folder, "images", "f4", s->images, size->rows, size->cols);
  }
  if (good) return s;
  release(s);
  return NULL;
}

static double flops(const void *self) { return ((const state *)self)->flops; }

static void answer(const crd_array *logits, double *answers) {
  const float *const z = logits->data;
  const size_t count = crd_array_count(logits), classes = (size_t)logits->dims[1];
  double squares = 0;
  for (size_t i = 0; i < count; i++) squares += (double)z[i] * (double)z[i];
  const double scale = sqrt(squares / (double)count);
  for (size_t i = 0; i < SHOWN; i++) {
    answers[i] = (double)z[i] / scale;
    answers[SHOWN + i] = (double)z[count - classes + i] / scale;
  }
}

static bool run(void *self, double *answers) {
  state *s = self;
  crd_array images = *crd_network_input(s->network, 0);
  images.data = s->images;
  crd_array gradient = *crd_network_output(s->network, 0);
  gradient.data = s->gradient;
  if (crd_network_run(s->ctx, s->network, &images, 1) != CRD_OK ||
      (s->kind && crd_network_backward(s->ctx, s->network, &gradient) != CRD_OK)) {
    fprintf(stderr, "bench: network: %s\n", crd_context_message(s->ctx));
    return false;
  }
  answer(crd_network_output(s->network, 0), answers);
  return true;
}

const bench_workload bench_workload_network = {
  .name = "network",
  .threads = THREADS,
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = BENCH_ANSWERS,
  .tolerance = 1e-4,
  .peer_tolerance = 1e-3, /* batch norms of a hundred layers, channels last: 2.4e-4 in PyTorch */
  .prepare = prepare,
  .flops = flops,
  .run = run,
  .release = release,
};
