/*
 * training.c -- the curves of a training run over its epochs, from its record.
 *
 * Panels, as far as the record has their values: loss of the training data and NLL of the data that
 * were evaluated; terms of the loss; accuracy; ECE, and dashed the ECE at the oracle temperature,
 * which is fitted to the same data; that temperature. The gap between the two ECEs is what
 * temperature scaling could repair at best (Guo et al. 2017). Each
 * set of data has one colour and mark in all panels. A vertical line marks the epoch that is kept,
 * if it was chosen.
 */
#include "report/chart.h"
#include "report/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Data sets that `credence train` can have: its own, in training and evaluated, --validate, and
 * eight times --monitor. */
enum { DATA_MAX = 11, TERMS_MAX = 8, TALL = 124, LOW = 84 };

/* Names in columns: the training data, in training and in evaluation mode. */
static const char training[] = "train", evaluated[] = "train-eval";

/* The parts of a figure: the sets of data, each with its look, and the chart. */
typedef struct {
  const crd_run *run;
  const char *data[DATA_MAX + 1]; /* one more, to see that there are too many */
  bool listed[DATA_MAX + 1];      /* it is in the legend */
  size_t count;
  crd__report_chart chart;
} sheet;

/* ---- Sets of data. */

/* The loss without a dot is that of the training data. */
static const char *data_of(const crd_run_column *column) {
  return strcmp(column->name, "loss") == 0 ? training : column->data;
}

static bool is_term(const crd_run_column *column) {
  return column->data && strcmp(column->data, "loss") == 0;
}

/* Returns the index of the data of a column; s->count if it is new. */
static size_t find_data(const sheet *s, const crd_run_column *column) {
  size_t i = 0;
  while (i < s->count && strcmp(s->data[i], data_of(column)) != 0) i++;
  return i;
}

static void find_all(sheet *s) {
  for (size_t i = 0; i < s->run->column_count && s->count <= DATA_MAX; i++) {
    const crd_run_column *const column = &s->run->columns[i];
    if (!data_of(column) || is_term(column) || find_data(s, column) < s->count) continue;
    s->data[s->count++] = data_of(column);
  }
}

static crd_status training_check(crd_context *ctx, const crd_figure_data *data, bool terminal) {
  sheet s = { .run = data->run };
  (void)terminal;
  find_all(&s);
  if (s.count <= DATA_MAX) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s: too many sets of data to draw, allowed are up to %d",
                   data->run->name ? data->run->name : "the run", DATA_MAX);
}

static const char *words_of(const char *data) {
  if (strcmp(data, training) == 0) return "training";
  return strcmp(data, evaluated) == 0 ? "training, evaluated" : data;
}

/* The evaluated training data have a colour of their own, similar to that of training, so that
 * others have the same colours with and without them. */
static size_t look_of_data(const sheet *s, size_t index) {
  enum { SKY = 4, SQUARE = 3 };
  size_t before = 0;
  if (strcmp(s->data[index], evaluated) == 0) return SKY + SQUARE * CRD__PALETTE_COLOURS;
  for (size_t i = 0; i < index; i++) before += strcmp(s->data[i], evaluated) != 0;
  return crd__report_palette_look(before);
}

/* ---- Lines. */

static crd_point epoch_point(const void *items, size_t index) {
  return (crd_point){ (double)(index + 1), ((const double *)items)[index] };
}

static crd__report_series *add_line(const sheet *s, crd__report_panel *panel, size_t look,
                                    const double *values, const char *words) {
  return crd__report_panel_look(panel, look, values, s->run->epochs, epoch_point, words);
}

/* Adds the columns of a measure, one for each set of data. */
static void add_measure(sheet *s, crd__report_panel *panel, const char *measure) {
  for (size_t i = 0; i < s->run->column_count; i++) {
    const crd_run_column *const column = &s->run->columns[i];
    if (!data_of(column) || is_term(column) || strcmp(column->measure, measure) != 0) continue;
    const size_t at = find_data(s, column);
    add_line(s, panel, look_of_data(s, at), column->values, words_of(s->data[at]))->unlisted =
        s->listed[at];
    s->listed[at] = true;
  }
}

