/* operating_json.c -- operating points and their guarantee as members of a JSON object. */
#include "base/json_text.h"
#include "report/fields.h"
#include "report/operating.h"

static void add_rates(crd__text *out, const crd_operating_point *p) {
  const crd__report_rate *rate;
  for (size_t i = 0; (rate = crd__report_operating_rate(i)); i++) {
    crd__text_addf(out, ", \"%s\": {", rate->key);
    crd__report_members_write(out, &crd__report_record_proportion, crd__report_rate_of(p, rate));
    crd__text_add(out, "}");
  }
}

static void add_point(crd__text *out, const crd_operating_point *p, bool binary) {
  crd__text_addf(out, "{\"target_%s\": ", p->target.kind == CRD_TARGET_RISK ? "risk" : "coverage");
  crd__text_add_number(out, p->target.value);
  crd__text_add(out, ", ");
  crd__report_members_write(out, &crd__report_record_operating, p);
  if (p->promise != CRD_PROMISE_NONE)
    crd__text_addf(out, ", \"promise\": \"%s\"", crd_promise_name(p->promise));
  if (binary) add_rates(out, p);
  crd__text_add(out, "}");
}

void crd__report_json_operating(crd__text *out, const crd_operating_table *t, const char *indent) {
  if (!t) return;
  crd__text_addf(out, ",%s\"operating_points\": [", indent);
  for (size_t i = 0; i < t->count; i++) {
    crd__text_addf(out, "%s%s  ", i ? "," : "", indent);
    add_point(out, &t->items[i], t->binary != 0);
  }
  crd__text_addf(out, "%s],%s\"guarantee\": {\"kind\": \"%s\", \"level\": 0.95, ", indent, indent,
                 crd_guarantee_name(t->guarantee));
  crd__report_members_write(out, &crd__report_record_guarantee, t);
  crd__text_add(out, "}");
}
