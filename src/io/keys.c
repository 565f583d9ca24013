/* keys.c -- the one table of names; the npz reader, the csv reader and the messages share it. */
#include "io/keys.h"

#include <string.h>

const crd__key crd__keys[] = {
  { "logits", CRD__SCORES, CRD_INPUT_LOGITS },
  { "logprobs", CRD__SCORES, CRD_INPUT_LOGITS },
  { "log_probs", CRD__SCORES, CRD_INPUT_LOGITS },
  { "log_probabilities", CRD__SCORES, CRD_INPUT_LOGITS },
  { "scores", CRD__SCORES, CRD_INPUT_AUTO },
  { "outputs", CRD__SCORES, CRD_INPUT_AUTO },
  { "predictions", CRD__SCORES, CRD_INPUT_AUTO },
  { "probs", CRD__SCORES, CRD_INPUT_PROBABILITIES },
  { "probabilities", CRD__SCORES, CRD_INPUT_PROBABILITIES },
  { "confidence", CRD__SCORES, CRD_INPUT_PAIRS },
  { "labels", CRD__LABELS, CRD_INPUT_AUTO },
  { "label", CRD__LABELS, CRD_INPUT_AUTO },
  { "targets", CRD__LABELS, CRD_INPUT_AUTO },
  { "target", CRD__LABELS, CRD_INPUT_AUTO },
  { "y", CRD__LABELS, CRD_INPUT_AUTO },
  { "ground_truth", CRD__LABELS, CRD_INPUT_AUTO },
  { "true_label", CRD__LABELS, CRD_INPUT_AUTO },
  { "pred_label", CRD__PREDICTED, CRD_INPUT_AUTO },
  { "correct", CRD__CORRECT, CRD_INPUT_AUTO },
  { "weights", CRD__WEIGHTS, CRD_INPUT_AUTO },
  { "weight", CRD__WEIGHTS, CRD_INPUT_AUTO },
  { "groups", CRD__GROUPS, CRD_INPUT_AUTO },
  { "group", CRD__GROUPS, CRD_INPUT_AUTO },
  { "features", CRD__FEATURES, CRD_INPUT_AUTO },
  { NULL, CRD__SCORES, CRD_INPUT_AUTO },
};

const crd__key *crd__key_find(const char *name, size_t length) {
  for (const crd__key *key = crd__keys; key->name; key++)
    if (strlen(key->name) == length && memcmp(key->name, name, length) == 0) return key;
  return NULL;
}

const crd__key *crd__key_in(const crd__bundle *bundle, const char *group, crd__role role,
                            const crd__key *key, size_t *index) {
  for (; key->name; key++) {
    if (key->role != role) continue;
    *index = crd__bundle_find_in(bundle, group, key->name);
    if (*index < bundle->count) return key;
  }
  return NULL;
}

bool crd__key_is_pairs(const crd__key *key) {
  return key && key->role == CRD__SCORES && key->input == CRD_INPUT_PAIRS;
}
