/*
 * kind.h -- the interface of a kind of dataset: one file of kind/ each.
 *
 * DATA --spec.c--> kind, path, splits --kind's open--> store --dataset.c--> rows of a dataset
 *
 * A store holds all samples of the opened splits; datasets are lists of indices into a store, which
 * they share. A kind fills the store's tables (labels, groups, splits) when it opens, and later
 * reads one sample at a time, on any thread.
 */
#ifndef CRD_DATASET_KIND_H
#define CRD_DATASET_KIND_H

#include "base/nearest.h"
#include "base/text.h"
#include "credence/dataset.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct crd__dataset_kind crd__dataset_kind;
typedef struct crd__dataset_cache crd__dataset_cache;
struct crd__transform;

/* One sample as text, for learning a vocabulary. */
typedef struct {
  const char *bytes;
  size_t length;
} crd__dataset_text;

/* Distinct strings, and the index of one for each sample; -1: none. All zero is an empty set. */
typedef struct {
  int64_t *of;  /* one per sample; NULL: the samples have none */
  char **names; /* each owned */
  size_t count;
  size_t capacity; /* private to names.c, as `slots`: a hash table of indices + 1 */
  size_t *slots;
} crd__dataset_names;

typedef struct {
  crd_allocator alloc;
  atomic_size_t users; /* datasets that share it */
  const crd__dataset_kind *kind;
  void *self; /* the kind's own */
  size_t count;
  crd_sample_type type;
  size_t rank; /* of one sample */
  int64_t dims[CRD_RANK_MAX];
  crd__dataset_names labels; /* names in the order of the classes; numbers as text */
  bool all_classes; /* the classes are known in advance: those that no sample has belong to an
                       encoding too */
  crd__dataset_names groups;
  /* The split of each sample, where the kind's files name them (folder, manifest): the kind then
   * fills the store with the samples of all splits, and the frame takes the requested ones after it
   * has checked that no group is in two of them. `of` NULL: the kind has opened the requested
   * splits alone. */
  crd__dataset_names splits;
  double *weights; /* NULL: all 1 */
  crd__notes notes;

  /* The frame's own; a kind leaves them alone. */
  crd__dataset_cache *cache;               /* NULL: samples are read again every time */
  const struct crd__transform *corruption; /* NULL: none */
  unsigned severity;
} crd__dataset_store;

/* What a kind is asked to open. */
typedef struct {
  const char *data;                   /* all of DATA, for error messages */
  const char *path;                   /* NULL: none given */
  const char *const *splits;          /* in the order given */
  size_t split_count;                 /* 0: all samples */
  const crd_dataset_options *options; /* never NULL */
} crd__dataset_request;

struct crd__dataset_kind {
  crd_dataset_kind_info info;
  /* Fills `store`; without splits in the request it opens all samples. The frame has checked splits
   * against info.splits unless that is NULL. On failure the frame calls close. */
  crd_status (*open)(crd_context *ctx, const crd__dataset_request *request,
                     crd__dataset_store *store);
  /* Samples are read by the first of these three that is not NULL, by many threads at once; texts
   * have none of them.
   *
   * Returns product(dims) bytes in C order, borrowed from the store: the values times 255. For
   * files that hold samples so: nothing is copied, and the loader's fastest path begins here.
   * Returns NULL where this store is not of that type (floats); it then reads with one of the
   * others. */
  const unsigned char *(*bytes)(const crd__dataset_store *store, size_t index);
  /* Decodes one sample to product(dims) bytes in C order: the values times 255. The frame keeps
   * them if all samples fit in a quarter of memory. */
  crd_status (*decode)(crd_context *ctx, const crd__dataset_store *store, size_t index,
                       unsigned char *out);
  /* Reads one sample: product(dims) float32. */
  crd_status (*read)(crd_context *ctx, const crd__dataset_store *store, size_t index, float *out);
  bool slow; /* `read` decodes: the frame keeps what it has read, if all samples fit */
  /* Texts only: the sample's text, borrowed from the store. */
  crd__dataset_text (*text)(const crd__dataset_store *store, size_t index);
  /* Returns the file of a sample, for error messages; NULL: unknown. The callback may be NULL. */
  const char *(*source)(const crd__dataset_store *store, size_t index);
  /* Releases `self`, also one that open left half-made; NULL: nothing to do. Is not called while
   * `self` is NULL. */
  void (*close)(const crd_allocator *alloc, void *self);
};

#define KIND(name) extern const crd__dataset_kind crd__dataset_kind_##name;
#include "dataset/kind/list.h"
#undef KIND

/* Returns the kind at an index, or NULL past the end. */
const crd__dataset_kind *crd__dataset_kind_at(size_t index);
extern const crd__names crd__dataset_kind_names;

/* Sets a sample's label, group or split: its name is looked up, or appended. `of` is allocated for
 * `samples` at the first call, with -1 for all. */
crd_status crd__dataset_names_set(crd_context *ctx, const crd_allocator *alloc,
                                  crd__dataset_names *names, size_t samples, size_t index,
                                  const char *name);
/* Appends a name, or finds it, without a sample: for classes in a fixed order. *out may be NULL. */
crd_status crd__dataset_names_add(crd_context *ctx, const crd_allocator *alloc,
                                  crd__dataset_names *names, const char *name, int64_t *out);
/* Returns the index of a name; -1: it is none of them. */
int64_t crd__dataset_names_find(const crd__dataset_names *names, const char *name);
/* Sorts names (numbers by value, before others by bytes) and renumbers. */
crd_status crd__dataset_names_sort(crd_context *ctx, const crd_allocator *alloc,
                                   crd__dataset_names *names, size_t samples);
/* Compares two names in that order: < 0, 0, > 0. */
int crd__dataset_names_compare(const char *left, const char *right);
void crd__dataset_names_clear(const crd_allocator *alloc, crd__dataset_names *names);

#endif
