/*
 * bundle.c -- any bytes as a file: it fails with an error message, or every array of it can be
 * read, written (if the format can be), and read again unchanged.
 */
#include "fuzz.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/array.h"
#include "data/rows.h"
#include "io/array.h"
#include "io/format.h"
#include "io/open.h"

#include <math.h>
#include <string.h>

enum { ARRAYS_MAX = 8 };

static crd_status to_text(crd_context *ctx, void *self, const void *bytes, size_t count) {
  crd__text_add_bytes(self, bytes, count);
  return crd__text_status(ctx, self);
}

static void check_same(const crd_array *a, const crd_array *b) {
  HOLDS(crd__data_rows_of(a) == crd__data_rows_of(b) && crd__data_cols(a) == crd__data_cols(b));
  for (size_t i = 0; i < crd__data_rows_of(a) && crd__data_cols(a) > 0; i++) {
    for (size_t j = 0; j < crd__data_cols(a); j++) {
      const double x = crd__data_array_number(a, i, j), y = crd__data_array_number(b, i, j);
      HOLDS(memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y)));
    }
  }
}

static bool is_utf8(const char *text) {
  while (*text) {
    const size_t length = crd__utf8_length(text);
    if (length == 0) return false;
    text += length;
  }
  return true;
}

static void check_again(crd_context *ctx, const crd__io_format *format, const crd__io_array *arrays,
                        size_t count) {
  crd__text text;
  crd__io_bundle *again;
  crd_array view;
  crd__text_init(&text, &ctx->alloc);
  const crd__io_sink sink = { to_text, &text };
  HOLDS(format->write(ctx, &sink, FUZZ_NAME, arrays, count) == CRD_OK);
  HOLDS(crd__io_bundle_open_memory(ctx, FUZZ_NAME, text.bytes, text.length, NULL, &again) ==
        CRD_OK);
  const char *const *const names = arrays->columns;
  const size_t at = crd__io_bundle_find(again, "class_names");
  if (names && !again->format->copies) {
    HOLDS(again->count == count + 1 && crd__io_bundle_strings(ctx, again, at) == CRD_OK);
    HOLDS(again->entries[at].shape[0] == crd__data_cols(&arrays->view));
    for (size_t k = 0; k < crd__data_cols(&arrays->view); k++)
      HOLDS(!is_utf8(names[k]) || strcmp(names[k], again->entries[at].names[k]) == 0);
  } else HOLDS(again->count == count || again->notes.count > 0);
  /* Where a column's name and values show that it is not a score, the reader leaves a note. */
  for (size_t i = 0; i < count && again->notes.count == 0; i++) {
    HOLDS(crd__io_bundle_matrix(ctx, again, i, &view) == CRD_OK);
    check_same(&arrays[i].view, &view);
  }
  crd__io_bundle_destroy(again);
  crd__text_clear(&text);
}

/* Names that a writer accepts: printable ASCII characters. */
static bool is_proper(const char *name) {
  for (; *name; name++)
    if (*name < ' ' || *name > '~') return false;
  return true;
}

/* Returns the file's names for as many columns as the first array has. */
static const char *const *find_names(const crd__io_bundle *bundle, size_t columns) {
  for (size_t i = 0; i < bundle->count; i++)
    if (bundle->entries[i].names && bundle->entries[i].shape[0] == columns)
      return (const char *const *)bundle->entries[i].names;
  return bundle->class_name_count == columns ? (const char *const *)bundle->class_names : NULL;
}

/* As a tensor of any rank: all of it can be read, and a matrix has the same elements. */
static void check_tensor(crd_context *ctx, crd__io_bundle *bundle, size_t index) {
  static const crd__io_specifier all_rows = { .file = NULL };
  crd_array tensor;
  void *owned = NULL;
  unsigned sum = 0;
  if (crd__io_array_read(ctx, bundle, &all_rows, FUZZ_NAME, index, &tensor, &owned) != CRD_OK) {
    HOLDS(owned == NULL && crd_context_message(ctx)[0] != '\0');
    return;
  }
  const unsigned char *const bytes = tensor.data;
  const size_t count = crd_array_count(&tensor), size = crd_dtype_size(tensor.dtype);
  for (size_t i = 0; i < count * size; i++) sum += bytes[i];
  volatile unsigned keep = sum;
  (void)keep;
  const crd_array *const view = &bundle->entries[index].view;
  const crd_array plain =
      crd_array_matrix(tensor.data, tensor.dtype, crd__data_rows_of(view), crd__data_cols(view));
  if (tensor.rank == 1 || tensor.rank == 2) check_same(view, &plain);
  crd__free(&ctx->alloc, owned);
}

