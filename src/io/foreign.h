/*
 * foreign.h -- HDF5 and MATLAB files, as far as they are known without the libraries that read
 * them.
 *
 * hdf5.c and mat.c are built if libhdf5 and libmatio were found; else hdf5_absent.c and
 * mat_absent.c take their place, and fail with the name of the missing library.
 */
#ifndef CRD_IO_FOREIGN_H
#define CRD_IO_FOREIGN_H

#include "io/layout.h"

/* Recognise by the first bytes. MATLAB files since version 7.3 are HDF5 after a header of 512
 * bytes. */
bool crd__io_hdf5_recognise(const unsigned char *bytes, size_t length, const char *stem);
bool crd__io_mat_recognise(const unsigned char *bytes, size_t length, const char *stem);
/* Returns whether MATLAB wrote the file, as HDF5 or in its own format. */
bool crd__io_is_matlab(const unsigned char *bytes, size_t length);
/* Sets the shape of a column-major matrix. MATLAB has no vectors: 1 x n is read as one. */
void crd__io_matlab_shape(crd__io_layout *layout, size_t rows, size_t cols);

#endif
