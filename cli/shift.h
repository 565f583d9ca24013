/* shift.h -- the options --shift NAME=PRED: sets of other data for the same classifier. */
#ifndef CLI_SHIFT_H
#define CLI_SHIFT_H

#include "opening.h"

typedef struct {
  cli_each sets; /* "NAME=PRED" */
  unsigned rows; /* a crd_shift_rows */
} cli_shift;

const char *cli_shift_rows_word(size_t index);

/* An entry for a table of options; `at` is the member of `args` that holds a cli_shift. */
#define CLI_SHIFT_OPTION(args, at, text)                                                           \
  { CLI_EACH, 0, "shift", "NAME=PRED", .offset = offsetof(args, at.sets), .help = text }
#define CLI_SHIFT_ROWS_OPTION(args, at)                                                            \
  {                                                                                                \
    CLI_WORD, 0, "shift-rows", "KIND",                                                             \
        .offset = offsetof(args, at.rows), .word = cli_shift_rows_word, .standard = "auto",        \
        .help = "are the rows of --shift the same samples, corrupted (paired), or others "         \
                "(independent)? It decides the intervals of differences; auto: paired if both "    \
                "have the same labels"                                                             \
  }

/* The opened sets. All zero before. */
typedef struct {
  crd_shift_set sets[CLI_EACH_MAX];
  crd_predictions *predictions[CLI_EACH_MAX];
  char *names[CLI_EACH_MAX];
  size_t count;
} cli_shifted;

/* Fails unless every set is NAME=PRED. */
crd_status cli_shift_check(cli_session *session, const cli_shift *shift);
/* Returns the PRED of a set. */
const char *cli_shift_path(const cli_shift *shift, size_t index);
/* Opens all sets like the original; labels may be missing. Release with close, also after a
 * failure. */
crd_status cli_shift_open(crd_context *ctx, const cli_shift *shift, const cli_opening *opening,
                          cli_shifted *out);
void cli_shift_close(cli_shifted *shifted);

#endif
