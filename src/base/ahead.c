/*
 * ahead.c -- worker threads and a ring of slots, under one lock.
 *
 *   held .. first .. claimed .. held + slots
 *
 * Pieces below `held` are over; the one before `first` is the caller's, if one is; pieces from
 * `first` to `claimed` are made or being made; further ones wait for a free slot.
 */
#include "base/ahead.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

enum { WORKERS_MAX = 64, CHOSEN_MAX = 8, SHARE = 4 };

typedef enum { EMPTY, BUSY, DONE } slot_state;

typedef struct {
  slot_state state;
  crd_status status;
  char message[sizeof((crd_context *)0)->message];
} slot;

typedef struct {
  crd__ahead *ahead;
  unsigned index;
  crd_context local;
  pthread_t thread;
} worker;

struct crd__ahead {
  crd_allocator alloc;
  crd__ahead_fn fn;
  void *arg;
  pthread_mutex_t lock;
  pthread_cond_t work, done; /* workers wait for work, the caller waits until it is done */
  uint64_t first, claimed;
  bool taken, paused, stopped;
  size_t running; /* pieces that threads are making */
  size_t slot_count;
  slot *slots;
  unsigned worker_count; /* threads; one more worker is the caller */
  worker *workers;
};

unsigned crd__ahead_workers(const crd_context *ctx, unsigned wish) {
  const unsigned share = crd__parallel_workers(ctx, SIZE_MAX) / SHARE;
  if (wish) return wish < WORKERS_MAX ? wish : WORKERS_MAX;
  return share < 1 ? 1 : share < CHOSEN_MAX ? share : CHOSEN_MAX;
}

/* ---- Making pieces. */

static bool can_claim(const crd__ahead *a) {
  const uint64_t held = a->first - a->taken;
  return !a->paused && a->claimed - held < a->slot_count;
}

/* Makes a piece with the lock released meanwhile; the slot is this thread's alone. */
static void make(crd__ahead *a, worker *w, uint64_t number) {
  const size_t index = (size_t)(number % a->slot_count);
  slot *const s = &a->slots[index];
  s->state = BUSY;
  pthread_mutex_unlock(&a->lock);
  const crd_status status = a->fn(&w->local, a->arg, w->index, number, index);
  if (status != CRD_OK) memcpy(s->message, w->local.message, sizeof s->message);
  pthread_mutex_lock(&a->lock);
  s->status = status;
  s->state = DONE;
}

static void *run(void *argument) {
  worker *const w = argument;
  crd__ahead *const a = w->ahead;
  pthread_mutex_lock(&a->lock);
  while (!a->stopped) {
    if (!can_claim(a)) {
      pthread_cond_wait(&a->work, &a->lock);
      continue;
    }
    a->running++;
    make(a, w, a->claimed++);
    a->running--;
    pthread_cond_broadcast(&a->done);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

/* ---- Life. */

/* Signals are for the threads of the program. */
static void start(crd__ahead *a, unsigned workers) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned i = 0; i < workers; i++) {
    if (pthread_create(&a->workers[i].thread, NULL, run, &a->workers[i]) != 0) break;
    a->worker_count++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void fill_worker(const crd_context *ctx, crd__ahead *a, unsigned index) {
  worker *const w = &a->workers[index];
  w->ahead = a;
  w->index = index;
  w->local.alloc = ctx->alloc;
  w->local.files = ctx->files;
  w->local.spelling = ctx->spelling;
  w->local.spelling_self = ctx->spelling_self;
  w->local.threads = 1;
  w->local.seed = ctx->seed;
  atomic_init(&w->local.interrupted, false);
}

crd_status crd__ahead_create(crd_context *ctx, unsigned workers, size_t slots, crd__ahead_fn fn,
                             void *arg, crd__ahead **out) {
  crd__ahead *a;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *a, "threads", &a));
  a->alloc = ctx->alloc;
  a->fn = fn;
  a->arg = arg;
  a->slot_count = slots;
  crd_status status = crd__new(ctx, slots, sizeof *a->slots, "threads", &a->slots);
  if (status == CRD_OK)
    status = crd__new(ctx, (size_t)workers + 1, sizeof *a->workers, "threads", &a->workers);
  if (status != CRD_OK) {
    crd__free(&ctx->alloc, a->slots);
    crd__free(&ctx->alloc, a);
    return status;
  }
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->work, NULL);
  pthread_cond_init(&a->done, NULL);
  for (unsigned i = 0; i <= workers; i++) fill_worker(ctx, a, i);
  start(a, workers);
  *out = a;
  return CRD_OK;
}

static void set_interrupted(crd__ahead *a, bool value) {
  for (unsigned i = 0; i < a->worker_count; i++)
    atomic_store(&a->workers[i].local.interrupted, value);
}

void crd__ahead_destroy(crd__ahead *a) {
  if (!a) return;
  const crd_allocator alloc = a->alloc;
  pthread_mutex_lock(&a->lock);
  a->stopped = true;
  set_interrupted(a, true);
  pthread_cond_broadcast(&a->work);
  pthread_mutex_unlock(&a->lock);
  for (unsigned i = 0; i < a->worker_count; i++) pthread_join(a->workers[i].thread, NULL);
  pthread_cond_destroy(&a->done);
  pthread_cond_destroy(&a->work);
  pthread_mutex_destroy(&a->lock);
  crd__free(&alloc, a->workers);
  crd__free(&alloc, a->slots);
  crd__free(&alloc, a);
}

/* ---- Taking pieces. */

void crd__ahead_seek(crd__ahead *a, uint64_t number) {
  pthread_mutex_lock(&a->lock);
  a->paused = true;
  set_interrupted(a, true);
  while (a->running) pthread_cond_wait(&a->done, &a->lock);
  set_interrupted(a, false);
  for (size_t i = 0; i < a->slot_count; i++) a->slots[i].state = EMPTY;
  a->first = a->claimed = number;
  a->taken = a->paused = false;
  pthread_cond_broadcast(&a->work);
  pthread_mutex_unlock(&a->lock);
}

crd_status crd__ahead_next(crd_context *ctx, crd__ahead *a, size_t *out) {
  pthread_mutex_lock(&a->lock);
  if (a->taken) a->slots[(a->first - 1) % a->slot_count].state = EMPTY;
  a->taken = false;
  pthread_cond_broadcast(&a->work);
  const size_t index = (size_t)(a->first % a->slot_count);
  slot *const s = &a->slots[index];
  if (a->claimed == a->first) a->claimed++;
  else
    while (s->state == BUSY) pthread_cond_wait(&a->done, &a->lock);
  if (s->state == EMPTY) make(a, &a->workers[a->worker_count], a->first);
  const crd_status status = s->status;
  if (status == CRD_OK) {
    a->first++;
    a->taken = true;
    *out = index;
  } else {
    memcpy(ctx->message, s->message, sizeof ctx->message);
    s->state = EMPTY;
  }
  pthread_mutex_unlock(&a->lock);
  return status;
}
