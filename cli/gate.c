/* gate.c -- conditions on results: METRIC, one of > >= < <=, NUMBER; separated by commas. */
#include "gate.h"
#include "option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char metric[40];
  bool above, equal; /* > or <; with = */
  double limit;
  const char *end; /* where the list goes on */
} condition;

/* False when the text is not a condition. */
static bool read_condition(const char *text, condition *out) {
  const size_t length = strcspn(text, "<>");
  char *end;
  if (length == 0 || length >= sizeof out->metric || text[length] == '\0') return false;
  memcpy(out->metric, text, length);
  out->metric[length] = '\0';
  out->above = text[length] == '>';
  out->equal = text[length + 1] == '=';
  text += length + 1 + out->equal;
  out->limit = strtod(text, &end);
  out->end = end;
  return end != text && !isnan(out->limit) && (*end == ',' || *end == '\0');
}

static const char *metric_name(size_t index) {
  const crd_metric_info *const info = crd_metric_at(index);
  return info ? info->name : NULL;
}

crd_status cli_gate_check(cli_session *session, const char *list) {
  char hint[CLI_HINT_SIZE];
  condition c;
  for (const char *at = list; at; at = *c.end ? c.end + 1 : NULL) {
    if (!read_condition(at, &c))
      return cli_refuse(
          session, "option '--fail-if': found '%s', expected METRIC>NUMBER (or >=, <, <=)", at);
    if (!crd_metric_find(c.metric))
      return cli_refuse(session, "option '--fail-if': no metric is called '%s'%s", c.metric,
                        cli_hint(hint, "", crd_nearest(c.metric, metric_name)));
  }
  return CRD_OK;
}

static double value_of(const crd_result *result, const char *metric) {
  for (size_t i = 0; i < result->value_count; i++)
    if (strcmp(result->values[i].metric->name, metric) == 0) return result->values[i].value;
  return (double)NAN;
}

static bool holds(const condition *c, double value) {
  if (c->equal && value == c->limit) return true;
  return c->above ? value > c->limit : value < c->limit;
}

void cli_gate_judge(cli_session *session, const char *list, const crd_result *result) {
  condition c;
  for (const char *at = list; at && read_condition(at, &c); at = *c.end ? c.end + 1 : NULL) {
    const double value = value_of(result, c.metric);
    const int length = (int)(c.end - at);
    if (isnan(value))
      fprintf(stderr, "credence: gate %.*s: %s has no value here\n", length, at, c.metric);
    else if (holds(&c, value))
      fprintf(stderr, "credence: gate %.*s: %s is %.6g\n", length, at, c.metric, value);
    else continue;
    session->exit_code = 1;
  }
}
