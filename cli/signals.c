/*
 * signals.c -- signals that end the program in order.
 *
 * The library looks for an interruption between chunks of work. Some work has no chunks (a
 * primitive of oneDNN, a read that blocks): a timer ends the program then, within a second of the
 * signal. Handlers call only functions that are safe in them.
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

/* A handler has no other way to its context. */
static crd_context *context;

static void say(const char *text) {
  const ssize_t put = write(STDERR_FILENO, text, strlen(text));
  (void)put; /* nobody is left to be told */
}

/* Several threads may meet the truncated file at once: one ends the program, the others wait. */
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

/* ---- SIGINT, SIGTERM. */

static void interrupt(int signal_number) {
  const struct itimerval patience = { .it_value = { .tv_usec = PATIENCE } };
  struct sigaction again = { .sa_handler = end_now };
  sigemptyset(&again.sa_mask);
  sigaction(signal_number, &again, NULL);
  sigaction(SIGALRM, &again, NULL);
  setitimer(ITIMER_REAL, &patience, NULL);
  crd_context_interrupt(context);
}

/* ---- SIGBUS. */

/* A hexadecimal number, and what follows it. */
static const char *read_address(const char *text, uintptr_t *out) {
  static const char digits[] = "0123456789abcdef";
  const char *digit;
  for (*out = 0; *text && (digit = strchr(digits, *text)); text++)
    *out = *out * 16 + (uintptr_t)(digit - digits);
  return text;
}

/* The file of a line of /proc/self/maps ("from-to modes offset device inode path") that holds the
 * address; NULL: none does. */
static const char *mapped_file(const char *line, uintptr_t address) {
  uintptr_t from, to;
  const char *at = read_address(line, &from);
  if (*at != '-') return NULL;
  at = read_address(at + 1, &to);
  return address >= from && address < to ? strchr(at, '/') : NULL;
}

/* Find the mapped file that holds an address; `line` holds its name then. */
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

/* A signal that is ignored stays so: a shell wants that for what it runs in the background. */
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
  sigemptyset(&fault.sa_mask);
  sigaction(SIGBUS, &fault, NULL);
}

void cli_signals_restore(void) {
  static const int numbers[] = { SIGINT, SIGTERM, SIGALRM, SIGBUS };
  const struct itimerval never = { 0 };
  setitimer(ITIMER_REAL, &never, NULL);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) handle(numbers[i], SIG_DFL);
}
