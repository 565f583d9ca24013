/* peer.h -- the other implementations, in a child process that stays alive between rounds. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "workload.h"

/* Start the child; NULL when there is no such interpreter, or it lacks what it needs at least. */
bench_peer *bench_peer_start(const char *python, unsigned threads);
void bench_peer_end(bench_peer *peer);

/* Which implementations of this workload are there, in a result's names; 0 without any. */
size_t bench_peer_names(bench_peer *peer, const char *workload, char names[][32]);
bool bench_peer_load(bench_peer *peer, const char *workload, const char *folder);
/* The answers in double precision. */
bool bench_peer_reference(bench_peer *peer, const char *workload, double *answers, size_t count);
/* Run one implementation `repeats` times: seconds of the fastest, or a negative number. */
double bench_peer_run(bench_peer *peer, const char *workload, const char *name, unsigned repeats,
                      double *answers, size_t count);

#endif
