/*
 * vgg16bn.c -- VGG-16 with batch normalization, for small images.
 *
 *   2 x 64, pool, 2 x 128, pool, 3 x 256, pool, 3 x 512, pool, 3 x 512, pool, fc1 512, the classes
 *
 * Each convolution is 3x3 with bias, batch normalization and ReLU; the 13 of them have 14,714,688
 * parameters, as those of the paper's configuration D. Pools are 2x2; the last takes the maximum of
 * the whole map, which is the same for 32x32 pixels, and lets other sizes in. One hidden layer of
 * 512 units with dropout stands for the two of 4096, as is usual for CIFAR: 14,990,922 parameters
 * for 3 channels and 10 classes. Convolutions have weights of variance 2 / fan-out.
 *   Simonyan, Zisserman: Very deep convolutional networks for large-scale image recognition (ICLR
 *   2015). Liu, Deng: Very deep convolutional neural network based image classification using small
 *   training sample size (ACPR 2015), for the layers behind.
 */
#include "zoo/zoo.h"

#include <stdio.h>

enum { WIDTH, HIDDEN, DROPOUT };

static crd__zoo_tensor convolve(crd__zoo_builder *b, crd__zoo_tensor x, int64_t channels, int stage,
                                int number, bool last) {
  char conv[32], norm[32];
  snprintf(conv, sizeof conv, "conv%d_%d", stage, number);
  snprintf(norm, sizeof norm, "bn%d_%d", stage, number);
  const crd__zoo_convolution how = { .name = conv,
                                     .channels = channels,
                                     .kernel = 3,
                                     .padding = 1,
                                     .bias = true,
                                     .init = CRD__ZOO_HE_OUT };
  x = crd__zoo_norm(b, crd__zoo_conv(b, x, &how), norm);
  if (last) crd__zoo_name_next(b, "conv");
  return crd__zoo_apply(b, x, "Relu");
}

static crd_status vgg16bn_build(crd__zoo_builder *b) {
  static const struct {
    int convolutions, factor;
  } stages[] = { { 2, 1 }, { 2, 2 }, { 3, 4 }, { 3, 8 }, { 3, 8 } };
  const int64_t width = (int64_t)b->settings[WIDTH];
  const double dropout = b->settings[DROPOUT];
  crd__zoo_tensor x = crd__zoo_input(b, CRD_SAMPLES_IMAGES);
  for (int s = 0; s < 5; s++) {
    for (int i = 0; i < stages[s].convolutions; i++)
      x = convolve(b, x, width * stages[s].factor, s + 1, i + 1, s == 4 && i == 2);
    if (s < 4) x = crd__zoo_pool(b, x, "MaxPool", 2, 2);
  }
  x = crd__zoo_dropout(b, crd__zoo_pool_all(b, x, "GlobalMaxPool"), dropout);
  x = crd__zoo_linear(b, x, "fc1", (int64_t)b->settings[HIDDEN], CRD__ZOO_HE);
  crd__zoo_name_next(b, "penultimate");
  x = crd__zoo_dropout(b, crd__zoo_apply(b, x, "Relu"), dropout);
  crd__zoo_classify(b, x, "fc2", CRD__ZOO_PLAIN);
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  [WIDTH] = { .name = "width",
              .help = "maps of the first convolutions; the last have eight times as many",
              .standard = "64",
              .low = 1,
              .high = 1024,
              .whole = 1 },
  [HIDDEN] = { .name = "hidden",
               .help = "units of the hidden layer behind the convolutions",
               .standard = "512",
               .low = 1,
               .high = 65536,
               .whole = 1 },
  [DROPOUT] = { .name = "dropout",
                .help = "before and behind the hidden layer",
                .standard = "0.5",
                .low = 0,
                .high = 0.99 },
};

const crd__zoo_architecture crd__zoo_vgg16bn = {
  .info = { .name = "vgg16bn",
            .summary = "VGG-16 with batch normalization, for small images, 15 M parameters",
            .reference = "Simonyan, Zisserman: Very deep convolutional networks for large-scale "
                         "image recognition (ICLR 2015)",
            .input = CRD_SAMPLES_IMAGES,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .least = 16,
  .build = vgg16bn_build,
};
