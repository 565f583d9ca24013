/*
 * fingerprint.c -- everything that the result of a run depends on, as lines "key value": options as
 * text, model, data and encoding as hashes. A checkpoint keeps it; one with another fingerprint
 * belongs to another run.
 *
 * Of the samples only a few are hashed, besides all labels, weights and indices: reading a whole
 * dataset may take minutes. The number of threads is left out: it changes the last bits only, and a
 * run may continue on another machine.
 */
#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "network/model.h"
#include "train/trainer.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLES = 8, HEX = CRD__TRAIN_HASH };
_Static_assert(HEX == 2 * CRD__SHA256_SIZE + 1, "a hash in hexadecimal");

/* ---- Hashes. */

static void add_bytes(crd__sha256 *hash, const void *bytes, size_t count) {
  crd__sha256_add(hash, bytes, count);
}

static void add_text(crd__sha256 *hash, const char *text) {
  add_bytes(hash, text ? text : "", strlen(text ? text : "") + 1);
}

static void add_number(crd__sha256 *hash, uint64_t number) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i);
  add_bytes(hash, bytes, sizeof bytes);
}

static void end_hash(crd__sha256 *hash, char out[static HEX]) {
  unsigned char sum[CRD__SHA256_SIZE];
  crd__sha256_end(hash, sum);
  for (size_t i = 0; i < sizeof sum; i++) snprintf(out + 2 * i, 3, "%02x", sum[i]);
}

/* Nodes as stored, and constants: all but names of the file and metadata. */
static void hash_model(const crd_model *model, char out[static HEX]) {
  const crd__onnx_file *const file = model->file;
  crd__sha256 hash;
  crd__sha256_begin(&hash);
  add_number(&hash, (uint64_t)file->opset);
  for (size_t i = 0; i < file->node_count; i++) {
    add_number(&hash, file->nodes[i].whole.length);
    add_bytes(&hash, file->nodes[i].whole.bytes, file->nodes[i].whole.length);
  }
  for (size_t i = 0; i < file->edge_count; i++) {
    const crd__onnx_tensor *const t = file->edges[i].constant;
    if (!t) continue;
    add_text(&hash, file->edges[i].name);
    add_number(&hash, (uint64_t)t->type);
    for (size_t k = 0; k < t->rank; k++) add_number(&hash, (uint64_t)t->dims[k]);
    if (t->numbers) add_bytes(&hash, t->bytes, t->count * crd_dtype_size(t->dtype));
  }
  end_hash(&hash, out);
}

static crd_status hash_samples(crd_context *ctx, const crd_dataset *data, crd__sha256 *hash) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  size_t rows[SAMPLES], count = shape->rows < SAMPLES ? shape->rows : SAMPLES, cells = 1;
  void *samples;
  for (size_t i = 0; i < shape->rank; i++) cells *= (size_t)shape->dims[i];
  for (size_t i = 0; i < count; i++) rows[i] = shape->rows / count * i;
  CRD_TRY(crd__new(ctx, count * cells, crd_dtype_size(shape->dtype), "samples", &samples));
  const crd_status status = crd_dataset_read(ctx, data, rows, count, samples);
  if (status == CRD_OK) add_bytes(hash, samples, count * cells * crd_dtype_size(shape->dtype));
  crd__free(&ctx->alloc, samples);
  return status;
}

static crd_status hash_data(crd_context *ctx, const crd_dataset *data, char out[static HEX]) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  crd__sha256 hash;
  crd__sha256_begin(&hash);
  add_number(&hash, shape->rows);
  add_number(&hash, shape->classes);
  for (size_t i = 0; i < shape->rank; i++) add_number(&hash, (uint64_t)shape->dims[i]);
  for (size_t i = 0; i < shape->rows; i++) {
    const double weight = crd_dataset_weight(data, i);
    add_number(&hash, (uint64_t)crd_dataset_label(data, i));
    add_number(&hash, crd_dataset_index(data, i));
    add_bytes(&hash, &weight, sizeof weight);
  }
  CRD_TRY(hash_samples(ctx, data, &hash));
  end_hash(&hash, out);
  return CRD_OK;
}

static void hash_encoding(const crd_encoding *encoding, char out[static HEX]) {
  crd__sha256 hash;
  crd__sha256_begin(&hash);
  for (size_t i = 0; encoding && i < encoding->class_count; i++)
    add_text(&hash, encoding->class_names[i]);
  for (size_t i = 0; encoding && i < encoding->word_count; i++) add_text(&hash, encoding->words[i]);
  if (encoding) {
    add_number(&hash, encoding->length);
    add_bytes(&hash, encoding->mean, encoding->channels * sizeof *encoding->mean);
    add_bytes(&hash, encoding->std, encoding->channels * sizeof *encoding->std);
  }
  end_hash(&hash, out);
}

crd_status crd__train_hash_features(crd_context *ctx, const crd_model *model,
                                    const crd_dataset *data, const crd_encoding *encoding,
                                    char out[static CRD__TRAIN_HASH]) {
  char hex[HEX];
  crd__sha256 hash;
  crd__sha256_begin(&hash);
  hash_model(model, hex);
  add_text(&hash, hex);
  CRD_TRY(hash_data(ctx, data, hex));
  add_text(&hash, hex);
  hash_encoding(encoding, hex);
  add_text(&hash, hex);
  end_hash(&hash, out);
  return CRD_OK;
}

