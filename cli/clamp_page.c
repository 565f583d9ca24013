/* clamp_page.c -- what `credence clamp` prints (clamping.h). */
#include "clamping.h"

#include "page.h"

#include <math.h>

enum { DIGITS = 17 };

/* The qualities that are shown, each with its name in text and the suffix of its members in JSON.
 */
typedef struct {
  const char *title, *suffix;
  const crd_clamp_quality *quality;
} shown;
enum { SHOWN = 5 };

static void list_qualities(const crd_clamp_summary *s, shown out[SHOWN]) {
  const shown all[SHOWN] = { { "uncalibrated", "before", &s->before },
                             { "temperature scaling", "temperature_scaling", &s->scaled },
                             { "clamped", "after", &s->after },
                             { "delta alone", "delta_alone", &s->only_delta },
                             { "temperature alone", "temperature_alone", &s->only_temperature } };
  for (size_t i = 0; i < SHOWN; i++) out[i] = all[i];
}

/* ---- Text. */

static void show_lambda(FILE *out, double lambda) {
  if (isinf(lambda)) fputs("infinite", out);
  else fprintf(out, "%g", lambda);
}

static void show_verdict(FILE *out, const crd_clamp_summary *s) {
  char line[256];
  if (s->select) return; /* it is about ECE, not about this table */
  snprintf(line, sizeof line,
           "delta does not help on this model: no lambda is better than "
           "temperature scaling by more than its standard error");
  for (size_t i = 0; i < s->candidate_count && !isinf(s->lambda); i++)
    if (s->candidates[i].lambda == s->lambda)
      snprintf(
          line, sizeof line,
          "delta helps on this model: the nll of rows that were left out is %.2g +- %.1g below "
          "temperature scaling",
          -s->candidates[i].excess, s->candidates[i].error);
  fputs("\n  ", out);
  cli_page_wrap(out, line, 2, 2);
}

/* The candidates, and whether the perturbation helps. */
static void show_choice(FILE *out, const crd_clamp_summary *s) {
  const double chosen = s->select ? s->selection[0].lambda : s->lambda;
  if (!s->candidate_count) return;
  fputs("\n  lambda    cross-validated nll  against temperature scaling\n", out);
  for (size_t i = 0; i < s->candidate_count; i++) {
    const crd_clamp_candidate *const c = &s->candidates[i];
    fputs("  ", out);
    if (isinf(c->lambda)) fprintf(out, "%-8s", "infinite");
    else fprintf(out, "%-8g", c->lambda);
    fprintf(out, "  %19.5f", c->nll);
    if (!isinf(c->lambda)) fprintf(out, "  %+.5f +- %.5f", c->excess, c->error);
    fputs(c->lambda == chosen ? "  chosen\n" : "\n", out);
  }
  show_verdict(out, s);
}

static void show_accuracy(FILE *out, const crd_clamp_change *change) {
  fprintf(out, "\n  accuracy %+.2f points", 100 * change->value);
  if (isfinite(change->low))
    fprintf(out, " (95 %% interval %+.2f to %+.2f)", 100 * change->low, 100 * change->high);
  fputs(" on the rows of the fit\n", out);
}

static void show_qualities(FILE *out, const crd_clamp_summary *s) {
  shown all[SHOWN];
  list_qualities(s, all);
  fprintf(out, "\n  %-20s %9s %8s %8s %8s %8s %8s\n", "", "accuracy", "ece", "aece", "sce", "nll",
          "entropy");
  for (size_t i = 0; i < SHOWN; i++) {
    const crd_clamp_quality *const q = all[i].quality;
    fprintf(out, "  %-20s %7.2f %% %8.4f %8.4f %8.4f %8.4f %8.4f\n", all[i].title,
            100 * q->accuracy, q->ece, q->aece, q->sce, q->nll, q->entropy);
  }
  show_accuracy(out, &s->accuracy_change);
}

