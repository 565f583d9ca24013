/* contest_json.c -- a contest as one JSON object: every method, then the verdict. */
#include "base/json_text.h"
#include "calibrator/calibrator.h"
#include "report/contest_parts.h"
#include "report/form.h"
#include "report/json_parts.h"
#include "report/operating.h"

static void add_fit(crd__text *out, const crd_candidate *c) {
  crd__text_add(out, ",\n      \"parameters\": {");
  for (size_t i = 0; i < c->learnt_count; i++) {
    if (i) crd__text_add(out, ", ");
    crd__calibrator_learnt_write(&c->learnt[i], out);
  }
  crd__text_add(out, "},\n      \"certificate\": ");
  crd__calibrator_certificate_write(c->certificate, out);
}

static void add_against(crd__text *out, const char *name, const crd_comparison *comparison) {
  if (!comparison) return;
  crd__text_addf(out, ",\n      \"%s\": ", name);
  crd__report_json_differences(out, comparison, "\n      ");
}

/* The results on the test rows. */
static void add_result(crd__text *out, const crd_candidate *c) {
  static const char indent[] = "\n      ";
  if (!c->result) return;
  crd__report_json_metrics(out, c->result, indent);
  add_against(out, "against_identity", c->against_identity);
  add_against(out, "against_temperature", c->against_temperature);
  crd__report_json_operating(out, c->result->operating, indent);
  crd__report_json_reliability(out, c->result, indent);
  crd__report_json_profile(out, c->result->profile, indent);
  crd__report_json_warnings(out, c->result->notes, c->result->note_count, indent);
}

static void add_candidate(crd__text *out, const crd_candidate *c) {
  crd__text_add(out, "{\n      \"name\": ");
  crd__json_add_string(out, c->name);
  if (!c->method) crd__text_add(out, ",\n      \"external\": true");
  crd__text_add(out, ",\n      \"seconds\": ");
  crd__json_add_number(out, c->seconds);
  if (c->certificate) add_fit(out, c);
  if (c->failure) {
    crd__text_add(out, ",\n      \"failure\": ");
    crd__json_add_string(out, c->failure);
  }
  add_result(out, c);
  crd__text_add(out, "\n    }");
}

static void add_head(crd__text *out, const crd_contest *c) {
  crd__report_json_begin(out, "contest");
  crd__text_add(out, "\n  \"calibrate\": ");
  crd__json_add_string(out, c->calibrate_name);
  crd__text_add(out, ",\n  \"test\": ");
  crd__json_add_string(out, c->test_name);
  crd__text_addf(out, ",\n  \"calibrate_rows\": %zu,\n  \"n\": %zu,\n  \"folds\": %u,\n",
                 c->calibrate_rows, c->test_rows, c->folds);
  crd__text_addf(out, "  \"resamples\": %u", c->resamples);
  crd__report_json_shape(out, c->candidates[0].result, "\n  "); /* of the uncalibrated rows */
  crd__report_json_clusters(out, c->candidates[0].result, "\n  ");
  crd__text_add(out, ",\n  \"methods\": [");
}

/* Contests read from older files have neither a score nor rejected methods. */
static void add_verdict(crd__text *out, const crd_contest *c) {
  crd__text_add(out, "{\n    \"method\": ");
  crd__json_add_string(out, c->chosen->name);
  if (c->score) {
    crd__text_add(out, ",\n    \"score\": ");
    crd__json_add_string(out, c->score);
  }
  if (c->best) {
    crd__text_add(out, ",\n    \"best\": ");
    crd__json_add_string(out, c->best->name);
  }
  crd__text_add(out, ",\n    \"text\": ");
  crd__json_add_string(out, c->verdict);
  if (c->score) crd__text_add(out, ",\n    \"rejected\": [");
  for (size_t i = 0; i < c->rejected_count; i++) {
    crd__text_add(out, i ? ",\n      {\"method\": " : "\n      {\"method\": ");
    crd__json_add_string(out, c->rejected[i].candidate->name);
    crd__text_add(out, ", \"reason\": ");
    crd__json_add_string(out, c->rejected[i].reason);
    crd__text_add(out, "}");
  }
  if (c->score) crd__text_add(out, c->rejected_count ? "\n    ]" : "]");
  crd__text_add(out, "\n  }");
}

void crd__report_contest_json(const crd_contest *contest, const crd_report_options *options,
                              crd__text *out) {
  add_head(out, contest);
  for (size_t i = 0; i < contest->count; i++) {
    crd__text_add(out, i ? ",\n    " : "\n    ");
    add_candidate(out, &contest->candidates[i]);
  }
  crd__text_add(out, "\n  ],\n  \"verdict\": ");
  add_verdict(out, contest);
  crd__report_contest_shift_json(contest, out);
  crd__report_json_warnings(out, contest->notes, contest->note_count, "\n  ");
  crd__report_json_along(out, options, "\n  ");
  crd__text_add(out, "\n}\n");
}
