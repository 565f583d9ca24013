/*
 * patients.c -- groups of images of one patient: taken from file names by a POSIX extended regular
 * expression, and never in two splits, or a network would be tested on whom it has seen.
 */
#include "dataset/image/set.h"

#include "base/memory.h"

#include <regex.h>
#include <string.h>

enum { GROUPS_MOST = 2, NAME_MOST = 256 };

static crd_status compile(crd_context *ctx, const char *pattern, regex_t *out) {
  const int code = regcomp(out, pattern, REG_EXTENDED);
  char reason[128];
  if (code == 0) return CRD_OK;
  regerror(code, out, reason, sizeof reason);
  return crd__fail(ctx, CRD_EUSAGE, "%s: '%.200s' is not a regular expression: %s",
                   crd__spell(ctx, "group_pattern"), pattern, reason);
}

/* Sets the group of a file: the expression's first group, else all that matched. */
static crd_status match(crd_context *ctx, const regex_t *regex, const char *pattern,
                        crd__dataset_store *store, crd__image_file *file) {
  const char *const slash = strrchr(file->path, '/'), *const base = slash ? slash + 1 : file->path;
  regmatch_t found[GROUPS_MOST];
  char name[NAME_MOST];
  if (regexec(regex, base, GROUPS_MOST, found, 0) != 0)
    return crd__fail(ctx, CRD_EINPUT, "%.400s: its name does not match %s '%.200s'", file->path,
                     crd__spell(ctx, "group_pattern"), pattern);
  const regmatch_t *const part = regex->re_nsub > 0 && found[1].rm_so >= 0 ? &found[1] : &found[0];
  const size_t length = (size_t)(part->rm_eo - part->rm_so);
  if (length == 0 || length >= sizeof name)
    return crd__fail(ctx, CRD_EINPUT,
                     "%.400s: %s '%.200s' gives a name of %zu characters, allowed are 1 to %d",
                     file->path, crd__spell(ctx, "group_pattern"), pattern, length, NAME_MOST - 1);
  memcpy(name, base + part->rm_so, length);
  name[length] = '\0';
  return crd__dataset_names_add(ctx, &store->alloc, &store->groups, name, &file->group);
}

crd_status crd__image_set_match(crd_context *ctx, const crd_dataset_options *options,
                                crd__dataset_store *store, crd__image_set *set) {
  const char *const pattern = options->group_pattern;
  regex_t regex;
  crd_status status = CRD_OK;
  if (!pattern) return CRD_OK;
  CRD_TRY(compile(ctx, pattern, &regex));
  crd__dataset_names_clear(&store->alloc, &store->groups); /* those of a manifest's column */
  for (size_t i = 0; i < set->count && status == CRD_OK; i++)
    status = match(ctx, &regex, pattern, store, &set->files[i]);
  regfree(&regex);
  return status;
}

crd_status crd__image_set_check_groups(crd_context *ctx, const crd__dataset_store *store,
                                       const crd__image_set *set) {
  const char *const *const splits = (const char *const *)store->splits.names;
  size_t *first; /* file + 1 of each group; 0: none yet */
  crd_status status = CRD_OK;
  if (store->groups.count == 0 || store->splits.count < 2) return CRD_OK;
  CRD_TRY(crd__new(ctx, store->groups.count, sizeof *first, "groups", &first));
  for (size_t i = 0; i < set->count && status == CRD_OK; i++) {
    const crd__image_file *const file = &set->files[i];
    if (file->group < 0 || file->split < 0) continue;
    if (first[file->group] == 0) first[file->group] = i + 1;
    const crd__image_file *const other = &set->files[first[file->group] - 1];
    if (other->split != file->split)
      status = crd__fail(ctx, CRD_EINPUT,
                         "patient '%.60s' is in two splits: '%.60s' (%.250s) and '%.60s' (%.250s)",
                         store->groups.names[file->group], splits[other->split], other->path,
                         splits[file->split], file->path);
  }
  crd__free(&ctx->alloc, first);
  return status;
}
