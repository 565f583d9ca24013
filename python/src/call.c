/*
 * call.c -- one call of the library: a context, without the GIL, interrupted by Ctrl-C.
 *
 * Every call has a context of its own, so that several threads may call at once. While the main
 * thread is inside a call, SIGINT also interrupts the context, since Python's own handler only sets
 * a flag that the interpreter would look at after the call. Python code, such as a progress
 * callback, never sees our handler: it is installed after it and removed before.
 *
 * An interrupted call ends even if a handler of the user's own returns without an exception.
 */
#include "core.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic(crd_context *) interruptible; /* the context of the main thread's call */
static atomic_int handlers;                  /* handlers that look at it, on any thread */
static struct sigaction previous;            /* the handler that was installed before ours */
static unsigned forks;                       /* that lie behind: threads are gone */
static _Thread_local core_call *innermost;   /* of this thread */

/* ---- Ctrl-C. */

static void handle_interrupt(int number, siginfo_t *info, void *context) {
  atomic_fetch_add(&handlers, 1);
  const struct sigaction then = previous;
  crd_context *const ctx = atomic_load(&interruptible);
  if (ctx) crd_context_interrupt(ctx);
  atomic_fetch_sub(&handlers, 1);
  if (then.sa_flags & SA_SIGINFO) then.sa_sigaction(number, info, context);
  else then.sa_handler(number);
}

/* The thread that Python runs signal handlers in. The number of a thread is not in POSIX. */
static bool in_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

static void listen(core_call *call) {
  struct sigaction now, ours;
  if (!in_main_thread() || sigaction(SIGINT, NULL, &now) != 0) return;
  if (!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_IGN || now.sa_handler == SIG_DFL))
    return;
  call->listening = true;
  previous = ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = handle_interrupt;
  atomic_store(&interruptible, call->ctx);
  sigaction(SIGINT, &ours, NULL);
}

static void restore_handler(void) {
  struct sigaction now;
  if (sigaction(SIGINT, NULL, &now) != 0) return;
  if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle_interrupt)
    sigaction(SIGINT, &previous, NULL);
}

/* Afterwards no handler uses the context, which may be destroyed. */
static void stop_listening(core_call *call) {
  if (!call->listening) return;
  call->listening = false;
  restore_handler();
  atomic_store(&interruptible, NULL);
  while (atomic_load(&handlers) > 0) sched_yield(); /* on another thread */
}

/* ---- Python during a call. */

/* Keeps the exception that is set until the end of the call, which it interrupts. */
static void keep_error(core_call *call) {
  PyErr_Fetch(&call->error[0], &call->error[1], &call->error[2]);
  crd_context_interrupt(call->ctx);
}

void core_call_enter_python(core_call *call) {
  PyEval_RestoreThread(call->thread);
  call->thread = NULL;
  stop_listening(call);
}

/* A signal that came after Python's last look and before `listen` would go unnoticed. */
void core_call_leave_python(core_call *call) {
  listen(call);
  if (!call->error[0] && PyErr_CheckSignals() != 0) keep_error(call);
  call->thread = PyEval_SaveThread();
}