static void check_arrays(crd_context *ctx, crd__io_bundle *bundle) {
  crd__io_array arrays[ARRAYS_MAX];
  size_t count = 0;
  double sum = 0;
  for (size_t i = 0; i < bundle->count; i++) {
    crd_array view;
    check_tensor(ctx, bundle, i);
    if (crd__io_bundle_matrix(ctx, bundle, i, &view) != CRD_OK) {
      const crd__io_entry *const entry = &bundle->entries[i];
      HOLDS(crd_context_message(ctx)[0] != '\0');
      for (size_t k = 0; entry->names && k < entry->shape[0]; k++)
        sum += (double)strlen(entry->names[k]);
      continue;
    }
    for (size_t row = 0; row < crd__data_rows_of(&view) && crd__data_cols(&view) > 0; row++)
      for (size_t col = 0; col < crd__data_cols(&view); col++)
        sum += crd__data_array_number(&view, row, col);
    const char *name = bundle->entries[i].name;
    if (count < ARRAYS_MAX && strlen(name) < 200 && is_proper(name))
      arrays[count++] = (crd__io_array){ .name = name, .view = view };
  }
  volatile double keep = sum;
  (void)keep;
  if (count > 0 && crd__data_cols(&arrays[0].view) > 1) {
    bool taken = false;
    for (size_t i = 0; i < count; i++) taken = taken || strcmp(arrays[i].name, "class_names") == 0;
    if (!taken) arrays[0].columns = find_names(bundle, crd__data_cols(&arrays[0].view));
  }
  if (count > 0 && bundle->format->write) check_again(ctx, bundle->format, arrays, count);
}

/* As predictions: fails with an error message, or every label and note can be read. */
static void check_predictions(crd_context *ctx, crd__io_bundle *bundle,
                              const crd_open_options *options) {
  crd_predictions *p;
  if (crd__io_predictions_of(ctx, bundle, FUZZ_NAME, options, &p) != CRD_OK) {
    HOLDS(p == NULL && crd_context_message(ctx)[0] != '\0');
    return;
  }
  size_t label, length = 0;
  const size_t rows = crd_predictions_rows(p), classes = crd_predictions_classes(p);
  HOLDS(rows > 0 && rows <= crd__data_rows_of(&p->parts.scores));
  for (size_t i = 0; classes && i < rows; i++) {
    HOLDS(crd__data_row_at(p, i) < crd__data_rows_of(&p->parts.scores));
    if (crd__data_labels_read(ctx, p, i, 1, &label) == CRD_OK) HOLDS(label < classes);
  }
  for (size_t i = 0; crd_predictions_note(p, i); i++) length += strlen(crd_predictions_note(p, i));
  for (size_t k = 0; k < classes; k++)
    if (crd_predictions_class_name(p, k)) length += strlen(crd_predictions_class_name(p, k));
  volatile size_t keep = length;
  (void)keep;
  crd_predictions_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const crd_open_options options[] = {
    { .size = sizeof *options },
    { .size = sizeof *options, .columns = "1,0" },
    { .size = sizeof *options, .label_column = "label" },
    { .size = sizeof *options, .label_column = "1", .columns = "0" },
    { .size = sizeof *options, .columns = "p*" },
    { .size = sizeof *options, .columns = "1:3" },
    { .size = sizeof *options, .labels_optional = 1, .keep_ignored = 1 },
    { .size = sizeof *options, .scores = "arr_0", .label_key = "arr_1" },
  };
  crd_context *ctx;
  crd__io_bundle *bundle;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  const crd_open_options *chosen = &options[length % (sizeof options / sizeof *options)];
  if (crd__io_bundle_open_memory(ctx, FUZZ_NAME, bytes, length, chosen, &bundle) == CRD_OK) {
    check_arrays(ctx, bundle);
    check_predictions(ctx, bundle, chosen);
  } else HOLDS(bundle == NULL && crd_context_message(ctx)[0] != '\0');
  crd_context_destroy(ctx);
  return 0;
}
