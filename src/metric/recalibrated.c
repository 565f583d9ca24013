/* recalibrated.c -- proper losses before and after recalibration (recalibrated.h). */
#include "metric/recalibrated.h"

enum { BEFORE, AFTER, CELLS };

static size_t two_cells(const crd__metric_shape *shape) {
  (void)shape;
  return CELLS;
}

static void add_losses(crd__sum *cells, const crd__data_rows *rows, const double *before,
                       size_t loss) {
  for (size_t i = 0; rows->recalibrated && i < rows->count; i++) {
    crd__sum_add(&cells[BEFORE], rows->weight[i] * before[i]);
    crd__sum_add(&cells[AFTER], rows->weight[i] * rows->recalibrated[CRD__LOSSES * i + loss]);
  }
}

static void add_nll(crd__sum *cells, const crd__metric_shape *shape, const crd__data_rows *rows) {
  (void)shape;
  add_losses(cells, rows, rows->nll, CRD__LOSS_NLL);
}

static void add_brier(crd__sum *cells, const crd__metric_shape *shape, const crd__data_rows *rows) {
  (void)shape;
  add_losses(cells, rows, rows->brier, CRD__LOSS_BRIER);
}

static void add_top(crd__sum *cells, const crd__metric_shape *shape, const crd__data_rows *rows) {
  double before[CRD__BLOCK_ROWS];
  (void)shape;
  for (size_t i = 0; i < rows->count; i++) {
    const double error = rows->confidence[i] - rows->correct[i];
    before[i] = error * error;
  }
  add_losses(cells, rows, before, CRD__LOSS_TOP);
}

const crd__metric_tally crd__metric_recalibrated_nll = {
  .name = "recalibrated-nll", .needs = CRD__NEED_NLL, .cells = two_cells, .add = add_nll
};
const crd__metric_tally crd__metric_recalibrated_brier = {
  .name = "recalibrated-brier", .needs = CRD__NEED_BRIER, .cells = two_cells, .add = add_brier
};
const crd__metric_tally crd__metric_recalibrated_top = { .name = "recalibrated-top",
                                                         .cells = two_cells,
                                                         .add = add_top };

static crd__metric_answer unknown(void) {
  return crd__metric_answer_undefined("needs rows recalibrated by cross-validation, all together");
}

crd__metric_answer crd__metric_refinement(const crd__metric_facts *facts) {
  if (!facts->shape.recalibrated) return unknown();
  return crd__metric_answer_value(crd__sum_value(facts->cells[AFTER]) / facts->weight);
}

crd__metric_answer crd__metric_calibration(const crd__metric_facts *facts) {
  if (!facts->shape.recalibrated) return unknown();
  return crd__metric_answer_value(
      (crd__sum_value(facts->cells[BEFORE]) - crd__sum_value(facts->cells[AFTER])) / facts->weight);
}
