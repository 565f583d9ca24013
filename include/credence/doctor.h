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

/* What is looked for. This table also drives the program, its help and the tests. */
typedef struct {
  const char *name;    /* "duplicated-rows" */
  const char *summary; /* one line, for lists */
} crd_finding_info;

CRD_API size_t crd_finding_count(void);
/** NULL past the end. */
CRD_API const crd_finding_info *crd_finding_at(size_t index);

typedef struct {
  const crd_finding_info *info;
  crd_severity severity;
  const char *found;  /* what there is, with its numbers, rows and classes */
  const char *advice; /* what to do about it; "" when there is nothing to do */
} crd_finding;

/** A plain table: findings in the order of their severity, then of the list. */
typedef struct {
  const char *name; /* of the predictions */
  size_t rows, classes;
  crd_input input;     /* as they were examined */
  const char *verdict; /* all in one sentence */
  size_t finding_count;
  const crd_finding *findings;
} crd_diagnosis;

/**
 * Examine predictions: bad rows are counted and named, they do not end the examination. Opened with
 * `unchecked`, even scores that are not what they are declared to be can be examined.
 */
CRD_API CRD_CHECK crd_status crd_diagnose(crd_context *ctx, const crd_predictions *predictions,
                                          crd_diagnosis **out);
/** Release it. NULL is allowed. */
CRD_API void crd_diagnosis_destroy(crd_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
