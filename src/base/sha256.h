/*
 * sha256.h -- SHA-256 (FIPS 180-4), by nettle, or in lean builds by sha256_lean.c.
 */
#ifndef CRD_BASE_SHA256_H
#define CRD_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { CRD__SHA256_SIZE = 32 };

#ifdef CREDENCE_LEAN
typedef struct {
  uint32_t state[8];
  uint64_t length; /* bytes hashed so far */
  unsigned char block[64];
} crd__sha256;
#else
#include <nettle/sha2.h>
typedef struct sha256_ctx crd__sha256;
#endif

void crd__sha256_begin(crd__sha256 *hash);
void crd__sha256_add(crd__sha256 *hash, const void *bytes, size_t count);
void crd__sha256_end(crd__sha256 *hash, unsigned char out[static CRD__SHA256_SIZE]);

#endif
