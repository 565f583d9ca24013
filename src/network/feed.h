/*
 * feed.h -- converts rows of the user's arrays to batches of the network's input: type, scale, mean
 * and standard deviation of each channel, NHWC to NCHW.
 */
#ifndef CRD_NETWORK_FEED_H
#define CRD_NETWORK_FEED_H

#include "base/context.h"
#include "credence/network.h"
#include "data/source.h"

typedef struct {
  const crd_port *port;
  crd_array given; /* all rows; without data if there is a source */
  crd__data_source source;
  crd_array taken; /* the shape and type of one batch; without data */
  bool plain;      /* needs no conversion */
  void *pulled;    /* holds the rows of a batch from the source; NULL until needed */
  void *converted; /* holds a converted batch; NULL until needed */
} crd__network_feed_input;

typedef struct {
  crd_feed_options options;
  size_t rows, batch, count;
  crd__network_feed_input *inputs;
  crd_array *tensors; /* the next batch */
} crd__network_feed;

/* Check the inputs against the model. Borrows their data. Call clear also after a failure. */
crd_status crd__network_feed_make(crd_context *ctx, const crd_model *model, const crd_array *inputs,
                                  size_t count, const crd_feed_options *options,
                                  crd__network_feed *out);
/* Pull the rows of an input from a source instead of the array's data, in the array's type and
 * shape. */
void crd__network_feed_pull(crd__network_feed *feed, size_t input, crd__data_source source);
void crd__network_feed_clear(const crd_allocator *alloc, crd__network_feed *feed);
/* Set `tensors` to rows from .. from+batch-1; past the end, the last row is repeated. */
crd_status crd__network_feed_take(crd_context *ctx, crd__network_feed *feed, size_t from);

#endif
