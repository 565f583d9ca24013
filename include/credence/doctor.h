/* credence/doctor.h -- diagnose faults of predictions and of their calibration. */
#ifndef CREDENCE_DOCTOR_H
#define CREDENCE_DOCTOR_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The worst first. A problem makes metrics wrong; a warning deserves action. */
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

/** Returns "problem", "warning", "note" or "fine"; a static string, NULL outside the
 * enum. */
CRD_API const char *crd_severity_name(crd_severity severity);

/* Remedies that a program could apply: a name, and its meaning. */
#define CRD_REMEDY_LIST(X)                                                                         \
  X("input-logits", "open them as logits")                                                         \
  X("input-probabilities", "open them as probabilities")                                           \
  X("divide-by-100", "divide all scores by 100")                                                   \
  X("divide-by-sum", "divide each row of scores by its sum")                                       \
  X("subtract-1", "subtract 1 from every label")                                                   \
  X("calibrate", "fit a calibrator")                                                               \
  X("judge-class-1", "judge the scores of class 1, not of the predicted class")

/* A kind of finding. The table of findings also generates help and reference page. */
typedef struct {
  const char *name;    /* "duplicated-rows" */
  const char *summary; /* one line, for lists */
  int cheap;           /* non-zero: crd_diagnose_quickly looks for it too */
} crd_finding_info;

/** Returns the number of kinds of findings. */
CRD_API size_t crd_finding_count(void);
/** Returns the kind at an index, or NULL past the end. */
CRD_API const crd_finding_info *crd_finding_at(size_t index);
/** Returns the kind of a name, or NULL. */
CRD_API const crd_finding_info *crd_finding_find(const char *name);

typedef struct {
  const crd_finding_info *info;
  crd_severity severity;
  const char *found;  /* the fault, with its numbers, rows and classes */
  const char *advice; /* what to do about it, or "" */
  const char *remedy; /* the same for programs, a name of CRD_REMEDY_LIST; NULL: none */
} crd_finding;

/** A command that the user can paste, and its purpose; crd_diagnosis_write shows them. */
typedef struct {
  const char *line, *meaning;
} crd_suggestion;

/** Findings ordered by severity, then as in the list of kinds. */
typedef struct {
  const char *name; /* of the predictions */
  size_t rows, classes;
  crd_input input;     /* the kind of scores, as examined */
  const char *verdict; /* one sentence */
  size_t finding_count;
  const crd_finding *findings;
} crd_diagnosis;

/**
 * Examines predictions. Invalid rows do not end the examination: they are counted and named. Opened
 * with `trusted`, even scores that are not of the declared kind can be examined.
 */
CRD_API CRD_NODISCARD crd_status crd_diagnose(crd_context *ctx, const crd_predictions *predictions,
                                              const crd_diagnosis **out);
/**
 * Looks in a sample of about 2000 rows for faults that make metrics wrong (labels that start at 1,
 * misaligned rows, percentages), and confirms suspicions on all rows. Usually there is no finding.
 */
CRD_API CRD_NODISCARD crd_status crd_diagnose_quickly(crd_context *ctx,
                                                      const crd_predictions *predictions,
                                                      const crd_diagnosis **out);
/** Destroys a diagnosis; NULL is allowed. */
CRD_API void crd_diagnosis_destroy(const crd_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
