/* npy.h -- write data for the peers: one C-contiguous array as FOLDER/NAME.npy. */
#ifndef BENCH_NPY_H
#define BENCH_NPY_H

#include <stdbool.h>
#include <stddef.h>

/* `type` is NumPy's: "f4", "i8"; a vector has cols == 1 and is written with one dimension. */
bool bench_npy_write(const char *folder, const char *name, const char *type, const void *data,
                     size_t rows, size_t cols);

#endif
