/* domains.c -- the operator sets that a model imports: a version for each domain of operators. */
#include "onnx/fields.h"
#include "onnx/reader.h"

#include <string.h>

static crd_status read_domain(const crd__onnx_reader *r, crd__onnx_span span,
                              crd__onnx_domain *out) {
  *out = (crd__onnx_domain){ .name = "" };
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == OPSET_DOMAIN) {
      CRD_TRY(crd__onnx_reader_expect(r, &f, true, "a domain"));
      CRD_TRY(crd__onnx_reader_name(r, f.inside, "a domain", &out->name));
    }
    if (f.number == OPSET_VERSION) out->version = (int64_t)f.value;
  }
  return CRD_OK;
}

crd_status crd__onnx_reader_domains(const crd__onnx_reader *r, crd__onnx_span model,
                                    crd__onnx_file *file) {
  size_t count = 0;
  crd__onnx_message m = crd__onnx_message_of(model);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) count += f.number == MODEL_OPSET;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *file->domains, &file->domains));
  m = crd__onnx_message_of(model);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == MODEL_OPSET)
      CRD_TRY(read_domain(r, f.inside, &file->domains[file->domain_count++]));
  return CRD_OK;
}

int64_t crd__onnx_file_opset(const crd__onnx_file *file, const char *domain) {
  int64_t version = 0;
  if (!*domain) return file->opset;
  for (size_t i = 0; i < file->domain_count; i++) /* of equal domains the last one counts */
    if (strcmp(file->domains[i].name, domain) == 0) version = file->domains[i].version;
  return version;
}
