/*
 * encoding.c -- the encoding of the training data, in the metadata of a model, each key as JSON:
 *
 *   credence.class_names   ["cat", "dog"]         the classes, in the order of the logits
 *   credence.mean, .std    [0.4914, 0.4822, ...]  of each channel (images) or column (vectors)
 *   credence.layout        nchw, nc, tokens       the dimensions of the input; without quotes
 *   credence.vocabulary    ["the", "of", ...]     texts: word i is token i + 2
 *   credence.length        500                    texts: number of tokens of a sample
 *
 * Numbers have the shortest digits that read back the same, so that equal encodings have equal
 * bytes.
 */
#include "dataset/encoding.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/words.h"
#include "credence/edit.h"
#include "network/encoding.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static const crd_metadata of_output[] = { { CRD__KEY_CLASSES, NULL },
                                          { CRD__KEY_SCORES, NULL },
                                          { CRD__KEY_CONFIDENCE, NULL },
                                          { CRD__KEY_PREDICTED, NULL } };
static const crd_metadata of_input[] = { { CRD__KEY_MEAN, NULL },
                                         { CRD__KEY_STD, NULL },
                                         { CRD__KEY_LAYOUT, NULL },
                                         { CRD__KEY_VOCABULARY, NULL },
                                         { CRD__KEY_LENGTH, NULL } };
const crd__onnx_metadata_edit crd__network_no_classes = { of_output,
                                                          sizeof of_output / sizeof *of_output };
const crd__onnx_metadata_edit crd__network_no_inputs = { of_input,
                                                         sizeof of_input / sizeof *of_input };

/* ---- Reading. */

typedef struct {
  crd_context *ctx;
  const crd_model *model;
  crd_encoding found; /* its strings belong to the JSON values */
  json_t *classes, *words;
} reading;

static crd_status refuse(const reading *r, const char *key, const char *why) {
  return crd__fail(r->ctx, CRD_EINPUT, "%s: the metadata %s %s", r->model->file->path, key, why);
}

/* Parses the value of a key; *out is NULL if the model has none. */
static crd_status read_json(const reading *r, const char *key, json_t **out) {
  const char *const text = crd_model_metadata(r->model, key);
  json_error_t error;
  *out = NULL;
  if (!text) return CRD_OK;
  *out = json_loads(text, JSON_DECODE_ANY, &error);
  if (*out) return CRD_OK;
  return crd__fail(r->ctx, CRD_EINPUT, "%s: the metadata %s is not JSON: %.80s",
                   r->model->file->path, key, error.text);
}

static crd_status check_strings(const reading *r, const char *key, const json_t *list) {
  crd__words seen = { 0 };
  crd_status status = CRD_OK;
  if (!json_is_array(list) || json_array_size(list) == 0)
    return refuse(r, key, "must be a list of strings");
  for (size_t i = 0; status == CRD_OK && i < json_array_size(list); i++) {
    const json_t *const item = json_array_get(list, i);
    size_t number;
    if (!json_is_string(item)) status = refuse(r, key, "must be a list of strings");
    else
      status =
          crd__words_add(r->ctx, &seen, json_string_value(item), json_string_length(item), &number);
    if (status == CRD_OK && number < i)
      status = crd__fail(r->ctx, CRD_EINPUT, "%s: the metadata %s has '%.60s' twice",
                         r->model->file->path, key, json_string_value(item));
  }
  crd__words_clear(&r->ctx->alloc, &seen);
  return status;
}

/* Sets *strings to the strings of a list, which `list` keeps. */
static crd_status read_strings(const reading *r, const char *key, json_t **list, char ***strings,
                               size_t *count) {
  CRD_TRY(read_json(r, key, list));
  if (!*list) return CRD_OK;
  CRD_TRY(check_strings(r, key, *list));
  CRD_TRY(crd__new(r->ctx, json_array_size(*list), sizeof **strings, "an encoding", strings));
  *count = json_array_size(*list);
  for (size_t i = 0; i < *count; i++)
    (*strings)[i] = (char *)json_string_value(json_array_get(*list, i));
  return CRD_OK;
}

static crd_status fill_numbers(const reading *r, const char *key, const json_t *list, double low,
                               double **out) {
  const size_t count = json_array_size(list);
  CRD_TRY(crd__new(r->ctx, count, sizeof **out, "an encoding", out));
  for (size_t i = 0; i < count; i++) {
    const json_t *const item = json_array_get(list, i);
    (*out)[i] = json_number_value(item);
    if (!json_is_number(item) || !isfinite((*out)[i]) || (*out)[i] <= low)
      return refuse(r, key,
                    low < 0 ? "must be a list of finite numbers"
                            : "must be a list of positive numbers");
  }
  return CRD_OK;
}

static crd_status read_numbers(const reading *r, const char *key, double low, double **out,
                               size_t *count) {
  json_t *list;
  CRD_TRY(read_json(r, key, &list));
  if (!list) return CRD_OK;
  *count = json_array_size(list);
  const crd_status status =
      *count ? fill_numbers(r, key, list, low, out) : refuse(r, key, "must be a list of numbers");
  json_decref(list);
  return status;
}

