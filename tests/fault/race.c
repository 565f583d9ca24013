/* race.c -- two threads add to one variable without synchronisation: the thread sanitizer must
 * report it, or its silence about the other tests means nothing. */
#include "base/parallel.h"

#include <stdio.h>

static void add_length(void *arg, size_t from, size_t to) {
  size_t *const sum = arg;
  *sum += to - from;
}

int main(void) {
  size_t sum = 0;
  crd__parallel_spans(2, 100, 100, add_length, &sum);
  printf("%zu\n", sum);
  return 0;
}
