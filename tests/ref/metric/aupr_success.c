#include "ref/metrics.h"

double ref_aupr_success(const ref_table *t) { return ref_average_precision(t, 1, 1); }
