/* race.c -- two threads add to one number: the thread sanitizer must say so, however short the loop
 * is. That it says nothing of the other tests means something only if it says this. */
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
