/*
 * bundle.h -- a file as a list of named arrays, whatever its format.
 *
 * path --base/file.h--> bytes --gzip.h, when they are gzipped--> bytes --a format--> entries.
 *
 * Arrays are not copied when the file holds them plainly: a view points into the mapped bytes,
 * where it may lie at any address. Whoever reads a view must load elements as memcpy does.
 */
#ifndef CRD_IO_BUNDLE_H
#define CRD_IO_BUNDLE_H

#include "base/file.h"
#include "base/text.h"
#include "credence/predictions.h"

enum { CRD__RANK_MAX = 32 };

typedef struct crd__io_format crd__io_format;

typedef struct {
  char *name;
  bool loaded; /* what follows is known */
  bool known;  /* of what follows rank, shape, strings and the view's dtype are known */
  bool strings;
  size_t rank, shape[CRD__RANK_MAX];
  /* Of ranks 1 (cols is 1) and 2 what it says; of other ranks the first dimension by all others, if
   * it is not in Fortran order. */
  crd_view view;
  bool fortran;
  void *owned;      /* memory that goes with the entry, or NULL */
  char **names;     /* the elements are shape[0] strings, one block of memory; else NULL */
  int64_t *numbers; /* the classes that the strings name, where they are labels; else NULL */
  int64_t *ids;     /* these strings as numbers of `words`, once somebody asked (grouping.h) */
  char **words;     /* what the numbers 0 .. word_count-1 stand for, one block; NULL: themselves */
  size_t word_count;
  size_t place; /* for the format: where in the file to look when it is loaded */
} crd__io_entry;

/*
 *   life      open -> find, matrix -> destroy
 *   owns      the mapped file, inflated arrays, and the bundle behind `next`
 */
typedef struct crd__io_bundle crd__io_bundle;
struct crd__io_bundle {
  crd_allocator alloc;
  char *name; /* as messages call it */
  char *stem; /* the name without .gz: its extension is that of the content */
  const crd__io_format *format;
  crd__blob blob;
  bool mapped;  /* blob is open */
  bool on_disk; /* the bytes are those of a file that is called `name` */
  void *inflated;
  const unsigned char *bytes; /* what the format reads */
  size_t length;
  crd__io_entry *entries;
  size_t count, capacity;
  char **class_names; /* of the options' file, or of a table's header; else NULL */
  size_t class_name_count;
  crd__notes notes;     /* what a user should know of how the file was read */
  const char *remark;   /* a hint when the arrays one looks for are missing; a literal, or NULL */
  char *advice;         /* lines to put below the message of a failure, or NULL */
  crd__io_bundle *next; /* another file that lives as long as this one, or NULL */
};

/* Of the options the frame takes class_names, and only csv looks at more: which columns are what.
 * NULL: defaults. */
crd_status crd__io_bundle_open(crd_context *ctx, const char *path, const crd_open_options *options,
                               crd__io_bundle **out);
/* The same from memory, which must stay until destroy. */
crd_status crd__io_bundle_open_memory(crd_context *ctx, const char *name, const void *bytes,
                                      size_t length, const crd_open_options *options,
                                      crd__io_bundle **out);
/* NULL is allowed. */
void crd__io_bundle_destroy(crd__io_bundle *bundle);

/* The index of an entry, or `count` when there is none of that name. */
size_t crd__io_bundle_find(const crd__io_bundle *bundle, const char *name);
/* The same for the array of a group: #val means val_logits, val/logits or val.logits. */
size_t crd__io_bundle_find_in(const crd__io_bundle *bundle, const char *group, const char *name);
/* Is it a table, whose columns became arrays as it was read? */
bool crd__io_bundle_is_table(const crd__io_bundle *bundle);
/* What there is, for messages. */
void crd__io_bundle_list(const crd__io_bundle *bundle, crd__text *text);
/* Read an entry that was only listed so far: nobody pays for arrays that are not asked for. */
crd_status crd__io_bundle_load(crd_context *ctx, crd__io_bundle *bundle, size_t index);
/* Find out an entry's shape and type, without its elements where the format can do so. */
crd_status crd__io_bundle_peek(crd_context *ctx, crd__io_bundle *bundle, size_t index);
/* What there is, with shapes and types. */
void crd__io_bundle_describe(crd_context *ctx, crd__io_bundle *bundle, crd__text *text);
/* Load an entry that must be numbers and have one or two dimensions. */
crd_status crd__io_bundle_matrix(crd_context *ctx, crd__io_bundle *bundle, size_t index,
                                 crd_view *out);
/* Load an entry that must be strings; they are its `names`. */
crd_status crd__io_bundle_strings(crd_context *ctx, crd__io_bundle *bundle, size_t index);

#endif
