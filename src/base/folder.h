/* folder.h -- what is in a folder, in an order that does not depend on the file system. */
#ifndef CRD_BASE_FOLDER_H
#define CRD_BASE_FOLDER_H

#include "base/context.h"

typedef struct {
  char *name; /* without the folder */
  bool is_folder;
} crd__folder_entry;

typedef struct {
  crd__folder_entry *entries; /* sorted by the bytes of their names */
  size_t count, capacity;
} crd__folder;

/* Lists folders and regular files, also through links; names that begin with '.', and whatever is
 * neither (pipes, broken links), are left out. Fails with a message that begins with the path if it
 * cannot be read. Release with clear, also after failure. */
crd_status crd__folder_list(crd_context *ctx, const char *path, crd__folder *out);
void crd__folder_clear(const crd_allocator *alloc, crd__folder *folder);
/* Returns the folder that an environment variable names; NULL: it is not set. */
const char *crd__folder_of_variable(const char *variable);
/* Sets *out to "folder/name", to be freed. */
crd_status crd__folder_join(crd_context *ctx, const char *folder, const char *name, char **out);

#endif
