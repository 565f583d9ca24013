/* calibrator.c -- the table of methods, made from list.h; creates and destroys calibrators. */
#include "calibrator/calibrator.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/table.h"

#include <string.h>

#define METHOD(name) extern const crd__calibrator_method crd__calibrator_method_##name;
#include "calibrator/method/list.h"
#undef METHOD

static const crd__calibrator_method *const methods[] = {
#define METHOD(name) &crd__calibrator_method_##name,
#include "calibrator/method/list.h"
#undef METHOD
};

const crd__calibrator_method *crd__calibrator_method_at(size_t index) {
  return index < crd_method_count() ? methods[index] : NULL;
}

CRD_TABLE(method, crd_method_info, sizeof methods / sizeof *methods, &methods[index]->info)
CRD_TABLE_NAME(method)

static const crd__names names = { .unknown = "no method is called",
                                  .lister = "crd_method_at",
                                  .at = method_name };

crd_status crd__calibrator_method_named(crd_context *ctx, const char *name,
                                        const crd__calibrator_method **out) {
  size_t index;
  CRD_TRY(crd__names_find(ctx, &names, name, strlen(name), &index));
  *out = methods[index];
  return CRD_OK;
}

crd_status crd__calibrator_create(crd_context *ctx, const crd__calibrator_method *method,
                                  const char *settings, crd_calibrator **out) {
  const size_t count = method->info.setting_count;
  *out = NULL;
  crd_calibrator *c;
  CRD_TRY(crd__new(ctx, 1, sizeof *c, "a calibrator", &c));
  c->alloc = c->fit.learnt.alloc = ctx->alloc;
  c->method = method;
  crd_status status = crd__new(ctx, count, sizeof *c->settings, "settings", &c->settings);
  if (status == CRD_OK)
    status = crd__new(ctx, count, sizeof *c->setting_texts, "settings", &c->setting_texts);
  if (status == CRD_OK)
    status = crd__calibrator_method_settings_read(ctx, &method->info, settings, c->settings);
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    crd__setting_text(&method->info.settings[i], c->settings[i], c->setting_texts[i],
                      sizeof c->setting_texts[i]);
  if (status == CRD_OK) *out = c;
  else crd_calibrator_destroy(c);
  return status;
}

void crd_calibrator_destroy(crd_calibrator *calibrator) {
  if (!calibrator) return;
  const crd_allocator alloc = calibrator->alloc;
  crd__calibrator_learnt_clear(&calibrator->fit.learnt);
  crd__free(&alloc, calibrator->settings);
  crd__free(&alloc, calibrator->setting_texts);
  crd__free(&alloc, calibrator->bounds);
  crd__free(&alloc, calibrator->note);
  crd__free(&alloc, calibrator);
}

crd_status crd__calibrator_certificate_own(crd_context *ctx, crd_calibrator *calibrator) {
  crd_certificate *const certificate = &calibrator->fit.certificate;
  calibrator->bounds = crd__strdup(&ctx->alloc, certificate->bounds ? certificate->bounds : "");
  calibrator->note = crd__strdup(&ctx->alloc, certificate->note ? certificate->note : "");
  if (!calibrator->bounds || !calibrator->note)
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a certificate");
  certificate->bounds = calibrator->bounds;
  certificate->note = calibrator->note;
  return CRD_OK;
}

crd__data_floor crd__calibrator_floor(const crd_calibrator *c) {
  const crd_learnt *const learnt = crd__calibrator_learnt_find(&c->fit.learnt, "floor");
  if (!learnt) return crd__data_floor_standard(c->input);
  return (crd__data_floor){ learnt->values[0], learnt->values[learnt->start[1] - 1] };
}

const crd_method_info *crd_calibrator_method(const crd_calibrator *calibrator) {
  return &calibrator->method->info;
}
size_t crd_calibrator_classes(const crd_calibrator *calibrator) { return calibrator->classes; }
const crd_certificate *crd_calibrator_certificate(const crd_calibrator *calibrator) {
  return &calibrator->fit.certificate;
}
const crd_learnt *crd_calibrator_learnt(const crd_calibrator *calibrator, size_t index) {
  const crd__calibrator_learnt *const learnt = &calibrator->fit.learnt;
  return index < learnt->count ? &learnt->items[index] : NULL;
}
const char *crd_calibrator_setting(const crd_calibrator *calibrator, size_t index) {
  return index < calibrator->method->info.setting_count ? calibrator->setting_texts[index] : NULL;
}
int crd_calibrator_is_top(const crd_calibrator *calibrator) {
  return calibrator->method->event && calibrator->classes > 0 &&
         (calibrator->method->info.needs_features || calibrator->settings[0] == CRD__TOP_1);
}
