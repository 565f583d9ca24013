/*
 * learned_epochs.c -- histograms of the training rows' largest logits, by learned epoch: a panel
 * for each training method, with the same axis; rows that were learned early, later and last.
 *
 * Wang et al. (2021), figure 5: regularisation compresses the logits, without distinction between
 * rows of different learned epochs.
 */
#include "report/chart.h"

#include <math.h>
#include <stdio.h>

enum { HEIGHT = 120 };

static crd_status learned_epochs_check(crd_context *ctx, const crd_figure_data *data,
                                       bool terminal) {
  (void)terminal;
  if (data->learned->count <= CRD__PANELS_MAX) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "%zu training methods are too many to draw, allowed are up to %d",
                   data->learned->count, CRD__PANELS_MAX);
}

static crd_point bin_point(const void *items, size_t index) {
  const crd_learned_bin *const bin = &((const crd_learned_bin *)items)[index];
  return (crd_point){ (bin->low + bin->high) / 2, bin->share };
}

static void add_thirds(crd__report_panel *panel, const crd_learned *l, size_t training) {
  static const char *const words[CRD_LEARNED_THIRDS] = { "learned first", "learned later",
                                                         "learned last, or never" };
  static const crd__report_pen pens[CRD_LEARNED_THIRDS] = { CRD__PEN_FIRST, CRD__PEN_THIRD,
                                                            CRD__PEN_SECOND };
  for (size_t k = 0; k < CRD_LEARNED_THIRDS; k++) {
    crd__report_series *const s = crd__report_panel_series(
        panel, pens[k], l->items[training].thirds[k].bins, l->bins, bin_point, words[k]);
    s->shape = CRD__SHAPE_AREA;
    s->unlisted = training > 0;
  }
}

static crd__report_chart learned_epochs_plan(const crd__report_drawing *d) {
  const crd_learned *const l = d->learned;
  crd__report_chart chart = {
    .what = "Largest logits by learned epoch",
    .shows = "Share of training rows by their largest logit and learned epoch",
    .legend_first = true,
    .heading = "Spearman's rho",
  };
  snprintf(chart.about, sizeof chart.about, "share of the training rows in %u bins", l->bins);
  for (size_t i = 0; i < l->count; i++) {
    crd__report_panel *const panel = &chart.panels[chart.count++];
    panel->y = l->items[i].name;
    panel->height = HEIGHT;
    panel->across = (crd__report_scale){ .low = l->low, .high = l->high };
    add_thirds(panel, l, i);
    crd__report_panel_fit(panel, false);
    crd__report_chart_extra(&chart, l->items[i].name, l->items[i].rho.mean);
  }
  chart.panels[chart.count - 1].x = "largest logit";
  return chart;
}

const crd__report_figure crd__report_figure_learned_epochs = {
  .info = { .name = "learned-epochs",
            .summary = "largest logits of training rows, by training method and learned epoch",
            .source = CRD_FIGURE_OF_LEARNED,
            .metrics = "" },
  .plan = learned_epochs_plan,
  .check = learned_epochs_check,
};
