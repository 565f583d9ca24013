/* probe.h -- what the machine can do at this moment. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stddef.h>

/* Multiplications and additions in a second, single precision, in a few milliseconds. */
double bench_probe_flops(unsigned threads);
/* Bytes read in a second, on one thread, from a block of this size (at most BENCH_PROBE_BYTES); 0
 * without memory.
 */
double bench_probe_read(size_t bytes);
/* Release the block. */
void bench_probe_end(void);

enum { BENCH_PROBE_BYTES = 512 << 20 };

#endif
