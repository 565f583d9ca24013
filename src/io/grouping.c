/* grouping.c -- finds group columns by name, and converts their strings to ids. */
#include "io/grouping.h"

#include "base/memory.h"
#include "base/words.h"
#include "data/array.h"
#include "data/clusters.h"
#include "io/keys.h"

#include <string.h>

bool crd__io_grouping_is_person(const char *name, size_t length) {
  char text[64];
  if (length >= sizeof text) return false;
  memcpy(text, name, length);
  text[length] = '\0';
  return crd__data_cluster_noun(text) != NULL;
}

const char *crd__io_grouping_named(const char *cluster) {
  static const char *const words[] = { "auto", "none", "groups" };
  for (size_t i = 0; cluster && i < sizeof words / sizeof *words; i++)
    if (strcmp(cluster, words[i]) == 0) return NULL;
  return cluster;
}

/* ---- One column. */

/* Converts strings to ids of their distinct values, in order of appearance. */
static crd_status number_strings(crd_context *ctx, crd__io_entry *entry) {
  const size_t rows = entry->shape[0];
  crd__words words = { 0 };
  crd__text text;
  if (entry->ids) return CRD_OK;
  crd__text_init(&text, &ctx->alloc);
  crd_status status = crd__new(ctx, rows, sizeof *entry->ids, "groups", &entry->ids);
  for (size_t i = 0; status == CRD_OK && i < rows; i++) {
    const size_t before = words.count, length = strlen(entry->names[i]);
    size_t number;
    status = crd__words_add(ctx, &words, entry->names[i], length, &number);
    if (status != CRD_OK) break;
    entry->ids[i] = (int64_t)number;
    if (words.count > before) crd__text_add_bytes(&text, entry->names[i], length + 1);
  }
  if (status == CRD_OK) status = crd__text_strings(ctx, &text, words.count, &entry->words);
  if (status == CRD_OK) entry->word_count = words.count;
  crd__words_clear(&ctx->alloc, &words);
  crd__text_clear(&text);
  return status;
}

static crd_status load_column(crd_context *ctx, const crd__io_grouping *g, size_t index,
                              crd_array *ids) {
  crd__io_entry *const entry = &g->bundle->entries[index];
  CRD_TRY(crd__io_bundle_load(ctx, g->bundle, index));
  if (!entry->names) CRD_TRY(crd__io_bundle_matrix(ctx, g->bundle, index, ids));
  else {
    CRD_TRY(number_strings(ctx, entry));
    *ids = crd_array_matrix(entry->ids, CRD_I64, entry->shape[0], 1);
  }
  if (crd__data_cols(ids) != 1 || crd__data_rows_of(ids) != g->rows)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s is %zu x %zu, expected a group for each of %zu rows",
                     g->bundle->name, entry->name, crd__data_rows_of(ids), crd__data_cols(ids),
                     g->rows);
  for (size_t i = 0; i < crd__data_rows_of(ids); i++) {
    int64_t id;
    if (!crd__data_array_integer(ids, i, 0, &id))
      return crd__fail(ctx, CRD_EINPUT, "%s: %s row %zu is neither an integer nor text",
                       g->bundle->name, entry->name, i);
  }
  return CRD_OK;
}

/* Adds a column; one that was added before, perhaps by another name, is not added again. */
static crd_status add_column(crd_context *ctx, crd__io_grouping *g, size_t index, const char *name,
                             const char **known) {
  crd_array ids;
  CRD_TRY(load_column(ctx, g, index, &ids));
  for (size_t i = 0; i < g->count; i++)
    if (g->columns[i].ids.data == ids.data) {
      *known = g->columns[i].name;
      return CRD_OK;
    }
  crd_group_column *const columns =
      crd__resize(&ctx->alloc, g->columns, g->count + 1, sizeof *columns);
  if (!columns) return crd__fail(ctx, CRD_ENOMEM, "no memory for groups");
  g->columns = columns;
  const crd__io_entry *const entry = &g->bundle->entries[index];
  char *const copy = crd__strdup(&ctx->alloc, name);
  if (!copy) return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  columns[g->count++] =
      (crd_group_column){ copy, ids, (const char *const *)entry->words, entry->word_count };
  *known = copy;
  return CRD_OK;
}

/* ---- Columns named by options. */

static crd_status not_there(crd_context *ctx, const crd__io_grouping *g, const char *name) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__text_addf(&text, "%s: no array or column '%.60s' to group rows by: found ", g->bundle->name,
                 name);
  crd__io_bundle_list(g->bundle, &text);
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) status = crd__fail(ctx, CRD_EINPUT, "%s", text.bytes);
  crd__text_clear(&text);
  return status;
}

