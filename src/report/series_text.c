/*
 * series_text.c -- a series as text: tables of "mean +- standard deviation", and the sentences that
 * explain them.
 */
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/form.h"
#include "report/plain.h"
#include "report/series_parts.h"

enum { WIDTH = 80 };

void crd__report_series_add_sentence(crd__text *out, crd__text *sentence,
                                     const crd_report_options *options) {
  if (!sentence->failed && sentence->length) {
    crd__text_add(out, "  ");
    crd__report_text_add_wrapped(out, sentence->bytes,
                                 &(crd__report_wrapping){ 2, 2, WIDTH, options->ascii });
  }
  out->failed |= sentence->failed;
  crd__text_clear(sentence);
}

static void add_test(crd__text *out, const crd_series_summary *s) {
  if (!crd__report_series_is_tested(s)) return;
  crd__text_add(out, "+ significantly better, - worse than identity: ");
  crd__report_series_add_test(out, s);
  crd__text_add(out, ".");
}

/* "temperature learns a temperature of 2.06 +- 0.03" */
static void add_temperature(crd__text *out, const crd_series_candidate *c) {
  char mean[CRD__NUMBER_SIZE], std[CRD__NUMBER_SIZE];
  if (!c->temperature.runs) return;
  crd__text_addf(out, "%s learns a temperature of %s", c->name,
                 crd__report_decimal_format(mean, c->temperature.mean, 3));
  if (c->temperature.runs > 1)
    crd__text_addf(out, " +- %s", crd__report_decimal_format(std, c->temperature.std, 3));
  crd__text_add(out, ".");
}

static void add_remarks(crd__text *out, const crd_series_summary *s,
                        const crd_report_options *options) {
  crd__text sentence;
  crd__text_init(&sentence, out->alloc);
  for (size_t i = 0; i < s->count; i++) {
    add_temperature(&sentence, &s->candidates[i]);
    crd__report_series_add_sentence(out, &sentence, options);
    if (!s->candidates[i].failures && !s->candidates[i].unconverged) continue;
    crd__text_addf(&sentence, "%s ", s->candidates[i].name);
    crd__report_series_add_trouble(&sentence, s, i);
    crd__report_series_add_sentence(out, &sentence, options);
  }
}

void crd__report_series_text(const crd_series_summary *s, const crd_report_options *options,
                             crd__text *out) {
  crd__text sentence;
  crd__report_heading_add_name(out, options, s->test_name);
  crd__text_add(out, "\n");
  crd__report_series_add_tables(out, s, "method", options);
  crd__text_init(&sentence, out->alloc);
  crd__report_series_add_caption(&sentence, s);
  crd__report_series_add_sentence(out, &sentence, options);
  add_test(&sentence, s);
  crd__report_series_add_sentence(out, &sentence, options);
  add_remarks(out, s, options);
  crd__text_add(out, "\n");
  crd__report_style_add(out, options, "1");
  crd__report_series_add_choices(&sentence, s);
  if (!sentence.failed && sentence.length)
    crd__report_text_add_wrapped(out, sentence.bytes,
                                 &(crd__report_wrapping){ 0, 0, WIDTH, options->ascii });
  out->failed |= sentence.failed;
  crd__text_clear(&sentence);
  crd__report_style_add(out, options, "0");
  crd__report_text_add_notes(out, s->notes, s->note_count, options);
}
