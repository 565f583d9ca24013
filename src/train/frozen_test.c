/* frozen_test.c -- training behind a frozen part: on features kept in memory and in files, and,
 * with augmentation, computed for every batch. */
#include "train/testing.h"

#include "credence/zoo.h"
#include "network/stream.h"

#include <dirent.h>
#include <sys/stat.h>

/* ---- Vectors. */

static const crd_train_options options = { .size = sizeof options,
                                           .epochs = 4,
                                           .optimiser = "adamw(rate=0.05)",
                                           .freeze = "relu",
                                           .keep_last = 1,
                                           .monitor_count = 1,
                                           .evaluate_train = 1 };

static const float *weights_named(crd_context *ctx, const crd_model *model, const char *name,
                                  crd_network **network) {
  const crd_parameter *p;
  WORKS(ctx, crd_network_compile(ctx, model,
                                 &(crd_compile_options){ .size = sizeof(crd_compile_options),
                                                         .mode = CRD_MODE_TRAINING },
                                 network));
  for (size_t i = 0; (p = crd_network_parameter(*network, i)); i++)
    if (strcmp(p->name, name) == 0) return p->values;
  fail_msg("no parameter '%s'", name);
}

static bool same_weights(crd_context *ctx, const crd_model *one, const crd_model *other,
                         const char *name, size_t count) {
  crd_network *networks[2];
  const float *const a = weights_named(ctx, one, name, &networks[0]);
  const float *const b = weights_named(ctx, other, name, &networks[1]);
  const bool same = memcmp(a, b, count * sizeof *a) == 0;
  crd_network_destroy(networks[0]);
  crd_network_destroy(networks[1]);
  return same;
}

/* The recorded accuracy is that of the whole model. */
static void check_accuracy(const school *s, const crd_model *model, const crd_epoch *epoch) {
  float logits[ROWS * CLASSES];
  size_t hits = 0;
  WORKS(s->ctx, crd__network_logits(s->ctx, model, s->validation, s->encoding, 9, logits));
  for (size_t i = 0; i < ROWS; i++) {
    size_t best = 0;
    for (size_t k = 1; k < CLASSES; k++)
      if (logits[i * CLASSES + k] > logits[i * CLASSES + best]) best = k;
    hits += (int64_t)best == crd_dataset_label(s->validation, i);
  }
  assert_true(near(epoch_value(epoch, "validation.accuracy"), (double)hits / ROWS, 1e-12));
}

static void the_front_stays_and_the_rest_learns(void **state) {
  school s = begin(*state, &options);
  crd_epoch epoch;
  crd_model *trained;
  train_all(&s, &epoch);
  assert_true(epoch_value(&epoch, "train-eval.accuracy") > 0.6);
  WORKS(*state, crd_trainer_model(*state, s.trainer, &trained));
  assert_true(same_weights(*state, s.model, trained, "first.weight", INPUTS * HIDDEN));
  assert_true(same_weights(*state, s.model, trained, "bn.mean", HIDDEN));
  assert_true(same_weights(*state, s.model, trained, "bn.var", HIDDEN));
  assert_false(same_weights(*state, s.model, trained, "second.weight", HIDDEN * CLASSES));
  check_accuracy(&s, trained, &epoch);
  crd_model_destroy(trained);
  finish(&s);
}

/* ---- Files. */

static size_t count_files(const char *folder, long *stamp) {
  DIR *const open = opendir(folder);
  size_t count = 0;
  assert_non_null(open);
  *stamp = 0;
  for (const struct dirent *entry; (entry = readdir(open));) {
    char path[600];
    struct stat info;
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    assert_int_equal(stat(path, &info), 0);
    *stamp += (long)info.st_ino;
    count++;
  }
  closedir(open);
  return count;
}

static size_t train_to(crd_context *ctx, const crd_train_options *how, float out[static 256]) {
  school s = begin(ctx, how);
  crd_epoch epoch;
  train_all(&s, &epoch);
  const size_t count = parameters_of(s.trainer, out);
  finish(&s);
  return count;
}

