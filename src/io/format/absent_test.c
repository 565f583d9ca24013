/* absent_test.c -- a build without libhdf5 and libmatio: their files fail with EABSENT. */
#include "io/testing.h"

#include "base/absent.h"
#include "io/format.h"

static void refuses(crd_context *ctx, const char *name, const char *bytes, size_t length,
                    const char *words) {
  crd__io_bundle *bundle;
  FAILS(ctx, CRD_EABSENT, crd__io_bundle_open_memory(ctx, name, bytes, length, NULL, &bundle),
        words);
  assert_null(bundle);
}

static void test_absent(void **state) {
  static const char magic[] = "\x89HDF\r\n\x1a\n";
  char matlab[1024] = "MATLAB 7.3 MAT-file";
  memcpy(matlab + 512, magic, sizeof magic);
  refuses(*state, "x.h5", magic, sizeof magic - 1,
          "x.h5: HDF5 files need the library libhdf5" CRD__INSTALL("libhdf5-dev"));
  refuses(*state, "x.mat", matlab, sizeof matlab, "x.mat: HDF5 files need the library libhdf5");
  refuses(*state, "-", "MATLAB 5.0 MAT-file, Platform: GLNXA64", 30,
          "MATLAB files need the library libmatio" CRD__INSTALL("libmatio-dev"));
}

/* The extension alone does not make a file HDF5. */
static void test_name(void **state) {
  crd__io_bundle *bundle;
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, "x.h5", "label,a\n0,1\n", 12, NULL, &bundle),
        "x.h5: the content is not hdf5, supported are npy, torch, npz, hdf5, mat, safetensors, "
        "jsonl, "
        "csv");
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_absent), TEST(test_name) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
