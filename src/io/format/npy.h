/* npy.h -- NumPy's array header, for .npy files and for the members of .npz files. */
#ifndef CRD_IO_FORMAT_NPY_H
#define CRD_IO_FORMAT_NPY_H

#include "io/layout.h"
#include "io/write.h"

/* Longest header accepted; NumPy's usually take 128 bytes. */
enum { CRD__NPY_HEADER_MAX = 65536 };

typedef struct {
  crd__io_layout layout; /* of strings: with the characters as last dimension */
  size_t text;           /* characters per string; 0: the elements are numbers */
  bool objects;          /* pickled Python objects; the members below are not set */
  size_t header_bytes, data_bytes;
} crd__io_npy;

/*
 * Parses the header at bytes[0 .. length), the beginning of an array file of `total` bytes. On
 * success header_bytes + data_bytes == total, unless the elements are objects.
 */
crd_status crd__io_npy_parse(crd_context *ctx, const unsigned char *bytes, size_t length,
                             uint64_t total, crd__io_npy *out);
/* Fails with EINPUT on objects, with lines of Python that convert them. */
crd_status crd__io_npy_check(crd_context *ctx, crd__io_bundle *bundle, const crd__io_npy *npy,
                             bool in_archive);
/* Fills the entry from the header and the elements after it; `file` is where the header begins. */
crd_status crd__io_npy_fill(crd_context *ctx, const crd__io_npy *npy, const unsigned char *file,
                            crd__io_entry *entry);
/* The same without the elements. */
void crd__io_npy_peek(const crd__io_npy *npy, crd__io_entry *entry);
/* Returns whether the path names an .npy file, which holds one array only. */
bool crd__io_npy_is_extension(const char *path);
/* EUSAGE if NumPy has no such element type. */
crd_status crd__io_npy_check_type(crd_context *ctx, const crd__io_array *array);
/* Writes the header as NumPy does, padded so that the data begins at a multiple of 64. Returns its
 * length. */
enum { CRD__NPY_HEADER_SIZE = 320 };
size_t crd__io_npy_header(const crd__io_array *array, char out[CRD__NPY_HEADER_SIZE]);
/* The same for strings, whose characters are the columns of the view. */
size_t crd__io_npy_text_header(crd_array view, char out[CRD__NPY_HEADER_SIZE]);

#endif