/* The same, dashed; one entry of the legend is about all of them. */
static void add_dashed(const sheet *s, crd__report_panel *panel, const char *measure,
                       const char *words) {
  bool listed = false;
  for (size_t i = 0; i < s->run->column_count; i++) {
    const crd_run_column *const column = &s->run->columns[i];
    if (!column->data || is_term(column) || strcmp(column->measure, measure) != 0) continue;
    crd__report_series *const line =
        add_line(s, panel, look_of_data(s, find_data(s, column)), column->values, words);
    line->dashed = true;
    line->unlisted = listed;
    listed = true;
  }
}

static void add_terms(const sheet *s, crd__report_panel *panel) {
  const size_t marked = panel->count; /* the line of the kept epoch */
  for (size_t i = 0; i < s->run->column_count && panel->count < TERMS_MAX + marked; i++)
    if (is_term(&s->run->columns[i]))
      add_line(s, panel, crd__report_palette_look(s->count + panel->count - marked),
               s->run->columns[i].values, s->run->columns[i].measure);
}

/* ---- Panels. */

/* Begins a panel, with the line of the kept epoch below all others; `keep_panel` sets its ends. */
static crd__report_panel *next_panel(sheet *s, const char *label, double height) {
  const crd_point open = { (double)s->run->kept, (double)NAN };
  crd__report_panel *const panel = &s->chart.panels[s->chart.count];
  *panel = (crd__report_panel){ .y = label, .height = height, .counted = true };
  if (s->run->best) crd__report_panel_straight(panel, CRD__PEN_IDEAL, open, open, NULL);
  return panel;
}

typedef struct {
  double low, high;
} range;

static range range_of(const crd__report_panel *panel) {
  range r = { (double)INFINITY, -(double)INFINITY };
  for (size_t i = 0; i < panel->count; i++)
    for (size_t k = 0; k < panel->series[i].count; k++) {
      const double y = crd__report_series_at(&panel->series[i], k).y;
      if (!isfinite(y)) continue;
      r.low = fmin(r.low, y);
      r.high = fmax(r.high, y);
    }
  return r;
}

/* How the range of a panel is chosen: from 0, that on a logarithmic axis where the largest value is
 * many times the least one, or a little around all values. */
typedef enum { FROM_ZERO, MAYBE_LOGARITHMIC, AROUND } fitting;

static void fit(crd__report_panel *panel, fitting how) {
  static const double times = 20, least = 1e-300, most = 1e300;
  const range r = range_of(panel);
  crd__report_panel_fit(panel, how == AROUND);
  if (how == AROUND && r.low >= 0) panel->up.low = fmax(panel->up.low, 0);
  if (how != MAYBE_LOGARITHMIC || r.low < least || r.high > most || r.high / times < r.low) return;
  panel->up = (crd__report_scale){ .low = r.low / 1.5, .high = r.high * 1.5, .logarithmic = true };
}

/* Keeps the panel, unless it has no value; sets its ranges. */
static void keep_panel(sheet *s, crd__report_panel *panel, fitting how) {
  const double last = (double)s->run->epochs,
               margin = last > 1 ? fmin(0.02 * (last - 1), 0.5) : 0.5;
  const range r = range_of(panel);
  if (!(r.low <= r.high)) return;
  fit(panel, how);
  panel->across = (crd__report_scale){ .low = 1 - margin, .high = last + margin };
  if (s->run->best) {
    panel->series[0].ends[0].y = panel->up.low;
    panel->series[0].ends[1].y = panel->up.high;
  }
  s->chart.count++;
}

static void add_losses(sheet *s) {
  crd__report_panel *panel = next_panel(s, "loss, NLL", TALL);
  add_measure(s, panel, "loss");
  const size_t losses = panel->count;
  add_measure(s, panel, "nll");
  if (panel->count == losses) panel->y = "loss";
  keep_panel(s, panel, MAYBE_LOGARITHMIC);
  panel = next_panel(s, "loss terms", LOW);
  add_terms(s, panel);
  keep_panel(s, panel, MAYBE_LOGARITHMIC);
}

