#include "base/options.h"

#include <string.h>

static crd_status check_size(crd_context *ctx, size_t size, const char *type) {
  if (size >= sizeof(size_t) && size <= CRD__OPTIONS_MAX) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s.size is %zu: set it to sizeof(%s)", type, size, type);
}

static crd_status check_surplus(crd_context *ctx, const unsigned char *given, size_t from,
                                size_t to, const char *type) {
  for (size_t i = from; i < to; i++)
    if (given[i])
      return crd__fail(ctx, CRD_EUSAGE,
                       "options of a newer version of the library than %s: %s.size is %zu, at most "
                       "%zu bytes are known, and byte %zu is not 0",
                       crd_version(), type, to, from, i);
  return CRD_OK;
}

crd_status crd__options_read(crd_context *ctx, const void *given, void *full, size_t full_size,
                             const char *type) {
  size_t size = full_size;
  memset(full, 0, full_size);
  if (given) {
    memcpy(&size, given, sizeof size);
    CRD_TRY(check_size(ctx, size, type));
    if (size > full_size) CRD_TRY(check_surplus(ctx, given, full_size, size, type));
    memcpy(full, given, size < full_size ? size : full_size);
  }
  memcpy(full, &full_size, sizeof full_size);
  return CRD_OK;
}
