/*
 * credence/dataset.h -- labelled images, tables and texts, split, encoded and served in batches.
 *
 * In libcredence-nn. A dataset is opened from a name, DATA:
 *
 *   KIND[:PATH][#SPLIT[+SPLIT]][%A:B][@FROM:TO][~CORRUPTION=SEVERITY]
 *
 * or from a file of arrays, as for crd_model_predict_to. Its samples are read as float32 in C
 * order: images as (channels, height, width), bytes scaled to [0, 1]; texts as token indices.
 */
#ifndef CREDENCE_DATASET_H
#define CREDENCE_DATASET_H

#include "credence/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kind of dataset. The table of kinds also generates help and reference page. */
typedef struct {
  const char *name;      /* "fashion-mnist" */
  const char *summary;   /* one line, for lists */
  const char *path;      /* what PATH names, and its default; NULL: the kind takes none */
  const char *splits;    /* "train test"; "": none; NULL: those that the files name */
  const char *reference; /* where it comes from; "": a format, not a dataset */
} crd_dataset_kind_info;

/** Returns the number of kinds. */
CRD_API size_t crd_dataset_kind_count(void);
/** Returns the kind at an index, or NULL past the end. */
CRD_API const crd_dataset_kind_info *crd_dataset_kind_at(size_t index);
/** Returns the kind of this name, or NULL. */
CRD_API const crd_dataset_kind_info *crd_dataset_kind_find(const char *name);

typedef enum { CRD_SAMPLES_IMAGES, CRD_SAMPLES_VECTORS, CRD_SAMPLES_TEXTS } crd_sample_type;

/* How images of other sizes become height x width. CROP: the shorter side is resized, then the
 * centre is cropped; STRETCH: both sides are resized. */
typedef enum { CRD_RESIZE_CROP, CRD_RESIZE_STRETCH } crd_resize;

/** How DATA is opened; all zero is the default. */
typedef struct {
  size_t size;               /* sizeof(crd_dataset_options) */
  uint64_t split_seed;       /* of %A:B */
  size_t height, width;      /* resize images; 0: as stored, and all alike */
  crd_resize resize;         /* how: crop or stretch */
  int channels;              /* 1: grey, 3: RGB; 0: as the first image */
  int skip_corrupt;          /* non-zero: leave out images that cannot be decoded, with a note */
  const char *label_column;  /* tables: the column of labels; NULL: as in crd_predictions_open */
  const char *label_map;     /* "pneumonia=1,normal=0": classes of labels, by name; NULL: none */
  const char *group_pattern; /* extended regular expression on the file name; its first group, or
                                its whole match, names the patient; NULL: none */
} crd_dataset_options;

/**
 * Samples with labels, weights and groups (patients).
 *
 *   life      open -> part, encode, read -> destroy
 *   owns      its list of rows; parts of one dataset share its files and decoded samples
 *   threads   reading: many at once
 */
typedef struct crd_dataset crd_dataset;

/** Opens DATA. CRD_EUSAGE for an unknown kind, split or corruption; CRD_EINPUT if files are missing
 * or invalid, and if one group is on both sides of given splits. `options` NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_dataset_open(crd_context *ctx, const char *data,
                                                  const crd_dataset_options *options,
                                                  crd_dataset **out);

/** Sets *out to non-zero if DATA is FILE[#GROUP][@FROM:TO], which crd_model_predict_to takes as
 * well. CRD_EUSAGE if it is malformed, or names an unknown kind. */
CRD_API CRD_NODISCARD crd_status crd_dataset_is_file(crd_context *ctx, const char *data, int *out);

/** Arrays of a dataset in memory, borrowed until it is destroyed. */
typedef struct {
  size_t size;                    /* sizeof(crd_dataset_arrays) */
  crd_array inputs;               /* (rows, ...): numbers, unchanged but for their type */
  crd_array labels;               /* (rows,1) class indices; data NULL: none */
  crd_array weights;              /* (rows,1); data NULL: all 1 */
  crd_array groups;               /* (rows,1) integers; data NULL: none */
  size_t classes;                 /* 0: largest label + 1 */
  const char *const *class_names; /* one for each class; NULL: "0", "1", ... */
} crd_dataset_arrays;

/** Creates a dataset from arrays. CRD_EINPUT if they do not fit together. */
CRD_API CRD_NODISCARD crd_status crd_dataset_create(crd_context *ctx,
                                                    const crd_dataset_arrays *arrays,
                                                    crd_dataset **out);
