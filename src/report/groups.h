/* groups.h -- the groups of a result. */
#ifndef CRD_REPORT_GROUPS_H
#define CRD_REPORT_GROUPS_H

#include "report/form.h"

enum { CRD__GROUP_NAME_SIZE = 24 };

/* Its name, or its number in `text`. */
const char *crd__group_name(const crd_group *group, char text[static CRD__GROUP_NAME_SIZE]);
/* The table of groups, as text. */
void crd__groups_add(crd__text *out, const crd_result *result, const crd_report_options *options);

#endif
