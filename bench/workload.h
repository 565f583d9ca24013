/* workload.h -- the interface of a workload, and the result of running it. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_ANSWERS = 8, BENCH_PEERS_MAX = 8, BENCH_ROUNDS_MAX = 64 };

/* One size of a workload. */
typedef struct {
  const char *name;
  size_t rows, cols;
  double target; /* target speed-up over the fastest peer */
} bench_case;

typedef struct {
  const char *name; /* as in list.h and in peers.py */
  unsigned threads; /* 0 or 1: one thread, CPU time; more: wall time */
  const bench_case *cases;
  size_t case_count, answer_count;
  size_t quick_rows;     /* of every case with --quick; 0: as listed */
  double tolerance;      /* of ours against the float64 reference */
  double peer_tolerance; /* of a peer, which may compute in float32 */
  /* Creates the data, with a copy for the peers as .npy files in `folder`. NULL on failure. */
  void *(*prepare)(const bench_case *size, const char *folder);
  /* The least work of any implementation: bytes read, or, if this is NULL, additions and
   * multiplications. */
  size_t (*bytes)(const bench_case *size);
  double (*flops)(const void *state);
  bool (*run)(void *state, double *answers);
  void (*release)(void *state);
} bench_workload;

/* Returns CPU time for one thread, wall time for more; in seconds. */
double bench_seconds(unsigned threads);

/* The result of one case. Times are in seconds. */
typedef struct {
  const char *workload;
  double ours, peer;     /* the fastest counted round; NaN: none */
  const char *peer_name; /* the fastest peer; NULL: none */
  double target, limit_fraction;
  const char *limit;        /* the bound: "reading", "arithmetic" */
  bool known, agree;        /* known: there was a reference to compare with */
  unsigned rounds, refused; /* refused: the machine was below its peak */
  size_t peer_count;
  char names[BENCH_PEERS_MAX][32];
  double peers[BENCH_PEERS_MAX];
  size_t time_count;
  double times[BENCH_ROUNDS_MAX]; /* ours, of the counted rounds */
} bench_result;

typedef struct bench_peer bench_peer;

/* Rounds that must count, attempts in all, and time limit (at least one round). */
typedef struct {
  unsigned rounds, attempts;
  double seconds;
} bench_effort;

/* Measures one case beside the peers (NULL: none). Returns false if our own side fails. */
bool bench_measure(const bench_workload *workload, const bench_case *size, bench_effort effort,
                   bench_peer *peer, bench_result *out);

/* Writes the results as JSON; false if the file cannot be written. */
bool bench_output(const char *path, const bench_result *results, size_t count);
void bench_print(const bench_result *result);

#endif
