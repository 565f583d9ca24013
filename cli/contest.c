/* contest.c -- runs a comparison of calibration methods from options. */
#include "contest.h"
#include "option.h"

#include <stdlib.h>
#include <string.h>

crd_status cli_contest_check(cli_session *session, const cli_contest *contest, double *share) {
  char *end = NULL;
  *share = contest->split ? strtod(contest->split, &end) : 0.5;
  if (contest->split && (*end || !(*share > 0 && *share < 1)))
    return cli_refuse(session, "--split takes a number between 0 and 1, found '%s'",
                      contest->split);
  if (contest->opening.path && (contest->calibrate || contest->test))
    return cli_refuse(session, "give PRED, or --calibrate and --test, not both");
  if (!contest->opening.path && !(contest->calibrate && contest->test))
    return cli_refuse(session, "predictions are missing: give PRED, or --calibrate and --test");
  if ((contest->split || !contest->opening.path) && contest->folds)
    return cli_refuse(session, "--folds needs PRED, and excludes --split");
  if (contest->split && !contest->opening.path) return cli_refuse(session, "--split needs PRED");
  return CRD_OK;
}

/* Features can be large: read them only if a method needs them. */
static bool needs_features(const char *methods) {
  if (!methods) return false;
  for (size_t i = 0; i < crd_method_count(); i++)
    if (crd_method_at(i)->needs_features &&
        (strcmp(methods, "all") == 0 || strstr(methods, crd_method_at(i)->name)))
      return true;
  return false;
}

crd_status cli_contest_open(crd_context *ctx, const cli_contest *contest, cli_contest_rows *out) {
  const char *const first = contest->opening.path ? contest->opening.path : contest->calibrate;
  crd_open_options how = cli_opening_options(&contest->opening);
  how.features = needs_features(contest->methods);
  *out = (cli_contest_rows){ 0 };
  const crd_status status = crd_predictions_open(ctx, first, &how, &out->first);
  if (status != CRD_OK || !contest->test) return status;
  return crd_predictions_open(ctx, contest->test, &how, &out->second);
}

void cli_contest_close(cli_contest_rows *rows) {
  crd_predictions_destroy(rows->first);
  crd_predictions_destroy(rows->second);
}

crd_status cli_contest_run(crd_context *ctx, const cli_contest *contest,
                           const cli_contest_rows *rows, double share,
                           const crd_contest_options *what, const crd_contest **out) {
  if (rows->second) return crd_contest_run(ctx, rows->first, rows->second, what, out);
  if (contest->folds) return crd_contest_folds(ctx, rows->first, contest->folds, what, out);
  return crd_contest_split(ctx, rows->first, share, what, out);
}

crd_status cli_contest_hold(crd_context *ctx, const cli_contest *contest, double share,
                            const crd_contest_options *what, const crd_contest **out) {
  cli_contest_rows rows;
  crd_status status = cli_contest_open(ctx, contest, &rows);
  if (status == CRD_OK) status = cli_contest_run(ctx, contest, &rows, share, what, out);
  cli_contest_close(&rows);
  return status;
}
