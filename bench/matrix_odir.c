/* matrix_odir.c -- matrix scaling with a given ODIR penalty. */
#include "fit.h"

BENCH_SOLVED(matrix_odir, "matrix-odir", "lambda=1,mu=1")
