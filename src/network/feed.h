/*
 * feed.h -- rows as they come to batches as a network takes them: type, scale, mean and deviation
 * of each channel, channels first.
 */
#ifndef CRD_NETWORK_FEED_H
#define CRD_NETWORK_FEED_H

#include "base/context.h"
#include "credence/network.h"

typedef struct {
  const crd_port *port;
  crd_tensor given; /* all rows */
  crd_tensor taken; /* one batch, as the network takes it; without data */
  bool plain;       /* the bytes of a row are those that the network takes */
  void *room;       /* of a batch; NULL until it is needed */
} crd__network_feed_input;

typedef struct {
  crd_feed_options options;
  size_t rows, batch, count;
  crd__network_feed_input *inputs;
  crd_tensor *tensors; /* what the network is given next */
} crd__network_feed;

/* The inputs must fit the model; their data must stay. Release with clear, also after failure. */
crd_status crd__network_feed_make(crd_context *ctx, const crd_model *model,
                                  const crd_tensor *inputs, size_t count,
                                  const crd_feed_options *options, crd__network_feed *out);
void crd__network_feed_clear(const crd_allocator *alloc, crd__network_feed *feed);
/* Put rows from .. from+batch-1 into `tensors`; past the end the last row again. */
crd_status crd__network_feed_take(crd_context *ctx, crd__network_feed *feed, size_t from);

#endif
