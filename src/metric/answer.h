/* answer.h -- the value of a metric or a test, or the reason why it is undefined. */
#ifndef CRD_METRIC_ANSWER_H
#define CRD_METRIC_ANSWER_H

#include <math.h>
#include <stddef.h>

typedef struct {
  double value;
  const char *reason; /* why there is no value (which is then NaN); NULL if there is one */
} crd__metric_answer;

static inline crd__metric_answer crd__metric_answer_value(double value) {
  return (crd__metric_answer){ .value = value };
}
static inline crd__metric_answer crd__metric_none(const char *reason) {
  return (crd__metric_answer){ .value = (double)NAN, .reason = reason };
}

#endif
