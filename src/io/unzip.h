/* unzip.h -- read an archive of a bundle's bytes, member by member, through libarchive. */
#ifndef CRD_IO_UNZIP_H
#define CRD_IO_UNZIP_H

#include "io/bundle.h"

struct archive;
struct archive_entry;

/* Does the file begin as a zip archive does, be it an empty one? */
bool crd__io_unzip_recognise(const unsigned char *bytes, size_t length);

/* Release with archive_read_free. */
crd_status crd__io_unzip_open(crd_context *ctx, const crd__io_bundle *bundle, struct archive **out);
/* The next member; NULL after the last one. */
crd_status crd__io_unzip_next(crd_context *ctx, struct archive *archive,
                              struct archive_entry **out);
const char *crd__io_unzip_name(struct archive_entry *member);
/* The member's size according to the archive's directory. Refused: encrypted members, and sizes
 * that deflate cannot reach, or beyond CRD__BOMB_RATIO. */
crd_status crd__io_unzip_size(crd_context *ctx, const crd__io_bundle *bundle,
                              struct archive_entry *member, uint64_t *size);

/* Content of the current member. A stored member is one piece of the bundle's bytes, *found; *found
 * stays NULL when it is compressed, and the archive must be opened again to read it. */
crd_status crd__io_unzip_in_place(crd_context *ctx, const crd__io_bundle *bundle,
                                  struct archive *archive, uint64_t size,
                                  const unsigned char **found);
crd_status crd__io_unzip_read(crd_context *ctx, struct archive *archive, unsigned char *out,
                              size_t count);
/* Nothing may be left; the CRC is checked. */
crd_status crd__io_unzip_finish(crd_context *ctx, struct archive *archive);

#endif
