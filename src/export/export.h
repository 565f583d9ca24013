/* export.h -- the interface of an export format: how it writes a map. */
#ifndef CRD_EXPORT_EXPORT_H
#define CRD_EXPORT_EXPORT_H

#include "base/text.h"
#include "calibrator/map.h"
#include "io/write.h"
#include "onnx/message.h"

/* What a file says besides the map. */
typedef struct {
  const char *about; /* the calibrator, in one line of plain text */
  const char *name;  /* prefix of the function's name */
  bool float32;      /* compute in float32 */
} crd__export_words;

typedef struct {
  crd_export_info info;
  const char *name; /* prefix of the function by default; NULL: it cannot be named */
  bool float32;     /* whether there is a float32 variant */
  /* Append the file to `out`, and its header; no header: NULL. */
  crd_status (*write)(crd_context *ctx, const crd__calibrator_map *map,
                      const crd__export_words *words, crd__text *out);
  void (*write_header)(const crd__calibrator_map *map, const crd__export_words *words,
                       crd__text *out);
} crd__export;

/* Writes a map in the format of that name, and its header unless that is NULL. EUSAGE if there is
 * no such format, or if it lacks what the options ask for. */
crd_status crd__export_map(crd_context *ctx, const crd__calibrator_map *map, const char *format,
                           const char *about, const crd_export_options *options, crd__text *out,
                           crd__text *header);

/* Where to insert the nodes of a map in the graph of another ONNX model. */
typedef struct {
  crd__onnx_span scores; /* name of the value that they read */
  crd__onnx_span rows;   /* its first dimension as a protobuf message; empty: unknown */
  int64_t ir, opset;     /* versions of the model's format and operator set */
  const char *prefix;    /* of all new names but those of the two outputs */
  const char *probabilities, *predicted;
} crd__export_onnx_place;

/* Returns the first operator set that has all operators of a map's nodes. */
int crd__export_onnx_opset(const crd__calibrator_map *map);
/* Writes the fields to add to that graph: nodes, constants, outputs. `out` must be cleared, also
 * after failure. */
crd_status crd__export_onnx_nodes(crd_context *ctx, const crd__calibrator_map *map,
                                  const crd__export_onnx_place *place, crd__text *out);

/* Writes a copy of the model in `bytes`, read from `path`, with the map appended (into.c). `target`
 * is the file it is written to; NULL: none. EUSAGE if the map does not fit the model. */
crd_status crd__export_into(crd_context *ctx, const crd__calibrator_map *map, const char *path,
                            crd__onnx_span bytes, const char *value, const char *target,
                            const crd__io_sink *sink);

/* Returns the kind of input of a row: "logits", "probabilities" or "a confidence". */
const char *crd__export_given(const crd__calibrator_map *map);

#endif
