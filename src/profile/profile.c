/* profile.c -- the frame of a profile: gathers evidence once, and fills the requested parts. */
#include "base/options.h"
#include "profile/part.h"

enum { BINS = 15 };

static const crd__profile_part *const parts[] = {
#define PART(name) &crd__profile_part_##name,
#include "profile/part/list.h"
#undef PART
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

void crd_profile_destroy(const crd_profile *profile) { crd__arena_free(profile); }

/* ---- Making one. */

crd__metric_facts crd__profile_facts(const crd__profile_source *source, size_t bins) {
  const crd_evidence *const e = source->evidence;
  crd__metric_facts facts =
      crd__metric_evidence_facts(e, &(crd__metric){ .ranked = true }, 0, e->rankings);
  facts.shape.bins = bins;
  return facts;
}

static crd_status gather(crd_context *ctx, const crd_predictions *predictions, unsigned wanted,
                         crd_evidence **out) {
  bool ranked = false;
  for (size_t i = 0; i < PART_COUNT; i++) ranked |= (wanted & parts[i]->part) && parts[i]->ranked;
  /* Any metric with, or without, a ranking would do: the bins of confidence are always gathered. */
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = ranked ? "auroc" : "ece",
                                         .bins = CRD_FINE_BINS };
  CRD_TRY(crd_evidence_gather(ctx, predictions, &options, 0, out));
  return crd__metric_evidence_sort(ctx, *out);
}

static crd_status fill(crd_context *ctx, const crd__profile_source *source, unsigned wanted,
                       crd_profile *out) {
  out->parts = wanted;
  if (!(crd__profile_facts(source, 1).weight > 0))
    return crd__fail(ctx, CRD_EINPUT, "%s: all weights are 0",
                     crd_predictions_name(source->predictions));
  for (size_t i = 0; i < PART_COUNT; i++)
    if ((wanted & parts[i]->part) && (parts[i]->ordinal || !source->evidence->shape.ranking))
      CRD_TRY(parts[i]->fill(ctx, source, out));
  return CRD_OK;
}

crd_status crd_profile_make(crd_context *ctx, const crd_predictions *predictions,
                            const crd_profile_options *options, const crd_profile **out) {
  crd_profile_options chosen;
  crd_evidence *evidence = NULL;
  crd_profile *profile;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_profile_options, options, &chosen));
  const unsigned wanted = chosen.parts ? chosen.parts : CRD_PROFILE_ALL;
  CRD_TRY(crd__arena_new(ctx, sizeof *profile, "a profile", &profile));
  crd_status status = gather(ctx, predictions, wanted, &evidence);
  const crd__profile_source source = { .predictions = predictions,
                                       .evidence = evidence,
                                       .bins = chosen.bins ? chosen.bins : BINS,
                                       .resamples = chosen.resamples };
  if (status == CRD_OK) status = fill(ctx, &source, wanted, profile);
  crd_evidence_destroy(evidence);
  if (status == CRD_OK) *out = profile;
  else crd__arena_free(profile);
  return status;
}
