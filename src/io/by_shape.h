/* by_shape.h -- scores and labels that have no names that are known. */
#ifndef CRD_IO_BY_SHAPE_H
#define CRD_IO_BY_SHAPE_H

#include "io/choose.h"

/* What is missing of the choice, if only one reading fits, with a note; else as it was. */
crd_status crd__choose_by_shape(const crd__choosing *c, crd__choice *choice);
/* The part of an array's name behind that of its group; NULL when it is not of the group. */
const char *crd__by_shape_name(const char *name, const char *group);

#endif
