/* main.c -- credence-bench [--list] [--quick] [--output FILE] [--python PATH] [CASE ...]
 *
 * Runs every case of every workload in list.h beside the installed peers. The exit status is 1 if
 * an answer disagrees with the reference or a case cannot run; slowness is not a failure.
 */
#include "peer.h"
#include "probe.h"
#include "workload.h"

#include <stdio.h>
#include <string.h>

enum { RESULTS_MAX = 64 };

#define WORKLOAD(name) extern const bench_workload bench_workload_##name;
#include "list.h"
#undef WORKLOAD

static const bench_workload *const workloads[] = {
#define WORKLOAD(name) &bench_workload_##name,
#include "list.h"
#undef WORKLOAD
};

typedef struct {
  bench_effort effort;
  const char *output, *python;
  char **cases;
  int case_count;
  bool list, quick;
} arguments;

/* Returns false for an unknown option or a missing value. */
static bool parse(int argc, char **argv, arguments *out) {
  *out = (arguments){ .effort = { 15, 200, 60 }, .python = "/usr/bin/python3" };
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "--quick")) {
      out->effort = (bench_effort){ 3, 40, 5 };
      out->quick = true;
      continue;
    }
    if (!strcmp(argv[i], "--list")) {
      out->list = true;
      continue;
    }
    const char **value = !strcmp(argv[i], "--output")   ? &out->output
                         : !strcmp(argv[i], "--python") ? &out->python
                                                        : NULL;
    if (!value || ++i == argc) return false;
    *value = argv[i];
  }
  out->cases = argv + i;
  out->case_count = argc - i;
  return true;
}

static bool chosen(const arguments *args, const char *name) {
  for (int i = 0; i < args->case_count; i++)
    if (!strcmp(args->cases[i], name)) return true;
  return args->case_count == 0;
}

static void list_cases(void) {
  for (size_t w = 0; w < sizeof workloads / sizeof *workloads; w++)
    for (size_t c = 0; c < workloads[w]->case_count; c++) puts(workloads[w]->cases[c].name);
}

/* Peers fix their number of threads at start-up: one process for each number. */
static bench_peer *peer_for(const arguments *args, unsigned threads, bench_peer *started[]) {
  bench_peer **const peer = &started[threads > 1];
  if (!*peer) *peer = bench_peer_start(args->python, threads > 1 ? threads : 1);
  if (!*peer) fprintf(stderr, "bench: no peers: %s or its numpy is missing\n", args->python);
  return *peer;
}

/* Runs the requested cases; returns the number of results, and in *good whether all succeeded. */
static size_t run_all(const arguments *args, bench_result *results, bool *good) {
  bench_peer *peers[2] = { NULL, NULL };
  size_t count = 0;
  for (size_t w = 0; w < sizeof workloads / sizeof *workloads; w++) {
    for (size_t c = 0; c < workloads[w]->case_count && count < RESULTS_MAX; c++) {
      bench_case size = workloads[w]->cases[c];
      if (!chosen(args, size.name)) continue;
      if (args->quick && workloads[w]->quick_rows) size.rows = workloads[w]->quick_rows;
      bench_peer *const peer = peer_for(args, workloads[w]->threads, peers);
      if (!bench_measure(workloads[w], &size, args->effort, peer, &results[count])) {
        fprintf(stderr, "bench: %s did not run\n", size.name);
        *good = false;
        continue;
      }
      bench_print(&results[count]);
      *good = *good && (!results[count].known || results[count].agree);
      count++;
    }
  }
  for (size_t i = 0; i < 2; i++) bench_peer_end(peers[i]);
  return count;
}

int main(int argc, char **argv) {
  static bench_result results[RESULTS_MAX];
  arguments args;
  if (!parse(argc, argv, &args)) {
    fprintf(
        stderr,
        "usage: credence-bench [--list] [--quick] [--output FILE] [--python PATH] [CASE ...]\n");
    return 2;
  }
  if (args.list) {
    list_cases();
    return 0;
  }
  bool good = true;
  size_t count = run_all(&args, results, &good);
  bench_probe_end();
  if (args.output && !bench_output(args.output, results, count)) {
    fprintf(stderr, "bench: cannot write %s\n", args.output);
    return 1;
  }
  return good && count ? 0 : 1;
}
