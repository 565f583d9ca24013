/* context.h -- contents of the context, and reporting failures. */
#ifndef CRD_BASE_CONTEXT_H
#define CRD_BASE_CONTEXT_H

#include "credence/base.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#if defined(__GNUC__)
#define CRD_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CRD_PRINTF(text, first)
#endif

typedef struct crd__file_ops crd__file_ops;

struct crd_context {
  crd_allocator alloc;
  const crd__file_ops *files; /* replaced by failing ones in tests */
  crd_spelling_fn spelling;
  void *spelling_self;
  crd_log_fn log;
  void *log_self;
  crd_progress_fn progress;
  void *progress_self;
  unsigned threads; /* 0: all */
  uint64_t seed;
  atomic_bool interrupted;
  _Atomic(crd_output *) outputs; /* list of open outputs, for signal handlers (file.c) */
  char message[1024];
};

/* Returns from the calling function if the call fails. The only such macro. */
#define CRD_TRY(call)                                                                              \
  do {                                                                                             \
    const crd_status crd_try_status = (call);                                                      \
    if (crd_try_status != CRD_OK) return crd_try_status;                                           \
  } while (0)

/* Stores an error message and returns the status: return crd__fail(ctx, CRD_EINPUT, "...", ...);
 * a message names the file, the row or key, the value found and the values allowed. */
crd_status crd__fail(crd_context *ctx, crd_status status, const char *format, ...) CRD_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* sees one file at a time: tell it that crd__fail never returns CRD_OK  \
                           */
#define crd__fail(ctx, status, ...) (crd__fail(ctx, status, __VA_ARGS__), status)
#endif
/* Prepends "prefix: " to the error message and returns the status. */
crd_status crd__fail_in(crd_context *ctx, crd_status status, const char *prefix);
/* Fails with errno's text: "path: cannot open: No such file or directory". CRD_EINPUT for a file
 * that is missing or that this user cannot read, else CRD_ESYSTEM. */
crd_status crd__fail_errno(crd_context *ctx, const char *path, const char *action);

/* Returns the user's name of an option's field or of a function of the library, for error
 * messages. */
const char *crd__spell(const crd_context *ctx, const char *name);

void crd__log(crd_context *ctx, crd_log_level level, const char *format, ...) CRD_PRINTF(3, 4);
void crd__progress(crd_context *ctx, const char *stage, uint64_t done, uint64_t total);
/* Returns whether an interrupt is pending, for workers of a parallel loop, which only stop. */
bool crd__interrupted(const crd_context *ctx);
/* Returns CRD_EINTERRUPTED if an interrupt is pending, and clears it: it ends the running call
 * only. */
crd_status crd__check_interrupt(crd_context *ctx);

#endif
