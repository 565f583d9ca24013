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
  const char *unit;      /* of the rate; NULL: no rate */
  uint64_t first, total; /* what was done at `timed`, and what there is to do */
  double timed;
  unsigned run, runs; /* 0: not one of several */
} bar;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* " 1234 images/s, 1:05 left" */
static void draw_rate(uint64_t done, uint64_t total, double time) {
  const double rate = (double)(done - bar.first) / (time - bar.timed);
  if (!(rate > 0) || done > total) return;
  const unsigned long long left = (unsigned long long)((double)(total - done) / rate + 0.5);
  fprintf(stderr, " %.0f %s/s, ", rate, bar.unit);
  if (left >= 3600) fprintf(stderr, "%llu:", left / 3600);
  fprintf(stderr, left >= 3600 ? "%02llu:%02llu left" : "%llu:%02llu left", left / 60 % 60,
          left % 60);
}

static void draw(void *self, const char *stage, uint64_t done, uint64_t total) {
  static const char full[] = "##############################";
  enum { WIDTH = sizeof full - 1 };
  const double time = now();
  (void)self;
  if (time - bar.begin < 0.5 || time - bar.drawn < 0.1 || total == 0) return;
  const double share = done < total ? (double)done / (double)total : 1;
  fputc('\r', stderr);
  if (bar.runs) fprintf(stderr, "run %u of %u: ", bar.run, bar.runs);
  fprintf(stderr, "%s [%-*.*s] %3d %%", stage, (int)WIDTH, (int)(share * WIDTH), full,
          (int)(share * 100));
  if (bar.unit) draw_rate(done, total, time);
  fputs("\033[K", stderr);
  fflush(stderr);
  bar.drawn = time;
  bar.visible = true;
}

/* Other work, with another total, has a rate of its own; what was done before a run continued does
 * not count. */
static void draw_work(void *self, const char *stage, uint64_t done, uint64_t total) {
  if (total != bar.total) {
    bar.total = total;
    bar.first = done;
    bar.timed = now();
  } else draw(self, stage, done, total);
}

void cli_progress_show(crd_context *ctx) {
  if (!isatty(STDERR_FILENO)) return;
  bar.begin = now();
  bar.drawn = 0;
  bar.unit = NULL;
  crd_context_set_progress(ctx, draw, NULL);
}

void cli_progress_show_work(crd_context *ctx, const char *unit) {
  if (!isatty(STDERR_FILENO)) return;
  cli_progress_show(ctx);
  bar.unit = unit;
  bar.total = 0;
  crd_context_set_progress(ctx, draw_work, NULL);
}

void cli_progress_count(unsigned run, unsigned runs) {
  bar.run = run;
  bar.runs = runs;
}

void cli_progress_erase(void) {
  if (bar.visible) fputs("\r\033[K", stderr);
  bar.visible = false;
}

void cli_progress_hide(crd_context *ctx) {
  crd_context_set_progress(ctx, NULL, NULL);
  cli_progress_erase();
}