/** Destroys a dataset; NULL is allowed. */
CRD_API void crd_dataset_destroy(crd_dataset *dataset);

/** The size and shape of a dataset. Pointers are borrowed until the dataset is encoded or
 * destroyed. */
typedef struct {
  const char *name; /* DATA, or "" */
  size_t rows;
  crd_sample_type type;
  crd_dtype dtype; /* of samples as read: CRD_F32; texts: CRD_I64 */
  size_t rank;     /* of one sample */
  int64_t dims[CRD_RANK_MAX];
  size_t classes;                 /* 0: no labels */
  const char *const *class_names; /* one per class */
  int has_weights, has_groups;
} crd_dataset_shape;

/** Returns size and shape of a dataset. */
CRD_API const crd_dataset_shape *crd_dataset_describe(const crd_dataset *dataset);
/** Returns the class of a row; -1: none. */
CRD_API int64_t crd_dataset_label(const crd_dataset *dataset, size_t row);
/** Returns the weight of a row; 1 without weights. */
CRD_API double crd_dataset_weight(const crd_dataset *dataset, size_t row);
/** Returns the name of a row's group (patient), or NULL. */
CRD_API const char *crd_dataset_group(const crd_dataset *dataset, size_t row);
/** Returns the index of a row's sample, which does not depend on parts and slices: among all
 * samples of the opened splits, or of all splits where the files themselves name these (folder,
 * manifest, csv). */
CRD_API size_t crd_dataset_index(const crd_dataset *dataset, size_t row);
/** Returns a note on how it was read, for the user, or NULL past the end. */
CRD_API const char *crd_dataset_note(const crd_dataset *dataset, size_t index);
/** Reads rows, in any order, into `out`: C-contiguous, of the described type. CRD_EINPUT names a
 * file that cannot be read. */
CRD_API CRD_NODISCARD crd_status crd_dataset_read(crd_context *ctx, const crd_dataset *dataset,
                                                  const size_t *rows, size_t count, void *out);

/* RANDOM: rows. STRATIFIED: each class keeps its share. Groups always stay whole. */
typedef enum { CRD_SPLIT_STRATIFIED, CRD_SPLIT_RANDOM } crd_split_order;

/** Takes the samples from .. to per cent of a random order that `seed` determines: parts of
 * adjacent ranges are disjoint and cover the dataset. CRD_EUSAGE unless 0 <= from < to <= 100. */
CRD_API CRD_NODISCARD crd_status crd_dataset_part(crd_context *ctx, const crd_dataset *dataset,
                                                  double from, double to, crd_split_order order,
                                                  uint64_t seed, crd_dataset **out);
/** Takes rows by their positions, in this order. CRD_EUSAGE if one does not exist. */
CRD_API CRD_NODISCARD crd_status crd_dataset_take(crd_context *ctx, const crd_dataset *dataset,
                                                  const size_t *rows, size_t count,
                                                  crd_dataset **out);

/** What a network must know of its training data to read other data alike: class names, vocabulary,
 * mean and standard deviation of each channel (images) or column (vectors). Stored in the model.
 * Functions only read it, so that you may pass one of your own; destroy those of the library. */
typedef struct {
  size_t class_count;
  char **class_names;
  size_t word_count; /* texts: token 0 pads, token 1 stands for unknown words, word i is i + 2 */
  char **words;
  size_t length;   /* texts: number of tokens of a sample */
  size_t channels; /* length of mean and std; 0: no normalisation */
  double *mean, *std;
} crd_encoding;

/** How an encoding is learned; all zero is the default. */
typedef struct {
  size_t size;       /* sizeof(crd_encoding_options) */
  size_t word_count; /* 0: 20000, the most frequent ones */
  size_t length;     /* 0: 500 tokens */
  int keep_scale;    /* non-zero: no mean and standard deviation */
} crd_encoding_options;

/** Learns an encoding from the training part. `options` NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_encoding_learn(crd_context *ctx, const crd_dataset *training,
                                                    const crd_encoding_options *options,
                                                    crd_encoding **out);
/** Destroys an encoding; NULL is allowed. */
CRD_API void crd_encoding_destroy(crd_encoding *encoding);
/** Maps labels to the encoding's classes by name, and words to tokens. CRD_EINPUT if a label names
 * none of the classes. Normalisation is left to crd_loader and to crd_feed_options. */
