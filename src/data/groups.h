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
} crd__data_groups;

/* EINPUT where an id of the column is not a whole number. */
crd_status crd__data_groups_make(crd_context *ctx, const crd_predictions *predictions,
                                 const crd_group_column *column, crd__data_groups *out);
/* The rows that must not be torn apart: those of a cluster, or, without clusters, of a group of the
 * first group column. EINPUT where there is neither. */
crd_status crd__data_groups_together(crd_context *ctx, const crd_predictions *predictions,
                                     crd__data_groups *out);
void crd__data_groups_clear(const crd_allocator *alloc, crd__data_groups *groups);

#endif
