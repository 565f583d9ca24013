/* confidnet_absent.c -- ConfidNet in a build without oneDNN: every function fails with EABSENT. */
#include "base/absent.h"
#include "base/context.h"
#include "base/table.h"
#include "credence/confidnet.h"

static crd_status absent(crd_context *ctx) {
  return crd__fail(ctx, CRD_EABSENT,
                   "ConfidNet needs the library oneDNN" CRD__INSTALL("libdnnl-dev"));
}

CRD_TABLE_ABSENT(confidnet_setting, crd_setting_info)

crd_status crd_confidnet_check(crd_context *ctx, const crd_confidnet_options *options) {
  (void)options;
  return absent(ctx);
}

const char *crd_confidnet_tensor(const crd_model *model, const char *logits) {
  (void)model, (void)logits;
  return NULL;
}

crd_status crd_confidnet_create(crd_context *ctx, const crd_model *model,
                                const crd_dataset *training, const crd_dataset *validation,
                                const crd_confidnet_options *options, crd_confidnet **out) {
  (void)model, (void)training, (void)validation, (void)options;
  *out = NULL;
  return absent(ctx);
}

void crd_confidnet_destroy(crd_confidnet *confidnet) { (void)confidnet; }

crd_status crd_confidnet_train(crd_context *ctx, crd_confidnet *confidnet, crd_confidnet_epoch *out,
                               int *done) {
  (void)confidnet, (void)out, (void)done;
  return absent(ctx);
}

const crd_confidnet_summary *crd_confidnet_describe(const crd_confidnet *confidnet) {
  static const crd_confidnet_summary none;
  (void)confidnet;
  return &none;
}

crd_status crd_confidnet_model(crd_context *ctx, const crd_confidnet *confidnet, crd_model **out) {
  (void)confidnet;
  *out = NULL;
  return absent(ctx);
}
