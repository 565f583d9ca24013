/* profile.c -- the frame of a profile: gathers evidence once, and fills the requested parts. */
#include "base/memory.h"
#include "base/options.h"
#include "profile/part.h"

#include <stddef.h>
#include <string.h>

enum { BINS = 15 };

static const crd__profile_part *const parts[] = {
#define PART(name) &crd__profile_part_##name,
#include "profile/part/list.h"
#undef PART
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

/* ---- Memory. */

/* The header of each array of a profile. */
typedef union {
  void *next;
  max_align_t align;
} link;

void crd_profile_destroy(crd_profile *profile) {
  if (!profile) return;
  crd__profile *const p = (crd__profile *)profile;
  const crd_allocator alloc = p->alloc;
  for (link *at = p->arrays, *next; at; at = next) {
    next = at->next;
    crd__free(&alloc, at);
  }
  crd_group_table_destroy((crd_group_table *)(uintptr_t)p->profile.groups);
  crd__free(&alloc, p);
}

crd_status crd__profile_create(crd_context *ctx, crd__profile **out) {
  CRD_TRY(crd__new(ctx, 1, sizeof **out, "a profile", out));
  (*out)->alloc = ctx->alloc;
  return CRD_OK;
}

crd_status crd__profile_array(crd_context *ctx, crd__profile *profile, size_t count, size_t size,
                              void *out) {
  size_t bytes;
  link *array;
  if (!crd__size_mul(count, size, &bytes) || !crd__size_add(bytes, sizeof *array, &bytes))
    bytes = SIZE_MAX;
  CRD_TRY(crd__new(ctx, bytes, 1, "a profile", &array));
  array->next = profile->arrays;
  profile->arrays = array;
  void *const data = array + 1;
  memcpy(out, &data, sizeof data);
  return CRD_OK;
}

crd_status crd__profile_name(crd_context *ctx, crd__profile *profile, const char *name,
                             const char **out) {
  char *copy;
  *out = NULL;
  if (!name) return CRD_OK;
  CRD_TRY(crd__profile_array(ctx, profile, strlen(name) + 1, 1, &copy));
  memcpy(copy, name, strlen(name));
  *out = copy;
  return CRD_OK;
}

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
                       crd__profile *out) {
  out->profile.parts = wanted;
  if (!(crd__profile_facts(source, 1).weight > 0))
    return crd__fail(ctx, CRD_EINPUT, "%s: all weights are 0",
                     crd_predictions_name(source->predictions));
  for (size_t i = 0; i < PART_COUNT; i++)
    if ((wanted & parts[i]->part) && (parts[i]->ordinal || !source->evidence->shape.ranking))
      CRD_TRY(parts[i]->fill(ctx, source, out));
  return CRD_OK;
}

crd_status crd_profile_make(crd_context *ctx, const crd_predictions *predictions,
                            const crd_profile_options *options, crd_profile **out) {
  crd_profile_options chosen;
  crd_evidence *evidence = NULL;
  crd__profile *profile;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_profile_options, options, &chosen));
  const unsigned wanted = chosen.parts ? chosen.parts : CRD_PROFILE_ALL;
  CRD_TRY(crd__profile_create(ctx, &profile));
  crd_status status = gather(ctx, predictions, wanted, &evidence);
  const crd__profile_source source = { .predictions = predictions,
                                       .evidence = evidence,
                                       .bins = chosen.bins ? chosen.bins : BINS,
                                       .resamples = chosen.resamples };
  if (status == CRD_OK) status = fill(ctx, &source, wanted, profile);
  crd_evidence_destroy(evidence);
  if (status == CRD_OK) *out = &profile->profile;
  else crd_profile_destroy(&profile->profile);
  return status;
}
