/* run_to.c -- runs a network over all rows and writes its outputs to a file. */
#include "network/batches.h"

static void sum_up(const crd__network_batches *b, crd_feed_summary *summary) {
  if (summary) *summary = (crd_feed_summary){ .rows = b->feed.rows, .batch = b->feed.batch };
}

crd_status crd_model_run_to(crd_context *ctx, const crd_model *model, const crd_array *inputs,
                            size_t count, const crd_feed_options *options, const char *path,
                            crd_feed_summary *summary) {
  crd__network_batches b;
  crd_status status = crd__network_batches_make(ctx, model, inputs, count, options, &b);
  if (status == CRD_OK) status = crd__io_bundle_write(ctx, path, b.arrays, b.count);
  if (status == CRD_OK) sum_up(&b, summary);
  crd__network_batches_clear(&ctx->alloc, &b);
  return status;
}
