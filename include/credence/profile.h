/* credence/profile.h -- what figures and pages are drawn from: fine bins, curves, temperatures. */
#ifndef CREDENCE_PROFILE_H
#define CREDENCE_PROFILE_H

#include "credence/evaluate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of a profile, to be asked for: any of them, or'ed together. */
enum {
  CRD_PROFILE_BINS = 1,          /* fine bins of confidence */
  CRD_PROFILE_CURVES = 2,        /* along the ranking by confidence, and densities */
  CRD_PROFILE_SMOOTH = 4,        /* the smooth reliability curve and its band */
  CRD_PROFILE_CLASSES = 8,       /* fine bins of the probabilities of classes */
  CRD_PROFILE_TEMPERATURES = 16, /* as if logits were divided by T: a pass over the rows for each */
  CRD_PROFILE_GROUPS = 32,       /* where the predictions have groups */
  CRD_PROFILE_ALL = 63
};

/*
 * Sums over the rows of a bin, not means: bins of a fine grid add up to those of any grid whose
 * number of bins divides theirs, to the same numbers that measuring with these would give.
 */
typedef struct {
  unsigned index; /* it is (index / bins, (index + 1) / bins]; the first takes 0 too */
  size_t rows;
  double weight;     /* sum of the rows' weights; the rows, without weights */
  double confidence; /* sum of weight * confidence (of a class: of its probability) */
  double correct;    /* sum of the weights of rows that are right (of a class: of that class) */
} crd_fine_bin;

/** Those bins that are not empty, in their order. */
typedef struct {
  unsigned bins; /* the interval 0 .. 1 is cut in so many */
  size_t count;
  const crd_fine_bin *items;
} crd_fine_bins;

enum { CRD_FINE_BINS = 300, CRD_FINE_CLASS_BINS = 60 };

typedef struct {
  double x, y;
} crd_point;

/** At most a few hundred points, that no straight line between them misses by much. */
typedef struct {
  size_t count; /* 0: it does not exist, for want of right or of wrong rows */
  const crd_point *points;
} crd_curve;

/** A point of the smooth reliability curve, with its pointwise 95 % band. */
typedef struct {
  double confidence, accuracy; /* estimated accuracy among rows of about this confidence */
  double low, high;            /* NaN without resamples */
  double density;              /* of rows there; the mean over 0 .. 1 is 1 */
} crd_smooth_point;

/** Errors as the number of bins changes. */
typedef struct {
  unsigned bins;
  double ece, ece_debiased, aece; /* NaN where it does not exist */
  double noise_floor;             /* of ece */
} crd_bins_point;

/** The predictions with their logits divided by a temperature. */
typedef struct {
  double temperature;
  double nll, brier; /* of pairs: the top-1 forms */
  double ece;        /* with the number of bins of the result */
  double confidence; /* mean */
  crd_fine_bins bins;
} crd_temperature_point;

typedef struct {
  size_t number;
  const char *name;   /* NULL: it has a number only */
  size_t rows;        /* of this class */
  double frequency;   /* share of weight that has this class ... */
  double probability; /* ... and the mean probability that it was given */
  double error;       /* mean distance of the two in the result's number of bins: sce's part */
  crd_fine_bins bins;
} crd_class_profile;

/** What was asked for; the rest is empty. */
typedef struct crd_profile {
  unsigned parts;
  crd_fine_bins bins;
  crd_curve roc;                /* x: wrong rows that are at least so confident, y: right rows */
  crd_curve precision_right;    /* x: recall, y: precision of "it is right" ... */
  crd_curve precision_wrong;    /* ... and of "it is wrong", from the least confident on */
  crd_curve risk_coverage;      /* x: share of rows kept, y: share of errors among these ... */
  crd_curve risk_coverage_best; /* ... if every right row were more confident than all wrong ones */
  crd_curve density_right, density_wrong; /* x: confidence, y: density; each has an area of 1 */
  size_t by_bins_count;
  const crd_bins_point *by_bins;
  size_t smooth_count;
  const crd_smooth_point *smooth;
  double smooth_bandwidth; /* share of the rows in the window of each point (nearest neighbours) */
  size_t temperature_count;
  const crd_temperature_point *temperatures; /* ascending; 1 is among them */
  size_t class_count;               /* all up to 50 classes, else the 20 with the largest error */
  const crd_class_profile *classes; /* the largest error first */
  const crd_group_table *groups;    /* accuracy, confidence, ece of each; NULL: none */
} crd_profile;

/** What a profile takes beyond its parts; all zero is the default. */
typedef struct {
  unsigned parts;     /* 0: all */
  unsigned bins;      /* 0: 15; for ece and the errors of classes */
  unsigned resamples; /* behind the band of the smooth curve; 0: no band */
} crd_profile_options;

/**
 * Look closer at predictions. Parts that they do not allow (classes of confidence + correct pairs,
 * groups where there are none) stay empty. It keeps no pointer to the predictions.
 */
CRD_API CRD_CHECK crd_status crd_profile_make(crd_context *ctx, const crd_predictions *predictions,
                                              const crd_profile_options *options,
                                              crd_profile **out);
/** Release it. NULL is allowed. */
CRD_API void crd_profile_destroy(crd_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
