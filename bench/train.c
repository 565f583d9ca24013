/* train.c -- one epoch of training on two threads, from bytes in memory to updated parameters: the
 * loader with its augmentation, forward and backward pass, loss, AdamW. The peers do the same with
 * PyTorch's DataLoader, in every layout and with 0 to 2 loader processes.
 *
 * Images are noise, since speed does not depend on them. The answer is 1 if the loss is finite:
 * orders and augmentation differ, so losses cannot be compared.
 */
#include "data.h"
#include "npy.h"

#include "credence/train.h"
#include "credence/zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, CLASSES = 10, BATCH = 128, EPOCHS = 10000, CIFAR = 3 * 32 * 32 };
enum { MNIST = 28 * 28 };

typedef struct {
  crd_context *ctx;
  unsigned char *images;
  int64_t *labels;
  crd_dataset *data;
  crd_encoding *encoding;
  crd_trainer *trainer;
  double flops;
} state;

static const bench_case cases[] = {
  { "train-resnet20", 2560, CIFAR, 1.2 },
  { "train-lenet5", 12800, MNIST, 3 },
  { "train-mlp", 12800, MNIST, 3 },
};

static void release(void *self) {
  state *s = self;
  if (!s) return;
  crd_trainer_destroy(s->trainer);
  crd_encoding_destroy(s->encoding);
  crd_dataset_destroy(s->data);
  crd_context_destroy(s->ctx);
  free(s->images);
  free(s->labels);
  free(s);
}

static bool make_data(state *s, const bench_case *size, const char *folder, const char *name) {
  const size_t count = size->rows * size->cols;
  s->images = malloc(count);
  s->labels = malloc(size->rows * sizeof *s->labels);
  if (!s->images || !s->labels) return false;
  for (size_t i = 0; i < count; i++) s->images[i] = (unsigned char)(i * 2654435761U >> 16);
  for (size_t i = 0; i < size->rows; i++) s->labels[i] = (int64_t)(i * 7919 % CLASSES);
  return bench_npy_write(folder, "name", "i1", name, strlen(name), 1) &&
         bench_npy_write(folder, "images", "u1", s->images, size->rows, size->cols) &&
         bench_npy_write(folder, "labels", "i8", s->labels, size->rows, 1);
}

static crd_array images_of(const state *s, const bench_case *size) {
  const int64_t channels = size->cols == CIFAR ? 3 : 1, side = size->cols == CIFAR ? 32 : 28;
  return (crd_array){ .data = s->images,
                      .dtype = CRD_U8,
                      .rank = 4,
                      .dims = { (int64_t)size->rows, channels, side, side } };
}

/* Counts the arithmetic of an epoch: forward and backward pass are three forward passes. */
static crd_status count_flops(state *s, const crd_model *model, size_t steps) {
  const crd_compile_options one = { .size = sizeof one, .batch = BATCH };
  const crd_survey *survey;
  const crd_status status = crd_survey_make(s->ctx, model, &one, &survey);
  if (status == CRD_OK) s->flops = 3 * (double)survey->flops * (double)steps;
  crd_survey_destroy(survey);
  return status;
}

static crd_status make_trainer(state *s, const bench_case *size, const char *name) {
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = images_of(s, size),
    .labels = crd_array_matrix(s->labels, CRD_I64, size->rows, 1),
    .classes = CLASSES,
  };
  const crd_train_options options = {
    .size = sizeof options,
    .epochs = EPOCHS,
    .batch = BATCH,
    .augment = size->cols == CIFAR ? "crop(pad=4) + flip" : NULL,
  };
  crd_model *model = NULL;
  crd_status status = crd_dataset_create(s->ctx, &arrays, &s->data);
  if (status == CRD_OK) status = crd_encoding_learn(s->ctx, s->data, NULL, &s->encoding);
  if (status == CRD_OK) {
    const crd_dataset_shape *const d = crd_dataset_describe(s->data);
    crd_architecture_shape shape = { .size = sizeof shape, .classes = CLASSES, .rank = d->rank };
    memcpy(shape.dims, d->dims, sizeof shape.dims);
    status = crd_architecture_build(s->ctx, name, &shape, &model);
  }
  if (status == CRD_OK) status = count_flops(s, model, size->rows / BATCH);
  if (status == CRD_OK)
    status = crd_trainer_create(s->ctx, model, s->data, s->encoding, &options, &s->trainer);
  crd_model_destroy(model);
  return status;
}

static void *prepare(const bench_case *size, const char *folder) {
  const char *const name = size->name + strlen("train-");
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  if (crd_context_create(NULL, &s->ctx) == CRD_OK) {
    crd_context_set_threads(s->ctx, THREADS);
    if (make_data(s, size, folder, name) && make_trainer(s, size, name) == CRD_OK) return s;
    fprintf(stderr, "bench: %s\n", crd_context_message(s->ctx));
  }
  release(s);
  return NULL;
}

static double flops(const void *self) { return ((const state *)self)->flops; }

static bool run(void *self, double *answers) {
  state *s = self;
  crd_epoch epoch;
  int done;
  if (crd_trainer_epoch(s->ctx, s->trainer, &epoch, &done) != CRD_OK) {
    fprintf(stderr, "bench: train: %s\n", crd_context_message(s->ctx));
    return false;
  }
  answers[0] = epoch.count && isfinite(epoch.values[0].value) ? 1 : 0;
  return true;
}

const bench_workload bench_workload_train = {
  .name = "train",
  .threads = THREADS,
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = 1,
  .tolerance = 0,
  .peer_tolerance = 0,
  .prepare = prepare,
  .flops = flops,
  .run = run,
  .release = release,
};
