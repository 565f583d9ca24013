/* settings.c -- the settings of a fit, and the recipes of publications. */
#include "clamp/settings.h"
#include "base/nearest.h"
#include "base/options.h"
#include "base/settings.h"
#include "base/table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const crd_setting_info table[] = {
  { .name = "gamma",
    .help = "focusing parameter of the loss; 0 is the likelihood",
    .standard = "0",
    .low = 0,
    .high = 100 },
  { .name = "lambda",
    .help = "weight of the penalty, as a multiple of the initial loss; auto: of 0.1, 1, 10, 100 "
            "and infinite the best by cross-validation; infinite: temperature scaling",
    .standard = "auto",
    .words = "auto infinite",
    .low = 0,
    .high = 1e12 },
  { .name = "unit",
    .help = "what lambda is a multiple of: the initial loss, or 1",
    .standard = "loss",
    .words = "loss one" },
  { .name = "penalty",
    .help = "the squared Euclidean norm of delta, or the norm itself",
    .standard = "square",
    .words = "square norm" },
  { .name = "reduction",
    .help = "the loss is a mean over the rows, or their sum, as in the paper",
    .standard = "mean",
    .words = "mean sum" },
  { .name = "start",
    .help = "where delta begins: zero; random; entropy, in the direction of growing entropy up to "
            "the valid range (Theorem 3.2); logits, the mean gradient of the sum of all logits",
    .standard = "zero",
    .words = "zero random entropy logits" },
  { .name = "spread",
    .help = "standard deviation of a random start",
    .standard = "0.01",
    .low = 0,
    .high = 1e6 },
  { .name = "fit",
    .help = "both, or the temperature alone, with delta as it starts",
    .standard = "both",
    .words = "both temperature" },
  { .name = "optimiser",
    .help = "lbfgs on all rows, with the exact temperature after every pass; or sgd or adam on "
            "mini-batches, for delta and T alike",
    .standard = "lbfgs",
    .words = "lbfgs sgd adam" },
  { .name = "passes",
    .help = "lbfgs: largest number of passes over the data",
    .standard = "60",
    .low = 1,
    .high = 1e6,
    .whole = 1 },
  { .name = "rate",
    .help = "sgd, adam: learning rate",
    .standard = "0.001",
    .low = 0,
    .high = 1e6 },
  { .name = "momentum", .help = "sgd: momentum", .standard = "0", .low = 0, .high = 1 },
  { .name = "batch",
    .help = "sgd, adam: rows of a step",
    .standard = "512",
    .low = 1,
    .high = 1e9,
    .whole = 1 },
  { .name = "epochs",
    .help = "sgd, adam: passes over the data",
    .standard = "100",
    .low = 1,
    .high = 1e6,
    .whole = 1 },
  { .name = "project",
    .help = "project perturbed inputs to the valid range",
    .standard = "no",
    .words = "no yes" },
  { .name = "low",
    .help = "least valid input, before normalisation",
    .standard = "0",
    .low = -1e30,
    .high = 1e30 },
  { .name = "high",
    .help = "largest valid input, before normalisation",
    .standard = "1",
    .low = -1e30,
    .high = 1e30 },
};
enum { COUNT = sizeof table / sizeof *table };

static const crd_clamp_recipe recipes[] = {
  { .name = "paper",
    .summary = "as the paper describes it: focal loss, SGD on batches of 512, 100 epochs",
    .settings = "gamma=1,lambda=0.1,start=random,spread=0.01,optimiser=sgd,rate=0.001,momentum=0,"
                "batch=512,epochs=100" },
  { .name = "reference",
    .summary = "as the authors' code does it: |delta| not squared, momentum, batches of 1000",
    .settings = "gamma=0,lambda=0.01,unit=one,penalty=norm,start=random,spread=0.001,"
                "optimiser=sgd,rate=0.01,momentum=0.9,batch=1000,epochs=100" },
};

CRD_TABLE(clamp_setting, crd_setting_info, COUNT, &table[index])

CRD_TABLE(clamp_recipe, crd_clamp_recipe, sizeof recipes / sizeof *recipes, &recipes[index])
CRD_TABLE_NAME(clamp_recipe)

