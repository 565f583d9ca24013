/* credence/report.h -- draw a result or a diagnosis: text, JSON, CSV, Markdown, LaTeX. */
#ifndef CREDENCE_REPORT_H
#define CREDENCE_REPORT_H

#include "credence/contest.h"
#include "credence/doctor.h"
#include "credence/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *name;    /* "json" */
  const char *summary; /* one line, for help */
} crd_report_form;

CRD_API size_t crd_report_count(void);
/** NULL past the end. */
CRD_API const crd_report_form *crd_report_at(size_t index);

typedef struct {
  int colour; /* non-zero: ANSI colours (text only) */
  int ascii;  /* non-zero: no characters beyond ASCII (text only) */
} crd_report_options;

/** Write a result in the named form; the same result gives the same bytes. */
CRD_API CRD_CHECK crd_status crd_report_write(crd_context *ctx, const crd_result *result,
                                              const char *form, const crd_report_options *options,
                                              crd_output *output);

/** Write a contest. */
CRD_API CRD_CHECK crd_status crd_contest_write(crd_context *ctx, const crd_contest *contest,
                                               const char *form, const crd_report_options *options,
                                               crd_output *output);

/** Write a diagnosis; the forms are text and json. */
CRD_API CRD_CHECK crd_status crd_diagnosis_write(crd_context *ctx, const crd_diagnosis *diagnosis,
                                                 const char *form,
                                                 const crd_report_options *options,
                                                 crd_output *output);

#ifdef __cplusplus
}
#endif
#endif
