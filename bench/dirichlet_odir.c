/* dirichlet_odir.c -- Dirichlet calibration with a given ODIR penalty. */
#include "fit.h"

BENCH_SOLVED(dirichlet_odir, "dirichlet-odir", "lambda=1,mu=1")
