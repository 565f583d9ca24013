/* contest.h -- inside of a contest: the candidates, their evidence, and who owns what. */
#ifndef CRD_CONTEST_CONTEST_H
#define CRD_CONTEST_CONTEST_H

#include "base/text.h"
#include "credence/contest.h"
#include "data/predictions.h"

/* The table and everything it points to. */
typedef struct {
  crd_contest contest; /* first: it is destroyed through it */
  crd_allocator alloc;
  crd_candidate *items;    /* names, failures and what they point to are owned */
  crd_evidence **evidence; /* of each candidate on the test rows; NULL: it failed */
  bool *gives_zero;        /* of each candidate: exact zeros (calibrator/zero.h) */
  char *calibrate_name, *test_name, *verdict;
  crd_rejection *rejected; /* reasons are owned; room for all candidates */
  crd__notes notes;
} crd__contest;

/* Candidates from a list of names: identity first, each with its settings (contestants.c). */
typedef struct {
  char *name, *method, *settings; /* "platt(scope=top-1)", "platt", "scope=top-1" or NULL */
} crd__contest_contestant;

/* What they are fitted on. */
typedef struct {
  size_t classes, rows;
} crd__contest_fit_size;

/* Of the usual methods, or all, those with more parameters than rows are left out, with a note. */
crd_status crd__contest_contestants_read(crd_context *ctx, const char *list,
                                         const crd__contest_fit_size *size, crd__notes *notes,
                                         crd__contest_contestant **out, size_t *count);
void crd__contest_contestants_free(const crd_allocator *alloc, crd__contest_contestant *items,
                                   size_t count);

/* p values that hold together; NaN stays aside. The i-th smallest of n becomes the largest of
 * (n - j + 1) p_j over j <= i, at most 1 (Holm 1979). */
void crd__contest_holm(const double *p, size_t count, double *out);

/* ---- The verdict (verdict.c). */

/* Choose, and say why in words. */
crd_status crd__contest_judge(crd_context *ctx, crd__contest *t);

/* Who was chosen, and what the choice followed from; places among the candidates. */
typedef struct {
  const char *score; /* the metric that judges */
  size_t best;       /* score among those that are not rejected */
  size_t chosen;
  size_t lowest_score, lowest_ece; /* among all that converged */
  double limit;                    /* a score above it is too far from the best */
} crd__contest_choice;

/* NULL: the candidate has no such value. */
const crd_metric_value *crd__contest_candidate_value(const crd_candidate *candidate,
                                                     const char *metric);
double crd__contest_candidate_number(const crd_candidate *candidate, const char *metric);
/* Numbers that were learnt. */
size_t crd__contest_candidate_parameters(const crd_candidate *candidate);
/* Why a candidate is not recommended; NULL: nothing speaks against it. */
const char *crd__contest_rejection_of(const crd__contest *t, size_t candidate);
/* The sentences (verdict_text.c). */
void crd__contest_verdict_say(const crd__contest *t, const crd__contest_choice *choice,
                              crd__text *out);
/* How people call the score: "NLL". */
const char *crd__contest_score_name(const char *score);
void crd__contest_verdict_number(crd__text *out, double value);

#endif
