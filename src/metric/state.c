/*
 * state.c -- saves evidence to a file and loads it, to be merged later, elsewhere, in any order.
 *
 * All numbers are little-endian and 64 bits wide; a text is its length and its bytes. In order:
 *
 *   - magic "\x89CRD-EV\n", version
 *   - bins, resamples, seed, interval
 *   - classes, weighted, weight shift, input, binary, rows, floored
 *   - name; in version 3 the column that clusters rows; a hash of the names of the classes, if
 *     they have names: then the version is 4 more
 *   - metrics: count, names; notes: count, texts
 *   - spans: count, from and to of each
 *   - in version 3 clusters: count, keys in ascending order
 *   - cells: count, whole and fraction of each
 *   - each ranking: words per record, count, records
 *   - FNV-1a of all bytes before
 *
 * Evidence of independent rows is written as version 2, which has no clusters.
 *
 * The tallies follow from the metrics; a file with another number of cells than they need was
 * written by another version and fails to load.
 */
#include "base/file.h"
#include "base/memory.h"
#include "metric/evidence.h"
#include "metric/plan.h"

#include <string.h>

static const unsigned char magic[8] = { 0x89, 'C', 'R', 'D', '-', 'E', 'V', '\n' };
enum { INDEPENDENT = 2, CLUSTERED = 3, NAMED = 4 /* versions */, TEXT_MAX = 65536 };

static uint64_t fnv(uint64_t hash, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}
static const uint64_t fnv_start = UINT64_C(0xcbf29ce484222325);

/* ---- Writing: the first failure is kept and returned at the end. */

typedef struct {
  crd_context *ctx;
  crd_output *output;
  uint64_t hash;
  crd_status status;
} writer;

static void put_bytes(writer *w, const void *bytes, size_t count) {
  if (w->status != CRD_OK) return;
  w->hash = fnv(w->hash, bytes, count);
  w->status = crd_output_write(w->ctx, w->output, bytes, count);
}

static void put(writer *w, uint64_t number) {
  unsigned char bytes[8];
  for (size_t i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i);
  put_bytes(w, bytes, sizeof bytes);
}

static void put_text(writer *w, const char *text) {
  put(w, strlen(text));
  put_bytes(w, text, strlen(text));
}

static void put_head(writer *w, const crd_evidence *e) {
  put_bytes(w, magic, sizeof magic);
  const uint64_t version = crd__metric_rows_independent(e) ? INDEPENDENT : CLUSTERED;
  const uint64_t numbers[] = { version + (e->kind.class_names ? NAMED : 0),
                               e->shape.bins,
                               e->resamples,
                               e->seed,
                               (uint64_t)e->interval,
                               e->kind.classes,
                               e->kind.weighted,
                               (uint64_t)(int64_t)e->kind.weight_shift,
                               (uint64_t)e->kind.input,
                               (uint64_t)e->kind.binary,
                               e->rows,
                               e->floored };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put(w, numbers[i]);
  put_text(w, e->name);
  if (!crd__metric_rows_independent(e)) put_text(w, e->kind.cluster);
  if (e->kind.class_names) put(w, e->kind.class_names);
  put(w, e->plan.metric_count);
  for (size_t i = 0; i < e->plan.metric_count; i++) put_text(w, e->plan.metrics[i]->info.name);
  put(w, e->notes.count);
  for (size_t i = 0; i < e->notes.count; i++) put_text(w, e->notes.items[i]);
}

static void put_clusters(writer *w, const crd_evidence *e) {
  if (crd__metric_rows_independent(e)) return;
  put(w, e->clusters.count);
  for (size_t i = 0; i < e->clusters.count; i++) put(w, e->clusters.keys[i]);
}

static void put_ranking(writer *w, const crd__metric_ranking *ranking) {
  put(w, ranking->words);
  put(w, ranking->count);
  for (size_t i = 0; i < ranking->count * ranking->words; i++) put(w, ranking->records[i]);
}

