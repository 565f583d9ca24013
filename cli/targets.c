/* targets.c -- parses --target-risk and --target-coverage. */
#include "targets.h"
#include "option.h"

#include <stdlib.h>

static crd_status read_list(cli_session *session, const char *text, crd_target_kind kind,
                            cli_target_list *out) {
  const bool risk = kind == CRD_TARGET_RISK;
  for (const char *at = text; *at;) {
    char *end;
    const double value = strtod(at, &end);
    const bool fits = risk ? value >= 0 && value < 1 : value > 0 && value <= 1;
    if (end == at || (*end && *end != ',') || !fits)
      return cli_refuse(session, "%s takes numbers %s, separated by commas; found '%s'",
                        risk ? "--target-risk" : "--target-coverage",
                        risk ? "from 0 to below 1, such as 0.02" : "above 0 up to 1, such as 0.9",
                        at);
    if (out->count == CLI_TARGETS_MAX)
      return cli_refuse(session, "--target-risk and --target-coverage take at most %d numbers",
                        CLI_TARGETS_MAX);
    out->items[out->count++] = (crd_target){ kind, value };
    at = *end ? end + 1 : end;
  }
  return CRD_OK;
}

crd_status cli_targets_read(cli_session *session, const cli_targets *targets,
                            cli_target_list *out) {
  out->count = 0;
  const crd_status status = read_list(session, targets->risk.text, CRD_TARGET_RISK, out);
  if (status != CRD_OK) return status;
  return read_list(session, targets->coverage.text, CRD_TARGET_COVERAGE, out);
}
