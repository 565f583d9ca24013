/* hdf5_absent.c -- the HDF5 format without libhdf5: recognised, fails with EABSENT. */
#include "base/absent.h"
#include "io/foreign.h"
#include "io/format.h"

static crd_status hdf5_refuse(crd_context *ctx, crd__io_bundle *bundle,
                              const crd_open_options *options) {
  (void)bundle;
  (void)options;
  return crd__fail(ctx, CRD_EABSENT,
                   "HDF5 files need the library libhdf5" CRD__INSTALL("libhdf5-dev"));
}

const crd__io_format crd__io_format_hdf5 = {
  .info = { .name = "hdf5",
            .summary = "HDF5 file: not built in, it needs libhdf5",
            .extensions = "h5 hdf5" },
  .recognise = crd__io_hdf5_recognise,
  .read = hdf5_refuse,
};
