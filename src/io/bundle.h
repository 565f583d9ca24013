/*
 * bundle.h -- a file as a list of named arrays, whatever its format.
 *
 * path --base/file.h--> bytes --gzip.h, when they are gzipped--> bytes --a format--> entries.
 *
 * Uncompressed arrays are not copied: a view points into the mapped bytes, at any address. Elements
 * may be unaligned and must be read with memcpy.
 */
#ifndef CRD_IO_BUNDLE_H
#define CRD_IO_BUNDLE_H

#include "base/file.h"
#include "base/text.h"
#include "credence/predictions.h"

enum { CRD__FILE_RANK_MAX = 32 };

typedef struct crd__io_format crd__io_format;

typedef struct {
  char *name;
  bool loaded; /* all members below are valid */
  bool known;  /* rank, shape, strings and the view's dtype are valid */
  bool strings;
  size_t rank, shape[CRD__FILE_RANK_MAX];
  /* Rank 1: cols is 1. Ranks above 2: the first dimension by the product of all others, unless it
   * is in Fortran order. */
  crd_array view;
  bool fortran;
  void *owned;      /* memory of the elements, or NULL */
  char **names;     /* of strings: the shape[0] elements, one block of memory; else NULL */
  int64_t *numbers; /* of labels that are strings: the classes they name; else NULL */
  int64_t *ids;     /* of strings: indices into `words`, once needed (grouping.h) */
  char **words;     /* names of the ids 0 .. word_count-1, one block; NULL: ids are numbers */
  size_t word_count;
  size_t place; /* private to the format: where to load the entry from */
} crd__io_entry;

/*
 *   life      open -> find, matrix -> destroy
 *   owns      the mapped file, inflated arrays, and the bundle behind `next`
 */
typedef struct crd__io_bundle crd__io_bundle;
struct crd__io_bundle {
  crd_allocator alloc;
  char *name; /* for error messages */
  char *stem; /* the name without .gz: its extension is that of the content */
  const crd__io_format *format;
  crd__blob blob;
  bool mapped;  /* blob is open */
  bool on_disk; /* the bytes are those of the file `name` */
  void *inflated;
  const unsigned char *bytes; /* uncompressed content */
  size_t length;
  crd__io_entry *entries;
  size_t count, capacity;
  char **class_names; /* from the options' file or a table's header; else NULL */
  size_t class_name_count;
  crd__notes notes;       /* how the file was read, for users */
  const char *remark;     /* a hint for "no scores" and "no labels"; a literal, or NULL */
  char *advice;           /* lines to append to an error message, or NULL */
  crd__io_bundle **parts; /* several files that are read as one (join.h); NULL: one file */
  size_t part_count;
  crd__io_bundle *next; /* another file that lives as long as this one, or NULL */
};

/* Opens a file, or several (files.h), and lists the arrays. Fails with EINPUT on unknown and
 * damaged files, and on arrays that cannot be joined. Of the options, class_names is used here,
 * others by table formats only; NULL: defaults. */
crd_status crd__io_bundle_open(crd_context *ctx, const char *path, const crd_open_options *options,
                               crd__io_bundle **out);
/* The same from memory, which is borrowed until destroy. */
crd_status crd__io_bundle_open_memory(crd_context *ctx, const char *name, const void *bytes,
                                      size_t length, const crd_open_options *options,
                                      crd__io_bundle **out);
/* NULL is allowed. */
void crd__io_bundle_destroy(crd__io_bundle *bundle);

/* Returns the index of the entry with this name, or `count`. */
size_t crd__io_bundle_find(const crd__io_bundle *bundle, const char *name);
/* The same for the array of a group: #val means val_logits, val/logits or val.logits. */
size_t crd__io_bundle_find_in(const crd__io_bundle *bundle, const char *group, const char *name);
/* Returns whether it is a table, whose columns became arrays when it was read. */
bool crd__io_bundle_is_table(const crd__io_bundle *bundle);
/* Appends the names of the arrays, for error messages. */
void crd__io_bundle_list(const crd__io_bundle *bundle, crd__text *text);
/* Reads the elements of an entry, if that has not been done: unused arrays cost nothing. */
crd_status crd__io_bundle_load(crd_context *ctx, crd__io_bundle *bundle, size_t index);
/* Reads shape and type of an entry, without its elements if the format allows it. */
crd_status crd__io_bundle_peek(crd_context *ctx, crd__io_bundle *bundle, size_t index);
/* Appends the names of the arrays with shapes and types, for error messages. */
void crd__io_bundle_describe(crd_context *ctx, crd__io_bundle *bundle, crd__text *text);
/* Loads an entry; fails with EINPUT unless it holds numbers in one or two dimensions. */
crd_status crd__io_bundle_matrix(crd_context *ctx, crd__io_bundle *bundle, size_t index,
                                 crd_array *out);
/* Loads the `names` of an entry; fails with EINPUT unless it holds strings. */
crd_status crd__io_bundle_strings(crd_context *ctx, crd__io_bundle *bundle, size_t index);

#endif
