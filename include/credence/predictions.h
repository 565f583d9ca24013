/* credence/predictions.h -- scores of a classifier with their labels: in memory, or from a file. */
#ifndef CREDENCE_PREDICTIONS_H
#define CREDENCE_PREDICTIONS_H

#include "credence/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Kinds of scores. AUTO infers the kind from the values and adds a note that names it. PAIRS and
 * RANKING have one number for each row, about the predicted class: its confidence in [0, 1], or any
 * number that is larger where the prediction is more trustworthy (TrustScore). A ranking is not a
 * probability: only metrics of the order of the rows have values.
 */
#define CRD_INPUT_LIST(X)                                                                          \
  X(AUTO, "auto")                                                                                  \
  X(LOGITS, "logits")                                                                              \
  X(PROBABILITIES, "probabilities")                                                                \
  X(PAIRS, "confidence")                                                                           \
  X(RANKING, "ranking")

typedef enum {
#define X(name, text) CRD_INPUT_##name,
  CRD_INPUT_LIST(X)
#undef X
} crd_input;

/** Returns "logits", "probabilities", "confidence", "ranking" or "auto"; a static string,
 * NULL outside the enum. */
CRD_API const char *crd_input_name(crd_input input);

/* Rows with this label are ignored, as in PyTorch and Hugging Face, with a note. Any other negative
 * label is an error. */
#define CRD_IGNORE_LABEL (-100)

/* Two classes: evaluate the score of class 1 (POS), or that of the predicted class (TOP). */
typedef enum { CRD_BINARY_TOP, CRD_BINARY_POS } crd_binary;

/** A column that assigns rows to groups: patients, hospitals, scanners. */
typedef struct {
  const char *name;         /* of the array or column: "patient"; copied */
  crd_array ids;            /* (n,1) integers */
  const char *const *names; /* of groups 0 .. count-1, borrowed like `ids`; NULL: unnamed */
  size_t name_count;
} crd_group_column;

/** The arrays that predictions in memory consist of. All views are borrowed until destroy. */
typedef struct {
  size_t size;         /* sizeof(crd_predictions_parts) */
  crd_array scores;    /* (n,k); or (n,1): scores of class 1; PAIRS, RANKING: (n,1) */
  crd_array labels;    /* (n,1) class indices or (n,k) one-hot; data NULL with `correct` */
  crd_array predicted; /* PAIRS, RANKING: predicted classes; NULL with `correct` */
  crd_array correct;   /* the same: 0 or 1; data NULL with labels and predicted */
  /* Confidence in the class `predicted`, beside scores of all classes. The two then replace the
   * largest score and its class wherever only the predicted class matters. */
  crd_array confidence;
  crd_array weights;              /* (n,1), not negative; data NULL: all 1 */
  crd_array groups;               /* (n,1) integers: a group column called `groups` ... */
  const char *const *group_names; /* of groups 0 .. count-1, borrowed too; NULL: unnamed */
  size_t group_name_count;
  const crd_group_column *group_columns; /* ... and further ones; NULL: none */
  size_t group_column_count;
  /* The group column within which rows are not independent: bootstrap and splits keep the rows of
   * a patient together. NULL or "auto": a column called patient or subject, or a variant such as
   * PatientID; "none": rows are independent; else the column's name. Copied. */
  const char *cluster;
  const char *const *class_names; /* of all classes, borrowed too; NULL: unnamed */
  size_t class_name_count;
  crd_array features; /* (n,d) finite, for methods that need them; data NULL: none */
  crd_input input;
  int trusted;         /* non-zero: trust a declared input without reading all scores */
  int labels_optional; /* non-zero: labels may be missing; calls that need them then fail */
  int keep_ignored;    /* non-zero: keep rows whose label is CRD_IGNORE_LABEL */
  crd_binary binary;
  /* For error messages: "dump.npz: logits row 4711, class 3 is NaN". Copied; may be NULL. */
  const char *name, *scores_name, *labels_name;
  uint64_t first_row; /* the row number of row 0 in error messages */
} crd_predictions_parts;

/**
 * Predictions: scores with labels, and optionally weights, groups and features.
 *
 *   life      create or open -> use -> destroy
 *   owns      nothing that was passed to create; the mapped file when opened
 *   threads   reading: many at once; recalibrate, share_clusters, destroy: one (while others read,
 *             recalibrate a view)
 */
