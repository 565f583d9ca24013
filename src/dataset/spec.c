/*
 * spec.c -- parses DATA: KIND[:PATH][#SPLIT[+SPLIT]][%A:B][@FROM:TO][~CORRUPTION=SEVERITY].
 *
 * Suffixes are cut from the right, each at most once. File names may contain their characters, so
 * the longest existing file name wins: first all of the text is tried, then without one suffix
 * after the other; for kinds, the same is done with PATH.
 */
#include "dataset/spec.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  crd_context *ctx;
  const char *data; /* all of DATA */
  crd__dataset_spec *spec;
} parser;

static bool is_file(const char *path) {
  return crd__file_exists(path) && !crd__folder_exists(path);
}

/* ---- Suffixes. */

/* Parses digits, or nothing. */
static bool take_bound(const char *text, size_t length, bool *given, uint64_t *out) {
  int64_t value;
  *given = length > 0;
  if (length == 0) return true;
  if (strspn(text, "0123456789") < length || !crd__integer_parse(text, length, &value))
    return false;
  *out = (uint64_t)value;
  return true;
}

/* Parses from:to, from: or :to. */
static bool take_rows(const char *text, crd__dataset_spec *spec) {
  const char *const colon = strchr(text, ':');
  return colon && take_bound(text, (size_t)(colon - text), &spec->has_from, &spec->from) &&
         take_bound(colon + 1, strlen(colon + 1), &spec->has_to, &spec->to) &&
         (spec->has_from || spec->has_to);
}

static bool take_per_cent(const char *text, size_t length, double standard, double *out) {
  *out = standard;
  return length == 0 || (strspn(text, "0123456789.") >= length &&
                         crd__number_parse(text, length, out) && *out >= 0 && *out <= 100);
}

/* Parses A:B, A: or :B. */
static bool take_part(const char *text, crd__dataset_spec *spec) {
  const char *const colon = strchr(text, ':');
  spec->has_part = true;
  return colon && colon[1 + strcspn(colon + 1, ":")] == '\0' && strlen(text) > 1 &&
         take_per_cent(text, (size_t)(colon - text), 0, &spec->part_from) &&
         take_per_cent(colon + 1, strlen(colon + 1), 100, &spec->part_to) &&
         spec->part_from < spec->part_to;
}

static crd_status read_corruption(const parser *p, const char *text) {
  const char *const equals = strchr(text, '=');
  int64_t severity;
  if (!equals || equals == text)
    return crd__fail(p->ctx, CRD_EUSAGE,
                     "%s: found '%s' after '~', expected CORRUPTION=SEVERITY, as in ~brightness=3",
                     p->data, text);
  const crd_status status =
      crd__transform_corruption_find(p->ctx, text, (size_t)(equals - text), &p->spec->corruption);
  if (status != CRD_OK) return crd__fail_in(p->ctx, status, p->data);
  if (!crd__integer_parse(equals + 1, strlen(equals + 1), &severity) || severity < 1 ||
      severity > 5)
    return crd__fail(p->ctx, CRD_EUSAGE, "%s: found severity '%s', allowed are 1 to 5", p->data,
                     equals + 1);
  p->spec->severity = (unsigned)severity;
  return CRD_OK;
}

static crd_status read_rows(const parser *p, const char *text) {
  if (take_rows(text, p->spec)) return CRD_OK;
  return crd__fail(p->ctx, CRD_EUSAGE, "%s: found '%s' after '@', expected rows from:to", p->data,
                   text);
}

static crd_status read_part(const parser *p, const char *text) {
  if (take_part(text, p->spec)) return CRD_OK;
  return crd__fail(p->ctx, CRD_EUSAGE,
                   "%s: found '%s' after '%%', expected per cent A:B with 0 <= A < B <= 100",
                   p->data, text);
}

