/* parallel.c -- parallel loops on OpenMP threads; the only file that uses OpenMP. */
#include "base/parallel.h"

#include <omp.h>
#include <string.h>

static size_t chunk_count(size_t total, size_t chunk) {
  return total / chunk + (total % chunk > 0);
}

/* Returns `threads` (0: one per processor), but at most one per piece of work. */
static unsigned workers_for(unsigned threads, size_t pieces) {
  const int available = omp_get_num_procs();
  const unsigned most = threads ? threads : available > 0 ? (unsigned)available : 1;
  return pieces < most ? (pieces ? (unsigned)pieces : 1) : most;
}

unsigned crd__parallel_workers(const crd_context *ctx, size_t chunks) {
  return workers_for(ctx->threads, chunks);
}

typedef struct {
  crd_context *ctx;
  const char *stage;
  crd__chunk_fn fn;
  void *arg;
  size_t total, chunk;
  atomic_size_t done;
  atomic_size_t failed; /* the lowest chunk that failed; SIZE_MAX: none */
} work;

/* Chunks above a failed one need not run; those below must, since they may fail too. */
static bool wanted(work *w, size_t index) {
  return index < atomic_load(&w->failed) && !crd__interrupted(w->ctx);
}

static void note_failure(work *w, size_t index, crd_status status, const crd_context *local,
                         crd_status *first) {
#pragma omp critical(crd_parallel_failure)
  if (index < atomic_load(&w->failed)) {
    atomic_store(&w->failed, index);
    *first = status;
    memcpy(w->ctx->message, local->message, sizeof local->message);
  }
}

crd_status crd__parallel_for(crd_context *ctx, const char *stage, size_t total, size_t chunk,
                             crd__chunk_fn fn, void *arg) {
  const size_t chunks = chunk_count(total, chunk);
  work w = { .ctx = ctx, .stage = stage, .fn = fn, .arg = arg, .total = total, .chunk = chunk };
  crd_status first = CRD_OK;
  atomic_init(&w.done, 0);
  atomic_init(&w.failed, SIZE_MAX);

#pragma omp parallel num_threads((int)crd__parallel_workers(ctx, chunks))
  {
    crd_context local;
    memset(&local, 0, sizeof local);
    local.alloc = ctx->alloc;
    local.files = ctx->files;
    local.threads = 1;
    local.seed = ctx->seed;
    const int worker = omp_get_thread_num();
#pragma omp for schedule(dynamic)
    for (size_t index = 0; index < chunks; index++) {
      if (!wanted(&w, index)) continue;
      const size_t from = index * chunk, to = total - from < chunk ? total : from + chunk;
      const crd_status status = fn(&local, arg, (unsigned)worker, from, to);
      if (status != CRD_OK) note_failure(&w, index, status, &local, &first);
      const size_t done = atomic_fetch_add(&w.done, to - from) + (to - from);
      if (worker == 0 && stage) crd__progress(ctx, stage, done, total);
    }
  }
  return first != CRD_OK ? first : crd__check_interrupt(ctx);
}

/* Returns the start of span i of `count`: the first total % count are longer by one. */
static size_t span_start(size_t total, size_t count, size_t i) {
  const size_t longer = total % count;
  return i * (total / count) + (i < longer ? i : longer);
}

void crd__parallel_spans(unsigned threads, size_t total, size_t grain,
                         void (*fn)(void *arg, size_t from, size_t to), void *arg) {
  if (!total) return;
  const size_t spans = workers_for(threads, total / (grain && !CRD__CUT_ALL ? grain : 1));
  if (spans == 1) {
    fn(arg, 0, total);
    return;
  }
#pragma omp parallel for num_threads((int)spans) schedule(static, 1)
  for (size_t i = 0; i < spans; i++)
    fn(arg, span_start(total, spans, i), span_start(total, spans, i + 1));
}

unsigned crd__parallel_limit(unsigned threads) {
  const int before = omp_get_max_threads();
  omp_set_num_threads((int)threads);
  return (unsigned)before;
}
