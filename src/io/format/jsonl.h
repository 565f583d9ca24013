/* jsonl.h -- reader of JSON Lines: one object per line becomes a row of columns. */
#ifndef CRD_IO_FORMAT_JSONL_H
#define CRD_IO_FORMAT_JSONL_H

#include "base/words.h"
#include "io/keys.h"
#include "io/scan.h"

/* The type of a key's values. */
typedef enum {
  CRD__JSONL_NUMBER, /* 0.25, true */
  CRD__JSONL_TEXT,   /* "dog" */
  CRD__JSONL_LIST,   /* [0.25, 0.75] */
  CRD__JSONL_OBJECT  /* {"cat": 0.25, "dog": 0.75} */
} crd__io_jsonl_kind;

/* A key that every line has. Text is stored as an index: of the class it names, if the class names
 * are known, else of a word. */
typedef struct {
  char *key;        /* as in the file */
  const char *name; /* of the entry: a known key, or `key` for a group column */
  crd__io_role role;
  crd__io_jsonl_kind kind;
  size_t width; /* values per row */
  double *values;
  size_t count, capacity; /* of values */
  bool seen;              /* in the current line */
  bool numbered;          /* text: indices of classes, not of words */
} crd__io_jsonl_column;

enum { CRD__JSONL_COLUMNS_MAX = 32 };

typedef struct {
  crd_context *ctx;
  const crd_open_options *options;
  crd__io_scan scan; /* the current line */
  char place[32];    /* "line 12" */
  crd__text key, text;
  crd__io_jsonl_column columns[CRD__JSONL_COLUMNS_MAX];
  size_t column_count;
  size_t line, rows;
  crd__words classes;    /* class names, from the options or from keys of scores */
  bool classes_settled;  /* no more may be added */
  uint64_t *class_seen;  /* the last object that had the class, counted from 1 */
  size_t class_capacity; /* of class_seen */
  uint64_t objects;      /* of scores by class, so far */
  crd__words labels;     /* text of labels and predicted labels */
  crd__words groups;     /* text of groups */
  char **copies;         /* memory of words */
  size_t copy_count, copy_capacity;
} crd__io_jsonl;

/* Reads a value into the next row of the column; the first row (column->width is 0) sets the kind
 * and width of the column. */
crd_status crd__io_jsonl_value(crd__io_jsonl *r, crd__io_jsonl_column *column);
/* Finds the class that a word names; fails with EINPUT if there is none. */
crd_status crd__io_jsonl_class(crd__io_jsonl *r, const crd__io_jsonl_column *column,
                               const char *text, size_t length, double *out);
/* Skips a value of any kind. */
crd_status crd__io_jsonl_skip(crd__io_jsonl *r);
/* Sets *number to the index of a word, adding a copy if it is new. */
crd_status crd__io_jsonl_word(crd__io_jsonl *r, crd__words *words, const char *text, size_t length,
                              size_t *number);

#endif
