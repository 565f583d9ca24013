/*
 * map.h -- an intermediate representation of what a calibrator computes, for exports.
 *
 * A method describes its apply once as a list of operations (describe in method.h); each export
 * format (export/) translates every operation into its own language. So there is one description
 * per method and one translation per format, not one for each pair.
 *
 * A row has the kind of input that the calibrator was fitted on (logits, probabilities, a
 * confidence), and is converted to logits x as in logits.c. Then either the steps map x to
 * probabilities, or they map the probability of events, which is extended to the row as in event.c.
 */
#ifndef CRD_CALIBRATOR_MAP_H
#define CRD_CALIBRATOR_MAP_H

#include "base/context.h"
#include "credence/calibrator.h"
#include "data/floor.h"

typedef enum {
  /* Operations on rows. The last one yields probabilities. */
  CRD__SCALE,    /* x = a[0] x */
  CRD__DIAGONAL, /* x_k = a[k] x_k + b[k] */
  CRD__AFFINE,   /* x = A x + b, A row-major in a */
  CRD__BENT,     /* x_k = the polyline through (a[i], b[i]) at x_k, extrapolated at both ends */
  CRD__SOFTMAX,  /* x = softmax(x) */
  CRD__MIX,      /* x = sum_j a[j] softmax(b[j] x), b[j] >= 0 */
  CRD__LOG,      /* x_k = log x_k, after a MIX that is above 0 */
  /* Operations on events: s is the log-odds, q the probability, initially sigmoid(s). */
  CRD__ODDS,     /* q = s: the table that follows is over log-odds */
  CRD__LOGISTIC, /* q = sigmoid(a[0] s + a[1]) */
  CRD__BETA,     /* q = sigmoid(a[0] log p - a[1] log(1 - p) + a[2]), p = sigmoid(s) */
  CRD__STEPS,    /* q = b[number of a below q]: a ascends, b is one longer */
  CRD__LINES,    /* q = the polyline through (a[i], b[i]) at q, constant beyond both ends,
                    clipped to [0, 1] */
  CRD__OPS
} crd__calibrator_op;

/* The parameters of one step: those of event e are values[start[e]] .. values[start[e + 1] - 1]. */
typedef struct {
  size_t *start; /* parts + 1 */
  double *values;
} crd__calibrator_operand;

typedef struct {
  crd__calibrator_op op;
  size_t parts; /* number of events; 1 for rows, and for an event shared by all classes */
  crd__calibrator_operand a, b;
} crd__calibrator_step;

typedef enum {
  CRD__ROWS,         /* operations on rows */
  CRD__ALL_EVENTS,   /* one event per class, normalised; for two classes, the second only */
  CRD__SHARED_EVENT, /* the same event for every class, normalised; the argmax of x is kept */
  CRD__TOP_EVENT     /* the event that the predicted class is correct; the argmax of x is kept */
} crd__calibrator_reach;

typedef struct {
  crd_allocator alloc;
  size_t classes;        /* 2 for pairs */
  crd_input input;       /* kind of input of a row */
  bool normalise;        /* x -= log sum exp(x) first */
  crd__data_floor floor; /* of probabilities and confidences, as in logits.c */
  crd__calibrator_reach reach;
  size_t count;
  crd__calibrator_step *steps;
  size_t part, next; /* while it is built: the current event, and its next step */
} crd__calibrator_map;

/* Builds the map of a calibrator; must be cleared, also after failure. EUSAGE if its method cannot
 * be expressed. */
crd_status crd__calibrator_map_make(crd_context *ctx, const crd_calibrator *calibrator,
                                    crd__calibrator_map *out);
void crd__calibrator_map_clear(crd__calibrator_map *map);
/* Appends a step, for describe. All events of a map have the same steps. Copies the parameters. */
crd_status crd__calibrator_map_add(crd_context *ctx, crd__calibrator_map *map,
                                   crd__calibrator_op op, const double *a, size_t a_count,
                                   const double *b, size_t b_count);
/* A segment of a table (STEPS, LINES or BENT): value + slope (q - at) for low < q <= high. */
typedef struct {
  double low, high, at, value, slope;
} crd__calibrator_segment;
size_t crd__calibrator_step_segments(const crd__calibrator_step *step, size_t event);
crd__calibrator_segment crd__calibrator_step_segment(const crd__calibrator_step *step, size_t event,
                                                     size_t index);

/* Begins the next event. */
void crd__calibrator_map_next(crd__calibrator_map *map);

/* Returns whether the predicted class is the argmax of x, before any step. */
static inline bool crd__calibrator_map_keeps_top(const crd__calibrator_map *map) {
  return map->reach == CRD__SHARED_EVENT || map->reach == CRD__TOP_EVENT;
}

#endif
