/* keys.h -- known names of arrays and columns, and their roles. */
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
  CRD__TOP, /* confidences in addition to scores of all classes; named like a score */
  CRD__ROLE_COUNT
} crd__io_role;

typedef struct {
  const char *name;
  crd__io_role role;
  crd_input input;      /* scores only: kind of the scores */
  bool yields;          /* labels only: the option `labels` takes precedence */
  bool labels_if_whole; /* scores only: one column of integers or text is predicted labels */
} crd__io_key;

/* In order of preference within each role; ends with a NULL name. */
extern const crd__io_key crd__io_keys[];

/* Returns the key name[0 .. length), or NULL. */
const crd__io_key *crd__io_key_find(const char *name, size_t length);
/* The same, ignoring case. */
const crd__io_key *crd__io_key_find_in_any_case(const char *name, size_t length);
/* Returns the first key of this role, from `key` on, that a bundle has (in a group, or NULL); NULL:
 * none. */
const crd__io_key *crd__io_key_in(const crd__io_bundle *bundle, const char *group,
                                  crd__io_role role, const crd__io_key *key, size_t *index);
/* Returns whether rows of this kind have one number about their predicted class. */
static inline bool crd__io_input_is_top(crd_input input) {
  return input == CRD_INPUT_PAIRS || input == CRD_INPUT_RANKING;
}
/* Returns whether an option declares a kind other than a ranking. */
static inline bool crd__io_input_other(crd_input input) {
  return input != CRD_INPUT_AUTO && input != CRD_INPUT_RANKING;
}
/* Returns whether the key is "confidence" or "ranking", which need predicted labels or `correct`.
 */
bool crd__io_key_is_pairs(const crd__io_key *key);

#endif
