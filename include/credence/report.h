/* credence/report.h -- draw a result or a diagnosis: text, JSON, CSV, Markdown, LaTeX, figures. */
#ifndef CREDENCE_REPORT_H
#define CREDENCE_REPORT_H

#include "credence/calibrator.h"
#include "credence/contest.h"
#include "credence/convention.h"
#include "credence/doctor.h"
#include "credence/embedding.h"
#include "credence/evaluate.h"
#include "credence/profile.h"

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

/** How numbers came about, so that others can make them again. */
typedef struct {
  const char *command; /* as typed, quoted for a shell; NULL: not known */
  const char *version; /* of the library */
  const char *build;   /* crd_build(); NULL: not known */
  uint64_t seed;
  size_t source_count;
  const crd_source *sources;
} crd_provenance;

typedef struct {
  int colour; /* non-zero: ANSI colours (text only) */
  int ascii;  /* non-zero: no characters beyond ASCII (text only) */
  /* To be told along (JSON only); NULL: none. */
  const crd_diagnosis *diagnosis;
  const crd_provenance *provenance;
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

/* ---- Figures: SVG for light and dark paper, with a title and a description for readers. */

typedef enum {
  CRD_FIGURE_OF_RESULT,
  CRD_FIGURE_OF_CONTEST,
  CRD_FIGURE_OF_PROFILE, /* a result whose profile is there */
  CRD_FIGURE_OF_CALIBRATOR,
  CRD_FIGURE_OF_EMBEDDING
} crd_figure_source;

typedef struct {
  const char *name;    /* "reliability" */
  const char *summary; /* one line, for lists */
  crd_figure_source source;
  const char *metrics; /* what the source must have measured to draw all of it */
  unsigned profile;    /* the CRD_PROFILE_* parts that its profile must have */
} crd_figure_info;

CRD_API size_t crd_figure_count(void);
/** NULL past the end. */
CRD_API const crd_figure_info *crd_figure_at(size_t index);
/** NULL when there is none of that name. */
CRD_API const crd_figure_info *crd_figure_find(const char *name);

/** What a figure is drawn from; the one that it names as its source must be there. */
typedef struct {
  const crd_result *result;
  const crd_contest *contest;
  const crd_calibrator *calibrator;
  const crd_embedding *embedding;
} crd_figure_data;

/** All zero is the default. */
typedef struct {
  const char *title; /* NULL: the name of the predictions, or of the method that was fitted */
  const char *id;    /* begins every id in the figure; to be chosen where several figures stand in
                        one HTML page. NULL: the figure's name */
} crd_figure_options;

/** Write a figure; the same data gives the same bytes. */
CRD_API CRD_CHECK crd_status crd_figure_write(crd_context *ctx, const char *name,
                                              const crd_figure_data *data,
                                              const crd_figure_options *options,
                                              crd_output *output);
/** The same for a terminal of 80 columns. */
CRD_API CRD_CHECK crd_status crd_figure_print(crd_context *ctx, const char *name,
                                              const crd_figure_data *data,
                                              const crd_report_options *options,
                                              crd_output *output);

/* ---- Pages: one HTML file that needs nothing else, to be looked at, printed, handed on. */

/** What a page tells of one run; the first or the second is there, the others may be NULL. */
typedef struct {
  const crd_result *result;   /* with its profile, comparison, groups, where there are any */
  const crd_contest *contest; /* candidates' results likewise */
  const crd_diagnosis *diagnosis;
  const crd_provenance *provenance;
} crd_page_part;

/** All zero is the default. */
typedef struct {
  const char *title; /* NULL: the name of the predictions */
} crd_page_options;

/** Write a page about one or more runs; the same parts give the same bytes. */
CRD_API CRD_CHECK crd_status crd_page_write(crd_context *ctx, const crd_page_part *parts,
                                            size_t count, const crd_page_options *options,
                                            crd_output *output);

/* ---- Stored results: what the form `json` wrote, read again. */

/**
 * A result or a contest from a file.
 *
 *   life      load -> part -> destroy
 *   owns      everything that its part points to
 */
typedef struct crd_stored crd_stored;

/** Read it; EINPUT where the file is no such result, with the place. Writing it gives its bytes. */
CRD_API CRD_CHECK crd_status crd_stored_load(crd_context *ctx, const char *path, crd_stored **out);
CRD_API const crd_page_part *crd_stored_part(const crd_stored *stored);
/** Release it. NULL is allowed. */
CRD_API void crd_stored_destroy(crd_stored *stored);

#ifdef __cplusplus
}
#endif
#endif
