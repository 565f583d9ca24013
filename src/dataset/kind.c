/* kind.c -- the table of kinds of datasets, made from kind/list.h. */
#include "dataset/kind.h"
#include "base/table.h"

#include <string.h>

static const crd__dataset_kind *const kinds[] = {
#define KIND(name) &crd__dataset_kind_##name,
#include "dataset/kind/list.h"
#undef KIND
};

const crd__dataset_kind *crd__dataset_kind_at(size_t index) {
  return index < crd_dataset_kind_count() ? kinds[index] : NULL;
}

CRD_TABLE(dataset_kind, crd_dataset_kind_info, sizeof kinds / sizeof *kinds, &kinds[index]->info)
CRD_TABLE_NAME(dataset_kind)

const crd__names crd__dataset_kind_names = { .unknown =
                                                 "no such file, and no kind of dataset is called",
                                             .lister = "crd_dataset_kind_at",
                                             .at = dataset_kind_name };
