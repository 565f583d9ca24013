/*
 * contest.c -- compares calibration methods: all are fitted on the same rows and evaluated on the
 * same test rows.
 *
 * A method that fails on these data keeps its error message; the others go on. Differences are
 * paired: resamples have the same rows for all candidates. Their p-values are corrected for the
 * number of candidates, metric by metric.
 */
#include "contest/contest.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/number.h"
#include "calibrator/calibrator.h"
#include "contest/cross.h"
#include "contest/shift.h"
#include "credence/profile.h"
#include "evaluate/results.h"
#include "math/brownian.h"
#include "metric/evidence.h"

#include <math.h>
#include <string.h>
#include <time.h>

static void *unconst(const void *p) { return (void *)(uintptr_t)p; }

void crd_contest_destroy(const crd_contest *contest) { crd__arena_free(contest); }

static void destroy_evidence(const void *evidence) { crd_evidence_destroy(unconst(evidence)); }
static void destroy_calibrator(const void *calibrator) {
  crd_calibrator_destroy(unconst(calibrator));
}
static void clear_learnt(const void *learnt) { crd__calibrator_learnt_clear(unconst(learnt)); }

crd_status crd__contest_keep_evidence(crd_context *ctx, const crd__contest *t,
                                      const crd_evidence *evidence) {
  return crd__arena_keep(ctx, t, evidence, destroy_evidence);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns whether an error is due to the data, so that only this candidate fails; errors of the
 * caller or the machine end the contest. */
static bool is_candidates_own(crd_status status) {
  return status == CRD_EINPUT || status == CRD_ENUMERIC || status == CRD_EABSENT;
}

static void show_fit(crd_candidate *c, const crd__calibrator_fitted *fit) {
  c->certificate = &fit->certificate;
  c->learnt_count = fit->learnt.count;
  c->learnt = fit->learnt.items;
  for (size_t i = 0; i < c->learnt_count; i++)
    c->parameters += c->learnt[i].start[c->learnt[i].parts];
}

/* The metrics and parts of a profile to compute for every candidate, and the shifted sets. */
typedef struct {
  crd_evaluate_options evaluate;
  unsigned profile; /* parts; 0: none */
  const crd_contest_options *options;
} measure;

/* Adds the profile; temperatures for uncalibrated predictions only. */
static crd_status look_closer(crd_context *ctx, const crd_predictions *predictions,
                              const measure *what, bool same, crd__evaluate_result *result) {
  const unsigned parts = what->profile & ~(same ? 0u : (unsigned)CRD_PROFILE_TEMPERATURES);
  const crd_profile_options options = { .size = sizeof options,
                                        .parts = parts,
                                        .bins = what->evaluate.bins,
                                        .resamples = result->shown.resamples };
  const crd_profile *profile;
  if (parts == 0) return CRD_OK;
  CRD_TRY(crd_profile_make(ctx, predictions, &options, &profile));
  result->shown.profile = profile;
  return crd__arena_keep(ctx, result, profile, crd__arena_free);
}

static crd_status find_operating(crd_context *ctx, const crd__contest_rounds *rounds,
                                 const crd__contest_trial *trial, const crd_predictions *judged,
                                 const measure *what, crd__evaluate_result *result) {
  const crd_operating_table *table;
  if (!what->options->operating) return CRD_OK;
  CRD_TRY(crd__contest_operating(ctx, rounds, trial, judged, what->options->operating, &table));
  result->shown.operating = table;
  return crd__arena_keep(ctx, result, table, crd__arena_free);
}

/* Gathers the evidence of a candidate, on a view of its test rows: metrics of refinement
 * recalibrate them, and identity's belong to the caller. Rows are numbered without those that were
 * left out for their labels, which calibrated rows do not have. */
static crd_status gather(crd_context *ctx, const crd_predictions *judged, const measure *what,
                         crd_evidence **out) {
  crd_predictions *own;
  CRD_TRY(crd_predictions_view(ctx, judged, &own));
  own->numbered = false;
  crd_status status = CRD_OK;
  if (crd_metrics_recalibrated(what->evaluate.metrics))
    status = crd_predictions_recalibrate(ctx, own, NULL);
  if (status == CRD_OK) status = crd_evidence_gather(ctx, own, &what->evaluate, 0, out);
  crd_predictions_destroy(own);
  return status;
}

/* Gives what a candidate's fit made to the contest, which shows it. */
static crd_status keep_fit(crd_context *ctx, crd__contest *t, size_t index,
                           const crd__contest_trial *trial) {
  t->gives_zero[index] = trial->gives_zero;
  t->external[index] = trial->external;
  const crd_status status = crd__arena_keep(ctx, t, &t->external[index].learnt, clear_learnt);
  CRD_TRY(crd__arena_keep(ctx, t, trial->calibrator, destroy_calibrator));
  t->items[index].calibrator = trial->calibrator;
  return status;
}

static crd_status enter(crd_context *ctx, const crd__contest_rounds *rounds,
                        const crd__contest_contestant *who, const measure *what, crd__contest *t,
                        size_t index) {
  crd_candidate *const c = &t->items[index];
  crd__contest_trial trial;
  crd__evaluate_result *result = NULL;
  const double start = now();
  crd_status status = crd__contest_rounds_fit(ctx, rounds, who, &trial);
  c->seconds = now() - start;
  c->method = who->external ? NULL : crd_method_find(who->method);
  const crd_status kept = keep_fit(ctx, t, index, &trial);
  if (kept != CRD_OK) status = kept;
  if (c->calibrator) show_fit(c, &c->calibrator->fit);
  else if (who->external && status == CRD_OK) {
    show_fit(c, &t->external[index]);
    c->parameters = trial.parameters;
  }
  /* Logits are more precise than probabilities near 0, so identity is evaluated on them. */
  const bool same = strcmp(who->method, "identity") == 0;
  const crd_predictions *const judged = same ? rounds->test : trial.calibrated;
  if (status == CRD_OK) status = gather(ctx, judged, what, &t->evidence[index]);
  if (status == CRD_OK) status = crd__contest_keep_evidence(ctx, t, t->evidence[index]);
  if (status == CRD_OK) status = crd__evaluate_judge(ctx, t->evidence[index], &result);
  if (status == CRD_OK) status = crd__arena_keep(ctx, t, result, crd__arena_free);
  if (status == CRD_OK) {
    c->result = &result->shown;
    crd__metric_evidence_free_resamples(t->evidence[index]); /* comparisons read the values */
  }
  /* Predictions that could be evaluated have a profile: failures here are not the candidate's. */
  crd_status looked = status == CRD_OK ? look_closer(ctx, judged, what, same, result) : CRD_OK;
  if (status == CRD_OK && looked == CRD_OK)
    looked = find_operating(ctx, rounds, &trial, judged, what, result);
  crd_predictions_destroy(trial.calibrated);
  if (looked != CRD_OK) return looked;
  if (!is_candidates_own(status)) return status;
  return crd__arena_text(ctx, t, crd_context_message(ctx), &c->failure);
}

/* ---- Comparisons. */

/* Returns the index of a method; the number of candidates if it is not one of them. */
static size_t place_of(const crd__contest *t, const char *method) {
  size_t i = 0;
  while (i < t->contest.count && strcmp(t->items[i].name, method) != 0) i++;
  return i;
}

static bool keeps_predictions(const crd_candidate *c) {
  if (!c->method) return false;
  return c->method->keeps_argmax || crd_calibrator_classes(c->calibrator) == 0 ||
         crd_calibrator_is_top(c->calibrator);
}

/* If neither method ever changes a prediction, accuracy cannot differ on any rows. */
static void settle_accuracy(crd__evaluate_comparison *comparison) {
  for (size_t i = 0; i < comparison->shown.count; i++) {
    crd_difference *const d = &comparison->items[i];
    if (strcmp(d->metric->name, "accuracy") != 0 || isnan(d->low) || d->value != 0) continue;
    d->low = d->high = 0;
    d->interval = "exact";
  }
}

crd_status crd__contest_compare(crd_context *ctx, const crd__contest *t,
                                crd_evidence *const *evidence, size_t index, size_t base,
                                const crd_comparison **out) {
  crd__evaluate_comparison *comparison = NULL;
  if (base == t->contest.count || base == index) return CRD_OK;
  if (!evidence[base] || !evidence[index]) return CRD_OK;
  CRD_TRY(crd__evaluate_compare(ctx, evidence[base], evidence[index], &comparison));
  CRD_TRY(crd__arena_keep(ctx, t, comparison, crd__arena_free));
  if (keeps_predictions(&t->items[base]) && keeps_predictions(&t->items[index]))
    settle_accuracy(comparison);
  *out = &comparison->shown;
  return CRD_OK;
}

void crd__contest_holm(const double *p, size_t count, double *out) {
  size_t there = 0;
  for (size_t i = 0; i < count; i++) {
    there += isnan(p[i]) ? 0 : 1;
    out[i] = isnan(p[i]) ? p[i] : 0;
  }
  for (size_t j = 0; j < count; j++) {
    size_t less = 0;
    for (size_t i = 0; i < count; i++) less += p[i] < p[j];
    const double bound = fmin(1, (double)(there - less) * p[j]);
    for (size_t i = 0; i < count; i++)
      if (p[i] >= p[j]) out[i] = fmax(out[i], bound);
  }
}

/* Returns p. If no resample changes the sign, the bootstrap shows only that p is below 2 /
 * resamples, too coarse to be multiplied by the number of methods: then p comes from a normal
 * distribution with the width of the interval. */
static double refine(const crd_difference *d, unsigned resamples) {
  const double deviation = (d->high - d->low) / (2 * 1.959963984540054);
  if (!(deviation > 0) || d->p > 2.5 / (resamples + 1.0)) return d->p;
  return fmin(d->p, crd__math_normal_p(d->value / deviation));
}

/* Corrects the p-values of one metric (Holm); `p` holds 2 count. */
static void correct(const crd_comparison *const *list, size_t count, size_t metric, double *p) {
  for (size_t i = 0; i < count; i++)
    p[i] = list[i] ? refine(&list[i]->items[metric], list[i]->resamples) : (double)NAN;
  crd__contest_holm(p, count, p + count);
  for (size_t i = 0; i < count; i++)
    if (list[i]) ((crd_difference *)unconst(list[i]->items))[metric].p = p[count + i];
}

crd_status crd__contest_correct(crd_context *ctx, const crd_comparison *const *list, size_t count) {
  size_t metrics = 0;
  double *p;
  for (size_t i = 0; i < count && metrics == 0; i++) metrics = list[i] ? list[i]->count : 0;
  CRD_TRY(crd__new(ctx, 2 * count, sizeof *p, "tests", &p));
  for (size_t m = 0; m < metrics; m++) correct(list, count, m, p);
  crd__free(&ctx->alloc, p);
  return CRD_OK;
}

static crd_status compare_all(crd_context *ctx, crd__contest *t) {
  const size_t temperature = place_of(t, "temperature"), count = t->contest.count;
  const crd_comparison **list;
  for (size_t i = 0; i < count; i++) {
    CRD_TRY(crd__contest_compare(ctx, t, t->evidence, i, 0, &t->items[i].against_identity));
    CRD_TRY(crd__contest_compare(ctx, t, t->evidence, i, temperature,
                                 &t->items[i].against_temperature));
  }
  CRD_TRY(crd__new(ctx, 2 * count, sizeof(const crd_comparison *), "tests", &list));
  for (size_t i = 0; i < count; i++) {
    list[i] = t->items[i].against_identity;
    list[count + i] = t->items[i].against_temperature;
  }
  crd_status status = crd__contest_correct(ctx, list, count);
  if (status == CRD_OK) status = crd__contest_correct(ctx, list + count, count);
  crd__free(&ctx->alloc, list);
  return status;
}

/* ---- The contest. */

/* The metrics that the verdict needs are always measured. */
static crd_status choose_metrics(crd_context *ctx, const crd_contest_options *options, bool pairs,
                                 crd__text *out) {
  crd__text_add(out, pairs ? "accuracy,ece,auroc,brier-top1" : "accuracy,ece,nll,auroc");
  crd__text_addf(out, ",%s",
                 options->metrics ? options->metrics
                 : pairs          ? "aece,aurc"
                                  : "aece,sce,brier,aurc");
  return crd__text_status(ctx, out);
}

static crd_status hold(crd_context *ctx, crd__contest *t, const crd__contest_rounds *rounds,
                       const crd__contest_contestant *who, size_t count, const measure *what) {
  CRD_TRY(crd__arena_add(ctx, t, count, sizeof *t->items, "candidates", &t->items));
  CRD_TRY(crd__arena_add(ctx, t, count, sizeof(crd_evidence *), "candidates", &t->evidence));
  CRD_TRY(crd__arena_add(ctx, t, count, sizeof *t->gives_zero, "candidates", &t->gives_zero));
  CRD_TRY(crd__arena_add(ctx, t, count, sizeof *t->external, "candidates", &t->external));
  CRD_TRY(crd__arena_add(ctx, t, count, sizeof *t->rejected, "candidates", &t->rejected));
  for (size_t i = 0; i < count; i++) {
    t->contest.count = i + 1;
    CRD_TRY(crd__arena_text(ctx, t, who[i].name, &t->items[i].name));
    CRD_TRY(enter(ctx, rounds, &who[i], what, t, i));
    CRD_TRY(crd__contest_shift_enter(ctx, t, i, what->options, &what->evaluate));
  }
  t->contest.candidates = t->items;
  if (!t->items[0].result) return crd__fail(ctx, CRD_EINPUT, "%s", t->items[0].failure);
  CRD_TRY(
      crd__contest_cluster_notes(ctx, rounds, t->evidence[0], crd__arena_allocator(t), &t->notes));
  CRD_TRY(compare_all(ctx, t));
  CRD_TRY(crd__contest_judge(ctx, t));
  return crd__contest_shift_judge(ctx, t);
}

/* Notes probabilities of exactly 0 in the calibration rows, and the value used in their place. */
static crd_status note_floor(crd_context *ctx, crd__contest *t) {
  const crd_calibrator *c = NULL;
  char value[CRD__NUMBER_SIZE], share[CRD__NUMBER_SIZE];
  for (size_t i = 0; i < t->contest.count && !c; i++)
    if (t->items[i].calibrator && t->items[i].certificate->values_floored)
      c = t->items[i].calibrator;
  if (!c) return CRD_OK;
  const double all = (double)c->rows * (double)(c->classes ? c->classes : 2);
  const crd__data_floor floor = crd__calibrator_floor(c);
  return crd__notes_add(
      ctx, crd__arena_allocator(t), &t->notes,
      "%s %% of the calibration probabilities are exactly 0, or below the floor, and are read as "
      "%s; store logits instead: rounding to 0 loses information",
      crd__number_brief(share, 100 * (double)c->fit.certificate.values_floored / all, 2),
      crd__number_brief(value, fmax(floor.first, floor.others), 3));
}

static crd_status describe(crd_context *ctx, crd__contest *t, const crd__contest_rounds *rounds) {
  CRD_TRY(
      crd__arena_text(ctx, t, crd_predictions_name(rounds->calibrate), &t->contest.calibrate_name));
  CRD_TRY(crd__arena_text(ctx, t, crd_predictions_name(rounds->test), &t->contest.test_name));
  t->contest.calibrate_rows = crd_predictions_rows(rounds->calibrate);
  t->contest.test_rows = crd_predictions_rows(rounds->test);
  t->contest.folds = rounds->folds;
  for (size_t i = 0; crd_predictions_note(rounds->test, i); i++)
    CRD_TRY(crd__notes_add(ctx, crd__arena_allocator(t), &t->notes, "%s",
                           crd_predictions_note(rounds->test, i)));
  return CRD_OK;
}

/* Creates one floor per set of calibration rows: the given floor, or one that the first fit
 * sets. */
static crd_status share_floors(crd_context *ctx, double given, crd__contest_rounds *rounds) {
  const size_t count = rounds->folds ? rounds->folds : 1;
  CRD_TRY(crd__new(ctx, count, sizeof *rounds->floors, "floors", &rounds->floors));
  for (size_t i = 0; given != 0 && i < count; i++)
    rounds->floors[i] = (crd__contest_round_floor){ true, { given, given } };
  return CRD_OK;
}

crd_status crd__contest_hold(crd_context *ctx, const crd__contest_rounds *rounds,
                             const crd_contest_options *options, const crd_contest **out) {
  crd__contest_contestant *who = NULL;
  crd__contest *t;
  crd__text metrics, left_out;
  size_t count = 0;
  *out = NULL;
  CRD_TRY(crd__arena_new(ctx, sizeof *t, "a contest", &t));
  crd__text_init(&metrics, &ctx->alloc);
  crd__text_init(&left_out, &ctx->alloc);
  const bool pairs = crd_predictions_classes(rounds->test) == 0;
  const crd__contest_fit_size size = { .classes = crd_predictions_classes(rounds->test),
                                       .rows = crd__contest_rounds_rows(rounds) };
  crd_status status = choose_metrics(ctx, options, pairs, &metrics);
  if (status == CRD_OK)
    status = crd__contest_contestants_read(ctx, options, &size, &left_out, &who, &count);
  if (status == CRD_OK && left_out.length)
    status = crd__notes_add(ctx, crd__arena_allocator(t), &t->notes, "%s", left_out.bytes);
  crd__text_clear(&left_out);
  if (status == CRD_OK) status = describe(ctx, t, rounds);
  if (status == CRD_OK) status = crd__contest_shift_open(ctx, t, rounds, options);
  crd__contest_rounds floored = *rounds;
  if (status == CRD_OK) status = share_floors(ctx, options->floor, &floored);
  const measure what = { .evaluate = { .size = sizeof(crd_evaluate_options),
                                       .metrics = metrics.bytes,
                                       .bins = options->bins,
                                       .resamples = options->resamples,
                                       .paired = 1 },
                         .profile = options->profile,
                         .options = options };
  if (status == CRD_OK) status = hold(ctx, t, &floored, who, count, &what);
  if (status == CRD_OK) status = note_floor(ctx, t);
  crd__free(&ctx->alloc, floored.floors);
  if (status == CRD_OK) {
    t->contest.resamples = t->items[0].result->resamples;
    t->contest.note_count = t->notes.count;
    t->contest.notes = (const char *const *)t->notes.items;
    *out = &t->contest;
  } else crd__arena_free(t);
  crd__contest_contestants_free(&ctx->alloc, who, count);
  crd__text_clear(&metrics);
  return status;
}
