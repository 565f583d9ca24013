/* label_map.c -- merges and renames classes: "any=1,normal=0" makes two classes of all diagnoses.
 */
#include "dataset/label_map.h"

#include "base/memory.h"

#include <string.h>

typedef struct {
  const char *name, *class; /* not NUL-terminated */
  size_t name_length, class_length;
} pair;

typedef struct {
  crd_context *ctx;
  crd__dataset_store *store;
  const char *map;
  crd__dataset_names mapped;
} mapper;

/* Reads the pair at *at and advances; false: malformed. */
static bool take_pair(const char **at, pair *out) {
  const size_t length = strcspn(*at, ",");
  const char *const equals = memchr(*at, '=', length);
  if (!equals || equals == *at || equals + 1 == *at + length) return false;
  *out = (pair){ .name = *at, .class = equals + 1 };
  out->name_length = (size_t)(equals - *at);
  out->class_length = length - out->name_length - 1;
  *at += length + ((*at)[length] == ',');
  return true;
}

static bool is_name(const pair *p, const char *name) {
  return strlen(name) == p->name_length && memcmp(name, p->name, p->name_length) == 0;
}

static crd_status check_map(const mapper *m) {
  const char *at = m->map;
  pair p;
  do
    if (!take_pair(&at, &p))
      return crd__fail(m->ctx, CRD_EUSAGE, "%s: found '%.100s', expected NAME=CLASS,NAME=CLASS ...",
                       crd__spell(m->ctx, "label_map"), at);
  while (*at);
  return CRD_OK;
}

/* Finds the pair of a name: its own, or that of `any`. */
static bool find_pair(const mapper *m, const char *name, pair *out) {
  const char *at = m->map;
  bool found = false;
  pair p;
  while (*at && take_pair(&at, &p)) {
    const bool own = is_name(&p, name);
    if (!own && !is_name(&p, "any")) continue;
    *out = p;
    found = true;
    if (own) break;
  }
  return found;
}

/* Sets *out to the index of the class of a name. */
static crd_status map_name(mapper *m, const char *name, int64_t *out) {
  pair p;
  char *class = NULL;
  if (!find_pair(m, name, &p))
    return crd__fail(m->ctx, CRD_EINPUT,
                     "label '%.60s' has no class in %s '%.200s'; any=CLASS is "
                     "for all others",
                     name, crd__spell(m->ctx, "label_map"), m->map);
  CRD_TRY(crd__new(m->ctx, p.class_length + 1, 1, "a class", &class));
  memcpy(class, p.class, p.class_length);
  const crd_status status =
      crd__dataset_names_add(m->ctx, &m->store->alloc, &m->mapped, class, out);
  crd__free(&m->ctx->alloc, class);
  return status;
}

static crd_status note_absent(const mapper *m) {
  const crd__dataset_names *const labels = &m->store->labels;
  const char *at = m->map;
  pair p;
  while (*at && take_pair(&at, &p)) {
    size_t k = 0;
    while (k < labels->count && !is_name(&p, labels->names[k])) k++;
    if (k == labels->count && !is_name(&p, "any"))
      CRD_TRY(crd__notes_add(m->ctx, &m->store->alloc, &m->store->notes,
                             "no sample is labelled '%.*s', which %s names",
                             (int)(p.name_length < 60 ? p.name_length : 60), p.name,
                             crd__spell(m->ctx, "label_map")));
  }
  return CRD_OK;
}

static crd_status map_all(mapper *m, int64_t *classes) {
  crd__dataset_store *const store = m->store;
  for (size_t k = 0; k < store->labels.count; k++)
    CRD_TRY(map_name(m, store->labels.names[k], &classes[k]));
  CRD_TRY(crd__new(m->ctx, store->count, sizeof *m->mapped.of, "labels", &m->mapped.of));
  for (size_t i = 0; i < store->count; i++) {
    const int64_t label = store->labels.of[i];
    m->mapped.of[i] = label < 0 ? -1 : classes[label];
  }
  CRD_TRY(crd__dataset_names_sort(m->ctx, &store->alloc, &m->mapped, store->count));
  return note_absent(m);
}

crd_status crd__dataset_label_map(crd_context *ctx, crd__dataset_store *store, const char *map) {
  mapper m = { .ctx = ctx, .store = store, .map = map };
  int64_t *classes = NULL;
  if (!map) return CRD_OK;
  CRD_TRY(check_map(&m));
  if (!store->labels.of) return CRD_OK;
  crd_status status = crd__new(ctx, store->labels.count, sizeof *classes, "classes", &classes);
  if (status == CRD_OK) status = map_all(&m, classes);
  crd__free(&ctx->alloc, classes);
  if (status == CRD_OK) {
    const crd__dataset_names before = store->labels;
    store->labels = m.mapped;
    m.mapped = before;
  }
  crd__dataset_names_clear(&store->alloc, &m.mapped);
  return status;
}
