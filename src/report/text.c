/*
 * text.c -- the result for a person at a terminal: what was read, the metrics with what they mean,
 * the reliability diagram, and what there is to note. Fits in 80 columns.
 */
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/form.h"
#include "report/plain.h"

#include <string.h>

enum { WIDTH = 80, VALUE_WIDTH = 10, BETTER_WIDTH = 6 };

static void add_count(crd__text *out, size_t count, const char *one, const char *many) {
  crd__text_addf(out, "%zu %s", count, count == 1 ? one : many);
}

static void add_head(crd__text *out, const crd_result *r, const crd_report_options *options) {
  static const char *const scores[] = { [CRD_INPUT_AUTO] = "scores",
                                        [CRD_INPUT_LOGITS] = "logits",
                                        [CRD_INPUT_PROBABILITIES] = "probabilities",
                                        [CRD_INPUT_PAIRS] = "confidences of the predicted class" };
  if (r->name) {
    crd__style_add(out, options, "1");
    crd__text_add_plain(out, r->name, options->ascii);
    crd__style_add(out, options, "0");
    crd__text_add(out, "\n");
  }
  add_count(out, r->rows, "row", "rows");
  if (r->classes) {
    crd__text_add(out, ", ");
    add_count(out, r->classes, "class", "classes");
  }
  crd__text_addf(out, ", %s", scores[r->input]);
  if (r->classes == 2 && r->binary == CRD_BINARY_POS) crd__text_add(out, " of class 1");
  if (r->bin_count) {
    crd__text_add(out, ", ");
    add_count(out, r->bin_count, "bin", "bins");
  }
  crd__text_add(out, r->weighted ? ", weighted\n" : "\n");
}

static void add_value(crd__text *out, const crd_metric_value *v, size_t name_width,
                      const crd_report_options *options) {
  char number[CRD__NUMBER_SIZE];
  const size_t column = 2 + name_width + 2 + VALUE_WIDTH + 2 + BETTER_WIDTH + 2;
  crd__text_addf(out, "  %-*s  %*s  %-*s  ", (int)name_width, v->metric->name, VALUE_WIDTH,
                 crd__value_format(number, v->value), BETTER_WIDTH,
                 crd__direction_word(v->metric->direction));
  crd__text_add_wrapped(out, v->reason ? v->reason : v->metric->summary,
                        &(crd__wrapping){ column, column, WIDTH, options->ascii });
}

static void add_values(crd__text *out, const crd_result *r, const crd_report_options *options) {
  size_t width = strlen("metric");
  for (size_t i = 0; i < r->value_count; i++) {
    const size_t length = strlen(r->values[i].metric->name);
    if (length > width) width = length;
  }
  crd__text_add(out, "\n");
  crd__style_add(out, options, "1");
  crd__text_addf(out, "  %-*s  %*s  better", (int)width, "metric", VALUE_WIDTH, "value");
  crd__style_add(out, options, "0");
  crd__text_add(out, "\n");
  for (size_t i = 0; i < r->value_count; i++) add_value(out, &r->values[i], width, options);
}

static void write(const crd_result *r, const crd_report_options *options, crd__text *out) {
  add_head(out, r, options);
  if (r->value_count) add_values(out, r, options);
  crd__diagram_add(out, r, options);
  for (size_t i = 0; i < r->note_count; i++) {
    crd__text_add(out, i ? "  note: " : "\n  note: ");
    crd__text_add_wrapped(out, r->notes[i], &(crd__wrapping){ 8, 8, WIDTH, options->ascii });
  }
}

const crd__form crd__form_text = {
  .info = { .name = "text", .summary = "a table and a diagram, for people" },
  .write = write,
};
