/* update.h -- a model with other weights and metadata. */
#ifndef CRD_ONNX_UPDATE_H
#define CRD_ONNX_UPDATE_H

#include "onnx/rewrite.h"

/* Changes of the metadata, which every edit can make: keys in `items` lose their entries, and those
 * with values get new ones at the end of the model. */
typedef struct {
  const crd_metadata *items;
  size_t count;
} crd__onnx_metadata_edit;

/* The metadata's part of the functions of an edit. */
crd_status crd__onnx_metadata_field(const crd__onnx_metadata_edit *edit, crd__onnx_kind outer,
                                    const crd__onnx_field *field, bool *done);
crd_status crd__onnx_metadata_end(const crd__onnx_metadata_edit *edit, crd__onnx_writer *writer,
                                  crd__onnx_kind outer);

/* Writes float32 values as the bytes of raw data. */
crd_status crd__onnx_writer_floats(crd__onnx_writer *writer, const float *values, size_t count);

/* Writes an opened model with other values of float32 initialisers, and other metadata. CRD_EUSAGE
 * if an initialiser of a name and size does not exist, or is given twice. */
crd_status crd__onnx_file_update(crd_context *ctx, const crd__onnx_file *file,
                                 const crd_weights *weights, size_t weight_count,
                                 crd__onnx_metadata_edit metadata, crd__text *out);

#endif
