/* credence/base.h -- status codes, the context that every call takes, output files, the version. */
#ifndef CREDENCE_BASE_H
#define CREDENCE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CRD_API __attribute__((visibility("default")))
#define CRD_NODISCARD __attribute__((warn_unused_result))
#else
#define CRD_API
#define CRD_NODISCARD
#endif

#define CRD_VERSION_MAJOR 0
#define CRD_VERSION_MINOR 1
#define CRD_VERSION_PATCH 0

/** Returns the version of the running library, e.g. "0.1.0"; a static string. */
CRD_API const char *crd_version(void);

/*
 * Structs that grow, and tables.
 *
 * A struct by which you pass options or parts to a function begins with `size`, which you set to
 * its sizeof; everything else may stay zero, which is the default:
 *
 *   crd_evaluate_options options = { .size = sizeof options, .metrics = "ece" };
 *
 * Such structs grow at their end only. A program that was compiled with an older header has a
 * smaller `size`: members that it does not know are zero. With a newer header than the running
 * library it has a larger one: members that the library does not know must be zero. CRD_EUSAGE
 * otherwise, and if `size` is 0. Options that a pointer in options refers to have their own `size`.
 *
 * Tables, of metrics, methods, losses ..., have three functions: crd_NOUN_count; crd_NOUN_at, which
 * returns NULL past the end; crd_NOUN_find, which returns NULL for an unknown name and for NULL.
 *
 * Structs that the library allocates and returns by pointer may grow at their end too: do not copy
 * or allocate them. All other structs do not change within one soname: those that you put into
 * arrays (crd_array, crd_group_column, crd_shift_set, crd_external_method, crd_named_result,
 * crd_page_part, crd_monitor, crd_weights ...), those that you allocate for results or pass as data
 * (crd_loss_value, crd_feed_summary, crd_epoch, crd_batch, crd_source, crd_overlap, crd_provenance,
 * crd_perturbation, crd_encoding ...), and elements of arrays within results.
 */

/* One entry per code: name, exit code of the program, meaning. */
#define CRD_STATUS_LIST(X)                                                                         \
  X(OK, 0, "success")                                                                              \
  X(EUSAGE, 2, "an argument is outside its stated range, or unknown")                              \
  X(EINPUT, 3, "the input data is invalid")                                                        \
  X(EABSENT, 4, "this feature is not built in")                                                    \
  X(ENUMERIC, 5, "no finite answer exists for this data")                                          \
  X(ENOMEM, 6, "out of memory")                                                                    \
  X(ESYSTEM, 6, "the operating system reported an error")                                          \
  X(EINTERRUPTED, 130, "interrupted")

typedef enum {
#define X(name, exit_code, text) CRD_##name,
  CRD_STATUS_LIST(X)
#undef X
} crd_status;

/** Returns the general meaning of a code; crd_context_message() has the particulars. */
CRD_API const char *crd_status_text(crd_status status);
/** Returns the exit code with which a program should report this status; that of ESYSTEM outside
 * the enum. */
CRD_API int crd_status_exit_code(crd_status status);

/**
 * Returns the name with the smallest edit distance from a mistyped word, or NULL if none is close.
 * `at` returns the name of an index, and NULL past the last; it gets `self`.
 */
CRD_API const char *crd_nearest(const char *word, const char *(*at)(const void *self, size_t index),
                                const void *self);

/* A setting of a calibration method or a loss, as its table describes it. */
typedef struct {
  const char *name;     /* "gamma" */
  const char *help;     /* one line */
  const char *standard; /* the default, as text */
  const char *words;    /* the allowed words, separated by spaces; NULL: a number */
  double low, high;     /* the allowed range of a number; beside words, only if high > low */
  int whole;            /* non-zero: integers only */
  int list;             /* non-zero: a comma-separated list of numbers is allowed too */
} crd_setting_info;

/**
 * Allocates, resizes and frees: resize(self, NULL, n) returns n bytes, resize(self, p, n) grows or
 * shrinks p, resize(self, p, 0) frees p and returns NULL. NULL otherwise means: out of memory.
 */
typedef struct {
  void *(*resize)(void *self, void *memory, size_t bytes);
  void *self;
} crd_allocator;

typedef enum { CRD_LOG_INFO, CRD_LOG_WARNING } crd_log_level;
typedef void (*crd_log_fn)(void *self, crd_log_level level, const char *message);
/** Reports progress: called from time to time during long work, from the calling thread only. */
typedef void (*crd_progress_fn)(void *self, const char *stage, uint64_t done, uint64_t total);

/**
 * Holds the state that would otherwise be global: allocator, error message, log, threads, seed.
 *
 *   life      create -> pass to every call -> destroy after the objects made with it
 *   threads   one thread at a time; crd_context_interrupt may be called from any thread
 *   failure   a call that fails returns a code, leaves an error message in crd_context_message(),
 *             sets its out pointer to NULL, and leaves every object as it was before the call
 *
 * Any call that returns a status can fail with CRD_ENOMEM, and long ones with CRD_EINTERRUPTED; the
 * comments of functions name the other codes.
 */