typedef struct crd_predictions crd_predictions;

/**
 * Creates predictions from borrowed arrays. CRD_EINPUT if shapes or types do not fit together, or
 * the scores are not of the declared kind. Other values are checked when rows are read.
 */
CRD_API CRD_NODISCARD crd_status crd_predictions_create(crd_context *ctx,
                                                        const crd_predictions_parts *parts,
                                                        crd_predictions **out);
/**
 * Creates a view: predictions on the same rows, which `from` must outlive. What recalibration and
 * shared clusters change is the view's own, so that others may read `from` meanwhile; `from` itself
 * must not be recalibrated or given clusters while it has views.
 */
CRD_API CRD_NODISCARD crd_status crd_predictions_view(crd_context *ctx, const crd_predictions *from,
                                                      crd_predictions **out);
/** Destroys predictions; NULL is allowed. */
CRD_API void crd_predictions_destroy(crd_predictions *predictions);

/* A file format, listed in the order in which files are tested for it. */
typedef struct {
  const char *name;       /* "npz" */
  const char *summary;    /* one line, for lists; says if the format is not built in */
  const char *extensions; /* space-separated, the usual one first */
} crd_format_info;

/** Returns the number of formats. */
CRD_API size_t crd_format_count(void);
/** Returns the format at an index, or NULL past the end. */
CRD_API const crd_format_info *crd_format_at(size_t index);
/** Returns the format of a name, or NULL. */
CRD_API const crd_format_info *crd_format_find(const char *name);

/** How to open a file; all zero is the default. */
typedef struct {
  size_t size; /* sizeof(crd_open_options) */
  crd_input input;
  int trusted;         /* non-zero: trust a declared input without reading all scores */
  int labels_optional; /* non-zero: labels may be missing; calls that need them then fail */
  int keep_ignored;    /* non-zero: keep rows whose label is CRD_IGNORE_LABEL */
  crd_binary binary;
  int features;             /* non-zero: also read the array `features`, if present */
  const char *labels;       /* a file with the labels of predictions that have none, or NULL */
  const char *scores;       /* the name of the array of scores, or NULL: the usual names */
  const char *label_key;    /* the name of the array of labels, or NULL: the usual names */
  const char *label_column; /* CSV: name or index of the column of labels, or NULL */
  const char *columns;      /* CSV: the columns of the scores, separated by commas: names, indices,
                               ranges 1:11, patterns prob_*; or NULL */
  const char *class_names;  /* a text file, one name a line, instead of the file's own; or NULL */
  const char *group_by;     /* group columns to read besides `groups`, comma-separated, or NULL */
  const char *cluster; /* as in crd_predictions_parts; "groups": `groups`, if any, else "auto" */
} crd_open_options;

/**
 * Opens FILE[#group][@from:to], where FILE may be several files of one data set, separated by
 * commas or as a pattern of the shell: their rows follow each other in byte order of the files'
 * names, and are copied. Formats: .npy, .npz, .safetensors, .pt, .csv, .tsv, .jsonl, also .gz, and
 * .h5 and .mat if built with their libraries; "-" is standard input. Arrays are mapped, not copied,
 * if their layout in the file allows it. `options` NULL: defaults. CRD_EINPUT if the file is
 * missing or invalid, or arrays are missing or do not fit together; CRD_EABSENT if the format is
 * not built in.
 */
CRD_API CRD_NODISCARD crd_status crd_predictions_open(crd_context *ctx, const char *path,
                                                      const crd_open_options *options,
                                                      crd_predictions **out);

/** Returns the number of rows. */
CRD_API size_t crd_predictions_rows(const crd_predictions *predictions);
/** Returns the row number of row 0 in error messages: where a slice begins in its file. */
CRD_API uint64_t crd_predictions_first_row(const crd_predictions *predictions);
/** Returns the number of classes; 0 for PAIRS and RANKING, where only the top class is known. */
CRD_API size_t crd_predictions_classes(const crd_predictions *predictions);
/** Returns the name of class k, or NULL if it has none. Any bytes, unchanged. */
CRD_API const char *crd_predictions_class_name(const crd_predictions *predictions, size_t k);
/** Returns the kind of the scores; never AUTO. */
CRD_API crd_input crd_predictions_input(const crd_predictions *predictions);
/** Returns non-zero if rows have weights. */
CRD_API int crd_predictions_has_weights(const crd_predictions *predictions);
/** Returns the number of features of a row; 0: none, or not requested. */
CRD_API size_t crd_predictions_features(const crd_predictions *predictions);
/** Returns the name of a group column, or NULL past the end. */
CRD_API const char *crd_predictions_group_column(const crd_predictions *predictions, size_t index);
/** Returns the name of the group column that clusters rows, or NULL if rows are independent. */
CRD_API const char *crd_predictions_cluster(const crd_predictions *predictions);
/**
 * Compares the true labels of two models on the same rows, before crd_evidence_compare, which knows
 * row numbers only: by name if the classes have the same names, else by index. CRD_EINPUT with the
 * first row whose labels differ. Does nothing if one has no labels, as with `correct` alone, or
 * both have other rows.
 */
