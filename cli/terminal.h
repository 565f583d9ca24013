/* terminal.h -- what the terminal can show, and a progress bar on it. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "credence/credence.h"

#include <stdbool.h>

/* Standard output is a terminal that shows colours, and NO_COLOR is not set. */
bool cli_terminal_colours(void);
/* The locale's strings name UTF-8. */
bool cli_terminal_unicode(void);

/* Draw progress on standard error while the context works, if that is a terminal. */
void cli_progress_show(crd_context *ctx);
/* Wipe it away. */
void cli_progress_hide(crd_context *ctx);

#endif
