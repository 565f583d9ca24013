/*
 * main.c -- the program: finds the command, parses its options, runs it, exits with its status.
 *
 * Results go to standard output, messages to standard error. The output of a command is kept in
 * memory and written when it has succeeded, so that a failure leaves nothing half-written.
 */
#include "help.h"
#include "option.h"
#include "signals.h"
#include "spelling.h"
#include "spin.h"

#include <stdlib.h>
#include <string.h>

static crd_status run(cli_session *session, const cli_command *command, int argc, char **argv) {
  bool help = false;
  void *const arguments = calloc(1, command->size);
  if (!arguments) {
    snprintf(session->message, sizeof session->message, "out of memory");
    return CRD_ENOMEM;
  }
  crd_status status = cli_option_parse(session, command, argc, argv, arguments, &help);
  if (help) cli_help_command(session->out, command);
  else if (status == CRD_OK) status = command->run(session, arguments);
  if (*session->message && status == CRD_EUSAGE && !strstr(session->message, "\nSee ")) {
    const size_t length = strlen(session->message);
    snprintf(session->message + length, sizeof session->message - length,
             "\nSee 'credence %s --help'.", command->name);
  }
  free(arguments);
  return status;
}

static crd_status dispatch(cli_session *session, int argc, char **argv) {
  const cli_command *command = NULL;
  if (argc < 2) {
    cli_help_overview(stderr);
    return CRD_EUSAGE;
  }
  const int words = cli_command_match(argc - 1, argv + 1, &command);
  if (command) return run(session, command, argc - 1 - words, argv + 1 + words);
  if (cli_is_help(argv[1])) {
    cli_help_overview(session->out);
  } else if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
    fprintf(session->out, "credence %s\n", crd_version());
  } else if (argc > 2 && cli_is_help(argv[2]) && cli_command_is_group(argv[1])) {
    cli_help_group(session->out, argv[1]);
  } else {
    return cli_command_refuse(session, argc - 1, argv + 1);
  }
  return CRD_OK;
}

static crd_status deliver(crd_context *ctx, const char *bytes, size_t count) {
  crd_output *output = NULL;
  if (count == 0) return CRD_OK;
  crd_status status = crd_output_open(ctx, "-", &output);
  if (status == CRD_OK) status = crd_output_write(ctx, output, bytes, count);
  return crd_output_finish(ctx, output, status);
}

int main(int argc, char **argv) {
  cli_session session = { .argc = argc, .argv = argv };
  char *bytes = NULL;
  size_t count = 0;
  cli_spin_limit(argv);
  crd_status status = crd_context_create(NULL, &session.ctx);
  if (status == CRD_OK && !(session.out = open_memstream(&bytes, &count))) status = CRD_ENOMEM;
  if (status != CRD_OK) {
    fprintf(stderr, "credence: %s\n", crd_status_text(status));
    crd_context_destroy(session.ctx);
    return crd_status_exit_code(status);
  }
  crd_context_set_spelling(session.ctx, cli_spelling, NULL);
  cli_signals_handle(session.ctx);
  status = dispatch(&session, argc, argv);
  if (fclose(session.out) != 0 && status == CRD_OK) status = CRD_ENOMEM;
  if (status == CRD_OK) status = deliver(session.ctx, bytes, count);
  const char *message = *session.message ? session.message : crd_context_message(session.ctx);
  if (status == CRD_EINTERRUPTED) message = ""; /* the user knows what was running */
  if (status != CRD_OK && argc > 1) {
    fprintf(stderr, "credence: %s\n", *message ? message : crd_status_text(status));
  }
  cli_signals_restore();
  crd_context_destroy(session.ctx);
  free(bytes);
  return status == CRD_OK ? session.exit_code : crd_status_exit_code(status);
}
