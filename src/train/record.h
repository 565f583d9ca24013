/* record.h -- the values of the epochs: a table with one row for each, and named columns. */
#ifndef CRD_TRAIN_RECORD_H
#define CRD_TRAIN_RECORD_H

#include "base/text.h"
#include "credence/train.h"

/* Columns without a name, before the others. */
enum { CRD__TRAIN_RECORD_RATE, CRD__TRAIN_RECORD_BEST, CRD__TRAIN_RECORD_OWN };

typedef struct {
  size_t column_count; /* with a name */
  char **columns;      /* one block of memory */
  size_t count, capacity;
  double *values;         /* count x (OWN + column_count) */
  crd_epoch_value *shown; /* of the epoch that was requested last */
} crd__train_records;

/* Creates a table without rows. `names`: `count` NUL-terminated strings. Call clear also after a
 * failure. */
crd_status crd__train_records_make(crd_context *ctx, const crd__text *names, size_t count,
                                   crd__train_records *out);
void crd__train_records_clear(const crd_allocator *alloc, crd__train_records *records);
/* Returns the number of values of a row. */
size_t crd__train_records_width(const crd__train_records *records);
/* Makes room for rows up to `count`. */
crd_status crd__train_records_reserve(crd_context *ctx, const crd_allocator *alloc,
                                      crd__train_records *records, size_t count);
/* Returns the values of a row, which may be the one after the last if there is room. */
double *crd__train_records_row(const crd__train_records *records, size_t index);
/* Sets *out to the record of epoch 1 .. count, borrowed until the next call. */
void crd__train_records_show(const crd__train_records *records, size_t epoch, crd_epoch *out);

#endif
