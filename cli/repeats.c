/* repeats.c -- runs a comparison several times and gathers the series. */
#include "repeats.h"
#include "terminal.h"

static crd_status begin(cli_session *session, const cli_repeats *repeats, crd_series **out) {
  char caption[256];
  const uint64_t last = (uint64_t)repeats->seed + repeats->count - 1;
  snprintf(caption, sizeof caption, "%s, seeds %u to %llu", repeats->what, repeats->seed,
           (unsigned long long)last);
  const crd_series_options options = { .size = sizeof options,
                                       .kind = repeats->kind,
                                       .caption = caption };
  return crd_series_create(session->ctx, &options, out);
}

/* Runs one contest and adds it; it is kept only if it is the first. */
static crd_status add(cli_session *session, const cli_repeats *repeats, unsigned index,
                      crd_series *series, const crd_contest **first) {
  const crd_contest *contest = NULL;
  crd_context_set_seed(session->ctx, (uint64_t)repeats->seed + index);
  cli_progress_count(index + 1, repeats->count);
  crd_status status = repeats->run(session, repeats->self, index, &contest);
  if (status == CRD_OK) status = crd_series_add(session->ctx, series, contest);
  if (index == 0) *first = contest;
  else crd_contest_destroy(contest);
  return status;
}

crd_status cli_repeats_run(cli_session *session, const cli_repeats *repeats, crd_series **out,
                           const crd_contest **first) {
  *first = NULL;
  crd_status status = begin(session, repeats, out);
  for (unsigned i = 0; status == CRD_OK && i < repeats->count; i++)
    status = add(session, repeats, i, *out, first);
  cli_progress_count(0, 0);
  crd_context_set_seed(session->ctx, repeats->seed);
  if (status == CRD_OK) return CRD_OK;
  crd_contest_destroy(*first);
  crd_series_destroy(*out);
  *first = NULL;
  *out = NULL;
  return status;
}
