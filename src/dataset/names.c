/*
 * names.c -- names of classes, groups and splits, and the index of one for each sample.
 *
 * Names are found by hashing (FNV-1a), since there may be as many patients as images.
 */
#include "dataset/kind.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *name) {
  uint64_t hash = 14695981039346656037U;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 1099511628211U;
  return hash ^ hash >> 32;
}

/* Returns the slot of a name: the one that holds it, or a free one. */
static size_t slot_of(const crd__dataset_names *names, const char *name) {
  const size_t mask = 2 * names->capacity - 1;
  size_t slot = (size_t)hash_of(name) & mask;
  while (names->slots[slot] && strcmp(names->names[names->slots[slot] - 1], name) != 0)
    slot = (slot + 1) & mask;
  return slot;
}

int64_t crd__dataset_names_find(const crd__dataset_names *names, const char *name) {
  return names->slots ? (int64_t)names->slots[slot_of(names, name)] - 1 : -1;
}

static void fill_slots(crd__dataset_names *names) {
  memset(names->slots, 0, 2 * names->capacity * sizeof *names->slots);
  for (size_t i = 0; i < names->count; i++) names->slots[slot_of(names, names->names[i])] = i + 1;
}

/* Doubles the space; on failure the names stay as they are. */
static crd_status grow(crd_context *ctx, const crd_allocator *alloc, crd__dataset_names *names) {
  const size_t capacity = names->capacity ? 2 * names->capacity : 16;
  char **const longer = crd__resize(alloc, names->names, capacity, sizeof *longer);
  if (longer) names->names = longer;
  size_t *const slots = longer ? crd__resize(alloc, NULL, 2 * capacity, sizeof *slots) : NULL;
  if (!slots) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu names", capacity);
  crd__free(alloc, names->slots);
  names->slots = slots;
  names->capacity = capacity;
  fill_slots(names);
  return CRD_OK;
}

crd_status crd__dataset_names_add(crd_context *ctx, const crd_allocator *alloc,
                                  crd__dataset_names *names, const char *name, int64_t *out) {
  int64_t index = crd__dataset_names_find(names, name);
  if (index < 0) {
    if (names->count == names->capacity) CRD_TRY(grow(ctx, alloc, names));
    char *const copy = crd__strdup(alloc, name);
    if (!copy) return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
    const size_t slot = slot_of(names, name);
    index = (int64_t)names->count;
    names->names[names->count++] = copy;
    names->slots[slot] = names->count;
  }
  if (out) *out = index;
  return CRD_OK;
}

crd_status crd__dataset_names_set(crd_context *ctx, const crd_allocator *alloc,
                                  crd__dataset_names *names, size_t samples, size_t index,
                                  const char *name) {
  if (!names->of) {
    names->of = crd__resize(alloc, NULL, samples, sizeof *names->of);
    if (!names->of) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu samples", samples);
    for (size_t i = 0; i < samples; i++) names->of[i] = -1;
  }
  return crd__dataset_names_add(ctx, alloc, names, name, &names->of[index]);
}

int crd__dataset_names_compare(const char *left, const char *right) {
  double a = 0, b = 0;
  const bool number = crd__number_parse(left, strlen(left), &a) && a == a;
  const bool other = crd__number_parse(right, strlen(right), &b) && b == b;
  if (number != other) return number ? -1 : 1;
  if (number && a != b) return a < b ? -1 : 1;
  return strcmp(left, right);
}

typedef struct {
  char *name;
  size_t before;
} numbered;

static int by_name(const void *left, const void *right) {
  const numbered *const a = left, *const b = right;
  return crd__dataset_names_compare(a->name, b->name);
}

crd_status crd__dataset_names_sort(crd_context *ctx, const crd_allocator *alloc,
                                   crd__dataset_names *names, size_t samples) {
  if (names->count < 2) return CRD_OK;
  numbered *const sorted = crd__calloc(alloc, names->count, sizeof *sorted);
  int64_t *const after = sorted ? crd__calloc(alloc, names->count, sizeof *after) : NULL;
  if (after) {
    for (size_t i = 0; i < names->count; i++) sorted[i] = (numbered){ names->names[i], i };
    qsort(sorted, names->count, sizeof *sorted, by_name);
    for (size_t i = 0; i < names->count; i++) {
      names->names[i] = sorted[i].name;
      after[sorted[i].before] = (int64_t)i;
    }
    fill_slots(names);
    for (size_t i = 0; names->of && i < samples; i++)
      if (names->of[i] >= 0) names->of[i] = after[names->of[i]];
  }
  const bool done = after;
  crd__free(alloc, after);
  crd__free(alloc, sorted);
  return done ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory to sort %zu names", names->count);
}

void crd__dataset_names_clear(const crd_allocator *alloc, crd__dataset_names *names) {
  for (size_t i = 0; i < names->count; i++) crd__free(alloc, names->names[i]);
  crd__free(alloc, names->names);
  crd__free(alloc, names->slots);
  crd__free(alloc, names->of);
  *names = (crd__dataset_names){ 0 };
}
