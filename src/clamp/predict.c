/*
 * predict.c -- predictions of a clamped network on a dataset, in memory: logits f(x + delta) / T
 * with the dataset's labels, weights, groups and class names.
 */
#include "base/memory.h"
#include "base/options.h"
#include "base/words.h"
#include "clamp/clamp.h"
#include "clamp/start.h"
#include "data/predictions.h"
#include "dataset/classes.h"

#include <string.h>

/* Everything that the predictions borrow, released with them. */
typedef struct {
  double *logits, *weights;
  int64_t *labels, *groups;
  char **class_names, **group_names;
  size_t class_count, group_count;
} storage;

static void release(const crd_allocator *alloc, void *keeper) {
  storage *const s = keeper;
  void *const owned[] = { s->logits, s->weights,     s->labels,
                          s->groups, s->class_names, s->group_names };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(alloc, owned[i]);
  crd__free(alloc, s);
}

static crd_status copy_names(crd_context *ctx, const crd_dataset *data, storage *s) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  crd__words groups = { 0 }, classes = { 0 };
  crd_status status = CRD_OK;
  size_t number;
  for (size_t k = 0; status == CRD_OK && k < shape->classes; k++)
    status = crd__words_add(ctx, &classes, shape->class_names[k], strlen(shape->class_names[k]),
                            &number);
  for (size_t i = 0; status == CRD_OK && s->groups && i < shape->rows; i++) {
    const char *const group = crd_dataset_group(data, i), *const name = group ? group : "";
    status = crd__words_add(ctx, &groups, name, strlen(name), &number);
    s->groups[i] = (int64_t)number;
  }
  if (status == CRD_OK) status = crd__words_copy(ctx, &classes, &s->class_names);
  if (status == CRD_OK && s->groups) status = crd__words_copy(ctx, &groups, &s->group_names);
  s->class_count = classes.count;
  s->group_count = groups.count;
  crd__words_clear(&ctx->alloc, &groups);
  crd__words_clear(&ctx->alloc, &classes);
  return status;
}

/* Takes over labels and weights of the pass, and scales its logits. */
static crd_status fill(crd_context *ctx, crd__clamp_pass *pass, double temperature, storage *s) {
  const size_t count = pass->rows * pass->classes;
  CRD_TRY(crd__new(ctx, count, sizeof *s->logits, "logits", &s->logits));
  for (size_t i = 0; i < count; i++) s->logits[i] = pass->logits[i] / temperature;
  s->labels = pass->labels;
  s->weights = pass->weights;
  pass->labels = NULL;
  pass->weights = NULL;
  if (crd_dataset_describe(pass->data)->has_groups)
    CRD_TRY(crd__new(ctx, pass->rows, sizeof *s->groups, "groups", &s->groups));
  return copy_names(ctx, pass->data, s);
}

static crd_status wrap(crd_context *ctx, const crd__clamp_pass *pass, storage *s,
                       crd_predictions **out) {
  const bool named = s->class_count == pass->classes;
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(s->logits, CRD_F64, pass->rows, pass->classes),
    .labels = crd_array_matrix(s->labels, CRD_I64, pass->rows, 1),
    .weights = crd_array_matrix(s->weights, CRD_F64, pass->rows, 1),
    .groups = crd_array_matrix(s->groups, CRD_I64, pass->rows, 1),
    .group_names = (const char *const *)s->group_names,
    .group_name_count = s->group_count,
    .cluster = s->groups ? "groups" : NULL,
    .class_names = named ? (const char *const *)s->class_names : NULL,
    .class_name_count = named ? s->class_count : 0,
    .input = CRD_INPUT_LOGITS,
    .name = crd_dataset_describe(pass->data)->name,
    .scores_name = "logits",
  };
  CRD_TRY(crd_predictions_create(ctx, &parts, out));
  (*out)->keeper = s;
  (*out)->release = release;
  return CRD_OK;
}

/* What x is shifted by, and the range that the sum is projected to; NULL: none. */
typedef struct {
  double *delta;
  float *low, *high;
} shift;

static crd_status read_shift(crd_context *ctx, const crd_clamp *clamp, const crd_encoding *encoding,
                             crd__clamp_pass *pass, shift *out) {
  crd__clamp_settings settings;
  if (!clamp) return CRD_OK;
  const crd_clamp_summary *const s = &clamp->summary;
  if (s->count != pass->count || s->classes != pass->classes)
    return crd__fail(ctx, CRD_EUSAGE,
                     "the clamp has %zu elements and %zu classes, the network %zu and %zu",
                     s->count, s->classes, pass->count, pass->classes);
  CRD_TRY(crd__new(ctx, pass->count, sizeof *out->delta, "a perturbation", &out->delta));
  for (size_t i = 0; i < pass->count; i++) out->delta[i] = s->delta[i];
  CRD_TRY(crd__clamp_settings_read(
      ctx, &(crd_clamp_options){ .size = sizeof(crd_clamp_options), .settings = s->settings },
      &settings));
  if (settings.project == 0) return CRD_OK;
  CRD_TRY(crd__new(ctx, pass->count, sizeof *out->low, "the valid range", &out->low));
  CRD_TRY(crd__new(ctx, pass->count, sizeof *out->high, "the valid range", &out->high));
  crd__clamp_range(&settings, pass->encoder ? NULL : encoding, pass->count, out->low, out->high);
  pass->low = out->low;
  pass->high = out->high;
  return CRD_OK;
}

static crd_status predict(crd_context *ctx, const crd_clamp *clamp, const crd_encoding *encoding,
                          crd__clamp_pass *pass, crd_predictions **out) {
  shift by = { 0 };
  storage *s = NULL;
  crd_status status = read_shift(ctx, clamp, encoding, pass, &by);
  if (status == CRD_OK) status = crd__clamp_pass_run(ctx, pass, by.delta, 1, NULL, NULL);
  if (status == CRD_OK) status = crd__new(ctx, 1, sizeof *s, "predictions", &s);
  if (status == CRD_OK) status = fill(ctx, pass, clamp ? clamp->summary.temperature : 1, s);
  if (status == CRD_OK) status = wrap(ctx, pass, s, out);
  if (status != CRD_OK && s) release(&ctx->alloc, s);
  crd__free(&ctx->alloc, by.delta);
  crd__free(&ctx->alloc, by.low);
  crd__free(&ctx->alloc, by.high);
  return status;
}

crd_status crd_clamp_predict(crd_context *ctx, const crd_clamp *clamp, crd_network *network,
                             const crd_dataset *data, const crd_clamp_options *options,
                             crd_predictions **out) {
  crd_clamp_options how;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_clamp_options, options, &how));
  const crd__clamp_chain chain = { .encoding = how.encoding,
                                   .encoder = how.encoder,
                                   .network = network };
  const crd_array *const output = crd_network_output(network, 0);
  crd__clamp_pass pass = { 0 };
  crd_dataset *matched = NULL;
  crd_status status = CRD_OK;
  if (output && output->rank == 2) /* else the pass fails */
    status = crd__dataset_match_classes(ctx, data, how.encoding, (size_t)output->dims[1],
                                        how.name ? how.name : "the network", &matched);
  if (status == CRD_OK)
    status = crd__clamp_pass_make(ctx, &chain, matched ? matched : data, NULL, &pass);
  if (status == CRD_OK) status = predict(ctx, clamp, how.encoding, &pass, out);
  crd__clamp_pass_clear(&ctx->alloc, &pass);
  crd_dataset_destroy(matched);
  return status;
}