static void add_panels(sheet *s) {
  add_losses(s);
  crd__report_panel *panel = next_panel(s, "accuracy", TALL);
  add_measure(s, panel, "accuracy");
  keep_panel(s, panel, AROUND);
  if (range_of(panel).high <= 1) panel->up.high = fmin(panel->up.high, 1);
  panel = next_panel(s, "ECE", TALL);
  add_measure(s, panel, "ece");
  add_dashed(s, panel, "ece_oracle_t", "ECE at oracle temperature");
  keep_panel(s, panel, FROM_ZERO);
  panel = next_panel(s, "temperature", LOW);
  add_measure(s, panel, "temperature");
  if (range_of(panel).low <= range_of(panel).high)
    crd__report_panel_straight(panel, CRD__PEN_IDEAL, (crd_point){ 1, 1 },
                               (crd_point){ (double)s->run->epochs, 1 }, NULL);
  keep_panel(s, panel, AROUND);
  if (!s->chart.count) return;
  s->chart.panels[s->chart.count - 1].x = "epoch";
  if (s->run->best) s->chart.panels[s->chart.count - 1].series[0].words = "best epoch";
}

/* ---- The kept epoch. */

/* Returns the first set of data that was not trained on, else the last one. */
static const char *judged_by(const sheet *s) {
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->data[i], training) != 0 && strcmp(s->data[i], evaluated) != 0) return s->data[i];
  return s->count ? s->data[s->count - 1] : NULL;
}

/* The values of the kept epoch. */
static void add_values(sheet *s) {
  static const struct {
    const char *measure, *name;
  } shown[] = {
    { "accuracy", "accuracy" },
    { "nll", "NLL" },
    { "ece", "ECE" },
    { "ece_oracle_t", "ECE at oracle T" },
    { "temperature", "oracle T" },
    { "auroc", "AUROC" },
  };
  const crd_run *const run = s->run;
  const char *const data = judged_by(s);
  if (!data) return;
  snprintf(s->chart.heading, sizeof s->chart.heading, "%.40s, epoch %zu", words_of(data),
           run->kept);
  for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
    for (size_t i = 0; i < run->column_count; i++)
      if (run->columns[i].data && strcmp(run->columns[i].data, data) == 0 &&
          strcmp(run->columns[i].measure, shown[k].measure) == 0)
        crd__report_chart_extra(&s->chart, shown[k].name, run->columns[i].values[run->kept - 1]);
}

/* "lenet5 with ce + 5*dca; 10 epochs, 7 is the best by nll" */
static void tell(sheet *s) {
  const crd_run *const run = s->run;
  const char *const loss = crd_run_setting_value(run, "loss");
  const char *const best = crd_run_setting_value(run, "best");
  char *const text = s->chart.about;
  const size_t size = sizeof s->chart.about;
  snprintf(text, size, "%.60s with %.60s; %zu epoch%s", run->network, loss ? loss : "ce",
           run->epochs, run->epochs == 1 ? "" : "s");
  if (run->best)
    snprintf(text + strlen(text), size - strlen(text), ", %zu is the best%s%.40s", run->kept,
             best && *best ? " by " : "", best ? best : "");
}

static crd__report_chart training_plan(const crd__report_drawing *d) {
  sheet s = { .run = d->run,
              .chart = { .what = "Training",
                         .shows = "Loss, accuracy and calibration after every epoch",
                         .legend_first = true } };
  find_all(&s);
  tell(&s);
  add_panels(&s);
  if (!s.chart.count) s.chart.nothing = "The record of this run has no values to draw.";
  add_values(&s);
  return s.chart;
}

const crd__report_figure crd__report_figure_training = {
  .info = { .name = "training",
            .summary = "loss, accuracy, ECE and temperature over the epochs of a training run",
            .source = CRD_FIGURE_OF_RUN,
            .metrics = "" },
  .plan = training_plan,
  .check = training_check,
};
