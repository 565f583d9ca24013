/*
 * predict_to.c -- runs a network over all rows of files and writes its outputs: as they are, or as
 * a classifier's predictions that can be evaluated, with the labels, weights and groups that came
 * with the inputs.
 */
#include "network/predict.h"

#include "base/memory.h"
#include "base/options.h"
#include "data/array.h"
#include "io/array.h"
#include "io/format/npy.h"
#include "io/keys.h"

static crd_status write_arrays(crd_context *ctx, const crd__network_batches *b, const char *path,
                               const crd__io_array *arrays, size_t count, crd_feed_summary *out) {
  CRD_TRY(crd__io_bundle_write(ctx, path, arrays, count));
  if (out) *out = (crd_feed_summary){ .rows = b->feed.rows, .batch = b->feed.batch };
  return CRD_OK;
}

crd_status crd_model_run_to(crd_context *ctx, const crd_model *model, const crd_array *inputs,
                            size_t count, const crd_feed_options *options, const char *path,
                            crd_feed_summary *summary) {
  crd_feed_options own;
  crd__network_batches b;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_feed_options, options, &own));
  crd_status status = crd__network_batches_make(ctx, model, inputs, count, &own, &b);
  if (status == CRD_OK) status = write_arrays(ctx, &b, path, b.arrays, b.count, summary);
  crd__network_batches_clear(&ctx->alloc, &b);
  return status;
}

/* ---- Predictions. */

typedef struct {
  crd_context *ctx;
  const char *input; /* the file specifier */
  crd__io_specifier pred;
  crd__io_bundle *bundle;
  crd_array rows;
  void *owned;
  crd_array labels;
  crd__network_prediction to;
} prediction;

/* ---- Reading. */

/* Tables and single arrays are named "scores". */
static size_t find_inputs(const crd__io_bundle *bundle, const char *group) {
  static const char *const names[] = { "images", "inputs", "x", "features", "scores" };
  size_t index = bundle->count;
  for (size_t i = 0; i < sizeof names / sizeof *names && index == bundle->count; i++)
    index = crd__io_bundle_find_in(bundle, group, names[i]);
  return index;
}

static crd_status refuse_names(const prediction *p) {
  crd__text text;
  crd__text_init(&text, &p->ctx->alloc);
  crd__io_bundle_list(p->bundle, &text);
  crd_status status = crd__text_status(p->ctx, &text);
  if (status == CRD_OK)
    status = crd__fail(p->ctx, CRD_EINPUT,
                       "%s: no inputs: found %s; expected images, inputs, x or features", p->input,
                       text.bytes);
  crd__text_clear(&text);
  return status;
}

/* Copy labels, weights or groups to the output, under the name that evaluation expects. */
static crd_status take_along(prediction *p, crd__io_role role, const char *name, crd_array *out) {
  size_t index, from, to;
  crd_array view;
  const crd__io_key *const key =
      crd__io_key_in(p->bundle, p->pred.group, role, crd__io_keys, &index);
  if (!key || key->yields) return CRD_OK;
  CRD_TRY(crd__io_bundle_matrix(p->ctx, p->bundle, index, &view));
  CRD_TRY(crd__io_specifier_rows(p->ctx, p->input, &p->pred, crd__data_rows_of(&view), &from, &to));
  view = crd_array_slice(view, from, to);
  if (crd__data_rows_of(&view) != (size_t)p->rows.dims[0])
    return crd__fail(p->ctx, CRD_EINPUT, "%s: %s has %zu rows for %lld rows of inputs", p->input,
                     p->bundle->entries[index].name, crd__data_rows_of(&view),
                     (long long)p->rows.dims[0]);
  const crd__io_entry *const entry = &p->bundle->entries[index];
  p->to.arrays[p->to.count++] = (crd__io_array){ .name = name,
                                                 .view = view,
                                                 .words = (const char *const *)entry->words,
                                                 .word_count = entry->word_count };
  if (out) *out = view;
  return CRD_OK;
}

static crd_status read_input(prediction *p) {
  CRD_TRY(crd__io_specifier_parse(p->ctx, p->input, &p->pred));
  CRD_TRY(crd__io_bundle_open(p->ctx, p->pred.file, NULL, &p->bundle));
  size_t index = find_inputs(p->bundle, p->pred.group);
  if (index == p->bundle->count && p->bundle->count == 1) index = 0;
  if (index == p->bundle->count) return refuse_names(p);
  CRD_TRY(crd__io_array_read(p->ctx, p->bundle, &p->pred, p->input, index, &p->rows, &p->owned));
  if (p->rows.rank == 0)
    return crd__fail(p->ctx, CRD_EINPUT, "%s: a scalar, expected rows", p->input);
  CRD_TRY(take_along(p, CRD__LABELS, "labels", &p->labels));
  CRD_TRY(take_along(p, CRD__WEIGHTS, "weights", NULL));
  return take_along(p, CRD__GROUPS, "groups", NULL);
}

/* ---- Checks before the run. */

static size_t first_row(const prediction *p) { return p->pred.has_from ? (size_t)p->pred.from : 0; }

static crd_status check_labels(const prediction *p) {
  const size_t classes = crd__network_predict_classes(&p->to);
  if (!p->labels.data) return CRD_OK;
  if (crd__data_cols(&p->labels) > 1 && crd__data_cols(&p->labels) != classes)
    return crd__fail(p->ctx, CRD_EINPUT, "%s: labels have %zu columns, the network has %zu classes",
                     p->input, crd__data_cols(&p->labels), classes);
  for (size_t i = 0; crd__data_cols(&p->labels) == 1 && i < crd__data_rows_of(&p->labels); i++) {
    int64_t label;
    if (!crd__data_array_integer(&p->labels, i, 0, &label) ||
        (label >= 0 && (size_t)label < classes))
      continue; /* not an integer: the reader of predictions reports that */
    return crd__fail(p->ctx, CRD_EINPUT,
                     "%s: labels row %zu: found class %lld, the network has classes 0 .. %zu",
                     p->input, first_row(p) + i, (long long)label, classes - 1);
  }
  return CRD_OK;
}

/* ---- Run. */

static crd_status predict(prediction *p, const crd_model *model, const crd_feed_options *options,
                          const char *path, crd_feed_summary *summary) {
  crd_feed_options how =
      options ? *options : (crd_feed_options){ .size = sizeof(crd_feed_options) };
  how.sources = &p->input;
  CRD_TRY(read_input(p));
  CRD_TRY(crd__network_predict_make(&p->to, model, &p->rows, &how));
  CRD_TRY(check_labels(p));
  crd_feed_summary done;
  CRD_TRY(crd__network_predict_begin(&p->to, first_row(p)));
  CRD_TRY(crd__network_predict_write(&p->to, path, &done));
  done.labelled = p->labels.data && !crd__io_npy_is_extension(path);
  if (summary) *summary = done;
  return CRD_OK;
}

crd_status crd_model_predict_to(crd_context *ctx, const crd_model *model, const char *input,
                                const crd_feed_options *options, const char *path,
                                crd_feed_summary *summary) {
  prediction p = { .ctx = ctx, .input = input, .to = { .ctx = ctx } };
  crd_feed_options own;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_feed_options, options, &own));
  crd_status status = predict(&p, model, &own, path, summary);
  if (status == CRD_ENUMERIC) status = crd__fail_in(ctx, status, input);
  crd__network_predict_clear(&p.to);
  crd__free(&ctx->alloc, p.owned);
  crd__io_bundle_destroy(p.bundle);
  crd__io_specifier_clear(&ctx->alloc, &p.pred);
  return status;
}
