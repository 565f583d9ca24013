/* doctor.c -- makes a diagnosis from an examination: runs every finding, sorts by severity. */
#include "base/arena.h"
#include "base/table.h"
#include "doctor/finding.h"

static const crd__doctor_finding *const findings[] = {
#define FINDING(name) &crd__doctor_finding_##name,
#include "doctor/finding/list.h"
#undef FINDING
};
enum { FINDING_COUNT = sizeof findings / sizeof *findings };

static const char *const severity_names[] = {
#define X(name, text) text,
  CRD_SEVERITY_LIST(X)
#undef X
};
enum { SEVERITY_COUNT = sizeof severity_names / sizeof *severity_names };

const char *crd_severity_name(crd_severity severity) {
  return CRD_NAME_AT(severity_names, severity);
}

CRD_TABLE(finding, crd_finding_info, FINDING_COUNT, &findings[index]->info)

/* The diagnosis in the making, in its arena. */
typedef struct {
  crd_diagnosis diagnosis;
  crd__doctor_finding_text sayings[FINDING_COUNT];
  bool quick; /* only cheap findings that are worth a warning */
  crd_finding table[FINDING_COUNT];
  crd__text verdict;
} sheet;

void crd_diagnosis_destroy(const crd_diagnosis *diagnosis) { crd__arena_free(diagnosis); }

static crd_status ask(crd_context *ctx, const crd__doctor_examination *x, sheet *s) {
  for (size_t i = 0; i < FINDING_COUNT; i++) {
    crd__text_clear(&s->sayings[i].found);
    crd__text_clear(&s->sayings[i].advice);
    s->sayings[i].remedy = NULL;
    s->sayings[i].refused = false;
    if (s->quick && !findings[i]->info.cheap) continue;
    findings[i]->judge(x, &s->sayings[i]);
    CRD_TRY(crd__text_status(ctx, &s->sayings[i].found));
    CRD_TRY(crd__text_status(ctx, &s->sayings[i].advice));
  }
  return CRD_OK;
}

static bool is_reported(const sheet *s, size_t index) {
  const crd__doctor_finding_text *const saying = &s->sayings[index];
  if (saying->found.length == 0) return false;
  return !s->quick || (saying->severity <= findings[index]->heed && !saying->refused);
}

/* Sorts the findings by severity, and counts each severity. */
static void arrange(sheet *s, size_t counts[SEVERITY_COUNT]) {
  size_t total = 0;
  for (size_t severity = 0; severity < SEVERITY_COUNT; severity++) {
    counts[severity] = 0;
    for (size_t i = 0; i < FINDING_COUNT; i++) {
      const crd__doctor_finding_text *const saying = &s->sayings[i];
      if (!is_reported(s, i) || (size_t)saying->severity != severity) continue;
      s->table[total++] = (crd_finding){ .info = &findings[i]->info,
                                         .severity = saying->severity,
                                         .found = saying->found.bytes,
                                         .advice = saying->advice.bytes ? saying->advice.bytes : "",
                                         .remedy = saying->remedy };
      counts[severity]++;
    }
  }
  s->diagnosis.finding_count = total;
}

/* "2 problems: labels, not-finite", of the findings first .. first + count - 1. */
static void say_names(sheet *s, size_t first, size_t count, const char *what) {
  crd__text_addf(&s->verdict, "%zu %s%s: ", count, what, count == 1 ? "" : "s");
  for (size_t i = 0; i < count; i++)
    crd__text_addf(&s->verdict, "%s%s", i ? ", " : "", s->table[first + i].info->name);
}

static crd_status sum_up(crd_context *ctx, sheet *s, const size_t counts[SEVERITY_COUNT]) {
  const size_t problems = counts[CRD_PROBLEM], warnings = counts[CRD_WARNING];
  if (problems) {
    say_names(s, 0, problems, "problem");
    crd__text_add(&s->verdict, "; metrics are wrong until this is fixed");
  }
  if (problems && warnings) crd__text_add(&s->verdict, "; ");
  if (warnings) say_names(s, problems, warnings, "warning");
  if (problems + warnings == 0) crd__text_add(&s->verdict, "no problems found");
  return crd__text_status(ctx, &s->verdict);
}

static crd_status fill(crd_context *ctx, const crd_predictions *predictions,
                       const crd__doctor_examination *x, sheet *s) {
  size_t counts[SEVERITY_COUNT];
  CRD_TRY(ask(ctx, x, s));
  arrange(s, counts);
  crd__text_clear(&s->verdict);
  CRD_TRY(sum_up(ctx, s, counts));
  s->diagnosis.rows = predictions->rows;
  s->diagnosis.classes = x->classes;
  s->diagnosis.input = x->input;
  s->diagnosis.verdict = s->verdict.bytes;
  s->diagnosis.findings = s->table;
  return CRD_OK;
}

/* Rows that are enough to suspect a finding. */
enum { SAMPLE = 2000 };

static crd_status examine(crd_context *ctx, const crd_predictions *predictions,
                          const crd_predictions *rows, sheet *s) {
  crd__doctor_examination x = { 0 };
  crd_status status = crd__doctor_examine(ctx, rows, &x);
  if (status == CRD_OK) status = fill(ctx, predictions, &x, s);
  crd__doctor_examination_clear(&ctx->alloc, &x);
  return status;
}

/* Examines a sample first, and all rows only if the sample has findings. */
static crd_status examine_quickly(crd_context *ctx, const crd_predictions *predictions, sheet *s) {
  if (predictions->rows > (size_t)2 * SAMPLE) {
    crd_predictions *sample;
    CRD_TRY(crd__doctor_predictions_sample(ctx, predictions, SAMPLE, &sample));
    const crd_status status = examine(ctx, predictions, sample, s);
    crd_predictions_destroy(sample);
    CRD_TRY(status);
    if (s->diagnosis.finding_count == 0) return CRD_OK;
  }
  return examine(ctx, predictions, predictions, s);
}

static crd_status diagnose(crd_context *ctx, const crd_predictions *predictions, bool quick,
                           const crd_diagnosis **out) {
  sheet *s;
  *out = NULL;
  CRD_TRY(crd__data_ranking_refuse(ctx, predictions, "a diagnosis"));
  CRD_TRY(crd__arena_new(ctx, sizeof *s, "a diagnosis", &s));
  s->quick = quick;
  crd__text_init(&s->verdict, crd__arena_allocator(s));
  for (size_t i = 0; i < FINDING_COUNT; i++) {
    crd__text_init(&s->sayings[i].found, crd__arena_allocator(s));
    crd__text_init(&s->sayings[i].advice, crd__arena_allocator(s));
  }
  crd_status status = crd__arena_text(ctx, s, predictions->parts.name, &s->diagnosis.name);
  if (status == CRD_OK)
    status =
        quick ? examine_quickly(ctx, predictions, s) : examine(ctx, predictions, predictions, s);
  if (status == CRD_OK) *out = &s->diagnosis;
  else crd__arena_free(s);
  return status;
}

crd_status crd_diagnose(crd_context *ctx, const crd_predictions *predictions,
                        const crd_diagnosis **out) {
  return diagnose(ctx, predictions, false, out);
}

crd_status crd_diagnose_quickly(crd_context *ctx, const crd_predictions *predictions,
                                const crd_diagnosis **out) {
  return diagnose(ctx, predictions, true, out);
}
