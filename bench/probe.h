/* probe.h -- the machine's current peak performance. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stddef.h>

/* Returns float32 multiplications and additions per second; takes a few milliseconds. */
double bench_probe_flops(unsigned threads);
/* Returns bytes read per second, on one thread, from a block of this size (at most
 * BENCH_PROBE_BYTES); 0 without memory. */
double bench_probe_read(size_t bytes);
/* Frees the block. */
void bench_probe_end(void);

enum { BENCH_PROBE_BYTES = 512 << 20 };

#endif
