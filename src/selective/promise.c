/* promise.c -- what a table of operating points promises, in words, and why a target has none. */
#include "selective/promise.h"
#include "base/number.h"
#include "selective/choose.h"

#include <math.h>

const char *crd__selective_interval(crd_guarantee guarantee, const crd__selective_sample *s) {
  if (s->ranking.kind.clustered) return "cluster-bootstrap";
  return guarantee == CRD_GUARANTEE_BOOTSTRAP ? "bootstrap" : "clopper-pearson";
}

static bool has_risk_target(const crd_operating_table *t) {
  for (size_t i = 0; i < t->count; i++)
    if (t->items[i].target.kind == CRD_TARGET_RISK) return true;
  return false;
}

static void add_intervals(crd__text *out, const crd__selective_sample *s) {
  if (!s->ranking.kind.clustered)
    crd__text_addf(out, " 95 %% intervals are Clopper and Pearson's%s.",
                   s->ranking.kind.weighted ? " for the effective number of rows" : "");
  else if (s->clusters.count < 2)
    crd__text_add(out, " All rows measured belong to one cluster: there are no intervals.");
  else
    crd__text_addf(out, " 95 %% intervals are from the cluster bootstrap of %zu clusters.",
                   s->clusters.count);
}

static void add_target(crd__text *out, const crd__selective_sample *s, int fitted) {
  const bool exact = !s->ranking.kind.clustered && !s->ranking.kind.weighted;
  if (fitted)
    crd__text_add(out, " The method was fitted on the rows that thresholds were chosen on, so that "
                       "the risk may exceed its target; the measured risk is not affected.");
  else
    crd__text_addf(out,
                   " The risk of new rows exceeds its target with a probability of %s 5 %%, "
                   "provided that it does not fall when less confident rows are accepted as well.",
                   exact ? "at most" : "about");
}

void crd__selective_promise(crd__text *out, const crd_operating_table *t,
                            const crd__selective_sample *s, int fitted) {
  if (t->chosen_rows == 0) {
    crd__text_add(out, "No threshold was chosen.");
    return;
  }
  if (t->guarantee == CRD_GUARANTEE_BOOTSTRAP) {
    crd__text_addf(
        out,
        "Thresholds were chosen and measured on the same %zu rows; 95 %% bootstrap "
        "intervals include the choice.%s",
        t->measured_rows,
        has_risk_target(t) ? " A target risk is met by these rows; new ones may exceed it." : "");
    return;
  }
  crd__text_addf(out, "Thresholds were chosen on %zu rows and measured on %zu others.",
                 t->chosen_rows, t->measured_rows);
  if (has_risk_target(t)) add_target(out, s, fitted);
  add_intervals(out, s);
}

void crd__selective_promise_applied(crd__text *out, const crd_operating_table *t,
                                    const crd__selective_sample *s) {
  crd__text_addf(out, "Thresholds were chosen on %zu other rows and measured on %zu rows.",
                 t->chosen_rows, t->measured_rows);
  add_intervals(out, s);
}

void crd__selective_unreachable(crd__text *out, const crd_target *target, crd_guarantee guarantee,
                                const crd__selective_sample *s) {
  char value[CRD__NUMBER_SIZE], needed[CRD__NUMBER_SIZE];
  crd__number_format(value, target->value);
  if (!s) {
    crd__text_add(out, "one row or cluster cannot be split into a half that chooses and a half "
                       "that measures");
    return;
  }
  const double rows = s->steps[s->count - 1].effective;
  if (guarantee == CRD_GUARANTEE_BOOTSTRAP)
    crd__text_addf(out, "every threshold has an observed risk above %s", value);
  else if (target->value == 0)
    crd__text_add(out, "no number of rows without errors shows a risk of 0");
  else if (crd__selective_rows_needed(target->value) > rows)
    crd__text_addf(out,
                   "a risk of at most %s is shown by %s or more accepted rows without an error; "
                   "thresholds are chosen on %zu rows",
                   value, crd__number_format(needed, crd__selective_rows_needed(target->value)),
                   s->ranking.count);
  else
    crd__text_addf(out, "no threshold has a risk of at most %s with a probability of 95 %%", value);
}
