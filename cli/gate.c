/*
 * gate.c -- parses and checks the conditions of --fail-if.
 *
 *   gate      = clause { ("," | "or") clause }       fails if one of its clauses holds
 *   clause    = condition { "and" condition }        holds if all of its conditions do
 *   condition = METRIC [ "." PART ] (">" | ">=" | "<" | "<=") NUMBER
 *
 * Case does not matter, blanks may be anywhere, and '_' stands for '-' in names.
 */
#include "gate.h"
#include "option.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of a metric. */
static const struct {
  const char *name;
  size_t offset; /* in a crd_metric_value */
  bool interval;
} parts[] = {
  { "value", offsetof(crd_metric_value, value), false },
  { "low", offsetof(crd_metric_value, low), true },
  { "high", offsetof(crd_metric_value, high), true },
  { "noise-floor", offsetof(crd_metric_value, noise_floor), false },
  { "p", offsetof(crd_metric_value, p), false },
};
enum { PARTS = sizeof parts / sizeof *parts };

/* ---- Reading. */

enum { WORD_SIZE = 48 };

static const char *skip_blanks(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

/* Reads a name in lower case; returns its end. */
static const char *take_word(const char *at, char word[static WORD_SIZE]) {
  size_t length = 0;
  for (; isalnum((unsigned char)*at) || (*at && strchr("-_", *at)); at++)
    if (length + 1 < WORD_SIZE)
      word[length++] = (char)(*at == '_' ? '-' : tolower((unsigned char)*at));
  word[length] = '\0';
  return at;
}

static const char *metric_name(const void *self, size_t index) {
  (void)self;
  const crd_metric_info *const info = crd_metric_at(index);
  return info ? info->name : NULL;
}

static const char *part_name(const void *self, size_t index) {
  (void)self;
  return index < PARTS ? parts[index].name : NULL;
}

static crd_status refuse_text(cli_session *session, const char *at) {
  return cli_refuse(session,
                    "--fail-if: found '%.100s', expected METRIC > NUMBER (or >=, <, <=), where "
                    "METRIC may be the end of an interval, METRIC.low or METRIC.high",
                    at);
}

/* METRIC [ "." PART ] */
static crd_status read_name(cli_session *session, const char **at, cli_condition *out) {
  char word[WORD_SIZE], hint[CLI_HINT_SIZE];
  const char *const begin = *at;
  *at = skip_blanks(take_word(begin, word));
  if (!*word) return refuse_text(session, begin);
  out->metric = crd_metric_find(word);
  if (!out->metric)
    return cli_refuse(session, "--fail-if: no metric is called '%s'%s", word,
                      cli_hint(hint, "", crd_nearest(word, metric_name, NULL)));
  out->part = 0;
  if (**at != '.') return CRD_OK;
  *at = skip_blanks(take_word(skip_blanks(*at + 1), word));
  while (out->part < PARTS && strcmp(parts[out->part].name, word) != 0) out->part++;
  if (out->part < PARTS) return CRD_OK;
  return cli_refuse(
      session, "--fail-if: '%s.%s': allowed are low, high, value, noise-floor and p%s",
      out->metric->name, word, cli_hint(hint, "", crd_nearest(word, part_name, NULL)));
}

/* (">" | ">=" | "<" | "<=") NUMBER */
static crd_status read_limit(cli_session *session, const char *begin, const char **at,
                             cli_condition *out) {
  char *end;
  if (!**at || !strchr("<>", **at)) return refuse_text(session, begin);
  out->above = **at == '>';
  ++*at;
  out->equal = **at == '=';
  *at = skip_blanks(*at + out->equal);
  out->limit = strtod(*at, &end);
  if (end == *at || isnan(out->limit)) return refuse_text(session, begin);
  const int length = (int)(end - begin);
  snprintf(out->text, sizeof out->text, "%.*s", length, begin);
  *at = skip_blanks(end);
  return CRD_OK;
}

/* Reads "," "or" or "and" between two conditions; false: none of these. */
static bool read_link(const char **at, bool *joined) {
  char word[WORD_SIZE];
  const char *const end = take_word(*at, word);
  *joined = strcmp(word, "and") == 0;
  if (**at == ',') ++*at;
  else if (*joined || strcmp(word, "or") == 0) *at = end;
  else return false;
  *at = skip_blanks(*at);
  return true;
}

crd_status cli_gate_read(cli_session *session, const char *text, cli_gate *out) {
  const char *at = skip_blanks(text);
  out->count = 0;
  if (!*text) return CRD_OK;
  for (;;) {
    const char *const begin = at;
    cli_condition *const c = &out->conditions[out->count];
    if (out->count == CLI_GATE_MAX)
      return cli_refuse(session, "--fail-if takes at most %d conditions", CLI_GATE_MAX);
    crd_status status = read_name(session, &at, c);
    if (status == CRD_OK) status = read_limit(session, begin, &at, c);
    if (status != CRD_OK) return status;
    out->count++;
    c->joined = false;
    if (!*at) return CRD_OK;
    if (!read_link(&at, &c->joined)) return refuse_text(session, begin);
  }
}

crd_status cli_gate_check_intervals(cli_session *session, const cli_gate *gate,
                                    unsigned resamples) {
  for (size_t i = 0; resamples == 0 && i < gate->count; i++)
    if (parts[gate->conditions[i].part].interval)
      return cli_refuse(session,
                        "--fail-if '%s' needs an interval: there is none with --resamples 0",
                        gate->conditions[i].text);
  return CRD_OK;
}

/* ---- Metrics to compute. */

static void add_name(char list[static CLI_GATE_METRICS], const char *name) {
  const size_t at = strlen(list);
  snprintf(list + at, CLI_GATE_METRICS - at, "%s%s", at ? "," : "", name);
}

const char *cli_gate_metrics(const cli_gate *gate, const char *metrics,
                             char list[static CLI_GATE_METRICS]) {
  const bool standard = !metrics;
  bool added = false;
  *list = '\0';
  if (metrics && (strcmp(metrics, "all") == 0 || strlen(metrics) >= CLI_GATE_METRICS / 2))
    return metrics;
  if (metrics) snprintf(list, CLI_GATE_METRICS, "%s", metrics);
  for (size_t i = 0; standard && crd_metric_at(i); i++)
    if (crd_metric_at(i)->standard) add_name(list, crd_metric_at(i)->name);
  for (size_t i = 0; i < gate->count; i++) {
    const char *const name = gate->conditions[i].metric->name;
    if (cli_is_listed(list, name)) continue;
    add_name(list, name);
    added = true;
  }
  return added ? list : metrics;
}

/* ---- Judging. */

typedef enum { NO, YES, UNKNOWN } answer;

static double number_of(const crd_metric_value *value, size_t part) {
  return value ? *(const double *)(const void *)((const char *)value + parts[part].offset)
               : (double)NAN;
}

static answer judge(const cli_condition *c, const crd_result *result) {
  const double value = number_of(crd_result_value(result, c->metric->name), c->part);
  if (isnan(value)) return UNKNOWN;
  if (c->equal && value == c->limit) return YES;
  return (c->above ? value > c->limit : value < c->limit) ? YES : NO;
}

/* Prints enough digits to distinguish the value from the limit. */
static void print_number(double value, double limit) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", value);
  if (value != limit && strtod(text, NULL) == limit) snprintf(text, sizeof text, "%.17g", value);
  fputs(text, stderr);
}

