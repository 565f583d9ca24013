/*
 * diagnosis.c -- a diagnosis as text (the verdict, then the findings, the worst first, within 80
 * columns) and as one JSON object.
 */
#include "base/json_text.h"
#include "report/diagram.h"
#include "report/fields.h"
#include "report/json_parts.h"
#include "report/plain.h"

#include <string.h>

enum { WIDTH = 80 };

/* The heading of each severity, and its ANSI style. */
static const struct {
  const char *one, *many, *style;
} ranks[] = {
  [CRD_PROBLEM] = { "problem", "problems", "1;31" },
  [CRD_WARNING] = { "warning", "warnings", "1;33" },
  [CRD_NOTE] = { "note", "notes", "1" },
  [CRD_FINE] = { "fine", "fine", "1;32" },
};

static void add_rank(crd__text *out, const crd_diagnosis *d, size_t first,
                     const crd_report_options *options) {
  const crd_severity severity = d->findings[first].severity;
  const bool more = first + 1 < d->finding_count && d->findings[first + 1].severity == severity;
  crd__text_add(out, "\n");
  crd__report_style_add(out, options, ranks[severity].style);
  crd__text_add(out, more ? ranks[severity].many : ranks[severity].one);
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
}

/* Commands are not wrapped, so that they can be pasted. */
static void add_suggestions(crd__text *out, const crd_report_options *options) {
  if (options->suggestion_count == 0) return;
  crd__text_add(out, "\n");
  crd__report_style_add(out, options, "1");
  crd__text_add(out, "next");
  crd__report_style_add(out, options, "0");
  crd__text_add(out, "\n");
  for (size_t i = 0; i < options->suggestion_count; i++) {
    crd__text_addf(out, "  # %s\n  ", options->suggestions[i].meaning);
    crd__report_text_add_plain(out, options->suggestions[i].line, 0);
    crd__text_add(out, "\n");
  }
}

void crd__report_diagnosis_text(const crd_diagnosis *d, const crd_report_options *options,
                                crd__text *out) {
  size_t wide = 0;
  for (size_t i = 0; i < d->finding_count; i++) {
    const size_t length = strlen(d->findings[i].info->name);
    if (length > wide) wide = length;
  }
  const size_t indent = 2 + wide + 2;
  const crd__report_wrapping how = { indent, indent, WIDTH, options->ascii };
  const crd__report_wrapping advice = { indent + 3, indent + 3, WIDTH, options->ascii };
  crd__report_heading_add(out, options, d->name,
                          &(crd__report_shown){ d->rows, d->classes, d->input });
  crd__text_add(out, "\n\nverdict: ");
  crd__report_text_add_wrapped(out, d->verdict,
                               &(crd__report_wrapping){ 9, 9, WIDTH, options->ascii });
  for (size_t i = 0; i < d->finding_count; i++) {
    const crd_finding *const f = &d->findings[i];
    if (i == 0 || d->findings[i - 1].severity != f->severity) add_rank(out, d, i, options);
    crd__text_addf(out, "  %-*s  ", (int)wide, f->info->name);
    crd__report_text_add_wrapped(out, f->found, &how);
    if (!*f->advice) continue;
    crd__report_text_add_spaces(out, indent);
    crd__text_add(out, options->ascii ? "-> " : "→  ");
    crd__report_text_add_wrapped(out, f->advice, &advice);
  }
  add_suggestions(out, options);
}

static void add_member(crd__text *out, const char *key, const char *value) {
  crd__text_addf(out, "\"%s\": ", key);
  crd__json_add_string(out, value);
}

static void add_next(crd__text *out, const crd_report_options *options, const char *indent) {
  crd__text_addf(out, ",%s  \"next\": [", indent);
  for (size_t i = 0; i < options->suggestion_count; i++) {
    crd__text_addf(out, "%s%s    {", i ? "," : "", indent);
    add_member(out, "command", options->suggestions[i].line);
    crd__text_add(out, ", ");
    add_member(out, "meaning", options->suggestions[i].meaning);
    crd__text_add(out, "}");
  }
  crd__text_addf(out, "%s  ]", indent);
}

/* The members of the object, without braces. */
static void add_diagnosis(crd__text *out, const crd_diagnosis *d, const char *indent) {
  crd__text_addf(out, "%s  ", indent);
  add_member(out, "name", d->name);
  crd__text_addf(out, ",%s  \"n\": %zu,%s  \"classes\": ", indent, d->rows, indent);
  crd__report_kind_some.write(out, &d->classes);
  crd__text_addf(out, ",%s  ", indent);
  add_member(out, "input", crd_input_name(d->input));
  crd__text_addf(out, ",%s  ", indent);
  add_member(out, "verdict", d->verdict);
  crd__text_addf(out, ",%s  \"findings\": [", indent);
  for (size_t i = 0; i < d->finding_count; i++) {
    const crd_finding *const f = &d->findings[i];
    crd__text_addf(out, "%s%s    {", i ? "," : "", indent);
    add_member(out, "name", f->info->name);
    crd__text_add(out, ", ");
    add_member(out, "severity", crd_severity_name(f->severity));
    crd__text_addf(out, ",%s     ", indent);
    add_member(out, "found", f->found);
    crd__text_addf(out, ",%s     ", indent);
    add_member(out, "advice", f->advice);
    if (f->remedy) {
      crd__text_add(out, ", ");
      add_member(out, "remedy", f->remedy);
    }
    crd__text_add(out, "}");
  }
  if (d->finding_count) crd__text_addf(out, "%s  ", indent);
  crd__text_add(out, "]");
}

void crd__report_json_diagnosis(crd__text *out, const crd_diagnosis *d, const char *indent) {
  crd__text_add(out, "{");
  add_diagnosis(out, d, indent);
  crd__text_addf(out, "%s}", indent);
}

void crd__report_diagnosis_json(const crd_diagnosis *d, const crd_report_options *options,
                                crd__text *out) {
  crd__report_json_begin(out, "diagnosis");
  add_diagnosis(out, d, "\n");
  if (options->suggestion_count) add_next(out, options, "\n");
  crd__text_add(out, "\n}\n");
}
