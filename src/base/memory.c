/* memory.c -- overflow-checked allocation from the context's allocator. */
#include "base/memory.h"

#include <string.h>
#include <unistd.h>

uint64_t crd__machine_memory(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

bool crd__size_mul(size_t a, size_t b, size_t *out) {
  if (b != 0 && a > SIZE_MAX / b) return false;
  *out = a * b;
  return true;
}

bool crd__size_add(size_t a, size_t b, size_t *out) {
  if (a > SIZE_MAX - b) return false;
  *out = a + b;
  return true;
}

void *crd__resize(const crd_allocator *alloc, void *memory, size_t count, size_t size) {
  size_t bytes;
  if (!crd__size_mul(count, size, &bytes) || bytes > PTRDIFF_MAX) return NULL;
  /* resize(p, 0) would free: an empty array is one byte long. */
  return alloc->resize(alloc->self, memory, bytes ? bytes : 1);
}

void *crd__calloc(const crd_allocator *alloc, size_t count, size_t size) {
  void *const memory = crd__resize(alloc, NULL, count, size);
  if (memory) memset(memory, 0, count * size);
  return memory;
}

void crd__free(const crd_allocator *alloc, void *memory) {
  if (memory) alloc->resize(alloc->self, memory, 0);
}

char *crd__strdup(const crd_allocator *alloc, const char *text) {
  const size_t bytes = strlen(text) + 1;
  char *const copy = crd__resize(alloc, NULL, bytes, 1);
  return copy ? memcpy(copy, text, bytes) : NULL;
}

crd_status crd__new(crd_context *ctx, size_t count, size_t size, const char *what, void *out) {
  void *const memory = crd__calloc(&ctx->alloc, count, size);
  memcpy(out, &memory, sizeof memory);
  if (memory) return CRD_OK;
  return crd__fail(ctx, CRD_ENOMEM, "no memory for %s (%zu x %zu bytes)", what, count, size);
}
