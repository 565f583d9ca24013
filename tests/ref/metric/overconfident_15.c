#include "ref/metrics.h"

double ref_overconfident_15(const ref_table *t) { return ref_overconfident(t, 15); }
