/* unzip.h -- reads zip archives member by member, through libarchive. */
#ifndef CRD_IO_UNZIP_H
#define CRD_IO_UNZIP_H

#include "io/bundle.h"

struct archive;
struct archive_entry;

/* Returns whether the file begins like a zip archive, possibly an empty one. */
bool crd__io_unzip_recognise(const unsigned char *bytes, size_t length);

/* Opens the archive of a bundle's bytes. Release with archive_read_free. */
crd_status crd__io_unzip_open(crd_context *ctx, const crd__io_bundle *bundle, struct archive **out);
/* Sets *out to the next member; NULL after the last one. */
crd_status crd__io_unzip_next(crd_context *ctx, struct archive *archive,
                              struct archive_entry **out);
const char *crd__io_unzip_name(struct archive_entry *member);
/* Reads the member's size from the archive's directory; fails with EINPUT on encrypted members, and
 * on sizes that deflate cannot reach or beyond CRD__BOMB_RATIO. */
crd_status crd__io_unzip_size(crd_context *ctx, const crd__io_bundle *bundle,
                              struct archive_entry *member, uint64_t *size);

/* Sets *found to the content of the current member within the bundle's bytes. *found stays NULL if
 * it is compressed; the archive must then be opened again to read it. */
crd_status crd__io_unzip_in_place(crd_context *ctx, const crd__io_bundle *bundle,
                                  struct archive *archive, uint64_t size,
                                  const unsigned char **found);
crd_status crd__io_unzip_read(crd_context *ctx, struct archive *archive, unsigned char *out,
                              size_t count);
/* Fails with EINPUT if data is left or the CRC is wrong. */
crd_status crd__io_unzip_finish(crd_context *ctx, struct archive *archive);

#endif
