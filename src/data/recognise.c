/*
 * recognise.c -- are these logits or probabilities?
 *
 * Scores are probabilities when all of them lie in [0, 1] and every row sums to 1 within 0.01. The
 * question is the one users trip over most, so the answer is always said aloud. A matrix of logits
 * is told by its first row as a rule; only probabilities are read to the end.
 */
#include "data/recognise.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "data/rows.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 4096, BLOCK = 64 };

typedef struct {
  double *scratch;           /* BLOCK x classes, for views the kernels cannot read in place */
  crd__row_summary *summary; /* BLOCK */
  double deviation;          /* the largest |sum - 1| seen */
} worker;

typedef struct {
  const crd_predictions *predictions;
  worker *workers;
} scan;

static crd_status scan_chunk(crd_context *ctx, void *arg, unsigned index, size_t from, size_t to) {
  const scan *const all = arg;
  const crd_predictions *const p = all->predictions;
  worker *const mine = &all->workers[index];
  const crd__row_kernels *const kernels = crd__row_kernels_best();
  for (size_t row = from; row < to; row += BLOCK) {
    const size_t count = to - row < BLOCK ? to - row : BLOCK;
    crd__row_type type;
    const void *const rows = crd__score_rows(p, row, count, mine->scratch, &type);
    kernels->probabilities(rows, type, count, p->classes, 0, mine->summary);
    for (size_t i = 0; i < count; i++) {
      CRD_TRY(crd__probabilities_check(ctx, p, row + i, &mine->summary[i]));
      mine->deviation = fmax(mine->deviation, fabs(mine->summary[i].mass - 1));
    }
  }
  return CRD_OK;
}

/* EINPUT, with the row, when the scores are not probabilities. */
static crd_status scan_all(crd_context *ctx, const crd_predictions *p, double *deviation) {
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
    crd__free(&ctx->alloc, all.workers[w].scratch);
    crd__free(&ctx->alloc, all.workers[w].summary);
  }
  crd__free(&ctx->alloc, all.workers);
  return status;
}

crd_status crd__recognise(crd_context *ctx, crd_predictions *p) {
  const bool declared = p->parts.input != CRD_INPUT_AUTO;
  p->recognised = !declared;
  if (p->parts.input == CRD_INPUT_PAIRS || p->parts.input == CRD_INPUT_LOGITS) return CRD_OK;
  if (declared && p->parts.unchecked) return CRD_OK;
  double deviation = 0;
  char text[CRD__NUMBER_SIZE];
  p->parts.input = CRD_INPUT_PROBABILITIES;
  const crd_status status = scan_all(ctx, p, &deviation);
  if (status != CRD_OK && (declared || status != CRD_EINPUT)) return status;
  if (status == CRD_OK) {
    if (declared) return CRD_OK;
    crd__number_brief(text, deviation, 2);
    return crd__notes_add(ctx, &p->alloc, &p->notes,
                          "read as probabilities: all values lie in [0, 1] and rows sum to 1 "
                          "within %s (--input logits overrides)",
                          text);
  }
  p->parts.input = CRD_INPUT_LOGITS;
  /* Rows that almost are probabilities deserve the reason; for plain logits it would be noise. */
  if (strstr(ctx->message, "sums to"))
    return crd__notes_add(ctx, &p->alloc, &p->notes, "read as logits: %s", ctx->message);
  return crd__notes_add(ctx, &p->alloc, &p->notes,
                        "read as logits: values lie outside [0, 1] (--input probabilities "
                        "overrides)");
}