static void files_hold_the_same_features(void **state) {
  const char *const folder = scratch_path("features");
  char command[400];
  float memory[256], written[256], again[256];
  crd_train_options cached = options;
  long stamp, later;
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", folder, folder);
  assert_int_equal(system(command), 0);
  cached.cache = folder;
  const size_t count = train_to(*state, &options, memory);
  train_to(*state, &cached, written);
  assert_int_equal(count_files(folder, &stamp), 2);
  train_to(*state, &cached, again);
  assert_int_equal(count_files(folder, &later), 2);
  assert_int_equal(stamp, later); /* read, not written again */
  assert_memory_equal(memory, written, count * sizeof *memory);
  assert_memory_equal(memory, again, count * sizeof *memory);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

/* ---- Images, augmented. */

enum { SIDE = 8, IMAGES = 40 };

typedef struct {
  crd_context *ctx;
  crd_dataset *data;
  crd_encoding *encoding;
  crd_model *model;
  crd_trainer *trainer;
} gallery;

static gallery hang(crd_context *ctx, const char *augment) {
  static float pixels[IMAGES * SIDE * SIDE];
  static int64_t labels[IMAGES];
  gallery g = { .ctx = ctx };
  for (size_t i = 0; i < IMAGES * SIDE * SIDE; i++)
    pixels[i] = (float)crd__random_uniform(5, i / (SIDE * SIDE) % 2, i);
  for (size_t i = 0; i < IMAGES; i++) labels[i] = (int64_t)(i % 2);
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = { .data = pixels, .dtype = CRD_F32, .rank = 4, .dims = { IMAGES, 1, SIDE, SIDE } },
    .labels = crd_array_matrix(labels, CRD_I64, IMAGES, 1)
  };
  const crd_architecture_shape shape = {
    .size = sizeof shape, .classes = 2, .rank = 3, .dims = { 1, SIDE, SIDE }
  };
  const crd_train_options how = { .size = sizeof how,
                                  .epochs = 2,
                                  .batch = 16,
                                  .keep_last = 1,
                                  .freeze = "conv",
                                  .augment = augment,
                                  .evaluate_train = 1 };
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &g.data));
  WORKS(ctx, crd_encoding_learn(ctx, g.data, NULL, &g.encoding));
  WORKS(ctx, crd_architecture_build(ctx, "cnn", &shape, &g.model));
  WORKS(ctx, crd_trainer_create(ctx, g.model, g.data, g.encoding, &how, &g.trainer));
  return g;
}

static void take_down(gallery *g) {
  crd_trainer_destroy(g->trainer);
  crd_model_destroy(g->model);
  crd_encoding_destroy(g->encoding);
  crd_dataset_destroy(g->data);
}

static double loss_of(crd_context *ctx, const char *augment) {
  gallery g = hang(ctx, augment);
  crd_epoch epoch = { 0 };
  for (int done = 0; !done;) WORKS(ctx, crd_trainer_epoch(ctx, g.trainer, &epoch, &done));
  const double loss = epoch_value(&epoch, "loss");
  take_down(&g);
  return loss;
}

/* A crop of the whole image without padding changes nothing: both ways must agree. */
static void augmented_images_have_other_features(void **state) {
  const double plain = loss_of(*state, NULL), same = loss_of(*state, "crop(pad=0)");
  assert_true(near(plain, same, 1e-5));
  assert_false(near(plain, loss_of(*state, "crop(pad=4)"), 1e-5));
}

/* ---- Failures. */

static void refused(crd_context *ctx, const crd_train_options *how, const char *words) {
  school s = prepare(ctx, how);
  FAILS(ctx, CRD_EUSAGE, enrol(&s), words);
  assert_null(s.trainer);
  finish(&s);
}

static void bad_cuts_are_named(void **state) {
  refused(*state, &(crd_train_options){ .size = sizeof(crd_train_options), .freeze = "rely" },
          "did you mean 'relu'?");
  refused(*state, &(crd_train_options){ .size = sizeof(crd_train_options), .freeze = "x" },
          "'x' is an input");
  refused(*state,
          &(crd_train_options){ .size = sizeof(crd_train_options), .freeze = "relu", .mixup = 0.2 },
          "mixup mixes inputs; with freeze there are features only");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(the_front_stays_and_the_rest_learns),
    TEST(files_hold_the_same_features),
    TEST(augmented_images_have_other_features),
    TEST(bad_cuts_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
