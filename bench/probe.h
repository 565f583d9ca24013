/* probe.h -- what the machine can do at this moment, on one thread. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stddef.h>

/* Multiplications and additions in a second, single precision, in a few milliseconds. */
double bench_probe_flops(void);
/* Bytes read in a second from a block of this size (at most BENCH_PROBE_BYTES); 0 without memory.
 */
double bench_probe_read(size_t bytes);
/* Release the block. */
void bench_probe_end(void);

enum { BENCH_PROBE_BYTES = 512 << 20 };

#endif
