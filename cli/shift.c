/* shift.c -- opens the shifted sets of --shift NAME=PRED. */
#include "shift.h"
#include "option.h"

#include <stdlib.h>
#include <string.h>

const char *cli_shift_rows_word(size_t index) {
  return index <= CRD_SHIFT_INDEPENDENT ? crd_shift_rows_name((crd_shift_rows)index) : NULL;
}

const char *cli_shift_path(const cli_shift *shift, size_t index) {
  return strchr(shift->sets.items[index], '=') + 1;
}

crd_status cli_shift_check(cli_session *session, const cli_shift *shift) {
  for (size_t i = 0; i < shift->sets.count; i++) {
    const char *const text = shift->sets.items[i], *const sign = strchr(text, '=');
    if (!sign || sign == text || !sign[1])
      return cli_refuse(session,
                        "--shift takes NAME=PRED, such as jpeg=jpeg.npz or noise:3=noise3.npz, "
                        "found '%.200s'",
                        text);
    if (strcmp(sign + 1, "-") == 0)
      return cli_refuse(session, "--shift '%.100s': standard input can be PRED only", text);
  }
  return CRD_OK;
}

/* Group columns are those of the original: the others need not have them. */
crd_status cli_shift_open(crd_context *ctx, const cli_shift *shift, const cli_opening *opening,
                          cli_shifted *out) {
  crd_open_options how = cli_opening_options(opening);
  how.group_by = NULL;
  how.labels_optional = 1;
  for (size_t i = 0; i < shift->sets.count; i++) {
    const char *const path = cli_shift_path(shift, i);
    char *const name = strdup(shift->sets.items[i]);
    if (!name) return CRD_ENOMEM;
    name[path - 1 - shift->sets.items[i]] = '\0';
    out->names[i] = name;
    out->count = i + 1;
    const crd_status status = crd_predictions_open(ctx, path, &how, &out->predictions[i]);
    if (status != CRD_OK) return status;
    out->sets[i] = (crd_shift_set){ .name = name, .predictions = out->predictions[i] };
  }
  return CRD_OK;
}

void cli_shift_close(cli_shifted *shifted) {
  for (size_t i = 0; i < shifted->count; i++) {
    crd_predictions_destroy(shifted->predictions[i]);
    free(shifted->names[i]);
  }
}
