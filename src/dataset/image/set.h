/*
 * set.h -- the images of a dataset: files with label, patient, split and weight.
 *
 * A kind (folder, manifest) creates a set as its store's `self`, adds the files of all splits, and
 * finishes it: patients are checked, the requested splits taken, and their images decoded once, by
 * all threads, so that corrupt files are known before anything is trained. They are kept if they
 * all fit in a quarter of memory. The last four functions are the callbacks of these kinds.
 */
#ifndef CRD_DATASET_IMAGE_SET_H
#define CRD_DATASET_IMAGE_SET_H

#include "base/file.h"
#include "dataset/image/image.h"
#include "dataset/kind.h"

typedef struct {
  char *path;
  size_t line;                 /* of the manifest, from 1; 0: none */
  int64_t label, group, split; /* indices of the store's names; -1: none */
  double weight;
  size_t slot; /* among kept images */
} crd__image_file;

typedef struct {
  const char *manifest; /* borrowed while the set is finished; NULL: none */
  char *reference;      /* the file whose size and channels are those of all, unless chosen */
  crd__image_file *files;
  size_t count, capacity;
  bool has_weights;
  size_t height, width, channels; /* of all images, once resized */
  crd_resize resize;
  unsigned char *kept; /* (slots, channels, height, width); NULL: decoded when read */
} crd__image_set;

/* Creates an empty set as the store's own. */
crd_status crd__image_set_create(crd_context *ctx, crd__dataset_store *store, crd__image_set **out);
/* Adds a file, without label, patient and split. *out is valid until the next one is added. */
crd_status crd__image_set_add(crd_context *ctx, crd__image_set *set, const char *path,
                              crd__image_file **out);
/* Finishes the set and fills the store. CRD_EUSAGE for a split that does not exist, CRD_EINPUT if
 * files are missing or corrupt, sizes differ, or a patient is in two splits. */
crd_status crd__image_set_finish(crd_context *ctx, const crd__dataset_request *request,
                                 crd__dataset_store *store, crd__image_set *set);

/* ---- Steps of finishing. */

/* Sets the groups of all files by the option group_pattern, if there is one (patients.c). */
crd_status crd__image_set_match(crd_context *ctx, const crd_dataset_options *options,
                                crd__dataset_store *store, crd__image_set *set);
/* Fails with CRD_EINPUT if a group is in two splits. */
crd_status crd__image_set_check_groups(crd_context *ctx, const crd__dataset_store *store,
                                       const crd__image_set *set);
/* Sets the size of all images: the options', or that of the first image (examine.c). */
crd_status crd__image_set_measure(crd_context *ctx, const crd_dataset_options *options,
                                  crd__image_set *set);
/* Decodes all files, and removes corrupt ones if the options allow it. */
crd_status crd__image_set_examine(crd_context *ctx, const crd_dataset_options *options,
                                  crd__dataset_store *store, crd__image_set *set);
/* Opens an image file; a pipe or a device that a manifest names is CRD_EINPUT. */
crd_status crd__image_set_open(crd_context *ctx, const char *path, crd__blob *out);
/* Reads an image and converts it to the set's size and channels; its own size before that is in
 * *found. The message begins with the path. */
crd_status crd__image_set_load(crd_context *ctx, const crd__image_set *set, const char *path,
                               crd__image *found, unsigned char *out);

/* ---- Callbacks of the kinds folder and manifest (dataset/kind.h). */

const unsigned char *crd__image_set_bytes(const crd__dataset_store *store, size_t index);
crd_status crd__image_set_decode(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                 unsigned char *out);
const char *crd__image_set_source(const crd__dataset_store *store, size_t index);
void crd__image_set_close(const crd_allocator *alloc, void *self);

#endif
