/* kind.c -- the table of kinds of datasets, made from kind/list.h. */
#include "dataset/kind.h"

#include <string.h>

static const crd__dataset_kind *const kinds[] = {
#define KIND(name) &crd__dataset_kind_##name,
#include "dataset/kind/list.h"
#undef KIND
};

size_t crd_dataset_kind_count(void) { return sizeof kinds / sizeof *kinds; }

const crd__dataset_kind *crd__dataset_kind_at(size_t index) {
  return index < crd_dataset_kind_count() ? kinds[index] : NULL;
}

const crd_dataset_kind_info *crd_dataset_kind_at(size_t index) {
  return index < crd_dataset_kind_count() ? &kinds[index]->info : NULL;
}

static const char *name_at(const void *self, size_t index) {
  (void)self;
  return index < crd_dataset_kind_count() ? kinds[index]->info.name : NULL;
}

const crd__names crd__dataset_kind_names = { .unknown =
                                                 "no such file, and no kind of dataset is called",
                                             .lister = "crd_dataset_kind_at",
                                             .at = name_at };

const crd_dataset_kind_info *crd_dataset_kind_find(const char *name) {
  return crd_dataset_kind_at(crd__names_index(&crd__dataset_kind_names, name, strlen(name)));
}
