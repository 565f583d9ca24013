/* convert.h -- figures as PDF or PNG, through a program that may be there or not. */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include "command.h"

#include <sys/types.h>

/* The converter at work: SVG goes in under a name, what comes out is read at the end. */
typedef struct {
  pid_t child;
  int in, out;                       /* our ends of its pipes */
  char name[32];                     /* of the first, to be opened as an output */
  void (*before)(int signal_number); /* what a broken pipe did */
} cli_converter;

/* Is the converter installed? If not: EABSENT, and which package has it. */
crd_status cli_convert_check(cli_session *session, const char *path);
/* Begin to convert to "pdf" or "png". */
crd_status cli_convert_start(cli_session *session, const char *format, cli_converter *converter);
/* Take what comes out, unless `status` says that what went in is not whole, and end it. Returns the
 * status, or why the conversion failed. */
crd_status cli_convert_finish(cli_session *session, cli_converter *converter, crd_status status,
                              crd_output *output);

#endif
