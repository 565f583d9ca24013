/* absent.c -- networks in a build without oneDNN: every function fails with EABSENT. */
#include "base/absent.h"
#include "base/options.h"
#include "credence/edit.h"

static crd_status absent(crd_context *ctx) {
  return crd__fail(ctx, CRD_EABSENT,
                   "networks need the library oneDNN" CRD__INSTALL("libdnnl-dev"));
}

crd_status crd_model_open(crd_context *ctx, const char *path, crd_model **out) {
  *out = NULL;
  return crd__fail_in(ctx, absent(ctx), path);
}

crd_status crd_model_open_memory(crd_context *ctx, const char *name, const void *bytes,
                                 size_t length, crd_model **out) {
  (void)bytes, (void)length;
  return crd_model_open(ctx, name, out);
}

void crd_model_destroy(crd_model *model) { (void)model; }

crd_status crd_model_save(crd_context *ctx, const crd_model *model, const char *path) {
  (void)model;
  return crd__fail_in(ctx, absent(ctx), path);
}

const crd_port *crd_model_input(const crd_model *model, size_t index) {
  (void)model, (void)index;
  return NULL;
}

const crd_port *crd_model_output(const crd_model *model, size_t index) {
  (void)model, (void)index;
  return NULL;
}

const crd_operator_info *crd_operator_at(size_t index) {
  (void)index;
  return NULL;
}

crd_status crd_network_compile(crd_context *ctx, const crd_model *model,
                               const crd_compile_options *options, crd_network **out) {
  (void)model, (void)options;
  *out = NULL;
  return absent(ctx);
}

void crd_network_destroy(crd_network *network) { (void)network; }

const crd_array *crd_network_input(const crd_network *network, size_t index) {
  (void)network, (void)index;
  return NULL;
}

const crd_array *crd_network_output(const crd_network *network, size_t index) {
  (void)network, (void)index;
  return NULL;
}

crd_status crd_network_run(crd_context *ctx, crd_network *network, const crd_array *inputs,
                           size_t count) {
  (void)network, (void)inputs, (void)count;
  return absent(ctx);
}

crd_status crd_network_backward(crd_context *ctx, crd_network *network, const crd_array *gradient) {
  (void)network, (void)gradient;
  return absent(ctx);
}

const crd_array *crd_network_input_gradient(const crd_network *network, size_t index) {
  (void)network, (void)index;
  return NULL;
}

const crd_parameter *crd_network_parameter(const crd_network *network, size_t index) {
  (void)network, (void)index;
  return NULL;
}

void crd_network_clear_gradients(crd_network *network) { (void)network; }

crd_status crd_network_create(crd_context *ctx, const crd_network_ops *ops, void *self,
                              const crd_array *input, const crd_array *output, crd_network **out) {
  crd_network_ops own;
  (void)input, (void)output;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_network_ops, ops, &own));
  if (own.destroy) own.destroy(self);
  return absent(ctx);
}

crd_status crd_network_check(crd_context *ctx, crd_network *network,
                             const crd_check_options *options, const crd_check **out) {
  (void)network, (void)options;
  *out = NULL;
  return absent(ctx);
}

void crd_check_destroy(const crd_check *check) { (void)check; }

crd_status crd_survey_make(crd_context *ctx, const crd_model *model,
                           const crd_compile_options *options, const crd_survey **out) {
  (void)model, (void)options;
  *out = NULL;
  return absent(ctx);
}

void crd_survey_destroy(const crd_survey *survey) { (void)survey; }

crd_status crd_survey_batch(crd_context *ctx, const crd_model *model,
                            const crd_compile_options *options, uint64_t bytes, size_t *batch) {
  (void)model, (void)options, (void)bytes;
  *batch = 0;
  return absent(ctx);
}

crd_status crd_model_run_to(crd_context *ctx, const crd_model *model, const crd_array *inputs,
                            size_t count, const crd_feed_options *options, const char *path,
                            crd_feed_summary *summary) {
  (void)model, (void)inputs, (void)count, (void)options, (void)path, (void)summary;
  return absent(ctx);
}

crd_status crd_model_predict_to(crd_context *ctx, const crd_model *model, const char *input,
                                const crd_feed_options *options, const char *path,
                                crd_feed_summary *summary) {
  (void)model, (void)input, (void)options, (void)path, (void)summary;
  return absent(ctx);
}

crd_status crd_dataset_predict_to(crd_context *ctx, const crd_model *model,
                                  const crd_dataset *dataset, const crd_feed_options *options,
                                  const char *path, crd_feed_summary *summary) {
  (void)model, (void)dataset, (void)options, (void)path, (void)summary;
  return absent(ctx);
}

/* ---- Edits. */

static crd_status no_model(crd_context *ctx, crd_model **out) {
  *out = NULL;
  return absent(ctx);
}

const char *crd_model_metadata(const crd_model *model, const char *key) {
  (void)model, (void)key;
  return NULL;
}

const crd_metadata *crd_model_metadata_at(const crd_model *model, size_t index) {
  (void)model, (void)index;
  return NULL;
}

crd_status crd_model_update(crd_context *ctx, const crd_model *model, const crd_weights *weights,
                            size_t weight_count, const crd_metadata *metadata,
                            size_t metadata_count, crd_model **out) {
  (void)model, (void)weights, (void)weight_count, (void)metadata, (void)metadata_count;
  return no_model(ctx, out);
}

crd_status crd_model_cut(crd_context *ctx, const crd_model *model, const char *tensor,
                         crd_model_part part, crd_model **out) {
  (void)model, (void)tensor, (void)part;
  return no_model(ctx, out);
}

crd_status crd_model_join(crd_context *ctx, const crd_model *first, const crd_model *second,
                          crd_model **out) {
  (void)first, (void)second;
  return no_model(ctx, out);
}

crd_status crd_model_set_classes(crd_context *ctx, const crd_model *model, size_t classes,
                                 crd_model **out) {
  (void)model, (void)classes;
  return no_model(ctx, out);
}

crd_status crd_model_settle(crd_context *ctx, const crd_model *model, crd_model **out) {
  (void)model;
  return no_model(ctx, out);
}

crd_status crd_model_encoding(crd_context *ctx, const crd_model *model, crd_encoding **out) {
  (void)model;
  *out = NULL;
  return absent(ctx);
}

crd_status crd_model_set_encoding(crd_context *ctx, const crd_model *model,
                                  const crd_encoding *encoding, crd_model **out) {
  (void)model, (void)encoding;
  return no_model(ctx, out);
}
