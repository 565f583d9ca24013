/* credence/report.h -- write results, contests, series, diagnoses, figures and pages; read stored
 * results and records of training. */
#ifndef CREDENCE_REPORT_H
#define CREDENCE_REPORT_H

#include "credence/calibratability.h"
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

/* A form of reports. */
typedef struct {
  const char *name;    /* "json" */
  const char *summary; /* one line, for help */
} crd_report_form;

/** Returns the number of forms. */
CRD_API size_t crd_report_count(void);
/** Returns the form at an index, or NULL past the end. */
CRD_API const crd_report_form *crd_report_at(size_t index);

/** How results were computed, for reproducing them. */
typedef struct {
  const char *command; /* as typed, quoted for a shell; NULL: unknown */
  const char *version; /* of the library */
  const char *build;   /* crd_build(); NULL: unknown */
  uint64_t seed;
  size_t source_count;
  const crd_source *sources;
} crd_provenance;

typedef struct {
  size_t size; /* sizeof(crd_report_options) */
  int colour;  /* non-zero: ANSI colours (text only) */
  int ascii;   /* non-zero: ASCII only (text only) */
  /* Added to the report (JSON only); NULL: none. */
  const crd_diagnosis *diagnosis;
  const crd_provenance *provenance;
  /* Of text, Markdown and LaTeX; JSON and CSV have all digits. */
  unsigned digits; /* significant digits of values, 1 .. 9; in a column those of its largest value.
                      0: four, or in tables of several models or methods four decimals */
  int percent;     /* non-zero: metrics between 0 and 1 in per cent */
  int classes;     /* non-zero: also the classes of a result's profile, if it has one */
  int quiet;       /* non-zero: without notes (text only) */
  /* Added to a diagnosis (text and JSON); NULL: none. */
  const crd_suggestion *suggestions;
  size_t suggestion_count;
} crd_report_options;

/** Writes a result in the named form; equal results give equal bytes. `options` NULL: defaults.
 * CRD_EUSAGE for an unknown form or more than 9 digits, CRD_ESYSTEM if writing fails. */
CRD_API CRD_NODISCARD crd_status crd_report_write(crd_context *ctx, const crd_result *result,
                                                  const char *form,
                                                  const crd_report_options *options,
                                                  crd_output *output);

/** One model of a table of several; its result is borrowed. */
typedef struct {
  const char *name; /* of the model: "ResNet-110" */
  const crd_result *result;
  /* For each metric of the result, p of the paired difference from the model with the best value
   * (crd_evidence_rank); NaN: none. NULL: not tested. */
  const double *p;
  /* Added to the report (JSON only); NULL: none. */
  const crd_diagnosis *diagnosis;
  const crd_provenance *provenance;
} crd_named_result;

/** Writes a table of several models, one line each, like crd_report_write. The best value of every
 * column is bold and the second underlined in Markdown and LaTeX. CRD_EUSAGE without models, and
 * unless all have the same metrics. */
CRD_API CRD_NODISCARD crd_status crd_results_write(crd_context *ctx, const crd_named_result *models,
                                                   size_t count, const char *form,
                                                   const crd_report_options *options,
                                                   crd_output *output);

/** Writes a contest, like crd_report_write. */
CRD_API CRD_NODISCARD crd_status crd_contest_write(crd_context *ctx, const crd_contest *contest,
                                                   const char *form,
                                                   const crd_report_options *options,
                                                   crd_output *output);

/** Writes a series of contests, like crd_report_write. CRD_EUSAGE for a series without runs. */
CRD_API CRD_NODISCARD crd_status crd_series_write(crd_context *ctx,
                                                  const crd_series_summary *series,
                                                  const char *form,
                                                  const crd_report_options *options,
                                                  crd_output *output);

