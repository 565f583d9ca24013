/* convention.c -- metrics by the conventions of another package (a "peer"), beside our own. */
#include "convention/convention.h"
#include "base/arena.h"
#include "base/nearest.h"
#include "base/table.h"
#include "base/text.h"
#include "credence/evaluate.h"
#include "data/predictions.h"

#include <string.h>

static const crd__convention_peer *const peers[] = {
#define PEER(name) &crd__convention_peer_##name,
#include "convention/peer/list.h"
#undef PEER
};
enum { PEER_COUNT = sizeof peers / sizeof *peers };

CRD_TABLE(peer, crd_peer, PEER_COUNT, &peers[index]->info)
CRD_TABLE_NAME(peer)

size_t crd_convention_count(void) {
  size_t count = 0;
  for (size_t p = 0; p < PEER_COUNT; p++) count += peers[p]->count;
  return count;
}

const crd_convention *crd_convention_at(size_t index) {
  for (size_t p = 0; p < PEER_COUNT; index -= peers[p++]->count)
    if (index < peers[p]->count) return &peers[p]->rows[index].info;
  return NULL;
}

const crd_convention *crd_convention_find(const char *peer, const char *metric) {
  const crd_convention *c = NULL;
  for (size_t i = 0; peer && metric && (c = crd_convention_at(i)) != NULL; i++)
    if (strcmp(c->peer->name, peer) == 0 && strcmp(c->metric, metric) == 0) break;
  return c;
}

crd__metric_answer crd__convention_needs_classes(void) {
  return crd__metric_answer_undefined("needs the scores of all classes, not only the confidence");
}

void crd_compat_destroy(const crd_compat_table *table) { crd__arena_free(table); }

static crd_status find(crd_context *ctx, const char *name, const crd__convention_peer **out) {
  static const crd__names names = { .unknown = "unknown peer",
                                    .lister = "crd_peer_at",
                                    .at = peer_name };
  size_t index;
  CRD_TRY(crd__names_find(ctx, &names, name, strlen(name), &index));
  *out = peers[index];
  return CRD_OK;
}

/* Evaluates our own metrics of the same names. */
static crd_status measure(crd_context *ctx, const crd_predictions *predictions,
                          const crd__convention_peer *peer, unsigned bins, const crd_result **out) {
  crd__text names;
  crd__text_init(&names, &ctx->alloc);
  for (size_t i = 0; i < peer->count; i++)
    crd__text_addf(&names, "%s%s", i ? "," : "", peer->rows[i].info.metric);
  crd_status status = crd__text_status(ctx, &names);
  if (status == CRD_OK)
    status = crd_evaluate(ctx, predictions,
                          &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                   .metrics = names.bytes,
                                                   .bins = bins },
                          out);
  crd__text_clear(&names);
  return status;
}

static void compute(const crd__convention_peer *peer, crd__convention_input *handed,
                    const crd_result *all_ours, crd_compat_value *values) {
  for (size_t i = 0; i < peer->count; i++) {
    const crd__metric_answer answer = peer->rows[i].compute(handed);
    values[i] = (crd_compat_value){ .convention = &peer->rows[i].info,
                                    .value = answer.value,
                                    .reason = answer.reason };
    const crd_metric_value *const ours = crd_result_value(all_ours, peer->rows[i].info.metric);
    values[i].ours = ours->value;
    values[i].ours_reason = ours->reason;
  }
}

static crd_status fill(crd_context *ctx, const crd_predictions *predictions,
                       const crd__convention_peer *peer, unsigned bins, crd_compat_table *table) {
  crd__convention_input handed = { 0 };
  crd_compat_value *values;
  const crd_result *ours;
  CRD_TRY(crd__arena_add(ctx, table, peer->count, sizeof *values, "a peer's numbers", &values));
  CRD_TRY(measure(ctx, predictions, peer, bins, &ours));
  CRD_TRY(crd__arena_keep(ctx, table, ours, crd__arena_free)); /* it owns the reasons */
  crd_status status = crd__convention_input_make(ctx, predictions, &peer->custom, bins, &handed);
  if (status == CRD_OK) compute(peer, &handed, ours, values);
  crd__convention_input_clear(&ctx->alloc, &handed);
  *table = (crd_compat_table){ .peer = &peer->info,
                               .bins = bins,
                               .note = handed.weighted ? peer->weights : NULL,
                               .count = peer->count,
                               .values = values };
  return status;
}

crd_status crd_compat(crd_context *ctx, const crd_predictions *predictions, const char *peer,
                      unsigned bins, const crd_compat_table **out) {
  const crd__convention_peer *found = NULL;
  crd_compat_table *table;
  *out = NULL;
  CRD_TRY(crd__data_ranking_refuse(ctx, predictions, "a calibration error"));
  CRD_TRY(find(ctx, peer, &found));
  CRD_TRY(crd__arena_new(ctx, sizeof *table, "a peer's numbers", &table));
  const crd_status status = fill(ctx, predictions, found, bins ? bins : 15, table);
  if (status == CRD_OK) *out = table;
  else crd__arena_free(table);
  return status;
}
