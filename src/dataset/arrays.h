/* arrays.h -- datasets of arrays: in memory, or in a file that names no kind. */
#ifndef CRD_DATASET_ARRAYS_H
#define CRD_DATASET_ARRAYS_H

#include "dataset/kind.h"
#include "io/bundle.h"

/* What such a store's `self` is. */
typedef struct {
  crd_array inputs; /* as placed: (rows, channels, height, width), or (rows, ...) */
  crd__io_bundle *bundle;
  void *owned;
  char *file;
} crd__dataset_arrays;

extern const crd__dataset_kind crd__dataset_arrays_kind; /* in memory */
extern const crd__dataset_kind crd__dataset_file_kind;   /* FILE[#GROUP] */

/* Sets the samples of a store. Images are (n,h,w), (n,c,h,w) or (n,h,w,c), by where 1, 3 or 4
 * stands; other arrays are vectors. CRD_EINPUT if there are none, or they are empty. */
crd_status crd__dataset_arrays_place(crd_context *ctx, crd__dataset_store *store, const char *file,
                                     const crd_array *inputs);
/* Sets classes from class indices: 0 to the largest one, or to `classes` - 1; -1: none. CRD_EINPUT
 * names the row. */
crd_status crd__dataset_arrays_label(crd_context *ctx, crd__dataset_store *store, const char *file,
                                     const crd_array *given, size_t classes);
/* Sets classes from any integers: class indices if none is negative; else the classes are the
 * distinct integers, such as -1 and 1. */
crd_status crd__dataset_arrays_label_freely(crd_context *ctx, crd__dataset_store *store,
                                            const char *file, const crd_array *given);
crd_status crd__dataset_arrays_weight(crd_context *ctx, crd__dataset_store *store, const char *file,
                                      const crd_array *given);
crd_status crd__dataset_arrays_group(crd_context *ctx, crd__dataset_store *store, const char *file,
                                     const crd_array *given);

/* Callbacks of both kinds. */
crd_status crd__dataset_arrays_read(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                    float *out);
const char *crd__dataset_arrays_source(const crd__dataset_store *store, size_t index);
void crd__dataset_arrays_close(const crd_allocator *alloc, void *self);

#endif
