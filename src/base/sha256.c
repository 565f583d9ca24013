/* sha256.c -- SHA-256 by nettle, which uses the processor's instructions for it. */
#include "base/sha256.h"

void crd__sha256_begin(crd__sha256 *hash) { sha256_init(hash); }

void crd__sha256_add(crd__sha256 *hash, const void *bytes, size_t count) {
  if (count) sha256_update(hash, count, bytes);
}

void crd__sha256_end(crd__sha256 *hash, unsigned char out[static CRD__SHA256_SIZE]) {
  sha256_digest(hash, CRD__SHA256_SIZE, out);
}
