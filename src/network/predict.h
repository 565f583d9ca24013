/*
 * predict.h -- predictions of a classifier on their way to a file: what is written beside them
 * comes from files (predict_to.c) or from datasets (predict_data.c).
 */
#ifndef CRD_NETWORK_PREDICT_H
#define CRD_NETWORK_PREDICT_H

#include "network/batches.h"

enum { CRD__PREDICT_ARRAYS_MAX = 8 }; /* all that predict_data.c and predict.c write */

typedef struct {
  crd_context *ctx;
  crd_model *tapped; /* the part of the model that computes what is written; NULL: all of it */
  crd__network_batches batches;
  crd__io_array arrays[CRD__PREDICT_ARRAYS_MAX]; /* labels and the like, for the writer */
  size_t count;
  const char *const *class_names; /* of the columns; NULL: none */
  const char *scores;             /* what the predictions are: "logits", "probabilities" ... */
  bool features;                  /* they are written too */
  const char *output;             /* the name of the output they are; NULL: the only one */
  const char *confidence; /* of the output with confidences in the predicted class; NULL: none */
} crd__network_prediction;

/* Compile the model for rows of this array, and check that it predicts. Call clear also after a
 * failure. */
crd_status crd__network_predict_make(crd__network_prediction *p, const crd_model *model,
                                     const crd_array *rows, const crd_feed_options *options);
/* Return the number of classes; a single column has two. */
size_t crd__network_predict_classes(const crd__network_prediction *p);
/* Run the first batch, and set `scores`. `first` is the index of the first row, for error messages.
 */
crd_status crd__network_predict_begin(crd__network_prediction *p, size_t first);
/* Run the others, and write predictions, features and `arrays`. Sets *summary, except `labelled`.
 */
crd_status crd__network_predict_write(crd__network_prediction *p, const char *path,
                                      crd_feed_summary *summary);
void crd__network_predict_clear(crd__network_prediction *p);

#endif
