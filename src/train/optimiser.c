/* optimiser.c -- the table of optimisers, made from list.h. */
#include "train/optimiser.h"
#include "base/table.h"

static const crd__train_optimiser *const optimisers[] = {
#define OPTIMISER(name) &crd__train_optimiser_##name,
#include "train/optimiser/list.h"
#undef OPTIMISER
};

const crd__train_optimiser *crd__train_optimiser_at(size_t index) {
  return index < sizeof optimisers / sizeof *optimisers ? optimisers[index] : NULL;
}

CRD_TABLE(optimiser, crd_training_part_info, sizeof optimisers / sizeof *optimisers,
          &optimisers[index]->info)

static const crd__train_table table = { crd_optimiser_at };
static const crd__names names = { .unknown = "no optimiser is called",
                                  .lister = "crd_optimiser_at",
                                  .at = crd__train_part_name,
                                  .self = &table };
const crd__choices crd__train_optimisers = { .names = &names,
                                             .entry = "the name of an optimiser",
                                             .settings = crd__train_part_settings };
