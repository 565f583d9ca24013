/* spelling.h -- how users of the program spell names of the library. */
#ifndef CLI_SPELLING_H
#define CLI_SPELLING_H

/* Returns the option or command for an option's field or a function of the library, as its error
 * messages and notes name them; `name` itself where there is none. A crd_spelling_fn. */
const char *cli_spelling(void *self, const char *name);

#endif