static crd_status add_split(const parser *p, const char *name) {
  crd__dataset_spec *const spec = p->spec;
  if (*name == '\0')
    return crd__fail(p->ctx, CRD_EUSAGE,
                     "%s: found no name after '#' or '+', expected #SPLIT[+SPLIT]", p->data);
  for (size_t i = 0; i < spec->split_count; i++)
    if (strcmp(spec->splits[i], name) == 0)
      return crd__fail(p->ctx, CRD_EUSAGE, "%s: split '%s' is named twice", p->data, name);
  if (spec->split_count == CRD__DATASET_SPLITS_MAX)
    return crd__fail(p->ctx, CRD_EUSAGE, "%s: more than %d splits", p->data,
                     CRD__DATASET_SPLITS_MAX);
  spec->splits[spec->split_count++] = name;
  return CRD_OK;
}

/* Reads names of splits; of a file, the group of its arrays. */
static crd_status read_splits(const parser *p, char *text) {
  for (char *plus; p->spec->kind && (plus = strchr(text, '+')); text = plus + 1) {
    *plus = '\0';
    CRD_TRY(add_split(p, text));
  }
  return add_split(p, text);
}

/* ---- All suffixes, from right to left. */

static const char marks[] = "#%@~";

/* Cuts the suffix that begins at the last `mark` of `head`; NULL: it has none. */
static char *cut(char *head, char mark) {
  char *const at = strrchr(head, mark);
  if (!at) return NULL;
  *at = '\0';
  return at + 1;
}

static crd_status read_suffixes(const parser *p, char *head) {
  char *text;
  if ((text = cut(head, '~'))) CRD_TRY(read_corruption(p, text));
  if ((text = cut(head, '@'))) CRD_TRY(read_rows(p, text));
  if ((text = cut(head, '%'))) CRD_TRY(read_part(p, text));
  return (text = cut(head, '#')) ? read_splits(p, text) : CRD_OK;
}

/* Fails if something is left of a text that should have been suffixes alone. */
static crd_status check_order(const parser *p, const char *left) {
  if (!*left) return CRD_OK;
  return crd__fail(p->ctx, CRD_EUSAGE,
                   "%s: found '%s', expected [#SPLIT[+SPLIT]][%%A:B][@FROM:TO]"
                   "[~CORRUPTION=SEVERITY] in this order",
                   p->data, left);
}

/* Returns the length of the longest existing file name that the text begins with, before a suffix
 * or the end; SIZE_MAX: there is none. */
static size_t find_file(char *text, bool (*exists)(const char *path)) {
  for (size_t length = strlen(text); length > 0; length--) {
    const char after = text[length];
    if (after && !strchr(marks, after)) continue;
    text[length] = '\0';
    const bool found = exists(text);
    text[length] = after;
    if (found) return length;
  }
  return SIZE_MAX;
}

/* Cuts the suffixes off a path; one more byte must follow it. */
static crd_status read_path(const parser *p, char *path, bool (*exists)(const char *path)) {
  const size_t length = find_file(path, exists);
  if (length == SIZE_MAX) return read_suffixes(p, path);
  memmove(path + length + 1, path + length, strlen(path + length) + 1);
  path[length] = '\0';
  CRD_TRY(read_suffixes(p, path + length + 1));
  return check_order(p, path + length + 1);
}

/* ---- Kinds. */

/* Returns the kind whose name the text begins with, the longest one, and its length. */
static const crd__dataset_kind *find_kind(const char *text, size_t *length) {
  const crd__dataset_kind *best = NULL, *kind;
  *length = 0;
  for (size_t i = 0; (kind = crd__dataset_kind_at(i)); i++) {
    const size_t n = strlen(kind->info.name);
    if (n <= *length || strncmp(text, kind->info.name, n) != 0) continue;
    if (text[n] != '\0' && text[n] != ':' && !strchr(marks, text[n])) continue;
    *length = n;
    best = kind;
  }
  return best;
}

static const char *kind_name(const void *self, size_t index) {
  (void)self;
  const crd_dataset_kind_info *const info = crd_dataset_kind_at(index);
  return info ? info->name : NULL;
}

/* Fails if the text looks like a mistyped kind rather than a file: it is close to the name of one,
 * or has neither dot nor slash. */
