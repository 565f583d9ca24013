/* cross.c -- calibration and test rows of a contest: two sets, a split, or cross-validation. */
#include "contest/cross.h"
#include "base/memory.h"
#include "base/options.h"
#include "calibrator/calibrator.h"
#include "calibrator/zero.h"
#include "data/array.h"
#include "data/groups.h"

#include <math.h>
#include <string.h>

/* Picks the rows of a fold, or all others. */
static crd_status pick_fold(crd_context *ctx, const crd_predictions *p, const unsigned *fold,
                            unsigned which, bool others, crd_predictions **out) {
  const size_t rows = crd_predictions_rows(p);
  size_t *chosen, count = 0;
  CRD_TRY(crd__new(ctx, rows, sizeof *chosen, "rows", &chosen));
  for (size_t i = 0; i < rows; i++)
    if ((fold[i] == which) != others) chosen[count++] = i;
  const crd_status status = crd__data_predictions_pick(ctx, p, chosen, count, out);
  crd__free(&ctx->alloc, chosen);
  return status;
}

/* ---- Cross-validation. */

/* The calibrated predictions of all folds, by row. */
typedef struct {
  double *probabilities, *confidence;
  size_t *predicted;
} storage;

static void release(const crd_allocator *alloc, void *keeper) {
  storage *const s = keeper;
  crd__free(alloc, s->probabilities);
  crd__free(alloc, s->confidence);
  crd__free(alloc, s->predicted);
  crd__free(alloc, s);
}

/* Applies a calibrator to the rows of a fold, and stores the results at these rows. */
static crd_status scatter(crd_context *ctx, const crd_calibrator *c, const crd_predictions *part,
                          storage *s, bool *gives_zero) {
  const size_t rows = crd_predictions_rows(part), classes = crd_predictions_classes(part);
  const size_t width = classes ? classes : 1;
  storage here = { 0 };
  crd_status status =
      crd__new(ctx, rows * width, sizeof(double), "probabilities", &here.probabilities);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof(double), "rows", &here.confidence);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof(size_t), "rows", &here.predicted);
  if (status == CRD_OK)
    status = crd_calibrator_apply(ctx, c, part, 0, rows, here.probabilities, here.confidence,
                                  here.predicted);
  bool zero = false;
  if (status == CRD_OK)
    status = crd__calibrator_can_give_zero(ctx, c, here.probabilities, rows * width, &zero);
  *gives_zero |= zero;
  for (size_t i = 0; status == CRD_OK && i < rows; i++) {
    const size_t row = crd__data_row_at(part, i);
    memcpy(s->probabilities + row * width, here.probabilities + i * width,
           width * sizeof *here.probabilities);
    s->confidence[row] = here.confidence[i];
    s->predicted[row] = here.predicted[i];
  }
  crd__free(&ctx->alloc, here.probabilities);
  crd__free(&ctx->alloc, here.confidence);
  crd__free(&ctx->alloc, here.predicted);
  return status;
}

/* Fits a method. All methods share the floor of the first one that needs it, since the floor
 * depends on the rows only. */
static crd_status fit_once(crd_context *ctx, const crd__contest_contestant *who,
                           crd__contest_round_floor *shared, const crd_predictions *rows,
                           crd_calibrator **out) {
  CRD_TRY(crd__calibrator_fit(ctx, who->method, who->settings,
                              shared->known ? &shared->floor : NULL, rows, out));
  if (!shared->known && crd__calibrator_learnt_find(&(*out)->fit.learnt, "floor"))
    *shared = (crd__contest_round_floor){ true, crd__calibrator_floor(*out) };
  return CRD_OK;
}

static crd_status take_turn(crd_context *ctx, const crd__contest_rounds *rounds, unsigned fold,
                            const crd__contest_contestant *who, crd__contest_trial *out,
                            storage *s) {
  crd_predictions *train = NULL, *part = NULL;
  crd_calibrator *c = NULL;
  crd_status status = pick_fold(ctx, rounds->test, rounds->fold, fold, true, &train);
  if (status == CRD_OK) status = pick_fold(ctx, rounds->test, rounds->fold, fold, false, &part);
  if (status == CRD_OK) status = fit_once(ctx, who, &rounds->floors[fold], train, &c);
  if (status == CRD_OK) status = scatter(ctx, c, part, s, &out->gives_zero);
  crd_predictions_destroy(train);
  crd_predictions_destroy(part);
  if (status == CRD_OK && !out->calibrator) out->calibrator = c;
  else crd_calibrator_destroy(c);
  return status;
}

