/* compat.c -- the table of other implementations' fits, made from list.h, and the comparison of
 * their temperature with the optimum. */
#include "calibrator/compat.h"
#include "base/number.h"
#include "base/reduce.h"
#include "base/table.h"
#include "calibrator/temper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const crd__calibrator_compats *const groups[] = {
#define COMPAT(name) &crd__calibrator_compat_##name,
#include "calibrator/compat/list.h"
#undef COMPAT
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

static const crd__calibrator_compat *row_at(size_t index) {
  for (size_t g = 0; g < GROUP_COUNT; index -= groups[g++]->count)
    if (index < groups[g]->count) return &groups[g]->rows[index];
  return NULL;
}

static size_t count_rows(void) {
  size_t count = 0;
  for (size_t g = 0; g < GROUP_COUNT; g++) count += groups[g]->count;
  return count;
}

CRD_TABLE(fit_convention, crd_fit_convention, count_rows(), &row_at(index)->info)

static const crd__calibrator_compat *find(const char *name, size_t length) {
  const crd__calibrator_compat *row = NULL;
  for (size_t i = 0; (row = row_at(i)) != NULL; i++)
    if (strlen(row->info.name) == length && strncmp(row->info.name, name, length) == 0) break;
  return row;
}

const crd__calibrator_compat *crd__calibrator_compat_chosen(const crd_method_info *method,
                                                            const double *settings) {
  for (size_t i = 0; i < method->setting_count; i++) {
    char name[64];
    if (strcmp(method->settings[i].name, "compat") != 0) continue;
    crd__setting_text(&method->settings[i], settings[i], name, sizeof name);
    return find(name, strlen(name)); /* NULL for "none" */
  }
  return NULL;
}

/* Returns whether `word` is among the space-separated words. */
static bool among(const char *words, const char *word) {
  const size_t length = strlen(word);
  for (size_t here; *words; words += here + strspn(words + here, " ")) {
    here = strcspn(words, " ");
    if (here == length && strncmp(words, word, length) == 0) return true;
  }
  return false;
}

bool crd__calibrator_compat_clips(const crd__calibrator_compat *self,
                                  const crd_method_info *method) {
  return self->clips && among(self->clips, method->name);
}

crd_status crd__calibrator_compat_check(crd_context *ctx, const crd_method_info *method,
                                        const char *name, size_t length) {
  const crd__calibrator_compat *const row = find(name, length);
  if (!row || among(row->info.methods, method->name)) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s cannot be fitted like %s, which supports: %s", method->name,
                   row->info.name, row->info.methods);
}

bool crd__calibrator_compat_is_optimal(double derivative) { return derivative <= 1e-5; }

/* ---- Temperatures. */

typedef struct {
  const crd__calibrator_fit_data *data;
  double b;
} point;

enum { VALUE, SLOPE, TERMS };

static void add_rows(void *arg, size_t from, size_t to, double *sums) {
  const point *const at = arg;
  const size_t classes = at->data->classes;
  for (size_t i = from; i < to; i++) {
    const double *const z = at->data->logits + i * classes;
    const double weight = at->data->weights[i], own = z[at->data->labels[i]];
    double top = z[0], mass = 0, mean = 0;
    for (size_t k = 1; k < classes; k++) top = at->b < 0 ? fmin(top, z[k]) : fmax(top, z[k]);
    for (size_t k = 0; k < classes; k++) {
      const double d = z[k] - top, e = exp(at->b * d); /* b d <= 0: it cannot overflow */
      mass += e;
      mean += e * d;
    }
    sums[VALUE] += weight * (log(mass) - at->b * (own - top));
    sums[SLOPE] += weight * (mean / mass - (own - top));
  }
}

crd_status crd__calibrator_compat_evaluate(crd_context *ctx, const crd__calibrator_fit_data *data,
                                           double b, double *value, double *slope) {
  double sums[TERMS];
  CRD_TRY(crd__reduce(ctx, (crd__load){ data->rows, 16 * data->classes }, TERMS, add_rows,
                      &(point){ data, b }, sums));
  *value = sums[VALUE] / (double)data->rows;
  *slope = sums[SLOPE] / (double)data->rows;
  return CRD_OK;
}

crd_status crd__calibrator_compat_temperature(crd_context *ctx, const crd__calibrator_compat *self,
                                              const crd__calibrator_fit_data *data,
                                              double temperature, unsigned iterations,
                                              crd__calibrator_fitted *out) {
  crd_certificate *const certificate = &out->certificate;
  crd_certificate best = { 0 };
  char here[CRD__NUMBER_SIZE], there[CRD__NUMBER_SIZE];
  double optimum, slope;
  if (!(temperature > 0 && isfinite(temperature)))
    return crd__fail(ctx, CRD_ENUMERIC,
                     "%s ends at a temperature of %s on this data, which is not positive and "
                     "finite",
                     self->info.name, crd__number_brief(here, temperature, 5));
  CRD_TRY(crd__calibrator_temperature_fit(ctx, data, &optimum, &best));
  CRD_TRY(
      crd__calibrator_compat_evaluate(ctx, data, 1 / temperature, &certificate->objective, &slope));
  certificate->gradient_norm = fabs(slope);
  certificate->converged = crd__calibrator_compat_is_optimal(fabs(slope));
  certificate->iterations = iterations;
  certificate->separable = best.separable;
  snprintf(out->text, sizeof out->text,
           "%s ends at T %s, the maximum of the likelihood is at %s: %s", self->info.name,
           crd__number_brief(here, temperature, 5), crd__number_brief(there, optimum, 5),
           self->info.why);
  certificate->note = out->text;
  return crd__calibrator_learnt_add(ctx, &out->learnt, "temperature", &temperature, 1);
}
