/* groups.c -- accuracy, mean confidence and ece of each group of rows, where there are groups. */
#include "data/predictions.h"
#include "evaluate/profile/part.h"

static crd_status fill(crd_context *ctx, const crd__profile_source *source, crd__profile *out) {
  const crd_evaluate_options options = { .metrics = "accuracy,confidence,ece",
                                         .bins = source->bins };
  crd_group_table *groups;
  if (!source->predictions->parts.groups.data) return CRD_OK;
  CRD_TRY(crd_evaluate_groups(ctx, source->predictions, &options, &groups));
  out->profile.groups = groups;
  return CRD_OK;
}

const crd__profile_part crd__profile_part_groups = { .part = CRD_PROFILE_GROUPS, .fill = fill };
