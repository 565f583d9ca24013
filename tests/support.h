/* support.h -- fixtures shared by several tests: generated data and an allocator that fails. */
#ifndef CRD_TESTS_SUPPORT_H
#define CRD_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* fail() and fail_msg() do not return, but cmocka.h does not declare that.
 * NOLINTNEXTLINE(readability-redundant-declaration): this one adds _Noreturn */
_Noreturn void _fail(const char *file, int line);

#include "base/context.h"
#include "credence/credence.h"

/* Creates a context, or fails the test. */
crd_context *test_context(void);
/* Group set-up and tear-down: *state is a context. */
int open_context(void **state);
int close_context(void **state);

/* Same bits, NaN included. */
bool same_bits(double a, double b);
/* |a - b| <= tolerance * max(1, |b|), or both NaN. */
bool near(double a, double b, double tolerance);

/* An allocator whose n-th call fails, once or from then on, and which counts live blocks, also of
 * several threads. */
typedef struct {
  long fail_at;    /* -1: never */
  bool persistent; /* every later call fails too */
  _Atomic long calls, live;
} test_allocator;
crd_allocator failing_allocator(test_allocator *state);

enum { TEST_FEATURES = 5 };

/* Generated classifier outputs (Philox): `rows` x `classes` logits, labels, weights, features. */
typedef struct {
  size_t rows, classes;
  double *scores;
  int64_t *labels;
  double *weights;  /* NULL: none */
  double *features; /* rows x TEST_FEATURES */
  bool positive;    /* two classes: class 1 is evaluated */
} test_data;

typedef struct {
  size_t rows, classes;
  uint64_t seed;
  double spread;   /* scale of the logits */
  double accuracy; /* fraction of rows whose label is the argmax */
  size_t distinct; /* 0: all rows differ; else rows repeat with this period (ties) */
  bool weighted;   /* weights 0, 1, 2, 3 */
  bool positive;   /* two classes: class 1 is evaluated (CRD_BINARY_POS) */
} test_recipe;

test_data make_data(test_recipe recipe);
/* Views the features of all rows. */
crd_array data_features(const test_data *data);
void free_data(test_data *data);
crd_predictions *data_predictions(crd_context *ctx, const test_data *data, size_t from, size_t to);

/* Collects evidence of rows from .. to-1. */
crd_evidence *data_evidence(crd_context *ctx, const test_data *data, size_t from, size_t to,
                            const crd_evaluate_options *options);

/* The same of a model that gives confidences only, and whether each prediction was correct. */
crd_evidence *pairs_evidence(crd_context *ctx, const double *confidence,
                             const unsigned char *correct, size_t rows,
                             const crd_evaluate_options *options);

/* Returns the value of a metric; fails the test if the result has no such metric. */
double value_of(const crd_result *result, const char *metric);

/* Confidences, and whether each prediction was correct; weights may be NULL. */
typedef struct {
  size_t rows;
  const double *confidence;
  const unsigned char *correct;
  const double *weights;
} test_pairs;

/* Fits a method on pairs; the caller destroys the calibrator. */
crd_calibrator *fit_pairs(crd_context *ctx, const char *method, const char *settings,
                          test_pairs pairs);
/* Applies the calibrator to one confidence. */
double calibrated(crd_context *ctx, const crd_calibrator *calibrator, double confidence);

/* Reports that a test, or part of it, cannot run here: prints `SKIP name: reason`. Fails the test
 * if CREDENCE_REQUIRE_DATA is set. */
void cannot_test(const char *name, const char *reason, ...) CRD_PRINTF(2, 3);
/* The same for a test that needs networks; never fails in a build configured without networks. */
void cannot_test_networks(const char *name);
/* The same for a test that needs libpng and libjpeg; prints once. */
void cannot_test_images(const char *name);
/* Returns whether this is a lean build, which cannot read or write such a file: .gz, or one with
 * "deflated" in its name; prints SKIP if so. A build leaves them out on purpose: never fails. */
bool lean_refuses(const char *path);
/* Returns the folder of data kept outside the repository: CREDENCE_SHARED, or ../shared. */
const char *shared_folder(void);
/* Returns whether the file can be read; calls cannot_test() if not. */
bool is_there(const char *test, const char *path);

/* Counts this process's open descriptors, to find those that an error path leaks. */
size_t open_descriptors(void);

/* Makes a fresh path in the system's temporary folder; the caller removes the file. */
const char *temporary_path(char path[256], const char *name);

/* Sets a locale with a decimal comma, generating one in a folder of its own where the system has
 * none. NULL on failure. */
const char *comma_locale(void);

/* Prediction files, one per format, written by the library's own writers. */
const char *test_file_name(size_t index); /* NULL past the end */
void write_test_file(size_t index, const test_data *data, char path[256]);
crd_status open_test_file(crd_context *ctx, const char *path, crd_predictions **out);
void remove_test_file(const char *path);

#endif
