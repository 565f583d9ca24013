/*
 * json.c -- the whole result as one JSON object. Numbers are exact (the shortest text that reads
 * back as the same float64); an undefined value is null, with its reason.
 */
#include "base/json_text.h"
#include "report/fields.h"
#include "report/form.h"
#include "report/json_parts.h"
#include "report/operating.h"
#include "report/shift.h"

#include <math.h>

static void add_head(crd__text *out, const crd_named_result *model) {
  const crd_result *const r = model->result;
  crd__report_json_begin(out, "result");
  if (model->name) {
    crd__text_add(out, "\n  \"model\": ");
    crd__json_add_string(out, model->name);
    crd__text_add(out, ",");
  }
  crd__text_add(out, "\n  \"name\": ");
  crd__json_add_string(out, r->name);
  crd__text_addf(out, ",\n  \"n\": %zu", r->rows);
  crd__report_json_shape(out, r, "\n  ");
  if (r->resamples)
    crd__text_addf(out, ",\n  \"resamples\": %u,\n  \"level\": 0.95,\n  \"interval\": \"%s\"",
                   r->resamples, crd_interval_name(r->interval));
  crd__report_json_clusters(out, r, "\n  ");
}

static void add_paired(crd__text *out, const crd_comparison *c) {
  if (!c) return;
  crd__text_add(out, ",\n  \"paired\": {\n    \"name\": ");
  crd__json_add_string(out, c->name);
  crd__text_add(out, ",\n    \"difference\": ");
  crd__report_json_differences(out, c, "\n    ");
  crd__text_add(out, "\n  }");
}

static void add_compat_value(crd__text *out, const crd_compat_value *v) {
  const crd__report_compat_row row = { .metric = v->convention->metric,
                                       .value = v->value,
                                       .ours = v->ours,
                                       .call = v->convention->call,
                                       .why = v->convention->why,
                                       .reason = v->reason,
                                       .ours_reason = v->ours_reason };
  crd__text_add(out, "{");
  crd__report_members_write(out, &crd__report_record_compat, &row);
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

/* p of the differences from the best model of each metric. */
static void add_p_best(crd__text *out, const crd_named_result *model) {
  const crd_result *const r = model->result;
  if (!model->p) return;
  crd__text_add(out, ",\n  \"p_best\": {");
  for (size_t m = 0; m < r->value_count; m++) {
    crd__text_addf(out, "%s\"%s\": ", m ? ", " : "", r->values[m].metric->name);
    if (isnan(model->p[m])) crd__text_add(out, "null");
    else crd__text_add_number(out, model->p[m]);
  }
  crd__text_add(out, "}");
}

void crd__report_json_result(crd__text *out, const crd_named_result *model) {
  const crd_result *const r = model->result;
  const crd_report_options along = { .size = sizeof along,
                                     .diagnosis = model->diagnosis,
                                     .provenance = model->provenance };
  add_head(out, model);
  crd__report_json_metrics(out, r, "\n  ");
  add_p_best(out, model);
  add_paired(out, r->paired);
  crd__report_shift_json(out, r->shift, "\n  ");
  if (r->groups) {
    crd__text_add(out, ",\n  \"groups\": ");
    crd__report_json_groups(out, r->groups, "\n  ");
  }
  add_compat(out, r->compat);
  crd__report_json_operating(out, r->operating, "\n  ");
  crd__report_json_reliability(out, r, "\n  ");
  crd__report_json_profile(out, r->profile, "\n  ");
  crd__report_json_warnings(out, r->notes, r->note_count, "\n  ");
  crd__report_json_along(out, &along, "\n  ");
  crd__text_add(out, "\n}");
}

static void json_write(const crd_result *r, const crd_report_options *options, crd__text *out) {
  crd__report_json_result(out, &(crd_named_result){ .result = r,
                                                    .diagnosis = options->diagnosis,
                                                    .provenance = options->provenance });
  crd__text_add(out, "\n");
}

const crd__report_form crd__report_form_json = {
  .info = { .name = "json", .summary = "everything, for programs" },
  .write = json_write,
  .diagnose = crd__report_diagnosis_json,
  .models = crd__report_models_json,
  .contest = crd__report_contest_json,
  .series = crd__report_series_json,
  .calibratability = crd__report_calibratability_json,
  .learned = crd__report_learned_json,
};
