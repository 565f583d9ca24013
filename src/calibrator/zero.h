/* zero.h -- does a calibrator give probabilities of exactly 0? */
#ifndef CRD_CALIBRATOR_ZERO_H
#define CRD_CALIBRATOR_ZERO_H

#include "calibrator/calibrator.h"

/* Does the map hold a 0, for a class or for "right" or "wrong"? */
bool crd__calibrator_map_gives_zero(const crd__calibrator_map *map);
/* The same of a calibrator: by its map, or, where its method cannot describe one, by the
 * probabilities (for pairs, the confidences) that it gave. */
crd_status crd__calibrator_gives_zero(crd_context *ctx, const crd_calibrator *calibrator,
                                      const double *probabilities, size_t count, bool *out);

#endif
