/*
 * verdict.c -- which method to recommend.
 *
 * Methods are compared by a proper score (NLL; for pairs the Brier score of the confidence), which
 * measures calibration and refinement together. Among the methods that are not significantly worse
 * than the best score, the one with the fewest parameters is chosen. So identity wins if nothing
 * helps, and temperature scaling if more parameters do not help more.
 *
 * On few rows a difference of NLL can be large but not significant, since one row whose true class
 * had probability 0 adds hundreds: "not significantly worse" alone would recommend such a method.
 * So rules come first. They reject methods that failed or did not converge; that are worse than
 * identity in the score; that give probabilities of exactly 0, even if no test row shows it; that
 * lose accuracy or AUROC; and whose score is far above the lowest. Only the last rule applies to
 * identity.
 */
#include "base/memory.h"
#include "contest/contest.h"

#include <math.h>
#include <string.h>

/* Losses that reject a method, if they are significant. */
static const double accuracy_loss = 0.005, auroc_loss = 0.01;

/* The largest acceptable score: factor * lowest + offset. A Kullback-Leibler divergence of d nats
 * allows a squared difference of d / 2 between two probabilities (Pinsker). */
typedef struct {
  const char *metric, *name;
  double factor, offset;
} judge;
static const judge judges[] = { { "nll", "NLL", 1.05, 0.01 },
                                { "brier-top1", "Brier score", 1.05, 0.005 } };

static const judge *judge_of(const char *score) {
  return &judges[strcmp(score, judges[0].metric) == 0 ? 0 : 1];
}

const char *crd__contest_score_name(const char *score) { return judge_of(score)->name; }

static double limit_of(const char *score, double lowest) {
  return judge_of(score)->factor * lowest + judge_of(score)->offset;
}

/* ---- Candidates. */

double crd__contest_candidate_number(const crd_candidate *candidate, const char *metric) {
  const crd_metric_value *const v = crd_result_value(candidate->result, metric);
  return v ? v->value : (double)NAN;
}

static const crd_difference *difference_of(const crd_comparison *c, const char *metric) {
  for (size_t i = 0; c && i < c->count; i++)
    if (strcmp(c->items[i].metric->name, metric) == 0) return &c->items[i];
  return NULL;
}

/* Returns a candidate's loss against identity if it is significant and above `allowed`, else 0. */
static double loss(const crd_candidate *c, const char *metric, double allowed) {
  const crd_difference *const d = difference_of(c->against_identity, metric);
  if (!d || !(d->value < -allowed) || d->high >= 0) return 0;
  return -d->value;
}

static bool took_part(const crd_candidate *c) { return c->result && c->certificate->converged; }

/* ---- Rules. Each appends its objection to a candidate, as a verb phrase, or nothing. */

typedef struct {
  const crd__contest *contest;
  const char *score;
  double limit; /* infinite while unknown */
  size_t index;
} scrutiny;

static const crd_candidate *one(const scrutiny *s) { return &s->contest->items[s->index]; }

static void failed(const scrutiny *s, crd__text *out) {
  if (one(s)->failure) crd__text_add(out, "failed");
}

static void not_converged(const scrutiny *s, crd__text *out) {
  if (!one(s)->failure && !took_part(one(s))) crd__text_add(out, "did not converge");
}

static void worse_than_identity(const scrutiny *s, crd__text *out) {
  const double mine = crd__contest_candidate_number(one(s), s->score);
  const double before = crd__contest_candidate_number(s->contest->items, s->score);
  if (!one(s)->result || mine <= before) return;
  crd__text_addf(out, "is worse than identity in %s (", crd__contest_score_name(s->score));
  crd__contest_verdict_number(out, mine);
  crd__text_add(out, " against ");
  crd__contest_verdict_number(out, before);
  crd__text_add(out, ")");
}

static void gives_zero(const scrutiny *s, crd__text *out) {
  if (s->index > 0 && one(s)->result && s->contest->gives_zero[s->index])
    crd__text_add(out, one(s)->result->classes ? "gives probabilities of exactly 0"
                                               : "gives confidences of exactly 0 or 1");
}

static void far_from_best(const scrutiny *s, crd__text *out) {
  const judge *const j = judge_of(s->score);
  const double mine = crd__contest_candidate_number(one(s), s->score);
  const double before = crd__contest_candidate_number(s->contest->items, s->score);
  if (!(mine > s->limit) || mine > before) return; /* worse than identity: another rule */
  crd__text_addf(out, "is too far from the best %s (", j->name);
  crd__contest_verdict_number(out, mine);
  crd__text_add(out, ", above ");
  crd__contest_verdict_number(out, j->factor);
  crd__text_add(out, " x the best + ");
  crd__contest_verdict_number(out, j->offset);
  crd__text_add(out, " = ");
  crd__contest_verdict_number(out, s->limit);
  crd__text_add(out, ")");
}

static void add_loss(crd__text *out, double points, const char *name) {
  if (points == 0) return;
  crd__text_add(out, "loses ");
  crd__contest_verdict_number(out, 100 * points);
  crd__text_addf(out, " points of %s", name);
}

static void gives_up_accuracy(const scrutiny *s, crd__text *out) {
  add_loss(out, loss(one(s), "accuracy", accuracy_loss), "accuracy");
}

static void gives_up_auroc(const scrutiny *s, crd__text *out) {
  add_loss(out, loss(one(s), "auroc", auroc_loss), "AUROC");
}

