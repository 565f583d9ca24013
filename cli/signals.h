/* signals.h -- signals that end the program in order. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include "credence/credence.h"

/* SIGINT and SIGTERM ask the running call to stop; where it does not hear that soon, or on a second
 * signal, the program ends all the same. SIGBUS, raised by a mapped file that was truncated
 * meanwhile, ends it with a message. Temporary files are removed in every case. */
void cli_signals_handle(crd_context *ctx);
/* Signals do what they would without this; to be called before the context is destroyed. */
void cli_signals_restore(void);

#endif
