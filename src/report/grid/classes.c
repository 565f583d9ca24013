/*
 * classes.c -- the calibration of each class as a table, largest error first: how often the class
 * occurs, its mean probability, and its part of the classwise calibration error (SCE).
 */
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/grid/grid.h"
#include "report/plain.h"

#include <stdio.h>

enum { NAME_SIZE = 96, NAME_WIDTH = 24, ROWS_WIDTH = 8, SHARE_WIDTH = 11, DECIMALS = 4 };

/* "3 cat", or "3" without a name. */
static const char *name_of(const crd_class_profile *c, char text[NAME_SIZE]) {
  snprintf(text, NAME_SIZE, "%zu%s%.64s", c->number, c->name ? " " : "", c->name ? c->name : "");
  return text;
}

/* Frequency, mean probability and error of a class, as text. */
enum { FREQUENCY, PROBABILITY, ERROR, SHARES };
typedef struct {
  char of[SHARES][CRD__NUMBER_SIZE];
} shares;

static shares shares_of(const crd_class_profile *c, const crd_report_options *options) {
  const double values[SHARES] = { c->frequency, c->probability, c->error };
  const double scale = options->percent ? 100 : 1;
  shares text;
  for (size_t i = 0; i < SHARES; i++)
    if (options->digits)
      crd__report_significant_format(text.of[i], scale * values[i], scale * values[i],
                                     options->digits);
    else
      crd__report_decimal_format(text.of[i], scale * values[i],
                                 options->percent ? DECIMALS - 2 : DECIMALS);
  return text;
}

static bool has_classes(const crd_result *r, const crd_report_options *options) {
  return options->classes && r->profile && r->profile->class_count;
}

/* Says how many classes are left out. */
static void add_rest(crd__text *out, const crd_result *r, const char *begin) {
  const size_t shown = r->profile->class_count;
  if (shown < r->classes)
    crd__text_addf(out, "%s%zu classes have smaller errors.\n", begin, r->classes - shown);
}

void crd__report_classes_text(crd__text *out, const crd_result *r,
                              const crd_report_options *options) {
  char name[NAME_SIZE];
  if (!has_classes(r, options)) return;
  crd__text_addf(out, "\nClasses by their part of the classwise calibration error%s:\n\n",
                 options->percent ? ", in per cent" : "");
  crd__report_style_add(out, options, "1");
  crd__text_addf(out, "  %-*s%*s%*s%*s%*s", NAME_WIDTH, "class", ROWS_WIDTH, "rows", SHARE_WIDTH,
                 "frequency", SHARE_WIDTH + 2, "probability", SHARE_WIDTH, "error");
  crd__report_style_add(out, options, "0");
  for (size_t i = 0; i < r->profile->class_count; i++) {
    const crd_class_profile *const c = &r->profile->classes[i];
    const shares text = shares_of(c, options);
    crd__text_add(out, "\n  ");
    crd__report_text_add_column(out, name_of(c, name), NAME_WIDTH, options->ascii);
    crd__text_addf(out, "%*zu%*s%*s%*s", ROWS_WIDTH, c->rows, SHARE_WIDTH, text.of[FREQUENCY],
                   SHARE_WIDTH + 2, text.of[PROBABILITY], SHARE_WIDTH, text.of[ERROR]);
  }
  crd__text_add(out, "\n");
  add_rest(out, r, "  ");
}

void crd__report_classes_markdown(crd__text *out, const crd_result *r,
                                  const crd_report_options *options) {
  char name[NAME_SIZE];
  if (!has_classes(r, options)) return;
  const char *const unit = options->percent ? " (%)" : "";
  crd__text_addf(out, "\n| class | rows | frequency%s | mean probability%s | error%s |\n", unit,
                 unit, unit);
  crd__text_add(out, "|:--|--:|--:|--:|--:|\n");
  for (size_t i = 0; i < r->profile->class_count; i++) {
    const crd_class_profile *const c = &r->profile->classes[i];
    const shares text = shares_of(c, options);
    crd__text_add(out, "| ");
    crd__report_markdown_add(out, name_of(c, name));
    crd__text_addf(out, " | %zu | %s | %s | %s |\n", c->rows, text.of[FREQUENCY],
                   text.of[PROBABILITY], text.of[ERROR]);
  }
  add_rest(out, r, "\n");
}
