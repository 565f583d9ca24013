/* csv_roles.h -- what the columns of a table of features are for. */
#ifndef CRD_DATASET_KIND_CSV_ROLES_H
#define CRD_DATASET_KIND_CSV_ROLES_H

#include "dataset/kind.h"
#include "io/format/csv_sample.h"

typedef enum {
  CRD__CSV_FEATURE,
  CRD__CSV_LABEL,
  CRD__CSV_SPLIT,
  CRD__CSV_GROUP,
  CRD__CSV_INDEX, /* counts the rows: not used */
} crd__dataset_csv_role;

typedef struct {
  size_t columns;
  crd__word *first;             /* fields of the first line */
  bool header;                  /* the first line holds names */
  crd__io_csv_sample sample;    /* of the lines behind the first one */
  crd__dataset_csv_role *roles; /* one for each column */
  size_t features;
  bool has_label, has_split, has_group;
} crd__dataset_csv_roles;

/* Reads the first lines and assigns roles; `reader` is left at the first row. Fails with EINPUT,
 * without the file's name, if no column can be the labels. Release with clear, also after failure.
 */
crd_status crd__dataset_csv_roles_find(crd_context *ctx, crd__io_csv_reader *reader,
                                       const char *label_column, crd__notes *notes,
                                       crd__dataset_csv_roles *out);
void crd__dataset_csv_roles_clear(const crd_allocator *alloc, crd__dataset_csv_roles *roles);

#endif
