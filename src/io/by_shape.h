/* by_shape.h -- finds scores and labels with unknown names by shape and type. */
#ifndef CRD_IO_BY_SHAPE_H
#define CRD_IO_BY_SHAPE_H

#include "io/choose.h"

/* Completes the choice, with a note, if exactly one reading fits; else leaves it unchanged. */
crd_status crd__io_choose_by_shape(const crd__io_choosing *c, crd__io_choice *choice);
/* Returns the name without the prefix of its group; NULL: it is not in the group. */
const char *crd__io_by_shape_name(const char *name, const char *group);

#endif
