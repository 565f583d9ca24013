/* stream.h -- datasets as inputs of networks: their rows are read when a batch needs them. */
#ifndef CRD_NETWORK_STREAM_H
#define CRD_NETWORK_STREAM_H

#include "credence/dataset.h"
#include "network/batches.h"

/* Must not be moved in memory after open. */
typedef struct {
  const crd_dataset *data;
  crd_array shape; /* of all rows; without data */
  size_t *rows;    /* positions of a batch */
  size_t capacity;
} crd__network_stream;

/* Describe a dataset as an array without data. Borrows it. */
void crd__network_stream_open(const crd_dataset *data, crd__network_stream *out);
/* Return the source of its rows, which reads them in batches. */
crd__data_source crd__network_stream_source(crd__network_stream *stream);
void crd__network_stream_clear(const crd_allocator *alloc, crd__network_stream *stream);

/* Use the mean and standard deviation of an encoding, unless the options have one of their own.
 * `encoding` may be NULL. Borrows its numbers. */
void crd__network_normalise(const crd_encoding *encoding, crd_feed_options *options);

/* Return whether rows of this array have their channels in front, as a model takes them. Datasets
 * have, except where a file does not show which dimension they are. */
bool crd__network_is_channels_first(const crd_model *model, const crd_array *rows);

/* Run a model over an encoded dataset, with the encoding's normalisation, and store the first
 * output in `out`: rows x encoding->class_count. `batch` 0: chosen. Fails with CRD_EINPUT if the
 * output has another number of classes. */
crd_status crd__network_logits(crd_context *ctx, const crd_model *model, const crd_dataset *data,
                               const crd_encoding *encoding, size_t batch, float *out);

#endif
