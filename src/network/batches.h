/* batches.h -- a model run over many rows, batch by batch, as arrays that the writers ask for. */
#ifndef CRD_NETWORK_BATCHES_H
#define CRD_NETWORK_BATCHES_H

#include "io/write.h"
#include "network/feed.h"

typedef struct crd__network_batches crd__network_batches;

typedef struct {
  crd__network_batches *all;
  size_t index;     /* of the network's outputs */
  crd_tensor shape; /* of all rows together */
  size_t row_bytes;
  unsigned char *kept; /* all rows, where there are several outputs; else NULL */
} crd__network_batch_output;

struct crd__network_batches {
  crd__network_feed feed;
  crd_network *network;
  crd__network_batch_output *outputs;
  crd__io_array *arrays; /* for the writers: one for each output */
  size_t count;
  size_t from, done; /* rows of the last batch */
  bool finite;       /* NaN and infinities are refused, on either side */
  size_t first;      /* number of the first row, for messages */
};

/* Compiles, and runs nothing yet: that is done while the arrays are written. */
crd_status crd__network_batches_make(crd_context *ctx, const crd_model *model,
                                     const crd_tensor *inputs, size_t count,
                                     const crd_feed_options *options, crd__network_batches *out);
/* Run the first batch now; it is not run again. */
crd_status crd__network_batches_begin(crd_context *ctx, crd__network_batches *batches);
void crd__network_batches_clear(const crd_allocator *alloc, crd__network_batches *batches);

#endif
