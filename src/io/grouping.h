/*
 * grouping.h -- the group columns of a file: `groups`, those named by options, and a column of
 * patients or subjects, by which rows are clustered.
 */
#ifndef CRD_IO_GROUPING_H
#define CRD_IO_GROUPING_H

#include "base/text.h"
#include "io/bundle.h"

/* Returns whether name[0 .. length) is a name for patients or subjects. */
bool crd__io_grouping_is_patient(const char *name, size_t length);
/* Returns the column that crd_open_options.cluster names; NULL for "auto", "none" and "groups". */
const char *crd__io_grouping_named(const char *cluster);

typedef struct {
  crd__io_bundle *bundle;
  const char *group; /* the prefix of the file's arrays, or NULL */
  const crd_open_options *options;
  size_t rows; /* of the scores */
  crd_group_column *columns;
  size_t count;
  const char *cluster; /* the column of clusters, for crd_predictions_parts */
  crd__notes notes;
} crd__io_grouping;

/* Fills columns, cluster and notes. Fails with EINPUT if a column named by options does not exist;
 * an unsuitable array of patients that no option names is ignored, with a note. Release with clear,
 * also after failure; ids and names belong to the bundle. */
crd_status crd__io_grouping_take(crd_context *ctx, crd__io_grouping *grouping);
void crd__io_grouping_clear(const crd_allocator *alloc, crd__io_grouping *grouping);

#endif
