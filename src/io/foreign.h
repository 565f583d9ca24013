/*
 * foreign.h -- what is known of HDF5 and MATLAB files without the libraries that read them.
 *
 * hdf5.c and mat.c are built where libhdf5 and libmatio were found; elsewhere hdf5_absent.c and
 * mat_absent.c stand in their place and say what is missing.
 */
#ifndef CRD_IO_FOREIGN_H
#define CRD_IO_FOREIGN_H

#include "io/layout.h"

/* MATLAB files from version 7.3 on are HDF5 with 512 bytes of MATLAB's own before it. */
bool crd__io_hdf5_recognise(const unsigned char *bytes, size_t length, const char *stem);
bool crd__io_mat_recognise(const unsigned char *bytes, size_t length, const char *stem);
/* Did MATLAB write it, as HDF5 or not? */
bool crd__io_matlab_wrote(const unsigned char *bytes, size_t length);
/* MATLAB's rows x cols, stored column by column. It has no vectors: 1 x n stands for one. */
void crd__io_matlab_shape(crd__io_layout *layout, size_t rows, size_t cols);

#endif
