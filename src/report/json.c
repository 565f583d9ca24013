/*
 * json.c -- the whole result as one JSON object, for programs. Numbers are exact (shortest text
 * that reads back as the same double); a value that does not exist is null, with its reason.
 */
#include "base/json_text.h"
#include "report/form.h"
#include "report/json_parts.h"

#include <math.h>

static void add_head(crd__text *out, const crd_result *r) {
  crd__text_add(out, "{\n  \"name\": ");
  crd__json_add_string(out, r->name);
  crd__text_addf(out, ",\n  \"n\": %zu,\n  \"classes\": ", r->rows);
  if (r->classes) crd__text_addf(out, "%zu", r->classes);
  else crd__text_add(out, "null");
  crd__text_addf(out, ",\n  \"input\": \"%s\"", crd_input_name(r->input));
  if (r->classes == 2) {
    crd__text_addf(out, ",\n  \"binary\": \"%s\"", r->binary == CRD_BINARY_POS ? "pos" : "top");
  }
  crd__text_addf(out, ",\n  \"bins\": %zu,\n  \"weighted\": %s", r->bin_count,
                 r->weighted ? "true" : "false");
  if (r->resamples) crd__text_addf(out, ",\n  \"resamples\": %u,\n  \"level\": 0.95", r->resamples);
}

static void add_groups(crd__text *out, const crd_group_table *g) {
  if (!g) return;
  crd__text_add(out, ",\n  \"groups\": [");
  for (size_t i = 0; i < g->count; i++) {
    const crd_group *const group = &g->items[i];
    crd__text_add(out, i ? ",\n    {\n      \"group\": " : "\n    {\n      \"group\": ");
    if (group->name) crd__json_add_string(out, group->name);
    else crd__text_addf(out, "%lld", (long long)group->number);
    crd__text_addf(out, ",\n      \"n\": %zu", group->rows);
    if (group->result) crd__json_metrics(out, group->result, "\n      ");
    else crd__text_add(out, ",\n      \"metrics\": null");
    crd__text_add(out, "\n    }");
  }
  crd__text_add(out, "\n  ]");
}

static void add_paired(crd__text *out, const crd_comparison *c) {
  if (!c) return;
  crd__text_add(out, ",\n  \"paired\": {\n    \"name\": ");
  crd__json_add_string(out, c->name);
  crd__text_add(out, ",\n    \"difference\": ");
  crd__json_differences(out, c, "\n    ");
  crd__text_add(out, "\n  }");
}

static void add_compat_value(crd__text *out, const crd_compat_value *v) {
  crd__text_add(out, "{\"metric\": ");
  crd__json_add_string(out, v->convention->metric);
  crd__text_add(out, ", \"value\": ");
  crd__json_add_number(out, v->value);
  crd__text_add(out, ", \"ours\": ");
  crd__json_add_number(out, v->ours);
  crd__text_add(out, ", \"call\": ");
  crd__json_add_string(out, v->convention->call);
  crd__text_add(out, ", \"why\": ");
  crd__json_add_string(out, v->convention->why);
  if (v->reason) {
    crd__text_add(out, ", \"reason\": ");
    crd__json_add_string(out, v->reason);
  }
  crd__text_add(out, "}");
}

static void add_compat(crd__text *out, const crd_compat_table *c) {
  if (!c) return;
  crd__text_add(out, ",\n  \"compat\": {\n    \"peer\": ");
  crd__json_add_string(out, c->peer->name);
  crd__text_add(out, ",\n    \"package\": ");
  crd__json_add_string(out, c->peer->package);
  crd__text_addf(out, ",\n    \"bins\": %u", c->bins);
  if (c->note) {
    crd__text_add(out, ",\n    \"note\": ");
    crd__json_add_string(out, c->note);
  }
  crd__text_add(out, ",\n    \"values\": [");
  for (size_t i = 0; i < c->count; i++) {
    crd__text_add(out, i ? ",\n      " : "\n      ");
    add_compat_value(out, &c->values[i]);
  }
  crd__text_add(out, "\n    ]\n  }");
}

/* One bin: its members in the order of the struct. */
static void add_bin(crd__text *out, const crd_reliability_bin *b) {
  crd__text_add(out, "{\"low\": ");
  crd__json_add_number(out, b->low);
  crd__text_add(out, ", \"high\": ");
  crd__json_add_number(out, b->high);
  crd__text_addf(out, ", \"rows\": %zu, \"weight\": ", b->rows);
  crd__json_add_number(out, b->weight);
  const struct {
    const char *name;
    double value;
  } members[] = {
    { "confidence", b->confidence },         { "accuracy", b->accuracy },
    { "accuracy_low", b->accuracy_low },     { "accuracy_high", b->accuracy_high },
    { "calibrated_low", b->calibrated_low }, { "calibrated_high", b->calibrated_high },
  };
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    crd__text_addf(out, ", \"%s\": ", members[i].name);
    crd__json_add_number(out, members[i].value);
  }
  crd__text_add(out, "}");
}

static void add_bins(crd__text *out, const crd_result *r) {
  crd__text_add(out, ",\n  \"reliability\": [");
  for (size_t i = 0; i < r->bin_count; i++) {
    crd__text_add(out, i ? ",\n    " : "\n    ");
    add_bin(out, &r->bins[i]);
  }
  crd__text_add(out, r->bin_count ? "\n  ]" : "]");
}

static void add_notes(crd__text *out, const crd_result *r) {
  crd__text_add(out, ",\n  \"warnings\": [");
  for (size_t i = 0; i < r->note_count; i++) {
    crd__text_add(out, i ? ",\n    " : "\n    ");
    crd__json_add_string(out, r->notes[i]);
  }
  crd__text_add(out, r->note_count ? "\n  ]\n}\n" : "]\n}\n");
}

static void write(const crd_result *r, const crd_report_options *options, crd__text *out) {
  (void)options;
  add_head(out, r);
  crd__json_metrics(out, r, "\n  ");
  add_paired(out, r->paired);
  add_groups(out, r->groups);
  add_compat(out, r->compat);
  add_bins(out, r);
  add_notes(out, r);
}

const crd__form crd__form_json = {
  .info = { .name = "json", .summary = "everything, for programs" },
  .write = write,
  .diagnose = crd__diagnosis_json,
  .contest = crd__contest_json,
};
