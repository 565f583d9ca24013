/* safetensors.h -- names of element types, for the reader and the writer of safetensors. */
#ifndef CRD_IO_FORMAT_SAFETENSORS_H
#define CRD_IO_FORMAT_SAFETENSORS_H

#include "io/write.h"

/* Names of the crd_dtypes in this format; ends with NULL. */
extern const char *const crd__io_safetensors_dtypes[];

crd_status crd__io_safetensors_write(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                                     const crd__io_array *arrays, size_t count);

#endif
