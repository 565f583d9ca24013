/* text_labels.h -- labels that are strings, numbered. */
#ifndef CRD_IO_TEXT_LABELS_H
#define CRD_IO_TEXT_LABELS_H

#include "io/bundle.h"

typedef struct {
  crd__io_entry *labels, *predicted; /* either may be NULL, or hold numbers */
  const char *const *names;          /* what the classes are called; NULL: the sorted labels */
  size_t name_count;
  size_t classes; /* 0: any number */
} crd__io_spelling;

/* Entries that hold strings get `numbers`, and a view of these. Without names the labels' own,
 * sorted, become *sorted, one block of memory; else that is NULL. */
crd_status crd__io_labels_number(crd_context *ctx, const char *file,
                                 const crd__io_spelling *spelling, char ***sorted,
                                 crd__notes *notes);

#endif
