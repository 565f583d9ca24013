/*
 * text_cnn.c -- a convolutional network over tokens, with eight layers of weights:
 *
 *   1  embedding  words x 100           learnt with the rest
 *   2  conv1      128 maps, 5 tokens    max-pool 4
 *   3  conv2      128 maps, 5 tokens    max-pool 4
 *   4  conv3      128 maps, 5 tokens
 *   5  conv4      128 maps, 5 tokens
 *   6  conv5      128 maps, 5 tokens    average (or maximum) over the text
 *   7  fc1        128 units             ReLU, dropout
 *   8  fc2        the classes
 *
 * Convolutions keep the length, and are followed by batch normalization and ReLU. Wang et al. train
 * a 1-D CNN of eight layers on 20 Newsgroups, and describe it in an appendix that is not at hand;
 * widths, kernels and fc1 are those of Kumar et al., who have three convolutions and embeddings
 * that are not learnt. Five convolutions did not learn within an epoch without normalization, and
 * slowly with the maximum over the text, which is nearly the same for all texts at first.
 *   Wang, Feng, Zhang: Rethinking calibration of deep neural networks: do not be afraid of
 *   overconfidence (NeurIPS 2021). Kumar, Sarawagi, Jain: Trainable calibration measures for neural
 *   networks from kernel mean embeddings (ICML 2018).
 */
#include "zoo/zoo.h"

#include <stdio.h>

enum { EMBEDDING, WIDTH, POOLING, DROPOUT, CONVOLUTIONS = 5, POOLED = 2 };

static crd__zoo_tensor convolve(crd__zoo_builder *b, crd__zoo_tensor x, int number,
                                const char *as) {
  char conv[24], norm[24];
  snprintf(conv, sizeof conv, "conv%d", number);
  snprintf(norm, sizeof norm, "bn%d", number);
  const crd__zoo_convolution how = {
    .name = conv, .channels = (int64_t)b->settings[WIDTH], .kernel = 5, .padding = 2
  };
  x = crd__zoo_norm(b, crd__zoo_conv(b, x, &how), norm);
  crd__zoo_name_next(b, as);
  return crd__zoo_apply(b, x, "Relu");
}

static crd_status text_cnn_build(crd__zoo_builder *b) {
  const char *const pool = b->settings[POOLING] > 0 ? "GlobalMaxPool" : "GlobalAveragePool";
  crd__zoo_tensor x = crd__zoo_input(b, CRD_SAMPLES_TEXTS);
  x = crd__zoo_embed(b, x, "embedding", (int64_t)b->shape->words, (int64_t)b->settings[EMBEDDING]);
  for (int i = 1; i <= CONVOLUTIONS; i++) {
    x = convolve(b, x, i, i == CONVOLUTIONS ? "conv" : NULL);
    if (i <= POOLED) x = crd__zoo_pool(b, x, "MaxPool", 4, 4);
  }
  x = crd__zoo_pool_all(b, x, pool);
  x = crd__zoo_linear(b, x, "fc1", (int64_t)b->settings[WIDTH], CRD__ZOO_HE);
  crd__zoo_name_next(b, "penultimate");
  x = crd__zoo_dropout(b, crd__zoo_apply(b, x, "Relu"), b->settings[DROPOUT]);
  crd__zoo_classify(b, x, "fc2", CRD__ZOO_PLAIN);
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  [EMBEDDING] = { .name = "embedding",
                  .help = "numbers that stand for a token",
                  .standard = "100",
                  .low = 1,
                  .high = 4096,
                  .whole = 1 },
  [WIDTH] = { .name = "width",
              .help = "maps of each convolution, and units of the hidden layer",
              .standard = "128",
              .low = 1,
              .high = 4096,
              .whole = 1 },
  [POOLING] = { .name = "pooling",
                .help = "what is taken of the last maps over the whole text",
                .standard = "average",
                .words = "average max" },
  [DROPOUT] = { .name = "dropout",
                .help = "before the last layer",
                .standard = "0.5",
                .low = 0,
                .high = 0.99 },
};

const crd__zoo_architecture crd__zoo_text_cnn = {
  .info = { .name = "text-cnn",
            .summary = "convolutions over tokens with a learnt embedding, eight layers of weights",
            .reference =
                "Kumar, Sarawagi, Jain: Trainable calibration measures for neural networks "
                "from kernel mean embeddings (ICML 2018), for the kinds of its layers",
            .input = CRD_SAMPLES_TEXTS,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .build = text_cnn_build,
};