crd_status crd_evidence_save(crd_context *ctx, const crd_evidence *evidence, crd_output *output) {
  const crd_evidence *const e = evidence;
  writer w = { .ctx = ctx, .output = output, .hash = fnv_start };
  if (!e->cells) return crd__fail(ctx, CRD_EUSAGE, "no rows were added: nothing to save");
  const size_t cells = crd__metric_evidence_offset(e, e->resamples + 1);
  put_head(&w, e);
  put(&w, e->spans.count);
  for (size_t i = 0; i < e->spans.count; i++) {
    put(&w, e->spans.items[i].from);
    put(&w, e->spans.items[i].to);
  }
  put_clusters(&w, e);
  put(&w, cells);
  for (size_t i = 0; i < cells; i++) {
    put(&w, e->cells[i].whole);
    put(&w, e->cells[i].fraction);
  }
  for (size_t r = 0; r < e->ranking_count; r++) put_ranking(&w, &e->rankings[r]);
  put(&w, w.hash);
  return w.status;
}

/* ---- Reading: past the end, or after a failure, every number reads as 0. */

typedef struct {
  crd_context *ctx;
  const char *path;
  const unsigned char *bytes;
  size_t length, at;
  bool failed;
} reader;

static uint64_t get(reader *r) {
  uint64_t number = 0;
  if (r->length - r->at < 8) r->failed = true;
  if (r->failed) return 0;
  for (size_t i = 0; i < 8; i++) number |= (uint64_t)r->bytes[r->at + i] << 8 * i;
  r->at += 8;
  return number;
}

/* Reads a count of items of at least `size` bytes each; fails if the rest of the file is too short.
 */
static size_t get_count(reader *r, size_t size) {
  const uint64_t count = get(r);
  if (count > (r->length - r->at) / size) r->failed = true;
  return r->failed ? 0 : (size_t)count;
}

static crd_status damaged(const reader *r) {
  return crd__fail(r->ctx, CRD_EINPUT,
                   "%s: not a state file of this version, or damaged at byte %zu of %zu", r->path,
                   r->at, r->length);
}

/* Appends a text; with `listed`, after a comma if it is not the first. */
static void get_text(reader *r, crd__text *out, bool listed) {
  const size_t length = get_count(r, 1);
  if (length > TEXT_MAX) r->failed = true;
  if (r->failed) return;
  if (listed && out->length) crd__text_add(out, ",");
  crd__text_add_bytes(out, (const char *)r->bytes + r->at, length);
  r->at += length;
}

static crd_status get_notes(reader *r, crd_evidence *e) {
  const size_t count = get_count(r, 8);
  for (size_t i = 0; i < count && !r->failed; i++) {
    crd__text text;
    crd__text_init(&text, &e->alloc);
    get_text(r, &text, false);
    crd_status status = crd__text_status(r->ctx, &text);
    if (status == CRD_OK && !r->failed)
      status = crd__notes_add(r->ctx, &e->alloc, &e->notes, "%s", text.bytes);
    crd__text_clear(&text);
    CRD_TRY(status);
  }
  return r->failed ? damaged(r) : CRD_OK;
}

static crd_status get_spans(reader *r, crd_evidence *e) {
  const size_t count = get_count(r, 16);
  uint64_t rows = 0;
  CRD_TRY(crd__new(r->ctx, count, sizeof *e->spans.items, "a list of rows", &e->spans.items));
  for (size_t i = 0; i < count; i++) {
    crd__metric_span *const span = &e->spans.items[e->spans.count++];
    *span = (crd__metric_span){ get(r), get(r) };
    if (span->from >= span->to || (i > 0 && span->from <= span[-1].to)) r->failed = true;
    rows += span->to - span->from;
  }
  /* Rows whose label is ignored are in the spans but not in e->rows. */
  return r->failed || rows < e->rows ? damaged(r) : CRD_OK;
}