static void report(const cli_condition *c, const crd_result *result, const char *model) {
  const crd_metric_value *const found = crd_result_value(result, c->metric->name);
  const double value = number_of(found, c->part);
  const char *const part = parts[c->part].name;
  fprintf(stderr, "credence: %s%sgate %s: %s%s%s ", model ? model : "", model ? ": " : "", c->text,
          c->metric->name, c->part ? "." : "", c->part ? part : "");
  if (isnan(value)) {
    fputs("has no value", stderr);
    if (!found) fputs(": it was not measured", stderr);
    else if (found->reason) fprintf(stderr, ": %s", found->reason);
    else if (parts[c->part].interval) fputs(": there is no interval", stderr);
  } else {
    fputs("is ", stderr);
    print_number(value, c->limit);
  }
  fputc('\n', stderr);
}

void cli_gate_judge(cli_session *session, const cli_gate *gate, const crd_result *result,
                    const char *model) {
  for (size_t begin = 0, end; begin < gate->count; begin = end) {
    answer all = YES;
    for (end = begin; end < gate->count; end++) {
      const answer one = judge(&gate->conditions[end], result);
      /* "and" is NO if any condition is NO, else UNKNOWN if any is UNKNOWN. */
      if (one == NO || (one == UNKNOWN && all == YES)) all = one;
      if (!gate->conditions[end].joined) break;
    }
    end++;
    if (all == NO) continue;
    for (size_t i = begin; i < end; i++) report(&gate->conditions[i], result, model);
    session->exit_code = 1;
  }
}
