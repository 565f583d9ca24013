/* mat_absent.c -- the MATLAB format without libmatio: recognised, fails with EABSENT. */
#include "base/absent.h"
#include "io/foreign.h"
#include "io/format.h"

static crd_status mat_refuse(crd_context *ctx, crd__io_bundle *bundle,
                             const crd_open_options *options) {
  (void)bundle;
  (void)options;
  return crd__fail(ctx, CRD_EABSENT,
                   "MATLAB files need the library libmatio" CRD__INSTALL("libmatio-dev"));
}

const crd__io_format crd__io_format_mat = {
  .info = { .name = "mat",
            .summary = "MATLAB file: not built in, it needs libmatio",
            .extensions = "mat" },
  .recognise = crd__io_mat_recognise,
  .read = mat_refuse,
};
