/* options.h -- reading the structs by which callers pass options, of this version and of others. */
#ifndef CRD_BASE_OPTIONS_H
#define CRD_BASE_OPTIONS_H

#include "base/context.h"

/* The largest `size` that is believed, so that an uninitialised one is not read far past its
 * struct. */
enum { CRD__OPTIONS_MAX = 4096 };

/*
 * Copies options of the type called `type`, which begin with a size_t `size`, to `full`, which has
 * `full_size` bytes; `given` NULL: all zero. Fields that the caller's header does not have yet
 * become zero. CRD_EUSAGE if `size` is invalid, and if fields that this library does not have yet
 * are not zero; `full` is then all zero. As openat2 of Linux does it.
 */
crd_status crd__options_read(crd_context *ctx, const void *given, void *full, size_t full_size,
                             const char *type);

/* Does the same for a type, and lets the compiler check both pointers. */
#define CRD_READ_OPTIONS(ctx, type, given, full)                                                   \
  crd__options_read(ctx, 1 ? (given) : (const type *)NULL, 1 ? (full) : (type *)NULL,              \
                    sizeof(type), #type)

#endif
