/*
 * testdata.h -- the test data that ONNX publishes: folders with a model, what goes into it and what
 * must come out.
 */
#ifndef CRD_TESTS_NETWORK_TESTDATA_H
#define CRD_TESTS_NETWORK_TESTDATA_H

#include "modelkit/modelkit.h"

enum { TESTDATA_TENSORS_MAX = 32, TESTDATA_PATH_MAX = 512 };

typedef struct {
  char model[TESTDATA_PATH_MAX];
  size_t input_count, output_count;
  ref_tensor inputs[TESTDATA_TENSORS_MAX], outputs[TESTDATA_TENSORS_MAX];
} testdata;

/* Where the data lie; NULL: nowhere on this system. */
const char *testdata_root(void);
/* Names of all cases, "node/test_relu", in order; how many. To be freed with free, each and all. */
size_t testdata_names(char ***out);
/* The first set of data of a case; false where it holds what is no tensor of numbers: the reason is
 * in `why`. */
bool testdata_open(crd_context *ctx, const char *name, testdata *out, char why[200]);
void testdata_close(testdata *data);

/* As near as ONNX's own runner asks: 1e-7 + 1e-3 |want|; integers are the same. */
bool testdata_agrees(const ref_tensor *want, const ref_tensor *got, char why[200]);

#endif
