/* shift_json.c -- shifted sets as JSON: "shift": {"NAME": {"metrics": ..., "difference": ...}}. */
#include "base/json_text.h"
#include "report/json_parts.h"
#include "report/operating.h"
#include "report/shift.h"

#include <stdio.h>

static void add_set(crd__text *out, const crd_shift *s, const char *indent) {
  char inner[40];
  snprintf(inner, sizeof inner, "%.32s  ", indent);
  crd__json_add_string(out, s->name);
  crd__text_addf(out, ": {%s\"name\": ", inner);
  crd__json_add_string(out, s->result->name);
  crd__text_addf(out, ",%s\"n\": %zu,%s\"labelled\": %s,%s\"rows\": \"%s\"", inner, s->result->rows,
                 inner, s->labelled ? "true" : "false", inner, crd_shift_rows_name(s->rows));
  crd__report_json_clusters(out, s->result, inner);
  crd__report_json_metrics(out, s->result, inner);
  crd__report_json_operating(out, s->result->operating, inner);
  crd__text_addf(out, ",%s\"difference\": ", inner);
  crd__report_json_differences(out, s->difference, inner);
  crd__report_json_warnings(out, s->result->notes, s->result->note_count, inner);
  crd__text_addf(out, "%s}", indent);
}

void crd__report_shift_json(crd__text *out, const crd_shift_table *shift, const char *indent) {
  char inner[40];
  if (!shift) return;
  snprintf(inner, sizeof inner, "%.32s  ", indent);
  crd__text_addf(out, ",%s\"shift\": {", indent);
  for (size_t i = 0; i < shift->count; i++) {
    crd__text_addf(out, "%s%s", i ? "," : "", inner);
    add_set(out, &shift->items[i], inner);
  }
  crd__text_addf(out, "%s}", indent);
}
