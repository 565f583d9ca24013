/*
 * nearest.c -- names of tables, and "did you mean ...?": the one with the smallest edit distance.
 *
 * Distance counts insertions, deletions, substitutions and swaps of adjacent letters (Damerau,
 * optimal string alignment), whatever their case. A name is close if at most a third of the word's
 * letters, or one, are wrong.
 */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static bool is_same(char a, char b) { return lower(a) == lower(b); }

static size_t distance(const char *a, const char *b) {
  const size_t m = strlen(a), n = strlen(b);
  if (m > LONGEST || n > LONGEST) return SIZE_MAX;
  size_t d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= m; i++) d[i][0] = i;
  for (size_t j = 0; j <= n; j++) d[0][j] = j;
  for (size_t i = 1; i <= m; i++)
    for (size_t j = 1; j <= n; j++) {
      const size_t step = least(d[i - 1][j], d[i][j - 1]) + 1;
      d[i][j] = least(step, d[i - 1][j - 1] + !is_same(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
        d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

const char *crd_nearest(const char *word, const char *(*at)(const void *self, size_t index),
                        const void *self) {
  const char *nearest = NULL;
  size_t best = strlen(word) / 3 + 2; /* at most a third of the letters, or one, may be wrong */
  for (size_t i = 0; at(self, i); i++) {
    const size_t d = distance(word, at(self, i));
    if (d >= best) continue;
    best = d;
    nearest = at(self, i);
  }
  return nearest;
}

size_t crd__names_index(const crd__names *names, const char *name, size_t length) {
  const char *here;
  for (size_t i = 0; (here = names->at(names->self, i)); i++)
    if (strlen(here) == length && strncmp(here, name, length) == 0) return i;
  return SIZE_MAX;
}

static void list(const crd__names *names, char *text, size_t size) {
  const char *here;
  *text = '\0';
  for (size_t i = 0, at = 0; (here = names->at(names->self, i)) && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ", " : "", here);
}

crd_status crd__names_find(crd_context *ctx, const crd__names *names, const char *name,
                           size_t length, size_t *index) {
  char word[64], all[512];
  *index = crd__names_index(names, name, length);
  if (*index != SIZE_MAX) return CRD_OK;
  snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), name);
  if (!names->lister) {
    list(names, all, sizeof all);
    return crd__fail(ctx, CRD_EUSAGE, "%s '%s', allowed are %s", names->unknown, word, all);
  }
  const char *const near = crd_nearest(word, names->at, names->self);
  if (near)
    return crd__fail(ctx, CRD_EUSAGE, "%s '%s'; did you mean '%s'?", names->unknown, word, near);
  return crd__fail(ctx, CRD_EUSAGE, "%s '%s'; %s lists them all", names->unknown, word,
                   crd__spell(ctx, names->lister));
}
