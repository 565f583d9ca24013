/* credence/array_file.h -- arrays of any rank in files: images, tokens, outputs of networks. */
#ifndef CREDENCE_ARRAY_FILE_H
#define CREDENCE_ARRAY_FILE_H

#include "credence/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An array of a file, C-contiguous and in native byte order. Mapped if it is stored so in the file,
 * else converted in memory.
 *
 *   life      open -> array -> destroy
 *   owns      the mapped file or the converted copy
 *   threads   reading: many at once
 */
typedef struct crd_array_file crd_array_file;

/**
 * Opens FILE[#KEY][@FROM:TO]: the array called KEY (default: the only one), or the given rows of
 * its first dimension. Reads the formats of crd_predictions_open. CRD_EINPUT if the file is missing
 * or invalid, or has no such array or rows.
 */
CRD_API CRD_NODISCARD crd_status crd_array_file_open(crd_context *ctx, const char *path,
                                                     crd_array_file **out);
/** Returns the array, with elements aligned to their size; borrowed until destroy. */
CRD_API const crd_array *crd_array_file_array(const crd_array_file *array);
/** Closes the file and frees the array; NULL is allowed. */
CRD_API void crd_array_file_destroy(crd_array_file *array);

/**
 * Writes an array atomically. The file's extension chooses the format (.npy, .npz, .safetensors;
 * .csv up to two dimensions; each also with .gz). `name` is the array's name in formats that have
 * names; NULL: "array". CRD_EUSAGE if the format cannot hold the array, CRD_ESYSTEM if writing
 * fails.
 */
CRD_API CRD_NODISCARD crd_status crd_array_save(crd_context *ctx, const crd_array *array,
                                                const char *name, const char *path);

#ifdef __cplusplus
}
#endif
#endif
