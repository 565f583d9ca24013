/* groups.c -- accuracy, mean confidence and ece of each group of rows, if there are groups. */
#include "data/clusters.h"
#include "data/predictions.h"
#include "profile/part.h"

/* Columns that name clusters (patients) are not profiled group by group. */
static bool has_groups(const crd_predictions_parts *parts) {
  for (size_t i = 0; i < parts->group_column_count; i++)
    if (!crd__data_cluster_noun(parts->group_columns[i].name)) return true;
  return false;
}

static crd_status groups_fill(crd_context *ctx, const crd__profile_source *source,
                              crd_profile *out) {
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "accuracy,confidence,ece",
                                         .bins = source->bins,
                                         .resamples = source->resamples };
  const crd_group_table *groups;
  if (!has_groups(&source->predictions->parts)) return CRD_OK;
  CRD_TRY(crd_evaluate_groups(ctx, source->predictions, &options, &groups));
  out->groups = groups;
  return crd__arena_keep(ctx, out, groups, crd__arena_free);
}

const crd__profile_part crd__profile_part_groups = { .part = CRD_PROFILE_GROUPS,
                                                     .fill = groups_fill };
