/* json_parts.c -- metrics and differences as JSON. */
#include "report/json_parts.h"
#include "base/json_text.h"

#include <math.h>

/* A number that exists only now and then. */
static void add_optional(crd__text *out, const char *name, double value) {
  if (isnan(value)) return;
  crd__text_addf(out, ", \"%s\": ", name);
  crd__json_add_number(out, value);
}

void crd__json_metrics(crd__text *out, const crd_result *r, const char *indent) {
  crd__text_addf(out, ",%s\"metrics\": {", indent);
  for (size_t i = 0; i < r->value_count; i++) {
    const crd_metric_value *v = &r->values[i];
    crd__text_addf(out, "%s%s  ", i ? "," : "", indent);
    crd__json_add_string(out, v->metric->name);
    crd__text_add(out, ": {\"value\": ");
    crd__json_add_number(out, v->value);
    add_optional(out, "low", v->low);
    add_optional(out, "high", v->high);
    add_optional(out, "noise_floor", v->noise_floor);
    add_optional(out, "p", v->p);
    if (!isfinite(v->value)) {
      crd__text_add(out, ", \"reason\": ");
      crd__json_add_string(out, v->reason ? v->reason : "not a finite number");
    }
    crd__text_add(out, "}");
  }
  crd__text_addf(out, "%s}", r->value_count ? indent : "");
}

static void add_test(crd__text *out, const crd_difference *d) {
  if (!d->test) return;
  crd__text_add(out, ", \"test\": ");
  crd__json_add_string(out, d->test);
  add_optional(out, "test_p", d->test_p);
  if (!d->test_reason) return;
  crd__text_add(out, ", \"test_reason\": ");
  crd__json_add_string(out, d->test_reason);
}

void crd__json_differences(crd__text *out, const crd_comparison *c, const char *indent) {
  crd__text_add(out, "{");
  for (size_t i = 0; i < c->count; i++) {
    crd__text_addf(out, "%s%s  ", i ? "," : "", indent);
    crd__json_add_string(out, c->items[i].metric->name);
    crd__text_add(out, ": {\"value\": ");
    crd__json_add_number(out, c->items[i].value);
    add_optional(out, "low", c->items[i].low);
    add_optional(out, "high", c->items[i].high);
    add_optional(out, "p", c->items[i].p);
    add_test(out, &c->items[i]);
    crd__text_add(out, "}");
  }
  crd__text_addf(out, "%s}", indent);
}