CRD_API CRD_NODISCARD crd_status crd_dataset_encode(crd_context *ctx, crd_dataset *dataset,
                                                    const crd_encoding *encoding);

/* A random transformation of training images, or a corruption for tests of shift. */
typedef struct {
  const char *name;    /* "crop" */
  const char *summary; /* one line */
  const char *reference;
  size_t setting_count;
  const crd_setting_info *settings;
} crd_transform_info;

/** Returns the number of augmentations. */
CRD_API size_t crd_augmentation_count(void);
/** Returns the augmentation at an index, or NULL past the end. Written "crop(pad=4) + flip". */
CRD_API const crd_transform_info *crd_augmentation_at(size_t index);
/** Returns the augmentation of a name, or NULL. */
CRD_API const crd_transform_info *crd_augmentation_find(const char *name);
/** Returns the number of corruptions. */
CRD_API size_t crd_corruption_count(void);
/** Returns the corruption at an index, of severities 1 to 5, or NULL past the end. */
CRD_API const crd_transform_info *crd_corruption_at(size_t index);
/** Returns the corruption of a name, or NULL. */
CRD_API const crd_transform_info *crd_corruption_find(const char *name);

/** How batches are made; all zero is the default. */
typedef struct {
  size_t size;                  /* sizeof(crd_loader_options) */
  size_t batch;                 /* 0: 128 */
  int shuffle;                  /* non-zero: another order in every epoch */
  int keep_last;                /* non-zero: the incomplete last batch is served, not dropped */
  uint64_t seed;                /* of order and augmentation */
  const char *augment;          /* "crop(pad=4) + flip"; NULL: none */
  const crd_encoding *encoding; /* normalise with its mean and std; borrowed; NULL: do not */
  unsigned workers;             /* threads that read ahead; 0: chosen */
} crd_loader_options;

/** A batch, borrowed until the next call. */
typedef struct {
  size_t rows;
  const void *inputs; /* (rows, ...) */
  const int64_t *labels;
  const double *weights;   /* NULL: all 1 */
  const size_t *positions; /* rows of the dataset */
} crd_batch;

/**
 * Serves a dataset in batches, read and augmented ahead of time by threads of its own. A batch is a
 * function of (seed, epoch, index) alone.
 *
 *   life      create -> seek -> next* -> destroy before the dataset
 *   threads   one at a time
 */
typedef struct crd_loader crd_loader;

/** Creates a loader. CRD_EUSAGE for an invalid augmentation, CRD_EINPUT if no batch is complete.
 * `options` NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_loader_create(crd_context *ctx, const crd_dataset *dataset,
                                                   const crd_loader_options *options,
                                                   crd_loader **out);
/** Destroys a loader; NULL is allowed. */
CRD_API void crd_loader_destroy(crd_loader *loader);
/** Returns the number of batches of an epoch. */
CRD_API size_t crd_loader_batches(const crd_loader *loader);
/** Continues with this batch of this epoch. */
CRD_API void crd_loader_seek(crd_loader *loader, uint64_t epoch, size_t batch);
/** Gets the next batch; after the last of an epoch follows the first of the next. */
CRD_API CRD_NODISCARD crd_status crd_loader_next(crd_context *ctx, crd_loader *loader,
                                                 crd_batch *out);

/** Samples that should not be on both sides of a split. */
typedef struct {
  size_t group_count;  /* groups with rows in both */
  const char *group;   /* the first such group, borrowed from the datasets; NULL: none */
  size_t sample_count; /* rows of `right` identical to a row of `left` */
  size_t left, right;  /* the first such pair */
} crd_overlap;

/** Finds the groups and samples that two datasets have in common. */
CRD_API CRD_NODISCARD crd_status crd_dataset_compare(crd_context *ctx, const crd_dataset *left,
                                                     const crd_dataset *right, crd_overlap *out);

/** Writes a contact sheet of images, `per_class` (0: 8) of each class beside its name: an .svg or a
 * .png file, by the extension of `path`. CRD_EUSAGE for another one, and unless the samples are
 * images; CRD_EABSENT without libpng. */
CRD_API CRD_NODISCARD crd_status crd_dataset_draw(crd_context *ctx, const crd_dataset *dataset,
                                                  size_t per_class, const char *path);

#ifdef __cplusplus
}
#endif
#endif
