/*
 * chunks.h -- samples that lie in arrays, one chunk for each file or split: idx, npz, CIFAR.
 *
 * file --io--> array --add--> (rows, channels, height, width) --> store
 *
 * A kind creates the chunks of a store, lets them own the files that arrays point into, adds
 * arrays, and then reads the labels of all of them. Unsigned bytes stand for values / 255; other
 * numbers are unchanged but for their type.
 */
#ifndef CRD_DATASET_CHUNKS_H
#define CRD_DATASET_CHUNKS_H

#include "dataset/kind.h"
#include "io/bundle.h"
#include "io/content.h"

typedef struct {
  const char *file;         /* for error messages */
  crd_array samples;        /* (rows, channels, height, width); vectors: (rows, 1, 1, columns) */
  const char *label_file;   /* */
  crd_array labels;         /* (rows,), (rows,1) or one-hot (rows,classes); data NULL: none */
  const char *const *words; /* labels that are strings, one for each row; NULL: none */
  size_t word_count;
} crd__dataset_chunk;

/* What arrays point into: memory, an open file or a bundle. One of them is given. */
typedef struct {
  void *owned;
  crd__io_content content;
  crd__io_bundle *bundle;
} crd__dataset_kept;

typedef struct {
  crd__dataset_chunk *items; /* their files are owned */
  size_t count, capacity;
  crd__dataset_kept *kept;
  size_t kept_count, kept_capacity;
  bool direct;                    /* samples are bytes in C order */
  size_t height, width, channels; /* wanted by the options; 0: as stored */
  crd_resize resize;
} crd__dataset_chunks;

/* Creates the chunks as the store's `self`; images will get the size and channels of the options.
 */
crd_status crd__dataset_chunks_create(crd_context *ctx, const crd_dataset_options *options,
                                      crd__dataset_store *store);
/* Keeps what arrays point into until the store is closed. Takes over ownership, also on failure. */
crd_status crd__dataset_chunks_keep(crd_context *ctx, crd__dataset_store *store,
                                    crd__dataset_kept kept);

/* Sets *out to an array of a bundle, in C order and native byte order, which the store keeps; the
 * bundle must be kept, too. Fails with EINPUT unless it holds numbers. */
crd_status crd__dataset_chunks_array(crd_context *ctx, crd__dataset_store *store,
                                     crd__io_bundle *bundle, size_t index, crd_array *out);
/* Adds an array of any layout: images are (n,h,w), (n,c,h,w) or (n,h,w,c), by where 1, 3 or 4
 * stands; (n,d) are vectors. Images are resized now, and bytes that are not in C order are copied
 * if they fit in a quarter of memory. Fails with EINPUT if none or several dimensions could be the
 * channels, and if samples differ in shape or type from those added before. */
crd_status crd__dataset_chunks_add(crd_context *ctx, crd__dataset_store *store,
                                   const crd__dataset_chunk *chunk);
/* Reads the labels of all chunks. `names` NULL: classes are the distinct labels, sorted; else
 * labels are class indices below `count`, or strings among the names. Fails with EINPUT, naming
 * file and row. */
crd_status crd__dataset_chunks_label(crd_context *ctx, crd__dataset_store *store,
                                     const char *const *names, size_t count);

/* ---- Steps of adding (chunk_fit.c). */

/* Are the elements of a sample contiguous, in C order? */
bool crd__dataset_chunks_in_order(const crd_array *samples);
/* Replaces images (rows, channels, height, width) by a copy of the wanted size, in C order. Fails
 * with EUSAGE if they are to be resized, but are not bytes. */
crd_status crd__dataset_chunks_arrange(crd_context *ctx, crd__dataset_store *store,
                                       const char *file, crd_array *samples);

/* ---- Callbacks of kinds. */

const unsigned char *crd__dataset_chunks_bytes(const crd__dataset_store *store, size_t index);
crd_status crd__dataset_chunks_read(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                    float *out);
const char *crd__dataset_chunks_source(const crd__dataset_store *store, size_t index);
void crd__dataset_chunks_close(const crd_allocator *alloc, void *self);

#endif
