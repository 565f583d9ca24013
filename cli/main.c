/*
 * main.c -- the program: finds the command, reads its options, runs it, and ends with its status.
 *
 * Standard output is data, standard error is talk. What a command prints is kept in memory and
 * written at once when it has succeeded, so that a failure leaves nothing half-written.
 */
#include "help.h"
#include "option.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND(name) extern const cli_command cli_command_##name;
#include "list.h"
#undef COMMAND

static const cli_command *const commands[] = {
#define COMMAND(name) &cli_command_##name,
#include "list.h"
#undef COMMAND
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const cli_command *cli_command_at(size_t index) {
  return index < COMMAND_COUNT ? commands[index] : NULL;
}

const char *cli_command_name(size_t index) {
  return index < COMMAND_COUNT ? commands[index]->name : NULL;
}

const cli_command *cli_command_find(const char *name) {
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  }
  return NULL;
}

/* A handler has no other way to its context. */
static crd_context *interruptible;

static void interrupt(int signal_number) {
  (void)signal_number;
  crd_context_interrupt(interruptible);
}

/* The first signal asks the library to stop; the second one, unhandled, ends the program. A signal
 * that is ignored stays so: a shell wants that for what it runs in the background. */
static void handle_signal(int signal_number, void (*handler)(int signal_number)) {
  struct sigaction action = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND }, old;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, NULL, &old);
  if (old.sa_handler != SIG_IGN) sigaction(signal_number, &action, NULL);
}

static void handle_signals(void (*handler)(int signal_number)) {
  handle_signal(SIGINT, handler);
  handle_signal(SIGTERM, handler);
}

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
  if (*session->message && status == CRD_EUSAGE) {
    const size_t length = strlen(session->message);
    snprintf(session->message + length, sizeof session->message - length,
             "\nSee 'credence %s --help'.", command->name);
  }
  free(arguments);
  return status;
}

/* All that may stand first. */
static const char *first_word(size_t index) {
  static const char *const flags[] = { "--help", "--version", NULL };
  return index < COMMAND_COUNT ? commands[index]->name : flags[index - COMMAND_COUNT];
}

static crd_status unknown_command(cli_session *session, const char *word) {
  char hint[CLI_HINT_SIZE];
  return cli_refuse(session, "unknown %s '%s'%s\nSee 'credence --help'.",
                    *word == '-' ? "option" : "command", word,
                    cli_hint(hint, "", crd_nearest(word, first_word)));
}

static crd_status dispatch(cli_session *session, int argc, char **argv) {
  if (argc < 2) {
    cli_help_overview(stderr);
    return CRD_EUSAGE;
  }
  const cli_command *command = cli_command_find(argv[1]);
  if (command) return run(session, command, argc - 2, argv + 2);
  if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
    cli_help_overview(session->out);
  } else if (strcmp(argv[1], "--version") == 0) {
    fprintf(session->out, "credence %s\n", crd_version());
  } else {
    return unknown_command(session, argv[1]);
  }
  return CRD_OK;
}

static crd_status deliver(crd_context *ctx, const char *bytes, size_t count) {
  crd_output *output = NULL;
  if (count == 0) return CRD_OK;
  crd_status status = crd_output_open(ctx, "-", &output);
  if (status != CRD_OK) return status;
  status = crd_output_write(ctx, output, bytes, count);
  if (status == CRD_OK) return crd_output_commit(ctx, output);
  crd_output_discard(output);
  return status;
}

int main(int argc, char **argv) {
  cli_session session = { .argc = argc, .argv = argv };
  char *bytes = NULL;
  size_t count = 0;
  crd_status status = crd_context_create(NULL, &session.ctx);
  if (status == CRD_OK && !(session.out = open_memstream(&bytes, &count))) status = CRD_ENOMEM;
  if (status != CRD_OK) {
    fprintf(stderr, "credence: %s\n", crd_status_text(status));
    crd_context_destroy(session.ctx);
    return crd_status_exit_code(status);
  }
  interruptible = session.ctx;
  handle_signals(interrupt);
  status = dispatch(&session, argc, argv);
  if (fclose(session.out) != 0 && status == CRD_OK) status = CRD_ENOMEM;
  if (status == CRD_OK) status = deliver(session.ctx, bytes, count);
  const char *message = *session.message ? session.message : crd_context_message(session.ctx);
  if (status == CRD_EINTERRUPTED) message = ""; /* whatever was being done: the user knows */
  if (status != CRD_OK && argc > 1) {
    fprintf(stderr, "credence: %s\n", *message ? message : crd_status_text(status));
  }
  handle_signals(SIG_DFL);
  crd_context_destroy(session.ctx);
  free(bytes);
  return status == CRD_OK && session.gate_failed ? 1 : crd_status_exit_code(status);
}
