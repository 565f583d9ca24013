/* credence/profile.h -- data behind figures and pages: fine bins, curves, temperatures. */
#ifndef CREDENCE_PROFILE_H
#define CREDENCE_PROFILE_H

#include "credence/evaluate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of a profile, combined with |. */
enum {
  CRD_PROFILE_BINS = 1,    /* fine bins of confidence */
  CRD_PROFILE_CURVES = 2,  /* ROC, precision-recall, risk-coverage; densities of confidence */
  CRD_PROFILE_SMOOTH = 4,  /* smooth reliability curve and its band */
  CRD_PROFILE_CLASSES = 8, /* fine bins of each class's probability */
  CRD_PROFILE_TEMPERATURES =
      16, /* logits divided by each T of a grid: one pass over the rows for each T */
  CRD_PROFILE_GROUPS = 32, /* if the predictions have groups */
  CRD_PROFILE_ALL = 63
};

/*
 * Sums over the rows of a bin, not means: fine bins add up to the bins of any coarser grid whose
 * number of bins divides theirs, with the same values as binning on that grid directly.
 */
typedef struct {
  unsigned index; /* covers (index / bins, (index + 1) / bins]; the first includes 0 */
  size_t rows;
  double weight;     /* sum of the weights; without weights, the number of rows */
  double confidence; /* sum of weight * confidence (classes: weight * probability) */
  double correct;    /* sum of the weights of correct rows (classes: rows of that class) */
} crd_fine_bin;

/** The bins that are not empty, in ascending order. */
typedef struct {
  unsigned bins; /* equal-width bins of 0 .. 1, including empty ones */
  size_t count;
  const crd_fine_bin *items;
} crd_fine_bins;

enum { CRD_FINE_BINS = 300, CRD_FINE_CLASS_BINS = 60 };

typedef struct {
  double x, y;
} crd_point;

/** A polyline of at most a few hundred points that approximates the full curve closely. */
typedef struct {
  size_t count; /* 0: undefined, without correct or without wrong rows */
  const crd_point *points;
} crd_curve;

/** A point of the smooth reliability curve, with its pointwise 95 % band. */
typedef struct {
  double confidence, accuracy; /* estimated accuracy at this confidence */
  double low, high;            /* NaN without resamples */
  double density;              /* of rows, relative to uniform: its mean over 0 .. 1 is 1 */
} crd_smooth_point;

/** Calibration errors for a number of bins. */
typedef struct {
  unsigned bins;
  double ece, ece_debiased, aece; /* NaN if undefined */
  double noise_floor;             /* of ece */
} crd_bins_point;

/** The predictions after division of their logits by a temperature. */
typedef struct {
  double temperature;
  double nll, brier; /* for confidence pairs: the top-1 forms */
  double ece;        /* with crd_profile_options.bins */
  double confidence; /* mean */
  crd_fine_bins bins;
} crd_temperature_point;

/** Calibration of the probabilities of one class. */
typedef struct {
  size_t number;
  const char *name;   /* NULL: unnamed */
  size_t rows;        /* of this class */
  double frequency;   /* fraction of the weight with this label ... */
  double probability; /* ... and mean probability of the class */
  double error;       /* binned calibration error: the class's part of sce */
  crd_fine_bins bins;
} crd_class_profile;

/** The parts that were requested; the others are empty. */
typedef struct crd_profile {
  unsigned parts;
  crd_fine_bins bins;
  crd_curve roc; /* of detecting correct rows by confidence; x: false, y: true positive rate */
  crd_curve precision_right;    /* x: recall, y: precision of detecting correct rows ... */
  crd_curve precision_wrong;    /* ... and wrong rows, from the least confident */
  crd_curve risk_coverage;      /* x: fraction of rows kept, y: error rate among them ... */
  crd_curve risk_coverage_best; /* ... if each correct row were more confident than each wrong */
  crd_curve density_right, density_wrong; /* x: confidence, y: density, each with area 1 */
  size_t by_bins_count;
  const crd_bins_point *by_bins;
  size_t smooth_count;
  const crd_smooth_point *smooth;
  double smooth_bandwidth; /* fraction of the rows in the nearest-neighbour window of a point */
  size_t temperature_count;
  const crd_temperature_point *temperatures; /* ascending; includes 1 */
  size_t class_count;               /* up to 50 classes: all, else the 20 with the largest error */
  const crd_class_profile *classes; /* largest error first */
  const crd_group_table *groups;    /* accuracy, confidence, ece of each; NULL: none */
} crd_profile;

/** How to compute a profile; all zero is the default. */
typedef struct {
  size_t size;        /* sizeof(crd_profile_options) */
  unsigned parts;     /* 0: all */
  unsigned bins;      /* 0: 15; for ece and class errors */
  unsigned resamples; /* behind the band of the smooth curve; 0: no band */
} crd_profile_options;

/**
 * Computes a profile of predictions. Parts that they do not have (classes of confidence pairs,
 * groups) stay empty. Keeps no pointer to the predictions. CRD_EINPUT for an invalid row, and if
 * all weights are 0.
 */
CRD_API CRD_NODISCARD crd_status crd_profile_make(crd_context *ctx,
                                                  const crd_predictions *predictions,
                                                  const crd_profile_options *options,
                                                  const crd_profile **out);
/** Destroys a profile; NULL is allowed. */
CRD_API void crd_profile_destroy(const crd_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
