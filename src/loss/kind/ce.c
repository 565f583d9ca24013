/*
 * ce.c -- cross-entropy: l = -log p_y, for soft targets -sum t_k log p_k; dl/dz = p - t.
 *
 * Convex in the logits, and proper: its expectation is minimal at the true probabilities.
 */
#include "loss/term.h"

static crd__loss_row_loss one(const crd__loss_term *term, const crd__loss_batch *batch,
                              size_t row) {
  (void)term;
  return (crd__loss_row_loss){ .value = -batch->label_log[row], .slope = 1 };
}

static double ce_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                         const crd__loss_slopes *slopes) {
  return crd__loss_measure_rows(term, batch, slopes, one);
}

const crd__loss crd__loss_ce = {
  .info = { .name = "ce",
            .summary = "cross-entropy: -log of the true class's probability",
            .meaning = "The usual training loss. Proper, so calibrated unless overfitted; training "
                       "until it vanishes makes the network overconfident.",
            .reference = "Good: Rational decisions (JRSS B 14, 1952)",
            .soft_targets = 1,
            .grid = "" },
  .measure = ce_measure,
};
