/* credence/base.h -- what every call needs: status codes, the context, the version. */
#ifndef CREDENCE_BASE_H
#define CREDENCE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CRD_API __attribute__((visibility("default")))
#define CRD_CHECK __attribute__((warn_unused_result))
#else
#define CRD_API
#define CRD_CHECK
#endif

#define CRD_VERSION_MAJOR 0
#define CRD_VERSION_MINOR 1
#define CRD_VERSION_PATCH 0

/** The version of the library that runs, e.g. "0.1.0"; lives for ever. */
CRD_API const char *crd_version(void);

/* One row per code: name, exit code of the program, what it means. */
#define CRD_STATUS_LIST(X)                                                                         \
  X(OK, 0, "success")                                                                              \
  X(EUSAGE, 2, "an argument is outside its stated range, or unknown")                              \
  X(EINPUT, 3, "the input data is not as it should be")                                            \
  X(EABSENT, 4, "this feature is not built in")                                                    \
  X(ENUMERIC, 5, "no finite answer exists for this data")                                          \
  X(ENOMEM, 6, "out of memory")                                                                    \
  X(ESYSTEM, 6, "the operating system refused")                                                    \
  X(EINTERRUPTED, 130, "interrupted")

typedef enum {
#define X(name, exit_code, text) CRD_##name,
  CRD_STATUS_LIST(X)
#undef X
} crd_status;

/** What a code means in general; the context's message says what happened. */
CRD_API const char *crd_status_text(crd_status status);
/** The exit code a program should end with on this status. */
CRD_API int crd_status_exit_code(crd_status status);

/**
 * The name nearest to a mistyped word, or NULL when none is near; `at` gives the names by number
 * and NULL past the last.
 */
CRD_API const char *crd_nearest(const char *word, const char *(*at)(size_t index));

/* A setting that a method or a loss understands, of its table. */
typedef struct {
  const char *name;     /* "gamma" */
  const char *help;     /* one line */
  const char *standard; /* the value when it is not set, as text */
  const char *words;    /* the words allowed, separated by spaces; NULL: a number */
  double low, high;     /* the numbers allowed; with words too, where high is above low */
  int whole;            /* non-zero: whole numbers only */
  int list;             /* non-zero: in place of a word also numbers, separated by commas */
} crd_setting_info;

/**
 * One function serves all memory: resize(self, NULL, n) allocates n bytes,
 * resize(self, p, n) grows or shrinks p, resize(self, p, 0) frees it and returns NULL.
 */
typedef struct {
  void *(*resize)(void *self, void *memory, size_t bytes);
  void *self;
} crd_allocator;

typedef enum { CRD_LOG_INFO, CRD_LOG_WARNING } crd_log_level;
typedef void (*crd_log_fn)(void *self, crd_log_level level, const char *message);
/** Called now and then during long work, from the calling thread only. */
typedef void (*crd_progress_fn)(void *self, const char *stage, uint64_t done, uint64_t total);

/**
 * A context carries what would otherwise be global: allocator, message, log, threads, seed.
 *
 *   life      create -> pass to every call -> destroy after the objects made with it
 *   threads   one context serves one thread at a time; interrupt may come from any thread
 *   failure   a code is returned, crd_context_message() says why in one sentence,
 *             an out pointer is NULL, and every object is as it was before the call
 */
typedef struct crd_context crd_context;

/** Make a context; `allocator` NULL means the C library's. */
CRD_API CRD_CHECK crd_status crd_context_create(const crd_allocator *allocator, crd_context **out);
/** Release it. NULL is allowed and does nothing. */
CRD_API void crd_context_destroy(crd_context *ctx);
/** Why the last failing call failed; "" before the first failure. Valid until the next call. */
CRD_API const char *crd_context_message(const crd_context *ctx);
/** For functions of your own that the library calls: note why they fail, and return the status. */
CRD_API crd_status crd_context_fail(crd_context *ctx, crd_status status, const char *sentence);

CRD_API void crd_context_set_log(crd_context *ctx, crd_log_fn log, void *self);
CRD_API void crd_context_set_progress(crd_context *ctx, crd_progress_fn progress, void *self);
/** How many threads long work may use; 0 (the default) means all that the machine offers. */
CRD_API void crd_context_set_threads(crd_context *ctx, unsigned threads);
/** Everything random follows from this number alone; 0 by default. */
CRD_API void crd_context_set_seed(crd_context *ctx, uint64_t seed);
/** Ask the running call, or the next one where none runs, to stop with CRD_EINTERRUPTED. The
 * context can be used again afterwards. Safe in a signal handler. */
CRD_API void crd_context_interrupt(crd_context *ctx);
/**
 * For a signal handler that is about to end the process: remove the temporary files of all outputs
 * that are still open. Files are mapped, so that one which somebody truncates meanwhile raises
 * SIGBUS; the library installs no handler, a program that wants to end in order does, and calls
 * this. Safe in a signal handler; afterwards the context can only be abandoned.
 */
CRD_API void crd_context_abandon(crd_context *ctx);

/**
 * A file that appears whole or not at all: bytes go to a temporary name beside it, commit
 * flushes them to the disk and renames. The path "-" is standard output (nothing to rename).
 */
typedef struct crd_output crd_output;
CRD_API CRD_CHECK crd_status crd_output_open(crd_context *ctx, const char *path, crd_output **out);
CRD_API CRD_CHECK crd_status crd_output_write(crd_context *ctx, crd_output *output,
                                              const void *bytes, size_t count);
/** Make it visible under its name and release it, whether or not that succeeds. */
CRD_API CRD_CHECK crd_status crd_output_commit(crd_context *ctx, crd_output *output);
/** Drop what was written and release it; the old file, if any, is untouched. NULL is allowed. */
CRD_API void crd_output_discard(crd_output *output);

#ifdef __cplusplus
}
#endif
#endif
