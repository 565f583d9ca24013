/*
 * predict_data.c -- predictions for a dataset, read as the network's training data was read.
 *
 * The model's metadata has mean and standard deviation, the vocabulary, and the names of the
 * classes, by which labels are mapped (dataset/classes.h). Beside the predictions stand labels,
 * weights, groups, and the index of each sample.
 */
#include "credence/edit.h"
#include "network/predict.h"
#include "network/stream.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/words.h"
#include "dataset/classes.h"
#include "io/format/npy.h"

#include <string.h>
#include <strings.h>

typedef struct {
  crd_context *ctx;
  crd_encoding *encoding; /* of the model; NULL: none */
  crd_dataset *data;      /* encoded */
  bool named;             /* labels are mapped to the model's classes by name */
  const crd_dataset_shape *shape;
  crd__network_stream stream;
  crd__network_prediction to;
  int64_t *labels, *groups, *indices;
  double *weights;
  char **group_names, **column_names;
} prediction;

/* ---- Classes. */

static crd_status refuse_names(const prediction *p, size_t at) {
  const crd_encoding *const e = p->encoding;
  const bool more = at < e->class_count;
  return crd__fail(
      p->ctx, CRD_EINPUT,
      "%s has %zu classes, the model has %zu: the first that differs is '%.60s'%s%.60s%s",
      p->shape->name, p->shape->classes, e->class_count, p->shape->class_names[at],
      more ? ", where the model has '" : ", which the model lacks", more ? e->class_names[at] : "",
      more ? "'" : "");
}

/* Fails if the data has more classes than the model; labels of fewer are mapped by name. */
static crd_status check_names(const prediction *p) {
  size_t at = 0;
  if (!p->named || p->shape->classes <= p->encoding->class_count) return CRD_OK;
  while (at < p->encoding->class_count &&
         strcmp(p->shape->class_names[at], p->encoding->class_names[at]) == 0)
    at++;
  return refuse_names(p, at);
}

static crd_status check_count(const prediction *p) {
  const size_t classes = crd__network_predict_classes(&p->to);
  if (!p->encoding || !p->encoding->class_count || p->encoding->class_count == classes)
    return CRD_OK;
  return crd__fail(p->ctx, CRD_EINPUT,
                   "the network has %zu classes, but its metadata names %zu: '%.60s', ...", classes,
                   p->encoding->class_count, p->encoding->class_names[0]);
}

static crd_status fill_labels(const prediction *p, int64_t *class_of, size_t *labelled) {
  for (size_t k = 0; k < p->shape->classes; k++) class_of[k] = (int64_t)k;
  if (!p->named)
    CRD_TRY(crd__dataset_number_classes(p->ctx, p->shape, crd__network_predict_classes(&p->to),
                                        "the network", class_of));
  for (size_t i = 0; i < p->shape->rows; i++) {
    const int64_t label = crd_dataset_label(p->data, i);
    p->labels[i] = label < 0 ? CRD_IGNORE_LABEL : class_of[label];
    *labelled += label >= 0;
  }
  return CRD_OK;
}

/* ---- Arrays beside the predictions. */

static void add_array(prediction *p, const char *name, const void *values, crd_dtype dtype,
                      char *const *words, size_t word_count) {
  p->to.arrays[p->to.count++] =
      (crd__io_array){ .name = name,
                       .view = crd_array_matrix(values, dtype, p->shape->rows, 1),
                       .words = (const char *const *)words,
                       .word_count = word_count };
}

/* Writes labels if there are any; rows without one are left out by evaluations. */
static crd_status add_labels(prediction *p) {
  const bool named = p->encoding && p->encoding->class_count;
  size_t labelled = 0;
  int64_t *class_of;
  if (!p->shape->classes) return CRD_OK;
  CRD_TRY(crd__new(p->ctx, p->shape->rows, sizeof *p->labels, "labels", &p->labels));
  CRD_TRY(crd__new(p->ctx, p->shape->classes, sizeof *class_of, "labels", &class_of));
  const crd_status status = fill_labels(p, class_of, &labelled);
  crd__free(&p->ctx->alloc, class_of);
  CRD_TRY(status);
  if (labelled > 0)
    add_array(p, "labels", p->labels, CRD_I64, named ? p->encoding->class_names : NULL,
              named ? p->encoding->class_count : 0);
  return CRD_OK;
}

static crd_status add_weights(prediction *p) {
  if (!p->shape->has_weights) return CRD_OK;
  CRD_TRY(crd__new(p->ctx, p->shape->rows, sizeof *p->weights, "weights", &p->weights));
  for (size_t i = 0; i < p->shape->rows; i++) p->weights[i] = crd_dataset_weight(p->data, i);
  add_array(p, "weights", p->weights, CRD_F64, NULL, 0);
  return CRD_OK;
}

/* Numbers the groups in the order in which they appear; rows without one are in the group "". */
static crd_status number_groups(prediction *p, crd__words *names) {
  for (size_t i = 0; i < p->shape->rows; i++) {
    const char *const group = crd_dataset_group(p->data, i), *const name = group ? group : "";
    size_t number;
    CRD_TRY(crd__words_add(p->ctx, names, name, strlen(name), &number));
    p->groups[i] = (int64_t)number;
  }
  return crd__words_copy(p->ctx, names, &p->group_names);
}

static crd_status add_groups(prediction *p) {
  crd__words names = { 0 };
  if (!p->shape->has_groups) return CRD_OK;
  CRD_TRY(crd__new(p->ctx, p->shape->rows, sizeof *p->groups, "groups", &p->groups));
  const crd_status status = number_groups(p, &names);
  const size_t count = names.count;
  crd__words_clear(&p->ctx->alloc, &names);
  CRD_TRY(status);
  add_array(p, "groups", p->groups, CRD_I64, p->group_names, count);
  return CRD_OK;
}

