/* loss.c -- value and gradient of every loss on a batch of float32 logits.
 *
 * The loss is created once, as by a trainer; the time is that of one batch. History and class
 * frequencies, for losses that need them, are synthetic.
 */
#include "data.h"
#include "npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPOCHS = 10 };

typedef struct {
  bench_data *data;
  double *history, *counts;
  float *gradient;
  crd_loss *loss;
} state;

#define CASE(name)                                                                                 \
  { "loss-" name, 512, 1000, 2 }
static const bench_case cases[] = {
  CASE("ce"),
  CASE("weighted-ce"),
  CASE("label-smoothing"),
  CASE("entropy"),
  CASE("focal"),
  CASE("focal-sd"),
  CASE("inverse-focal"),
  CASE("lp-norm"),
  CASE("dca"),
  CASE("mdca"),
  CASE("brier"),
  CASE("mmce"),
  CASE("mmce-weighted"),
  CASE("soft-ece"),
  CASE("avuc"),
  CASE("dual-focal"),
  CASE("crl"),
};
#undef CASE

static void release(void *self) {
  state *s = self;
  if (!s) return;
  crd_loss_destroy(s->loss);
  bench_data_release(s->data);
  free(s->history);
  free(s->counts);
  free(s->gradient);
  free(s);
}

static bool allocate(state *s) {
  s->history = calloc(s->data->rows, sizeof *s->history);
  s->counts = calloc(s->data->cols, sizeof *s->counts);
  s->gradient = calloc(s->data->rows * s->data->cols, sizeof *s->gradient);
  return s->history && s->counts && s->gradient;
}

static void fill(state *s) {
  for (size_t i = 0; i < s->data->rows; i++)
    s->history[i] = (double)(bench_bits(i + 77) % (EPOCHS + 1));
  for (size_t k = 0; k < s->data->cols; k++) s->counts[k] = (double)(1 + bench_bits(k + 99) % 100);
}

/* The name of the loss, for the peers, as an array of characters. */
static bool hand_over(const state *s, const char *name, const char *folder) {
  return bench_npy_write(folder, "name", "i1", name, strlen(name), 1) &&
         bench_npy_write(folder, "history", "f8", s->history, s->data->rows, 1) &&
         bench_npy_write(folder, "counts", "f8", s->counts, s->data->cols, 1);
}

static void *prepare(const bench_case *size, const char *folder) {
  const char *const name = size->name + strlen("loss-");
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->data = bench_data_prepare(size, folder);
  bool good = s->data && allocate(s);
  if (good) {
    const crd_loss_options options = { .size = sizeof options,
                                       .classes = s->data->cols,
                                       .class_counts = s->counts };
    fill(s);
    good = hand_over(s, name, folder) &&
           crd_loss_create(s->data->ctx, name, &options, &s->loss) == CRD_OK;
    if (!good) fprintf(stderr, "bench: %s: %s\n", name, crd_context_message(s->data->ctx));
  }
  if (good) return s;
  release(s);
  return NULL;
}

static bool run(void *self, double *answers) {
  state *s = self;
  const crd_array logits = crd_array_matrix(s->data->logits, CRD_F32, s->data->rows, s->data->cols);
  const crd_targets targets = {
    .size = sizeof targets,
    .labels = crd_array_matrix(s->data->labels, CRD_I64, s->data->rows, 1),
    .history = crd_array_matrix(s->history, CRD_F64, s->data->rows, 1),
    .epochs = EPOCHS,
  };
  crd_loss_value value;
  if (crd_loss_evaluate(s->data->ctx, s->loss, &logits, &targets, &value, s->gradient) != CRD_OK) {
    fprintf(stderr, "bench: loss: %s\n", crd_context_message(s->data->ctx));
    return false;
  }
  answers[0] = value.value;
  answers[1] = value.gradient_norm;
  return true;
}

const bench_workload bench_workload_loss = {
  .name = "loss",
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = 2,
  .tolerance = 1e-9,
  .peer_tolerance = 1e-4,
  .prepare = prepare,
  .bytes = bench_data_bytes,
  .run = run,
  .release = release,
};
