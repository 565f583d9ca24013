/* paired.c -- one number per row for each side of a paired test, sorted by row index. */
#include "metric/paired.h"
#include "math/sort.h"

#include <string.h>

enum { WORDS = 2 }; /* row index and part */

void crd__metric_part_set(const crd__metric_side *side, size_t index, double part) {
  uint64_t *const record = side->parts + WORDS * index;
  record[0] = crd__metric_ranking_row(side->ranking, index);
  memcpy(&record[1], &part, sizeof record[1]);
}

void crd__metric_parts_sort(const crd__metric_side *side) {
  crd__math_sort_records(side->parts, side->ranking->count, WORDS);
}

double crd__metric_part_at(const crd__metric_side *side, size_t index) {
  double part;
  memcpy(&part, side->parts + WORDS * index + 1, sizeof part);
  return part;
}