static crd_status check_word(const parser *p) {
  char word[64];
  const size_t length = strcspn(p->data, "#%@~"), head = strcspn(p->data, ":#%@~");
  size_t index;
  if (strcmp(p->data, "-") == 0) return CRD_OK;
  if (crd__folder_exists(p->data))
    return crd__fail(p->ctx, CRD_EUSAGE, "%s is a folder; expected KIND:PATH, as in folder:%s",
                     p->data, p->data);
  snprintf(word, sizeof word, "%.*s", (int)(head < 60 ? head : 60), p->data);
  const bool path = memchr(p->data, '/', head) || memchr(p->data, '.', head);
  const bool kind = p->data[head] == ':' && !path;
  if (!kind && !crd_nearest(word, kind_name, NULL) && path) return CRD_OK;
  if (head == 0)
    return crd__fail(p->ctx, CRD_EUSAGE, "'%s': found no dataset, expected KIND[:PATH] or a file",
                     p->data);
  /* synthetic:lin is closer to a kind with its colon. */
  const bool whole = length > head && length < 60;
  snprintf(word, sizeof word, "%.*s", (int)(whole ? length : head < 60 ? head : 60), p->data);
  if (!whole || !crd_nearest(word, kind_name, NULL)) word[head < 60 ? head : 60] = '\0';
  const crd_status status =
      crd__names_find(p->ctx, &crd__dataset_kind_names, word, strlen(word), &index);
  return status == CRD_EUSAGE ? crd__fail_in(p->ctx, status, p->data) : status;
}

static crd_status check_splits(const parser *p) {
  const crd__dataset_spec *const spec = p->spec;
  const char *const allowed = spec->kind->info.splits;
  for (size_t i = 0; allowed && i < spec->split_count; i++) {
    const size_t length = strlen(spec->splits[i]);
    const char *at = allowed;
    while (*at && !(strncmp(at, spec->splits[i], length) == 0 && strcspn(at, " ") == length))
      at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
    if (*at) continue;
    if (!*allowed)
      return crd__fail(p->ctx, CRD_EUSAGE, "%s: found split '%s', but %s has none", p->data,
                       spec->splits[i], spec->kind->info.name);
    return crd__fail(p->ctx, CRD_EUSAGE, "%s: found split '%s', allowed are %s", p->data,
                     spec->splits[i], allowed);
  }
  return CRD_OK;
}

static crd_status read_kind(const parser *p, size_t length) {
  crd__dataset_spec *const spec = p->spec;
  char *const rest = spec->text + length;
  if (*rest != ':') {
    CRD_TRY(read_suffixes(p, rest));
    CRD_TRY(check_order(p, rest));
    return check_splits(p);
  }
  CRD_TRY(read_path(p, rest + 1, crd__file_exists));
  spec->path = rest + 1;
  if (!*spec->path)
    return crd__fail(p->ctx, CRD_EUSAGE, "%s: found no path after '%s:'", p->data,
                     spec->kind->info.name);
  if (!spec->kind->info.path)
    return crd__fail(p->ctx, CRD_EUSAGE, "%s: found path '%s', but %s takes none", p->data,
                     spec->path, spec->kind->info.name);
  return check_splits(p);
}

crd_status crd__dataset_spec_parse(crd_context *ctx, const char *data, crd__dataset_spec *out) {
  const parser p = { .ctx = ctx, .data = data, .spec = out };
  const size_t bytes = strlen(data) + 2;
  size_t length;
  *out = (crd__dataset_spec){ 0 };
  CRD_TRY(crd__new(ctx, bytes, 1, "a dataset's name", &out->text));
  memcpy(out->text, data, bytes - 1);
  const bool file = find_file(out->text, is_file) != SIZE_MAX;
  out->kind = file ? NULL : find_kind(data, &length);
  if (out->kind) return read_kind(&p, length);
  if (!file) CRD_TRY(check_word(&p));
  CRD_TRY(read_path(&p, out->text, is_file));
  out->path = out->text;
  return CRD_OK;
}

void crd__dataset_spec_clear(const crd_allocator *alloc, crd__dataset_spec *spec) {
  crd__free(alloc, spec->text);
  *spec = (crd__dataset_spec){ 0 };
}
