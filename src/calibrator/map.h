/*
 * map.h -- what a calibrator does to a row, in a few words that every export understands.
 *
 * A method says once, with these, what its apply computes (describe in method.h); each export
 * (export/) puts every word into its own language. So there is one text for each method and one for
 * each language, not one for each pair.
 *
 * A row comes as it was given when the calibrator was fitted (logits, probabilities, a confidence)
 * and becomes logits x as in logits.c. Then either steps turn x into probabilities, or they map the
 * probability of events, which the frame carries to the row as in event.c.
 */
#ifndef CRD_CALIBRATOR_MAP_H
#define CRD_CALIBRATOR_MAP_H

#include "base/context.h"
#include "credence/calibrator.h"
#include "data/floor.h"

typedef enum {
  /* Of rows. The last one leaves probabilities. */
  CRD__SCALE,    /* x = a[0] x */
  CRD__DIAGONAL, /* x_k = a[k] x_k + b[k] */
  CRD__AFFINE,   /* x = A x + b, A by rows in a */
  CRD__BENT,     /* x_k = at x_k, the line through (a[i], b[i]), continued beyond both ends */
  CRD__SOFTMAX,  /* x = softmax(x) */
  CRD__MIX,      /* x = sum_j a[j] softmax(b[j] x), b[j] >= 0 */
  /* Of events: s their log-odds, q their probability, sigmoid(s) before the first step. */
  CRD__ODDS,     /* q = s: the table that follows is over log-odds */
  CRD__LOGISTIC, /* q = sigmoid(a[0] s + a[1]) */
  CRD__BETA,     /* q = sigmoid(a[0] log p - a[1] log(1 - p) + a[2]), p = sigmoid(s) */
  CRD__STEPS,    /* q = b[number of a below q]: a ascends, b is one longer */
  CRD__LINES,    /* q = at q, the line through (a[i], b[i]); beyond both ends as at the end;
                    kept within [0, 1] */
  CRD__OPS
} crd__calibrator_op;

/* The numbers of one step: for each event its own, those of event e from start[e] on. */
typedef struct {
  size_t *start; /* parts + 1 */
  double *values;
} crd__calibrator_operand;

typedef struct {
  crd__calibrator_op op;
  size_t parts; /* events; 1 for rows, and for an event that all classes share */
  crd__calibrator_operand a, b;
} crd__calibrator_step;

typedef enum {
  CRD__ROWS,         /* steps of rows */
  CRD__ALL_EVENTS,   /* one event for each class, normalised; of two classes, the second */
  CRD__SHARED_EVENT, /* the same for every class, normalised; the predicted class is that of x */
  CRD__TOP_EVENT     /* the event that the predicted class is right, and stays the predicted one */
} crd__calibrator_reach;

typedef struct {
  crd_allocator alloc;
  size_t classes;        /* 2 for pairs */
  crd_input input;       /* how a row is given */
  bool normalise;        /* x -= log sum exp(x) first */
  crd__data_floor floor; /* of probabilities and confidences, as in logits.c */
  crd__calibrator_reach reach;
  size_t count;
  crd__calibrator_step *steps;
  size_t part, next; /* while it is described: which event, and its next step */
} crd__calibrator_map;

/* What a calibrator does; to be cleared, also after failure. EUSAGE where its method cannot say. */
crd_status crd__calibrator_map_make(crd_context *ctx, const crd_calibrator *calibrator,
                                    crd__calibrator_map *out);
void crd__calibrator_map_clear(crd__calibrator_map *map);
/* For describe: one step more. All events of a map have the same steps. Numbers are copied. */
crd_status crd__calibrator_map_add(crd_context *ctx, crd__calibrator_map *map,
                                   crd__calibrator_op op, const double *a, size_t a_count,
                                   const double *b, size_t b_count);
/* A table of STEPS, LINES or BENT in pieces: within low < q <= high it is value + slope (q - at).
 */
typedef struct {
  double low, high, at, value, slope;
} crd__calibrator_segment;
size_t crd__calibrator_step_segments(const crd__calibrator_step *step, size_t event);
crd__calibrator_segment crd__calibrator_step_segment(const crd__calibrator_step *step, size_t event,
                                                     size_t index);

/* The next steps are those of the next event. */
void crd__calibrator_map_next(crd__calibrator_map *map);

/* Does the predicted class follow from x, before any step? */
static inline bool crd__calibrator_map_keeps_top(const crd__calibrator_map *map) {
  return map->reach == CRD__SHARED_EVENT || map->reach == CRD__TOP_EVENT;
}

#endif
