/* format.h -- what an array format must supply: one row, at the foot of its own file. */
#ifndef CRD_IO_FORMAT_H
#define CRD_IO_FORMAT_H

#include "io/bundle.h"
#include "io/write.h"

/* Sentences need not name the file or the entry: the frame puts both before them. */
struct crd__io_format {
  crd_format_info info;
  bool copies; /* entries keep nothing of the file's bytes after read */
  /* Is it this? `stem` names the file, in case its bytes leave it open. */
  bool (*recognise)(const unsigned char *bytes, size_t length, const char *stem);
  /* List what is there with crd__io_bundle_add, loaded or not. */
  crd_status (*read)(crd_context *ctx, crd__io_bundle *bundle, const crd_open_options *options);
  /* Load one entry; NULL when read loads them all. After a failure the frame frees `owned`. */
  crd_status (*load)(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry);
  /* Fill in what is `known` of an entry and leave its elements alone; NULL when it takes load. */
  crd_status (*peek)(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry);
  crd_status (*write)(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                      const crd__io_array *arrays, size_t count);
};

/* NULL past the end. */
const crd__io_format *crd__io_format_at(size_t index);
/* The format that claims the extension of this name, or NULL. */
const crd__io_format *crd__io_format_of(const char *stem);
bool crd__io_has_extension(const char *path, const char *extension);

/* For readers: a new entry, with nothing but a name. A name may occur once only. */
crd_status crd__io_bundle_add(crd_context *ctx, crd__io_bundle *bundle, const char *name,
                              crd__io_entry **out);

#endif
