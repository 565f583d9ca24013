/*
 * resnet.c -- residual networks for CIFAR: 6n + 2 layers, n blocks on each of three sizes of maps.
 *
 *   conv1 3x3, 16 maps;  n blocks of 16, of 32 and of 64 maps;  global average pool;  the classes
 *   block: y = relu(bn(conv(relu(bn(conv(x))))) + shortcut(x))
 *
 * Where maps shrink, the first convolution has stride 2, and the shortcut is the paper's option A:
 * every second pixel, and zero maps in equal numbers before and behind. It has no parameters, so
 * that depths 20, 32, 44, 56 and 110 have 0.27, 0.46, 0.66, 0.85 and 1.7 million, as published
 * (ResNet-20: 269,722). All weights are drawn as He et al. (2015, b) do, also the last ones. Names
 * of parameters are those of the usual port to PyTorch.
 *   He, Zhang, Ren, Sun: Deep residual learning for image recognition (CVPR 2016), section 4.2.
 */
#include "zoo/zoo.h"

#include <stdio.h>

enum { WIDTH };

/* Every second pixel, as an average of one, which the engine runs faster than a Slice; zero maps on
 * both sides. */
static crd__zoo_tensor shorten(crd__zoo_builder *b, crd__zoo_tensor x, int64_t channels) {
  const int64_t more = channels - x.dims[0];
  const int64_t pads[] = { 0, more / 2, 0, 0, 0, more - more / 2, 0, 0 };
  x = crd__zoo_pool(b, x, "AveragePool", 1, 2);
  x.value = crd__onnx_graph_node(
      &b->graph, "Pad",
      (crd__onnx_graph_value[]){ x.value, crd__onnx_graph_int64s(&b->graph, pads, 8) }, 2, NULL);
  x.dims[0] = channels;
  return x;
}

static crd__zoo_tensor convolve(crd__zoo_builder *b, crd__zoo_tensor x, const char *place,
                                int number, int64_t channels, int64_t stride) {
  char conv[48], norm[48];
  snprintf(conv, sizeof conv, "%sconv%d", place, number);
  snprintf(norm, sizeof norm, "%sbn%d", place, number);
  const crd__zoo_convolution how = {
    .name = conv, .channels = channels, .kernel = 3, .stride = stride, .padding = 1
  };
  return crd__zoo_norm(b, crd__zoo_conv(b, x, &how), norm);
}

static crd__zoo_tensor add_block(crd__zoo_builder *b, crd__zoo_tensor x, const char *place,
                                 int64_t channels, int64_t stride, const char *as) {
  crd__zoo_tensor y = convolve(b, x, place, 1, channels, stride);
  y = convolve(b, crd__zoo_apply(b, y, "Relu"), place, 2, channels, 1);
  y = crd__zoo_add(b, y, stride > 1 ? shorten(b, x, channels) : x);
  crd__zoo_name_next(b, as);
  return crd__zoo_apply(b, y, "Relu");
}

static crd_status resnet_build(crd__zoo_builder *b) {
  const int64_t width = (int64_t)b->settings[WIDTH];
  const int blocks = (b->variant - 2) / 6;
  crd__zoo_tensor x = convolve(b, crd__zoo_input(b, CRD_SAMPLES_IMAGES), "", 1, width, 1);
  x = crd__zoo_apply(b, x, "Relu");
  for (int stage = 0; stage < 3; stage++)
    for (int i = 0; i < blocks; i++) {
      char place[32];
      snprintf(place, sizeof place, "layer%d.%d.", stage + 1, i);
      x = add_block(b, x, place, width << stage, stage && !i ? 2 : 1,
                    stage == 2 && i + 1 == blocks ? "conv" : NULL);
    }
  crd__zoo_name_next(b, "penultimate");
  crd__zoo_classify(b, crd__zoo_pool_all(b, x, "GlobalAveragePool"), "linear", CRD__ZOO_HE);
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  [WIDTH] = { .name = "width",
              .help = "maps of the first blocks; the others have two and four times as many",
              .standard = "16",
              .low = 1,
              .high = 4096,
              .whole = 1 },
};

#define RESNET(depth, size)                                                                        \
  const crd__zoo_architecture crd__zoo_resnet##depth = {                                           \
    .info = { .name = "resnet" #depth,                                                             \
              .summary = "residual network for CIFAR of " #depth " layers, " size " parameters",   \
              .reference = "He et al.: Deep residual learning for image recognition (CVPR 2016)",  \
              .input = CRD_SAMPLES_IMAGES,                                                         \
              .setting_count = sizeof settings / sizeof *settings,                                 \
              .settings = settings },                                                              \
    .variant = (depth),                                                                            \
    .least = 8,                                                                                    \
    .build = resnet_build,                                                                         \
  }
RESNET(8, "75 k");
RESNET(14, "0.17 M");
RESNET(20, "0.27 M");
RESNET(32, "0.46 M");
RESNET(44, "0.66 M");
RESNET(56, "0.85 M");
RESNET(110, "1.7 M");