static crd_status find_recipe(crd_context *ctx, const char *name, const char **settings) {
  *settings = NULL;
  for (size_t i = 0; name && i < sizeof recipes / sizeof *recipes; i++)
    if (strcmp(recipes[i].name, name) == 0) *settings = recipes[i].settings;
  if (!name || *settings) return CRD_OK;
  const char *const near = crd_nearest(name, clamp_recipe_name, NULL);
  return crd__fail(ctx, CRD_EUSAGE, "%s is '%.60s', allowed are paper and reference%s%s%s",
                   crd__spell(ctx, "recipe"), name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

crd_status crd__clamp_settings_read(crd_context *ctx, const crd_clamp_options *options,
                                    crd__clamp_settings *out) {
  const crd__setting_table all = { .owner = "clamp", .count = COUNT, .items = table };
  double values[COUNT];
  const char *recipe;
  static_assert(sizeof *out == sizeof values, "a field for each setting");
  CRD_TRY(find_recipe(ctx, options->recipe, &recipe));
  CRD_TRY(crd__settings_standard(ctx, &all, values, NULL));
  CRD_TRY(crd__settings_read(ctx, &all, recipe, values, NULL));
  CRD_TRY(crd__settings_read(ctx, &all, options->settings, values, NULL));
  memcpy(out, values, sizeof values);
  if (out->lambda == CRD__CLAMP_AUTO - 1) out->lambda = (double)INFINITY;
  const bool other = out->unit > 0 || out->sum > 0 || out->optimiser != CRD__CLAMP_LBFGS;
  if (out->lambda == CRD__CLAMP_AUTO && out->fixed == 0 && other)
    return crd__fail(ctx, CRD_EUSAGE,
                     "lambda=auto needs optimiser=lbfgs, unit=loss and reduction=mean; give lambda "
                     "a number");
  if (options->augment && out->optimiser == CRD__CLAMP_LBFGS)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s transforms the images of mini-batches: it needs optimiser=sgd or adam",
                     crd__spell(ctx, "augment"));
  if (out->low < out->high) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "the range of valid inputs is empty: low must be below high");
}

/* ---- The rule that chooses gamma. */

static const char *const rules[] = { [CRD__CLAMP_GIVEN] = NULL,
                                     [CRD__CLAMP_HELD_OUT] = "held-out",
                                     [CRD__CLAMP_IN_SAMPLE] = "in-sample" };
enum { RULES = sizeof rules / sizeof *rules };

const char *crd__clamp_rule_name(crd__clamp_rule rule) { return rules[rule]; }

static bool is_given(const char *settings, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = settings; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && at[length] == '=') return true;
  return false;
}

crd_status crd__clamp_rule_read(crd_context *ctx, const crd_clamp_options *options,
                                const crd__clamp_settings *settings, crd__clamp_rule *out) {
  const char *const name = options->select, *const spelled = crd__spell(ctx, "select");
  *out = CRD__CLAMP_GIVEN;
  if (!name) return CRD_OK;
  for (size_t i = 1; i < RULES; i++)
    if (strcmp(rules[i], name) == 0) *out = (crd__clamp_rule)i;
  if (*out == CRD__CLAMP_GIVEN)
    return crd__fail(ctx, CRD_EUSAGE, "%s is '%.60s', allowed are held-out and in-sample", spelled,
                     name);
  if (settings->optimiser != CRD__CLAMP_LBFGS || settings->fixed > 0)
    return crd__fail(ctx, CRD_EUSAGE, "%s needs optimiser=lbfgs and fit=both", spelled);
  if (options->settings && is_given(options->settings, "gamma"))
    return crd__fail(ctx, CRD_EUSAGE, "%s chooses gamma: leave it out of the settings", spelled);
  return CRD_OK;
}

void crd__clamp_settings_spell(const crd__clamp_settings *settings, crd__text *text) {
  double values[COUNT];
  memcpy(values, settings, sizeof values);
  for (size_t i = 0; i < COUNT; i++) {
    char value[64];
    if (isinf(values[i])) snprintf(value, sizeof value, "infinite");
    else crd__setting_text(&table[i], values[i], value, sizeof value);
    crd__text_addf(text, "%s%s=%s", i ? "," : "", table[i].name, value);
  }
}

crd_status crd_clamp_check(crd_context *ctx, const crd_clamp_options *options) {
  crd_clamp_options own;
  crd__clamp_settings settings;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_clamp_options, options, &own));
  return crd__clamp_settings_read(ctx, &own, &settings);
}
