/* foreign.c -- magic numbers of HDF5 and MATLAB files, and the shape of MATLAB's matrices. */
#include "io/foreign.h"

#include <string.h>

/* The superblock is at byte 0, or after a user block of 512, 1024, 2048 ... bytes. */
bool crd__io_hdf5_recognise(const unsigned char *bytes, size_t length, const char *stem) {
  static const unsigned char magic[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
  (void)stem;
  if (length < sizeof magic) return false;
  for (size_t at = 0; at <= length - sizeof magic; at = at ? 2 * at : 512)
    if (memcmp(bytes + at, magic, sizeof magic) == 0) return true;
  return false;
}

static bool begins(const unsigned char *bytes, size_t length, const char *text) {
  return length >= strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

bool crd__io_mat_recognise(const unsigned char *bytes, size_t length, const char *stem) {
  (void)stem;
  return begins(bytes, length, "MATLAB 5.0 MAT-file");
}

bool crd__io_matlab_wrote(const unsigned char *bytes, size_t length) {
  return begins(bytes, length, "MATLAB ");
}

void crd__io_matlab_shape(crd__io_layout *layout, size_t rows, size_t cols) {
  layout->fortran = true;
  layout->rank = 2;
  layout->shape[0] = rows == 1 ? cols : rows;
  layout->shape[1] = rows == 1 ? 1 : cols;
}
