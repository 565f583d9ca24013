/*
 * caveat.c -- which findings of the doctor concern which metrics, in a few words.
 *
 * Only problems and warnings count. Without such a finding, an error of calibration that is less
 * than twice its noise floor is marked as chance: its bins have too few rows. Mostly, unless its
 * interval begins above the floor.
 */
#include "report/page/caveat.h"
#include "report/decimal.h"

#include <math.h>
#include <string.h>

static const struct {
  const char *finding;
  const char *metrics; /* names between spaces; NULL: all */
  const char *words;
} table[] = {
  { "not-finite", NULL, "not valid: scores that are not numbers were left out" },
  { "input-kind", NULL, "not valid: the scores are not of the kind that was given" },
  { "labels", NULL, "not valid: labels are out of range, or count from 1" },
  { "unrelated-labels", NULL, "not valid: labels seem to belong to other rows" },
  { "duplicated-rows", NULL, "interval too narrow: rows occur more than once" },
  { "imbalance", " accuracy ", "hardly informative: one class has nearly all labels" },
  { "exact-zeros", " nll nll-top1 ", "decided by probabilities of exactly 0" },
  { "saturated", " auroc auroc-binary aurc e-aurc ", "confidences of exactly 1 are tied" },
  { "absent-classes", " sce tace ", "some classes have no labels" },
};

static bool concerns(size_t entry, const char *metric) {
  const char *const names = table[entry].metrics;
  const size_t length = strlen(metric);
  if (!names) return true;
  for (const char *at = names; (at = strstr(at, metric)); at++)
    if (at[-1] == ' ' && at[length] == ' ') return true;
  return false;
}

const char *crd__page_caveat_find(const crd_diagnosis *d, const char *metric) {
  for (size_t i = 0; d && i < sizeof table / sizeof *table; i++)
    for (size_t k = 0; k < d->finding_count; k++)
      if (d->findings[k].severity <= CRD_WARNING && concerns(i, metric) &&
          strcmp(d->findings[k].info->name, table[i].finding) == 0)
        return table[i].words;
  return NULL;
}

bool crd__page_caveat_add(crd__text *out, const crd_diagnosis *diagnosis, const char *metric,
                          const crd_metric_value *value, double floor) {
  char number[CRD__NUMBER_SIZE];
  const char *const words = crd__page_caveat_find(diagnosis, metric);
  if (words) crd__text_add(out, words);
  else if (value && value->value < 2 * floor)
    crd__text_addf(out, "%s chance: a calibrated model shows about %s",
                   value->low > floor ? "partly" : "mostly",
                   crd__report_decimal_format(number, floor, 4));
  else return false;
  return true;
}
