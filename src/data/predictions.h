/* predictions.h -- inside of predictions: checked views, and what keeps them alive. */
#ifndef CRD_DATA_PREDICTIONS_H
#define CRD_DATA_PREDICTIONS_H

#include "base/text.h"
#include "credence/predictions.h"

/* A probability may exceed 1 by rounding; a row of them sums to 1 within the slack. */
#define CRD__PROBABILITY_MAX (1 + 1e-6)
#define CRD__PROBABILITY_SLACK 0.01

struct crd_predictions {
  crd_allocator alloc;
  crd_predictions_parts parts; /* shapes checked, input resolved, names owned */
  size_t classes;              /* 0: pairs */
  bool recognised;             /* the input was found out, not declared */
  int weight_shift;            /* weights count as weight * 2^weight_shift */
  crd__notes notes;
  void *keeper; /* the file behind the views, released with the predictions */
  void (*release)(const crd_allocator *alloc, void *keeper);
};

#endif
