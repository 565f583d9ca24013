/* absent.c -- clamping in a build without oneDNN: every function fails with EABSENT. */
#include "base/absent.h"
#include "base/context.h"
#include "base/table.h"
#include "credence/clamp.h"

static crd_status absent(crd_context *ctx) {
  return crd__fail(ctx, CRD_EABSENT,
                   "Neural Clamping needs the library oneDNN" CRD__INSTALL("libdnnl-dev"));
}

CRD_TABLE_ABSENT(clamp_setting, crd_setting_info)

CRD_TABLE_ABSENT(clamp_recipe, crd_clamp_recipe)

crd_status crd_clamp_fit(crd_context *ctx, crd_network *network, const crd_dataset *data,
                         const crd_clamp_options *options, crd_clamp **out) {
  (void)network, (void)data, (void)options;
  *out = NULL;
  return absent(ctx);
}

crd_status crd_clamp_check(crd_context *ctx, const crd_clamp_options *options) {
  (void)options;
  return absent(ctx);
}

void crd_clamp_destroy(crd_clamp *clamp) { (void)clamp; }

const crd_clamp_summary *crd_clamp_describe(const crd_clamp *clamp) {
  static const crd_clamp_summary none;
  (void)clamp;
  return &none;
}

crd_status crd_clamp_save(crd_context *ctx, const crd_clamp *clamp, crd_output *output) {
  (void)clamp, (void)output;
  return absent(ctx);
}

crd_status crd_clamp_load(crd_context *ctx, const char *path, crd_clamp **out) {
  (void)path;
  *out = NULL;
  return absent(ctx);
}

crd_status crd_clamp_load_memory(crd_context *ctx, const char *name, const void *bytes,
                                 size_t length, crd_clamp **out) {
  (void)name, (void)bytes, (void)length;
  *out = NULL;
  return absent(ctx);
}

crd_status crd_clamp_predict(crd_context *ctx, const crd_clamp *clamp, crd_network *network,
                             const crd_dataset *data, const crd_clamp_options *options,
                             crd_predictions **out) {
  (void)clamp, (void)network, (void)data, (void)options;
  *out = NULL;
  return absent(ctx);
}

const char *crd_clamp_logits(const crd_model *model) {
  (void)model;
  return NULL;
}

const char *crd_clamp_embedding(const crd_model *model) {
  (void)model;
  return NULL;
}

crd_status crd_clamp_into(crd_context *ctx, const crd_clamp *clamp, const crd_model *model,
                          const char *tensor, const char *logits, crd_model **out) {
  (void)clamp, (void)model, (void)tensor, (void)logits;
  *out = NULL;
  return absent(ctx);
}
