/* by_shape.h -- scores and labels that have no names that are known. */
#ifndef CRD_IO_BY_SHAPE_H
#define CRD_IO_BY_SHAPE_H

#include "io/choose.h"

/* What is missing of the choice, if only one reading fits, with a note; else as it was. */
crd_status crd__io_choose_by_shape(const crd__io_choosing *c, crd__io_choice *choice);
/* The part of an array's name behind that of its group; NULL when it is not of the group. */
const char *crd__io_by_shape_name(const char *name, const char *group);

#endif
