/*
 * diagram.c -- the reliability diagram for a terminal of 80 columns.
 *
 *   (0.40, 0.47]   312  0.435  0.391  +0.044  ████████▌░│
 *
 * The bar is the accuracy of the bin, in eighths of a character; the mark is its mean confidence.
 * A bar that stops before the mark (the gap is shaded) is overconfident, one that runs past it is
 * underconfident. An empty bin has no bar: its accuracy is unknown, not zero.
 */
#include "report/diagram.h"

#include "report/decimal.h"
#include "report/plain.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 80, BINS_DRAWN = 100, BAR_LEAST = 16 };

typedef struct {
  const char *full, *mark, *gap;
  const char *part[8]; /* eighths of a character */
} pens;

static const pens unicode = { "█", "│", "░", { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" } };
static const pens ascii = { "#", "|", ".", { "", "", "", "", "#", "#", "#", "#" } };

typedef struct {
  crd__text *out;
  const crd_report_options *options;
  const pens *pens;
  size_t rows, bar; /* widths of these two columns; the others are fixed */
} canvas;

void crd__report_style_add(crd__text *out, const crd_report_options *options, const char *style) {
  if (options->colour) crd__text_addf(out, "\033[%sm", style);
}

static size_t digits(size_t number) {
  size_t count = 1;
  while (number /= 10) count++;
  return count;
}

static canvas plan(crd__text *out, const crd_result *r, const crd_report_options *options) {
  canvas c = { out, options, options->ascii ? &ascii : &unicode, strlen("rows"), 0 };
  for (size_t i = 0; i < r->bin_count; i++) {
    if (digits(r->bins[i].rows) > c.rows) c.rows = digits(r->bins[i].rows);
  }
  const size_t left =
      strlen("  (0.00, 0.07]  ") + c.rows + strlen("  confidence  accuracy  +0.000  ");
  c.bar = left + BAR_LEAST < WIDTH ? WIDTH - left : BAR_LEAST;
  return c;
}

static void add_number(const canvas *c, double value, int width) {
  char number[CRD__NUMBER_SIZE];
  crd__text_addf(c->out, "  %*s", width, crd__report_decimal_format(number, value, 3));
}

/* With a sign, in 6 columns. */
static void add_gap(const canvas *c, double gap) {
  char number[CRD__NUMBER_SIZE];
  crd__report_decimal_format(number, gap, 3);
  const bool signed_already = *number == '-';
  crd__text_addf(c->out, "  %s%s  ", signed_already ? "" : "+", number);
}

/* The bar, character by character; each is full, part full, the mark, gap or blank. */
static void add_bar(const canvas *c, const crd_reliability_bin *bin) {
  const size_t eighths = (size_t)rint(bin->accuracy * (double)c->bar * 8);
  size_t mark = (size_t)(bin->confidence * (double)c->bar);
  if (mark >= c->bar) mark = c->bar - 1;
  const bool over = bin->confidence > bin->accuracy;
  const char *colour = over ? "31" : "36";
  for (size_t i = 0; i < c->bar; i++) {
    const size_t filled = eighths > i * 8 ? eighths - i * 8 : 0;
    const char *part = filled < 8 ? c->pens->part[filled] : c->pens->full;
    if (i == mark) {
      crd__report_style_add(c->out, c->options, "1");
      crd__text_add(c->out, c->pens->mark);
      crd__report_style_add(c->out, c->options, "0");
    } else if (i > mark && !*part) {
      break;
    } else if (*part && i < mark) {
      crd__text_add(c->out, part);
    } else {
      crd__report_style_add(c->out, c->options, colour);
      crd__text_add(c->out, *part ? part : c->pens->gap);
      crd__report_style_add(c->out, c->options, "0");
    }
  }
}

static void add_bin(const canvas *c, const crd_reliability_bin *bin) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  crd__text_addf(c->out, "  (%s, %s]  %*zu", crd__report_decimal_format(low, bin->low, 2),
                 crd__report_decimal_format(high, bin->high, 2), (int)c->rows, bin->rows);
  if (!isnan(bin->confidence)) {
    add_number(c, bin->confidence, 10);
    add_number(c, bin->accuracy, 8);
    add_gap(c, bin->confidence - bin->accuracy);
    add_bar(c, bin);
  }
  crd__text_add(c->out, "\n");
}

static void add_head(const canvas *c) {
  crd__text_add(c->out, "\n");
  crd__report_style_add(c->out, c->options, "1");
  crd__text_addf(c->out, "  bin           %*s  confidence  accuracy     gap  0%*s", (int)c->rows,
                 "rows", (int)c->bar - 1, "1");
  crd__report_style_add(c->out, c->options, "0");
  crd__text_add(c->out, "\n");
}

void crd__report_diagram_add(crd__text *out, const crd_result *result,
                             const crd_report_options *options) {
  if (result->bin_count == 0) return;
  if (result->bin_count > BINS_DRAWN) {
    crd__text_addf(out, "\n  %zu bins are too many to draw; the JSON form lists them all.\n",
                   result->bin_count);
    return;
  }
  const canvas c = plan(out, result, options);
  add_head(&c);
  for (size_t i = 0; i < result->bin_count; i++) add_bin(&c, &result->bins[i]);
  crd__text_addf(out,
                 "\n  %s accuracy   %s mean confidence   gap = confidence - accuracy:\n"
                 "  positive where the model is overconfident, negative where underconfident.\n",
                 c.pens->full, c.pens->mark);
}
