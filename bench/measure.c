/* measure.c -- rounds in which we and every peer take turns on the same data.
 *
 * Before a round the machine is probed; a round counts only if the probe reaches 90 % of the best
 * of the whole run, which is known only at the end, so early rounds are reconsidered then. The time
 * of an implementation is its fastest counted round. Long workloads have fewer rounds; if one is
 * enough there is no warm-up.
 */
#include "peer.h"
#include "probe.h"
#include "workload.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double near_best = 0.9, pause_seconds = 0.05, round_seconds = 0.02;
static const double warm_seconds = 1; /* a first round that takes longer counts too */

typedef struct {
  double flops, read;
} probe;

typedef struct {
  probe machine;
  double ours, peers[BENCH_PEERS_MAX];
} sample;

typedef struct {
  const bench_workload *workload;
  void *state;
  bench_peer *peer;
  size_t bytes;
  double answers[BENCH_ANSWERS], peer_answers[BENCH_PEERS_MAX][BENCH_ANSWERS];
  bench_result *out;
} contest;

static double best_flops[2]; /* of the whole run: on one thread, on several */

double bench_seconds(unsigned threads) {
  struct timespec now;
  clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double wall_seconds(void) { return bench_seconds(2); }

static double larger(double a, double b) { return a > b ? a : b; }

static bool passes(probe now, probe best) {
  return now.flops >= near_best * best.flops && now.read >= near_best * best.read;
}

static probe look(const contest *s, probe *best) {
  const unsigned threads = s->workload->threads;
  double *const most = &best_flops[threads > 1];
  probe now = { bench_probe_flops(threads), s->bytes ? bench_probe_read(s->bytes) : 0 };
  *most = larger(*most, now.flops);
  best->flops = *most;
  best->read = larger(best->read, now.read);
  return now;
}

/* Returns the fastest of a few runs, enough for the clock's resolution and a cold start. */
static bool run_ours(contest *s, double *seconds) {
  double spent = 0;
  *seconds = INFINITY;
  for (unsigned i = 0; i == 0 || (spent < round_seconds && i < 100); i++) {
    double start = bench_seconds(s->workload->threads);
    if (!s->workload->run(s->state, s->answers)) return false;
    double one = bench_seconds(s->workload->threads) - start;
    *seconds = fmin(*seconds, one);
    spent += one;
  }
  return true;
}

static void run_peers(contest *s, double *seconds, const double *before) {
  for (size_t p = 0; p < s->out->peer_count; p++) {
    double last = before ? before[p] : round_seconds;
    unsigned repeats = last > 0 ? (unsigned)fmin(100, fmax(1, round_seconds / last)) : 1;
    seconds[p] = bench_peer_run(s->peer, s->workload->name, s->out->names[p], repeats,
                                s->peer_answers[p], s->workload->answer_count);
  }
}

/* Runs one round into `now`; `before` has the times of an earlier one, or is NULL. */
static bool play_round(contest *s, sample *now, const sample *before) {
  if (!run_ours(s, &now->ours)) return false;
  run_peers(s, now->peers, before ? before->peers : NULL);
  return true;
}

static unsigned count_passed(const sample *samples, size_t taken, probe best) {
  unsigned counted = 0;
  for (size_t i = 0; i < taken; i++) counted += passes(samples[i].machine, best);
  return counted;
}

/* Fills `samples` until enough rounds count, or attempts or time run out; false if our side fails.
 */
static bool play(contest *s, bench_effort effort, sample *samples, probe *best) {
  const double start = wall_seconds();
  sample warm = { .machine = look(s, best) };
  unsigned attempts = 0, counted = 0;
  size_t taken = 0;
  if (!play_round(s, &warm, NULL)) return false;
  const bool early = wall_seconds() - start > warm_seconds;
  if (early) samples[taken++] = warm;
  counted = count_passed(samples, taken, *best);
  for (; counted < effort.rounds && attempts < effort.attempts && taken < BENCH_ROUNDS_MAX;
       attempts++) {
    if (taken && wall_seconds() - start > effort.seconds) break;
    sample *now = &samples[taken];
    now->machine = look(s, best);
    if (!passes(now->machine, *best)) {
      struct timespec pause = { 0, (long)(pause_seconds * 1e9) };
      nanosleep(&pause, NULL);
      continue;
    }
    if (!play_round(s, now, &warm)) return false;
    counted = count_passed(samples, ++taken, *best);
  }
  if (!taken) samples[0] = warm;                 /* better than none */
  counted = count_passed(samples, taken, *best); /* the best may have risen since */
  s->out->rounds = counted;
  s->out->refused = attempts + early - counted;
  return true;
}

static bool close_to(const double *a, const double *b, size_t count, double tolerance) {
  for (size_t i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance)) return false;
  return true;
}