static crd_status get_clusters(reader *r, crd_evidence *e) {
  if (crd__metric_rows_independent(e)) return CRD_OK;
  const size_t count = get_count(r, 8);
  if (r->failed || count == 0 || count > e->rows) return damaged(r);
  CRD_TRY(crd__new(r->ctx, count, sizeof *e->clusters.keys, "clusters", &e->clusters.keys));
  for (size_t i = 0; i < count; i++) {
    e->clusters.keys[e->clusters.count++] = get(r);
    if (i > 0 && e->clusters.keys[i] <= e->clusters.keys[i - 1]) r->failed = true;
  }
  return r->failed ? damaged(r) : CRD_OK;
}

static crd_status get_cells(reader *r, crd_evidence *e) {
  const size_t count = get_count(r, 16);
  if (r->failed || count != crd__metric_evidence_offset(e, e->resamples + 1)) return damaged(r);
  for (size_t i = 0; i < count; i++) e->cells[i] = (crd__sum){ get(r), get(r) };
  return CRD_OK;
}

/* Returns whether all confidences are in [0, 1], or finite if they are no probabilities, and all
 * weights valid; sets *weight to their sum. */
static bool check_ranking(const crd__metric_ranking *ranking, bool unbounded, crd__sum *weight) {
  *weight = (crd__sum){ 0 };
  for (size_t i = 0; i < ranking->count; i++) {
    const double confidence = crd__metric_ranking_confidence(ranking, i);
    const double each = crd__metric_ranking_weight(ranking, i);
    const bool fits = unbounded ? isfinite(confidence) : confidence >= 0 && confidence <= 1;
    if (!fits || !crd__term_fits(each)) return false;
    crd__sum_add(weight, each);
  }
  return true;
}

static crd_status get_ranking(reader *r, crd_evidence *e, crd__metric_ranking *out,
                              crd__sum *weight) {
  const uint64_t words = get(r);
  const size_t count = get_count(r, 16);
  if (r->failed) return damaged(r);
  if (count > 0 && (words != crd__metric_record_words(crd__metric_evidence_record(e)) ||
                    (r->length - r->at) / 8 / words < count))
    return damaged(r);
  CRD_TRY(
      crd__metric_ranking_reserve(r->ctx, &e->alloc, out, count, crd__metric_evidence_record(e)));
  for (size_t i = 0; i < count * words; i++) out->records[i] = get(r);
  out->count = count;
  return check_ranking(out, e->shape.ranking, weight) ? CRD_OK : damaged(r);
}

/* Reads all rankings; their total weight and numbers of pairs must match the cells. */
static crd_status get_rankings(reader *r, crd_evidence *e) {
  const crd__sum *const pairs = crd__metric_evidence_cells(e, e->cells, 0, e->plan.pairs);
  const crd__sum known = e->cells[e->data.stride - 1];
  crd__sum weight;
  CRD_TRY(get_ranking(r, e, &e->rankings[0], &weight));
  e->plan.ranked |= e->rankings[0].count > 0; /* for paired tests, if not for a metric's value */
  if (e->rankings[0].count != (e->plan.ranked ? e->rows : 0) ||
      (e->plan.ranked && (weight.whole != known.whole || weight.fraction != known.fraction)))
    return damaged(r);
  for (size_t k = 0; k + 1 < e->ranking_count; k++) {
    CRD_TRY(get_ranking(r, e, &e->rankings[k + 1], &weight));
    if (e->rankings[k + 1].count != pairs[k].whole || pairs[k].fraction != 0) return damaged(r);
  }
  return CRD_OK;
}

