/* credence/predictions.h -- what a classifier said, and what was true. */
#ifndef CREDENCE_PREDICTIONS_H
#define CREDENCE_PREDICTIONS_H

#include "credence/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the scores are. AUTO is recognised from the values and said aloud (a note). */
#define CRD_INPUT_LIST(X)                                                                          \
  X(AUTO, "auto")                                                                                  \
  X(LOGITS, "logits")                                                                              \
  X(PROBABILITIES, "probabilities")                                                                \
  X(PAIRS, "confidence")

typedef enum {
#define X(name, text) CRD_INPUT_##name,
  CRD_INPUT_LIST(X)
#undef X
} crd_input;

/** "logits", "probabilities", "confidence" or "auto"; lives for ever. */
CRD_API const char *crd_input_name(crd_input input);

/* A row with this label counts for nothing, as in PyTorch and Hugging Face: it is left out, with a
 * note. Any other negative label is refused. */
#define CRD_IGNORE_LABEL (-100)

/* For two classes: judge the score of class 1 (pos), or of the predicted class (top). */
typedef enum { CRD_BINARY_TOP, CRD_BINARY_POS } crd_binary;

/** A column that puts rows into groups: patients, hospitals, scanners. */
typedef struct {
  const char *name;         /* of the array or column: "patient"; copied */
  crd_view ids;             /* (n,1) whole numbers */
  const char *const *names; /* of groups 0 .. count-1, borrowed too; NULL: just numbers */
  size_t name_count;
} crd_group_column;

/** Predictions put together from memory. All views are borrowed until destroy. */
typedef struct {
  crd_view scores;    /* (n,k), or (n,1): the score of class 1; or confidences with PAIRS */
  crd_view labels;    /* (n,1) class numbers, or (n,k) one-hot; data NULL with `correct` */
  crd_view predicted; /* PAIRS: predicted class; data NULL with `correct` */
  crd_view correct;   /* PAIRS only: 0 or 1; data NULL with labels and predicted */
  /* With scores of all classes and `predicted`: how sure the model is of that class. They then
   * stand for the largest score and its class wherever only the predicted class counts. */
  crd_view confidence;
  crd_view weights;               /* (n,1), not negative; data NULL: all 1 */
  crd_view groups;                /* (n,1) whole numbers: a group column called `groups` ... */
  const char *const *group_names; /* of groups 0 .. count-1, borrowed too; NULL: just numbers */
  size_t group_name_count;
  const crd_group_column *group_columns; /* ... and others, with their names; NULL: none */
  size_t group_column_count;
  /* The group column whose rows are not independent: bootstrap and splits keep the rows of one
   * patient together. NULL or "auto": a column called patient or subject, or a variant such as
   * PatientID; "none": rows are independent; else the column's name. Copied. */
  const char *cluster;
  const char *const *class_names; /* of all classes, borrowed too; NULL: just numbers */
  size_t class_name_count;
  crd_view features; /* (n,d) finite numbers, for methods that need them; data NULL: none */
  crd_input input;
  int unchecked;    /* non-zero: believe a declared input without reading all scores */
  int unlabelled;   /* non-zero: labels may be missing; what needs them is refused then */
  int keep_ignored; /* non-zero: rows whose label is CRD_IGNORE_LABEL stay */
  crd_binary binary;
  /* For messages: "dump.npz: logits row 4711, class 3 is NaN". All are copied; NULL is allowed. */
  const char *name, *scores_name, *labels_name;
  uint64_t first_row; /* the number by which messages call row 0 */
} crd_predictions_parts;

/**
 * Predictions: scores with labels, and perhaps weights, groups and features.
 *
 *   life      create or open -> use -> destroy
 *   owns      nothing that was passed to create; the mapped file when opened
 *   threads   reading: many at once; destroy: one
 */
typedef struct crd_predictions crd_predictions;

/** Check shapes and kinds (not every value: that happens when rows are read). */
CRD_API CRD_CHECK crd_status crd_predictions_create(crd_context *ctx,
                                                    const crd_predictions_parts *parts,
                                                    crd_predictions **out);
CRD_API void crd_predictions_destroy(crd_predictions *predictions);

/* The array formats, in the order in which a file is asked what it is. */
typedef struct {
  const char *name;       /* "npz" */
  const char *summary;    /* one line, for lists; says so where the format is not built in */
  const char *extensions; /* space-separated, the first is the usual one */
} crd_format_info;

CRD_API size_t crd_format_count(void);
/** NULL past the end. */
CRD_API const crd_format_info *crd_format_at(size_t index);

