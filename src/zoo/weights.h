/* weights.h -- initial values of parameters: random by seed and name, or constant. */
#ifndef CRD_ZOO_WEIGHTS_H
#define CRD_ZOO_WEIGHTS_H

#include "zoo/builder.h"

/* Fan-in and fan-out: the inputs of one output, and the outputs of one input. */
typedef struct {
  double in, out;
} crd__zoo_fans;

/* Adds the parameter NAME.weight. */
crd__onnx_graph_value crd__zoo_weights(crd__zoo_builder *b, const char *name, crd__zoo_init init,
                                       crd__zoo_fans fans, const int64_t *dims, size_t rank);
/* Adds NAME.KIND, `count` times the same value; a running statistic is not counted as a parameter.
 */
crd__onnx_graph_value crd__zoo_constants(crd__zoo_builder *b, const char *name, const char *kind,
                                         float value, int64_t count, bool statistic);

#endif