/** Writes calibratability, like crd_report_write. */
CRD_API CRD_NODISCARD crd_status crd_calibratability_write(crd_context *ctx,
                                                           const crd_calibratability *results,
                                                           const char *form,
                                                           const crd_report_options *options,
                                                           crd_output *output);

/** Writes learned epochs, like crd_report_write. */
CRD_API CRD_NODISCARD crd_status crd_learned_write(crd_context *ctx, const crd_learned *results,
                                                   const char *form,
                                                   const crd_report_options *options,
                                                   crd_output *output);

/** Writes a diagnosis, like crd_report_write; the forms are text and json. */
CRD_API CRD_NODISCARD crd_status crd_diagnosis_write(crd_context *ctx,
                                                     const crd_diagnosis *diagnosis,
                                                     const char *form,
                                                     const crd_report_options *options,
                                                     crd_output *output);

/* ---- Runs: records of training, m.run.json beside m.onnx. */

/** A value that a run has for every epoch. */
typedef struct {
  const char *name;     /* "loss", "loss.dca", "rate", "validation.ece" */
  const char *data;     /* before the dot: "validation", "loss" for its terms; NULL: no dot */
  const char *measure;  /* the rest of the name: "ece" */
  const double *values; /* one per epoch; NaN: it does not exist */
} crd_run_column;

/** A setting as text: "loss" and "ce + 5*dca". */
typedef struct {
  const char *name, *value;
} crd_run_setting;

/**
 * The record of a training run.
 *
 *   life      load -> destroy
 *   owns      all that it points to
 */
typedef struct {
  const char *name;     /* the file of the trained model; NULL: unknown */
  const char *network;  /* "lenet5", or the file of the model that was trained further */
  size_t rows, classes; /* of the training data */
  size_t epochs;        /* at least 1 */
  size_t kept;          /* the epoch whose model is kept, from 1 */
  int best;             /* non-zero: it was chosen by the setting `best`; 0: it is the last one */
  size_t setting_count;
  const crd_run_setting *settings;
  size_t column_count;
  const crd_run_column *columns;
} crd_run;

/** Reads the record of a run. CRD_EINPUT names the position of the first error. */
CRD_API CRD_NODISCARD crd_status crd_run_load(crd_context *ctx, const char *path,
                                              const crd_run **out);
/** Destroys a run; NULL is allowed. */
CRD_API void crd_run_destroy(const crd_run *run);
/** Returns the column of this name, or NULL. */
CRD_API const crd_run_column *crd_run_column_find(const crd_run *run, const char *name);
/** Returns the value of this setting, or NULL. */
CRD_API const char *crd_run_setting_value(const crd_run *run, const char *name);

/* ---- Figures: SVG for light and dark background, with title and description for screen readers.
 */

typedef enum {
  CRD_FIGURE_OF_RESULT,
  CRD_FIGURE_OF_CONTEST,
  CRD_FIGURE_OF_PROFILE, /* a result with a profile */
  CRD_FIGURE_OF_CALIBRATOR,
  CRD_FIGURE_OF_EMBEDDING,
  CRD_FIGURE_OF_RUN,
  CRD_FIGURE_OF_PERTURBATION,
  CRD_FIGURE_OF_SHIFT,           /* a result with shifted sets */
  CRD_FIGURE_OF_SHIFTED_CONTEST, /* a contest with some */
  CRD_FIGURE_OF_CALIBRATABILITY,
  CRD_FIGURE_OF_LEARNED
} crd_figure_source;

typedef struct {
  const char *name;    /* "reliability" */
  const char *summary; /* one line, for lists */
  crd_figure_source source;
  const char *metrics; /* metrics that the source must have */
  unsigned profile;    /* CRD_PROFILE_* parts that the source must have */
} crd_figure_info;

/** Returns the number of figures. */
CRD_API size_t crd_figure_count(void);
/** Returns the figure at an index, or NULL past the end. */
CRD_API const crd_figure_info *crd_figure_at(size_t index);
/** Returns the figure of this name, or NULL. */
CRD_API const crd_figure_info *crd_figure_find(const char *name);

