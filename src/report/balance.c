/*
 * balance.c -- whether calibration and refinement changed, in words.
 *
 * Calibration can be bought by dulling all confidences, which costs refinement: how well confidence
 * separates correct from wrong predictions (Singh et al. 2021). So both are reported together.
 */
#include "report/balance.h"
#include "report/decimal.h"

#include <math.h>
#include <string.h>

crd__report_change crd__report_change_of(const crd_difference *d) {
  if (isnan(d->value) || isnan(d->p)) return CRD__CHANGE_UNKNOWN;
  const crd_direction direction = d->metric->direction;
  if (!(d->p < 0.05) || direction == CRD_NEITHER_IS_BETTER || d->value == 0)
    return CRD__CHANGE_NONE;
  return (d->value < 0) == (direction == CRD_LOWER_IS_BETTER) ? CRD__CHANGE_BETTER
                                                              : CRD__CHANGE_WORSE;
}

static const crd_difference *first_of(const crd_comparison *c, const char *const *names) {
  for (; *names; names++)
    for (size_t i = 0; i < c->count; i++)
      if (strcmp(c->items[i].metric->name, *names) == 0 && !isnan(c->items[i].value))
        return &c->items[i];
  return NULL;
}

crd__report_balance crd__report_balance_of(const crd_comparison *c) {
  static const char *const calibration[] = { "ece", "aece", "sce", "ece-debiased", "smece", NULL };
  static const char *const refinement[] = { "auroc", "aurc", "e-aurc", "aupr-error", NULL };
  return (crd__report_balance){ first_of(c, calibration), first_of(c, refinement) };
}

static void add_change(crd__text *out, const char *what, const crd_difference *d) {
  static const char *const words[] = { [CRD__CHANGE_NONE] = "does not change beyond chance",
                                       [CRD__CHANGE_BETTER] = "is better",
                                       [CRD__CHANGE_WORSE] = "is worse",
                                       [CRD__CHANGE_UNKNOWN] = "changes" };
  char number[CRD__NUMBER_SIZE], low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  crd__text_addf(out, "%s %s (%s %s%s", what, words[crd__report_change_of(d)], d->metric->name,
                 d->value > 0 ? "+" : "", crd__report_decimal_format(number, d->value, 4));
  if (!isnan(d->low) && !isnan(d->high))
    crd__text_addf(out, ", %s to %s", crd__report_decimal_format(low, d->low, 4),
                   crd__report_decimal_format(high, d->high, 4));
  crd__text_add(out, ")");
}

bool crd__report_balance_add(crd__text *out, const crd_comparison *comparison) {
  const crd__report_balance b = crd__report_balance_of(comparison);
  if (!b.calibration || !b.refinement) return false;
  add_change(out, "calibration", b.calibration);
  crd__text_add(out, ", ");
  add_change(out, "refinement", b.refinement);
  return true;
}

bool crd__report_balance_brief(crd__text *out, const crd_comparison *comparison) {
  static const char *const words[] = { [CRD__CHANGE_NONE] = "not clearly changed",
                                       [CRD__CHANGE_BETTER] = "better",
                                       [CRD__CHANGE_WORSE] = "worse",
                                       [CRD__CHANGE_UNKNOWN] = "untested" };
  const crd__report_balance b = crd__report_balance_of(comparison);
  if (!b.calibration || !b.refinement) return false;
  crd__text_addf(out, "calibration %s, refinement %s", words[crd__report_change_of(b.calibration)],
                 words[crd__report_change_of(b.refinement)]);
  return true;
}
