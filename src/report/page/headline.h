/* headline.h -- the top of a run for readers who do not know the metrics: what the numbers mean,
 * what to do, how sure that is. */
#ifndef CRD_REPORT_PAGE_HEADLINE_H
#define CRD_REPORT_PAGE_HEADLINE_H

#include "base/text.h"
#include "credence/report.h"

/* Whether the percentages of a model agree with its accuracy. */
typedef enum {
  CRD__HEADLINE_UNMEASURED, /* there are no bins, or no ECE */
  CRD__HEADLINE_TOO_FEW,    /* no gap beyond chance, but a large one is not excluded */
  CRD__HEADLINE_CALIBRATED, /* no gap beyond chance */
  CRD__HEADLINE_OVER,       /* beyond chance: too high on average */
  CRD__HEADLINE_UNDER,      /* too low on average */
  CRD__HEADLINE_UNEVEN      /* too high in some bins, too low in others */
} crd__page_headline_state;

typedef struct {
  crd__page_headline_state state;
  bool positive;               /* the probability of class 1 is judged, not the predicted class */
  bool tiny;                   /* fewer rows than an interval needs */
  bool small;                  /* there is a gap, and it is below a percentage point */
  bool apart;                  /* mean confidence and accuracy differ beyond chance */
  double stated, found;        /* confidence and accuracy of the bin that shows the state best; NaN:
                                  no bin does */
  double floor, limit;         /* ECE of a calibrated model by chance, and the most; NaN: unknown */
  const crd_metric_value *ece; /* NULL: not measured */
} crd__page_headline_view;

/* Judges a result; NULL is unmeasured. */
crd__page_headline_view crd__page_headline_judge(const crd_result *result);
/* Returns a metric's value for a calibrated model by chance, were all rows independent; NaN:
 * unknown. */
double crd__page_headline_floor(const crd_result *result, const crd_metric_value *value);
/* Returns whether the state is a gap beyond chance. */
bool crd__page_headline_is_gap(crd__page_headline_state state);

/* Shifted sets on which the gap is larger, beyond chance. */
typedef struct {
  size_t sets, broken;
  const char *worst;           /* its name, by ECE; NULL: none is broken */
  const crd_metric_value *ece; /* of the worst */
  const char *promise;         /* the first set that breaks a promised risk; NULL: none does */
} crd__page_headline_sets;
crd__page_headline_sets crd__page_headline_shift(const crd_page_part *part);

/* Returns the finding that makes the numbers invalid, or NULL. */
const crd_finding *crd__page_headline_problem(const crd_page_part *part);
/* Returns whether rows occur more than once, so that a split puts copies on both sides. */
bool crd__page_headline_has_copies(const crd_page_part *part);
/* Returns the temperature with the lowest NLL if it at least halves ECE, as `*ece`; else NaN. */
double crd__page_headline_temperature(const crd_result *result, double *ece);
/* Returns the number of rows that would measure ECE to within two points; 0: unknown, as from an
 * interval of fewer than 20 rows. */
uint64_t crd__page_headline_wanted(const crd_result *result);

/* ---- Words (headline_words.c): plain text, to be escaped by the caller. */

/* Appends what the numbers mean; never empty. */
void crd__page_headline_meaning(crd__text *out, const crd_page_part *part);
/* Appends what to do. The context spells the names of commands. */
void crd__page_headline_action(crd__text *out, const crd_context *ctx, const crd_page_part *part);
/* Appends on how many rows that rests, the interval, and whether chance could explain it. */
void crd__page_headline_certainty(crd__text *out, const crd_page_part *part);
/* Appends where it does not hold: shifted sets; nothing without them. */
void crd__page_headline_limits(crd__text *out, const crd_page_part *part);
/* Appends the first operating point; nothing without one. */
void crd__page_headline_operation(crd__text *out, const crd_page_part *part);

#endif
