/* text_files.h -- texts of a folder or an archive, in memory. */
#ifndef CRD_DATASET_KIND_TEXT_FILES_H
#define CRD_DATASET_KIND_TEXT_FILES_H

#include "base/text.h"

typedef struct {
  char *name; /* below the folder or archive, with slashes */
  size_t offset, length;
  size_t split; /* its position among the requested ones; SIZE_MAX: none */
} crd__dataset_text_file;

typedef struct {
  crd__dataset_text_file *files;
  size_t count, capacity;
  crd__text bytes;
} crd__dataset_texts;

/* Lists the files of a folder, at most three folders deep, or reads those of an archive: sorted by
 * the bytes of their names. Hidden ones, whose name or folder begins with '.', are left out. Fails
 * with a message that begins with the path. Release with clear, also after failure. */
crd_status crd__dataset_texts_list(crd_context *ctx, const char *path, crd__dataset_texts *texts);
/* Drops the files without a split, and sorts the others by split, then by name. */
void crd__dataset_texts_sort(const crd_allocator *alloc, crd__dataset_texts *texts);
/* Reads the files that are left of a folder; those of an archive are in memory. */
crd_status crd__dataset_texts_read(crd_context *ctx, const char *path, crd__dataset_texts *texts);
void crd__dataset_texts_clear(const crd_allocator *alloc, crd__dataset_texts *texts);

#endif
