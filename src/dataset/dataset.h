/* dataset.h -- the struct behind crd_dataset: indices of samples in a shared store. */
#ifndef CRD_DATASET_DATASET_H
#define CRD_DATASET_DATASET_H

#include "dataset/kind.h"

/* ---- Classes and tokens of a store under an encoding (encode.c), shared by the parts of an
 * encoded dataset. */

typedef struct {
  crd_allocator alloc;
  atomic_size_t users;
  int64_t *class_of; /* for each label of the store; -1: it has no class. NULL: as in the store */
  char **class_names;
  size_t class_count;
  size_t length;   /* texts: tokens of a sample */
  int32_t *tokens; /* of all encoded texts, at most `length` of each; NULL: no texts */
  size_t *from;    /* for each sample of the store, where its tokens begin, ... */
  size_t *count;   /* ... and how many there are */
} crd__dataset_code;

/* Ends a use; the last one frees it. NULL is allowed. */
void crd__dataset_code_release(crd__dataset_code *code);
/* Writes the tokens of a sample, padded with 0. */
void crd__dataset_code_tokens(const crd__dataset_code *code, size_t index, int64_t *out);

struct crd_dataset {
  crd_allocator alloc;
  crd__dataset_store *store;
  crd__dataset_code *code; /* NULL: not encoded */
  size_t *rows;            /* indices of samples in the store */
  crd_dataset_shape shape;
  char *name;
};

/* Returns the dataset's name for error messages. */
static inline const char *crd__dataset_title(const crd_dataset *dataset) {
  return *dataset->name ? dataset->name : "dataset";
}

/* Makes a dataset of all samples of a store, whose use it takes over, also on failure. */
crd_status crd__dataset_of_store(crd_context *ctx, crd__dataset_store *store, const char *name,
                                 crd_dataset **out);
/* Fills the shape again, after encoding. */
void crd__dataset_update_shape(crd_dataset *dataset);
/* Describes a row for error messages: "row 3 (images/cat.png)". Returns `out`. */
enum { CRD__DATASET_ROW_TEXT = 240 };
const char *crd__dataset_row_text(const crd_dataset *dataset, size_t row,
                                  char out[CRD__DATASET_ROW_TEXT]);

/* ---- Stores (store.c). */

/* Makes a store without samples, of one user. */
crd_status crd__dataset_store_create(crd_context *ctx, const crd__dataset_kind *kind,
                                     crd__dataset_store **out);
/* Ends a use; the last one closes the kind and frees everything. NULL is allowed. */
void crd__dataset_store_release(crd__dataset_store *store);
/* Returns the number of elements of a sample. */
size_t crd__dataset_store_size(const crd__dataset_store *store);

/* Sets *out to a sample's bytes: borrowed from the store, or decoded into `scratch`, of the size of
 * a sample; NULL: it must be read as float32. */
crd_status crd__dataset_store_bytes(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                    unsigned char *scratch, const unsigned char **out);
/* Reads one sample as float32, corrupted if the store is. `scratch` has the size of a sample. */
crd_status crd__dataset_store_read(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                   float *scratch, float *out);

/* ---- Samples that were expensive to read (cache.c). */

/* Gives the store a cache if its samples take long to read and all of them fit in a quarter of
 * memory. */
crd_status crd__dataset_cache_create(crd_context *ctx, crd__dataset_store *store);
void crd__dataset_cache_destroy(const crd_allocator *alloc, crd__dataset_cache *cache);
/* Returns a sample, or NULL if it has not been kept. */
const void *crd__dataset_cache_find(crd__dataset_cache *cache, size_t index);
/* Keeps a copy of a sample; does nothing where there is no memory left. */
void crd__dataset_cache_keep(const crd_allocator *alloc, crd__dataset_cache *cache, size_t index,
                             const void *sample);

#endif
