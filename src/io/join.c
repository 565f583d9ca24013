/*
 * join.c -- several files as one bundle: an array of it is the arrays of that name in all files,
 * row after row.
 *
 * Joining files, rather than the predictions in them, leaves all that follows unchanged: which
 * arrays are scores and labels, which kind the scores are, the order of classes and groups that are
 * strings, is decided for the data as a whole. Arrays are copied when they are used; those that no
 * command reads are not even inflated.
 */
#include "io/join.h"

#include "base/memory.h"
#include "data/array.h"
#include "io/format.h"
#include "io/layout.h"

#include <string.h>

/* Returns whether an array describes the classes, and not rows. */
static bool is_of_classes(const char *name) {
  static const char ending[] = "class_names";
  const size_t length = strlen(name), tail = strlen(ending);
  return length >= tail && strcmp(name + length - tail, ending) == 0;
}

static crd__io_entry *entry_of(const crd__io_bundle *bundle, size_t part, const char *name) {
  const crd__io_bundle *const file = bundle->parts[part];
  return &file->entries[crd__io_bundle_find(file, name)];
}

/* Returns whether it holds strings: as such, or, as in tables, as indices into `words`. */
static bool is_text(const crd__io_entry *entry) { return entry->strings || entry->words; }

/* ---- Checks. */

static crd_status refuse(crd_context *ctx, const crd__io_bundle *bundle, size_t part,
                         const crd__io_entry *mine, const crd__io_entry *first) {
  char found[CRD__LAYOUT_TEXT], expected[CRD__LAYOUT_TEXT];
  crd__io_layout layouts[2] = { { .dtype = mine->view.dtype }, { .dtype = first->view.dtype } };
  const crd__io_entry *const entries[2] = { mine, first };
  for (size_t i = 0; i < 2; i++) {
    layouts[i].rank = entries[i]->rank;
    memcpy(layouts[i].shape, entries[i]->shape, entries[i]->rank * sizeof *entries[i]->shape);
  }
  return crd__fail(ctx, CRD_EINPUT,
                   "found %s%s in %s, %s%s in %s: both must have the same type "
                   "and all but the first dimension",
                   crd__io_layout_describe(&layouts[0], found), is_text(mine) ? " (strings)" : "",
                   bundle->parts[part]->name, crd__io_layout_describe(&layouts[1], expected),
                   is_text(first) ? " (strings)" : "", bundle->parts[0]->name);
}

static bool fits(const crd__io_entry *a, const crd__io_entry *b) {
  const bool text = is_text(a);
  if (text != is_text(b) || a->rank != b->rank) return false;
  if (!text && a->view.dtype != b->view.dtype) return false;
  for (size_t d = 1; !text && d < a->rank; d++)
    if (a->shape[d] != b->shape[d]) return false;
  return !(a->fortran && a->rank > 2) && !(b->fortran && b->rank > 2);
}

/* Sets the `known` members of an entry from those of the parts. */
static crd_status join_peek(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  const crd__io_entry *const first = entry_of(bundle, 0, entry->name);
  for (size_t p = 0; p < bundle->part_count; p++) {
    crd__io_bundle *const part = bundle->parts[p];
    CRD_TRY(crd__io_bundle_peek(ctx, part, crd__io_bundle_find(part, entry->name)));
  }
  entry->rank = first->rank;
  memcpy(entry->shape, first->shape, sizeof entry->shape);
  entry->strings = is_text(first);
  entry->view = (crd_array){ .dtype = first->view.dtype };
  entry->known = true;
  if (is_of_classes(entry->name) || first->rank == 0) return CRD_OK;
  for (size_t p = 1; p < bundle->part_count; p++) {
    const crd__io_entry *const mine = entry_of(bundle, p, entry->name);
    if (!fits(mine, first)) return refuse(ctx, bundle, p, mine, first);
    entry->shape[0] += mine->shape[0];
  }
  return CRD_OK;
}

/* ---- Elements. */

static void copy_rows(const crd_array *from, size_t size, unsigned char *to) {
  for (int64_t i = 0; i < from->dims[0]; i++) {
    const unsigned char *const row = (const unsigned char *)from->data + i * from->strides[0];
    for (int64_t j = 0; j < from->dims[1]; j++, to += size)
      for (size_t b = 0; b < size; b++)
        to[b] = row[j * from->strides[1] + (ptrdiff_t)(from->swapped ? size - 1 - b : b)];
  }
}

/* Classes, and single numbers, are those of the first file. */
static size_t parts_of(const crd__io_bundle *bundle, const crd__io_entry *entry) {
  return is_of_classes(entry->name) || entry->rank == 0 ? 1 : bundle->part_count;
}

