/*
 * method.h -- the interface of a calibration method: its table entry, fit and apply.
 *
 * The frame checks data and settings, converts the input to logits, and handles threads, memory,
 * files and the common parts of the certificate.
 */
#ifndef CRD_CALIBRATOR_METHOD_H
#define CRD_CALIBRATOR_METHOD_H

#include "base/settings.h"
#include "calibrator/learnt.h"
#include "calibrator/map.h"
#include "data/logits.h"
#include "math/rows.h"

/* The data of a fit. Pairs (confidences alone) are two classes, "wrong" and "correct", with the
 * confidence as the probability of the second. */
typedef struct {
  size_t rows, classes;
  const double *logits;    /* rows x classes; NULL if the method reads `stored` alone */
  const void *stored;      /* the same logits, perhaps in the predictions' own memory ... */
  crd__math_row_type type; /* ... and of this type */
  const double *peaks;     /* the largest logit of each row; NULL: unknown */
  const size_t *labels;    /* below classes */
  const double *weights;   /* their sum is `rows` */
  const double *features;  /* rows x width, of length 1 or 0; NULL unless the method needs them */
  size_t width;
  const double *settings; /* in the order of the method's table; a word is its index (0, 1 ...),
                             or -1, -2 ... if numbers are allowed too */
  bool pairs;             /* class 1 is "correct", and its probability the confidence */
  bool top;               /* events: the predicted class alone */
  bool single;            /* the input is probabilities in float32 or float16 */
  double grain;           /* rounded probabilities: relative differences below it count as 0 */
  uint64_t seed;
} crd__calibrator_fit_data;

/* The result of a fit. Texts of the certificate are static, or in `text`. */
typedef struct {
  crd__calibrator_learnt learnt;
  crd_certificate certificate;
  char text[512];
} crd__calibrator_fitted;

/* The input of apply. */
typedef struct {
  const crd__calibrator_learnt *learnt;
  const double *settings;
  size_t classes;
  size_t width; /* of the features; 0: none */
  bool top;     /* events: the predicted class alone */
} crd__calibrator_model;

/*
 * One binary event: the predicted class is correct, or class k is the true one. Methods that
 * calibrate a single event are extended to all classes by the frame (event.c).
 */
typedef struct {
  size_t rows;
  const double *log_odds; /* of the event's probability */
  const double *probability;
  const unsigned char *happened;
  const double *weights;
  const double *features; /* rows x width; NULL unless the method needs them */
  size_t width;
  const double *settings;
  double grain; /* as in crd__calibrator_fit_data */
} crd__calibrator_event_data;

typedef struct {
  /* Fits one event: adds one part to each parameter array. */
  crd_status (*fit)(crd_context *ctx, const crd__calibrator_event_data *data,
                    crd__calibrator_fitted *out);
  /* Applies part `part`: out[i] in [0, 1]. */
  void (*apply)(const crd__calibrator_model *model, size_t part, size_t rows,
                const double *log_odds, const double *probability, double *out);
  /* Replaces apply in methods that need features (rows x width). Such a method calibrates the
   * predicted class alone and has no setting `scope`. */
  void (*apply_features)(const crd__calibrator_model *model, size_t rows, const double *features,
                         const double *probability, double *out);
  /* Describes apply as operations on events (map.h), for exports; NULL: not possible. */
  crd_status (*describe)(crd_context *ctx, const crd__calibrator_model *model, size_t part,
                         crd__calibrator_map *out);
  bool shared; /* one part for all classes, fitted on every class of every row */
} crd__calibrator_event_method;

/* The shape of an array that a method learns; loading a file with other arrays fails. */
typedef enum {
  CRD__ONE,
  CRD__TWO,
  CRD__THREE,
  CRD__EACH_CLASS,
  CRD__EACH_EVENT
} crd__calibrator_extent;
typedef struct {
  const char *name;
  crd__calibrator_extent parts;
  crd__calibrator_extent
      length;    /* of each part: CRD__ONE, CRD__TWO, CRD__THREE or CRD__EACH_CLASS ... */
  bool free;     /* ... or any, but the same for all free arrays of a part */
  bool averaged; /* `parts` for each averaged model, the same number of models for all arrays */
  bool wide;     /* free, times the width of the features */
} crd__calibrator_learns;

typedef struct {
  crd_method_info info;
  crd__data_scale scale;
  bool as_is;    /* reads probabilities, not their logarithms: no floor, 0 stays 0 */
  bool straight; /* fit reads rows where they are stored (`stored`); logits are not copied */
  bool terse;    /* saved without settings that have their defaults: older files do not have them */
  bool given;    /* learns nothing from the rows: a single row is enough */
  const crd__calibrator_learns *learns; /* terminated by a name of NULL; NULL: learns nothing */
  /* Either these three ... */
  crd_status (*fit)(crd_context *ctx, const crd__calibrator_fit_data *data,
                    crd__calibrator_fitted *out);
  /* Probabilities of rows; must not allocate. */
  void (*apply)(const crd__calibrator_model *model, const double *logits, size_t rows, double *out);
  /* Describes apply as operations on rows (map.h), for exports; NULL: not possible. */
  crd_status (*describe)(crd_context *ctx, const crd__calibrator_model *model,
                         crd__calibrator_map *out);
  /* ... or this, and `scope` as the first setting unless it needs features. */
  const crd__calibrator_event_method *event;
} crd__calibrator_method;

const crd__calibrator_method *crd__calibrator_method_at(size_t index); /* NULL past the end */

/* The first setting of every method of events; `usual` is the default, "one-vs-rest" or "top-1". */
#define CRD__SCOPE(usual)                                                                          \
  {                                                                                                \
    .name = "scope",                                                                               \
    .help = "calibrate the predicted class alone (top-1), or each class (one-vs-rest)",            \
    .standard = usual, .words = "one-vs-rest top-1"                                                \
  }
enum { CRD__ONE_VS_REST, CRD__TOP_1 };
/* A number of bins, 15 unless it is given. */
#define CRD__BINS(words, most)                                                                     \
  { .name = "bins", .help = words, .standard = "15", .low = 1, .high = most, .whole = 1 }

/* Fit and apply a method of events for all classes (event.c). */
crd_status crd__calibrator_event_fit(crd_context *ctx, const crd__calibrator_method *method,
                                     const crd__calibrator_fit_data *data,
                                     crd__calibrator_fitted *out);
void crd__calibrator_event_apply(const crd__calibrator_method *method,
                                 const crd__calibrator_model *model, const double *logits,
                                 const double *features, size_t rows, double *out);

/* Parses settings (settings.c) into values[i] for each of the method's settings. EUSAGE. */
crd_status crd__calibrator_method_settings_read(crd_context *ctx, const crd_method_info *method,
                                                const char *text, double *values);

#endif
