/*
 * call.c -- one call of the library: a context, without the GIL, interrupted by Ctrl-C.
 *
 * Every call has a context of its own, so that several threads may call at once. While the main
 * thread is inside a call, SIGINT also interrupts the context, since Python's own handler only sets
 * a flag that the interpreter would look at after the call.
 */
#include "core.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic(crd_context *) interruptible; /* the context of the main thread's call */
static struct sigaction python_action;       /* the handler that was installed before ours */
static bool forked;                          /* in the child: threads are gone */

static void handle_interrupt(int number) {
  crd_context *const ctx = atomic_load(&interruptible);
  if (ctx) crd_context_interrupt(ctx);
  if (python_action.sa_handler != SIG_DFL && python_action.sa_handler != SIG_IGN)
    python_action.sa_handler(number);
}

/* The thread that Python runs signal handlers in. The number of a thread is not in POSIX. */
static bool in_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

static void listen(core_call *call) {
  struct sigaction now, ours;
  call->outer = atomic_load(&interruptible);
  call->listening = false;
  if (!in_main_thread() || sigaction(SIGINT, NULL, &now) != 0) return;
  if (now.sa_flags & SA_SIGINFO || now.sa_handler == SIG_IGN || now.sa_handler == SIG_DFL) return;
  call->listening = true;
  atomic_store(&interruptible, call->ctx);
  if (call->outer) return; /* a call inside a callback: the handler is ours already */
  python_action = ours = now;
  ours.sa_handler = handle_interrupt;
  sigaction(SIGINT, &ours, NULL);
}

static void stop_listening(core_call *call) {
  if (!call->listening) return;
  atomic_store(&interruptible, call->outer);
  if (!call->outer) sigaction(SIGINT, &python_action, NULL);
  call->listening = false;
}

void core_call_enter_python(core_call *call) {
  PyEval_RestoreThread(call->thread);
  call->thread = NULL;
}

void core_call_leave_python(core_call *call) { call->thread = PyEval_SaveThread(); }

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
  PyObject *const result =
      PyObject_CallFunction(call->run->progress, "sKK", stage, (unsigned long long)done,
                            (unsigned long long)total);
  if (!result) {
    PyErr_Fetch(&call->error[0], &call->error[1], &call->error[2]);
    crd_context_interrupt(call->ctx);
  }
  Py_XDECREF(result);
  core_call_leave_python(call);
}

bool core_call_begin(core_call *call, const core_run *run, PyThread_type_lock lock) {
  return core_call_begin_both(call, run, lock, NULL);
}

/* Locks are taken in the order of their addresses, so that two threads that merge a into b and b
 * into a do not wait for each other. */
static void take_locks(core_call *call, PyThread_type_lock one, PyThread_type_lock other) {
  const bool ordered = (uintptr_t)one < (uintptr_t)other;
  call->locks[0] = ordered ? one : other;
  call->locks[1] = ordered ? other : one;
  for (size_t i = 0; i < 2; i++)
    if (call->locks[i]) PyThread_acquire_lock(call->locks[i], WAIT_LOCK);
}

bool core_call_begin_both(core_call *call, const core_run *run, PyThread_type_lock one,
                          PyThread_type_lock other) {
  memset(call, 0, sizeof *call);
  call->run = run;
  if (crd_context_create(NULL, &call->ctx) != CRD_OK) {
    core_raise(CRD_ENOMEM, "no memory for a context");
    return false;
  }
  crd_context_set_threads(call->ctx, forked ? 1 : run ? run->threads : 0);
  crd_context_set_seed(call->ctx, run ? run->seed : 0);
  if (run && run->progress && run->progress != Py_None)
    crd_context_set_progress(call->ctx, report_progress, call);
  listen(call);
  call->thread = PyEval_SaveThread();
  take_locks(call, one, other);
  return true;
}

/* Raises KeyboardInterrupt as credence.Interrupted, and what a handler of the user's own raised. */
static void raise_interrupt(const core_call *call) {
  if (PyErr_CheckSignals() != 0) {
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return;
    PyErr_Clear();
  }
  core_raise(CRD_EINTERRUPTED, crd_context_message(call->ctx));
}

bool core_call_end(core_call *call, crd_status status) {
  for (size_t i = 0; i < 2; i++)
    if (call->locks[i]) PyThread_release_lock(call->locks[i]);
  PyEval_RestoreThread(call->thread);
  stop_listening(call);
  crd_context_set_progress(call->ctx, NULL, NULL);
  if (call->error[0]) PyErr_Restore(call->error[0], call->error[1], call->error[2]);
  else if (status == CRD_EINTERRUPTED) raise_interrupt(call);
  else if (status != CRD_OK) core_raise(status, crd_context_message(call->ctx));
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

PyObject *core_after_fork(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  forked = true;
  Py_RETURN_NONE;
}
