/* files.h -- one data set in several files: a.npz,b.npz or 'shard-*.npz'. */
#ifndef CRD_IO_FILES_H
#define CRD_IO_FILES_H

#include "base/context.h"

typedef struct {
  char **items; /* in byte order of their names */
  size_t count; /* 0: the name is that of one file */
} crd__io_files;

/*
 * Lists the files of a name: names and patterns of the shell, separated by commas. An existing file
 * whose own name has such characters takes precedence. Fails with EINPUT if a file is missing or no
 * file matches a pattern, and with EUSAGE if one is named twice. Release with clear, also after
 * failure.
 */
crd_status crd__io_files_list(crd_context *ctx, const char *name, crd__io_files *out);
/* The same, but one file is an item as well, whether or not it exists. */
crd_status crd__io_files_list_all(crd_context *ctx, const char *name, crd__io_files *out);
void crd__io_files_clear(const crd_allocator *alloc, crd__io_files *files);

/* Sets *out to whether a file of this name exists, or all files of a list. Fails without memory
 * only: a name would otherwise be read in another way. */
crd_status crd__io_files_exist(crd_context *ctx, const char *name, bool *out);

#endif