static crd_status add_indices(prediction *p) {
  CRD_TRY(crd__new(p->ctx, p->shape->rows, sizeof *p->indices, "indices", &p->indices));
  for (size_t i = 0; i < p->shape->rows; i++)
    p->indices[i] = (int64_t)crd_dataset_index(p->data, i);
  add_array(p, "indices", p->indices, CRD_I64, NULL, 0);
  return CRD_OK;
}

/* ---- Names of the columns. */

static bool is_table(const char *path) {
  static const char *const endings[] = { ".csv", ".tsv", ".csv.gz", ".tsv.gz" };
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const size_t tail = strlen(endings[i]);
    if (length > tail && strcasecmp(path + length - tail, endings[i]) == 0) return true;
  }
  return false;
}

/* In a table, columns of scores are told from indices and features by their prefix. */
static crd_status prefix_names(prediction *p, const char *const *names, size_t count) {
  crd__text text;
  crd__text_init(&text, &p->ctx->alloc);
  for (size_t k = 0; k < count; k++) {
    crd__text_addf(&text, "%s_", p->to.scores);
    crd__text_add_bytes(&text, names[k], strlen(names[k]) + 1);
  }
  const crd_status status = crd__text_strings(p->ctx, &text, count, &p->column_names);
  crd__text_clear(&text);
  p->to.class_names = (const char *const *)p->column_names;
  return status;
}

static crd_status name_columns(prediction *p, const char *path) {
  const size_t classes = crd__network_predict_classes(&p->to);
  const bool named = p->encoding && p->encoding->class_count;
  if (!named && p->shape->classes != classes) return CRD_OK;
  const char *const *const names =
      named ? (const char *const *)p->encoding->class_names : p->shape->class_names;
  if (is_table(path)) return prefix_names(p, names, classes);
  p->to.class_names = names;
  return CRD_OK;
}

/* ---- Run. */

/* Copies the list of rows, to be encoded without changing the caller's dataset. */
static crd_status encode(prediction *p, const crd_model *model, const crd_dataset *data) {
  const size_t rows = crd_dataset_describe(data)->rows;
  size_t *all;
  CRD_TRY(crd_model_encoding(p->ctx, model, &p->encoding));
  CRD_TRY(crd__new(p->ctx, rows, sizeof *all, "rows", &all));
  for (size_t i = 0; i < rows; i++) all[i] = i;
  const crd_status status = crd_dataset_take(p->ctx, data, all, rows, &p->data);
  crd__free(&p->ctx->alloc, all);
  CRD_TRY(status);
  p->shape = crd_dataset_describe(p->data);
  if (!p->encoding) return CRD_OK;
  p->named = crd__dataset_has_names(p->shape, p->encoding);
  CRD_TRY(check_names(p));
  crd_encoding how = *p->encoding;
  if (!p->named) how.class_count = 0;
  return crd_dataset_encode(p->ctx, p->data, &how);
}

static crd_status predict(prediction *p, const crd_model *model, const crd_feed_options *options,
                          const char *path, crd_feed_summary *summary) {
  crd_feed_options how = *options;
  how.sources = &p->shape->name;
  if (p->shape->type == CRD_SAMPLES_TEXTS && !(p->encoding && p->encoding->length))
    return crd__fail(p->ctx, CRD_EINPUT,
                     "%s: the samples are texts, and the model has no vocabulary", p->shape->name);
  crd__network_normalise(p->encoding, &how);
  crd__network_stream_open(p->data, &p->stream);
  if (crd__network_is_channels_first(model, &p->stream.shape)) how.channels_last = 0;
  CRD_TRY(crd__network_predict_make(&p->to, model, &p->stream.shape, &how));
  crd__network_feed_pull(&p->to.batches.feed, 0, crd__network_stream_source(&p->stream));
  CRD_TRY(check_count(p));
  CRD_TRY(add_labels(p));
  const bool labelled = p->to.count > 0;
  CRD_TRY(add_weights(p));
  CRD_TRY(add_groups(p));
  CRD_TRY(add_indices(p));
  CRD_TRY(crd__network_predict_begin(&p->to, 0));
  CRD_TRY(name_columns(p, path));
  CRD_TRY(crd__network_predict_write(&p->to, path, summary));
  summary->labelled = labelled && !crd__io_npy_is_extension(path);
  return CRD_OK;
}

static void clear(prediction *p) {
  const crd_allocator *const alloc = &p->ctx->alloc;
  void *const owned[] = { p->labels,  p->groups,      p->indices,
                          p->weights, p->group_names, p->column_names };
  crd__network_predict_clear(&p->to);
  crd__network_stream_clear(alloc, &p->stream);
  crd_dataset_destroy(p->data);
  crd_encoding_destroy(p->encoding);
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(alloc, owned[i]);
}

crd_status crd_dataset_predict_to(crd_context *ctx, const crd_model *model,
                                  const crd_dataset *dataset, const crd_feed_options *options,
                                  const char *path, crd_feed_summary *summary) {
  crd_feed_options own;
  prediction p = { .ctx = ctx, .to = { .ctx = ctx } };
  crd_feed_summary done;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_feed_options, options, &own));
  crd_status status = encode(&p, model, dataset);
  if (status == CRD_OK) status = predict(&p, model, &own, path, &done);
  if (status == CRD_ENUMERIC) status = crd__fail_in(ctx, status, p.shape->name);
  if (status == CRD_OK && summary) *summary = done;
  clear(&p);
  return status;
}
