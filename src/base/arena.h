/*
 * arena.h -- results: an object and all that it points to, in memory that is freed at once.
 *
 * The object is the first allocation of its arena, so that its address is all that a caller keeps,
 * and destroying a result of any kind is one call. Callers hold results as read-only; so does this
 * interface.
 */
#ifndef CRD_BASE_ARENA_H
#define CRD_BASE_ARENA_H

#include "base/context.h"

/* Sets *out to a zeroed object with an arena of its own. Fails with CRD_ENOMEM and "no memory for
 * `what`". */
crd_status crd__arena_new(crd_context *ctx, size_t size, const char *what, void *out);
/* Sets *out to a zeroed array that lives as long as the object. Fails likewise. */
crd_status crd__arena_add(crd_context *ctx, const void *object, size_t count, size_t size,
                          const char *what, void *out);
/* Sets *out to a copy of a string that lives as long as the object; NULL stays NULL. */
crd_status crd__arena_text(crd_context *ctx, const void *object, const char *text,
                           const char **out);
/* Returns an allocator whose memory lives as long as the object, unless it is freed before: for
 * texts, notes and arrays that grow. */
const crd_allocator *crd__arena_allocator(const void *object);
/* Takes over a part: `destroy` destroys it with the object, or at once if this fails. Parts that
 * were taken over later are destroyed first. NULL is allowed. */
crd_status crd__arena_keep(crd_context *ctx, const void *object, const void *part,
                           void (*destroy)(const void *part));
/* Frees the object and all that belongs to it; NULL is allowed. */
void crd__arena_free(const void *object);

#endif
