/* state.c -- any bytes as a saved state, with a valid checksum added. */
#include "fuzz.h"

#include "base/memory.h"
#include "credence/evaluate.h"
#include "metric/evidence.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd_evidence *evidence = NULL;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  unsigned char *const copy = crd__calloc(&ctx->alloc, length + 8, 1);
  HOLDS(copy != NULL);
  if (length) memcpy(copy, bytes, length);
  for (size_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < 8; i++) copy[length + i] = (unsigned char)(hash >> 8 * i);
  const crd_status status = crd_evidence_load_memory(ctx, "fuzz", copy, length + 8, &evidence);
  HOLDS((status == CRD_OK) == (evidence != NULL));
  if (status == CRD_OK) {
    const crd_result *result = NULL;
    HOLDS(crd_evidence_judge(ctx, evidence, &result) == CRD_OK || crd_context_message(ctx)[0]);
    crd_result_destroy(result);
  }
  crd_evidence_destroy(evidence);
  crd__free(&ctx->alloc, copy);
  crd_context_destroy(ctx);
  return 0;
}
