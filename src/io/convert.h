/*
 * convert.h -- unsupported files of Python programs: recognises them, and gives two lines of Python
 * that convert them.
 */
#ifndef CRD_IO_CONVERT_H
#define CRD_IO_CONVERT_H

#include "io/bundle.h"
#include "io/format/pickle.h"

/*
 * Templates, in which
 *   {file}   is the file's name as a Python literal; of a gzipped file, gzip.open('...')
 *   {open}   open('...', 'rb'), or gzip.open('...')
 *   {gzip}   "gzip, " for the list of imports if the file is gzipped, else nothing
 *   {npz}    the file's name with this extension instead of its own; also {npy}, {csv}
 */
typedef struct {
  const char *load, *save;
} crd__io_python;

/* Fails with EINPUT and this message, to which the frame appends two lines of Python: they load the
 * file, and save it in a supported format. */
crd_status crd__io_convert_refuse(crd_context *ctx, crd__io_bundle *bundle,
                                  const crd__io_python *lines, const char *format, ...)
    CRD_PRINTF(4, 5);

/* The same for a file of torch.save, with lines that fit its top-level object. */
crd_status crd__io_convert_torch(crd_context *ctx, crd__io_bundle *bundle,
                                 const crd__io_pickle *pickle, const char *message);

/* Fails with EINPUT if the bytes are a pickle, a joblib dump, Parquet, Arrow or Feather. */
crd_status crd__io_convert_check(crd_context *ctx, crd__io_bundle *bundle);

#endif