/* Reads the fields before the cells, and creates evidence of that layout. */
static crd_status get_head(reader *r, crd_evidence **out) {
  crd__text name, cluster, metrics;
  crd__metric_kind kind;
  r->at = sizeof magic;
  const uint64_t given = get(r);
  const bool named = given >= INDEPENDENT + NAMED;
  const uint64_t version = given - (named ? NAMED : 0);
  if (version != INDEPENDENT && version != CLUSTERED) r->failed = true;
  crd_evaluate_options options = { .size = sizeof options,
                                   .bins = (unsigned)get(r),
                                   .resamples = (unsigned)get(r) };
  const uint64_t seed = get(r);
  options.interval = (crd_interval)get(r);
  kind = (crd__metric_kind){ .classes = (size_t)get(r), .weighted = get(r) != 0 };
  kind.weight_shift = (int)(int64_t)get(r);
  kind.input = (crd_input)get(r);
  kind.binary = (crd_binary)get(r);
  const uint64_t rows = get(r), floored = get(r);
  if (kind.input > CRD_INPUT_RANKING || kind.binary > CRD_BINARY_POS || kind.classes > r->length ||
      options.interval > CRD_INTERVAL_PERCENTILE || options.bins == 0 || rows == 0)
    r->failed = true;
  if (kind.input == CRD_INPUT_RANKING && kind.classes > 0) r->failed = true;
  crd__text_init(&name, &r->ctx->alloc);
  crd__text_init(&cluster, &r->ctx->alloc);
  crd__text_init(&metrics, &r->ctx->alloc);
  get_text(r, &name, false);
  if (version == CLUSTERED) get_text(r, &cluster, false);
  if (named) kind.class_names = get(r);
  if (named && kind.class_names == 0) r->failed = true;
  for (size_t left = get_count(r, 8); left > 0 && !r->failed; left--) get_text(r, &metrics, true);
  crd_status status = crd__text_status(r->ctx, name.failed ? &name : &metrics);
  if (status == CRD_OK) status = crd__text_status(r->ctx, &cluster);
  if (status == CRD_OK && (r->failed || !name.bytes || !metrics.bytes)) status = damaged(r);
  if (status == CRD_OK && version == CLUSTERED && !cluster.bytes) status = damaged(r);
  kind.cluster = cluster.bytes;
  options.metrics = metrics.bytes;
  /* Every cell takes 16 bytes of the file: a larger count is damage. */
  if (status == CRD_OK && (uint64_t)options.bins * (options.resamples + UINT64_C(1)) > r->length)
    status = damaged(r);
  if (status == CRD_OK) status = crd_evidence_create(r->ctx, &options, out);
  if (status == CRD_OK) {
    (*out)->seed = seed;
    status = crd__metric_evidence_init(r->ctx, *out, &kind, name.bytes, r->length / 16);
    (*out)->rows = rows;
    (*out)->floored = floored;
  }
  crd__text_clear(&name);
  crd__text_clear(&cluster);
  crd__text_clear(&metrics);
  return status;
}

static crd_status get_all(reader *r, crd_evidence **out) {
  if (r->length < sizeof magic + 16 || memcmp(r->bytes, magic, sizeof magic) != 0)
    return damaged(r);
  const size_t end = r->length - 8;
  r->at = end;
  if (get(r) != fnv(fnv_start, r->bytes, end)) return damaged(r);
  r->length = end;
  CRD_TRY(get_head(r, out));
  CRD_TRY(get_notes(r, *out));
  CRD_TRY(get_spans(r, *out));
  CRD_TRY(get_clusters(r, *out));
  CRD_TRY(get_cells(r, *out));
  CRD_TRY(get_rankings(r, *out));
  return r->at == r->length ? CRD_OK : damaged(r);
}

crd_status crd_evidence_load_memory(crd_context *ctx, const char *name, const void *bytes,
                                    size_t length, crd_evidence **out) {
  reader r = { .ctx = ctx, .path = name, .bytes = bytes, .length = length };
  crd_evidence *evidence = NULL;
  *out = NULL;
  const crd_status status = get_all(&r, &evidence);
  if (status == CRD_OK) *out = evidence;
  else crd_evidence_destroy(evidence);
  return status;
}

crd_status crd_evidence_load(crd_context *ctx, const char *path, crd_evidence **out) {
  crd__blob blob;
  *out = NULL;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  const crd_status status = crd_evidence_load_memory(ctx, path, blob.bytes, blob.length, out);
  crd__blob_close(&ctx->alloc, &blob);
  return status;
}
