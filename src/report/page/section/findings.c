/* findings.c -- the doctor's findings, the worst first, and the warnings of the run. */
#include "report/page/html.h"
#include "report/page/page.h"

#include <string.h>

static size_t note_count(const crd_page_part *part) {
  return part->contest ? part->contest->note_count : part->result->note_count;
}

static bool findings_has(const crd_page_part *part) {
  return part->diagnosis || note_count(part) > 0;
}

static void add_finding(crd__text *out, const crd_finding *f) {
  const char *const severity = crd_severity_name(f->severity);
  crd__text_addf(out, "<li><span class=\"severity %s\">%s</span> <strong>", severity, severity);
  crd__page_html_words(out, f->info->name);
  crd__text_add(out, "</strong> ");
  crd__page_html_words(out, f->found);
  if (*f->advice) crd__page_html_element(out, "span", "advice", f->advice);
  crd__text_add(out, "</li>\n");
}

/* The headline answers what the finding `confidence` notes, with a stronger test. */
static bool is_answered(const crd_finding *f) {
  return f->severity > CRD_WARNING && strcmp(f->info->name, "confidence") == 0;
}

static void add_diagnosis(crd__text *out, const crd_diagnosis *d) {
  crd__page_html_element(out, "p", NULL, d->verdict);
  if (d->finding_count == 0) return;
  crd__text_add(out, "<ul class=\"list\">\n");
  for (size_t i = 0; i < d->finding_count; i++)
    if (!is_answered(&d->findings[i])) add_finding(out, &d->findings[i]);
  crd__text_add(out, "</ul>\n");
}

static void add_notes(crd__text *out, const char *const *notes, size_t count) {
  crd__text_add(out, "<ul class=\"list\">\n");
  for (size_t i = 0; i < count; i++) {
    crd__text_add(out, "<li><span class=\"severity note\">note</span> ");
    crd__page_html_words(out, notes[i]);
    crd__text_add(out, "</li>\n");
  }
  crd__text_add(out, "</ul>\n");
}

static crd_status findings_write(crd_context *ctx, const crd__page *page) {
  const crd_page_part *const part = page->part;
  const size_t count = note_count(part);
  (void)ctx;
  if (part->diagnosis) add_diagnosis(page->out, part->diagnosis);
  if (count > 0)
    add_notes(page->out, part->contest ? part->contest->notes : part->result->notes, count);
  return CRD_OK;
}

const crd__page_section crd__page_section_findings = {
  .name = "findings", .title = "Findings and warnings", .has = findings_has, .write = findings_write
};
