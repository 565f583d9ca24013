/* text_labels.h -- converts labels that are strings to class indices. */
#ifndef CRD_IO_TEXT_LABELS_H
#define CRD_IO_TEXT_LABELS_H

#include "io/bundle.h"

typedef struct {
  crd__io_entry *labels, *predicted; /* either may be NULL, or hold numbers */
  const char *const *names;          /* class names; NULL: the sorted distinct labels */
  size_t name_count;
  size_t classes; /* 0: any number */
} crd__io_spelling;

/* Sets `numbers` of entries that hold strings, and their view. Without class names, sets *sorted to
 * the sorted distinct labels, one block of memory; else to NULL. Fails with EINPUT on labels that
 * name no class. */
crd_status crd__io_labels_number(crd_context *ctx, const char *file,
                                 const crd__io_spelling *spelling, char ***sorted,
                                 crd__notes *notes);

#endif
