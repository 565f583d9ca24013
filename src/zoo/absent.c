/* absent.c -- architectures in a build without oneDNN: there are none. */
#include "base/absent.h"
#include "base/context.h"
#include "base/table.h"
#include "credence/zoo.h"

static crd_status absent(crd_context *ctx) {
  return crd__fail(ctx, CRD_EABSENT,
                   "networks need the library oneDNN" CRD__INSTALL("libdnnl-dev"));
}

CRD_TABLE_ABSENT(architecture, crd_architecture_info)

const char *crd_architecture_usual(crd_sample_type type) {
  (void)type;
  return "";
}

crd_status crd_architecture_build(crd_context *ctx, const char *expression,
                                  const crd_architecture_shape *shape, crd_model **out) {
  (void)expression, (void)shape;
  *out = NULL;
  return absent(ctx);
}

crd_status crd_architecture_parameters(crd_context *ctx, const char *expression,
                                       const crd_architecture_shape *shape, uint64_t *out) {
  (void)expression, (void)shape;
  *out = 0;
  return absent(ctx);
}
