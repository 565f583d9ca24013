/* convert.h -- figures as PDF or PNG, by the external program rsvg-convert. */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include "command.h"

#include <sys/types.h>

/* A running converter: SVG is written to `name`, its output is read at the end. */
typedef struct {
  pid_t child;
  int in, out;                       /* our ends of the pipes to and from it */
  char name[32];                     /* path of `in`, to be opened as an output */
  void (*before)(int signal_number); /* the previous handler of SIGPIPE */
} cli_converter;

/* Fails with EABSENT, naming the package to install, if the converter is not installed. */
crd_status cli_convert_check(cli_session *session, const char *path);
/* Starts a conversion to "pdf" or "png". */
crd_status cli_convert_start(cli_session *session, const char *format, cli_converter *converter);
/* Copies the converter's output to `output`, unless `status` says that writing the SVG failed, and
 * waits for it to end. Returns `status`, or ESYSTEM if the conversion failed. */
crd_status cli_convert_finish(cli_session *session, cli_converter *converter, crd_status status,
                              crd_output *output);

#endif
