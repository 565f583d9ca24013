/* jsonl.h -- JSON Lines in the making: one object a line becomes a row of columns. */
#ifndef CRD_IO_FORMAT_JSONL_H
#define CRD_IO_FORMAT_JSONL_H

#include "base/words.h"
#include "io/keys.h"
#include "io/scan.h"

/* What the values of a key are. */
typedef enum {
  CRD__JSONL_NUMBER, /* 0.25, true */
  CRD__JSONL_TEXT,   /* "dog" */
  CRD__JSONL_LIST,   /* [0.25, 0.75] */
  CRD__JSONL_OBJECT  /* {"cat": 0.25, "dog": 0.75} */
} crd__io_jsonl_kind;

/* A key that every line has. Text is kept as a number: of the class that it names, if the classes'
 * names are known, else of a word. */
typedef struct {
  char *key;        /* as the lines have it */
  const char *name; /* of the entry: a key that open.c knows, or `key` of a group column */
  crd__io_role role;
  crd__io_jsonl_kind kind;
  size_t width; /* numbers of each row */
  double *values;
  size_t count, capacity; /* of numbers */
  bool seen;              /* in the current line */
  bool numbered;          /* text: its numbers are those of classes */
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
  crd__words classes;    /* what they are called: by the options, or as keys of scores */
  bool classes_settled;  /* no more may be added */
  uint64_t *class_seen;  /* the number of the object that had the class last, from 1 */
  size_t class_capacity; /* of class_seen */
  uint64_t objects;      /* of scores by class, so far */
  crd__words labels;     /* text of labels and predicted labels */
  crd__words groups;     /* text of groups */
  char **copies;         /* memory of words */
  size_t copy_count, copy_capacity;
} crd__io_jsonl;

/* The value at the scanner becomes the next row of the column; in the first row (column->width is
 * 0) it decides the column's kind and width. */
crd_status crd__io_jsonl_value(crd__io_jsonl *r, crd__io_jsonl_column *column);
/* The class that a word names; EINPUT when there is none. */
crd_status crd__io_jsonl_class(crd__io_jsonl *r, const crd__io_jsonl_column *column,
                               const char *text, size_t length, double *out);
/* Step over a value of any kind. */
crd_status crd__io_jsonl_skip(crd__io_jsonl *r);
/* The number of a word, of which a copy is kept. */
crd_status crd__io_jsonl_word(crd__io_jsonl *r, crd__words *words, const char *text, size_t length,
                              size_t *number);

#endif
