/*
 * signals.c -- handles signals: stops the running call, removes temporary files.
 *
 * The library checks for an interrupt between chunks of work. Some work has no chunks (a primitive
 * of oneDNN, a blocking read): then a timer ends the program within a second of the signal.
 * Handlers call only async-signal-safe functions.
 */
#define _GNU_SOURCE /* SA_SIGINFO, siginfo_t */
#include "signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE = 700000 /* microseconds */, LINE_MAX_BYTES = 4608 };

/* Global because a handler has no argument for them. */
static crd_context *context;
static volatile sig_atomic_t allowed; /* seconds to wait; 0: PATIENCE */

static void say(const char *text) {
  const ssize_t put = write(STDERR_FILENO, text, strlen(text));
  (void)put; /* a failure cannot be reported */
}

/* Several threads may hit the truncated file at once: one ends the program, the others wait. */
static void enter_once(void) {
  static atomic_flag entered = ATOMIC_FLAG_INIT;
  while (atomic_flag_test_and_set(&entered)) pause();
  crd_context_abandon(context);
}

static void end_now(int signal_number) {
  (void)signal_number;
  enter_once();
  say("credence: interrupted\n");
  _exit(crd_status_exit_code(CRD_EINTERRUPTED));
}

/* ---- SIGPIPE. */

/* Whoever reads the output has read enough: ends as programs do by default, without a message. The
 * signal that is raised is delivered when the handler returns. */
static void end_quietly(int signal_number) {
  struct sigaction standard = { .sa_handler = SIG_DFL };
  enter_once();
  sigemptyset(&standard.sa_mask);
  sigaction(signal_number, &standard, NULL);
  raise(signal_number);
}

/* ---- SIGINT, SIGTERM, SIGHUP. */

static void interrupt(int signal_number) {
  const struct itimerval patience = { .it_value = { .tv_sec = allowed,
                                                    .tv_usec = allowed ? 0 : PATIENCE } };
  struct sigaction again = { .sa_handler = end_now };
  sigemptyset(&again.sa_mask);
  sigaction(signal_number, &again, NULL);
  sigaction(SIGALRM, &again, NULL);
  setitimer(ITIMER_REAL, &patience, NULL);
  crd_context_interrupt(context);
}

void cli_signals_wait(unsigned seconds) { allowed = (sig_atomic_t)seconds; }

/* ---- SIGBUS. */

/* Reads a hexadecimal number; returns its end. */
static const char *read_address(const char *text, uintptr_t *out) {
  static const char digits[] = "0123456789abcdef";
  const char *digit;
  for (*out = 0; *text && (digit = strchr(digits, *text)); text++)
    *out = *out * 16 + (uintptr_t)(digit - digits);
  return text;
}

/* Returns the path in a line of /proc/self/maps ("from-to modes offset device inode path") if it
 * maps the address, else NULL. */
static const char *mapped_file(const char *line, uintptr_t address) {
  uintptr_t from, to;
  const char *at = read_address(line, &from);
  if (*at != '-') return NULL;
  at = read_address(at + 1, &to);
  return address >= from && address < to ? strchr(at, '/') : NULL;
}

/* Returns the path of the file mapped at an address, in `line`; NULL: none. */
static const char *find_file(const void *address, char line[static LINE_MAX_BYTES]) {
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  size_t length = 0;
  char next;
  while (fd >= 0 && read(fd, &next, 1) == 1) {
    if (next != '\n') {
      if (length + 1 < LINE_MAX_BYTES) line[length++] = next;
      continue;
    }
    line[length] = '\0';
    length = 0;
    const char *const file = mapped_file(line, (uintptr_t)address);
    if (file) return file;
  }
  return NULL;
}

static void bus_error(int signal_number, siginfo_t *info, void *machine) {
  static char line[LINE_MAX_BYTES];
  (void)signal_number;
  (void)machine;
  enter_once();
  const char *const file = find_file(info->si_addr, line);
  say("credence: ");
  say(file ? file : "memory");
  say(file ? ": became shorter while it was being read; run again when nothing writes to it\n"
           : " could not be read (bus error)\n");
  _exit(crd_status_exit_code(file ? CRD_EINPUT : CRD_ESYSTEM));
}

/* ---- All of them. */

/* Ignored signals stay ignored, as shells expect of background jobs. */
static void handle(int signal_number, void (*handler)(int signal_number)) {
  struct sigaction action = { .sa_handler = handler }, old;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, NULL, &old);
  if (old.sa_handler != SIG_IGN) sigaction(signal_number, &action, NULL);
}

void cli_signals_handle(crd_context *ctx) {
  struct sigaction fault = { .sa_sigaction = bus_error, .sa_flags = SA_SIGINFO };
  context = ctx;
  handle(SIGINT, interrupt);
  handle(SIGTERM, interrupt);
  handle(SIGHUP, interrupt);
  handle(SIGPIPE, end_quietly);
  handle(SIGXFSZ, SIG_IGN); /* a write beyond the limit of file sizes fails instead */
  sigemptyset(&fault.sa_mask);
  sigaction(SIGBUS, &fault, NULL);
}

void cli_signals_restore(void) {
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM, SIGBUS };
  const struct itimerval never = { 0 };
  setitimer(ITIMER_REAL, &never, NULL);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) handle(numbers[i], SIG_DFL);
}
