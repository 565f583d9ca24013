/* export.h -- what a target of export must supply: how it writes a map. */
#ifndef CRD_CALIBRATOR_EXPORT_EXPORT_H
#define CRD_CALIBRATOR_EXPORT_EXPORT_H

#include "base/text.h"
#include "calibrator/map.h"

typedef struct {
  crd_export_info info;
  /* `about` says in a sentence what is exported; one line of plain text. */
  crd_status (*write)(crd_context *ctx, const crd__map *map, const char *about, crd__text *out);
} crd__export;

/* The map of a calibrator, or one that a test made, in the format of that name. */
crd_status crd__export_map(crd_context *ctx, const crd__map *map, const char *format,
                           const char *about, crd__text *out);

/* "logits", "probabilities" or "confidence", of one row. */
const char *crd__export_given(const crd__map *map);

#endif
