/*
 * method.h -- what a method must supply: its row, how it is fitted, and what it makes of rows.
 *
 * The frame has checked the data and the settings, made logits of whatever was given, and takes
 * care of threads, memory, files and the certificate's common parts.
 */
#ifndef CRD_CALIBRATOR_METHOD_H
#define CRD_CALIBRATOR_METHOD_H

#include "base/settings.h"
#include "calibrator/learnt.h"
#include "calibrator/map.h"
#include "data/logits.h"
#include "math/rows.h"

/* What is fitted on. Pairs are two classes, "wrong" and "right", the confidence being the
 * probability of the second. */
typedef struct {
  size_t rows, classes;
  const double *logits;    /* rows x classes; NULL where `stored` is enough for the method */
  const void *stored;      /* the same, perhaps as they lie in the predictions ... */
  crd__math_row_type type; /* ... in this type */
  const double *peaks;     /* the largest of each row; NULL: not known */
  const size_t *labels;    /* below classes */
  const double *weights;   /* they add up to `rows` */
  const double *features;  /* rows x width, of length 1 or 0; NULL unless the method needs them */
  size_t width;
  const double *settings; /* in the order of the method's row; a word is its number (0, 1 ...),
                             or -1, -2 ... where numbers are allowed too */
  bool pairs;             /* class 1 is "right", and its probability the confidence */
  bool top;               /* events: the predicted class alone */
  bool single;            /* given as probabilities in single precision, or less */
  double grain;           /* rounded probabilities: what differs by less, relatively, is equal */
  uint64_t seed;
} crd__calibrator_fit_data;

/* What a fit leaves behind. Texts of the certificate live for ever, or in `text`. */
typedef struct {
  crd__calibrator_learnt learnt;
  crd_certificate certificate;
  char text[512];
} crd__calibrator_fitted;

/* What apply sees. */
typedef struct {
  const crd__calibrator_learnt *learnt;
  const double *settings;
  size_t classes;
  size_t width; /* of the features; 0: none are read */
  bool top;     /* events: the predicted class alone */
} crd__calibrator_model;

/*
 * One event that may come true: the predicted class is right, or class k is the true one. Methods
 * that calibrate such an event alone are carried to all classes by the frame (event.c).
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
  /* Adds one part to each of its arrays. */
  crd_status (*fit)(crd_context *ctx, const crd__calibrator_event_data *data,
                    crd__calibrator_fitted *out);
  /* From part `part`: out[i] in [0, 1]. */
  void (*apply)(const crd__calibrator_model *model, size_t part, size_t rows,
                const double *log_odds, const double *probability, double *out);
  /* The same of methods that need features, in place of apply: rows x width. Such a method speaks
   * of the predicted class alone and has no scope. */
  void (*apply_features)(const crd__calibrator_model *model, size_t rows, const double *features,
                         const double *probability, double *out);
  /* The same in steps of events (map.h), for exports; NULL: it cannot be said so. */
  crd_status (*describe)(crd_context *ctx, const crd__calibrator_model *model, size_t part,
                         crd__calibrator_map *out);
  bool shared; /* one part for all classes, fitted on every class of every row */
} crd__calibrator_event_method;

/* What an array that a method learns looks like: a file that has others is refused. */
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
  bool averaged; /* so many parts for each model that is averaged, as many for all of these */
  bool wide;     /* free, times the width of the features */
} crd__calibrator_learns;

typedef struct {
  crd_method_info info;
  crd__data_scale scale;
  bool as_is;    /* reads probabilities, not their logarithms: it has no floor, 0 stays 0 */
  bool straight; /* fit reads `stored` alone, by the row kernels: logits need not be copied */
  bool given;    /* all it has comes from the settings: any rows will do, also one */
  const crd__calibrator_learns *learns; /* up to a name of NULL; NULL: nothing */
  /* Either these three ... */
  crd_status (*fit)(crd_context *ctx, const crd__calibrator_fit_data *data,
                    crd__calibrator_fitted *out);
  /* Probabilities of rows; must not allocate. */
  void (*apply)(const crd__calibrator_model *model, const double *logits, size_t rows, double *out);
  /* The same in steps of rows (map.h), for exports; NULL: it cannot be said so. */
  crd_status (*describe)(crd_context *ctx, const crd__calibrator_model *model,
                         crd__calibrator_map *out);
  /* ... or this, and `scope` as the first setting unless it needs features. */
  const crd__calibrator_event_method *event;
} crd__calibrator_method;

const crd__calibrator_method *crd__calibrator_method_at(size_t index); /* NULL past the end */

/* The first setting of every method of events; `usual` is "one-vs-rest" or "top-1". */
#define CRD__SCOPE(usual)                                                                          \
  {                                                                                                \
    .name = "scope",                                                                               \
    .help = "the predicted class alone (top-1), or every class against the others",                \
    .standard = usual, .words = "one-vs-rest top-1"                                                \
  }
enum { CRD__ONE_VS_REST, CRD__TOP_1 };
/* A number of bins, 15 unless it is given. */
#define CRD__BINS(words, most)                                                                     \
  { .name = "bins", .help = words, .standard = "15", .low = 1, .high = most, .whole = 1 }

/* Methods of events, carried to all classes. */
crd_status crd__calibrator_event_fit(crd_context *ctx, const crd__calibrator_method *method,
                                     const crd__calibrator_fit_data *data,
                                     crd__calibrator_fitted *out);
void crd__calibrator_event_apply(const crd__calibrator_method *method,
                                 const crd__calibrator_model *model, const double *logits,
                                 const double *features, size_t rows, double *out);

/* Settings from text (settings.c): values[i] for each of the method's settings. */
crd_status crd__calibrator_method_settings_read(crd_context *ctx, const crd_method_info *method,
                                                const char *text, double *values);

#endif
