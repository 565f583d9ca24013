/* memory.h -- overflow-checked allocation from the context's allocator. */
#ifndef CRD_BASE_MEMORY_H
#define CRD_BASE_MEMORY_H

#include "base/context.h"

/* count * size bytes, zeroed; NULL when it overflows or there is none. */
void *crd__calloc(const crd_allocator *alloc, size_t count, size_t size);
/* The same without zeroing, growing or shrinking `memory`; on failure `memory` is untouched. */
void *crd__resize(const crd_allocator *alloc, void *memory, size_t count, size_t size);
void crd__free(const crd_allocator *alloc, void *memory);
/* A copy of a string. */
char *crd__strdup(const crd_allocator *alloc, const char *text);

/* *out = zeroed array, or ENOMEM that says what it was for. */
crd_status crd__new(crd_context *ctx, size_t count, size_t size, const char *what, void *out);

/* Bytes of memory that the machine has; UINT64_MAX where it does not tell. */
uint64_t crd__machine_memory(void);

/* false on overflow, *out untouched. */
bool crd__size_mul(size_t a, size_t b, size_t *out);
bool crd__size_add(size_t a, size_t b, size_t *out);

#endif
