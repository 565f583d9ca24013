/* zoo.h -- an architecture: its entry in the table, and how it is built. */
#ifndef CRD_ZOO_ZOO_H
#define CRD_ZOO_ZOO_H

#include "zoo/builder.h"

typedef struct {
  crd_architecture_info info;
  int variant;   /* of entries that share a file: the depth of a ResNet */
  int64_t least; /* smallest height and width of images */
  /* Adds the layers. CRD_EUSAGE for settings that do not fit together. */
  crd_status (*build)(crd__zoo_builder *b);
} crd__zoo_architecture;

#define ARCHITECTURE(name) extern const crd__zoo_architecture crd__zoo_##name;
#include "zoo/architecture/list.h"
#undef ARCHITECTURE

#endif
