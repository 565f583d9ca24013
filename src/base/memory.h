/* memory.h -- overflow-checked allocation from the context's allocator. */
#ifndef CRD_BASE_MEMORY_H
#define CRD_BASE_MEMORY_H

#include "base/context.h"

/* Returns count * size zeroed bytes; NULL on overflow or out of memory. */
void *crd__calloc(const crd_allocator *alloc, size_t count, size_t size);
/* Resizes `memory` without zeroing; NULL on failure, which leaves `memory` untouched. */
void *crd__resize(const crd_allocator *alloc, void *memory, size_t count, size_t size);
void crd__free(const crd_allocator *alloc, void *memory);
/* Returns a copy of a string, or NULL. */
char *crd__strdup(const crd_allocator *alloc, const char *text);

/* Sets *out to a zeroed array; fails with CRD_ENOMEM and "no memory for `what`". */
crd_status crd__new(crd_context *ctx, size_t count, size_t size, const char *what, void *out);

/* Returns the machine's memory in bytes; UINT64_MAX if unknown. */
uint64_t crd__machine_memory(void);

/* Sets *out and returns true; on overflow returns false, and *out is unchanged. */
bool crd__size_mul(size_t a, size_t b, size_t *out);
bool crd__size_add(size_t a, size_t b, size_t *out);

#endif
