/* map.h -- reference implementation of a map for one row, in plain loops, for tests of exports. */
#ifndef CRD_TESTS_REF_MAP_H
#define CRD_TESTS_REF_MAP_H

#include "calibrator/map.h"

enum { REF_CLASSES_MAX = 64 };

/* Maps `given`, a row of kind map->input, to `out`: one probability per class (pairs: one). Returns
 * the predicted class. */
size_t ref_map(const crd__calibrator_map *map, const double *given, double *out);

#endif