/* ---- Lines. */

static void add_line(crd__text *text, const char *key, const char *value) {
  crd__text_add(text, key);
  crd__text_add(text, " ");
  for (; value && *value; value++) /* a value is one line */
    crd__text_add_bytes(text, *value == '\n' ? " " : value, 1);
  crd__text_add(text, "\n");
}

static void add_count(crd__text *text, const char *key, uint64_t value) {
  crd__text_addf(text, "%s %llu\n", key, (unsigned long long)value);
}

static void add_real(crd__text *text, const char *key, double value) {
  crd__text_addf(text, "%s ", key);
  crd__text_add_number(text, value);
  crd__text_add(text, "\n");
}

static void add_part(crd__text *text, const char *key, const crd__train_part *part) {
  crd__text_addf(text, "%s ", key);
  crd__train_part_spell(part, text);
  crd__text_add(text, "\n");
}

static void add_options(crd__text *text, const crd_trainer *t) {
  const crd_train_options *const o = &t->options;
  add_count(text, "seed", t->seed);
  add_line(text, "loss", o->loss);
  add_part(text, "optimiser", &t->optimiser);
  add_part(text, "schedule", &t->schedule);
  add_line(text, "decay", o->decay == CRD_DECAY_ALL ? "all" : "weights");
  add_real(text, "clip", o->clip);
  add_count(text, "epochs", o->epochs);
  add_count(text, "batch", o->batch);
  add_count(text, "keep_last", o->keep_last != 0);
  add_line(text, "augment", o->augment);
  add_real(text, "mixup", o->mixup);
  add_line(text, "best", o->best);
  add_count(text, "patience", o->patience);
  add_count(text, "evaluate_train", o->evaluate_train != 0);
  add_line(text, "freeze", o->freeze);
}

static crd_status add_data(crd_context *ctx, crd__text *text, const crd_trainer *t) {
  char hex[HEX];
  CRD_TRY(hash_data(ctx, t->training, hex));
  add_line(text, "training", hex);
  crd__text_add(text, "monitors");
  for (size_t i = 0; i < t->options.monitor_count; i++) {
    CRD_TRY(hash_data(ctx, t->monitors[i].data, hex));
    crd__text_addf(text, " %s: %s", t->monitors[i].name, hex);
  }
  crd__text_add(text, t->options.monitor_count ? "\n" : " \n");
  return CRD_OK;
}

static crd_status write_lines(crd_context *ctx, crd__text *text, const crd_trainer *t) {
  char hex[HEX];
  add_line(text, "version", crd_version());
  add_options(text, t); /* a difference in them is named first: it explains others */
  CRD_TRY(add_data(ctx, text, t));
  hash_encoding(t->encoding, hex);
  add_line(text, "encoding", hex);
  hash_model(t->whole, hex);
  add_line(text, "model", hex);
  return crd__text_status(ctx, text);
}

crd_status crd__train_fingerprint_make(crd_context *ctx, crd_trainer *trainer) {
  crd__sha256 hash;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  const crd_status status = write_lines(ctx, &text, trainer);
  if (status != CRD_OK) {
    crd__text_clear(&text);
    return status;
  }
  crd__sha256_begin(&hash);
  add_bytes(&hash, text.bytes, text.length);
  end_hash(&hash, trainer->digest);
  trainer->fingerprint = text.bytes; /* now the trainer's */
  return CRD_OK;
}

/* ---- Comparison. */

/* What is only known by its hash. */
static const char *const hashed[][2] = {
  { "training", "training data" },
  { "monitors", "validation data or monitors" },
  { "encoding", "scale, classes or vocabulary" },
  { "model", "network" },
};

/* Fails with the two values of a key. */
static crd_status differs(crd_context *ctx, const char *key, int key_length, const char *stored,
                          int stored_length, const char *now, int now_length) {
  char name[32];
  snprintf(name, sizeof name, "%.*s", key_length, key);
  for (size_t i = 0; i < sizeof hashed / sizeof *hashed; i++)
    if (strcmp(name, hashed[i][0]) == 0)
      return crd__fail(ctx, CRD_EINPUT, "the checkpoint was saved with another %s", hashed[i][1]);
  return crd__fail(ctx, CRD_EINPUT, "the checkpoint was saved with %s '%.*s', now it is '%.*s'",
                   crd__spell(ctx, name), stored_length < 200 ? stored_length : 200, stored,
                   now_length < 200 ? now_length : 200, now);
}

crd_status crd__train_fingerprint_compare(crd_context *ctx, const crd_trainer *trainer,
                                          const char *stored, size_t length) {
  const char *now = trainer->fingerprint, *const end = stored + length;
  while (*now && stored < end) {
    const size_t own = strcspn(now, "\n"), key = strcspn(now, " \n");
    const char *const stop = memchr(stored, '\n', (size_t)(end - stored));
    const size_t other = (size_t)((stop ? stop : end) - stored);
    if (own != other || memcmp(now, stored, own) != 0) {
      const bool same_key = other > key && memcmp(now, stored, key + 1) == 0;
      return differs(ctx, now, (int)key, same_key ? stored + key + 1 : "",
                     same_key ? (int)(other - key - 1) : 0, now + key + 1, (int)(own - key - 1));
    }
    now += own + (now[own] == '\n');
    stored += other + (stop != NULL);
  }
  if (!*now && stored == end) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "the checkpoint was saved with other options");
}
