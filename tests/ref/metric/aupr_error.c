#include "ref/metrics.h"

double ref_aupr_error(const ref_table *t) { return ref_average_precision(t, 0, 0); }
