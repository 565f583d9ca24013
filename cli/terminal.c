/* terminal.c -- capabilities of the terminal, and a progress bar. */
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

bool cli_terminal_colours(void) {
  const char *term = setting("TERM");
  return isatty(STDOUT_FILENO) && !setting("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

bool cli_terminal_unicode(void) {
  const char *locale = setting("LC_ALL");
  if (!locale) locale = setting("LC_CTYPE");
  if (!locale) locale = setting("LANG");
  const char *charset = locale ? strchr(locale, '.') : NULL;
  return charset &&
         (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
}

/* ---- The progress bar: shown after half a second, updated ten times a second. */

static struct {
  double begin, drawn;
  bool visible;
} bar;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(void *self, const char *stage, uint64_t done, uint64_t total) {
  static const char full[] = "##############################";
  enum { WIDTH = sizeof full - 1 };
  const double time = now();
  (void)self;
  if (time - bar.begin < 0.5 || time - bar.drawn < 0.1 || total == 0) return;
  const double share = done < total ? (double)done / (double)total : 1;
  fprintf(stderr, "\r%s [%-*.*s] %3d %%", stage, (int)WIDTH, (int)(share * WIDTH), full,
          (int)(share * 100));
  fputs("\033[K", stderr);
  fflush(stderr);
  bar.drawn = time;
  bar.visible = true;
}

void cli_progress_show(crd_context *ctx) {
  if (!isatty(STDERR_FILENO)) return;
  bar.begin = now();
  bar.drawn = 0;
  crd_context_set_progress(ctx, draw, NULL);
}

void cli_progress_hide(crd_context *ctx) {
  crd_context_set_progress(ctx, NULL, NULL);
  if (bar.visible) fputs("\r\033[K", stderr);
  bar.visible = false;
}
