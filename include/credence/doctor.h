/* credence/doctor.h -- what is wrong with predictions, or with their calibration, in words. */
#ifndef CREDENCE_DOCTOR_H
#define CREDENCE_DOCTOR_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The worst first. A problem makes numbers wrong; a warning is worth acting on. */
#define CRD_SEVERITY_LIST(X)                                                                       \
  X(PROBLEM, "problem")                                                                            \
  X(WARNING, "warning")                                                                            \
  X(NOTE, "note")                                                                                  \
  X(FINE, "fine")

typedef enum {
#define X(name, text) CRD_##name,
  CRD_SEVERITY_LIST(X)
#undef X
} crd_severity;

/** "problem", "warning", "note" or "fine"; lives for ever. */
CRD_API const char *crd_severity_name(crd_severity severity);

/* What a program could do about a finding: a word, and what it means. */
#define CRD_REMEDY_LIST(X)                                                                         \
  X("input-logits", "open them as logits")                                                         \
  X("input-probabilities", "open them as probabilities")                                           \
  X("divide-by-100", "divide all scores by 100")                                                   \
  X("divide-by-sum", "divide each row of scores by its sum")                                       \
  X("subtract-1", "subtract 1 from every label")                                                   \
  X("calibrate", "fit a calibrator")                                                               \
  X("judge-class-1", "judge the scores of class 1, not of the predicted class")

/* What is looked for. This table also drives the program, its help and the tests. */
typedef struct {
  const char *name;    /* "duplicated-rows" */
  const char *summary; /* one line, for lists */
  int cheap;           /* non-zero: crd_diagnose_quickly looks for it too */
} crd_finding_info;

CRD_API size_t crd_finding_count(void);
/** NULL past the end. */
CRD_API const crd_finding_info *crd_finding_at(size_t index);

typedef struct {
  const crd_finding_info *info;
  crd_severity severity;
  const char *found;  /* what there is, with its numbers, rows and classes */
  const char *advice; /* what to do about it; "" when there is nothing to do */
  const char *remedy; /* the same for programs, one of CRD_REMEDY_LIST; NULL: none of these */
} crd_finding;

/** A command that a user can paste, and what it does. */
typedef struct {
  const char *line, *meaning;
} crd_suggestion;

/** A plain table: findings in the order of their severity, then of the list. */
typedef struct {
  const char *name; /* of the predictions */
  size_t rows, classes;
  crd_input input;     /* as they were examined */
  const char *verdict; /* all in one sentence */
  size_t finding_count;
  const crd_finding *findings;
  /* To be told along; borrowed, none unless the caller has some. */
  size_t suggestion_count;
  const crd_suggestion *suggestions;
} crd_diagnosis;

/**
 * Examine predictions: bad rows are counted and named, they do not end the examination. Opened with
 * `unchecked`, even scores that are not what they are declared to be can be examined.
 */
CRD_API CRD_CHECK crd_status crd_diagnose(crd_context *ctx, const crd_predictions *predictions,
                                          crd_diagnosis **out);
/**
 * Only what makes other numbers wrong and shows in a sample of the rows (labels that count from 1,
 * rows out of order, percentages): usually no finding at all, for the price of some 2000 rows. What
 * the sample raises is looked at in all rows before it is said.
 */
CRD_API CRD_CHECK crd_status crd_diagnose_quickly(crd_context *ctx,
                                                  const crd_predictions *predictions,
                                                  crd_diagnosis **out);
/** Release it. NULL is allowed. */
CRD_API void crd_diagnosis_destroy(crd_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