/** A perturbation of all inputs of a network, borrowed; crd_clamp_summary has these numbers. */
typedef struct {
  const char *name; /* of its file; NULL: unknown */
  size_t rank;      /* of one sample */
  int64_t dims[CRD_RANK_MAX];
  const float *values;
  double temperature; /* that the logits are divided by */
} crd_perturbation;

/** The data of a figure; the member that is its source must not be NULL. */
typedef struct {
  size_t size; /* sizeof(crd_figure_data) */
  const crd_result *result;
  const crd_contest *contest;
  const crd_calibrator *calibrator;
  const crd_embedding *embedding;
  const crd_run *run;
  const crd_perturbation *perturbation;
  const crd_calibratability *calibratability;
  const crd_learned *learned;
} crd_figure_data;

/** All zero is the default. */
typedef struct {
  size_t size;       /* sizeof(crd_figure_options) */
  const char *title; /* NULL: the name of the predictions, of the method or of the model */
  const char *id;    /* prefix of every id in the figure, to be distinct if several figures are put
                        into one HTML page. NULL: the figure's name */
} crd_figure_options;

/** Writes a figure as SVG; equal data gives equal bytes. CRD_EUSAGE for an unknown figure, and if
 * `data` lacks its source, metrics or profile. */
CRD_API CRD_NODISCARD crd_status crd_figure_write(crd_context *ctx, const char *name,
                                                  const crd_figure_data *data,
                                                  const crd_figure_options *options,
                                                  crd_output *output);
/** Prints a figure as text for a terminal of 80 columns, like crd_figure_write. */
CRD_API CRD_NODISCARD crd_status crd_figure_print(crd_context *ctx, const char *name,
                                                  const crd_figure_data *data,
                                                  const crd_report_options *options,
                                                  crd_output *output);

/* ---- Pages: self-contained HTML files. */

/** One section of a page, about one run: a result or a contest; the other members may be NULL. */
typedef struct {
  const crd_result *result;         /* with its profile, comparison and groups, if any */
  const crd_contest *contest;       /* candidates' results likewise */
  const crd_series_summary *series; /* repeats of the contest, which is the first run */
  const crd_diagnosis *diagnosis;
  const crd_provenance *provenance;
} crd_page_part;

/** All zero is the default. */
typedef struct {
  size_t size;       /* sizeof(crd_page_options) */
  const char *title; /* NULL: the name of the predictions */
} crd_page_options;

/** Writes a page about one or more runs; equal parts give equal bytes. CRD_EUSAGE without parts. */
CRD_API CRD_NODISCARD crd_status crd_page_write(crd_context *ctx, const crd_page_part *parts,
                                                size_t count, const crd_page_options *options,
                                                crd_output *output);

/* ---- Stored results: reports of the form `json`. */

/**
 * A result or a contest that was read from a file.
 *
 *   life      load -> part -> destroy
 *   owns      all that its part points to
 */
typedef struct crd_stored crd_stored;

/** Reads a stored result. CRD_EINPUT names the position of the first error. Writing it as JSON
 * reproduces the file's bytes. */
CRD_API CRD_NODISCARD crd_status crd_stored_load(crd_context *ctx, const char *path,
                                                 crd_stored **out);
/** Reads a stored result from memory; `name` stands for the path in error messages. */
CRD_API CRD_NODISCARD crd_status crd_stored_load_memory(crd_context *ctx, const char *name,
                                                        const void *bytes, size_t length,
                                                        crd_stored **out);
/** Returns the result or contest; borrowed until destroy. */
CRD_API const crd_page_part *crd_stored_part(const crd_stored *stored);
/** Destroys a stored result; NULL is allowed. */
CRD_API void crd_stored_destroy(crd_stored *stored);

#ifdef __cplusplus
}
#endif
#endif
