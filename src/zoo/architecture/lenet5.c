/*
 * lenet5.c -- LeNet-5 with the layers of its paper and the functions of today.
 *
 *   conv1  6 maps, 5x5     f, pool 2x2
 *   conv2  16 maps, 5x5    f, pool 2x2
 *   fc1    120 units       f
 *   fc2    84 units        f
 *   fc3    the classes
 *
 * Images smaller than 32x32 are padded by 2 in conv1, as the paper pads digits of 28x28; images of
 * 28x28 and 32x32 then have 5x5 maps before fc1: 61,706 parameters for one channel and 10 classes.
 * Unlike the paper's, conv2 sees all maps of conv1 (there some: 60,000 parameters), pools have no
 * coefficients, and the last layer is linear instead of radial basis functions. f is ReLU and pools
 * take the maximum, weights are He's; activation=tanh and pooling=average are the paper's, the
 * former with weights drawn uniformly from +-2.4 / fan-in.
 */
#include "zoo/zoo.h"

enum { ACTIVATION, POOLING };

static crd_status lenet5_build(crd__zoo_builder *b) {
  const bool tanh = b->settings[ACTIVATION] > 0;
  const char *const function = tanh ? "Tanh" : "Relu";
  const char *const pool = b->settings[POOLING] > 0 ? "AveragePool" : "MaxPool";
  const crd__zoo_init init = tanh ? CRD__ZOO_LECUN : CRD__ZOO_HE;
  crd__zoo_tensor x = crd__zoo_input(b, CRD_SAMPLES_IMAGES);
  const bool small = x.dims[1] < 32 || x.dims[2] < 32;
  const crd__zoo_convolution conv1 = { .name = "conv1",
                                       .channels = 6,
                                       .kernel = 5,
                                       .padding = small ? 2 : 0,
                                       .bias = true,
                                       .init = init };
  const crd__zoo_convolution conv2 = {
    .name = "conv2", .channels = 16, .kernel = 5, .bias = true, .init = init
  };
  x = crd__zoo_pool(b, crd__zoo_apply(b, crd__zoo_conv(b, x, &conv1), function), pool, 2, 2);
  x = crd__zoo_conv(b, x, &conv2);
  crd__zoo_name_next(b, "conv");
  x = crd__zoo_pool(b, crd__zoo_apply(b, x, function), pool, 2, 2);
  x = crd__zoo_linear(b, crd__zoo_flatten(b, x), "fc1", 120, init);
  x = crd__zoo_linear(b, crd__zoo_apply(b, x, function), "fc2", 84, init);
  crd__zoo_name_next(b, "penultimate");
  x = crd__zoo_apply(b, x, function);
  crd__zoo_classify(b, x, "fc3", tanh ? init : CRD__ZOO_PLAIN);
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  [ACTIVATION] = { .name = "activation",
                   .help = "function after each layer",
                   .standard = "relu",
                   .words = "relu tanh" },
  [POOLING] = { .name = "pooling",
                .help = "what a pool takes of four values",
                .standard = "max",
                .words = "max average" },
};

const crd__zoo_architecture crd__zoo_lenet5 = {
  .info = { .name = "lenet5",
            .summary = "LeNet-5 with ReLUs and max-pools; from 12x12 images on",
            .reference = "LeCun et al.: Gradient-based learning applied to document recognition "
                         "(Proceedings of the IEEE 86, 1998)",
            .input = CRD_SAMPLES_IMAGES,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .least = 12,
  .build = lenet5_build,
};