static void (*const rules[])(const scrutiny *, crd__text *) = {
  failed,         not_converged, worse_than_identity, gives_up_accuracy,
  gives_up_auroc, gives_zero,    far_from_best,
};

/* Appends all objections to a candidate, joined by "and"; nothing if there are none. */
static void object(const scrutiny *s, crd__text *out) {
  for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
    const size_t before = out->length;
    if (before) crd__text_add(out, " and ");
    const size_t joined = out->length;
    rules[r](s, out);
    if (out->length > joined || out->failed || !before) continue;
    out->length = before; /* the rule added nothing: remove the "and" */
    out->bytes[before] = '\0';
  }
}

static crd_status is_rejected(crd_context *ctx, const scrutiny *s, bool *out) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  object(s, &text);
  const crd_status status = crd__text_status(ctx, &text);
  *out = text.length > 0;
  crd__text_clear(&text);
  return status;
}

/* ---- Choosing. */

/* Returns the candidate with the lowest value of all that converged. */
static size_t lowest(const crd__contest *t, const char *metric) {
  size_t best = 0;
  for (size_t i = 1; i < t->contest.count; i++)
    if (took_part(&t->items[i]) && crd__contest_candidate_number(&t->items[i], metric) <
                                       crd__contest_candidate_number(&t->items[best], metric))
      best = i;
  return best;
}

/* Finds the best candidate that no rule other than the limit rejects, then the limit: from the
 * lowest score of all or, if that would reject the best, from the best. */
static crd_status find_best(crd_context *ctx, const crd__contest *t, crd__contest_choice *c) {
  double least = crd__contest_candidate_number(t->items, c->score);
  c->best = 0;
  for (size_t i = 1; i < t->contest.count; i++) {
    const double mine = crd__contest_candidate_number(&t->items[i], c->score);
    bool rejected;
    CRD_TRY(is_rejected(ctx, &(scrutiny){ t, c->score, (double)INFINITY, i }, &rejected));
    if (rejected || !(mine < least)) continue;
    least = mine;
    c->best = i;
  }
  c->limit =
      limit_of(c->score, crd__contest_candidate_number(&t->items[c->lowest_score], c->score));
  if (least > c->limit) c->limit = limit_of(c->score, least);
  return CRD_OK;
}

const char *crd__contest_rejection_of(const crd__contest *t, size_t candidate) {
  for (size_t i = 0; i < t->contest.rejected_count; i++)
    if (t->rejected[i].candidate == &t->items[candidate]) return t->rejected[i].reason;
  return NULL;
}

static crd_status reject(crd_context *ctx, crd__contest *t, const crd__contest_choice *c) {
  for (size_t i = 0; i < t->contest.count; i++) {
    crd__text text;
    crd__text_init(&text, crd__arena_allocator(t));
    object(&(scrutiny){ t, c->score, c->limit, i }, &text);
    CRD_TRY(crd__text_status(ctx, &text));
    if (text.length)
      t->rejected[t->contest.rejected_count++] = (crd_rejection){ &t->items[i], text.bytes };
  }
  t->contest.rejected = t->rejected;
  return CRD_OK;
}

/* Fewer parameters; with equally many, the better score. */
static bool simpler(const crd_candidate *a, const crd_candidate *b, const char *score) {
  if (a->parameters != b->parameters) return a->parameters < b->parameters;
  return crd__contest_candidate_number(a, score) < crd__contest_candidate_number(b, score);
}

/* Sets *out to whether a candidate's score is not significantly worse than the best. */
static crd_status is_as_good(crd_context *ctx, const crd__contest *t, const crd__contest_choice *c,
                             size_t index, bool *out) {
  const crd_comparison *comparison = NULL;
  CRD_TRY(crd_evidence_compare(ctx, t->evidence[c->best], t->evidence[index], &comparison));
  const crd_difference *const d = difference_of(comparison, c->score);
  *out = d && (isnan(d->low) ? d->value <= 0 : d->low <= 0);
  crd_comparison_destroy(comparison);
  return CRD_OK;
}

static crd_status choose(crd_context *ctx, const crd__contest *t, crd__contest_choice *c) {
  c->chosen = c->best;
  for (size_t i = 0; i < t->contest.count; i++) {
    bool as_good = false;
    if (crd__contest_rejection_of(t, i) || !simpler(&t->items[i], &t->items[c->chosen], c->score))
      continue;
    CRD_TRY(is_as_good(ctx, t, c, i, &as_good));
    if (as_good) c->chosen = i;
  }
  return CRD_OK;
}

crd_status crd__contest_judge(crd_context *ctx, crd__contest *t) {
  const bool pairs = !isfinite(crd__contest_candidate_number(t->items, judges[0].metric));
  crd__contest_choice c = { .score = judges[pairs].metric };
  crd__text text;
  t->contest.rejected_count = 0;
  c.lowest_score = lowest(t, c.score);
  c.lowest_ece = lowest(t, "ece");
  CRD_TRY(find_best(ctx, t, &c));
  CRD_TRY(reject(ctx, t, &c));
  CRD_TRY(choose(ctx, t, &c));
  crd__text_init(&text, crd__arena_allocator(t));
  crd__contest_verdict_say(t, &c, &text);
  t->contest.verdict = text.bytes;
  t->contest.score = c.score;
  t->contest.best = &t->items[c.best];
  t->contest.chosen = &t->items[c.chosen];
  return crd__text_status(ctx, &text);
}
