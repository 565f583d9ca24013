/*
 * strings.c -- tensors of strings.
 *
 * Networks compute numbers: a string stands for its index among the distinct strings of its tensor,
 * in the order of their first appearance. For the names of classes that is the index of the class.
 */
#include "onnx/fields.h"
#include "onnx/reader.h"

static crd_status number_strings(const crd__onnx_reader *r, crd__onnx_span span, crd__words *words,
                                 crd__onnx_tensor *t, int64_t *out) {
  size_t count = 0;
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    size_t number = 0;
    if (f.number != TENSOR_STRINGS) continue;
    CRD_TRY(crd__onnx_reader_expect(r, &f, true, "a tensor's string"));
    if (count < t->count)
      CRD_TRY(
          crd__words_add(r->ctx, words, (const char *)f.inside.bytes, f.inside.length, &number));
    if (count < t->count) out[count] = (int64_t)number;
    count++;
  }
  if (count == t->count) return CRD_OK;
  return crd__onnx_reader_fail(r, "tensor '%.60s' has %zu strings, its dimensions need %zu",
                               t->name, count, t->count);
}

crd_status crd__onnx_reader_strings(const crd__onnx_reader *r, crd__onnx_span span,
                                    crd__onnx_tensor *t) {
  crd__words words = { 0 };
  int64_t *codes;
  if (t->count > span.length) /* each string takes two bytes or more */
    return crd__onnx_reader_fail(r, "tensor '%.60s' has fewer strings than its dimensions need",
                                 t->name);
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, t->count, sizeof *codes, &codes));
  const crd_status status = number_strings(r, span, &words, t, codes);
  crd__words_clear(&r->ctx->alloc, &words);
  CRD_TRY(status);
  t->strings = t->numbers = true;
  t->dtype = CRD_I64;
  t->bytes = (const unsigned char *)codes;
  return CRD_OK;
}
