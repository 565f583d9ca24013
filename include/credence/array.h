/* credence/array.h -- arrays of any rank in files: images, tokens, what a network makes of them. */
#ifndef CREDENCE_ARRAY_H
#define CREDENCE_ARRAY_H

#include "credence/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An array of a file, in C order and native bytes. Where the file has it so, it is mapped and not
 * copied; else it is brought into that order in memory.
 *
 *   life      open -> tensor -> destroy
 *   threads   reading: many at once
 */
typedef struct crd_array crd_array;

/**
 * Open FILE[#KEY][@FROM:TO]: the array called KEY, or the only one there is; of these rows of its
 * first dimension, or all. Every format is read that predictions may have.
 */
CRD_API CRD_CHECK crd_status crd_array_open(crd_context *ctx, const char *path, crd_array **out);
/** Its elements are aligned to their size, and stay until destroy. */
CRD_API const crd_tensor *crd_array_tensor(const crd_array *array);
CRD_API void crd_array_destroy(crd_array *array);

/**
 * Write a tensor; the name of the file chooses the format (.npy, .npz, .safetensors; .csv for up to
 * two dimensions; also with .gz). `name` is what formats that have names call it; NULL: "array".
 * The file appears whole or not at all.
 */
CRD_API CRD_CHECK crd_status crd_array_save(crd_context *ctx, const crd_tensor *tensor,
                                            const char *name, const char *path);

#ifdef __cplusplus
}
#endif
#endif
