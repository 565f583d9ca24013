/* code.c -- what an encoding makes of a store, shared by the parts of an encoded dataset. */
#include "dataset/dataset.h"

#include "base/memory.h"

void crd__dataset_code_release(crd__dataset_code *code) {
  if (!code || atomic_fetch_sub(&code->users, 1) > 1) return;
  const crd_allocator alloc = code->alloc;
  for (size_t i = 0; code->class_names && i < code->class_count; i++)
    crd__free(&alloc, code->class_names[i]);
  crd__free(&alloc, code->class_names);
  crd__free(&alloc, code->class_of);
  crd__free(&alloc, code->tokens);
  crd__free(&alloc, code->from);
  crd__free(&alloc, code->count);
  crd__free(&alloc, code);
}

void crd__dataset_code_tokens(const crd__dataset_code *code, size_t index, int64_t *out) {
  const int32_t *const tokens = code->tokens + code->from[index];
  const size_t count = code->count[index];
  for (size_t i = 0; i < code->length; i++) out[i] = i < count ? tokens[i] : 0;
}