static crd_status join_strings(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  crd__text names;
  crd__text_init(&names, &ctx->alloc);
  for (size_t p = 0; p < parts_of(bundle, entry); p++) {
    const crd__io_entry *const mine = entry_of(bundle, p, entry->name);
    for (size_t i = 0; i < mine->shape[0]; i++) {
      const char *const name = mine->names
                                   ? mine->names[i]
                                   : mine->words[(size_t)crd__data_array_number(&mine->view, i, 0)];
      crd__text_add_bytes(&names, name, strlen(name) + 1);
    }
  }
  const crd_status status = crd__text_strings(ctx, &names, entry->shape[0], &entry->names);
  crd__text_clear(&names);
  entry->loaded = status == CRD_OK;
  return status;
}

static crd_status join_numbers(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  crd__io_layout layout = { .dtype = entry->view.dtype, .rank = entry->rank };
  size_t bytes;
  memcpy(layout.shape, entry->shape, entry->rank * sizeof *entry->shape);
  CRD_TRY(crd__io_layout_bytes(ctx, &layout, &bytes));
  entry->owned = crd__calloc(&bundle->alloc, bytes ? bytes : 1, 1);
  if (!entry->owned) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu bytes", bytes);
  unsigned char *to = entry->owned;
  for (size_t p = 0; p < parts_of(bundle, entry); p++) {
    const crd_array *const view = &entry_of(bundle, p, entry->name)->view;
    copy_rows(view, crd_dtype_size(layout.dtype), to);
    to += (size_t)(view->dims[0] * view->dims[1]) * crd_dtype_size(layout.dtype);
  }
  crd__io_layout_fill(&layout, entry->owned, entry);
  return CRD_OK;
}

static crd_status join_load(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  for (size_t p = 0; p < bundle->part_count; p++) {
    crd__io_bundle *const part = bundle->parts[p];
    CRD_TRY(crd__io_bundle_load(ctx, part, crd__io_bundle_find(part, entry->name)));
  }
  CRD_TRY(join_peek(ctx, bundle, entry));
  return entry->strings ? join_strings(ctx, bundle, entry) : join_numbers(ctx, bundle, entry);
}

/* ---- The bundle. */

static bool same_classes(const crd__io_bundle *a, const crd__io_bundle *b) {
  bool same = a->class_name_count == b->class_name_count && !a->class_names == !b->class_names;
  for (size_t k = 0; same && a->class_names && k < a->class_name_count; k++)
    same = strcmp(a->class_names[k], b->class_names[k]) == 0;
  return same;
}

static crd_status take_classes(crd_context *ctx, crd__io_bundle *bundle) {
  const crd__io_bundle *const first = bundle->parts[0];
  for (size_t p = 1; p < bundle->part_count; p++)
    if (!same_classes(bundle->parts[p], first))
      return crd__fail(ctx, CRD_EINPUT,
                       "the classes of %s and %s have different names, expected "
                       "the same in the same order",
                       first->name, bundle->parts[p]->name);
  if (!first->class_names) return CRD_OK;
  crd__text names;
  crd__text_init(&names, &ctx->alloc);
  for (size_t k = 0; k < first->class_name_count; k++)
    crd__text_add_bytes(&names, first->class_names[k], strlen(first->class_names[k]) + 1);
  bundle->class_name_count = first->class_name_count;
  const crd_status status =
      crd__text_strings(ctx, &names, first->class_name_count, &bundle->class_names);
  crd__text_clear(&names);
  return status;
}

static bool all_have(const crd__io_bundle *bundle, const char *name) {
  for (size_t p = 0; p < bundle->part_count; p++)
    if (crd__io_bundle_find(bundle->parts[p], name) == bundle->parts[p]->count) return false;
  return true;
}

crd_status crd__io_bundle_join(crd_context *ctx, crd__io_bundle *bundle) {
  static const crd__io_format arrays = { .info = { .name = "several files" },
                                         .load = join_load,
                                         .peek = join_peek };
  static const crd__io_format tables = {
    .info = { .name = "several files" }, .copies = true, .load = join_load, .peek = join_peek
  };
  const crd__io_bundle *const first = bundle->parts[0];
  bundle->format = crd__io_bundle_is_table(first) ? &tables : &arrays;
  bundle->remark = first->remark;
  CRD_TRY(take_classes(ctx, bundle));
  for (size_t i = 0; i < first->count; i++) {
    crd__io_entry *entry;
    const char *const name = first->entries[i].name;
    if (all_have(bundle, name)) CRD_TRY(crd__io_bundle_add(ctx, bundle, name, &entry));
    else
      CRD_TRY(crd__notes_add(ctx, &bundle->alloc, &bundle->notes,
                             "%s is not in all files, and was not used", name));
  }
  for (size_t i = 0; i < first->notes.count; i++)
    CRD_TRY(crd__notes_add(ctx, &bundle->alloc, &bundle->notes, "%s", first->notes.items[i]));
  return CRD_OK;
}
