/*
 * grouping.h -- the group columns of a file: `groups`, those that were asked for by name, and the
 * one that says whose rows they are, patient or subject, by which rows are clustered.
 */
#ifndef CRD_IO_GROUPING_H
#define CRD_IO_GROUPING_H

#include "base/text.h"
#include "io/bundle.h"

/* Is name[0 .. length) what a column of patients or subjects is called? */
bool crd__io_grouping_is_person(const char *name, size_t length);
/* The column that a value of crd_open_options.cluster names; NULL: it names none. */
const char *crd__io_grouping_named(const char *cluster);

typedef struct {
  crd__io_bundle *bundle;
  const char *group; /* the prefix of the file's arrays, or NULL */
  const crd_open_options *options;
  size_t rows; /* of the scores */
  crd_group_column *columns;
  size_t count;
  const char *cluster; /* for crd_predictions_parts */
  crd__notes notes;
} crd__io_grouping;

/* Fill columns, cluster and notes. EINPUT where what was asked for is not there; an array that just
 * has the name of patients and does not fit is passed over, with a note. Release with clear, also
 * after failure; ids and names belong to the bundle. */
crd_status crd__io_grouping_take(crd_context *ctx, crd__io_grouping *grouping);
void crd__io_grouping_clear(const crd_allocator *alloc, crd__io_grouping *grouping);

#endif
