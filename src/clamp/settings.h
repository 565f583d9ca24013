/* settings.h -- the settings of a fit, as a table and parsed. */
#ifndef CRD_CLAMP_SETTINGS_H
#define CRD_CLAMP_SETTINGS_H

#include "base/text.h"
#include "credence/clamp.h"

typedef enum { CRD__CLAMP_LBFGS, CRD__CLAMP_SGD, CRD__CLAMP_ADAM } crd__clamp_optimiser;
typedef enum {
  CRD__CLAMP_ZERO,
  CRD__CLAMP_RANDOM,
  CRD__CLAMP_ENTROPY,
  CRD__CLAMP_LOGITS
} crd__clamp_start;

typedef enum { CRD__CLAMP_GIVEN, CRD__CLAMP_HELD_OUT, CRD__CLAMP_IN_SAMPLE } crd__clamp_rule;

/* In the order of the table: each is a number, or the index of a word. */
typedef struct {
  double gamma;
  double lambda;    /* CRD__CLAMP_AUTO: by cross-validation; infinity: no perturbation */
  double unit;      /* non-zero: lambda is the weight itself, not a multiple of the initial loss */
  double norm;      /* non-zero: the penalty is |delta|, not its square */
  double sum;       /* non-zero: losses are summed over the rows */
  double start;     /* a crd__clamp_start */
  double spread;    /* standard deviation of a random start */
  double fixed;     /* non-zero: delta stays at its start */
  double optimiser; /* a crd__clamp_optimiser */
  double passes;
  double rate, momentum, batch, epochs; /* of mini-batches */
  double project, low, high;            /* range of valid inputs, before normalisation */
} crd__clamp_settings;

#define CRD__CLAMP_AUTO (-1.0)

/* Parses recipe and settings. CRD_EUSAGE. */
crd_status crd__clamp_settings_read(crd_context *ctx, const crd_clamp_options *options,
                                    crd__clamp_settings *out);
/* Sets the rule that chooses gamma. CRD_EUSAGE if it is unknown, or contradicts the settings. */
crd_status crd__clamp_rule_read(crd_context *ctx, const crd_clamp_options *options,
                                const crd__clamp_settings *settings, crd__clamp_rule *out);
/* Returns the name of a rule; NULL for CRD__CLAMP_GIVEN. */
const char *crd__clamp_rule_name(crd__clamp_rule rule);
/* Appends all of them, "gamma=0,lambda=1,...". */
void crd__clamp_settings_spell(const crd__clamp_settings *settings, crd__text *text);

#endif
