/*
 * classes.c -- class-wise reliability diagrams, one class against the rest (Nixon et al. 2019; Kull
 * et al. 2019), for the classes with the largest error: the frequency of the class among rows with
 * similar probability of it.
 *
 * Fine bins are merged into ten, so that each bar has enough rows. For most classes most rows have
 * a probability near 0, so the opacity of a bar grows with the logarithm of its rows.
 */
#include "report/chart.h"

#include "report/diagram.h"
#include "report/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  BINS = 10,
  SHOWN = 12,
  COLUMNS = 4,
  WIDTH = 620,
  LEFT = 60,
  TOP = 86,
  SIDE = 112,
  STEP_X = 138,
  STEP_Y = 158,
  BELOW = 84,
  NAME_MOST = 20
};

/* Merged bins. */
typedef struct {
  size_t rows[BINS];
  double weight[BINS], probability[BINS], frequency[BINS]; /* sums, then means; NaN: empty */
  size_t fullest;
} coarse;

static coarse add_up(const crd_fine_bins *fine) {
  coarse sum = { .fullest = 1 };
  for (size_t i = 0; i < fine->count; i++) {
    const crd_fine_bin *const bin = &fine->items[i];
    const size_t k = (size_t)bin->index * BINS / fine->bins;
    sum.rows[k] += bin->rows;
    sum.weight[k] += bin->weight;
    sum.probability[k] += bin->confidence;
    sum.frequency[k] += bin->correct;
  }
  for (size_t k = 0; k < BINS; k++) {
    sum.probability[k] = sum.weight[k] > 0 ? sum.probability[k] / sum.weight[k] : (double)NAN;
    sum.frequency[k] = sum.weight[k] > 0 ? sum.frequency[k] / sum.weight[k] : (double)NAN;
    if (sum.rows[k] > sum.fullest) sum.fullest = sum.rows[k];
  }
  return sum;
}

static const char *name_of(const crd_class_profile *each, char text[static 32]) {
  if (each->name) return each->name;
  snprintf(text, 32, "class %zu", each->number);
  return text;
}

static size_t shown(const crd_profile *p) {
  return p->class_count < SHOWN ? p->class_count : SHOWN;
}

/* ---- SVG. */

typedef struct {
  const crd__report_drawing *d;
  crd__report_svg_page page;
  crd__report_scale x, y;
} canvas;

static void add_bar(const canvas *c, const coarse *sum, size_t k) {
  const double left = crd__report_scale_at(&c->x, (double)k / BINS);
  const double wide = crd__report_scale_at(&c->x, (double)(k + 1) / BINS) - left;
  const double frequency = sum->frequency[k], probability = sum->probability[k];
  if (isnan(frequency)) return;
  const double top = crd__report_scale_within(&c->y, frequency), bottom = c->y.from;
  const double from = crd__report_scale_within(&c->y, fmax(frequency, probability));
  const double to = crd__report_scale_within(&c->y, fmin(frequency, probability));
  const double depth = 0.15 + 0.75 * log1p((double)sum->rows[k]) / log1p((double)sum->fullest);
  const crd__report_box bar = { left, top, wide, bottom - top };
  crd__report_svg_rect_deep(c->d->out, "bar", bar, depth);
  crd__report_svg_rect(c->d->out, "edge", bar);
  crd__report_svg_rect_striped(c->d->out, &c->page, probability > frequency ? "over" : "under",
                               (crd__report_box){ left, from, wide, to - from });
}

/* "cat: 1000 rows, error 0.0123, frequency 0.100, mean probability 0.112" */
static void describe(const canvas *c, const crd_class_profile *each, const char *name) {
  char error[CRD__NUMBER_SIZE], frequency[CRD__NUMBER_SIZE], mean[CRD__NUMBER_SIZE], words[320];
  snprintf(words, sizeof words, "%.120s: %zu rows, error %s, frequency %s, mean probability %s",
           name, each->rows, crd__report_decimal_format(error, each->error, 4),
           crd__report_decimal_format(frequency, each->frequency, 3),
           crd__report_decimal_format(mean, each->probability, 3));
  crd__report_svg_group(c->d->out, words);
}

static void add_class(canvas *c, const crd_class_profile *each, size_t index, bool lowest) {
  char text[32], number[CRD__NUMBER_SIZE], error[CRD__NUMBER_SIZE + 8];
  const size_t across = index % COLUMNS, down = index / COLUMNS;
  const double left = LEFT + (double)across * STEP_X, top = TOP + (double)down * STEP_Y;
  const char *const name = name_of(each, text);
  const coarse sum = add_up(&each->bins);
  c->x = (crd__report_scale){ 0, 1, left, left + SIDE, false };
  c->y = (crd__report_scale){ 0, 1, top + SIDE, top, false };
  const crd__report_axis x = { "probability", c->x, crd__report_ticks_linear(0, 1, 2), !lowest };
  const crd__report_axis y = { "frequency", c->y, x.ticks, across != 0 };
  describe(c, each, name);
  crd__report_axis_left(c->d->out, &y, left, left + SIDE);
  crd__report_axis_bottom(c->d->out, &x, top + SIDE, top);
  for (size_t k = 0; k < BINS; k++) add_bar(c, &sum, k);
  crd__report_svg_line(c->d->out, "ideal", left, top + SIDE, left + SIDE, top);
  crd__report_svg_text(c->d->out, "text small strong",
                       (crd__report_svg_place){ left, top - 18, CRD__SVG_START, NAME_MOST }, name);
  snprintf(error, sizeof error, "error %s", crd__report_decimal_format(number, each->error, 4));
  crd__report_svg_text(c->d->out, "dim small",
                       (crd__report_svg_place){ left, top - 6, CRD__SVG_START, 0 }, error);
  crd__report_svg_group_end(c->d->out);
}

