/* keys.c -- the table of known names, shared by all readers and error messages. */
#include "io/keys.h"

#include <string.h>
#include <strings.h>

const crd__io_key crd__io_keys[] = {
  { .name = "logits", .role = CRD__SCORES, .input = CRD_INPUT_LOGITS },
  { .name = "logprobs", .role = CRD__SCORES, .input = CRD_INPUT_LOGITS },
  { .name = "log_probs", .role = CRD__SCORES, .input = CRD_INPUT_LOGITS },
  { .name = "log_probabilities", .role = CRD__SCORES, .input = CRD_INPUT_LOGITS },
  { .name = "scores", .role = CRD__SCORES },
  { .name = "outputs", .role = CRD__SCORES },
  { .name = "predictions", .role = CRD__SCORES, .labels_if_whole = true },
  { .name = "probs", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "probabilities", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "confidence", .role = CRD__SCORES, .input = CRD_INPUT_PAIRS },
  { .name = "ranking", .role = CRD__SCORES, .input = CRD_INPUT_RANKING },
  { .name = "logit", .role = CRD__SCORES, .input = CRD_INPUT_LOGITS },
  { .name = "y_prob", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "y_probs", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "y_proba", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "prob", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "proba", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "probas", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "probability", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "softmax", .role = CRD__SCORES, .input = CRD_INPUT_PROBABILITIES },
  { .name = "y_score", .role = CRD__SCORES },
  { .name = "y_scores", .role = CRD__SCORES },
  { .name = "score", .role = CRD__SCORES },
  { .name = "output", .role = CRD__SCORES },
  { .name = "preds", .role = CRD__SCORES, .labels_if_whole = true },
  { .name = "y_pred", .role = CRD__SCORES, .labels_if_whole = true },
  { .name = "pred", .role = CRD__SCORES, .labels_if_whole = true },
  { .name = "prediction", .role = CRD__SCORES, .labels_if_whole = true },
  { .name = "y_hat", .role = CRD__SCORES, .labels_if_whole = true },
  { .name = "labels", .role = CRD__LABELS },
  { .name = "label", .role = CRD__LABELS },
  { .name = "targets", .role = CRD__LABELS },
  { .name = "target", .role = CRD__LABELS },
  { .name = "y", .role = CRD__LABELS },
  { .name = "ground_truth", .role = CRD__LABELS },
  { .name = "true_label", .role = CRD__LABELS },
  { .name = "y_true", .role = CRD__LABELS, .yields = true },
  { .name = "true_labels", .role = CRD__LABELS, .yields = true },
  { .name = "gt", .role = CRD__LABELS, .yields = true },
  { .name = "gt_label", .role = CRD__LABELS, .yields = true },
  { .name = "gt_labels", .role = CRD__LABELS, .yields = true },
  { .name = "truth", .role = CRD__LABELS, .yields = true },
  { .name = "label_ids", .role = CRD__LABELS, .yields = true },
  { .name = "targs", .role = CRD__LABELS, .yields = true },
  { .name = "y_test", .role = CRD__LABELS, .yields = true },
  { .name = "pred_label", .role = CRD__PREDICTED },
  { .name = "predicted", .role = CRD__PREDICTED },
  { .name = "correct", .role = CRD__CORRECT },
  { .name = "weights", .role = CRD__WEIGHTS },
  { .name = "weight", .role = CRD__WEIGHTS },
  { .name = "groups", .role = CRD__GROUPS },
  { .name = "group", .role = CRD__GROUPS },
  { .name = "features", .role = CRD__FEATURES },
  { .name = NULL },
};

const crd__io_key *crd__io_key_find(const char *name, size_t length) {
  for (const crd__io_key *key = crd__io_keys; key->name; key++)
    if (strlen(key->name) == length && memcmp(key->name, name, length) == 0) return key;
  return NULL;
}

const crd__io_key *crd__io_key_find_in_any_case(const char *name, size_t length) {
  for (const crd__io_key *key = crd__io_keys; key->name; key++)
    if (strlen(key->name) == length && strncasecmp(key->name, name, length) == 0) return key;
  return NULL;
}

const crd__io_key *crd__io_key_in(const crd__io_bundle *bundle, const char *group,
                                  crd__io_role role, const crd__io_key *key, size_t *index) {
  for (; key->name; key++) {
    if (key->role != role) continue;
    *index = crd__io_bundle_find_in(bundle, group, key->name);
    if (*index < bundle->count) return key;
  }
  return NULL;
}

bool crd__io_key_is_pairs(const crd__io_key *key) {
  return key && key->role == CRD__SCORES && crd__io_input_is_top(key->input);
}