static crd_status read_scale(reading *r) {
  size_t means = 0, deviations = 0;
  CRD_TRY(read_numbers(r, CRD__KEY_MEAN, -INFINITY, &r->found.mean, &means));
  CRD_TRY(read_numbers(r, CRD__KEY_STD, 0, &r->found.std, &deviations));
  r->found.channels = means;
  if (means == deviations) return CRD_OK;
  return crd__fail(r->ctx, CRD_EINPUT, "%s: the metadata %s has %zu numbers, %s has %zu",
                   r->model->file->path, CRD__KEY_MEAN, means, CRD__KEY_STD, deviations);
}

static crd_status read_length(reading *r) {
  json_t *value;
  CRD_TRY(read_json(r, CRD__KEY_LENGTH, &value));
  if (!value) return CRD_OK;
  const json_int_t length = json_integer_value(value);
  const bool good = json_is_integer(value) && length > 0 && length <= INT32_MAX;
  json_decref(value);
  r->found.length = (size_t)length;
  return good ? CRD_OK : refuse(r, CRD__KEY_LENGTH, "must be a positive integer");
}

static crd_status read_all(reading *r, crd_encoding **out) {
  crd_encoding *const e = &r->found;
  CRD_TRY(read_strings(r, CRD__KEY_CLASSES, &r->classes, &e->class_names, &e->class_count));
  CRD_TRY(read_strings(r, CRD__KEY_VOCABULARY, &r->words, &e->words, &e->word_count));
  CRD_TRY(read_scale(r));
  CRD_TRY(read_length(r));
  if (!e->class_count && !e->word_count && !e->channels && !e->length) return CRD_OK;
  if ((e->word_count > 0) != (e->length > 0))
    return crd__fail(r->ctx, CRD_EINPUT, "%s: the metadata has %s without %s", r->model->file->path,
                     e->length ? CRD__KEY_LENGTH : CRD__KEY_VOCABULARY,
                     e->length ? CRD__KEY_VOCABULARY : CRD__KEY_LENGTH);
  return crd__dataset_encoding_copy(r->ctx, e, out);
}

crd_status crd_model_encoding(crd_context *ctx, const crd_model *model, crd_encoding **out) {
  reading r = { .ctx = ctx, .model = model };
  *out = NULL;
  const crd_status status = read_all(&r, out);
  crd__free(&ctx->alloc, r.found.class_names);
  crd__free(&ctx->alloc, r.found.words);
  crd__free(&ctx->alloc, r.found.mean);
  crd__free(&ctx->alloc, r.found.std);
  json_decref(r.classes);
  json_decref(r.words);
  return status;
}

/* ---- Writing. */

enum { CLASSES, MEAN, STD, LAYOUT, VOCABULARY, LENGTH, KEYS };

static const char *const keys[KEYS] = {
  [CLASSES] = CRD__KEY_CLASSES,
  [MEAN] = CRD__KEY_MEAN,
  [STD] = CRD__KEY_STD,
  [LAYOUT] = CRD__KEY_LAYOUT,
  [VOCABULARY] = CRD__KEY_VOCABULARY,
  [LENGTH] = CRD__KEY_LENGTH,
};

static void add_strings(crd__text *text, char *const *strings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    crd__text_add(text, i ? "," : "[");
    crd__json_add_string(text, strings[i]);
  }
  if (count) crd__text_add(text, "]");
}

static void add_numbers(crd__text *text, const double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    crd__text_add(text, i ? "," : "[");
    crd__json_add_number(text, numbers[i]);
  }
  if (count) crd__text_add(text, "]");
}

static const char *layout_of(const crd_model *model, const crd_encoding *encoding) {
  const crd_port *const port = crd_model_input(model, 0);
  if (encoding->length) return "tokens";
  if (!port || !port->known) return "";
  return port->rank == 4 ? "nchw" : port->rank == 2 ? "nc" : "";
}

static crd_status write_texts(crd_context *ctx, const crd_model *model,
                              const crd_encoding *encoding, crd__text *texts, crd_model **out) {
  crd_metadata pairs[KEYS];
  add_strings(&texts[CLASSES], encoding->class_names, encoding->class_count);
  add_numbers(&texts[MEAN], encoding->mean, encoding->channels);
  add_numbers(&texts[STD], encoding->std, encoding->channels);
  crd__text_add(&texts[LAYOUT], layout_of(model, encoding));
  add_strings(&texts[VOCABULARY], encoding->words, encoding->word_count);
  if (encoding->length) crd__text_addf(&texts[LENGTH], "%zu", encoding->length);
  for (size_t i = 0; i < KEYS; i++) {
    CRD_TRY(crd__text_status(ctx, &texts[i]));
    pairs[i] = (crd_metadata){ keys[i], texts[i].length ? texts[i].bytes : NULL };
  }
  return crd_model_update(ctx, model, NULL, 0, pairs, KEYS, out);
}

crd_status crd_model_set_encoding(crd_context *ctx, const crd_model *model,
                                  const crd_encoding *encoding, crd_model **out) {
  crd__text texts[KEYS];
  *out = NULL;
  for (size_t i = 0; i < KEYS; i++) crd__text_init(&texts[i], &ctx->alloc);
  const crd_status status = write_texts(ctx, model, encoding, texts, out);
  for (size_t i = 0; i < KEYS; i++) crd__text_clear(&texts[i]);
  return status;
}
