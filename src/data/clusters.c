/* clusters.c -- the cluster key of every row, from a group column. */
#include "data/clusters.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sha256.h"
#include "data/array.h"
#include "data/groups.h"
#include "math/sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Names of columns. */

enum { NAME_MAX = 40 };

/* Keeps letters and digits, in lower case: Patient_ID becomes patientid. False if too long. */
static bool normalise(const char *name, char out[static NAME_MAX]) {
  size_t length = 0;
  for (; *name; name++) {
    const char c = *name;
    const bool upper = c >= 'A' && c <= 'Z';
    if (!upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) continue;
    if (length + 1 == NAME_MAX) return false;
    out[length++] = (char)(upper ? c - 'A' + 'a' : c);
  }
  out[length] = '\0';
  return true;
}

const char *crd__data_cluster_noun(const char *column) {
  static const char *const persons[][2] = { { "patient", "patients" }, { "subject", "subjects" } };
  static const char *const endings[] = { "",     "s",    "id",     "ids", "uid", "sid",
                                         "code", "name", "number", "num", "no",  "nr" };
  char name[NAME_MAX];
  if (!normalise(column, name)) return NULL;
  for (size_t p = 0; p < sizeof persons / sizeof *persons; p++) {
    const size_t length = strlen(persons[p][0]);
    if (strncmp(name, persons[p][0], length) != 0) continue;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
      if (strcmp(name + length, endings[i]) == 0) return persons[p][1];
  }
  return NULL;
}

bool crd__data_cluster_same(const char *column, const char *other) {
  if (!column || !other) return column == other;
  const char *const noun = crd__data_cluster_noun(column), *const others =
                                                               crd__data_cluster_noun(other);
  return strcmp(column, other) == 0 || (noun && others && strcmp(noun, others) == 0);
}

/* ---- Keys. */

/* Reads 7, +7, 007 and 7.0 as the integer 7; with a decimal point only up to 2^53, where float64 is
 * exact. */
static bool is_whole(const char *name, int64_t *out) {
  const size_t length = strlen(name);
  double value;
  if (crd__integer_parse(name, length, out)) return true;
  if (!crd__number_parse(name, length, &value)) return false;
  if (!(fabs(value) <= 0x1p53) || value != floor(value)) return false;
  *out = (int64_t)value;
  return true;
}

uint64_t crd__data_cluster_key(const char *name) {
  crd__sha256 state;
  unsigned char sum[CRD__SHA256_SIZE];
  char decimal[24];
  int64_t number;
  uint64_t key = 0;
  if (is_whole(name, &number)) {
    snprintf(decimal, sizeof decimal, "%lld", (long long)number);
    name = decimal;
  }
  crd__sha256_begin(&state);
  crd__sha256_add(&state, name, strlen(name));
  crd__sha256_end(&state, sum);
  for (size_t i = 0; i < 8; i++) key |= (uint64_t)sum[i] << 8 * i;
  return key;
}

static uint64_t key_of(const crd_group_column *column, int64_t id) {
  char decimal[24];
  if (id >= 0 && (uint64_t)id < column->name_count) return crd__data_cluster_key(column->names[id]);
  snprintf(decimal, sizeof decimal, "%lld", (long long)id);
  return crd__data_cluster_key(decimal);
}

/* ---- The column. */

static const crd_group_column *find_column(const crd_predictions *p, const char *asked) {
  const crd_predictions_parts *const parts = &p->parts;
  const bool by_name = !asked || strcmp(asked, "auto") == 0;
  for (size_t i = 0; i < parts->group_column_count; i++) {
    const crd_group_column *const column = &parts->group_columns[i];
    if (by_name ? crd__data_cluster_noun(column->name) != NULL : strcmp(column->name, asked) == 0)
      return column;
  }
  return NULL;
}

static crd_status fill_keys(crd_context *ctx, crd_predictions *p, const crd_group_column *column) {
  crd__data_groups groups;
  CRD_TRY(crd__data_groups_make(ctx, p, column, &groups));
  const crd_status status =
      crd__new(ctx, p->rows, sizeof *p->cluster_keys, "clusters", &p->cluster_keys);
  for (size_t g = 0; status == CRD_OK && g < groups.count; g++) {
    const uint64_t key = key_of(column, groups.id[g]);
    for (size_t i = groups.start[g]; i < groups.start[g + 1]; i++)
      p->cluster_keys[groups.rows[i]] = key;
  }
  crd__data_groups_clear(&ctx->alloc, &groups);
  return status;
}

static crd_status name_cluster(crd_context *ctx, const crd_allocator *alloc, const char *name,
                               const char **out) {
  *out = crd__strdup(alloc, name);
  return *out ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
}

