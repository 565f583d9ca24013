/*
 * recognise.c -- tell logits from probabilities.
 *
 * Scores are probabilities if all of them are in [0, 1] and every row sums to 1, both within 0.01,
 * or within the tolerance that the rounding of the file's values explains (resolution.h). Users
 * trip over this most, so the answer is always a note. Logits are usually recognised by the first
 * row; only probabilities are read to the end.
 */
#include "data/recognise.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "data/array.h"
#include "data/resolution.h"
#include "data/rows.h"

#include <math.h>
#include <string.h>

/* If the tolerance of row sums is above `wide`, sums near 1 are weak evidence of probabilities: at
 * least ROWS_MIN rows are required. */
enum { CHUNK = 4096, BLOCK = 64, ROWS_MIN = 20 };
static const double wide = 0.1;

/* Values that exceed [0, 1] by rounding. */
typedef struct {
  size_t count;
  double most;
} excess;

typedef struct {
  double *scratch; /* BLOCK x classes, for views that the kernels cannot read in place */
  crd__math_row_summary *summary; /* BLOCK */
  double deviation;               /* largest |sum - 1| so far */
  excess excess;
} worker;

typedef struct {
  const crd_predictions *predictions;
  worker *workers;
} scan;

static void add_excess(excess *e, double value, double most) {
  const double by = value < 0 ? -value : value > most ? value - 1 : 0;
  e->count += by > 0;
  e->most = fmax(e->most, by);
}

static void merge_excess(excess *into, const excess *from) {
  into->count += from->count;
  into->most = fmax(into->most, from->most);
}

static void look_at_row(const crd_predictions *p, size_t row, const crd__math_row_summary *s,
                        excess *out) {
  /* With a single score, 1 - s must not be negative either. */
  const double most = crd__data_cols(&p->parts.scores) == 1 ? 1 : CRD__PROBABILITY_MAX;
  if (s->low >= 0 && s->top <= most) return;
  for (size_t k = 0; k < crd__data_cols(&p->parts.scores); k++)
    add_excess(out, crd__data_array_number(&p->parts.scores, crd__data_row_at(p, row), k), most);
}

static crd_status scan_chunk(crd_context *ctx, void *arg, unsigned index, size_t from, size_t to) {
  const scan *const all = arg;
  const crd_predictions *const p = all->predictions;
  worker *const mine = &all->workers[index];
  const crd__math_row_kernels *const kernels = crd__math_row_kernels_best();
  for (size_t row = from; row < to; row += BLOCK) {
    const size_t count = to - row < BLOCK ? to - row : BLOCK;
    crd__math_row_type type;
    const void *const rows = crd__data_score_rows(p, row, count, mine->scratch, &type);
    kernels->probabilities(rows, type, count, p->classes, 0, mine->summary);
    for (size_t i = 0; i < count; i++) {
      CRD_TRY(crd__data_probabilities_check(ctx, p, row + i, &mine->summary[i]));
      look_at_row(p, row + i, &mine->summary[i], &mine->excess);
      mine->deviation = fmax(mine->deviation, fabs(mine->summary[i].mass - 1));
    }
  }
  return CRD_OK;
}

/* Scans all rows; CRD_EINPUT, with the row, if the scores are not probabilities. */
static crd_status scan_all(crd_context *ctx, const crd_predictions *p, double *deviation,
                           excess *exceeding) {
  const size_t rows = p->rows;
  const unsigned workers = crd__parallel_workers(ctx, rows / CHUNK + 1);
  scan all = { .predictions = p };
  crd_status status = crd__new(ctx, workers, sizeof *all.workers, "reading", &all.workers);
  for (unsigned w = 0; w < workers && status == CRD_OK; w++) {
    worker *const each = &all.workers[w];
    size_t cells;
    if (!crd__size_mul(BLOCK, p->classes, &cells)) cells = SIZE_MAX;
    status = crd__new(ctx, cells, sizeof(double), "a block of rows", &each->scratch);
    if (status == CRD_OK)
      status = crd__new(ctx, BLOCK, sizeof *each->summary, "a block of rows", &each->summary);
  }
  if (status == CRD_OK)
    status = crd__parallel_for(ctx, "recognising", rows, CHUNK, scan_chunk, &all);
  for (unsigned w = 0; w < workers && all.workers; w++) {
    *deviation = fmax(*deviation, all.workers[w].deviation);
    merge_excess(exceeding, &all.workers[w].excess);
    crd__free(&ctx->alloc, all.workers[w].scratch);
    crd__free(&ctx->alloc, all.workers[w].summary);
  }
  crd__free(&ctx->alloc, all.workers);
  return status;
}

