/* groups.h -- the groups of a result. */
#ifndef CRD_REPORT_GROUPS_H
#define CRD_REPORT_GROUPS_H

#include "report/form.h"

enum { CRD__GROUP_NAME_SIZE = 24 };

/* Returns a group's name, or its number written to `text`. */
const char *crd__report_group_name(const crd_group *group, char text[static CRD__GROUP_NAME_SIZE]);
/* Returns the groups from index `from` on that have the same column as that one. */
crd_group_table crd__report_groups_of_column(const crd_group_table *groups, size_t from);
/* Returns whether there are groups of more than one column. */
bool crd__report_groups_mixed(const crd_group_table *groups);
/* Returns the heading for the groups of this column. */
const char *crd__report_groups_heading(const crd_group *group);
/* Returns the group after `last` (SIZE_MAX: the first) by decreasing error, then by index; SIZE_MAX
 * past the last. Groups whose error is NaN are left out. */
typedef double crd__report_group_error(const crd_group *group, const void *self);
size_t crd__report_groups_next(const crd_group_table *groups, size_t last,
                               crd__report_group_error *error, const void *self);
/* Appends the tables of groups as text, one for each column. */
void crd__report_groups_add(crd__text *out, const crd_result *result,
                            const crd_report_options *options);

#endif