/* The same predictions with calibrated scores. Excluded rows keep their places, as in the labels,
 * and stay excluded. */
static crd_predictions_parts parts_of(const crd_predictions *p, const crd_calibrator *c,
                                      const storage *s) {
  const size_t rows = crd__data_rows_of(&p->parts.scores), classes = crd_predictions_classes(p);
  crd_predictions_parts parts = p->parts;
  parts.scores = crd_array_matrix(s->probabilities, CRD_F64, rows, classes ? classes : 1);
  parts.trusted = 1;
  parts.cluster = "none"; /* clusters are shared after creation */
  if (classes == 0) return parts;
  parts.input = CRD_INPUT_PROBABILITIES;
  parts.confidence = (crd_array){ 0 }; /* those of the file are not calibrated */
  if (!crd_calibrator_is_top(c)) return parts;
  parts.confidence = crd_array_matrix(s->confidence, CRD_F64, rows, 1);
  parts.predicted = crd_array_matrix(s->predicted, CRD_U64, rows, 1);
  return parts;
}

static crd_status cross(crd_context *ctx, const crd__contest_rounds *rounds,
                        const crd__contest_contestant *who, crd__contest_trial *out) {
  const size_t rows = crd__data_rows_of(&rounds->test->parts.scores);
  const size_t classes = crd_predictions_classes(rounds->test);
  storage *s;
  size_t cells;
  if (!crd__size_mul(rows, classes ? classes : 1, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, 1, sizeof *s, "folds", &s));
  crd_status status = crd__new(ctx, cells, sizeof(double), "probabilities", &s->probabilities);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof(double), "rows", &s->confidence);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof(size_t), "rows", &s->predicted);
  for (unsigned f = 0; status == CRD_OK && f < rounds->folds; f++)
    status = take_turn(ctx, rounds, f, who, out, s);
  if (status == CRD_OK) {
    const crd_predictions_parts parts = parts_of(rounds->test, out->calibrator, s);
    status = crd_predictions_create(ctx, &parts, &out->calibrated);
  }
  if (status != CRD_OK) {
    release(&ctx->alloc, s);
    return status;
  }
  out->calibrated->keeper = s;
  out->calibrated->release = release;
  return crd_predictions_share_clusters(ctx, out->calibrated, rounds->test);
}

size_t crd__contest_rounds_rows(const crd__contest_rounds *rounds) {
  const size_t rows = crd_predictions_rows(rounds->calibrate);
  return rounds->folds ? rows - (rows + rounds->folds - 1) / rounds->folds : rows;
}

crd_status crd__contest_rounds_fit(crd_context *ctx, const crd__contest_rounds *rounds,
                                   const crd__contest_contestant *who, crd__contest_trial *out) {
  *out = (crd__contest_trial){ 0 };
  if (who->external) return crd__contest_external_fit(ctx, rounds, who, out);
  if (rounds->folds) return cross(ctx, rounds, who, out);
  CRD_TRY(fit_once(ctx, who, rounds->floors, rounds->calibrate, &out->calibrator));
  CRD_TRY(crd_calibrator_calibrate(ctx, out->calibrator, rounds->test, &out->calibrated));
  const size_t classes = crd_predictions_classes(rounds->test);
  return crd__calibrator_can_give_zero(ctx, out->calibrator, out->calibrated->parts.scores.data,
                                       crd_predictions_rows(rounds->test) * (classes ? classes : 1),
                                       &out->gives_zero);
}

/* ---- The three ways to divide rows. */

static bool stays_together(const crd_predictions *p) {
  return p->cluster_keys || p->parts.group_column_count > 0;
}

/* Keeps clusters, or else groups, together; without either, stratifies by class. */
static crd_split kind_of(const crd_predictions *p) {
  return stays_together(p) ? CRD_SPLIT_GROUPS : p->classes ? CRD_SPLIT_CLASSES : CRD_SPLIT_ROWS;
}

