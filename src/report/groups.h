/* groups.h -- the groups of a result. */
#ifndef CRD_REPORT_GROUPS_H
#define CRD_REPORT_GROUPS_H

#include "report/form.h"

enum { CRD__GROUP_NAME_SIZE = 24 };

/* Its name, or its number in `text`. */
const char *crd__report_group_name(const crd_group *group, char text[static CRD__GROUP_NAME_SIZE]);
/* The groups of the column that the table's item `from` belongs to, up to the next column. */
crd_group_table crd__report_groups_of_column(const crd_group_table *groups, size_t from);
/* Are there groups of more than one column? */
bool crd__report_groups_mixed(const crd_group_table *groups);
/* What groups of this column are called in a heading. */
const char *crd__report_groups_heading(const crd_group *group);
/* The tables of groups, one for each column, as text. */
void crd__report_groups_add(crd__text *out, const crd_result *result,
                            const crd_report_options *options);

#endif
