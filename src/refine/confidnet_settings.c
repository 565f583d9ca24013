/* confidnet_settings.c -- the settings of ConfidNet. */
#include "base/options.h"
#include "base/settings.h"
#include "base/table.h"
#include "refine/confidnet.h"

#include <assert.h>
#include <string.h>

static const crd_setting_info table[] = {
  { .name = "hidden",
    .help = "width of each hidden layer; the last layer, of one output, follows",
    .standard = "400,400,400,400",
    .low = 1,
    .high = 1048576,
    .whole = 1,
    .list = 1 },
  { .name = "weighting",
    .help = "weight of wrong predictions in the loss; 1: that of correct ones",
    .standard = "1",
    .low = 0,
    .high = 1e6 },
  { .name = "rate", .help = "learning rate of Adam", .standard = "0.0001", .low = 0, .high = 1e6 },
  { .name = "weight-decay",
    .help = "weight decay, as an L2 penalty",
    .standard = "0",
    .low = 0,
    .high = 1e6 },
  { .name = "batch",
    .help = "rows of a step",
    .standard = "128",
    .low = 1,
    .high = 1e9,
    .whole = 1 },
  { .name = "epochs",
    .help = "passes over the training rows, at most",
    .standard = "500",
    .low = 1,
    .high = 1e6,
    .whole = 1 },
  { .name = "patience",
    .help = "stop after this many epochs without improvement; 0: never",
    .standard = "50",
    .low = 0,
    .high = 1e6,
    .whole = 1 },
};
enum { COUNT = sizeof table / sizeof *table };

CRD_TABLE(confidnet_setting, crd_setting_info, COUNT, &table[index])

crd_status crd__refine_settings_read(crd_context *ctx, const char *text, crd__refine_settings *out,
                                     double widths[static CRD__REFINE_HIDDEN_MAX]) {
  const crd__setting_table all = { .owner = "ConfidNet", .count = COUNT, .items = table };
  crd__setting_list list = { .items = widths, .most = CRD__REFINE_HIDDEN_MAX };
  double values[COUNT];
  static_assert(sizeof *out == sizeof values, "a field for each setting");
  CRD_TRY(crd__settings_standard(ctx, &all, values, &list));
  CRD_TRY(crd__settings_read(ctx, &all, text, values, &list));
  memcpy(out, values, sizeof values);
  out->hidden = (double)list.count;
  return CRD_OK;
}

void crd__refine_settings_spell(const crd__refine_settings *settings, const double *widths,
                                crd__text *text) {
  double values[COUNT];
  memcpy(values, settings, sizeof values);
  for (size_t i = 0; i < COUNT; i++) {
    const size_t items = table[i].list ? (size_t)values[i] : 1;
    crd__text_addf(text, "%s%s=", i ? "," : "", table[i].name);
    for (size_t k = 0; k < items; k++) {
      char value[64];
      crd__setting_text(&table[i], table[i].list ? widths[k] : values[i], value, sizeof value);
      crd__text_addf(text, "%s%s", k ? "," : "", value);
    }
  }
}

crd_status crd_confidnet_check(crd_context *ctx, const crd_confidnet_options *options) {
  crd_confidnet_options own;
  crd__refine_settings settings;
  double widths[CRD__REFINE_HIDDEN_MAX];
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_confidnet_options, options, &own));
  return crd__refine_settings_read(ctx, own.settings, &settings, widths);
}
