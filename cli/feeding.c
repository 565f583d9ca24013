/* feeding.c -- options for batches of a network's input, converted to those of the library. */
#include "feeding.h"

#include "option.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

const char *cli_layout_word(size_t index) {
  static const char *const words[] = { "nchw", "nhwc", NULL };
  return words[index];
}

/* The program never calls setlocale, so numbers have a decimal point here. */
static crd_status read_list(cli_session *session, const char *name, const char *text, bool divisor,
                            double *out, size_t *count) {
  const char *at = text;
  for (*count = 0; *count < CLI_CHANNELS_MAX; at++) {
    char *end;
    errno = 0;
    const double value = strtod(at, &end);
    if (end == at || errno || !isfinite(value) || (divisor && value <= 0)) break;
    out[(*count)++] = value;
    if (*end == '\0') return CRD_OK;
    if (*end != ',') break;
    at = end;
  }
  return cli_refuse(session, "--%s takes %s, separated by commas, found '%s'", name,
                    divisor ? "positive numbers" : "numbers", text);
}

crd_status cli_feeding_options(cli_session *session, const cli_feeding *feeding,
                               cli_channels *channels, crd_feed_options *out) {
  size_t means = 0, deviations = 0;
  crd_status status = CRD_OK;
  if (feeding->mean)
    status = read_list(session, "mean", feeding->mean, false, channels->mean, &means);
  if (feeding->std && status == CRD_OK)
    status = read_list(session, "std", feeding->std, true, channels->std, &deviations);
  if (status != CRD_OK) return status;
  if (means && deviations && means != deviations)
    return cli_refuse(session, "--mean has %zu values and --std %zu, expected the same number",
                      means, deviations);
  crd_context_set_threads(session->ctx, feeding->threads);
  *out = (crd_feed_options){
    .size = sizeof(crd_feed_options),
    .batch = feeding->batch,
    .winograd = feeding->winograd,
    .scale = feeding->scale ? 1.0 / 255 : 0,
    .mean = means ? channels->mean : NULL,
    .std = deviations ? channels->std : NULL,
    .channels = means ? means : deviations,
    .channels_last = feeding->layout == 1,
    .output = feeding->output_name,
  };
  return CRD_OK;
}
