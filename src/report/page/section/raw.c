/*
 * raw.c -- the whole run as JSON, for programs and for the script of this page.
 *
 * The same JSON as of the form `json`. HTML escapes do not work inside a <script> element, so
 * characters that could end the element or a line of JavaScript become \u escapes. JSON has these
 * characters inside strings only, where such escapes are allowed.
 */
#include "report/form.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <string.h>

static bool raw_has(const crd_page_part *part) {
  (void)part;
  return true;
}

/* Returns the \u escape of a character that needs one, else NULL; sets *length to its bytes. */
static const char *escape_of(const char *s, size_t left, size_t *length) {
  static const struct {
    const char *character, *escape;
  } table[] = {
    { "<", "\\u003c" },
    { ">", "\\u003e" },
    { "&", "\\u0026" },
    { "\xe2\x80\xa8", "\\u2028" },
    { "\xe2\x80\xa9", "\\u2029" },
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    *length = strlen(table[i].character);
    if (*length <= left && memcmp(s, table[i].character, *length) == 0) return table[i].escape;
  }
  *length = 1;
  return NULL;
}

static void add_escaped(crd__text *out, const crd__text *json) {
  size_t from = 0, length;
  for (size_t i = 0; i < json->length; i += length) {
    const char *const escape = escape_of(json->bytes + i, json->length - i, &length);
    if (!escape) continue;
    crd__text_add_bytes(out, json->bytes + from, i - from);
    crd__text_add(out, escape);
    from = i + length;
  }
  if (json->length > from) crd__text_add_bytes(out, json->bytes + from, json->length - from);
}

static crd_status raw_write(crd_context *ctx, const crd__page *page) {
  const crd_page_part *const part = page->part;
  const crd_report_options options = { .size = sizeof options,
                                       .diagnosis = part->diagnosis,
                                       .provenance = part->provenance };
  crd__text json;
  crd__text_init(&json, &ctx->alloc);
  if (part->contest) crd__report_form_json.contest(part->contest, &options, &json);
  else crd__report_form_json.write(part->result, &options, &json);
  crd__text_addf(page->out,
                 "<p class=\"data\" data-download=\"data-%zu\">All numbers of this page are "
                 "embedded in it as JSON, in full precision (",
                 page->number);
  crd__page_html_counted(page->out, json.length, "byte");
  crd__text_addf(page->out, ").</p>\n<script type=\"application/json\" id=\"data-%zu\">\n",
                 page->number);
  add_escaped(page->out, &json);
  crd__text_add(page->out, "</script>\n");
  const crd_status status = crd__text_status(ctx, &json);
  crd__text_clear(&json);
  return status;
}

const crd__page_section crd__page_section_raw = {
  .name = "raw", .title = "Data", .has = raw_has, .write = raw_write
};