static void add_legend(const canvas *c, double y) {
  static const crd__report_legend_row rows[] = {
    { CRD__MARK_BOX, "bar", "frequency (dark: many rows)" },
    { CRD__MARK_STRIPES, "over", "overconfident" },
    { CRD__MARK_STRIPES, "under", "underconfident" },
    { CRD__MARK_LINE, "ideal", "calibrated" },
  };
  static const double at[] = { 0, 178, 318, 440 };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    crd__report_legend_add(c->d->out, &c->page, LEFT + at[i], y, &rows[i], 1);
}

static const crd__report_fact facts[] = {
  { "sce", "classwise ECE", false },
  { "ece", "ECE", false },
};
enum { FACTS = sizeof facts / sizeof *facts };

static const char none[] = "These predictions have no class probabilities.";

/* "12 of 100 classes, the largest error first; classwise ECE 0.0012" */
static const char *tell(const crd__report_drawing *d, char text[static 200]) {
  char metrics[96];
  const size_t all = d->result->classes, some = shown(d->result->profile);
  crd__report_figure_values(metrics, sizeof metrics, d->result, facts, FACTS);
  snprintf(text, 200, "%zu of %zu classes, the largest error first%s%s", some, all,
           *metrics ? "; " : "", metrics);
  return text;
}

static void classes_draw(const crd__report_drawing *d) {
  char title[256], desc[400], text[200];
  const crd_profile *const p = d->result->profile;
  const size_t count = shown(p), lines = count ? (count + COLUMNS - 1) / COLUMNS : 1;
  const double bottom = TOP + (double)(lines - 1) * STEP_Y + SIDE;
  snprintf(title, sizeof title, "Class-wise reliability of %.200s", d->title);
  snprintf(desc, sizeof desc, "Frequency against probability of classes, of %zu rows: %s.",
           d->result->rows, count ? tell(d, text) : none);
  canvas c = { .d = d, .page = { WIDTH, bottom + BELOW, d->id, title, desc } };
  crd__report_svg_open(d->out, &c.page);
  crd__report_figure_heading(d, LEFT, count ? tell(d, text) : "");
  for (size_t i = 0; i < count; i++) add_class(&c, &p->classes[i], i, i + COLUMNS >= count);
  if (count) add_legend(&c, bottom + BELOW - 22);
  else
    crd__report_figure_nothing(d, (crd__report_box){ LEFT, TOP, WIDTH - 2.0 * LEFT, SIDE }, none);
  crd__report_svg_close(d->out);
}

/* ---- Terminal. */

/* Prints each bin's frequency as a block of that height, or in ASCII as its digit of tenths; an
 * empty bin as a dot. */
static void print_bins(crd__text *out, const coarse *sum, const crd_report_options *options) {
  static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  for (size_t k = 0; k < BINS; k++) {
    const double frequency = sum->frequency[k];
    if (isnan(frequency)) crd__text_add(out, options->ascii ? "." : "·");
    else if (options->ascii) crd__text_addf(out, "%d", (int)fmin(frequency * 10, 9));
    else crd__text_add(out, blocks[(size_t)fmin(frequency * 8, 7)]);
  }
}

static void print_class(const crd__report_drawing *d, const crd_class_profile *each,
                        const crd_report_options *options) {
  char text[32], a[CRD__NUMBER_SIZE], b[CRD__NUMBER_SIZE], c[CRD__NUMBER_SIZE];
  const char *const name = name_of(each, text);
  const coarse sum = add_up(&each->bins);
  crd__text_add(d->out, "  ");
  crd__report_text_add_column(d->out, name, NAME_MOST, options->ascii);
  crd__text_addf(d->out, "  %7zu  %8s  %11s  %9s  ", each->rows,
                 crd__report_decimal_format(a, each->error, 4),
                 crd__report_decimal_format(b, each->probability, 4),
                 crd__report_decimal_format(c, each->frequency, 4));
  print_bins(d->out, &sum, options);
  crd__text_add(d->out, "\n");
}

static void classes_print(const crd__report_drawing *d, const crd_report_options *options) {
  char text[200];
  const crd_profile *const p = d->result->profile;
  crd__report_figure_print_heading(d, options);
  if (p->class_count == 0) {
    crd__text_addf(d->out, "\n  %s\n", none);
    return;
  }
  crd__report_style_add(d->out, options, "1");
  crd__text_addf(d->out, "\n  %-*s  %7s  %8s  %11s  %9s  %s\n", NAME_MOST, "class", "rows", "error",
                 "probability", "frequency", "0        1");
  crd__report_style_add(d->out, options, "0");
  for (size_t i = 0; i < shown(p); i++) print_class(d, &p->classes[i], options);
  crd__text_addf(d->out,
                 "\n  Last column: frequency%s in ten bins of probability; '%s' is empty.\n  ",
                 options->ascii ? " in tenths" : "", options->ascii ? "." : "·");
  crd__report_text_add_wrapped(d->out, tell(d, text),
                               &(crd__report_wrapping){ 2, 2, 80, options->ascii });
}

const crd__report_figure crd__report_figure_classes = {
  .info = { .name = "classes",
            .summary = "class-wise reliability diagrams of the classes with the largest error",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "sce,ece",
            .profile = CRD_PROFILE_CLASSES },
  .draw = classes_draw,
  .print = classes_print,
};
