/*
 * delong.c -- DeLong's test for the difference of two aurocs on the same rows.
 *
 * With m correct and n wrong rows, a correct row's component V is the share of wrong rows below it,
 * a wrong row's the share of correct rows above it, ties counting half; the mean of either kind is
 * the auroc, theta. A row's part is
 *   (V - theta) / sqrt(m (m - 1)) if it is correct, (V - theta) / sqrt(n (n - 1)) if it is wrong,
 * and with parts x of one side and y of the other
 *   Var(theta_y - theta_x) = sum_i (y_i - x_i)^2,  z = (theta_y - theta_x) / sqrt(Var).
 *
 * Where both sides are correct on the same rows (before and after a calibrator, or for class 1 of
 * binary scores) this is the estimate of DeLong et al. 1988, S10 / m + S01 / n with divisors m - 1
 * and n - 1. That estimate assumes a common m and n, which two models that are correct on different
 * rows do not have; but up to the -1 the parts are the rows' influence functions on theta,
 * (V - theta) / P(correct) or (V - theta) / P(wrong), over N, and these can be paired row by row
 * whether or not both sides are correct on a row.
 */
#include "math/brownian.h"
#include "metric/pairs.h"

/* Returns theta, and sets the parts, sorted by row index. */
static double divide(const crd__metric_side *side) {
  const crd__metric_ranking *const r = side->ranking;
  const crd__metric_ties all = crd__metric_ties_total(r);
  const double theta = crd__metric_ordered_pairs(r) / all.right / all.wrong;
  const double right = sqrt(all.right * (all.right - 1)), wrong = sqrt(all.wrong * (all.wrong - 1));
  double right_above = all.right, wrong_below = 0;
  for (crd__metric_ties t = crd__metric_ties_lowest(r); t.count; t = crd__metric_ties_next(r, t)) {
    right_above -= t.right;
    const double of_right = (wrong_below + t.wrong / 2) / all.wrong;
    const double of_wrong = (right_above + t.right / 2) / all.right;
    for (size_t i = t.from; i < t.from + t.count; i++)
      crd__metric_part_set(side, i,
                           crd__metric_ranking_correct(r, i) ? (of_right - theta) / right
                                                             : (of_wrong - theta) / wrong);
    wrong_below += t.wrong;
  }
  crd__metric_parts_sort(side);
  return theta;
}

static bool divisible(const crd__metric_ranking *ranking) {
  const crd__metric_ties all = crd__metric_ties_total(ranking);
  return all.right >= 2 && all.wrong >= 2;
}

static crd__metric_answer p(const crd__metric_side *mine, const crd__metric_side *other) {
  if (!divisible(mine->ranking) || !divisible(other->ranking))
    return crd__metric_none("needs two correct and two wrong predictions on either side");
  const double mine_theta = divide(mine), difference = divide(other) - mine_theta;
  double variance = 0;
  for (size_t i = 0; i < mine->ranking->count; i++) {
    const double distance = crd__metric_part_at(other, i) - crd__metric_part_at(mine, i);
    variance += distance * distance;
  }
  if (difference == 0) return crd__metric_answer_value(1);
  if (!(variance > 0)) return crd__metric_none("finds a difference without variance");
  return crd__metric_answer_value(crd__math_normal_p(difference / sqrt(variance)));
}

const crd__metric_paired_test crd__metric_delong = { .name = "DeLong", .p = p };
