/*
 * handed.h -- predictions as a peer gets them: in its precision, as stored, not normalised.
 */
#ifndef CRD_CONVENTION_HANDED_H
#define CRD_CONVENTION_HANDED_H

#include "convention/cells.h"
#include "metric/ranking.h"

typedef struct crd__convention_handed crd__convention_handed;

/* Of two classes: what the peer judges. */
typedef enum {
  CRD__EVENT_ASKED,    /* it can be asked for either */
  CRD__EVENT_TOP,      /* the predicted class */
  CRD__EVENT_POSITIVE, /* class 1 */
} crd__convention_event;

/* How a peer takes what it is given. */
typedef struct {
  crd__convention_event event;
  bool torch;   /* it takes the softmax itself, in the precision of the logits */
  bool guesses; /* scores outside [0, 1] are logits to it, others probabilities */
  double (*adjust)(const crd__convention_handed *handed,
                   double confidence); /* before use; NULL: nothing */
} crd__convention_custom;

struct crd__convention_handed {
  const crd_predictions *predictions;
  size_t rows, classes, bins;
  bool single;   /* it computes in single precision; all numbers here are rounded to it */
  bool logits;   /* a softmax comes first */
  bool positive; /* two classes: confidence is that of class 1 */
  bool weighted;
  double *confidence, *weight;
  unsigned char *correct;
  size_t *label;               /* not filled for pairs */
  size_t labels, beyond;       /* distinct labels; the largest plus 1 */
  bool above;                  /* a probability is above 1 */
  double *top, *mass;          /* of each row's softmax */
  crd__metric_ranking ranking; /* by confidence */
  double *column;              /* one class at a time, and where it is the label */
  unsigned char *is;
  uint64_t *records;           /* to sort a column */
  double *edges;               /* room for max(rows, bins) + bins + 2 */
  crd__convention_cell *cells; /* the same */
};

crd_status crd__convention_hand_over(crd_context *ctx, const crd_predictions *predictions,
                                     const crd__convention_custom *custom, size_t bins,
                                     crd__convention_handed *out);
void crd__convention_handed_clear(const crd_allocator *alloc, crd__convention_handed *handed);

/* Confidence and correctness. */
crd__convention_samples crd__convention_handed_top(const crd__convention_handed *handed);
/* Probability of class k and whether it is the label. Overwrites the column before. */
crd__convention_samples crd__convention_handed_class(crd__convention_handed *handed, size_t k);
/* The probability of class k in row i. */
double crd__convention_handed_probability(const crd__convention_handed *handed, size_t i, size_t k);
/* How many different values there are among these; they must be >= 0. */
size_t crd__convention_handed_distinct(crd__convention_handed *handed, const double *values);
/* Rounded to single precision if that is the peer's. */
double crd__convention_handed_round(const crd__convention_handed *handed, double value);

#endif
