/*
 * save.c -- saves a calibrator as JSON. Numbers have the shortest digits that round-trip; the last
 * line is a checksum of all lines before it.
 */
#include "base/json_text.h"
#include "calibrator/calibrator.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_values(crd__text *out, const double *values, size_t count) {
  crd__text_add(out, "[");
  for (size_t i = 0; i < count; i++) {
    if (i) crd__text_add(out, ", ");
    crd__json_add_number(out, values[i]);
  }
  crd__text_add(out, "]");
}

/* Writes a number, a list, or a list of lists. */
void crd__calibrator_learnt_write(const crd_learnt *item, crd__text *out) {
  crd__json_add_string(out, item->name);
  crd__text_add(out, ": ");
  if (item->parts == 1 && item->start[1] == 1) {
    crd__json_add_number(out, item->values[0]);
    return;
  }
  if (item->parts > 1) crd__text_add(out, "[");
  for (size_t p = 0; p < item->parts; p++) {
    if (p) crd__text_add(out, ",\n      ");
    add_values(out, item->values + item->start[p], item->start[p + 1] - item->start[p]);
  }
  if (item->parts > 1) crd__text_add(out, "]");
}

static void add_settings(crd__text *out, const crd_calibrator *c) {
  const crd_method_info *const info = &c->method->info;
  bool more = false;
  crd__text_add(out, ",\n  \"settings\": {");
  for (size_t i = 0; i < info->setting_count; i++) {
    if (c->method->terse && strcmp(c->setting_texts[i], info->settings[i].standard) == 0) continue;
    crd__text_add(out, more ? ", " : "");
    more = true;
    crd__json_add_string(out, info->settings[i].name);
    crd__text_add(out, ": ");
    if (crd__setting_is_word(&info->settings[i], c->settings[i]))
      crd__json_add_string(out, c->setting_texts[i]);
    else crd__json_add_number(out, c->settings[i]);
  }
  crd__text_add(out, "}");
}

/* "a,b" as ["a", "b"]. */
static void add_bounds(crd__text *out, const char *bounds) {
  crd__text_add(out, "[");
  for (size_t length; *bounds; bounds += length + (bounds[length] == ',')) {
    length = strcspn(bounds, ",");
    crd__text_add(out, "\"");
    crd__text_add_bytes(out, bounds, length);
    crd__text_add(out, bounds[length] ? "\", " : "\"");
  }
  crd__text_add(out, "]");
}

void crd__calibrator_certificate_write(const crd_certificate *c, crd__text *out) {
  crd__text_addf(out, "{\"converged\": %s, \"objective\": ", c->converged ? "true" : "false");
  crd__json_add_number(out, c->objective);
  crd__text_add(out, ", \"gradient_norm\": ");
  crd__json_add_number(out, c->gradient_norm);
  crd__text_addf(out, ", \"iterations\": %u, \"separable\": %s, \"bounds_hit\": ", c->iterations,
                 c->separable ? "true" : "false");
  add_bounds(out, c->bounds);
  crd__text_addf(out, ", \"rows_clipped\": %zu, \"argmax_changes\": %zu", c->rows_clipped,
                 c->argmax_changes);
  /* Omitted if 0: calibrators saved before there was a floor do not have it either. */
  if (c->values_floored) crd__text_addf(out, ", \"values_floored\": %zu", c->values_floored);
  if (c->suspicious) crd__text_add(out, ", \"suspicious\": true");
  crd__text_add(out, ", \"note\": ");
  crd__json_add_string(out, c->note);
  crd__text_add(out, "}");
}

void crd__calibrator_write(const crd_calibrator *c, crd__text *out) {
  const crd__calibrator_learnt *const learnt = &c->fit.learnt;
  crd__text_addf(out, "{\n  \"credence\": \"calibrator\",\n  \"version\": %d,\n  \"name\": ",
                 CRD__CALIBRATOR_VERSION);
  crd__json_add_string(out, c->method->info.name);
  add_settings(out, c);
  crd__text_addf(out, ",\n  \"classes\": %zu,\n  \"input\": \"%s\",\n  \"rows\": %zu", c->classes,
                 crd_input_name(c->input), c->rows);
  if (c->width) crd__text_addf(out, ",\n  \"features\": %zu", c->width);
  crd__text_add(out, ",\n  \"certificate\": ");
  crd__calibrator_certificate_write(&c->fit.certificate, out);
  crd__text_add(out, ",\n  \"parameters\": {");
  for (size_t i = 0; i < learnt->count; i++) {
    crd__text_add(out, i ? ",\n    " : "\n    ");
    crd__calibrator_learnt_write(&learnt->items[i], out);
  }
  crd__text_add(out, learnt->count ? "\n  },\n" : "},\n");
}

void crd__calibrator_checksum(const crd__text *text, char out[static CRD__CHECKSUM_SIZE]) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (size_t i = 0; i < text->length; i++)
    hash = (hash ^ (unsigned char)text->bytes[i]) * UINT64_C(0x100000001b3);
  snprintf(out, CRD__CHECKSUM_SIZE, "%016" PRIx64, hash);
}

crd_status crd_calibrator_save(crd_context *ctx, const crd_calibrator *calibrator,
                               crd_output *output) {
  char checksum[CRD__CHECKSUM_SIZE];
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__calibrator_write(calibrator, &text);
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) {
    crd__calibrator_checksum(&text, checksum);
    crd__text_addf(&text, "  \"checksum\": \"%s\"\n}\n", checksum);
    status = crd__text_status(ctx, &text);
  }
  if (status == CRD_OK) status = crd_output_write(ctx, output, text.bytes, text.length);
  crd__text_clear(&text);
  return status;
}
