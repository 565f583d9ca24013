/* workload.h -- what a workload must supply, and what a run of it gives. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_ANSWERS = 8, BENCH_PEERS_MAX = 8 };

/* One size of a workload. */
typedef struct {
  const char *name;
  size_t rows, cols;
  double target; /* how many times faster than the fastest peer we want to be */
} bench_case;

typedef struct {
  const char *name; /* as in list.h and in peers.py */
  unsigned threads; /* 0 or 1: one, by its CPU time; more: by the clock on the wall */
  const bench_case *cases;
  size_t case_count, answer_count;
  double tolerance;      /* ours against the double-precision reference */
  double peer_tolerance; /* a peer's, which may count in single precision */
  /* Make the data and leave a copy for the peers as .npy files in `folder`. NULL on failure. */
  void *(*prepare)(const bench_case *size, const char *folder);
  /* What no implementation can do without: bytes that are read, or else, where this is NULL,
   * additions and multiplications. */
  size_t (*bytes)(const bench_case *size);
  double (*flops)(const void *state);
  bool (*run)(void *state, double *answers);
  void (*release)(void *state);
} bench_workload;

/* The CPU time of this process on one thread, the clock on the wall for more; in seconds. */
double bench_seconds(unsigned threads);

/* What became of one case. Times are in seconds. */
typedef struct {
  const char *workload;
  double ours, peer;     /* the fastest counted round; NaN without */
  const char *peer_name; /* the fastest peer, NULL without */
  double target, limit_fraction;
  const char *limit;        /* of what: "reading", "arithmetic" */
  bool known, agree;        /* known: there was a reference to agree with */
  unsigned rounds, refused; /* refused: the machine was not itself */
  size_t peer_count;
  char names[BENCH_PEERS_MAX][32];
  double peers[BENCH_PEERS_MAX];
} bench_result;

typedef struct bench_peer bench_peer;

/* How many rounds must count, how often to try in all, and for how long (one round at least). */
typedef struct {
  unsigned rounds, attempts;
  double seconds;
} bench_effort;

/* Measure one case beside the peers (NULL: none). False when our own side fails. */
bool bench_measure(const bench_workload *workload, const bench_case *size, bench_effort effort,
                   bench_peer *peer, bench_result *out);

/* Write the results as JSON; false when the file cannot be written. */
bool bench_output(const char *path, const bench_result *results, size_t count);
void bench_print(const bench_result *result);

#endif
