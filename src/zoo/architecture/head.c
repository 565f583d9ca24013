/*
 * head.c -- a classifier on features of a frozen network.
 *
 * Features (channels, height, width): conv 1x1 to half the channels, batch normalization, leaky
 * ReLU, max-pool 2x2 with stride 1; then, and for features (channels) only: dropout, fc1, ReLU,
 * dropout, fc2. The paper gives neither the number of channels nor that of hidden units, which are
 * those of its code here (256). The slope of the leaky ReLU is 0.01.
 *   Liang, Zhang, Wang, Jacobs: Improved trainable calibration method for neural networks on
 * medical imaging classification (BMVC 2020), section S2.
 */
#include "zoo/zoo.h"

enum { HIDDEN, DROPOUT };

static crd_status head_build(crd__zoo_builder *b) {
  const double dropout = b->settings[DROPOUT];
  crd__zoo_tensor x = crd__zoo_input(b, CRD_SAMPLES_VECTORS);
  if (x.rank != 1 && x.rank != 3)
    return crd__fail(b->ctx, CRD_EUSAGE,
                     "head takes features (channels) or (channels, height, width); these have %zu "
                     "dimensions",
                     x.rank);
  if (x.rank == 3) {
    const crd__zoo_convolution how = { .name = "conv1",
                                       .channels = (x.dims[0] + 1) / 2,
                                       .kernel = 1 };
    x = crd__zoo_norm(b, crd__zoo_conv(b, x, &how), "bn1");
    crd__zoo_name_next(b, "conv");
    x = crd__zoo_pool(b, crd__zoo_apply(b, x, "LeakyRelu"), "MaxPool", 2, 1);
  }
  x = crd__zoo_dropout(b, crd__zoo_flatten(b, x), dropout);
  x = crd__zoo_linear(b, x, "fc1", (int64_t)b->settings[HIDDEN], CRD__ZOO_HE);
  crd__zoo_name_next(b, "penultimate");
  x = crd__zoo_dropout(b, crd__zoo_apply(b, x, "Relu"), dropout);
  crd__zoo_classify(b, x, "fc2", CRD__ZOO_PLAIN);
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  [HIDDEN] = { .name = "hidden",
               .help = "units of the hidden layer",
               .standard = "256",
               .low = 1,
               .high = 65536,
               .whole = 1 },
  [DROPOUT] = { .name = "dropout",
                .help = "before each fully connected layer",
                .standard = "0.5",
                .low = 0,
                .high = 0.99 },
};

const crd__zoo_architecture crd__zoo_head = {
  .info = { .name = "head",
            .summary = "convolution 1x1 and two fully connected layers, for features of a network",
            .reference = "Liang et al.: Improved trainable calibration method for neural networks "
                         "on medical imaging classification (BMVC 2020)",
            .input = CRD_SAMPLES_VECTORS,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .build = head_build,
};
