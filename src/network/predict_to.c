/*
 * predict_to.c -- runs a network over all rows and writes its outputs to a file: as they are, or as
 * a classifier's predictions that can be evaluated, with the labels, weights and groups that came
 * with the inputs.
 */
#include "network/batches.h"

#include "base/memory.h"
#include "data/array.h"
#include "io/array.h"
#include "io/format/npy.h"
#include "io/keys.h"

#include <math.h>

#define SUM_SLACK 0.01 /* the same as for predictions of unknown kind */
enum { ALONG_MAX = 3, ARRAYS_MAX = 1 + ALONG_MAX };

static crd_status write_arrays(crd_context *ctx, const crd__network_batches *b, const char *path,
                               const crd__io_array *arrays, size_t count, crd_feed_summary *out) {
  CRD_TRY(crd__io_bundle_write(ctx, path, arrays, count));
  if (out) *out = (crd_feed_summary){ .rows = b->feed.rows, .batch = b->feed.batch };
  return CRD_OK;
}

crd_status crd_model_run_to(crd_context *ctx, const crd_model *model, const crd_array *inputs,
                            size_t count, const crd_feed_options *options, const char *path,
                            crd_feed_summary *summary) {
  crd__network_batches b;
  crd_status status = crd__network_batches_make(ctx, model, inputs, count, options, &b);
  if (status == CRD_OK) status = write_arrays(ctx, &b, path, b.arrays, b.count, summary);
  crd__network_batches_clear(&ctx->alloc, &b);
  return status;
}

/* ---- Predictions. */

typedef struct {
  crd_context *ctx;
  const char *input; /* the file specifier */
  crd__io_pred pred;
  crd__io_bundle *bundle;
  crd_array rows;
  void *owned;
  crd__io_array arrays[ARRAYS_MAX];
  size_t count;
  crd_array labels;
  crd__network_batches batches;
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

/* Copy labels, weights or groups to the output, under the name that evaluation expects. `arrays`
 * has space for them. */
static crd_status take_along(prediction *p, crd__io_role role, const char *name, crd_array *out) {
  size_t index, from, to;
  crd_array view;
  const crd__io_key *const key =
      crd__io_key_in(p->bundle, p->pred.group, role, crd__io_keys, &index);
  if (!key || key->yields) return CRD_OK;
  CRD_TRY(crd__io_bundle_matrix(p->ctx, p->bundle, index, &view));
  CRD_TRY(crd__io_pred_rows(p->ctx, p->input, &p->pred, crd__data_rows_of(&view), &from, &to));
  view = crd_array_slice(view, from, to);
  if (crd__data_rows_of(&view) != (size_t)p->rows.dims[0])
    return crd__fail(p->ctx, CRD_EINPUT, "%s: %s has %zu rows for %lld rows of inputs", p->input,
                     p->bundle->entries[index].name, crd__data_rows_of(&view),
                     (long long)p->rows.dims[0]);
  const crd__io_entry *const entry = &p->bundle->entries[index];
  p->arrays[p->count++] = (crd__io_array){ .name = name,
                                           .view = view,
                                           .words = (const char *const *)entry->words,
                                           .word_count = entry->word_count };
  if (out) *out = view;
  return CRD_OK;
}

static crd_status read_input(prediction *p) {
  CRD_TRY(crd__io_pred_parse(p->ctx, p->input, &p->pred));
  CRD_TRY(crd__io_bundle_open(p->ctx, p->pred.file, NULL, &p->bundle));
  size_t index = find_inputs(p->bundle, p->pred.group);
  if (index == p->bundle->count && p->bundle->count == 1) index = 0;
  if (index == p->bundle->count) return refuse_names(p);
  CRD_TRY(crd__io_array_take(p->ctx, p->bundle, &p->pred, p->input, index, &p->rows, &p->owned));
  if (p->rows.rank == 0)
    return crd__fail(p->ctx, CRD_EINPUT, "%s: a scalar, expected rows", p->input);
  p->count = 1; /* the first is the output */
  CRD_TRY(take_along(p, CRD__LABELS, "labels", &p->labels));
  CRD_TRY(take_along(p, CRD__WEIGHTS, "weights", NULL));
  return take_along(p, CRD__GROUPS, "groups", NULL);
}

/* ---- Checks before the run. */

static crd_status check_output(const prediction *p) {
  const crd__network_batch_output *const output = p->batches.outputs;
  if (p->batches.count > 1)
    return crd__fail(p->ctx, CRD_EUSAGE,
                     "the model has %zu outputs; choose the one with the predictions "
                     "(%s), the first one is '%s'",
                     p->batches.count, crd__spell(p->ctx, "output"), p->batches.arrays[0].name);
  if (output->shape.rank == 2 && output->shape.dtype == CRD_F32) return CRD_OK;
  return crd__fail(
      p->ctx, CRD_EINPUT,
      "output '%s' is %s with %zu dimensions; predictions must be f32 with two: (rows, classes)",
      p->batches.arrays[0].name, crd_dtype_name(output->shape.dtype), output->shape.rank);
}

static size_t first_row(const prediction *p) { return p->pred.has_from ? (size_t)p->pred.from : 0; }

static crd_status check_labels(const prediction *p) {
  const size_t columns = (size_t)p->batches.outputs->shape.dims[1];
  const size_t classes = columns == 1 ? 2 : columns;
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

/* ---- Logits or probabilities. */

/* Networks may end with a softmax: rows that sum to 1 are named probabilities. */
static const char *scores_name(const prediction *p) {
  const crd__network_batches *const b = &p->batches;
  const float *at = crd_network_output(b->network, b->outputs->index)->data;
  const size_t classes = (size_t)b->outputs->shape.dims[1];
  if (classes == 1) return "scores";
  for (size_t i = 0; i < b->done; i++) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++, at++) {
      if (*at < 0 || *at > 1) return "logits";
      sum += (double)*at;
    }
    if (fabs(sum - 1) > SUM_SLACK) return "logits";
  }
  return "probabilities";
}

