/* train.c -- train a network in your own program: dataset, network, trainer, saved model.
 *
 *   cc train.c $(pkg-config --cflags --libs credence-nn) -o train
 *   ./train csv:letters.csv letters.onnx
 */
#include <credence/credence.h>

#include <stdio.h>

#define TRY(call)                                                                                  \
  if ((status = (call)) != CRD_OK) return status

typedef struct {
  crd_context *ctx;
  crd_dataset *all, *training, *validation;
  crd_encoding *encoding;
  crd_model *model, *trained;
  crd_trainer *trainer;
} run;

static crd_status train(run *r, const char *data, const char *path) {
  crd_status status;
  TRY(crd_dataset_open(r->ctx, data, NULL, &r->all));
  TRY(crd_dataset_part(r->ctx, r->all, 0, 80, CRD_SPLIT_STRATIFIED, 0, &r->training));
  TRY(crd_dataset_part(r->ctx, r->all, 80, 100, CRD_SPLIT_STRATIFIED, 0, &r->validation));
  /* Classes, mean and standard deviation come from the training part, for both. */
  const crd_setup_options setup = { .size = sizeof setup, .network = "mlp" };
  TRY(crd_train_setup(r->ctx, r->training, &r->validation, 1, &setup, &r->encoding, &r->model));

  const crd_monitor monitor = { .name = "validation", .data = r->validation };
  const crd_train_options options = { .size = sizeof options,
                                      .loss = "ce + 0.1*entropy",
                                      .epochs = 5,
                                      .monitors = &monitor,
                                      .monitor_count = 1 };
  TRY(crd_trainer_create(r->ctx, r->model, r->training, r->encoding, &options, &r->trainer));
  for (int done = 0; !done;) {
    crd_epoch epoch;
    TRY(crd_trainer_epoch(r->ctx, r->trainer, &epoch, &done));
    for (size_t i = 0; i < epoch.count; i++)
      printf("%s %.3f%s", epoch.values[i].name, epoch.values[i].value,
             i + 1 < epoch.count ? ", " : "\n");
  }
  TRY(crd_trainer_model(r->ctx, r->trainer, &r->trained));
  return crd_model_save(r->ctx, r->trained, path);
}

int main(int argc, char **argv) {
  run r = { 0 };
  if (argc != 3) return fprintf(stderr, "usage: train DATA MODEL.onnx\n"), 2;
  crd_status status = crd_context_create(NULL, &r.ctx);
  if (status == CRD_OK) status = train(&r, argv[1], argv[2]);
  if (status != CRD_OK) fprintf(stderr, "%s\n", r.ctx ? crd_context_message(r.ctx) : "no memory");
  crd_trainer_destroy(r.trainer);
  crd_model_destroy(r.trained);
  crd_model_destroy(r.model);
  crd_encoding_destroy(r.encoding);
  crd_dataset_destroy(r.validation);
  crd_dataset_destroy(r.training);
  crd_dataset_destroy(r.all);
  crd_context_destroy(r.ctx);
  return crd_status_exit_code(status);
}
