/*
 * testdata.h -- the test data that ONNX publishes: folders with a model, its inputs and expected
 * outputs.
 */
#ifndef CRD_TESTS_NETWORK_TESTDATA_H
#define CRD_TESTS_NETWORK_TESTDATA_H

#include "modelkit/modelkit.h"

enum { TESTDATA_TENSORS_MAX = 32, TESTDATA_PATH_MAX = 512, TESTDATA_WHY = 500 };

typedef struct {
  char model[TESTDATA_PATH_MAX];
  size_t input_count, output_count;
  ref_tensor inputs[TESTDATA_TENSORS_MAX], outputs[TESTDATA_TENSORS_MAX];
} testdata;

/* Return the folder of the data; NULL if it is not on this system. */
const char *testdata_root(void);
/* List all cases, "node/test_relu", sorted; returns their number. Release each name and the list
 * with free. */
size_t testdata_names(char ***out);
/* Read the first data set of a case; false if it contains anything but numeric tensors: `why` gives
 * the reason. */
bool testdata_open(crd_context *ctx, const char *name, testdata *out, char why[TESTDATA_WHY]);
void testdata_close(testdata *data);

/* Compare as ONNX's own runner does: 1e-7 + 1e-3 |want|; integers must be equal. */
bool testdata_agrees(const ref_tensor *want, const ref_tensor *got, char why[TESTDATA_WHY]);

#endif
