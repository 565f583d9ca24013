/*
 * learned.c -- writes learned epochs and largest logits of the training rows to a file.
 *
 * The learned epoch of a row is the first one from which on it is predicted correctly after every
 * epoch, without augmentation and in evaluation mode; 0: it is wrong after the last one.
 */
#include "base/memory.h"
#include "io/write.h"
#include "train/trainer.h"

static crd_status write_rows(crd_context *ctx, const crd_trainer *t, const char *path,
                             int64_t *numbers) {
  const size_t rows = crd_dataset_describe(t->training)->rows;
  for (size_t i = 0; i < rows; i++) {
    numbers[i] = (int64_t)crd_dataset_index(t->training, i);
    numbers[rows + i] = crd_dataset_label(t->training, i);
  }
  const crd__io_array arrays[] = {
    { .name = "index", .view = crd_array_matrix(numbers, CRD_I64, rows, 1) },
    { .name = "label", .view = crd_array_matrix(numbers + rows, CRD_I64, rows, 1) },
    { .name = "learned", .view = crd_array_matrix(t->learned, CRD_U32, rows, 1) },
    { .name = "max_logit", .view = crd_array_matrix(t->max_logit, CRD_F32, rows, 1) },
  };
  return crd__io_bundle_write(ctx, path, arrays, sizeof arrays / sizeof *arrays);
}

crd_status crd_trainer_learned_save(crd_context *ctx, const crd_trainer *trainer,
                                    const char *path) {
  int64_t *numbers;
  if (!trainer->learned)
    return crd__fail(ctx, CRD_EUSAGE, "%s: learned epochs need %s", path,
                     crd__spell(ctx, "evaluate_train"));
  CRD_TRY(crd__new(ctx, crd_dataset_describe(trainer->training)->rows, 2 * sizeof *numbers,
                   "learned epochs", &numbers));
  const crd_status status = write_rows(ctx, trainer, path, numbers);
  crd__free(&ctx->alloc, numbers);
  return status;
}