static crd_status add_named(crd_context *ctx, crd__io_grouping *g, const char *name,
                            const char **known) {
  const size_t index = crd__io_bundle_find_in(g->bundle, g->group, name);
  if (index == g->bundle->count) return not_there(ctx, g, name);
  return add_column(ctx, g, index, name, known);
}

static crd_status add_listed(crd_context *ctx, crd__io_grouping *g, const char *list) {
  char *const names = list ? crd__strdup(&ctx->alloc, list) : NULL;
  crd_status status = CRD_OK;
  if (list && !names) return crd__fail(ctx, CRD_ENOMEM, "no memory for names");
  for (char *at = names; at && status == CRD_OK;) {
    char *const comma = strchr(at, ',');
    if (comma) *comma = '\0';
    const char *known;
    status = add_named(ctx, g, at, &known);
    at = comma ? comma + 1 : NULL;
  }
  crd__free(&ctx->alloc, names);
  return status;
}

/* ---- The column of patients or subjects. */

/* The array's name without the prefix of its group; NULL: it is in another group. */
static const char *tail_of(const crd__io_grouping *g, const char *name) {
  const size_t length = g->group ? strlen(g->group) : 0;
  if (!g->group) return name;
  if (strncmp(name, g->group, length) != 0 || !name[length] || !strchr("_/.", name[length]))
    return NULL;
  return name + length + 1;
}

/* A column that no option names must not make opening fail: its failure becomes a note. */
static crd_status pass_over(crd_context *ctx, crd__io_grouping *g, const char *name,
                            crd_status status) {
  crd_status noted;
  if (status != CRD_EINPUT) return status;
  crd__text why;
  crd__text_init(&why, &ctx->alloc);
  crd__text_add(&why, crd_context_message(ctx));
  noted = crd__text_status(ctx, &why);
  if (noted == CRD_OK)
    noted =
        crd__notes_add(ctx, &ctx->alloc, &g->notes,
                       "rows are not clustered by %s, so that intervals treat them as independent: "
                       "%s",
                       name, why.bytes);
  crd__text_clear(&why);
  return noted;
}

static crd_status add_person(crd_context *ctx, crd__io_grouping *g) {
  for (size_t i = 0; i < g->bundle->count; i++) {
    const char *const name = tail_of(g, g->bundle->entries[i].name);
    if (!name || !crd__data_cluster_noun(name)) continue;
    const char *known;
    const crd_status status = add_column(ctx, g, i, name, &known);
    if (status == CRD_OK) return CRD_OK;
    CRD_TRY(pass_over(ctx, g, name, status));
  }
  return CRD_OK;
}

/* ---- All columns. */

/* The option "groups": clusters by the array `groups`, else by patients. */
static crd_status cluster_by_groups(crd_context *ctx, crd__io_grouping *g, const char *groups) {
  g->cluster = groups;
  if (groups) return CRD_OK;
  CRD_TRY(add_person(ctx, g));
  for (size_t i = 0; i < g->count; i++)
    if (crd__data_cluster_noun(g->columns[i].name)) g->cluster = "auto";
  return g->cluster ? CRD_OK : not_there(ctx, g, "groups");
}

crd_status crd__io_grouping_take(crd_context *ctx, crd__io_grouping *g) {
  const char *const cluster = g->options->cluster, *const named = crd__io_grouping_named(cluster);
  const char *groups = NULL;
  size_t index;
  CRD_TRY(add_listed(ctx, g, g->options->group_by));
  g->cluster = cluster;
  if (named) CRD_TRY(add_named(ctx, g, named, &g->cluster));
  if (crd__io_key_in(g->bundle, g->group, CRD__GROUPS, crd__io_keys, &index))
    CRD_TRY(add_column(ctx, g, index, "groups", &groups));
  if (cluster && strcmp(cluster, "groups") == 0) return cluster_by_groups(ctx, g, groups);
  return cluster && strcmp(cluster, "auto") != 0 ? CRD_OK : add_person(ctx, g);
}

void crd__io_grouping_clear(const crd_allocator *alloc, crd__io_grouping *grouping) {
  for (size_t i = 0; i < grouping->count; i++)
    crd__free(alloc, (void *)(uintptr_t)grouping->columns[i].name);
  crd__free(alloc, grouping->columns);
  crd__notes_clear(alloc, &grouping->notes);
}