/* Takes the fastest counted round of each side; the fastest peer is the one to beat. */
static size_t judge(contest *s, const sample *samples, probe best) {
  bench_result *out = s->out;
  size_t fastest = 0;
  out->ours = out->peer = INFINITY;
  for (size_t p = 0; p < out->peer_count; p++) out->peers[p] = INFINITY;
  for (size_t i = 0; i < BENCH_ROUNDS_MAX && samples[i].ours > 0; i++) {
    if (out->rounds && !passes(samples[i].machine, best)) continue;
    out->ours = fmin(out->ours, samples[i].ours);
    out->times[out->time_count++] = samples[i].ours;
    for (size_t p = 0; p < out->peer_count; p++)
      if (samples[i].peers[p] > 0) out->peers[p] = fmin(out->peers[p], samples[i].peers[p]);
  }
  for (size_t p = 0; p < out->peer_count; p++)
    if (out->peers[p] < out->peers[fastest]) fastest = p;
  if (out->peer_count && isfinite(out->peers[fastest])) {
    out->peer = out->peers[fastest];
    out->peer_name = out->names[fastest];
  }
  out->limit = s->bytes ? "reading" : "arithmetic";
  out->limit_fraction = s->bytes ? (double)s->bytes / out->ours / best.read
                                 : s->workload->flops(s->state) / out->ours / best.flops;
  return fastest;
}

static void compare(contest *s, const double *reference, size_t fastest) {
  const bench_workload *w = s->workload;
  s->out->agree = close_to(s->answers, reference, w->answer_count, w->tolerance) &&
                  (!s->out->peer_name || close_to(s->peer_answers[fastest], reference,
                                                  w->answer_count, w->peer_tolerance));
}

static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char name[512];
    snprintf(name, sizeof name, "%s/%.200s", path, entry->d_name);
    if (entry->d_name[0] != '.') unlink(name);
  }
  if (folder) closedir(folder);
  rmdir(path);
}

/* Creates the data on both sides; the files are deleted once the peers have read them. */
static bool prepare(contest *s, const bench_case *size) {
  const char *parent = getenv("TMPDIR");
  char folder[256];
  snprintf(folder, sizeof folder, "%s/credence-bench-XXXXXX", parent ? parent : "/tmp");
  if (!mkdtemp(folder)) return false;
  s->state = s->workload->prepare(size, folder);
  if (s->peer && s->state && bench_peer_load(s->peer, s->workload->name, folder))
    s->out->peer_count = bench_peer_names(s->peer, s->workload->name, s->out->names);
  remove_folder(folder);
  return s->state;
}

bool bench_measure(const bench_workload *workload, const bench_case *size, bench_effort effort,
                   bench_peer *peer, bench_result *out) {
  *out = (bench_result){ .workload = size->name, .target = size->target };
  contest s = { .workload = workload, .peer = peer, .out = out };
  if (workload->bytes) s.bytes = workload->bytes(size);
  sample samples[BENCH_ROUNDS_MAX] = { { { 0, 0 }, 0, { 0 } } };
  probe best = { 0, 0 };
  bool good = prepare(&s, size) && play(&s, effort, samples, &best);
  if (good) {
    double reference[BENCH_ANSWERS];
    size_t fastest = judge(&s, samples, best);
    out->known =
        peer && bench_peer_reference(peer, workload->name, reference, workload->answer_count);
    if (out->known) compare(&s, reference, fastest);
  }
  if (s.state) workload->release(s.state);
  return good;
}
