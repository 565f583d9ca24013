/*
 * wrn.c -- wide residual networks WRN-d-k: (d - 4) / 6 blocks on each of three sizes of maps, of
 * 16k, 32k and 64k maps.
 *
 *   conv1 3x3, 16 maps;  blocks;  bn, ReLU, global average pool;  the classes
 *   block: o = relu(bn(x));  y = conv(dropout(relu(bn(conv(o))))) + x
 *
 * In the first block of each size, where the shape changes, a convolution 1x1 of o takes the place
 * of x. Convolutions have no bias and weights of variance 2 / fan-out, as the paper's code draws
 * them. WRN-16-4 has 2,748,890 parameters for 10 classes (published: 2.8 M), WRN-28-10 36.5 M,
 * WRN-40-10 55.8 M.
 *   Zagoruyko, Komodakis: Wide residual networks (BMVC 2016).
 */
#include "zoo/zoo.h"

#include <stdio.h>

enum { DEPTH, WIDTH, DROPOUT };

/* Without bias; padding keeps the size. */
static crd__zoo_tensor convolve(crd__zoo_builder *b, crd__zoo_tensor x, const char *place,
                                const char *name, crd__zoo_convolution how) {
  char whole[64];
  snprintf(whole, sizeof whole, "%s%s", place, name);
  how.name = whole;
  how.padding = how.kernel / 2;
  how.init = CRD__ZOO_HE_OUT;
  return crd__zoo_conv(b, x, &how);
}

static crd__zoo_tensor activate(crd__zoo_builder *b, crd__zoo_tensor x, const char *place,
                                const char *name) {
  char whole[64];
  snprintf(whole, sizeof whole, "%s%s", place, name);
  return crd__zoo_apply(b, crd__zoo_norm(b, x, whole), "Relu");
}

static crd__zoo_tensor add_block(crd__zoo_builder *b, crd__zoo_tensor x, const char *place,
                                 int64_t channels, int64_t stride) {
  const crd__zoo_convolution first = { .channels = channels, .kernel = 3, .stride = stride };
  const crd__zoo_convolution second = { .channels = channels, .kernel = 3 };
  const crd__zoo_convolution shortcut = { .channels = channels, .kernel = 1, .stride = stride };
  const crd__zoo_tensor o = activate(b, x, place, "bn1");
  const bool same = x.dims[0] == channels && stride == 1;
  crd__zoo_tensor y = convolve(b, o, place, "conv1", first);
  y = crd__zoo_dropout(b, activate(b, y, place, "bn2"), b->settings[DROPOUT]);
  y = convolve(b, y, place, "conv2", second);
  return crd__zoo_add(b, y, same ? x : convolve(b, o, place, "shortcut", shortcut));
}

static crd_status wrn_build(crd__zoo_builder *b) {
  const int depth = (int)b->settings[DEPTH];
  const int64_t width = 16 * (int64_t)b->settings[WIDTH];
  if ((depth - 4) % 6)
    return crd__fail(b->ctx, CRD_EUSAGE,
                     "wrn: depth=%d, allowed are 10, 16, 22, 28 and so on: 6n+4", depth);
  crd__zoo_tensor x = crd__zoo_input(b, CRD_SAMPLES_IMAGES);
  x = convolve(b, x, "", "conv1", (crd__zoo_convolution){ .channels = 16, .kernel = 3 });
  for (int stage = 0; stage < 3; stage++)
    for (int i = 0; i < (depth - 4) / 6; i++) {
      char place[32];
      snprintf(place, sizeof place, "layer%d.%d.", stage + 1, i);
      x = add_block(b, x, place, width << stage, stage && !i ? 2 : 1);
    }
  x = crd__zoo_norm(b, x, "bn");
  crd__zoo_name_next(b, "conv");
  x = crd__zoo_apply(b, x, "Relu");
  crd__zoo_name_next(b, "penultimate");
  crd__zoo_classify(b, crd__zoo_pool_all(b, x, "GlobalAveragePool"), "linear", CRD__ZOO_PLAIN);
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  [DEPTH] = { .name = "depth",
              .help = "number of layers, 6n + 4",
              .standard = "16",
              .low = 10,
              .high = 1000,
              .whole = 1 },
  [WIDTH] = { .name = "width",
              .help = "factor k of the number of maps",
              .standard = "4",
              .low = 1,
              .high = 256,
              .whole = 1 },
  [DROPOUT] = { .name = "dropout",
                .help = "between the convolutions of a block; the paper: 0.3 on CIFAR, 0.4 on SVHN",
                .standard = "0",
                .low = 0,
                .high = 0.99 },
};

const crd__zoo_architecture crd__zoo_wrn = {
  .info = { .name = "wrn",
            .summary = "wide residual network WRN-16-4, or another depth and width",
            .reference = "Zagoruyko, Komodakis: Wide residual networks (BMVC 2016)",
            .input = CRD_SAMPLES_IMAGES,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .least = 8,
  .build = wrn_build,
};
