/* clamp_selection.c -- how `credence clamp --select` chose gamma (clamping.h). */
#include "clamping.h"

#include "page.h"

#include <string.h>

enum { DIGITS = 17, LINE = 512 };

static bool is_held_out(const crd_clamp_summary *s) { return strcmp(s->select, "held-out") == 0; }

/* ---- Text. */

static void show_verdict(FILE *out, const crd_clamp_summary *s) {
  const crd_clamp_selection *const clamped = &s->selection[s->selected];
  const crd_clamp_selection *const scaled = &s->selection[s->scaling_selected];
  const bool held_out = is_held_out(s), below = s->ece_change.high < 0;
  char line[LINE];
  snprintf(line, sizeof line,
           "%s: the %s ECE is %.4f with gamma %g, that of temperature scaling %.4f with gamma %g; "
           "difference %+.4f (95 %% interval %+.4f to %+.4f)%s",
           !held_out ? "chosen by the paper's rule, which says nothing about other rows"
           : below   ? "delta helps on this model"
                     : "delta does not help on this model beyond noise",
           s->select, clamped->ece, clamped->gamma, scaled->temperature_ece, scaled->gamma,
           s->ece_change.value, s->ece_change.low, s->ece_change.high,
           held_out && !below && s->delta_norm == 0 ? ", so delta is 0" : "");
  fputs("\n  ", out);
  cli_page_wrap(out, line, 2, 2);
}

void cli_clamp_selection_text(FILE *out, const crd_clamp_summary *s) {
  if (!s->select) return;
  fprintf(out, "\n  gamma  %9s ece  temperature scaling  (lambda %g; *: lowest)\n", s->select,
          s->selection[0].lambda);
  for (size_t i = 0; i < s->selection_count; i++) {
    const crd_clamp_selection *const c = &s->selection[i];
    fprintf(out, "  %-5g  %12.4f%s  %18.4f%s\n", c->gamma, c->ece, i == s->selected ? "*" : " ",
            c->temperature_ece, i == s->scaling_selected ? "*" : "");
  }
  show_verdict(out, s);
}

/* ---- JSON. */

static void add(FILE *out, const char *before, const char *name, double value) {
  fprintf(out, "%s\"%s\": ", before, name);
  cli_page_number(out, value, DIGITS);
}

void cli_clamp_selection_json(FILE *out, const crd_clamp_summary *s) {
  fputs(",\n  \"selection\": ", out);
  if (!s->select) {
    fputs("null", out);
    return;
  }
  cli_page_member(out, "{", "rule", s->select);
  add(out, ", ", "gamma", s->selection[s->selected].gamma);
  add(out, ", ", "temperature_gamma", s->selection[s->scaling_selected].gamma);
  add(out, ",\n    ", "ece_change", s->ece_change.value);
  add(out, ", ", "ece_change_low", s->ece_change.low);
  add(out, ", ", "ece_change_high", s->ece_change.high);
  fputs(",\n    \"candidates\": [", out);
  for (size_t i = 0; i < s->selection_count; i++) {
    const crd_clamp_selection *const c = &s->selection[i];
    add(out, i ? ",\n      {" : "\n      {", "gamma", c->gamma);
    add(out, ", ", "lambda", c->lambda);
    add(out, ", ", "ece", c->ece);
    add(out, ", ", "temperature_ece", c->temperature_ece);
    fputs("}", out);
  }
  fputs("]}", out);
}
