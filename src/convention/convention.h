/*
 * convention.h -- what a peer must supply: its rows, each with how the peer arrives at its number.
 *
 * Peers are imitated in what decides a number: which side of an edge a value on it belongs to, how
 * edges are rounded, which rows are left out, in what precision confidences are compared and (where
 * it shows) added up.
 */
#ifndef CRD_CONVENTION_CONVENTION_H
#define CRD_CONVENTION_CONVENTION_H

#include "convention/handed.h"
#include "credence/convention.h"
#include "metric/metric.h"

typedef struct {
  crd_convention info;
  crd__metric_answer (*compute)(crd__convention_handed *handed);
} crd__convention;

typedef struct {
  crd_peer info;
  const char *weights; /* what it does with them, a sentence */
  crd__convention_custom custom;
  size_t count;
  const crd__convention *rows;
} crd__convention_peer;

#define PEER(name) extern const crd__convention_peer crd__convention_peer_##name;
#include "convention/peer/list.h"
#undef PEER

/* Why there is no number, in the same words for all peers. */
crd__metric_answer crd__convention_needs_classes(void);

#endif
