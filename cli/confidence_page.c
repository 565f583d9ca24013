/* confidence_page.c -- what `credence train-confidence` prints (confidence.h). */
#include "confidence.h"

#include "page.h"

#include <math.h>

enum { DIGITS = 17, VALUE_TEXT = 16 };

/* ---- Epochs. */

static void add_number(FILE *out, const char *name, double value) {
  fprintf(out, ", \"%s\": ", name);
  cli_page_number(out, value, DIGITS);
}

static void add_quality(FILE *out, const crd_confidnet_quality *q) {
  add_number(out, "aupr_error", q->aupr_error);
  add_number(out, "auroc", q->auroc);
  add_number(out, "ece", q->ece);
  add_number(out, "brier_top1", q->brier_top1);
}

static void print_json(const crd_confidnet_epoch *epoch) {
  printf("{\"epoch\": %zu", epoch->epoch);
  add_number(stdout, "loss", epoch->loss);
  add_number(stdout, "validation_loss", epoch->validation_loss);
  add_quality(stdout, &epoch->quality);
  if (epoch->best) fputs(", \"best\": true", stdout);
  add_number(stdout, "seconds", epoch->seconds);
  puts("}");
}

/* Writes a value, or '-' if it is undefined. */
static const char *value_text(double value, char text[static VALUE_TEXT]) {
  if (isnan(value)) snprintf(text, VALUE_TEXT, "-");
  else snprintf(text, VALUE_TEXT, "%.4f", value);
  return text;
}

static void print_quality(FILE *out, const crd_confidnet_quality *q) {
  char a[VALUE_TEXT], b[VALUE_TEXT], c[VALUE_TEXT], d[VALUE_TEXT];
  fprintf(out, "  %10s  %7s  %7s  %10s", value_text(q->aupr_error, a), value_text(q->auroc, b),
          value_text(q->ece, c), value_text(q->brier_top1, d));
}

static void print_epoch(const crd_confidnet_epoch *epoch) {
  if (epoch->epoch == 1)
    puts("epoch      loss  validation: loss  aupr-error    auroc      ece  brier-top1");
  printf("%5zu  %8.5f  %16.5f", epoch->epoch, epoch->loss, epoch->validation_loss);
  print_quality(stdout, &epoch->quality);
  puts(epoch->best ? "  best so far" : "");
}

void cli_confidence_line(const cli_confidence_args *args, const crd_confidnet_epoch *epoch) {
  if (args->json) print_json(epoch);
  else if (!args->quiet) print_epoch(epoch);
  fflush(stdout);
}

/* ---- The summary. */

void cli_confidence_text(FILE *out, const cli_confidence_args *args,
                         const crd_confidnet_summary *s) {
  fprintf(out, "%s: a head of %zu parameters on %zu features, '%s'\n", args->output, s->parameters,
          s->features, s->tensor);
  fprintf(out, "kept epoch %zu of %zu, by %s; %zu training rows, %zu of them wrong\n", s->best,
          s->epochs, s->criterion, s->rows, s->errors);
  fprintf(out, "%zu validation rows, %zu of them wrong\n", s->validation_rows,
          s->validation_errors);
  fputs("  confidence           aupr-error    auroc      ece  brier-top1\n", out);
  fprintf(out, "  %-19s", "largest probability");
  print_quality(out, &s->maximum);
  fprintf(out, "\n  %-19s", "of the head");
  print_quality(out, &s->quality);
  fputs("\n", out);
}

static void put_count(FILE *out, const char *name, size_t count) {
  fprintf(out, ", \"%s\": %zu", name, count);
}

static void put_quality(FILE *out, const char *name, const crd_confidnet_quality *q) {
  fprintf(out, ", \"%s\": {\"aupr_error\": ", name);
  cli_page_number(out, q->aupr_error, DIGITS);
  add_number(out, "auroc", q->auroc);
  add_number(out, "ece", q->ece);
  add_number(out, "brier_top1", q->brier_top1);
  fputs("}", out);
}

void cli_confidence_json(FILE *out, const cli_confidence_args *args,
                         const crd_confidnet_summary *s) {
  fputs("{\"credence\": \"confidence\", \"version\": 1", out);
  cli_page_member(out, ", ", "library", crd_version());
  cli_page_member(out, ", ", "output", args->output);
  cli_page_member(out, ", ", "model", args->model);
  cli_page_member(out, ", ", "data", args->data);
  cli_page_member(out, ", ", "validate", args->validate);
  cli_page_member(out, ", ", "tensor", s->tensor);
  cli_page_member(out, ", ", "logits", s->logits);
  cli_page_member(out, ", ", "settings", s->settings);
  put_count(out, "seed", args->seed);
  put_count(out, "features", s->features);
  put_count(out, "classes", s->classes);
  put_count(out, "parameters", s->parameters);
  put_count(out, "rows", s->rows);
  put_count(out, "errors", s->errors);
  put_count(out, "validation_rows", s->validation_rows);
  put_count(out, "validation_errors", s->validation_errors);
  cli_page_member(out, ", ", "criterion", s->criterion);
  put_count(out, "epochs", s->epochs);
  put_count(out, "kept_epoch", s->best);
  put_quality(out, "maximum_probability", &s->maximum);
  put_quality(out, "confidence", &s->quality);
  fputs("}\n", out);
}