typedef struct crd_context crd_context;

/** Creates a context; `allocator` NULL: malloc and its family. Fails only with CRD_ENOMEM. */
CRD_API CRD_NODISCARD crd_status crd_context_create(const crd_allocator *allocator,
                                                    crd_context **out);
/** Destroys a context; NULL is allowed. */
CRD_API void crd_context_destroy(crd_context *ctx);
/** Returns the error message of the last failed call ("" if none failed), until the next call. */
CRD_API const char *crd_context_message(const crd_context *ctx);
/** Stores an error message and returns `status`: for callbacks of yours that the library calls. */
CRD_API crd_status crd_context_fail(crd_context *ctx, crd_status status, const char *message);

/** Returns the name by which users of a program know a name of this library, or `name` itself. */
typedef const char *(*crd_spelling_fn)(void *self, const char *name);
/**
 * Error messages, notes and advice name options by their field ("label_key", "input=logits") and
 * functions by their C name ("crd_metric_at"). A program whose users know them by other names
 * ("--label-key") supplies these here; the strings must outlive the context. NULL: as in C.
 */
CRD_API void crd_context_set_spelling(crd_context *ctx, crd_spelling_fn spelling, void *self);

/** Sets the function that receives log messages, and its first argument; NULL: none. */
CRD_API void crd_context_set_log(crd_context *ctx, crd_log_fn log, void *self);
/** Sets the function that receives progress, and its first argument; NULL: none. */
CRD_API void crd_context_set_progress(crd_context *ctx, crd_progress_fn progress, void *self);
/** Sets the number of threads that long work may use; 0 (the default): all of the machine. */
CRD_API void crd_context_set_threads(crd_context *ctx, unsigned threads);
/** Sets the seed (default 0), the only source of randomness. */
CRD_API void crd_context_set_seed(crd_context *ctx, uint64_t seed);
/** Asks the running call, or the next one if none runs, to stop with CRD_EINTERRUPTED; the context
 * can be used again afterwards. Async-signal-safe. */
CRD_API void crd_context_interrupt(crd_context *ctx);
/**
 * Removes the temporary files of all open outputs, for a signal handler that is about to end the
 * process. Input files are mapped, so a file that another process truncates raises SIGBUS; the
 * library installs no handler, and a program that wants to exit cleanly installs one that calls
 * this. Async-signal-safe. The context must not be used afterwards.
 */
CRD_API void crd_context_abandon(crd_context *ctx);

/**
 * A file that is written atomically: bytes go to a temporary file beside it, which commit flushes
 * to disk and renames. The path "-" is standard output, where nothing is renamed.
 *
 *   life      open, or open_memory -> write* -> finish, commit or discard
 */
typedef struct crd_output crd_output;
/** Creates the temporary file; CRD_ESYSTEM if that fails. */
CRD_API CRD_NODISCARD crd_status crd_output_open(crd_context *ctx, const char *path,
                                                 crd_output **out);
/** Creates an output that keeps its bytes in memory until commit or discard, for
 * crd_output_bytes. */
CRD_API CRD_NODISCARD crd_status crd_output_open_memory(crd_context *ctx, crd_output **out);
/** Returns the bytes written so far to an output in memory, and sets `*length`; borrowed until the
 * next call with this output. NULL for files. */
CRD_API const void *crd_output_bytes(const crd_output *output, size_t *length);
/** Appends `count` bytes; CRD_ESYSTEM if that fails, e.g. because the disk is full. */
CRD_API CRD_NODISCARD crd_status crd_output_write(crd_context *ctx, crd_output *output,
                                                  const void *bytes, size_t count);
/** Renames the file to its final name and releases `output`, even if that fails (CRD_ESYSTEM). */
CRD_API CRD_NODISCARD crd_status crd_output_commit(crd_context *ctx, crd_output *output);
/** Commits two outputs that belong together, and releases both, even if that fails: both are
 * flushed to disk before either is renamed. */
CRD_API CRD_NODISCARD crd_status crd_output_commit_both(crd_context *ctx, crd_output *output,
                                                        crd_output *other);
/** Commits `output` if `status` is CRD_OK, and discards it otherwise, which keeps the error
 * message; returns the status of the whole. NULL is allowed with a failure: nothing was opened. */
CRD_API CRD_NODISCARD crd_status crd_output_finish(crd_context *ctx, crd_output *output,
                                                   crd_status status);
/** Deletes the temporary file and releases `output`; an older file stays. NULL is allowed. */
CRD_API void crd_output_discard(crd_output *output);

#ifdef __cplusplus
}
#endif
#endif
