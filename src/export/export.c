/* export.c -- the table of export formats, made from list.h, and the export of a calibrator. */
#include "export/export.h"
#include "base/nearest.h"
#include "base/options.h"
#include "base/table.h"
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

CRD_TABLE(export, crd_export_info, sizeof exports / sizeof *exports, &exports[index]->info)
CRD_TABLE_NAME(export)

const char *crd__export_given(const crd__calibrator_map *map) {
  return map->input == CRD_INPUT_PAIRS ? "a confidence" : crd_input_name(map->input);
}

/* ---- Options. */

enum { NAME_MAX = 63 };

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Identifiers that begin with '_' are the compiler's own. */
static crd_status check_name(crd_context *ctx, const char *name) {
  size_t length = 0;
  while (is_letter(name[length]) ||
         (length && (name[length] == '_' || (name[length] >= '0' && name[length] <= '9'))))
    length++;
  if (length == 0 || name[length] || length > NAME_MAX)
    return crd__fail(
        ctx, CRD_EUSAGE,
        "%s is '%.100s', allowed are a letter and up to %d further letters, digits and "
        "'_', the beginning of a function's name",
        crd__spell(ctx, "name"), name, NAME_MAX - 1);
  return CRD_OK;
}

static crd_status choose_words(crd_context *ctx, const crd__export *format,
                               const crd_export_options *options, crd__export_words *words) {
  const char *const name = format->info.name;
  words->name = format->name;
  if (!options) return CRD_OK;
  if (options->name && !format->name)
    return crd__fail(ctx, CRD_EUSAGE, "the format %s has no function that %s could name", name,
                     crd__spell(ctx, "name"));
  if (options->float32 && !format->float32)
    return crd__fail(ctx, CRD_EUSAGE, "%s needs the format c, found '%s'",
                     crd__spell(ctx, "float32"), name);
  if (options->name) {
    CRD_TRY(check_name(ctx, options->name));
    words->name = options->name;
  }
  words->float32 = options->float32 != 0;
  return CRD_OK;
}

crd_status crd__export_map(crd_context *ctx, const crd__calibrator_map *map, const char *format,
                           const char *about, const crd_export_options *options, crd__text *out,
                           crd__text *header) {
  static const crd__names names = { .unknown = "no export format is called",
                                    .lister = "crd_export_at",
                                    .at = export_name };
  crd__export_words words = { .about = about };
  size_t index;
  CRD_TRY(crd__names_find(ctx, &names, format, strlen(format), &index));
  CRD_TRY(choose_words(ctx, exports[index], options, &words));
  if (header && !exports[index]->write_header)
    return crd__fail(ctx, CRD_EUSAGE, "a header needs the format c, found '%s'",
                     exports[index]->info.name);
  CRD_TRY(exports[index]->write(ctx, map, &words, out));
  if (header) {
    exports[index]->write_header(map, &words, header);
    CRD_TRY(crd__text_status(ctx, header));
  }
  return crd__text_status(ctx, out);
}

/* ---- Calibrators. */

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

typedef struct {
  crd__text about, source, header;
} texts;

static crd_status make_texts(crd_context *ctx, const crd_calibrator *c, const char *format,
                             const crd_export_options *options, bool header, texts *t) {
  crd__calibrator_map map;
  crd_status status = crd__calibrator_map_make(ctx, c, &map);
  describe(c, &t->about);
  if (status == CRD_OK) status = crd__text_status(ctx, &t->about);
  if (status == CRD_OK)
    status = crd__export_map(ctx, &map, format, t->about.bytes, options, &t->source,
                             header ? &t->header : NULL);
  crd__calibrator_map_clear(&map);
  return status;
}

crd_status crd_calibrator_export_with(crd_context *ctx, const crd_calibrator *calibrator,
                                      const char *format, const crd_export_options *options,
                                      crd_output *output, crd_output *header) {
  crd_export_options own;
  texts t;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_export_options, options, &own));
  crd__text_init(&t.about, &ctx->alloc);
  crd__text_init(&t.source, &ctx->alloc);
  crd__text_init(&t.header, &ctx->alloc);
  crd_status status = make_texts(ctx, calibrator, format, &own, header != NULL, &t);
  if (status == CRD_OK) status = crd_output_write(ctx, output, t.source.bytes, t.source.length);
  if (status == CRD_OK && header)
    status = crd_output_write(ctx, header, t.header.bytes, t.header.length);
  crd__text_clear(&t.about);
  crd__text_clear(&t.source);
  crd__text_clear(&t.header);
  return status;
}

crd_status crd_calibrator_export(crd_context *ctx, const crd_calibrator *calibrator,
                                 const char *format, crd_output *output) {
  return crd_calibrator_export_with(ctx, calibrator, format, NULL, output, NULL);
}
