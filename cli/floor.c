/* floor.c -- parses --floor. Its upper bound depends on the classes: the library checks it. */
#include "floor.h"
#include "option.h"

#include <stdlib.h>

crd_status cli_floor_read(cli_session *session, const char *text, double *out) {
  char *end = NULL;
  *out = text ? strtod(text, &end) : 0;
  if (!text || (end != text && *end == '\0' && *out > 0 && *out < 1)) return CRD_OK;
  return cli_refuse(session, "--floor takes a number between 0 and 1, such as 1e-6; found '%s'",
                    text);
}
