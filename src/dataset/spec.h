/*
 * spec.h -- parses DATA: KIND[:PATH][#SPLIT[+SPLIT]][%A:B][@FROM:TO][~CORRUPTION=SEVERITY], or a
 * file: FILE[#GROUP][%A:B][@FROM:TO][~CORRUPTION=SEVERITY].
 */
#ifndef CRD_DATASET_SPEC_H
#define CRD_DATASET_SPEC_H

#include "dataset/kind.h"
#include "dataset/transform/transform.h"

enum { CRD__DATASET_SPLITS_MAX = 16 };

typedef struct {
  const crd__dataset_kind *kind; /* NULL: a file of arrays */
  char *text;                    /* a copy of DATA, into which the pointers below point */
  const char *path;              /* NULL: none */
  const char *splits[CRD__DATASET_SPLITS_MAX];
  size_t split_count;
  bool has_part; /* %A:B */
  double part_from, part_to;
  bool has_from, has_to; /* @FROM:TO */
  uint64_t from, to;
  const crd__transform *corruption; /* NULL: none */
  unsigned severity;
} crd__dataset_spec;

/* Parses DATA; an existing file of that name, or of a longer part of it, takes precedence.
 * CRD_EUSAGE if it is malformed or names an unknown kind. Release with clear, also after failure.
 */
crd_status crd__dataset_spec_parse(crd_context *ctx, const char *data, crd__dataset_spec *out);
void crd__dataset_spec_clear(const crd_allocator *alloc, crd__dataset_spec *spec);

#endif
