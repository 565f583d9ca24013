/* credence/convention.h -- the numbers that other packages give, and why they differ from ours. */
#ifndef CREDENCE_CONVENTION_H
#define CREDENCE_CONVENTION_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *name;    /* as on the command line: "torchmetrics" */
  const char *package; /* what was compared, with its version */
  const char *summary; /* its conventions in one line */
  unsigned bins;       /* its own default, which is not used here */
} crd_peer;

CRD_API size_t crd_peer_count(void);
/** NULL past the end. */
CRD_API const crd_peer *crd_peer_at(size_t index);

/* One number of one peer. This table also drives the program, its help and the tests. */
typedef struct {
  const crd_peer *peer;
  const char *metric; /* the name of our metric that it corresponds to */
  const char *call;   /* how the peer is asked for it; M is the number of bins */
  const char *why;    /* why it differs from ours */
} crd_convention;

CRD_API size_t crd_convention_count(void);
/** In the order of peers; NULL past the end. */
CRD_API const crd_convention *crd_convention_at(size_t index);

typedef struct {
  const crd_convention *convention;
  double value;            /* the peer's; NaN when it gives none ... */
  const char *reason;      /* ... and then this says why; else NULL */
  double ours;             /* the value of our metric; NaN when it does not exist ... */
  const char *ours_reason; /* ... and then this says why; else NULL */
} crd_compat_value;

typedef struct crd_compat_table {
  const crd_peer *peer;
  unsigned bins;
  const char *note; /* what the peer left out of account (weights); NULL: nothing */
  size_t count;
  const crd_compat_value *values;
} crd_compat_table;

/**
 * All numbers that the named peer gives for these predictions, with `bins` bins (0: 15). It is
 * handed the scores in the type they have: single precision stays single precision (and halves
 * become it), everything else is double. A peer that wants probabilities gets the softmax of logits
 * in double precision.
 */
CRD_API CRD_CHECK crd_status crd_compat(crd_context *ctx, const crd_predictions *predictions,
                                        const char *peer, unsigned bins, crd_compat_table **out);
/** Release it. NULL is allowed. */
CRD_API void crd_compat_destroy(crd_compat_table *table);

#ifdef __cplusplus
}
#endif
#endif
