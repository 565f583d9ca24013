/* csv_testing.h -- tables for tests: opened from text, and described as text. */
#ifndef CRD_IO_FORMAT_CSV_TESTING_H
#define CRD_IO_FORMAT_CSV_TESTING_H

#include "io/testing.h"

#include "data/array.h"

typedef struct {
  const char *name, *text, *label_column, *columns;
} table;

static inline crd_status open_table(crd_context *ctx, const table *t, crd__io_bundle **out) {
  const crd_open_options options = { .size = sizeof options,
                                     .label_column = t->label_column,
                                     .columns = t->columns };
  return crd__io_bundle_open_memory(ctx, t->name, t->text, strlen(t->text), &options, out);
}

/* Writes the bundle as text: "scores=1,2;3,4 label=0;1"; strings are quoted. */
static inline void describe(const crd__io_bundle *bundle, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t e = 0; e < bundle->count; e++) {
    const crd_array *view = &bundle->entries[e].view;
    used +=
        (size_t)snprintf(out + used, size - used, "%s%s=", e ? " " : "", bundle->entries[e].name);
    for (size_t i = 0; bundle->entries[e].names && i < bundle->entries[e].shape[0]; i++)
      used += (size_t)snprintf(out + used, size - used, "%s'%s'", i ? ";" : "",
                               bundle->entries[e].names[i]);
    for (size_t i = 0; !bundle->entries[e].names && i < crd__data_rows_of(view); i++)
      for (size_t j = 0; j < crd__data_cols(view); j++)
        used += (size_t)snprintf(out + used, size - used, "%s%.16g",
                                 j   ? ","
                                 : i ? ";"
                                     : "",
                                 crd__data_array_number(view, i, j));
  }
}

#endif
