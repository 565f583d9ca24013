/* loss.h -- the struct behind crd_loss: its terms, and scratch buffers of evaluations. */
#ifndef CRD_LOSS_LOSS_H
#define CRD_LOSS_LOSS_H

#include "base/text.h"
#include "loss/term.h"

#include <stdatomic.h>

/* ---- An expression (expression.c). */

typedef struct {
  const crd__loss *loss;
  double factor;
  char *text; /* without the factor */
  double *settings, *list;
  size_t list_count;
} crd__loss_part;

/* Parses an expression into parts. EUSAGE names the character where it is invalid. Release with
 * clear, also after failure. */
crd_status crd__loss_parts_read(crd_context *ctx, const char *expression, crd__loss_part *parts,
                                size_t *count);
void crd__loss_parts_clear(const crd_allocator *alloc, crd__loss_part *parts, size_t count);

/* ---- Scratch buffers of one evaluation (scratch.c). */

typedef struct {
  size_t rows, classes, workers;
  double *p, *logits, *target;                                 /* rows x classes */
  double *log_sum, *label_log, *label_rest, *correct, *weight; /* rows */
  double *confidence, *confidence_rest, *entropy;              /* rows */
  size_t *label, *predicted;
  crd__loss_slopes slopes;
  double *kept;         /* scratch values of the terms */
  double *row;          /* workers x classes: the gradient of one row */
  double *squares;      /* rows: squared norm of the row's gradient */
  unsigned char *bytes; /* the block that holds all of these */
  size_t size;
} crd__loss_scratch;

/* A pool of unused scratch blocks; a free slot is NULL. */
enum { CRD__LOSS_SLOTS = 16 };
typedef struct {
  _Atomic(crd__loss_scratch *) slots[CRD__LOSS_SLOTS];
} crd__loss_pool;

struct crd_loss {
  crd_allocator alloc;
  crd_loss_options options;
  double *class_counts;
  crd__loss_part parts[CRD_LOSS_TERMS_MAX];
  size_t count;
  size_t row_numbers, class_numbers; /* scratch values of all terms, per row and per class */
  crd__notes notes;
  crd__loss_pool *pool;
};

/* Takes a scratch block for a batch from the pool, or allocates one; `give` returns it. ENOMEM. */
crd_status crd__loss_scratch_take(crd_context *ctx, const crd_loss *loss, size_t rows,
                                  size_t classes, size_t workers, crd__loss_scratch **out);
void crd__loss_scratch_give(const crd_loss *loss, crd__loss_scratch *scratch);
void crd__loss_pool_destroy(const crd_allocator *alloc, crd__loss_pool *pool);

/* ---- Reading a batch (batch.c). EINPUT names the row of an invalid logit, label or weight. */

crd_status crd__loss_batch_read(crd_context *ctx, const crd_array *logits,
                                const crd_targets *targets, crd__loss_scratch *scratch,
                                crd__loss_batch *out);

#endif
