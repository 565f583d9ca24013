/* support.h -- what several tests need: data of known kinds, an allocator that fails. */
#ifndef CRD_TESTS_SUPPORT_H
#define CRD_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"
#include "credence/credence.h"

/* A context that a test can rely on. */
crd_context *test_context(void);
/* The same as set-up and tear-down of a group: *state is the context. */
int open_context(void **state);
int close_context(void **state);

/* Same bits, NaN included. */
bool same_bits(double a, double b);
/* |a - b| <= tolerance * max(1, |b|), or both NaN. */
bool near(double a, double b, double tolerance);

/* An allocator whose n-th call fails, once or from then on, and which counts what is alive. */
typedef struct {
  long fail_at;    /* -1: never */
  bool persistent; /* every later call fails too */
  long calls, live;
} test_allocator;
crd_allocator failing_allocator(test_allocator *state);

enum { TEST_FEATURES = 5 };

/* Classifier outputs made from Philox: `rows` x `classes` logits, labels, weights, features. */
typedef struct {
  size_t rows, classes;
  double *scores;
  int64_t *labels;
  double *weights;  /* NULL: none */
  double *features; /* rows x TEST_FEATURES */
  bool positive;    /* of two classes, class 1 is judged */
} test_data;

typedef struct {
  size_t rows, classes;
  uint64_t seed;
  double spread;   /* of the logits */
  double accuracy; /* share of rows whose label is the argmax */
  size_t distinct; /* 0: all rows differ; else rows repeat after this many: ties */
  bool weighted;   /* weights 0, 1, 2, 3 */
  bool positive;   /* of two classes, class 1 is judged: CRD_BINARY_POS */
} test_recipe;

test_data make_data(test_recipe recipe);
/* Its features, of all rows. */
crd_array data_features(const test_data *data);
void free_data(test_data *data);
crd_predictions *data_predictions(crd_context *ctx, const test_data *data, size_t from, size_t to);

/* Evidence of rows from .. to-1. */
crd_evidence *data_evidence(crd_context *ctx, const test_data *data, size_t from, size_t to,
                            const crd_evaluate_options *options);

/* The same of a model of which only confidences are known, and whether each came true. */
crd_evidence *pairs_evidence(crd_context *ctx, const double *confidence,
                             const unsigned char *correct, size_t rows,
                             const crd_evaluate_options *options);

/* The value of a metric in a result; fails the test when it is not there. */
double value_of(const crd_result *result, const char *metric);

/* Confidences with whether they were right; weights may be NULL. */
typedef struct {
  size_t rows;
  const double *confidence;
  const unsigned char *correct;
  const double *weights;
} test_pairs;

/* A method fitted on pairs, which has one event; to be destroyed. */
crd_calibrator *fit_pairs(crd_context *ctx, const char *method, const char *settings,
                          test_pairs pairs);
/* What becomes of a confidence. */
double calibrated(crd_context *ctx, const crd_calibrator *calibrator, double confidence);

/* A test, or a part of one, cannot run here: prints `SKIP name: reason`. Where
 * CREDENCE_REQUIRE_DATA is set, the test fails. */
void cannot_test(const char *name, const char *reason, ...) CRD_PRINTF(2, 3);
/* The same for want of networks, but for a build that was asked to have none. */
void cannot_test_networks(const char *name);
/* The folder of data that the repository does not hold: CREDENCE_SHARED, or ../shared. */
const char *shared_folder(void);
/* Can the file be read? If not, cannot_test. */
bool is_there(const char *test, const char *path);

/* How many descriptors of this process are open: what an error path forgets to close is counted. */
size_t open_descriptors(void);

/* A fresh path below the system's folder for temporary files; the caller removes the file. */
const char *temporary_path(char path[256], const char *name);

/* Sets a locale with a decimal comma, made in a folder of its own where the system has none; NULL
 * when that fails. */
const char *comma_locale(void);

/* Predictions as files: one of each format, written by the library's own writers. */
const char *test_file_name(size_t index); /* NULL past the end */
void write_test_file(size_t index, const test_data *data, char path[256]);
crd_status open_test_file(crd_context *ctx, const char *path, crd_predictions **out);
void remove_test_file(const char *path);

#endif