void cli_clamp_show_text(FILE *out, const cli_clamp_args *a, const crd_clamp_summary *s) {
  fprintf(out, "%s: delta of ", a->output);
  for (size_t i = 0; i < s->rank; i++)
    fprintf(out, "%s%lld", i ? " x " : "", (long long)s->dims[i]);
  if (s->tensor) fprintf(out, " at '%s'", s->tensor);
  fprintf(out, ", |delta| %.4g, T %.4f, fitted to %zu rows of %zu classes%s\n", s->delta_norm,
          s->temperature, s->rows, s->classes, s->interrupted ? ", interrupted" : "");
  show_choice(out, s);
  cli_clamp_selection_text(out, s);
  show_qualities(out, s);
  fprintf(out, "\n  objective %.6f, temperature scaling %.6f (T %.4f); gamma %g, lambda ",
          s->objective, s->temperature_objective, s->scaling, s->gamma);
  show_lambda(out, s->lambda);
  fprintf(out, "\n  %s after %u passes, %.1f s (temperature scaling: %.1f s)\n",
          s->converged ? "converged" : "not converged", s->passes, s->seconds, s->scaling_seconds);
  fprintf(out, "  mean of z_y - q.z (Lemma 3.1): %.2e\n", s->residual);
  if (isfinite(s->predicted_gain))
    fprintf(out, "  entropy gained by the start: predicted %.4g, measured %.4g\n",
            s->predicted_gain, s->measured_gain);
  fputs("\n  ", out);
  cli_page_wrap(out,
                "All of this is about the rows that it was fitted to: 'credence predict --clamp' "
                "and 'credence evaluate' judge it on others.",
                2, 2);
}

/* ---- JSON. */

static void add_number(FILE *out, const char *name, double value) {
  fprintf(out, ",\n  \"%s\": ", name);
  cli_page_number(out, value, DIGITS);
}

static void add_quality(FILE *out, const char *metric, const char *suffix, double value) {
  fprintf(out, ",\n  \"%s_%s\": ", metric, suffix);
  cli_page_number(out, value, DIGITS);
}

static void add_candidates(FILE *out, const crd_clamp_summary *s) {
  fputs(",\n  \"candidates\": [", out);
  for (size_t i = 0; i < s->candidate_count; i++) {
    const crd_clamp_candidate *const c = &s->candidates[i];
    fprintf(out, "%s{\"lambda\": ", i ? ", " : "");
    cli_page_number(out, c->lambda, DIGITS);
    fputs(", \"nll\": ", out);
    cli_page_number(out, c->nll, DIGITS);
    fputs(", \"excess\": ", out);
    cli_page_number(out, c->excess, DIGITS);
    fputs(", \"error\": ", out);
    cli_page_number(out, c->error, DIGITS);
    fputs("}", out);
  }
  fputs("]", out);
}

void cli_clamp_show_json(FILE *out, const cli_clamp_args *a, const crd_clamp_summary *s) {
  shown all[SHOWN];
  list_qualities(s, all);
  cli_page_begin(out, "clamped");
  cli_page_member(out, ",\n  ", "output", a->output);
  cli_page_member(out, ",\n  ", "settings", s->settings);
  if (s->tensor) cli_page_member(out, ",\n  ", "tensor", s->tensor);
  fprintf(out, ",\n  \"rows\": %zu,\n  \"classes\": %zu,\n  \"passes\": %u", s->rows, s->classes,
          s->passes);
  fprintf(out, ",\n  \"converged\": %s,\n  \"interrupted\": %s", s->converged ? "true" : "false",
          s->interrupted ? "true" : "false");
  fprintf(out, ",\n  \"helps\": %s", s->delta_norm > 0 ? "true" : "false");
  add_number(out, "objective", s->objective);
  add_number(out, "temperature_objective", s->temperature_objective);
  add_number(out, "temperature", s->temperature);
  add_number(out, "scaling_temperature", s->scaling);
  add_number(out, "gamma", s->gamma);
  add_number(out, "lambda", s->lambda);
  add_number(out, "weight", s->weight);
  add_number(out, "delta_norm", s->delta_norm);
  add_number(out, "gradient_norm", s->gradient_norm);
  add_number(out, "residual", s->residual);
  add_number(out, "predicted_gain", s->predicted_gain);
  add_number(out, "measured_gain", s->measured_gain);
  for (size_t i = 0; i < SHOWN; i++) {
    const crd_clamp_quality *const q = all[i].quality;
    add_quality(out, "accuracy", all[i].suffix, q->accuracy);
    add_quality(out, "ece", all[i].suffix, q->ece);
    add_quality(out, "aece", all[i].suffix, q->aece);
    add_quality(out, "sce", all[i].suffix, q->sce);
    add_quality(out, "nll", all[i].suffix, q->nll);
    add_quality(out, "entropy", all[i].suffix, q->entropy);
  }
  add_number(out, "accuracy_change", s->accuracy_change.value);
  add_number(out, "accuracy_change_low", s->accuracy_change.low);
  add_number(out, "accuracy_change_high", s->accuracy_change.high);
  add_candidates(out, s);
  cli_clamp_selection_json(out, s);
  add_number(out, "seconds", s->seconds);
  add_number(out, "scaling_seconds", s->scaling_seconds);
  fputs("\n}\n", out);
}
