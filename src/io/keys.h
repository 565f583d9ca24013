/* keys.h -- by which names arrays and columns are known, and what each is for. */
#ifndef CRD_IO_KEYS_H
#define CRD_IO_KEYS_H

#include "io/bundle.h"

typedef enum {
  CRD__SCORES,
  CRD__LABELS,
  CRD__PREDICTED,
  CRD__CORRECT,
  CRD__WEIGHTS,
  CRD__GROUPS,
  CRD__FEATURES,
  CRD__TOP, /* confidences beside scores of all classes; by the name of a score */
  CRD__ROLE_COUNT
} crd__io_role;

typedef struct {
  const char *name;
  crd__io_role role;
  crd_input input;      /* scores only: what an array of this name holds */
  bool yields;          /* labels only: a file of labels that was asked for comes first */
  bool labels_if_whole; /* scores only: one column of whole numbers or words is predicted labels */
} crd__io_key;

/* In order of preference within each role; ends with a NULL name. */
extern const crd__io_key crd__io_keys[];

/* NULL when name[0 .. length) is not a key. */
const crd__io_key *crd__io_key_find(const char *name, size_t length);
/* The same, whatever the case of its letters. */
const crd__io_key *crd__io_key_find_in_any_case(const char *name, size_t length);
/* The preferred key of this role that a bundle (of a group, or NULL) has, from `key` on; NULL:
 * none. */
const crd__io_key *crd__io_key_in(const crd__io_bundle *bundle, const char *group,
                                  crd__io_role role, const crd__io_key *key, size_t *index);
/* A score column that stands for pairs, "confidence": it gives way to all other scores. */
bool crd__io_key_is_pairs(const crd__io_key *key);

#endif
