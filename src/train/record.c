/* record.c -- the values of the epochs (record.h). */
#include "train/record.h"
#include "base/memory.h"

size_t crd__train_records_width(const crd__train_records *records) {
  return CRD__TRAIN_RECORD_OWN + records->column_count;
}

crd_status crd__train_records_make(crd_context *ctx, const crd__text *names, size_t count,
                                   crd__train_records *out) {
  *out = (crd__train_records){ .column_count = count };
  CRD_TRY(crd__text_status(ctx, names));
  CRD_TRY(crd__text_strings(ctx, names, count, &out->columns));
  CRD_TRY(crd__new(ctx, count, sizeof *out->shown, "records of epochs", &out->shown));
  for (size_t i = 0; i < count; i++) out->shown[i].name = out->columns[i];
  return CRD_OK;
}

void crd__train_records_clear(const crd_allocator *alloc, crd__train_records *records) {
  crd__free(alloc, records->columns);
  crd__free(alloc, records->values);
  crd__free(alloc, records->shown);
  *records = (crd__train_records){ 0 };
}

crd_status crd__train_records_reserve(crd_context *ctx, const crd_allocator *alloc,
                                      crd__train_records *records, size_t count) {
  if (count <= records->capacity) return CRD_OK;
  const size_t capacity = count + count / 2 + 8;
  double *const values = crd__resize(alloc, records->values, capacity,
                                     crd__train_records_width(records) * sizeof *values);
  if (!values) return crd__fail(ctx, CRD_ENOMEM, "no memory for the records of %zu epochs", count);
  records->values = values;
  records->capacity = capacity;
  return CRD_OK;
}

double *crd__train_records_row(const crd__train_records *records, size_t index) {
  return records->values + index * crd__train_records_width(records);
}

void crd__train_records_show(const crd__train_records *records, size_t epoch, crd_epoch *out) {
  const double *const row = crd__train_records_row(records, epoch - 1);
  for (size_t i = 0; i < records->column_count; i++)
    records->shown[i].value = row[CRD__TRAIN_RECORD_OWN + i];
  *out = (crd_epoch){ .epoch = epoch,
                      .count = records->column_count,
                      .values = records->shown,
                      .rate = row[CRD__TRAIN_RECORD_RATE],
                      .best = row[CRD__TRAIN_RECORD_BEST] > 0 };
}