static crd_status share_out(crd_context *ctx, const crd_predictions *p, unsigned folds,
                            unsigned **out) {
  *out = NULL;
  CRD_TRY(crd__new(ctx, crd_predictions_rows(p), sizeof **out, "folds", out));
  const crd_status status = crd_predictions_split(ctx, p, kind_of(p), folds, *out);
  if (status == CRD_OK) return CRD_OK;
  crd__free(&ctx->alloc, *out);
  *out = NULL;
  return status;
}

/* ---- Options. */

typedef struct {
  crd_contest_options options;
  crd_operating_options operating; /* to which the options point, unless NULL was given */
} request;

static crd_status read_request(crd_context *ctx, const crd_contest_options *given, request *out) {
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_contest_options, given, &out->options));
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_operating_options, out->options.operating, &out->operating));
  if (out->options.operating) out->options.operating = &out->operating;
  return CRD_OK;
}

crd_status crd_contest_run(crd_context *ctx, const crd_predictions *calibrate,
                           const crd_predictions *test, const crd_contest_options *options,
                           const crd_contest **out) {
  request own;
  *out = NULL;
  CRD_TRY(read_request(ctx, options, &own));
  CRD_TRY(crd__data_class_names_match(ctx, calibrate, test));
  return crd__contest_hold(ctx, &(crd__contest_rounds){ .calibrate = calibrate, .test = test },
                           &own.options, out);
}

crd_status crd_contest_folds(crd_context *ctx, const crd_predictions *predictions, unsigned folds,
                             const crd_contest_options *options, const crd_contest **out) {
  request own;
  unsigned *fold;
  *out = NULL;
  CRD_TRY(read_request(ctx, options, &own));
  CRD_TRY(share_out(ctx, predictions, folds, &fold));
  const crd__contest_rounds rounds = {
    .calibrate = predictions, .test = predictions, .folds = folds, .fold = fold
  };
  const crd_status status = crd__contest_hold(ctx, &rounds, &own.options, out);
  crd__free(&ctx->alloc, fold);
  return status;
}

/* The number of parts of a split: 20, or the number of rows or groups if smaller. */
static crd_status count_parts(crd_context *ctx, const crd_predictions *p, unsigned *out) {
  enum { PARTS = 20 };
  size_t most = crd_predictions_rows(p);
  if (stays_together(p)) {
    crd__data_groups groups;
    CRD_TRY(crd__data_groups_together(ctx, p, &groups));
    most = groups.count;
    crd__data_groups_clear(&ctx->alloc, &groups);
  }
  if (most < 2)
    return crd__fail(ctx, CRD_EINPUT, "%s: one row or group cannot be split", p->parts.name);
  *out = most < PARTS ? (unsigned)most : PARTS;
  return CRD_OK;
}

crd_status crd__contest_rows_divide(crd_context *ctx, const crd_predictions *predictions,
                                    double share, crd_predictions **calibrate,
                                    crd_predictions **test) {
  const size_t rows = crd_predictions_rows(predictions);
  unsigned *fold, parts = 0;
  *calibrate = *test = NULL;
  if (!(share > 0 && share < 1))
    return crd__fail(ctx, CRD_EUSAGE, "the share of calibration rows must lie between 0 and 1");
  CRD_TRY(count_parts(ctx, predictions, &parts));
  CRD_TRY(share_out(ctx, predictions, parts, &fold));
  const double wanted = fmin(fmax(round(share * parts), 1), parts - 1.0);
  for (size_t i = 0; i < rows; i++) fold[i] = fold[i] >= (unsigned)wanted;
  crd_status status = pick_fold(ctx, predictions, fold, 0, false, calibrate);
  if (status == CRD_OK) status = pick_fold(ctx, predictions, fold, 1, false, test);
  crd__free(&ctx->alloc, fold);
  if (status == CRD_OK) return CRD_OK;
  crd_predictions_destroy(*calibrate);
  *calibrate = NULL;
  return status;
}

crd_status crd_contest_split(crd_context *ctx, const crd_predictions *predictions, double share,
                             const crd_contest_options *options, const crd_contest **out) {
  crd_predictions *calibrate, *test;
  request own;
  *out = NULL;
  CRD_TRY(read_request(ctx, options, &own));
  CRD_TRY(crd__contest_rows_divide(ctx, predictions, share, &calibrate, &test));
  const crd_status status = crd_contest_run(ctx, calibrate, test, &own.options, out);
  crd_predictions_destroy(calibrate);
  crd_predictions_destroy(test);
  return status;
}
