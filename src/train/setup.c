/*
 * setup.c -- prepares data and network for a trainer.
 *
 * The training data decide on the classes; a model that is trained further brings its vocabulary
 * and its scale, with which its weights were trained.
 */
#include "base/memory.h"
#include "base/options.h"
#include "credence/train.h"
#include "network/model.h"

#include <string.h>

typedef struct {
  crd_context *ctx;
  crd_setup_options options;
  crd_dataset *training;
  crd_encoding *encoding;
  crd_model *model;
} setup;

/* ---- The encoding. */

/* Moves vocabulary and scale from one encoding to the other. */
static void swap_inputs(crd_encoding *one, crd_encoding *other) {
  const crd_encoding before = *one;
  *one = *other;
  one->class_count = before.class_count;
  one->class_names = before.class_names;
  crd_encoding rest = before;
  rest.class_count = other->class_count;
  rest.class_names = other->class_names;
  *other = rest;
}

static crd_status learn(setup *s) {
  crd_encoding *own = NULL;
  CRD_TRY(crd_encoding_learn(s->ctx, s->training, s->options.encoding, &s->encoding));
  if (s->options.model) CRD_TRY(crd_model_encoding(s->ctx, s->options.model, &own));
  if (own) swap_inputs(s->encoding, own);
  crd_encoding_destroy(own);
  return CRD_OK;
}

static crd_status need_classes(const setup *s) {
  const crd_dataset_shape *const data = crd_dataset_describe(s->training);
  const crd_encoding *const e = s->encoding;
  const bool table = data->type == CRD_SAMPLES_VECTORS;
  if (e->class_count > 1) return CRD_OK;
  return crd__fail(s->ctx, CRD_EINPUT,
                   "%.300s: all labels are '%.100s': training needs at least two classes%s%s%s",
                   data->name, e->class_count ? e->class_names[0] : "", table ? " (" : "",
                   table ? crd__spell(s->ctx, "label_column") : "",
                   table ? " chooses the column of labels)" : "");
}

/* ---- The network. */

static crd_status build(setup *s) {
  const crd_dataset_shape *const data = crd_dataset_describe(s->training);
  crd_architecture_shape shape = { .size = sizeof shape,
                                   .classes = s->encoding->class_count,
                                   .rank = data->rank };
  if (data->type == CRD_SAMPLES_TEXTS) shape.words = s->encoding->word_count + 2;
  memcpy(shape.dims, data->dims, sizeof shape.dims);
  const char *const chosen = s->options.network;
  return crd_architecture_build(s->ctx, chosen ? chosen : crd_architecture_usual(data->type),
                                &shape, &s->model);
}

/* The caller's model, or the new one. */
static const crd_model *whole(const setup *s) { return s->model ? s->model : s->options.model; }

/* Gives the model a new last layer if it has another number of classes. */
static crd_status fit_classes(setup *s) {
  const crd_port *const output = crd_model_output(s->options.model, 0);
  const size_t classes = s->encoding->class_count;
  crd_model *changed;
  if (!output || !output->known || output->rank != 2 || output->dims[1] < 0 ||
      (size_t)output->dims[1] == classes)
    return CRD_OK;
  CRD_TRY(crd_model_set_classes(s->ctx, s->options.model, classes, &changed));
  crd__log(s->ctx, CRD_LOG_WARNING, "%s: a new last layer for %zu classes, instead of %lld",
           s->options.model->file->path, classes, (long long)output->dims[1]);
  s->model = changed;
  return CRD_OK;
}

/* The shape of the tensor at which the network is cut, for these data. */
static crd_status find_shape(const setup *s, const crd_model *front, crd_architecture_shape *out) {
  const crd_dataset_shape *const data = crd_dataset_describe(s->training);
  crd_array input = { .dtype = data->dtype, .rank = data->rank + 1, .dims = { 1 } };
  crd_network *network;
  memcpy(input.dims + 1, data->dims, data->rank * sizeof *data->dims);
  const crd_compile_options how = {
    .size = sizeof how, .batch = 1, .inputs = &input, .input_count = 1, .wide_outputs = 1
  };
  CRD_TRY(crd_network_compile(s->ctx, front, &how, &network));
  const crd_array *const features = crd_network_output(network, 0);
  *out = (crd_architecture_shape){ .size = sizeof(crd_architecture_shape),
                                   .classes = s->encoding->class_count,
                                   .rank = features->rank ? features->rank - 1 : 0 };
  if (out->rank) memcpy(out->dims, features->dims + 1, out->rank * sizeof *out->dims);
  crd_network_destroy(network);
  return CRD_OK;
}

/* Replaces everything behind the tensor by a new network. */
static crd_status put_head(setup *s) {
  crd_model *front, *head = NULL, *joined = NULL;
  crd_architecture_shape shape;
  CRD_TRY(crd_model_cut(s->ctx, whole(s), s->options.freeze, CRD_PART_BEFORE, &front));
  crd_status status = find_shape(s, front, &shape);
  if (status == CRD_OK) status = crd_architecture_build(s->ctx, s->options.head, &shape, &head);
  if (status == CRD_OK) status = crd_model_join(s->ctx, front, head, &joined);
  crd_model_destroy(front);
  crd_model_destroy(head);
  if (status != CRD_OK) return status;
  crd_model_destroy(s->model);
  s->model = joined;
  return CRD_OK;
}

/* ---- All of it. */

static crd_status prepare(setup *s, crd_dataset *const *others, size_t count) {
  CRD_TRY(learn(s));
  CRD_TRY(need_classes(s));
  CRD_TRY(crd_dataset_encode(s->ctx, s->training, s->encoding));
  for (size_t i = 0; i < count; i++) CRD_TRY(crd_dataset_encode(s->ctx, others[i], s->encoding));
  if (!s->options.model) CRD_TRY(build(s));
  if (s->options.head) return put_head(s);
  return s->options.model ? fit_classes(s) : CRD_OK;
}

static crd_status check_options(crd_context *ctx, const crd_setup_options *o) {
  if (o->head && !o->freeze)
    return crd__fail(ctx, CRD_EUSAGE, "%s needs a tensor behind which it begins: %s",
                     crd__spell(ctx, "head"), crd__spell(ctx, "freeze"));
  if (o->network && o->model)
    return crd__fail(ctx, CRD_EUSAGE, "%s and %s are given: one of them is trained",
                     crd__spell(ctx, "network"), crd__spell(ctx, "model"));
  return CRD_OK;
}

crd_status crd_train_setup(crd_context *ctx, crd_dataset *training, crd_dataset *const *others,
                           size_t other_count, const crd_setup_options *options,
                           crd_encoding **encoding, crd_model **model) {
  setup s = { .ctx = ctx, .training = training };
  *encoding = NULL;
  *model = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_setup_options, options, &s.options));
  CRD_TRY(check_options(ctx, &s.options));
  const crd_status status = prepare(&s, others, other_count);
  if (status == CRD_OK) {
    *encoding = s.encoding;
    *model = s.model;
    return CRD_OK;
  }
  crd_encoding_destroy(s.encoding);
  crd_model_destroy(s.model);
  return status;
}