/* Raises the tolerance for values that were rounded to few decimals. */
static crd_status allow_rounding(crd_context *ctx, crd_predictions *p, bool *more) {
  double *scratch;
  CRD_TRY(crd__new(ctx, p->classes, sizeof *scratch, "a row", &scratch));
  const double tolerance = crd__data_resolution_tolerance(p, scratch);
  crd__free(&ctx->alloc, scratch);
  *more = tolerance > p->tolerance && (tolerance <= wide || p->rows >= ROWS_MIN || !p->recognised);
  if (*more) p->tolerance = tolerance;
  return CRD_OK;
}

/* Scans with the usual tolerance, and if that fails, with that of the file's resolution. */
static crd_status scan_twice(crd_context *ctx, crd_predictions *p, double *deviation,
                             excess *exceeding) {
  crd_status status = scan_all(ctx, p, deviation, exceeding);
  bool more;
  if (status != CRD_EINPUT) return status;
  CRD_TRY(allow_rounding(ctx, p, &more));
  if (!more) return status;
  *deviation = 0;
  *exceeding = (excess){ 0 };
  status = scan_all(ctx, p, deviation, exceeding);
  if (status != CRD_OK && p->recognised) p->tolerance = CRD__PROBABILITY_SLACK;
  return status;
}

static crd_status note_excess(crd_context *ctx, crd_predictions *p, const excess *exceeding) {
  char text[CRD__NUMBER_SIZE];
  if (exceeding->count == 0) return CRD_OK;
  p->clips = true;
  return crd__notes_add(ctx, &p->alloc, &p->notes,
                        "%zu value%s outside [0, 1], by %s at most: rounding, clipped",
                        exceeding->count, exceeding->count == 1 ? " lies" : "s lie",
                        crd__number_brief(text, exceeding->most, 2));
}

/* Looks for confidences to clip; those beyond the tolerance are reported when they are read. */
static crd_status look_at_confidences(crd_context *ctx, crd_predictions *p, const crd_array *view) {
  excess exceeding = { 0 };
  for (size_t i = 0; view->data && i < p->rows; i++) {
    const double value = crd__data_array_number(view, crd__data_row_at(p, i), 0);
    if (crd__data_probability_fits(p, value)) add_excess(&exceeding, value, CRD__PROBABILITY_MAX);
  }
  return note_excess(ctx, p, &exceeding);
}

crd_status crd__data_recognise(crd_context *ctx, crd_predictions *p) {
  const bool declared = p->parts.input != CRD_INPUT_AUTO;
  p->recognised = !declared;
  if (p->parts.input == CRD_INPUT_LOGITS || p->parts.input == CRD_INPUT_RANKING) return CRD_OK;
  if (declared && p->parts.trusted) return CRD_OK;
  if (p->parts.input == CRD_INPUT_PAIRS) return look_at_confidences(ctx, p, &p->parts.scores);
  double deviation = 0;
  excess exceeding = { 0 };
  char text[CRD__NUMBER_SIZE];
  p->parts.input = CRD_INPUT_PROBABILITIES;
  const crd_status status = scan_twice(ctx, p, &deviation, &exceeding);
  if (status != CRD_OK && (declared || status != CRD_EINPUT)) return status;
  if (status == CRD_OK) {
    if (!declared)
      CRD_TRY(crd__notes_add(ctx, &p->alloc, &p->notes,
                             "read as probabilities: all values lie in [0, 1] and rows sum to 1 "
                             "within %s (%s overrides)",
                             crd__number_brief(text, deviation, 2),
                             crd__spell(ctx, "input=logits")));
    return note_excess(ctx, p, &exceeding);
  }
  p->parts.input = CRD_INPUT_LOGITS;
  /* If rows are almost probabilities, the note says why they are not; for plain logits that would
   * be noise. */
  if (strstr(ctx->message, "sums to"))
    return crd__notes_add(ctx, &p->alloc, &p->notes, "read as logits: %s", ctx->message);
  return crd__notes_add(ctx, &p->alloc, &p->notes,
                        "read as logits: values lie outside [0, 1] (%s overrides)",
                        crd__spell(ctx, "input=probabilities"));
}