CRD_API CRD_NODISCARD crd_status crd_predictions_match_labels(crd_context *ctx,
                                                              const crd_predictions *predictions,
                                                              const crd_predictions *other);
/**
 * Copies the clusters of `other`, predictions on the same rows, if these have none, or the same
 * clusters under other names: a second model's file need not repeat the patients, or may number
 * them. Does nothing otherwise.
 */
CRD_API CRD_NODISCARD crd_status crd_predictions_share_clusters(crd_context *ctx,
                                                                crd_predictions *predictions,
                                                                const crd_predictions *other);
/** Returns the name that error messages use for these predictions. */
CRD_API const char *crd_predictions_name(const crd_predictions *predictions);
/** Returns the name of the array or column of scores: "logits". */
CRD_API const char *crd_predictions_scores_name(const crd_predictions *predictions);
/** Returns the name of the array or column of labels. */
CRD_API const char *crd_predictions_labels_name(const crd_predictions *predictions);
/** Returns a note for the user (which kind was inferred, what is unusual), or NULL past the end. */
CRD_API const char *crd_predictions_note(const crd_predictions *predictions, size_t index);

/* ---- Provenance. */

typedef struct {
  const char *name; /* as passed to crd_source_identify; borrowed */
  uint64_t bytes;
  char sha256[65]; /* of the whole file, hexadecimal; "" for standard input */
} crd_source;

/** Sets `out` to name, size and hash of the whole file behind FILE[#group][@from:to]; of several
 * files, one after the other. CRD_EINPUT if one cannot be read. */
CRD_API CRD_NODISCARD crd_status crd_source_identify(crd_context *ctx, const char *path,
                                                     crd_source *out);
/**
 * The files that FILE[#group][@from:to] names, several if it is a list or a pattern.
 *
 *   life      list -> at -> destroy
 *   owns      the names
 *   threads   reading: many at once; destroy: one
 */
typedef struct crd_files crd_files;

/**
 * Lists the files in the order of their rows, without opening them. A single file need not exist;
 * CRD_EINPUT if one of several is missing, CRD_EUSAGE if the name is malformed.
 */
CRD_API CRD_NODISCARD crd_status crd_files_list(crd_context *ctx, const char *path,
                                                crd_files **out);
/** Returns the name of a file, or NULL past the end; "-" for standard input. */
CRD_API const char *crd_files_at(const crd_files *files, size_t index);
/** Destroys the list; NULL is allowed. */
CRD_API void crd_files_destroy(crd_files *files);

/** Returns the compiler and libraries of this build: "gcc 12.2.0, ..."; a static string. */
CRD_API const char *crd_build(void);

/* ---- Splits. */

/* ROWS: at random; CLASSES: stratified by label; GROUPS: no cluster in two folds, or, without
 * clusters, no group of the first group column. */
typedef enum { CRD_SPLIT_ROWS, CRD_SPLIT_CLASSES, CRD_SPLIT_GROUPS } crd_split;

/**
 * Splits the rows into `folds` parts of near-equal size: sets fold[i] in 0 .. folds-1 for each row.
 * Depends only on the context's seed and the data. CRD_EUSAGE unless 2 <= folds <= rows; CRD_EINPUT
 * if there are no groups, or fewer than folds, or no classes to stratify by.
 */
CRD_API CRD_NODISCARD crd_status crd_predictions_split(crd_context *ctx,
                                                       const crd_predictions *predictions,
                                                       crd_split split, unsigned folds,
                                                       unsigned *fold);

#ifdef __cplusplus
}
#endif
#endif
