/* batches.h -- a model run over many rows, batch by batch, as arrays that the writers ask for. */
#ifndef CRD_NETWORK_BATCHES_H
#define CRD_NETWORK_BATCHES_H

#include "io/write.h"
#include "network/feed.h"

typedef struct crd__batches crd__batches;

typedef struct {
  crd__batches *all;
  size_t index;     /* of the network's outputs */
  crd_tensor shape; /* of all rows together */
  size_t row_bytes;
  unsigned char *kept; /* all rows, where there are several outputs; else NULL */
} crd__batch_output;

struct crd__batches {
  crd__feed feed;
  crd_network *network;
  crd__batch_output *outputs;
  crd__array *arrays; /* for the writers: one for each output */
  size_t count;
  size_t from, done; /* rows of the last batch */
  bool finite;       /* NaN and infinities are refused, on either side */
  size_t first;      /* number of the first row, for messages */
};

/* Compiles, and runs nothing yet: that is done while the arrays are written. */
crd_status crd__batches_make(crd_context *ctx, const crd_model *model, const crd_tensor *inputs,
                             size_t count, const crd_feed_options *options, crd__batches *out);
/* Run the first batch now; it is not run again. */
crd_status crd__batches_begin(crd_context *ctx, crd__batches *batches);
void crd__batches_clear(const crd_allocator *alloc, crd__batches *batches);

#endif
