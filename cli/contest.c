/* contest.c -- from options to a contest of methods. */
#include "contest.h"
#include "option.h"

#include <stdlib.h>
#include <string.h>

crd_status cli_contest_check(cli_session *session, const cli_contest *contest, double *share) {
  char *end = NULL;
  *share = contest->split ? strtod(contest->split, &end) : 0.5;
  if (contest->split && (*end || !(*share > 0 && *share < 1)))
    return cli_refuse(session, "--split takes a share between 0 and 1");
  if (contest->opening.path && (contest->calibrate || contest->test))
    return cli_refuse(session, "give PRED alone, or --calibrate and --test");
  if (!contest->opening.path && !(contest->calibrate && contest->test))
    return cli_refuse(session, "methods compete on PRED, or on --calibrate and --test");
  if ((contest->split || !contest->opening.path) && contest->folds)
    return cli_refuse(session, "--folds goes with PRED, and without --split");
  if (contest->split && !contest->opening.path)
    return cli_refuse(session, "--split goes with PRED");
  return CRD_OK;
}

/* Features can be large: only who needs them reads them. */
static bool needs_features(const char *methods) {
  if (!methods) return false;
  for (size_t i = 0; i < crd_method_count(); i++)
    if (crd_method_at(i)->needs_features &&
        (strcmp(methods, "all") == 0 || strstr(methods, crd_method_at(i)->name)))
      return true;
  return false;
}

crd_status cli_contest_hold(crd_context *ctx, const cli_contest *contest, double share,
                            const crd_contest_options *what, crd_contest **out) {
  crd_predictions *first = NULL, *second = NULL;
  crd_open_options how = cli_opening_options(&contest->opening);
  how.features = needs_features(contest->methods);
  crd_status status = crd_predictions_open(
      ctx, contest->opening.path ? contest->opening.path : contest->calibrate, &how, &first);
  if (status == CRD_OK && contest->test)
    status = crd_predictions_open(ctx, contest->test, &how, &second);
  if (status == CRD_OK && second) status = crd_contest_run(ctx, first, second, what, out);
  else if (status == CRD_OK && contest->folds)
    status = crd_contest_folds(ctx, first, contest->folds, what, out);
  else if (status == CRD_OK) status = crd_contest_split(ctx, first, share, what, out);
  crd_predictions_destroy(first);
  crd_predictions_destroy(second);
  return status;
}
