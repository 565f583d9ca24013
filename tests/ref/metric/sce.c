#include "ref/metrics.h"

double ref_sce(const ref_table *t) { return ref_sce_sum(t) / (double)t->k; }
