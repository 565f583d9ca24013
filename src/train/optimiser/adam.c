/*
 * adam.c -- Adam, as torch.optim.Adam: adaptive.h, with weight decay as an L2 penalty.
 *
 * Kingma, Ba: Adam: a method for stochastic optimization (ICLR 2015).
 */
#include "train/optimiser/adaptive.h"

static void adam_step(const crd__train_update *update, const crd__train_span *span) {
  crd__train_adaptive_step(update, span, update->decay, 1);
}

static const crd_setting_info settings[] = {
  CRD__TRAIN_RATE_SETTING("1e-3"),
  CRD__TRAIN_DECAY_SETTING("weight decay, as an L2 penalty"),
  CRD__TRAIN_ADAPTIVE_SETTINGS,
};

const crd__train_optimiser crd__train_optimiser_adam = {
  .info = { .name = "adam",
            .summary = "Adam: steps scaled by running moments of the gradient",
            .reference = "Kingma, Ba: Adam: a method for stochastic optimization (ICLR 2015)",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .states = { "mean", "square" },
  .step = adam_step,
};