/** How to open a file; all zero is the default. */
typedef struct {
  crd_input input;
  int unchecked;    /* non-zero: believe a declared input without reading all scores */
  int unlabelled;   /* non-zero: labels may be missing; what needs them is refused then */
  int keep_ignored; /* non-zero: rows whose label is CRD_IGNORE_LABEL stay */
  crd_binary binary;
  int features;             /* non-zero: also read the array `features`, where there is one */
  const char *labels;       /* a file with labels for predictions that bring none, or NULL */
  const char *scores;       /* the name of the array of scores, whatever it is, or NULL */
  const char *label_key;    /* the same of the labels */
  const char *label_column; /* CSV: name or number of the label's column, or NULL */
  const char *columns;      /* CSV: the columns of the scores, separated by commas: names, numbers
                             * from 0, ranges 1:11, patterns prob_*; or NULL */
  const char *class_names;  /* a text file with a line for each class, before the file's own */
  const char
      *group_by; /* comma-separated names of group columns to read besides `groups`, or NULL */
  const char *cluster; /* as in crd_predictions_parts; "groups": `groups`, or else as "auto" */
} crd_open_options;

/**
 * Open FILE[#group][@from:to]: .npy, .npz, .safetensors, .pt, .csv, .tsv, .jsonl, also .gz, and .h5
 * and .mat where their libraries were found; "-" is standard input.
 * Arrays are mapped, not copied, wherever the file allows it.
 */
CRD_API CRD_CHECK crd_status crd_predictions_open(crd_context *ctx, const char *path,
                                                  const crd_open_options *options,
                                                  crd_predictions **out);

CRD_API size_t crd_predictions_rows(const crd_predictions *predictions);
/** The number by which messages call row 0: where a slice begins in its file. */
CRD_API uint64_t crd_predictions_first_row(const crd_predictions *predictions);
/** Classes; 0 for confidence + correct pairs, where only the top class is known. */
CRD_API size_t crd_predictions_classes(const crd_predictions *predictions);
/** What class k is called; NULL: it has a number only. Any bytes, as they were given. */
CRD_API const char *crd_predictions_class_name(const crd_predictions *predictions, size_t k);
CRD_API crd_input crd_predictions_input(const crd_predictions *predictions);
CRD_API int crd_predictions_has_weights(const crd_predictions *predictions);
/** Columns of the features; 0: there are none, or they were not asked for. */
CRD_API size_t crd_predictions_features(const crd_predictions *predictions);
/** The names of the group columns; NULL past the end. */
CRD_API const char *crd_predictions_group_column(const crd_predictions *predictions, size_t index);
/** The group column by which rows are clustered; NULL: rows are independent. */
CRD_API const char *crd_predictions_cluster(const crd_predictions *predictions);
/**
 * Take over the clusters of other predictions on the same rows, as many, where these have none, or
 * the same under other names: a second model's file need not repeat who the patients are, or may
 * have numbered them. Nothing happens otherwise.
 */
CRD_API CRD_CHECK crd_status crd_predictions_share_clusters(crd_context *ctx,
                                                            crd_predictions *predictions,
                                                            const crd_predictions *other);
CRD_API const char *crd_predictions_name(const crd_predictions *predictions);
/** What messages call the array or column of the scores: "logits". */
CRD_API const char *crd_predictions_scores_name(const crd_predictions *predictions);
/** The same of the labels. */
CRD_API const char *crd_predictions_labels_name(const crd_predictions *predictions);
/** Things a user should know (what was recognised, what was odd); NULL past the end. */
CRD_API const char *crd_predictions_note(const crd_predictions *predictions, size_t index);

/* ---- Where predictions came from, so that others can find the same. */

typedef struct {
  const char *name; /* as it was asked for; borrowed */
  uint64_t bytes;
  char sha256[65]; /* of all the file's bytes, in hexadecimal; "" for standard input */
} crd_source;

/** The file behind FILE[#group][@from:to], whole. */
CRD_API CRD_CHECK crd_status crd_source_identify(crd_context *ctx, const char *path,
                                                 crd_source *out);
/** What the library was built with: "gcc 12.2.0, libarchive 3.6.2, ..."; lives for ever. */
CRD_API const char *crd_build(void);

/* ---- Splits. */

/* ROWS: at random; CLASSES: each label shared out evenly; GROUPS: no cluster on two sides, or,
 * without clusters, no group of the first group column. */
typedef enum { CRD_SPLIT_ROWS, CRD_SPLIT_CLASSES, CRD_SPLIT_GROUPS } crd_split;

/**
 * Share the rows out over `folds` parts of near-equal size: fold[i] = 0 .. folds-1 for each row.
 * Depends on the context's seed and the data only.
 */
CRD_API CRD_CHECK crd_status crd_predictions_split(crd_context *ctx,
                                                   const crd_predictions *predictions,
                                                   crd_split split, unsigned folds, unsigned *fold);

#ifdef __cplusplus
}
#endif
#endif
