/* export.h -- what a target of export must supply: how it writes a map. */
#ifndef CRD_EXPORT_EXPORT_H
#define CRD_EXPORT_EXPORT_H

#include "base/text.h"
#include "calibrator/map.h"
#include "onnx/message.h"

typedef struct {
  crd_export_info info;
  /* `about` says in a sentence what is exported; one line of plain text. */
  crd_status (*write)(crd_context *ctx, const crd__calibrator_map *map, const char *about,
                      crd__text *out);
} crd__export;

/* The map of a calibrator, or one that a test made, in the format of that name. */
crd_status crd__export_map(crd_context *ctx, const crd__calibrator_map *map, const char *format,
                           const char *about, crd__text *out);

/* Where in the graph of another ONNX model the nodes of a map go. */
typedef struct {
  crd__onnx_span scores; /* the value that they read */
  crd__onnx_span rows;   /* its first dimension, as its message; without bytes: not known */
  int64_t opset;         /* the model's version of the operators */
  const char *prefix;    /* of all names but these two outputs' */
  const char *probabilities, *predicted;
} crd__export_onnx_place;

/* Fields to be added to that graph: nodes, constants, outputs. To be cleared, also after failure.
 */
crd_status crd__export_onnx_nodes(crd_context *ctx, const crd__calibrator_map *map,
                                  const crd__export_onnx_place *place, crd__text *out);

/* A copy of the model, whose bytes these are, with the map in it (into.c). */
crd_status crd__export_into(crd_context *ctx, const crd__calibrator_map *map, const char *path,
                            crd__onnx_span bytes, const char *value, crd_output *output);

/* "logits", "probabilities" or "confidence", of one row. */
const char *crd__export_given(const crd__calibrator_map *map);

#endif