PyObject *core_call_make(core_call *call, PyObject *(*make)(const void *what), const void *what) {
  core_call_enter_python(call);
  PyObject *const made = make(what);
  if (!made) keep_error(call);
  core_call_leave_python(call);
  return made;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Calls the callback at most 20 times a second, and at the end of a stage. An exception of it
 * interrupts the call, which then raises it. */
static void report_progress(void *self, const char *stage, uint64_t done, uint64_t total) {
  core_call *const call = self;
  const double now = seconds_now();
  if (call->error[0] || (now - call->last < 0.05 && done < total)) return;
  call->last = now;
  core_call_enter_python(call);
  PyObject *const result = PyObject_CallFunction(
      call->run->progress, "sKK", stage, (unsigned long long)done, (unsigned long long)total);
  if (!result) keep_error(call);
  Py_XDECREF(result);
  core_call_leave_python(call);
}

/* Takes our own bars away, which have a method for it. */
static void end_progress(core_call *call) {
  PyObject *const end = call->last > 0 ? PyObject_GetAttrString(call->run->progress, "end") : NULL;
  PyObject *const result = end ? PyObject_CallNoArgs(end) : NULL;
  if (end && !result && !call->error[0]) keep_error(call);
  PyErr_Clear();
  Py_XDECREF(result);
  Py_XDECREF(end);
}

/* ---- Locks. */

/* Whether this thread holds a lock already: the call is made by a callback of another one. */
static bool holds(const core_lock *lock) {
  for (const core_call *call = innermost; lock && call; call = call->outer)
    if (call->locks[0] == lock || call->locks[1] == lock) return true;
  return false;
}

/* Waits for a lock without the GIL. Returns false if the handler of a signal raised an exception.
 */
static bool take_lock(core_call *call, core_lock *lock) {
  while (PyThread_acquire_lock_timed(lock->mutex, -1, 1) == PY_LOCK_INTR) {
    core_call_enter_python(call);
    core_call_leave_python(call);
    if (call->error[0]) return false;
  }
  atomic_store(&lock->forks, forks);
  return true;
}

/* Locks are taken in the order of their addresses, so that two threads that merge a into b and b
 * into a do not wait for each other. */
static bool take_locks(core_call *call, core_lock *one, core_lock *other) {
  const bool ordered = (uintptr_t)one < (uintptr_t)other;
  core_lock *const locks[] = { ordered ? one : other, ordered ? other : one };
  for (size_t i = 0; i < 2; i++) {
    if (locks[i] && !take_lock(call, locks[i])) return false;
    call->locks[i] = locks[i];
  }
  return true;
}

/* A lock that was taken before a fork by a thread that is not in this process is never released,
 * and its object may be half changed. Returns false with an exception set. */
static bool check_lock(core_lock *lock) {
  if (holds(lock)) {
    core_raise_usage("the object is in use by the call whose callback this is");
    return false;
  }
  if (!lock || atomic_load(&lock->forks) == forks) return true;
  if (PyThread_acquire_lock(lock->mutex, NOWAIT_LOCK)) {
    atomic_store(&lock->forks, forks);
    PyThread_release_lock(lock->mutex);
    return true;
  }
  if (atomic_load(&lock->forks) == forks) return true; /* taken by a thread of this process */
  core_raise_usage("another thread was using the object when this process was forked, so that it "
                   "may be incomplete here: make it anew, or pickle it and pass the bytes");
  return false;
}

/* After a fork: the calls whose callbacks this is, and their locks, go on in the child. */
static void keep_locks(void) {
  for (const core_call *call = innermost; call; call = call->outer)
    for (size_t i = 0; i < 2; i++)
      if (call->locks[i]) atomic_store(&call->locks[i]->forks, forks);
}

/* ---- Begin and end. */

bool core_call_begin(core_call *call, const core_run *run, core_lock *lock) {
  return core_call_begin_both(call, run, lock, NULL);
}

bool core_call_begin_both(core_call *call, const core_run *run, core_lock *one, core_lock *other) {
  memset(call, 0, sizeof *call);
  if (!check_lock(one) || !check_lock(other)) return false;
  call->run = run;
  if (crd_context_create(NULL, &call->ctx) != CRD_OK) {
    core_raise(CRD_ENOMEM, "no memory for a context");
    return false;
  }
  crd_context_set_threads(call->ctx, forks ? 1 : run ? run->threads : 0);
  crd_context_set_seed(call->ctx, run ? run->seed : 0);
  crd_context_set_spelling(call->ctx, core_spelling, NULL);
  if (run && run->progress && run->progress != Py_None)
    crd_context_set_progress(call->ctx, report_progress, call);
  call->outer = innermost;
  innermost = call;
  core_call_leave_python(call);
  if (!call->error[0] && take_locks(call, one, other)) return true;
  core_call_end(call, CRD_EINTERRUPTED);
  core_call_close(call);
  return false;
}

/* Raises what a handler of the user's own or a callback raised; Ctrl-C as credence.Interrupted. */
static void raise_interrupt(core_call *call) {
  if (call->error[0]) PyErr_Restore(call->error[0], call->error[1], call->error[2]);
  else if (PyErr_CheckSignals() == 0) core_raise(CRD_EINTERRUPTED, crd_context_message(call->ctx));
  if (core_raised_ours() || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return;
  PyErr_Clear();
  core_raise(CRD_EINTERRUPTED, "interrupted");
}

/* Raises the exception of a failed call. */
static void raise_failure(const core_call *call, crd_status status) {
  char text[2048]; /* messages of the library have less than 1024 bytes */
  const bool advised = status == CRD_EABSENT && call->instead;
  snprintf(text, sizeof text, "%s%s%s", crd_context_message(call->ctx), advised ? "; " : "",
           advised ? call->instead : "");
  core_raise(status, text);
}

bool core_call_end(core_call *call, crd_status status) {
  for (size_t i = 0; i < 2; i++)
    if (call->locks[i]) PyThread_release_lock(call->locks[i]->mutex);
  core_call_enter_python(call);
  innermost = call->outer;
  crd_context_set_progress(call->ctx, NULL, NULL);
  end_progress(call);
  if (call->error[0] || status == CRD_EINTERRUPTED) raise_interrupt(call);
  else if (status != CRD_OK) raise_failure(call, status);
  else return true;
  return false;
}

bool core_call_pardon(core_call *call) {
  bool interrupted = false;
  core_call_enter_python(call);
  if (!call->error[0] && PyErr_CheckSignals() != 0)
    PyErr_Fetch(&call->error[0], &call->error[1], &call->error[2]);
  if (call->error[0] && PyErr_GivenExceptionMatches(call->error[0], PyExc_KeyboardInterrupt)) {
    interrupted = true;
    for (size_t i = 0; i < 3; i++) Py_CLEAR(call->error[i]);
  }
  core_call_leave_python(call);
  return interrupted;
}

void core_call_close(core_call *call) {
  crd_context_destroy(call->ctx);
  call->ctx = NULL;
}

crd_context *core_call_take(core_call *call) {
  crd_context *const ctx = call->ctx;
  call->ctx = NULL;
  return ctx;
}

unsigned core_forks(void) { return forks; }

/* Another thread may have been in a call, which has no end in this process. */
PyObject *core_after_fork(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  forks++;
  keep_locks();
  restore_handler();
  atomic_store(&interruptible, NULL);
  atomic_store(&handlers, 0);
  Py_RETURN_NONE;
}
