/* settings.c -- parses a method's settings, and applies those that `compat` implies. */
#include "base/settings.h"
#include "calibrator/compat.h"

#include <string.h>

/* EUSAGE if a word of `compat` is for other methods, which are named. */
static crd_status check_compat(crd_context *ctx, const crd_method_info *method, const char *text) {
  static const char key[] = "compat=";
  for (const char *at = text; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, key, sizeof key - 1) == 0)
      CRD_TRY(crd__calibrator_compat_check(ctx, method, at + sizeof key - 1,
                                           strcspn(at + sizeof key - 1, ",")));
  return CRD_OK;
}

crd_status crd__calibrator_method_settings_read(crd_context *ctx, const crd_method_info *method,
                                                const char *text, double *values) {
  const crd__setting_table table = { method->name, method->setting_count, method->settings };
  CRD_TRY(check_compat(ctx, method, text));
  CRD_TRY(crd__settings_standard(ctx, &table, values, NULL));
  CRD_TRY(crd__settings_read(ctx, &table, text, values, NULL));
  const crd__calibrator_compat *const other = crd__calibrator_compat_chosen(method, values);
  return other ? crd__settings_read(ctx, &table, other->implies, values, NULL) : CRD_OK;
}
