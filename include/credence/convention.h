/* credence/convention.h -- the values that other packages compute, and why they differ from ours.
 */
#ifndef CREDENCE_CONVENTION_H
#define CREDENCE_CONVENTION_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Another package that computes such metrics. */
typedef struct {
  const char *name;    /* as on the command line: "torchmetrics" */
  const char *package; /* with the version that was compared */
  const char *summary; /* its conventions in one line */
  unsigned bins;       /* its own default number of bins, not used here */
} crd_peer;

/** Returns the number of peers. */
CRD_API size_t crd_peer_count(void);
/** Returns the peer at an index, or NULL past the end. */
CRD_API const crd_peer *crd_peer_at(size_t index);

/* A metric of a peer. The table of conventions also generates help and reference page. */
typedef struct {
  const crd_peer *peer;
  const char *metric; /* the name of our corresponding metric */
  const char *call;   /* the peer's call; M is the number of bins */
  const char *why;    /* why it differs from ours */
} crd_convention;

/** Returns the number of conventions. */
CRD_API size_t crd_convention_count(void);
/** Returns the convention at an index, in the order of peers, or NULL past the end. */
CRD_API const crd_convention *crd_convention_at(size_t index);

typedef struct {
  const crd_convention *convention;
  double value;            /* the peer's value; NaN if it has none ... */
  const char *reason;      /* ... for this reason; else NULL */
  double ours;             /* the value of our metric; NaN if undefined ... */
  const char *ours_reason; /* ... for this reason; else NULL */
} crd_compat_value;

typedef struct crd_compat_table {
  const crd_peer *peer;
  unsigned bins;
  const char *note; /* data that the peer ignores (weights); NULL: none */
  size_t count;
  const crd_compat_value *values;
} crd_compat_table;

/**
 * Computes all metrics of the named peer for these predictions, with `bins` bins (0: 15). Scores
 * are passed in their own type if it is float32 (float16 becomes float32), else as float64. A peer
 * that takes probabilities gets the softmax of the logits, computed in float64. CRD_EUSAGE for an
 * unknown peer.
 */
CRD_API CRD_NODISCARD crd_status crd_compat(crd_context *ctx, const crd_predictions *predictions,
                                            const char *peer, unsigned bins,
                                            const crd_compat_table **out);
/** Destroys a table; NULL is allowed. */
CRD_API void crd_compat_destroy(const crd_compat_table *table);

#ifdef __cplusplus
}
#endif
#endif
