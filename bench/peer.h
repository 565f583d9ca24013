/* peer.h -- other implementations, in a child process that stays alive between rounds. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "workload.h"

/* Starts the child; NULL if the interpreter or its required packages are missing. */
bench_peer *bench_peer_start(const char *python, unsigned threads);
void bench_peer_end(bench_peer *peer);

/* Lists the available implementations of this workload; returns their number. */
size_t bench_peer_names(bench_peer *peer, const char *workload, char names[][32]);
bool bench_peer_load(bench_peer *peer, const char *workload, const char *folder);
/* Computes the answers of the float64 reference. */
bool bench_peer_reference(bench_peer *peer, const char *workload, double *answers, size_t count);
/* Runs one implementation `repeats` times: seconds of the fastest, or negative on failure. */
double bench_peer_run(bench_peer *peer, const char *workload, const char *name, unsigned repeats,
                      double *answers, size_t count);

#endif
