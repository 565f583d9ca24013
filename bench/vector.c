/* vector.c -- vector scaling: a slope and an offset for each class, without a penalty. */
#include "fit.h"

BENCH_SOLVED(vector, "vector", NULL)
