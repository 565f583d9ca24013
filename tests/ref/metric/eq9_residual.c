#include "ref/metrics.h"

double ref_eq9_residual(const ref_table *t) { return ref_ece(t) - ref_eq9_rhs(t); }
