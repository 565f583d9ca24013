/*
 * sgd.c -- stochastic gradient descent with momentum, as torch.optim.SGD.
 *
 *   g <- g + decay p;  v <- momentum v + g;  p <- p - rate v
 *   nesterov=yes:      p <- p - rate (g + momentum v)
 *
 * The rate is not inside v: a schedule acts at once. Weight decay is an L2 penalty.
 * Sutskever, Martens, Dahl, Hinton: On the importance of initialization and momentum in deep
 * learning (ICML 2013).
 */
#include "train/optimiser.h"

enum { MOMENTUM = CRD__TRAIN_OWN, NESTEROV };

static void sgd_step(const crd__train_update *u, const crd__train_span *span) {
  const float rate = (float)u->rate, decay = (float)u->decay, scale = u->scale;
  const float momentum = (float)u->settings[MOMENTUM];
  const bool nesterov = u->settings[NESTEROV] > 0;
  const float *restrict const gradient = span->gradient;
  float *restrict const values = span->values, *restrict const velocity = span->state[0];
  for (size_t i = 0; i < span->count; i++) {
    const float g = gradient[i] * scale + decay * values[i];
    const float v = momentum * velocity[i] + g;
    velocity[i] = v;
    values[i] -= rate * (nesterov ? g + momentum * v : v);
  }
}

static const crd_setting_info settings[] = {
  CRD__TRAIN_RATE_SETTING("0.1"),
  CRD__TRAIN_DECAY_SETTING("weight decay, as an L2 penalty"),
  { .name = "momentum", .help = "decay of the velocity", .standard = "0.9", .low = 0, .high = 1 },
  { .name = "nesterov", .help = "Nesterov's momentum", .standard = "no", .words = "no yes" },
};

const crd__train_optimiser crd__train_optimiser_sgd = {
  .info = { .name = "sgd",
            .summary = "stochastic gradient descent with momentum",
            .reference = "Sutskever et al.: On the importance of initialization and momentum in "
                         "deep learning (ICML 2013)",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .states = { "velocity" },
  .step = sgd_step,
};
