/* contest.h -- internals of a contest: candidates, their evidence, ownership, the verdict. */
#ifndef CRD_CONTEST_CONTEST_H
#define CRD_CONTEST_CONTEST_H

#include "base/arena.h"
#include "base/text.h"
#include "calibrator/method.h"
#include "credence/contest.h"
#include "data/predictions.h"

/* A contest in the making, in its arena, to which everything belongs that it points to. */
typedef struct {
  crd_contest contest;
  crd_candidate *items;
  crd_evidence **evidence; /* of each candidate on the test rows; NULL: it failed */
  bool *gives_zero;        /* whether each candidate gives exact zeros (calibrator/zero.h) */
  crd__calibrator_fitted *external; /* fits of external candidates; the others' are empty */
  crd_rejection *rejected;          /* capacity: all candidates */
  crd__notes notes;
  struct crd__contest_shifted *shifted; /* one per shifted set (shift.h) */
  crd_contest_shift *shift;             /* what is shown of them */
} crd__contest;

/* A candidate's name, method and settings (contestants.c). */
typedef struct {
  char *name, *method, *settings;      /* "platt(scope=top-1)", "platt", "scope=top-1" or NULL */
  const crd_external_method *external; /* NULL: a method of the table */
} crd__contest_contestant;

/* The size of the calibration data. */
typedef struct {
  size_t classes, rows;
} crd__contest_fit_size;

/* Parses the list of methods; identity comes first. NULL: the usual methods, "all": every method,
 * both without those that have more parameters than rows, which `note` lists (nothing is appended
 * if there are none), and with the standard entries of external methods. */
crd_status crd__contest_contestants_read(crd_context *ctx, const crd_contest_options *options,
                                         const crd__contest_fit_size *size, crd__text *note,
                                         crd__contest_contestant **out, size_t *count);
void crd__contest_contestants_free(const crd_allocator *alloc, crd__contest_contestant *items,
                                   size_t count);

/* Corrects p-values for multiple tests (Holm 1979), ignoring NaN: the i-th smallest of n becomes
 * the largest of (n - j + 1) p_j over j <= i, at most 1. */
void crd__contest_holm(const double *p, size_t count, double *out);

/* Gives evidence to a contest, which destroys it, also if this fails. */
crd_status crd__contest_keep_evidence(crd_context *ctx, const crd__contest *t,
                                      const crd_evidence *evidence);

/* ---- Comparisons (contest.c). */

/* Compares a candidate with candidate `base` by their evidence; *out stays NULL if either has none,
 * or if they are the same. */
crd_status crd__contest_compare(crd_context *ctx, const crd__contest *t,
                                crd_evidence *const *evidence, size_t index, size_t base,
                                const crd_comparison **out);
/* Corrects the p-values of every metric over comparisons of several candidates (NULL: none). */
crd_status crd__contest_correct(crd_context *ctx, const crd_comparison *const *list, size_t count);

/* ---- The verdict (verdict.c). */

/* Chooses a method, and writes the verdict. */
crd_status crd__contest_judge(crd_context *ctx, crd__contest *t);

/* The choice and its grounds, as indices of candidates. */
typedef struct {
  const char *score; /* the deciding metric */
  size_t best;       /* the best score of those not rejected */
  size_t chosen;
  size_t lowest_score, lowest_ece; /* of all that converged */
  double limit;                    /* scores above it are too far from the best */
} crd__contest_choice;

/* Returns the value of a candidate's metric; NaN if it has none. */
double crd__contest_candidate_number(const crd_candidate *candidate, const char *metric);
/* Returns why a candidate is rejected; NULL if it is not. */
const char *crd__contest_rejection_of(const crd__contest *t, size_t candidate);
/* Writes the verdict (verdict_text.c). */
void crd__contest_verdict_say(const crd__contest *t, const crd__contest_choice *choice,
                              crd__text *out);
/* Returns the display name of the score: "NLL". */
const char *crd__contest_score_name(const char *score);
void crd__contest_verdict_number(crd__text *out, double value);

#endif
