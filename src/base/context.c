/*
 * context.c -- the context: state that would otherwise be global, and reporting failures.
 *
 * A failing call stores an error message in the context and returns a code, so that a binding can
 * raise both, and no function needs an extra parameter for errors.
 */
#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Assumptions of all rooms (cmake/platform.cmake). */
_Static_assert(sizeof(size_t) == 8, "a 64-bit processor");
_Static_assert(sizeof(double) == 8 && DBL_MANT_DIG == 53, "doubles of IEEE 754");
_Static_assert(FLT_EVAL_METHOD == 0, "arithmetic without excess precision");
#ifdef __FAST_MATH__
#error "-ffast-math changes results: exact sums and tests for NaN need the arithmetic of IEEE 754"
#endif

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *crd_version(void) {
  return VERSION_TEXT(CRD_VERSION_MAJOR, CRD_VERSION_MINOR, CRD_VERSION_PATCH);
}

static const struct {
  int exit_code;
  const char *text;
} statuses[] = {
#define X(name, exit_code, text) [CRD_##name] = { exit_code, text },
  CRD_STATUS_LIST(X)
#undef X
};

/* A callback of the user's may have returned any number. */
static bool is_known(crd_status status) {
  return (size_t)status < sizeof statuses / sizeof *statuses;
}

const char *crd_status_text(crd_status status) {
  return is_known(status) ? statuses[status].text : "an unknown status";
}
int crd_status_exit_code(crd_status status) {
  return statuses[is_known(status) ? status : CRD_ESYSTEM].exit_code;
}

static void *standard_resize(void *self, void *memory, size_t bytes) {
  (void)self;
  if (bytes == 0) {
    free(memory);
    return NULL;
  }
  return realloc(memory, bytes);
}

crd_status crd_context_create(const crd_allocator *allocator, crd_context **out) {
  const crd_allocator alloc = allocator ? *allocator : (crd_allocator){ standard_resize, NULL };
  *out = NULL;
  crd_context *const ctx = crd__calloc(&alloc, 1, sizeof *ctx);
  if (!ctx) return CRD_ENOMEM;
  ctx->alloc = alloc;
  ctx->files = &crd__system_files;
  atomic_init(&ctx->interrupted, false);
  atomic_init(&ctx->outputs, NULL);
  *out = ctx;
  return CRD_OK;
}

void crd_context_destroy(crd_context *ctx) {
  if (!ctx) return;
  const crd_allocator alloc = ctx->alloc;
  crd__free(&alloc, ctx);
}

const char *crd_context_message(const crd_context *ctx) { return ctx->message; }

void crd_context_set_spelling(crd_context *ctx, crd_spelling_fn spelling, void *self) {
  ctx->spelling = spelling;
  ctx->spelling_self = self;
}

const char *crd__spell(const crd_context *ctx, const char *name) {
  return ctx->spelling ? ctx->spelling(ctx->spelling_self, name) : name;
}

void crd_context_set_log(crd_context *ctx, crd_log_fn log, void *self) {
  ctx->log = log;
  ctx->log_self = self;
}

void crd_context_set_progress(crd_context *ctx, crd_progress_fn progress, void *self) {
  ctx->progress = progress;
  ctx->progress_self = self;
}

void crd_context_set_threads(crd_context *ctx, unsigned threads) { ctx->threads = threads; }
void crd_context_set_seed(crd_context *ctx, uint64_t seed) { ctx->seed = seed; }
void crd_context_interrupt(crd_context *ctx) { atomic_store(&ctx->interrupted, true); }
bool crd__interrupted(const crd_context *ctx) { return atomic_load(&ctx->interrupted); }

crd_status crd__check_interrupt(crd_context *ctx) {
  if (!atomic_exchange(&ctx->interrupted, false)) return CRD_OK;
  return crd__fail(ctx, CRD_EINTERRUPTED, "interrupted");
}

#undef crd__fail /* a macro of context.h for the static analyser */
crd_status crd__fail(crd_context *ctx, crd_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(ctx->message, sizeof ctx->message, format, args);
  va_end(args);
  return status;
}

crd_status crd_context_fail(crd_context *ctx, crd_status status, const char *message) {
  return crd__fail(ctx, status, "%s", message);
}

crd_status crd__fail_in(crd_context *ctx, crd_status status, const char *prefix) {
  char start[404];
  const int length = snprintf(start, sizeof start, "%.400s: ", prefix);
  if (length < 0) return status;
  memmove(ctx->message + length, ctx->message, sizeof ctx->message - (size_t)length);
  memcpy(ctx->message, start, (size_t)length);
  ctx->message[sizeof ctx->message - 1] = '\0'; /* truncated */
  return status;
}

/* Returns whether errno is about the file: missing, not a file, not readable by this user. All else
 * (no memory, no descriptor left, a failing disk) is about the system. */
static bool blames_file(int reason) {
  static const int reasons[] = { ENOENT, ENOTDIR,      EISDIR, EACCES, EPERM,
                                 ELOOP,  ENAMETOOLONG, ENXIO,  ENODEV, EOVERFLOW };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i] == reason) return true;
  return false;
}

crd_status crd__fail_errno(crd_context *ctx, const char *path, const char *action) {
  const int reason = errno;
  return crd__fail(ctx, blames_file(reason) ? CRD_EINPUT : CRD_ESYSTEM, "%.400s: %s: %s", path,
                   action, strerror(reason));
}

void crd__log(crd_context *ctx, crd_log_level level, const char *format, ...) {
  if (!ctx->log) return;
  char message[sizeof ctx->message];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  ctx->log(ctx->log_self, level, message);
}

void crd__progress(crd_context *ctx, const char *stage, uint64_t done, uint64_t total) {
  if (ctx->progress) ctx->progress(ctx->progress_self, stage, done, total);
}
