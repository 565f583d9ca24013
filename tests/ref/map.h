/* map.h -- a map as plain loops, for one row: what every export is compared with. */
#ifndef CRD_TESTS_REF_MAP_H
#define CRD_TESTS_REF_MAP_H

#include "calibrator/map.h"

enum { REF_CLASSES_MAX = 64 };

/* `given` is a row as map->input says; `out` takes classes numbers (pairs: one). Returns the
 * predicted class. */
size_t ref_map(const crd__calibrator_map *map, const double *given, double *out);

#endif
