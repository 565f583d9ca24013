/* export.c -- the table of export formats, made from list.h, and the export of a calibrator. */
#include "export/export.h"
#include "base/nearest.h"
#include "calibrator/calibrator.h"

#include <string.h>

#define EXPORT(name) extern const crd__export crd__export_##name;
#include "export/language/list.h"
#undef EXPORT

static const crd__export *const exports[] = {
#define EXPORT(name) &crd__export_##name,
#include "export/language/list.h"
#undef EXPORT
};

size_t crd_export_count(void) { return sizeof exports / sizeof *exports; }

const crd_export_info *crd_export_at(size_t index) {
  return index < crd_export_count() ? &exports[index]->info : NULL;
}

static const char *name_at(const void *self, size_t index) {
  (void)self;
  return index < crd_export_count() ? exports[index]->info.name : NULL;
}

const char *crd__export_given(const crd__calibrator_map *map) {
  return map->input == CRD_INPUT_PAIRS ? "a confidence" : crd_input_name(map->input);
}

crd_status crd__export_map(crd_context *ctx, const crd__calibrator_map *map, const char *format,
                           const char *about, crd__text *out) {
  static const crd__names names = { .unknown = "no export format is called",
                                    .lister = "crd_export_at",
                                    .at = name_at };
  size_t index;
  CRD_TRY(crd__names_find(ctx, &names, format, strlen(format), &index));
  CRD_TRY(exports[index]->write(ctx, map, about, out));
  return crd__text_status(ctx, out);
}

/* "platt (scope=top-1, targets=smoothed), fitted on 8 rows of 3 classes by credence 0.1.0" */
static void describe(const crd_calibrator *c, crd__text *out) {
  const crd_method_info *const info = &c->method->info;
  crd__text_add(out, info->name);
  for (size_t i = 0; i < info->setting_count; i++)
    crd__text_addf(out, "%s%s=%s", i ? ", " : " (", info->settings[i].name, c->setting_texts[i]);
  crd__text_addf(out, "%s, fitted on %zu rows", info->setting_count ? ")" : "", c->rows);
  if (c->classes) crd__text_addf(out, " of %zu classes", c->classes);
  crd__text_addf(out, " by credence %s", crd_version());
}

static crd_status write(crd_context *ctx, const crd_calibrator *c, const char *format,
                        crd__text *about, crd__text *text, crd_output *output) {
  crd__calibrator_map map;
  crd_status status = crd__calibrator_map_make(ctx, c, &map);
  describe(c, about);
  if (status == CRD_OK) status = crd__text_status(ctx, about);
  if (status == CRD_OK) status = crd__export_map(ctx, &map, format, about->bytes, text);
  crd__calibrator_map_clear(&map);
  return status == CRD_OK ? crd_output_write(ctx, output, text->bytes, text->length) : status;
}

crd_status crd_calibrator_export(crd_context *ctx, const crd_calibrator *calibrator,
                                 const char *format, crd_output *output) {
  crd__text about, text;
  crd__text_init(&about, &ctx->alloc);
  crd__text_init(&text, &ctx->alloc);
  const crd_status status = write(ctx, calibrator, format, &about, &text, output);
  crd__text_clear(&about);
  crd__text_clear(&text);
  return status;
}
