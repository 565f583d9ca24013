/*
 * convention.h -- the interface of a peer (another package): its metrics, each with a function that
 * computes it by the peer's conventions.
 *
 * These are the conventions that decide a value: to which bin a value on an edge belongs, how edges
 * are rounded, which rows are ignored, in what precision confidences are compared and, if it
 * matters, summed.
 */
#ifndef CRD_CONVENTION_CONVENTION_H
#define CRD_CONVENTION_CONVENTION_H

#include "convention/handed.h"
#include "credence/convention.h"
#include "metric/metric.h"

typedef struct {
  crd_convention info;
  crd__metric_answer (*compute)(crd__convention_input *handed);
} crd__convention;

typedef struct {
  crd_peer info;
  const char *weights; /* its use of weights, in a sentence */
  crd__convention_preprocessing custom;
  size_t count;
  const crd__convention *rows;
} crd__convention_peer;

#define PEER(name) extern const crd__convention_peer crd__convention_peer_##name;
#include "convention/peer/list.h"
#undef PEER

/* The answer for metrics that need all classes, the same for all peers. */
crd__metric_answer crd__convention_needs_classes(void);

#endif
