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
  { "augment", "--augment" },
  { "baseline", "--baseline" },
  { "batch", "--batch" },
  { "best", "--best" },
  { "binary", "--binary" },
  { "binary=pos", "--binary pos" },
  { "bins", "--bins" },
  { "cache", "--cache" },
  { "channels_last", "--layout nhwc" },
  { "class_names", "--class-names" },
  { "classes", "--classes" },
  { "clip", "--clip" },
  { "cluster", "--cluster" },
  { "columns", "--columns" },
  { "decay", "--decay" },
  { "epochs", "--epochs" },
  { "evaluate_train", "--evaluate-train" },
  { "features", "--features" },
  { "first_row", "--first-row" },
  { "float32", "--float" },
  { "floor", "fit --floor" },
  { "freeze", "--freeze" },
  { "group_pattern", "--group-pattern" },
  { "head", "--head" },
  { "height", "--size" },
  { "input", "--input" },
  { "input=logits", "--input logits" },
  { "input=probabilities", "--input probabilities" },
  { "keep_last", "--keep-last" },
  { "label_column", "--label-column" },
  { "label_key", "--label-key" },
  { "label_map", "--label-map" },
  { "labels", "--labels" },
  { "loss", "--loss" },
  { "mean", "--mean" },
  { "mixup", "--mixup" },
  { "model", "--model" },
  { "name", "--name" },
  { "network", "--network" },
  { "optimiser", "--optimiser" },
  { "output", "--output-name" },
  { "patience", "--patience" },
  { "rate", "--rate" },
  { "recipe", "--recipe" },
  { "scale", "--scale" },
  { "schedule", "--schedule" },
  { "scores", "--scores" },
  { "seed", "--seed" },
  { "select", "--select" },
  { "sizes", "--sizes" },
  { "skip_corrupt", "--skip-corrupt" },
  { "split", "--split" },
  { "std", "--std" },
  { "tensor", "--tensor" },
  { "crd_augmentation_at", "'credence list augmentations'" },
  { "words", "--words" },
  { "crd_architecture_at", "'credence list networks'" },
  { "crd_calibrator_save", "'credence fit --output'" },
  { "crd_contest_run", "'credence compare'" },
  { "crd_contest_write", "'credence compare --json'" },
  { "crd_corruption_at", "'credence list corruptions'" },
  { "crd_dataset_encode", "a network's vocabulary" },
  { "crd_dataset_kind_at", "'credence list datasets'" },
  { "crd_evaluate", "'credence evaluate'" },
  { "crd_export_at", "'credence list exports'" },
  { "crd_loss_at", "'credence list losses'" },
  { "crd_method_at", "'credence list methods'" },
  { "crd_metric_at", "'credence list metrics'" },
  { "crd_operator_at", "'credence list operators'" },
  { "crd_optimiser_at", "'credence list optimisers'" },
  { "crd_peer_at", "'credence list conventions'" },
  { "crd_profile_make", "--full" },
  { "crd_report_write", "'credence evaluate --json'" },
  { "crd_schedule_at", "'credence list schedules'" },
};

const char *cli_spelling(void *self, const char *name) {
  (void)self;
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
    if (strcmp(spellings[i].name, name) == 0) return spellings[i].spelling;
  return name;
}
