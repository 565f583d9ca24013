/*
 * adamw.c -- AdamW, as torch.optim.AdamW: adaptive.h, with weight decay apart from the gradient:
 *
 *   p <- (1 - rate decay) p, then Adam's step
 *
 * Loshchilov, Hutter: Decoupled weight decay regularization (ICLR 2019).
 */
#include "train/optimiser/adaptive.h"

static void adamw_step(const crd__train_update *update, const crd__train_span *span) {
  crd__train_adaptive_step(update, span, 0, 1 - update->rate * update->decay);
}

static const crd_setting_info settings[] = {
  CRD__TRAIN_RATE_SETTING("1e-3"),
  CRD__TRAIN_DECAY_SETTING("weight decay, times the rate"),
  CRD__TRAIN_ADAPTIVE_SETTINGS,
};

const crd__train_optimiser crd__train_optimiser_adamw = {
  .info = { .name = "adamw",
            .summary = "Adam with weight decay apart from the gradient",
            .reference = "Loshchilov, Hutter: Decoupled weight decay regularization (ICLR 2019)",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .states = { "mean", "square" },
  .step = adamw_step,
};
