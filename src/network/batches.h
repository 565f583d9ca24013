/* batches.h -- runs a model over many rows, batch by batch, as arrays that the writers pull. */
#ifndef CRD_NETWORK_BATCHES_H
#define CRD_NETWORK_BATCHES_H

#include "io/write.h"
#include "network/feed.h"

typedef struct crd__network_batches crd__network_batches;

typedef struct {
  crd__network_batches *all;
  size_t index;    /* which output of the network */
  crd_array shape; /* of all rows */
  size_t row_bytes;
  unsigned char *kept; /* all rows of an output that others are written before; otherwise NULL */
} crd__network_batch_output;

struct crd__network_batches {
  crd__network_feed feed;
  crd_network *network;
  crd__network_batch_output *outputs;
  crd__io_array *arrays; /* for the writers: one per output */
  size_t count;
  size_t from, done; /* first row and number of rows of the last batch */
  bool finite;       /* fail on NaN and infinities in inputs and outputs */
  size_t first;      /* index of the first row, for error messages */
};

/* Compile the network. Batches run later, when the arrays are written. */
crd_status crd__network_batches_make(crd_context *ctx, const crd_model *model,
                                     const crd_array *inputs, size_t count,
                                     const crd_feed_options *options, crd__network_batches *out);
/* The same for predictions and other outputs of the same rows: `options->output` is kept in memory,
 * the output `features` follows it in `outputs` and is made batch by batch, then `beside`, which is
 * kept too. A writer that pulls the features first runs every batch once. NULL: none. */
crd_status crd__network_batches_make_with(crd_context *ctx, const crd_model *model,
                                          const crd_array *input, const crd_feed_options *options,
                                          const char *features, const char *beside,
                                          crd__network_batches *out);
/* Run the first batch now, and keep it. */
crd_status crd__network_batches_begin(crd_context *ctx, crd__network_batches *batches);
void crd__network_batches_clear(const crd_allocator *alloc, crd__network_batches *batches);

#endif
