/*
 * handed.h -- predictions as a peer would get them: in its precision, as stored, not normalised.
 */
#ifndef CRD_CONVENTION_HANDED_H
#define CRD_CONVENTION_HANDED_H

#include "convention/cells.h"
#include "metric/ranking.h"

typedef struct crd__convention_input crd__convention_input;

/* The event that a peer evaluates for two classes. */
typedef enum {
  CRD__EVENT_ASKED,    /* the caller's choice */
  CRD__EVENT_TOP,      /* the predicted class */
  CRD__EVENT_POSITIVE, /* class 1 */
} crd__convention_event;

/* How a peer preprocesses its input. */
typedef struct {
  crd__convention_event event;
  bool torch;   /* it computes the softmax itself, in the precision of the logits */
  bool guesses; /* it takes scores outside [0, 1] for logits, others for probabilities */
  double (*adjust)(const crd__convention_input *handed,
                   double confidence); /* preprocessing; NULL: none */
} crd__convention_preprocessing;

struct crd__convention_input {
  const crd_predictions *predictions;
  size_t rows, classes, bins;
  bool single;   /* the peer computes in float32: values below are rounded to float32 */
  bool logits;   /* scores need a softmax */
  bool positive; /* two classes: confidence is the probability of class 1 */
  bool weighted;
  double *confidence, *weight;
  unsigned char *correct;
  size_t *label;               /* not filled for pairs */
  size_t labels, beyond;       /* distinct labels; the largest plus 1 */
  bool above;                  /* a probability is above 1 */
  double *top, *mass;          /* maximum and sum of each row's softmax */
  crd__metric_ranking ranking; /* by confidence */
  double *column;              /* probabilities of one class at a time ... */
  unsigned char *is;           /* ... and whether it is the label */
  uint64_t *records;           /* to sort a column */
  double *edges;               /* capacity: max(rows, bins) + bins + 2 */
  crd__convention_cell *cells; /* same capacity */
};

/* Prepares predictions for a peer; clear *out also after a failure. */
crd_status crd__convention_input_make(crd_context *ctx, const crd_predictions *predictions,
                                      const crd__convention_preprocessing *custom, size_t bins,
                                      crd__convention_input *out);
void crd__convention_input_clear(const crd_allocator *alloc, crd__convention_input *handed);

/* Returns confidence and correctness. */
crd__convention_samples crd__convention_input_top(const crd__convention_input *handed);
/* Returns the probability of class k and whether it is the label. Overwrites the previous column.
 */
crd__convention_samples crd__convention_input_class(crd__convention_input *handed, size_t k);
/* The probability of class k in row i. */
double crd__convention_input_probability(const crd__convention_input *handed, size_t i, size_t k);
/* Returns the number of distinct values, which must be >= 0. */
size_t crd__convention_input_distinct(crd__convention_input *handed, const double *values);
/* Rounds to float32. */
double crd__convention_single(double value);
/* Rounds to float32 if that is the peer's precision. */
double crd__convention_input_round(const crd__convention_input *handed, double value);

#endif
