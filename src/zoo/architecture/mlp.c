/*
 * mlp.c -- a multilayer perceptron: h = f(W x + b) for each hidden layer, then the logits.
 *
 * Samples of any shape are flattened. Weights before ReLUs are drawn as He et al. (2015) do, before
 * tanh as Glorot and Bengio (2010) do. Rumelhart, Hinton, Williams: Learning representations by
 * back-propagating errors (Nature 323, 1986).
 */
#include "zoo/zoo.h"

#include <stdio.h>

enum { HIDDEN, ACTIVATION, DROPOUT };

static crd_status mlp_build(crd__zoo_builder *b) {
  const bool tanh = b->settings[ACTIVATION] > 0;
  crd__zoo_tensor x = crd__zoo_flatten(b, crd__zoo_input(b, CRD_SAMPLES_VECTORS));
  char name[24];
  for (size_t i = 0; i < b->list_count; i++) {
    snprintf(name, sizeof name, "fc%zu", i + 1);
    x = crd__zoo_linear(b, x, name, (int64_t)b->list[i], tanh ? CRD__ZOO_GLOROT : CRD__ZOO_HE);
    if (i + 1 == b->list_count) crd__zoo_name_next(b, "penultimate");
    x = crd__zoo_apply(b, x, tanh ? "Tanh" : "Relu");
    x = crd__zoo_dropout(b, x, b->settings[DROPOUT]);
  }
  snprintf(name, sizeof name, "fc%zu", b->list_count + 1);
  crd__zoo_classify(b, x, name, CRD__ZOO_PLAIN);
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  [HIDDEN] = { .name = "hidden",
               .help = "width of each hidden layer",
               .standard = "128,128",
               .low = 1,
               .high = 1048576,
               .whole = 1,
               .list = 1 },
  [ACTIVATION] = { .name = "activation",
                   .help = "function of the hidden layers",
                   .standard = "relu",
                   .words = "relu tanh" },
  [DROPOUT] = { .name = "dropout",
                .help = "probability with which a hidden unit is dropped in training",
                .standard = "0",
                .low = 0,
                .high = 0.99 },
};

const crd__zoo_architecture crd__zoo_mlp = {
  .info = { .name = "mlp",
            .summary = "multilayer perceptron; for vectors, and other samples flattened",
            .reference = "Rumelhart et al.: Learning representations by back-propagating errors "
                         "(Nature 323, 1986)",
            .input = CRD_SAMPLES_VECTORS,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .build = mlp_build,
};
