/*
 * sweep.h -- every allocation fails once.
 *
 * The status must be CRD_ENOMEM (or success, if the allocation is optional), the out pointer NULL,
 * and no memory or descriptor may leak. Sweeps use few rows: they exercise paths, not data.
 */
#ifndef CRD_TESTS_FAULT_SWEEP_H
#define CRD_TESTS_FAULT_SWEEP_H

#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Work that releases everything it allocates; `what` selects an entry of a table. */
typedef crd_status (*work)(crd_context *ctx, const void *what);

static inline void sweep(work run, const void *what, const char *name) {
  const size_t descriptors = open_descriptors();
  for (int persistent = 0; persistent < 2; persistent++)
    for (long n = 0;; n++) {
      test_allocator state = { .fail_at = n, .persistent = persistent };
      const crd_allocator alloc = failing_allocator(&state);
      crd_context *ctx = NULL;
      crd_status status = crd_context_create(&alloc, &ctx);
      if (status == CRD_OK) {
        crd_context_set_threads(ctx, 1);
        status = run(ctx, what);
        if (status == CRD_ENOMEM && !*crd_context_message(ctx))
          fail_msg("%s: allocation %ld failed without a message", name, n);
        if (status != CRD_OK && status != CRD_ENOMEM)
          fail_msg("%s: allocation %ld failed with %s: %s", name, n, crd_status_text(status),
                   crd_context_message(ctx));
      } else assert_null(ctx);
      crd_context_destroy(ctx);
      if (state.live != 0) fail_msg("%s: allocation %ld: %ld blocks leaked", name, n, state.live);
      if (open_descriptors() != descriptors)
        fail_msg("%s: allocation %ld: a descriptor stays open", name, n);
      if (state.calls <= n) {
        assert_int_equal(status, CRD_OK);
        break; /* fewer than n allocations */
      }
      if (n > 5000) fail_msg("%s: more than 5000 allocations", name);
    }
}

static test_data data;
static char folder_file[256];

static inline crd_predictions_parts data_parts(void) {
  return (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                  .scores = crd_array_matrix(data.scores, CRD_F64, data.rows,
                                                             data.classes),
                                  .labels = crd_array_matrix(data.labels, CRD_I64, data.rows, 1),
                                  .weights = crd_array_matrix(data.weights, CRD_F64, data.rows, 1),
                                  .features = data_features(&data) };
}

static inline crd_status create(crd_context *ctx, crd_predictions **out) {
  const crd_predictions_parts parts = data_parts();
  const crd_status status = crd_predictions_create(ctx, &parts, out);
  assert_true((status == CRD_OK) == (*out != NULL));
  return status;
}

static inline int set_up(void **state) {
  (void)state;
  data = make_data((test_recipe){
      .rows = 40, .classes = 3, .seed = 50, .spread = 2, .accuracy = 0.7, .weighted = true });
  temporary_path(folder_file, "report");
  return 0;
}
static inline int tear_down(void **state) {
  (void)state;
  free_data(&data);
  return 0;
}

#endif
