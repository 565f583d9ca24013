/* zero.h -- detects calibrators that can return probabilities of exactly 0. */
#ifndef CRD_CALIBRATOR_ZERO_H
#define CRD_CALIBRATOR_ZERO_H

#include "calibrator/calibrator.h"

/* Returns whether the map can return 0, for a class or for "correct" or "wrong". */
bool crd__calibrator_map_gives_zero(const crd__calibrator_map *map);
/* Sets *out to whether a calibrator can return 0: by its map, or, if its method has none, by the
 * probabilities (for pairs, the confidences) that it returned. */
crd_status crd__calibrator_gives_zero(crd_context *ctx, const crd_calibrator *calibrator,
                                      const double *probabilities, size_t count, bool *out);

#endif