/* ---- Run. */

static crd_status predict(prediction *p, const crd_model *model, const crd_feed_options *options,
                          const char *path, crd_feed_summary *summary) {
  const bool alone = crd__io_npy_is_named(path); /* the file takes one array only */
  crd_feed_options how = options ? *options : (crd_feed_options){ 0 };
  how.sources = &p->input;
  CRD_TRY(read_input(p));
  CRD_TRY(crd__network_batches_make(p->ctx, model, &p->rows, 1, &how, &p->batches));
  CRD_TRY(check_output(p));
  CRD_TRY(check_labels(p));
  p->batches.finite = true;
  p->batches.first = first_row(p);
  p->arrays[0] = p->batches.arrays[0];
  CRD_TRY(crd__network_batches_begin(p->ctx, &p->batches));
  p->arrays[0].name = scores_name(p);
  CRD_TRY(write_arrays(p->ctx, &p->batches, path, p->arrays, alone ? 1 : p->count, summary));
  if (summary) {
    summary->classes = (size_t)p->batches.outputs->shape.dims[1];
    summary->scores = p->arrays[0].name;
    summary->labelled = p->labels.data && !alone;
  }
  return CRD_OK;
}

crd_status crd_model_predict_to(crd_context *ctx, const crd_model *model, const char *input,
                                const crd_feed_options *options, const char *path,
                                crd_feed_summary *summary) {
  prediction p = { .ctx = ctx, .input = input };
  crd_status status = predict(&p, model, options, path, summary);
  if (status == CRD_ENUMERIC) status = crd__fail_in(ctx, status, input);
  crd__network_batches_clear(&ctx->alloc, &p.batches);
  crd__free(&ctx->alloc, p.owned);
  crd__io_bundle_destroy(p.bundle);
  crd__io_pred_clear(&ctx->alloc, &p.pred);
  return status;
}
