/* terminal.h -- capabilities of the terminal, and a progress bar. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "credence/credence.h"

#include <stdbool.h>

/* Returns whether standard output is a terminal with colours, and NO_COLOR is not set. */
bool cli_terminal_colours(void);
/* Returns whether the locale of the environment uses UTF-8. */
bool cli_terminal_unicode(void);

/* Shows progress of the context on standard error, if that is a terminal. */
void cli_progress_show(crd_context *ctx);
/* The same for work that takes long: with the rate, in `unit` per second, and the time left. */
void cli_progress_show_work(crd_context *ctx, const char *unit);
/* Begins every stage with "run 3 of 10: "; 0 of 0: no longer. */
void cli_progress_count(unsigned run, unsigned runs);
/* Erases the progress bar until the next report, to write a line. */
void cli_progress_erase(void);
/* Erases the progress bar. */
void cli_progress_hide(crd_context *ctx);

#endif
