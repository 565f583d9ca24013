/*
 * input_kind.c -- the kind of scores: logits or probabilities, how close the decision was, and what
 * else they may be: percentages, log-probabilities, sigmoid outputs, broken rows.
 */
#include "data/array.h"
#include "doctor/finding.h"

static void say_percentages(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  out->severity = CRD_PROBLEM;
  crd__text_addf(&out->found,
                 "The scores look like percentages: none is below 0, the largest is %s",
                 crd__doctor_brief(x->look.high, 4).text);
  crd__text_add(&out->found, crd__data_cols(&x->predictions->parts.scores) > 1
                                 ? ", and rows sum to 100. As logits they would be meaningless."
                                 : ".");
  crd__text_add(&out->advice, "Divide them by 100.");
  out->remedy = "divide-by-100";
}

/* Most rows are probabilities, some are not. */
static void say_failing(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  const crd__doctor_score_stats *const look = &x->look;
  const uint64_t failing = look->outside.count + look->off.count;
  out->severity = CRD_PROBLEM;
  crd__text_addf(&out->found, "%llu of %llu rows are probabilities, but ",
                 (unsigned long long)(look->rows - failing), (unsigned long long)look->rows);
  if (look->outside.count) {
    crd__text_addf(&out->found, "values range from %s to %s and are outside [0, 1] in ",
                   crd__doctor_brief(look->low, 4).text, crd__doctor_brief(look->high, 4).text);
    crd__doctor_say_spots(&out->found, &look->outside);
    crd__text_add(&out->found, look->off.count ? ", and " : "");
  }
  if (look->off.count) {
    crd__text_addf(&out->found, "sums range from %s to %s and are not 1 in ",
                   crd__doctor_brief(look->sum_low, 4).text,
                   crd__doctor_brief(look->sum_high, 4).text);
    crd__doctor_say_spots(&out->found, &look->off);
  }
  crd__text_addf(&out->found, ".%s",
                 x->predictions->parts.input == CRD_INPUT_LOGITS
                     ? " Therefore evaluate reads all of them as logits."
                     : "");
  crd__text_add(&out->advice,
                "Save more digits, or divide each row by its sum; repair rows that are wrong. "
                "Logits avoid these problems.");
  out->remedy = "divide-by-sum";
  out->refused = x->predictions->parts.input == CRD_INPUT_PROBABILITIES;
}

/* All scores in [0, 1], but few rows sum to 1. */
static void say_unit(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  out->severity = CRD_WARNING;
  crd__text_addf(&out->found,
                 "All scores lie in [0, 1], but rows sum to %s .. %s: read as logits, no "
                 "confidence can be high.",
                 crd__doctor_brief(x->look.sum_low, 4).text,
                 crd__doctor_brief(x->look.sum_high, 4).text);
  crd__text_addf(&out->advice,
                 "If these are sigmoid outputs, divide each row by its sum or save the numbers "
                 "before the sigmoid; if they are logits, declare them with %s.",
                 crd__spell(x->ctx, "input=logits"));
  out->remedy = "divide-by-sum";
}

static void say_probabilities(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  const crd__doctor_score_stats *const look = &x->look;
  const bool near = look->deviation > x->predictions->tolerance / 2;
  out->severity = near ? CRD_NOTE : CRD_FINE;
  crd__text_addf(&out->found, "%s: all values lie in [0, 1]",
                 x->classes ? "Probabilities" : "Confidences");
  if (crd__data_cols(&x->predictions->parts.scores) > 1)
    crd__text_addf(&out->found, " and rows sum to 1 within %s",
                   crd__doctor_brief(look->deviation, 2).text);
  if (near)
    crd__text_addf(&out->found, " (row %llu; beyond %s they would be read as logits)",
                   (unsigned long long)look->deviation_row,
                   crd__doctor_brief(x->predictions->tolerance, 3).text);
  crd__text_add(&out->found, ".");
  if (!near) return;
  crd__text_addf(&out->advice, "Declare them with %s, or save more digits.",
                 crd__spell(x->ctx, "input=probabilities"));
  out->remedy = "input-probabilities";
}

static void say_logits(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  const crd__doctor_score_stats *const look = &x->look;
  if (look->rows > 0 && look->log_probabilities == look->rows) {
    crd__doctor_say(
        out, CRD_FINE,
        "Log-probabilities: no value is above 0 and exp sums to 1. Read as logits, they give "
        "the same confidences.",
        "");
    return;
  }
  out->severity = CRD_FINE;
  crd__text_addf(&out->found, "Logits: values range from %s to %s; ",
                 crd__doctor_brief(look->low, 4).text, crd__doctor_brief(look->high, 4).text);
  crd__text_addf(&out->found, "%llu of %llu rows have values outside [0, 1].",
                 (unsigned long long)look->outside.count, (unsigned long long)look->rows);
}

static void say_unlikely(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  const crd__doctor_score_stats *const look = &x->look;
  out->severity = CRD_PROBLEM;
  crd__text_addf(&out->found,
                 "The scores are declared to be probabilities, but values range from %s to %s and "
                 "are outside [0, 1] in ",
                 crd__doctor_brief(look->low, 4).text, crd__doctor_brief(look->high, 4).text);
  crd__doctor_say_spots(&out->found, &look->outside);
  crd__text_add(&out->found, ": they look like logits, and are examined as such.");
  crd__text_addf(&out->advice, "Declare them with %s, or call the array logits.",
                 crd__spell(x->ctx, "input=logits"));
  out->remedy = "input-logits";
}

static void input_kind_judge(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  const crd__doctor_score_stats *const look = &x->look;
  const uint64_t failing = look->outside.count + look->off.count;
  const bool probabilities = x->input != CRD_INPUT_LOGITS;
  if (look->rows == 0) return;
  if (x->percent && failing > 0) say_percentages(x, out);
  else if (!probabilities && x->predictions->parts.input == CRD_INPUT_PROBABILITIES)
    say_unlikely(x, out);
  else if (probabilities && failing > 0) say_failing(x, out);
  else if (probabilities) say_probabilities(x, out);
  else if (failing == 0) {
    out->severity = CRD_WARNING;
    crd__text_add(&out->found, "The scores are declared to be logits, but all of them lie in "
                               "[0, 1] and rows sum to 1: they look like probabilities.");
    crd__text_addf(&out->advice, "Declare them with %s, or call the array probabilities.",
                   crd__spell(x->ctx, "input=probabilities"));
    out->remedy = "input-probabilities";
  } else if (look->outside.count == 0) say_unit(x, out);
  else say_logits(x, out);
}

const crd__doctor_finding crd__doctor_finding_input_kind = {
  .info = { .name = "input-kind",
            .summary = "logits, probabilities, or something else",
            .cheap = 1 },
  .heed = CRD_WARNING,
  .judge = input_kind_judge,
};
