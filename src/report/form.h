/* form.h -- the interface of an output form. */
#ifndef CRD_REPORT_FORM_H
#define CRD_REPORT_FORM_H

#include "base/text.h"
#include "credence/contest.h"
#include "credence/report.h"

/* The tables of calibratability (calibratability/sheet.h). */
typedef struct crd__report_calibratability crd__report_calibratability;
/* The table of learned epochs (learned.h). */
typedef struct crd__report_learned crd__report_learned;

/* Several models, which have the same metrics. */
typedef struct {
  const crd_named_result *items;
  size_t count;
} crd__report_models;

typedef struct {
  crd_report_form info;
  /* Writes a result. The text remembers failed appends, so there is no status. */
  void (*write)(const crd_result *result, const crd_report_options *options, crd__text *out);
  /* The same for a diagnosis; NULL for forms of tables. */
  void (*diagnose)(const crd_diagnosis *diagnosis, const crd_report_options *options,
                   crd__text *out);
  void (*models)(const crd__report_models *models, const crd_report_options *options,
                 crd__text *out);
  void (*contest)(const crd_contest *contest, const crd_report_options *options, crd__text *out);
  void (*series)(const crd_series_summary *series, const crd_report_options *options,
                 crd__text *out);
  void (*calibratability)(const crd__report_calibratability *sheet,
                          const crd_report_options *options, crd__text *out);
  void (*learned)(const crd__report_learned *sheet, const crd_report_options *options,
                  crd__text *out);
} crd__report_form;

#define FORM(name) extern const crd__report_form crd__report_form_##name;
#include "report/form/list.h"
#undef FORM

/* Diagnoses (diagnosis.c). */
void crd__report_diagnosis_text(const crd_diagnosis *diagnosis, const crd_report_options *options,
                                crd__text *out);
void crd__report_diagnosis_json(const crd_diagnosis *diagnosis, const crd_report_options *options,
                                crd__text *out);

/* Several models (grid/models.c). */
void crd__report_models_text(const crd__report_models *models, const crd_report_options *options,
                             crd__text *out);
void crd__report_models_json(const crd__report_models *models, const crd_report_options *options,
                             crd__text *out);
void crd__report_models_csv(const crd__report_models *models, const crd_report_options *options,
                            crd__text *out);
void crd__report_models_markdown(const crd__report_models *models,
                                 const crd_report_options *options, crd__text *out);
void crd__report_models_latex(const crd__report_models *models, const crd_report_options *options,
                              crd__text *out);

/* Contests (contest_text.c, contest_json.c, contest_table.c). */
void crd__report_contest_text(const crd_contest *contest, const crd_report_options *options,
                              crd__text *out);
void crd__report_contest_json(const crd_contest *contest, const crd_report_options *options,
                              crd__text *out);
void crd__report_contest_csv(const crd_contest *contest, const crd_report_options *options,
                             crd__text *out);
void crd__report_contest_markdown(const crd_contest *contest, const crd_report_options *options,
                                  crd__text *out);
void crd__report_contest_latex(const crd_contest *contest, const crd_report_options *options,
                               crd__text *out);

/* Calibratability (calibratability/text.c, calibratability/json.c, calibratability/table.c). */
void crd__report_calibratability_text(const crd__report_calibratability *sheet,
                                      const crd_report_options *options, crd__text *out);
void crd__report_calibratability_json(const crd__report_calibratability *sheet,
                                      const crd_report_options *options, crd__text *out);
void crd__report_calibratability_csv(const crd__report_calibratability *sheet,
                                     const crd_report_options *options, crd__text *out);
void crd__report_calibratability_markdown(const crd__report_calibratability *sheet,
                                          const crd_report_options *options, crd__text *out);
void crd__report_calibratability_latex(const crd__report_calibratability *sheet,
                                       const crd_report_options *options, crd__text *out);

/* Learned epochs (learned.c). */
void crd__report_learned_text(const crd__report_learned *sheet, const crd_report_options *options,
                              crd__text *out);
void crd__report_learned_json(const crd__report_learned *sheet, const crd_report_options *options,
                              crd__text *out);
void crd__report_learned_csv(const crd__report_learned *sheet, const crd_report_options *options,
                             crd__text *out);
void crd__report_learned_markdown(const crd__report_learned *sheet,
                                  const crd_report_options *options, crd__text *out);
void crd__report_learned_latex(const crd__report_learned *sheet, const crd_report_options *options,
                               crd__text *out);

/* Series (series_text.c, series_json.c, series_table.c). */
void crd__report_series_text(const crd_series_summary *series, const crd_report_options *options,
                             crd__text *out);
void crd__report_series_json(const crd_series_summary *series, const crd_report_options *options,
                             crd__text *out);
void crd__report_series_csv(const crd_series_summary *series, const crd_report_options *options,
                            crd__text *out);
void crd__report_series_markdown(const crd_series_summary *series,
                                 const crd_report_options *options, crd__text *out);
void crd__report_series_latex(const crd_series_summary *series, const crd_report_options *options,
                              crd__text *out);

/* Writes all of the text to the output and clears it, also after a failed append, which it reports.
 */
crd_status crd__report_deliver(crd_context *ctx, crd__text *text, crd_output *output);

/* The heading: the name of the data on its own line, if any, then "8 rows, 3 classes, logits". */
typedef struct {
  size_t rows, classes;
  crd_input input;
} crd__report_shown;
void crd__report_heading_add_name(crd__text *out, const crd_report_options *options,
                                  const char *name);
void crd__report_heading_add(crd__text *out, const crd_report_options *options, const char *name,
                             const crd__report_shown *shown);

/* Returns a metric of a result; NULL if it was not evaluated or is not finite, or without a result.
 */
const crd_metric_value *crd__report_finite_value(const crd_result *result, const char *metric);
/* Returns whether the probability of class 1 is judged, not that of the predicted class. */
bool crd__report_judges_class_1(const crd_result *result);

/* The first line of LaTeX: the package that its tables need. */
#define CRD__LATEX_NEEDS "% \\usepackage{booktabs}\n"

/* Append text, escaped for the form (form/latex.c, form/markdown.c). */
void crd__report_latex_add(crd__text *out, const char *string);
void crd__report_markdown_add(crd__text *out, const char *string);
/* Appends a comma and a number as a field of a CSV line; the field is empty unless it is finite. */
void crd__report_csv_number(crd__text *out, double value);

/* Returns whether any metric has a p-value. */
bool crd__report_has_p(const crd_result *result);

/* "lower", "higher" or "": which values of a metric are better. */
const char *crd__report_direction_word(crd_direction direction);

#endif
