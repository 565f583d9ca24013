/*
 * convert.c -- SVG to PDF or PNG by rsvg-convert, through two pipes.
 *
 * rsvg-convert reads all its input before it writes, so that the pipes cannot deadlock. Its output
 * goes to a crd_output, which is committed all or nothing.
 */
#include "convert.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = "rsvg-convert", package[] = "librsvg2-bin";
extern char **environ;

static crd_status fail(cli_session *session, crd_status status, const char *why) {
  snprintf(session->message, sizeof session->message, "%s: %s", program, why);
  return status;
}

/* Returns whether the program is in a folder of PATH. */
static bool is_installed(void) {
  const char *at = getenv("PATH");
  while (at && *at) {
    char path[4096];
    const size_t length = strcspn(at, ":");
    const int made = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
    if (made > 0 && (size_t)made < sizeof path && access(path, X_OK) == 0) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

crd_status cli_convert_check(cli_session *session, const char *path) {
  if (is_installed()) return CRD_OK;
  snprintf(session->message, sizeof session->message,
           "%.200s: PDF and PNG need the program %s; install the package %s, or write .svg", path,
           program, package);
  return CRD_EABSENT;
}

/* Opens two pipes, close-on-exec: the child gets only its standard input and output. */
static bool open_pipes(int pipes[4]) {
  for (size_t i = 0; i < 4; i++) pipes[i] = -1;
  if (pipe(pipes) != 0 || pipe(pipes + 2) != 0) return false;
  for (size_t i = 0; i < 4; i++)
    if (fcntl(pipes[i], F_SETFD, FD_CLOEXEC) != 0) return false;
  return true;
}

static int spawn(const char *format, const int pipes[4], pid_t *child) {
  /* PNG at twice the nominal resolution. */
  const char *const words[] = {
    program, "-f", format, "-z", strcmp(format, "png") ? "1" : "2", NULL
  };
  posix_spawn_file_actions_t actions;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed) return failed;
  failed = posix_spawn_file_actions_adddup2(&actions, pipes[0], STDIN_FILENO);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, pipes[3], STDOUT_FILENO);
  if (!failed)
    failed = posix_spawnp(child, program, &actions, NULL, (char *const *)(uintptr_t)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

crd_status cli_convert_start(cli_session *session, const char *format, cli_converter *converter) {
  int pipes[4];
  int failed = open_pipes(pipes) ? 0 : errno;
  if (!failed) failed = spawn(format, pipes, &converter->child);
  for (size_t i = 0; i < 4; i++) /* the child's ends; after a failure, all */
    if (pipes[i] >= 0 && (failed || i == 0 || i == 3)) close(pipes[i]);
  if (failed) return fail(session, CRD_ESYSTEM, strerror(failed));
  converter->in = pipes[1];
  converter->out = pipes[2];
  snprintf(converter->name, sizeof converter->name, "/dev/fd/%d", converter->in);
  /* If the child ends early, a write fails instead of raising a signal. */
  converter->before = signal(SIGPIPE, SIG_IGN);
  return CRD_OK;
}

/* Copies everything from a file descriptor to the output. */
static crd_status take(cli_session *session, int from, crd_output *output) {
  static char bytes[65536];
  crd_status status = CRD_OK;
  while (status == CRD_OK) {
    const ssize_t got = read(from, bytes, sizeof bytes);
    if (got == 0) break;
    if (got > 0) status = crd_output_write(session->ctx, output, bytes, (size_t)got);
    else if (errno != EINTR) status = fail(session, CRD_ESYSTEM, strerror(errno));
  }
  return status;
}

crd_status cli_convert_finish(cli_session *session, cli_converter *converter, crd_status status,
                              crd_output *output) {
  int end = 0;
  close(converter->in);
  if (status == CRD_OK) status = take(session, converter->out, output);
  close(converter->out);
  while (waitpid(converter->child, &end, 0) < 0 && errno == EINTR) continue;
  signal(SIGPIPE, converter->before);
  /* A write that failed because the child ended early is the same failure. */
  if (end != 0 && (status == CRD_OK || status == CRD_ESYSTEM))
    return fail(session, CRD_ESYSTEM, "the conversion failed");
  return status;
}
