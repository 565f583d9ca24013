/* groups.h -- rows ordered by the group they belong to. */
#ifndef CRD_DATA_GROUPS_H
#define CRD_DATA_GROUPS_H

#include "base/context.h"
#include "data/predictions.h"

/* Group g, the g-th smallest of the numbers, has rows[start[g]] .. rows[start[g + 1] - 1], which
 * ascend. */
typedef struct {
  size_t count;
  int64_t *id;
  size_t *start;
  size_t *rows;
} crd__groups;

/* EINPUT where there are no groups, or one is not a whole number. */
crd_status crd__groups_make(crd_context *ctx, const crd_predictions *predictions, crd__groups *out);
void crd__groups_clear(const crd_allocator *alloc, crd__groups *groups);

#endif
