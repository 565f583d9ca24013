/* markdown.c -- a table for a README or an issue (GitHub's dialect). */
#include "report/decimal.h"
#include "report/grid/grid.h"
#include "report/groups.h"
#include "report/operating.h"
#include "report/plain.h"
#include "report/shift.h"

#include <string.h>

void crd__report_markdown_add(crd__text *out, const char *string) {
  crd__text plain;
  crd__text_init(&plain, out->alloc);
  crd__report_text_add_plain(&plain, string, 0);
  for (size_t i = 0; i < plain.length; i++) {
    if (strchr("\\`*_[]<>|#", plain.bytes[i])) crd__text_add(out, "\\");
    crd__text_add_bytes(out, &plain.bytes[i], 1);
  }
  out->failed |= plain.failed;
  crd__text_clear(&plain);
}

static void add_row(crd__text *out, const crd_result *r, const crd_metric_value *v,
                    const crd_report_options *options) {
  char number[CRD__NUMBER_SIZE];
  const crd__report_value_text text = crd__report_value_show(v, options);
  crd__text_add(out, "| ");
  crd__report_markdown_add(out, crd__report_title(v->metric));
  crd__text_addf(out, "%s | %s | ", text.unit, text.value);
  if (r->resamples) crd__text_addf(out, "%s … %s | ", text.low, text.high);
  if (crd__report_has_p(r)) crd__text_addf(out, "%s | ", crd__report_p_format(number, v->p));
  crd__text_addf(out, "%s | ", crd__report_direction_word(v->metric->direction));
  crd__report_markdown_add(out, v->reason ? v->reason : v->metric->summary);
  crd__text_add(out, " |\n");
}

static void add_groups(crd__text *out, const crd_result *r, const crd_group_table *groups) {
  crd__text_add(out, "\n| ");
  crd__report_markdown_add(out, crd__report_groups_heading(&groups->items[0]));
  crd__text_add(out, " | rows |");
  for (size_t m = 0; m < r->value_count; m++) {
    crd__text_add(out, " ");
    crd__report_markdown_add(out, r->values[m].metric->name);
    crd__text_add(out, " |");
  }
  crd__text_add(out, "\n|:--|--:|");
  for (size_t m = 0; m < r->value_count; m++) crd__text_add(out, "--:|");
  for (size_t i = 0; i < groups->count; i++) {
    char number[CRD__NUMBER_SIZE], name[CRD__GROUP_NAME_SIZE];
    const crd_group *const group = &groups->items[i];
    crd__text_add(out, "\n| ");
    crd__report_markdown_add(out, crd__report_group_name(group, name));
    crd__text_addf(out, " | %zu |", group->rows);
    for (size_t m = 0; m < r->value_count; m++)
      crd__text_addf(
          out, " %s |",
          group->result ? crd__report_value_format(number, group->result->values[m].value) : "");
  }
  crd__text_add(out, "\n");
}

static void add_compat(crd__text *out, const crd_compat_table *c) {
  char theirs[CRD__NUMBER_SIZE], ours[CRD__NUMBER_SIZE];
  crd__text_addf(out, "\n| metric | %s | ours | why they differ |\n|:--|--:|--:|:--|\n",
                 c->peer->name);
  for (size_t i = 0; i < c->count; i++) {
    const crd_compat_value *const v = &c->values[i];
    crd__text_add(out, "| ");
    crd__report_markdown_add(out, v->convention->metric);
    crd__text_addf(out, " | %s | %s | ", crd__report_value_format(theirs, v->value),
                   crd__report_value_format(ours, v->ours));
    crd__report_markdown_add(out, v->reason ? v->reason : v->convention->why);
    crd__text_add(out, " |\n");
  }
}

static void markdown_write(const crd_result *r, const crd_report_options *options, crd__text *out) {
  const bool p = crd__report_has_p(r);
  crd__text_addf(out, "| metric | value |%s%s better | |\n|:--|--:|%s%s:--|:--|\n",
                 r->resamples ? " 95 % interval |" : "", p ? " p |" : "",
                 r->resamples ? ":--|" : "", p ? "--:|" : "");
  for (size_t i = 0; i < r->value_count; i++) add_row(out, r, &r->values[i], options);
  for (size_t from = 0; r->groups && from < r->groups->count;) {
    const crd_group_table one = crd__report_groups_of_column(r->groups, from);
    add_groups(out, r, &one);
    from += one.count;
  }
  crd__report_classes_markdown(out, r, options);
  crd__report_shift_markdown(out, r);
  if (r->compat) add_compat(out, r->compat);
  crd__report_operating_markdown(out, r->operating);
  for (size_t i = 0; i < r->note_count; i++) {
    crd__text_add(out, i ? "- " : "\n- ");
    crd__report_markdown_add(out, r->notes[i]);
    crd__text_add(out, "\n");
  }
}

const crd__report_form crd__report_form_markdown = {
  .info = { .name = "markdown", .summary = "a table for a README" },
  .write = markdown_write,
  .models = crd__report_models_markdown,
  .contest = crd__report_contest_markdown,
  .series = crd__report_series_markdown,
  .calibratability = crd__report_calibratability_markdown,
  .learned = crd__report_learned_markdown,
};
