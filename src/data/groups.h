/* groups.h -- rows ordered by the group they belong to. */
#ifndef CRD_DATA_GROUPS_H
#define CRD_DATA_GROUPS_H

#include "base/context.h"
#include "data/predictions.h"

/* Group g has the g-th smallest id and rows[start[g]] .. rows[start[g + 1] - 1], ascending. */
typedef struct {
  size_t count;
  int64_t *id;
  size_t *start;
  size_t *rows;
} crd__data_groups;

/* Groups the rows by a column, or, if it is NULL, by cluster. CRD_EINPUT if an id is not an
 * integer. */
crd_status crd__data_groups_make(crd_context *ctx, const crd_predictions *predictions,
                                 const crd_group_column *column, crd__data_groups *out);
/* Groups the rows that must stay together: by cluster, or, without clusters, by the first group
 * column. CRD_EINPUT if there is neither. */
crd_status crd__data_groups_together(crd_context *ctx, const crd_predictions *predictions,
                                     crd__data_groups *out);
void crd__data_groups_clear(const crd_allocator *alloc, crd__data_groups *groups);

#endif