crd_status crd__data_clusters_resolve(crd_context *ctx, crd_predictions *p, const char *asked) {
  const crd_group_column *const column = find_column(p, asked);
  const bool named = asked && strcmp(asked, "auto") != 0 && strcmp(asked, "none") != 0;
  p->parts.cluster = NULL;
  if (named && !column)
    return crd__fail(ctx, CRD_EINPUT, "%s: no group column '%s' to cluster rows by", p->parts.name,
                     asked);
  if (!column) return name_cluster(ctx, &p->alloc, "none", &p->parts.cluster);
  CRD_TRY(name_cluster(ctx, &p->alloc, column->name, &p->parts.cluster));
  return fill_keys(ctx, p, column);
}

void crd__data_clusters_clear(crd_predictions *predictions) {
  if (predictions->borrows_clusters) return;
  crd__free(&predictions->alloc, predictions->cluster_keys);
  crd__free(&predictions->alloc, (void *)(uintptr_t)predictions->parts.cluster);
}

const char *crd_predictions_cluster(const crd_predictions *predictions) {
  return predictions->cluster_keys ? predictions->parts.cluster : NULL;
}

/* ---- Clusters of two files with the same rows. */

enum { WORDS = 2 };

/* Sorts the records; returns the number of distinct ones. */
static size_t count_distinct(uint64_t *records, size_t count, size_t words) {
  size_t distinct = 0;
  crd__math_sort_records(records, count, WORDS);
  for (size_t i = 0; i < count; i++)
    distinct += i == 0 || memcmp(records + WORDS * i, records + WORDS * (i - 1),
                                 words * sizeof *records) != 0;
  return distinct;
}

/* Both cluster the rows alike if there are as many pairs of keys as keys on either side. */
static crd_status find_same(crd_context *ctx, const crd_predictions *p,
                            const crd_predictions *other, bool *same) {
  uint64_t *pairs;
  CRD_TRY(crd__new(ctx, p->rows, WORDS * sizeof *pairs, "clusters", &pairs));
  for (size_t i = 0; i < p->rows; i++) {
    pairs[WORDS * i] = p->cluster_keys[crd__data_row_at(p, i)];
    pairs[WORDS * i + 1] = other->cluster_keys[crd__data_row_at(other, i)];
  }
  const size_t both = count_distinct(pairs, p->rows, WORDS);
  const size_t mine = count_distinct(pairs, p->rows, 1);
  for (size_t i = 0; i < p->rows; i++) pairs[WORDS * i] = pairs[WORDS * i + 1];
  *same = both == mine && both == count_distinct(pairs, p->rows, 1);
  crd__free(&ctx->alloc, pairs);
  return CRD_OK;
}

/* Whether the clusters are those of `other` already, under the same name. */
static bool is_shared(const crd_predictions *p, const crd_predictions *other) {
  if (!p->cluster_keys || strcmp(p->parts.cluster, other->parts.cluster) != 0) return false;
  for (size_t i = 0; i < p->rows; i++)
    if (p->cluster_keys[crd__data_row_at(p, i)] != other->cluster_keys[crd__data_row_at(other, i)])
      return false;
  return true;
}

/* Predictions that need no change are not touched: others may be reading them. */
crd_status crd_predictions_share_clusters(crd_context *ctx, crd_predictions *predictions,
                                          const crd_predictions *other) {
  crd_predictions *const p = predictions;
  const char *name;
  bool same = true;
  /* Rows removed for their labels keep their indices: keys are stored for all indices. */
  const bool aligned =
      p->picked && p->numbered && other->numbered &&
      crd__data_rows_of(&p->parts.scores) == crd__data_rows_of(&other->parts.scores);
  const size_t places = aligned ? crd__data_rows_of(&p->parts.scores) : p->rows;
  if (!other->cluster_keys || p->rows != other->rows || (p->picked && !aligned)) return CRD_OK;
  if (is_shared(p, other)) return CRD_OK;
  if (p->cluster_keys) CRD_TRY(find_same(ctx, p, other, &same));
  if (!same) return CRD_OK;
  uint64_t *const keys = crd__calloc(&p->alloc, places, sizeof *keys);
  if (!keys) return crd__fail(ctx, CRD_ENOMEM, "no memory for clusters");
  const crd_status status = name_cluster(ctx, &p->alloc, other->parts.cluster, &name);
  if (status != CRD_OK) {
    crd__free(&p->alloc, keys);
    return status;
  }
  for (size_t i = 0; i < places; i++)
    keys[i] = other->cluster_keys[aligned ? i : crd__data_row_at(other, i)];
  crd__data_clusters_clear(p);
  p->borrows_clusters = false;
  p->parts.cluster = name;
  p->cluster_keys = keys;
  return CRD_OK;
}
