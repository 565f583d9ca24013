/*
 * spelling.c -- names of the library, and the options and commands for them, so that error
 * messages of the library show users what to type. tools/check-style looks for missing entries.
 */
#include "spelling.h"

#include <stddef.h>
#include <string.h>

static const struct {
  const char *name, *spelling;
} spellings[] = {
  { "allow_negative", "--allow-negative" },
  { "binary", "--binary" },
  { "channels_last", "--layout nhwc" },
  { "class_names", "--class-names" },
  { "cluster", "--cluster" },
  { "columns", "--columns" },
  { "first_row", "--first-row" },
  { "floor", "fit --floor" },
  { "input", "--input" },
  { "label_column", "--label-column" },
  { "label_key", "--label-key" },
  { "labels", "--labels" },
  { "mean", "--mean" },
  { "output", "--output-name" },
  { "scale", "--scale" },
  { "scores", "--scores" },
  { "std", "--std" },
  { "crd_calibrator_save", "'credence fit --output'" },
  { "crd_contest_write", "'credence compare --json'" },
  { "crd_evaluate", "'credence evaluate'" },
  { "crd_export_at", "'credence list exports'" },
  { "crd_loss_at", "'credence list losses'" },
  { "crd_method_at", "'credence list methods'" },
  { "crd_metric_at", "'credence list metrics'" },
  { "crd_operator_at", "'credence list operators'" },
  { "crd_peer_at", "'credence list conventions'" },
  { "crd_profile_make", "--full" },
  { "crd_report_write", "'credence evaluate --json'" },
};

const char *cli_spelling(void *self, const char *name) {
  (void)self;
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
    if (strcmp(spellings[i].name, name) == 0) return spellings[i].spelling;
  return name;
}
