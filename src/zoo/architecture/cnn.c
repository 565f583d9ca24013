/*
 * cnn.c -- a small convolutional network: three times convolution 3x3, batch normalization, ReLU
 * and max-pool 2x2, of 16, 32 and 64 maps, then one fully connected layer.
 *
 * Convolutions have no bias, since the batch normalization behind them has one, and He's weights.
 * For 28x28 images of one channel and 10 classes it has 29,178 parameters.
 */
#include "zoo/zoo.h"

#include <stdio.h>

enum { WIDTH };

static crd_status cnn_build(crd__zoo_builder *b) {
  crd__zoo_tensor x = crd__zoo_input(b, CRD_SAMPLES_IMAGES);
  for (int i = 0; i < 3; i++) {
    char conv[16], norm[16];
    snprintf(conv, sizeof conv, "conv%d", i + 1);
    snprintf(norm, sizeof norm, "bn%d", i + 1);
    const crd__zoo_convolution how = {
      .name = conv, .channels = (int64_t)b->settings[WIDTH] << i, .kernel = 3, .padding = 1
    };
    x = crd__zoo_norm(b, crd__zoo_conv(b, x, &how), norm);
    if (i == 2) crd__zoo_name_next(b, "conv");
    x = crd__zoo_pool(b, crd__zoo_apply(b, x, "Relu"), "MaxPool", 2, 2);
  }
  crd__zoo_name_next(b, "penultimate");
  crd__zoo_classify(b, crd__zoo_flatten(b, x), "fc", CRD__ZOO_PLAIN);
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  [WIDTH] = { .name = "width",
              .help = "maps of the first convolution; the others have two and four times as many",
              .standard = "16",
              .low = 1,
              .high = 4096,
              .whole = 1 },
};

const crd__zoo_architecture crd__zoo_cnn = {
  .info = { .name = "cnn",
            .summary = "three convolutions with batch normalization and max-pools; small images",
            .reference = "Ioffe, Szegedy: Batch normalization (ICML 2015), for its layers",
            .input = CRD_SAMPLES_IMAGES,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .least = 8,
  .build = cnn_build,
};
