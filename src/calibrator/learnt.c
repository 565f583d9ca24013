/* learnt.c -- learnt parameters: named arrays that grow part by part. */
#include "calibrator/learnt.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

void crd__calibrator_learnt_clear(crd__calibrator_learnt *learnt) {
  const crd_allocator alloc = learnt->alloc;
  for (size_t i = 0; i < learnt->count; i++) {
    crd__free(&alloc, (void *)(uintptr_t)learnt->items[i].name);
    crd__free(&alloc, (void *)(uintptr_t)learnt->items[i].start);
    crd__free(&alloc, (void *)(uintptr_t)learnt->items[i].values);
  }
  crd__free(&alloc, learnt->items);
  *learnt = (crd__calibrator_learnt){ .alloc = alloc };
}

const crd_learnt *crd__calibrator_learnt_find(const crd__calibrator_learnt *learnt,
                                              const char *name) {
  for (size_t i = 0; i < learnt->count; i++)
    if (strcmp(learnt->items[i].name, name) == 0) return &learnt->items[i];
  return NULL;
}

const double *crd__calibrator_recall(const crd__calibrator_learnt *learnt, const char *name,
                                     size_t part, size_t *count) {
  const crd_learnt *const item = crd__calibrator_learnt_find(learnt, name);
  assert(item && part < item->parts);
  if (count) *count = item->start[part + 1] - item->start[part];
  return item->values + item->start[part];
}

/* Appends an array of that name without parts; NULL if memory is exhausted. */
static crd_learnt *add_item(crd__calibrator_learnt *learnt, const char *name) {
  crd_learnt *const items =
      crd__resize(&learnt->alloc, learnt->items, learnt->count + 1, sizeof *items);
  if (!items) return NULL;
  learnt->items = items;
  char *const copy = crd__strdup(&learnt->alloc, name);
  size_t *const start = crd__calloc(&learnt->alloc, 1, sizeof *start);
  if (!copy || !start) {
    crd__free(&learnt->alloc, copy);
    crd__free(&learnt->alloc, start);
    return NULL;
  }
  items[learnt->count] = (crd_learnt){ .name = copy, .start = start };
  return &items[learnt->count++];
}

static bool add_part(const crd_allocator *alloc, crd_learnt *item, const double *values,
                     size_t count) {
  const size_t before = item->start[item->parts];
  size_t *const start =
      crd__resize(alloc, (void *)(uintptr_t)item->start, item->parts + 2, sizeof *start);
  if (!start) return false;
  item->start = start;
  double *const all =
      crd__resize(alloc, (void *)(uintptr_t)item->values, before + count + 1, sizeof *all);
  if (!all) return false;
  if (count) memcpy(all + before, values, count * sizeof *all);
  item->values = all;
  start[++item->parts] = before + count;
  return true;
}

crd_status crd__calibrator_learn(crd_context *ctx, crd__calibrator_learnt *learnt, const char *name,
                                 const double *values, size_t count) {
  crd_learnt *item = (crd_learnt *)(uintptr_t)crd__calibrator_learnt_find(learnt, name);
  if (!item) item = add_item(learnt, name);
  if (!item || !add_part(&learnt->alloc, item, values, count))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu learnt parameters", count);
  return CRD_OK;
}
