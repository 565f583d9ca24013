/* shift.h -- the shifted sets of a contest. */
#ifndef CRD_CONTEST_SHIFT_H
#define CRD_CONTEST_SHIFT_H

#include "contest/cross.h"

/* One set. */
typedef struct crd__contest_shifted {
  crd_shifted_candidate *items; /* one per candidate */
  crd_evidence **evidence;      /* of each; NULL: it failed */
  size_t count;                 /* of both */
} crd__contest_shifted;

/* Checks the sets of the options, and describes them. EUSAGE with folds, EINPUT for sets without
 * rows or labels, or with other classes than the test rows. */
crd_status crd__contest_shift_open(crd_context *ctx, crd__contest *t,
                                   const crd__contest_rounds *rounds,
                                   const crd_contest_options *options);
/* Applies the calibrator of a candidate to every set, and evaluates it there. */
crd_status crd__contest_shift_enter(crd_context *ctx, crd__contest *t, size_t candidate,
                                    const crd_contest_options *options,
                                    const crd_evaluate_options *what);
/* Compares all candidates with the uncalibrated scores, and writes the verdicts. */
crd_status crd__contest_shift_judge(crd_context *ctx, crd__contest *t);

/* Writes the verdict on a set (shift_text.c). */
void crd__contest_shift_say(const crd__contest *t, const crd_contest_shift *set, crd__text *out);

#endif
