/* markdown.c -- a table for a README or an issue (GitHub's dialect). */
#include "report/decimal.h"
#include "report/form.h"
#include "report/plain.h"

#include <string.h>

/* Text that Markdown must not read as markup. */
static void add_escaped(crd__text *out, const char *string) {
  crd__text plain;
  crd__text_init(&plain, out->alloc);
  crd__text_add_plain(&plain, string, 0);
  for (size_t i = 0; i < plain.length; i++) {
    if (strchr("\\`*_[]<>|#", plain.bytes[i])) crd__text_add(out, "\\");
    crd__text_add_bytes(out, &plain.bytes[i], 1);
  }
  out->failed |= plain.failed;
  crd__text_clear(&plain);
}

static void add_row(crd__text *out, const crd_result *r, const crd_metric_value *v) {
  char number[CRD__NUMBER_SIZE], other[CRD__NUMBER_SIZE];
  crd__text_add(out, "| ");
  add_escaped(out, v->metric->name);
  crd__text_addf(out, " | %s | ", crd__value_format(number, v->value));
  if (r->resamples)
    crd__text_addf(out, "%s … %s | ", crd__value_format(number, v->low),
                   crd__value_format(other, v->high));
  crd__text_addf(out, "%s | ", crd__direction_word(v->metric->direction));
  add_escaped(out, v->reason ? v->reason : v->metric->summary);
  crd__text_add(out, " |\n");
}

static void add_compat(crd__text *out, const crd_compat_table *c) {
  char theirs[CRD__NUMBER_SIZE], ours[CRD__NUMBER_SIZE];
  crd__text_addf(out, "\n| metric | %s | ours | why they differ |\n|:--|--:|--:|:--|\n",
                 c->peer->name);
  for (size_t i = 0; i < c->count; i++) {
    const crd_compat_value *const v = &c->values[i];
    crd__text_add(out, "| ");
    add_escaped(out, v->convention->metric);
    crd__text_addf(out, " | %s | %s | ", crd__value_format(theirs, v->value),
                   crd__value_format(ours, v->ours));
    add_escaped(out, v->reason ? v->reason : v->convention->why);
    crd__text_add(out, " |\n");
  }
}

static void write(const crd_result *r, const crd_report_options *options, crd__text *out) {
  (void)options;
  crd__text_add(out, r->resamples ? "| metric | value | 95 % interval | better | |\n"
                                    "|:--|--:|:--|:--|:--|\n"
                                  : "| metric | value | better | |\n|:--|--:|:--|:--|\n");
  for (size_t i = 0; i < r->value_count; i++) add_row(out, r, &r->values[i]);
  if (r->compat) add_compat(out, r->compat);
  for (size_t i = 0; i < r->note_count; i++) {
    crd__text_add(out, i ? "- " : "\n- ");
    add_escaped(out, r->notes[i]);
    crd__text_add(out, "\n");
  }
}

const crd__form crd__form_markdown = {
  .info = { .name = "markdown", .summary = "a table for a README" },
  .write = write,
};
