/* clamp.c -- a short fit of Neural Clamping on two threads, from bytes in memory to a perturbation
 * of all images and a temperature: logits of all images, two gradient steps on all of them through
 * a frozen network, and logits of the perturbed images.
 *
 * Compilation is not counted, nor are the peers' first runs. Images are noise, since speed does not
 * depend on them. Answers are the temperature, the norm of the perturbation, and elements of it
 * over the norm.
 */
#include "data.h"
#include "npy.h"

#include "credence/clamp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, CLASSES = 10, BATCH = 128, CIFAR = 3 * 32 * 32, SIDE = 32, QUICK = 512 };
enum { TEMPERATURE, NORM, ELEMENTS, SHOWN = BENCH_ANSWERS - ELEMENTS };
/* Forward passes: two for logits, and two steps, whose backward pass counts one. */
enum { WORK = 6 };

/* As the network was trained, for bytes. */
static double mean[] = { 255 * 0.485, 255 * 0.456, 255 * 0.406 };
static double deviation[] = { 255 * 0.229, 255 * 0.224, 255 * 0.225 };
static const crd_encoding encoding = { .channels = 3, .mean = mean, .std = deviation };

typedef struct {
  crd_context *ctx;
  unsigned char *images;
  int64_t *labels;
  crd_dataset *data;
  crd_model *model;
  crd_network *network;
  char settings[128];
  double flops;
} state;

static const bench_case cases[] = { { "clamp-resnet20", 2560, CIFAR, 1.5 },
                                    { "clamp-resnet20-winograd", 2560, CIFAR, 1.5 } };

static void release(void *self) {
  state *s = self;
  if (!s) return;
  crd_network_destroy(s->network);
  crd_model_destroy(s->model);
  crd_dataset_destroy(s->data);
  crd_context_destroy(s->ctx);
  free(s->images);
  free(s->labels);
  free(s);
}

static bool make_data(state *s, const bench_case *size, const char *folder) {
  const size_t count = size->rows * size->cols;
  s->images = malloc(count);
  s->labels = malloc(size->rows * sizeof *s->labels);
  if (!s->images || !s->labels) return false;
  for (size_t i = 0; i < count; i++) s->images[i] = (unsigned char)bench_bits(i);
  for (size_t i = 0; i < size->rows; i++) s->labels[i] = (int64_t)(i * 7919 % CLASSES);
  return bench_npy_write(folder, "images", "u1", s->images, size->rows, size->cols) &&
         bench_npy_write(folder, "labels", "i8", s->labels, size->rows, 1) &&
         bench_npy_write(folder, "mean", "f8", mean, 3, 1) &&
         bench_npy_write(folder, "deviation", "f8", deviation, 3, 1);
}

static crd_status open_data(state *s, const bench_case *size) {
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = { .data = s->images,
                .dtype = CRD_U8,
                .rank = 4,
                .dims = { (int64_t)size->rows, 3, SIDE, SIDE } },
    .labels = crd_array_matrix(s->labels, CRD_I64, size->rows, 1),
    .classes = CLASSES,
  };
  return crd_dataset_create(s->ctx, &arrays, &s->data);
}

static crd_status compile(state *s, const bench_case *size, const char *path) {
  const crd_compile_options options = { .size = sizeof options,
                                        .batch = BATCH,
                                        .winograd = strstr(size->name, "winograd") != NULL,
                                        .mode = CRD_MODE_INPUT_GRADIENT,
                                        .shared_gradient = 1 };
  const crd_status status = crd_model_open(s->ctx, path, &s->model);
  return status == CRD_OK ? crd_network_compile(s->ctx, s->model, &options, &s->network) : status;
}

static crd_status count_flops(state *s, size_t rows) {
  const crd_compile_options one = { .size = sizeof one, .batch = 1 };
  const crd_survey *survey;
  const crd_status status = crd_survey_make(s->ctx, s->model, &one, &survey);
  if (status == CRD_OK) s->flops = WORK * (double)survey->flops * (double)rows;
  crd_survey_destroy(survey);
  return status;
}

static void *prepare(const bench_case *size, const char *folder) {
  char path[512];
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  if (bench_find_network("resnet20-cifar", "", path, sizeof path) &&
      crd_context_create(NULL, &s->ctx) == CRD_OK) {
    crd_context_set_threads(s->ctx, THREADS);
    snprintf(s->settings, sizeof s->settings,
             "optimiser=sgd,lambda=1,unit=one,rate=0.1,momentum=0.9,batch=%zu,epochs=2",
             size->rows);
    if (make_data(s, size, folder) && open_data(s, size) == CRD_OK &&
        compile(s, size, path) == CRD_OK && count_flops(s, size->rows) == CRD_OK)
      return s;
    fprintf(stderr, "bench: %s\n", crd_context_message(s->ctx));
  }
  release(s);
  return NULL;
}

static double flops(const void *self) { return ((const state *)self)->flops; }

static bool run(void *self, double *answers) {
  state *s = self;
  const crd_clamp_options options = { .size = sizeof options,
                                      .settings = s->settings,
                                      .encoding = &encoding };
  crd_clamp *clamp;
  if (crd_clamp_fit(s->ctx, s->network, s->data, &options, &clamp) != CRD_OK) {
    fprintf(stderr, "bench: clamp: %s\n", crd_context_message(s->ctx));
    return false;
  }
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  answers[TEMPERATURE] = found->temperature;
  answers[NORM] = found->delta_norm;
  for (size_t i = 0; i < SHOWN; i++) answers[ELEMENTS + i] = found->delta[i] / found->delta_norm;
  crd_clamp_destroy(clamp);
  return true;
}

const bench_workload bench_workload_clamp = {
  .name = "clamp",
  .threads = THREADS,
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .quick_rows = QUICK,
  .answer_count = BENCH_ANSWERS,
  .tolerance = 1e-4,
  .peer_tolerance = 1e-3,
  .prepare = prepare,
  .flops = flops,
  .run = run,
  .release = release,
};
