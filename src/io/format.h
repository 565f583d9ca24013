/* format.h -- the entry of an array format, at the end of its own file. */
#ifndef CRD_IO_FORMAT_H
#define CRD_IO_FORMAT_H

#include "io/bundle.h"
#include "io/write.h"

/* Error messages need not name the file or the entry: the frame prepends both. */
struct crd__io_format {
  crd_format_info info;
  bool copies; /* entries do not point into the file's bytes */
  /* Returns whether the file is of this format. `stem` is its name, for formats without a magic
   * number. */
  bool (*recognise)(const unsigned char *bytes, size_t length, const char *stem);
  /* Add all arrays with crd__io_bundle_add, loaded or not. */
  crd_status (*read)(crd_context *ctx, crd__io_bundle *bundle, const crd_open_options *options);
  /* Load one entry; NULL: read loads them all. After a failure the frame frees `owned`. */
  crd_status (*load)(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry);
  /* Set the `known` members of an entry without reading its elements; NULL: load does. */
  crd_status (*peek)(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry);
  crd_status (*write)(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                      const crd__io_array *arrays, size_t count);
};

/* NULL past the end. */
const crd__io_format *crd__io_format_at(size_t index);
/* Returns the format that claims the extension of this name, or NULL. */
const crd__io_format *crd__io_format_of(const char *stem);
/* Returns the format of a file's content, "npz", or "gzip", for error messages; NULL: unknown. */
const char *crd__io_format_name(const unsigned char *bytes, size_t length, const char *path);
bool crd__io_has_extension(const char *path, const char *extension);

/* Adds an entry with this name, for readers; fails with EINPUT if the name is in use. */
crd_status crd__io_bundle_add(crd_context *ctx, crd__io_bundle *bundle, const char *name,
                              crd__io_entry **out);

#endif
