/* absent.c -- training in a build without oneDNN: every function fails with EABSENT. */
#include "base/absent.h"
#include "base/context.h"
#include "base/table.h"
#include "credence/train.h"

static crd_status absent(crd_context *ctx) {
  return crd__fail(ctx, CRD_EABSENT,
                   "training needs the library oneDNN" CRD__INSTALL("libdnnl-dev"));
}

CRD_TABLE_ABSENT(optimiser, crd_training_part_info)

CRD_TABLE_ABSENT(schedule, crd_training_part_info)

crd_status crd_train_setup(crd_context *ctx, crd_dataset *training, crd_dataset *const *others,
                           size_t other_count, const crd_setup_options *options,
                           crd_encoding **encoding, crd_model **model) {
  (void)training, (void)others, (void)other_count, (void)options;
  *encoding = NULL;
  *model = NULL;
  return absent(ctx);
}

crd_status crd_trainer_create(crd_context *ctx, const crd_model *model, const crd_dataset *training,
                              const crd_encoding *encoding, const crd_train_options *options,
                              crd_trainer **out) {
  (void)model, (void)training, (void)encoding, (void)options;
  *out = NULL;
  return absent(ctx);
}

void crd_trainer_destroy(crd_trainer *trainer) { (void)trainer; }

crd_status crd_trainer_epoch(crd_context *ctx, crd_trainer *trainer, crd_epoch *out, int *done) {
  (void)trainer, (void)done;
  *out = (crd_epoch){ 0 };
  return absent(ctx);
}

crd_status crd_trainer_save(crd_context *ctx, crd_trainer *trainer, const char *path) {
  (void)trainer, (void)path;
  return absent(ctx);
}

crd_status crd_trainer_save_to(crd_context *ctx, crd_trainer *trainer, const char *path,
                               double seconds) {
  (void)trainer, (void)path, (void)seconds;
  return absent(ctx);
}

crd_status crd_trainer_load(crd_context *ctx, crd_trainer *trainer, const char *path) {
  (void)trainer, (void)path;
  return absent(ctx);
}

crd_status crd_trainer_model(crd_context *ctx, const crd_trainer *trainer, crd_model **out) {
  (void)trainer;
  *out = NULL;
  return absent(ctx);
}

int crd_trainer_done(const crd_trainer *trainer) {
  (void)trainer;
  return 0;
}

size_t crd_trainer_epochs(const crd_trainer *trainer) {
  (void)trainer;
  return 0;
}

int crd_trainer_record(const crd_trainer *trainer, size_t epoch, crd_epoch *out) {
  (void)trainer, (void)epoch;
  *out = (crd_epoch){ 0 };
  return 0;
}

size_t crd_trainer_best(const crd_trainer *trainer) {
  (void)trainer;
  return 0;
}

unsigned crd_trainer_threads(const crd_trainer *trainer) {
  (void)trainer;
  return 0;
}

const uint32_t *crd_trainer_learned(const crd_trainer *trainer) {
  (void)trainer;
  return NULL;
}

const float *crd_trainer_max_logits(const crd_trainer *trainer) {
  (void)trainer;
  return NULL;
}

crd_status crd_trainer_learned_save(crd_context *ctx, const crd_trainer *trainer,
                                    const char *path) {
  (void)trainer;
  (void)path;
  return absent(ctx);
}

const char *crd_trainer_settings(const crd_trainer *trainer) {
  (void)trainer;
  return "";
}

const char *crd_trainer_fingerprint(const crd_trainer *trainer) {
  (void)trainer;
  return "";
}

const char *crd_trainer_note(const crd_trainer *trainer, size_t index) {
  (void)trainer, (void)index;
  return NULL;
}
