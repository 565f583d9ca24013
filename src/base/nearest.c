/*
 * nearest.c -- "did you mean ...?": the name with the smallest edit distance.
 *
 * Distance counts insertions, deletions, substitutions and swaps of adjacent letters (Damerau,
 * optimal string alignment). A name is close if at most a third of the word's letters, or one, are
 * wrong.
 */
#include "credence/base.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t distance(const char *a, const char *b) {
  const size_t m = strlen(a), n = strlen(b);
  if (m > LONGEST || n > LONGEST) return SIZE_MAX;
  size_t d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= m; i++) d[i][0] = i;
  for (size_t j = 0; j <= n; j++) d[0][j] = j;
  for (size_t i = 1; i <= m; i++)
    for (size_t j = 1; j <= n; j++) {
      const size_t step = least(d[i - 1][j], d[i][j - 1]) + 1;
      d[i][j] = least(step, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

const char *crd_nearest(const char *word, const char *(*at)(size_t index)) {
  const char *nearest = NULL;
  size_t best = strlen(word) / 3 + 2; /* at most a third of the letters, or one, may be wrong */
  for (size_t i = 0; at(i); i++) {
    const size_t d = distance(word, at(i));
    if (d >= best) continue;
    best = d;
    nearest = at(i);
  }
  return nearest;
}
