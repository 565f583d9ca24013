/* signals.h -- handles signals: stops the running call, removes temporary files. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include "credence/credence.h"

/* Installs handlers. SIGINT, SIGTERM and SIGHUP interrupt the running call; if it does not stop
 * soon, or on a second signal, the program exits. SIGPIPE ends it quietly. SIGBUS, raised by a
 * mapped file that was truncated meanwhile, exits with an error message. Temporary files are
 * removed in every case. A write beyond the limit of file sizes fails. */
void cli_signals_handle(crd_context *ctx);
/* Lets the running call take this long after a signal, to finish and save what it has; a second
 * signal still ends the program at once. */
void cli_signals_wait(unsigned seconds);
/* Restores the default handlers; call it before the context is destroyed. */
void cli_signals_restore(void);

#endif
