/* spin.h -- limits how long idle threads of OpenMP wait busily. */
#ifndef CLI_SPIN_H
#define CLI_SPIN_H

/* Starts the program again with a limit in its environment, unless the user has set one. Returns if
 * there is nothing to do, or if that fails. Call it first in main. */
void cli_spin_limit(char **argv);

#endif
